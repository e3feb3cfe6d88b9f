# SPDX-License-Identifier: MIT
"""Models made in memory, piece by piece, for sessions and for the compiler; and models from files
that get more nodes before they become sessions.

    model = Model({"": 17})
    model.set_inputs([("x", TypeInfo.tensor("float", ["rows", 4]))])
    model.set_outputs([("y", TypeInfo.tensor("float", ["rows", 4]))])
    model.add_initializer("one", numpy.ones(4, numpy.float32))
    model.add_node("Add", ["x", "one"], ["y"])
    session = session_from_model(model)

Names connect: a node reads what inputs, initializers and other nodes define. Nodes may be added in
any order. Whether the graph makes sense is checked when it is used.
"""

import ctypes
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from ortc._core.handles import Handle, Native, addresses, create, encode, fitting, texts
from ortc._native import lib
from ortc.op_attr import new_attribute
from ortc.type_info import TypeInfo, native_type
from ortc.value import STRING, OrtValue, from_object, over_memory

# The library uses memory of the program in place from this size on.
_IN_PLACE_BYTES = 128

Arguments = Sequence[Tuple[str, TypeInfo]]


class _Taken(Handle):
    """An object that another one takes over: from then on it is not given back."""

    def taken(self) -> None:
        self.address = 0


class Model(Native):
    """A model and its graph. `opsets` are the operator sets that it imports; one without ONNX's own
    ("") can only be applied to another model (EditorSession.apply)."""

    def __init__(self, opsets: Mapping[str, int]):
        domains, count = texts(opsets)
        versions = (ctypes.c_int * count)(
            *[fitting("version", version) for version in opsets.values()])
        # Tensors whose memory is used in place.
        self._keeps: List[Any] = []
        model = Handle(create(lib.OrtCreateModel, domains, versions, count), lib.OrtReleaseModel,
                       self._keeps)
        graph = _Taken(create(lib.OrtCreateGraph), lib.OrtReleaseGraph)
        lib.OrtAddGraphToModel(model.address, graph.address)
        self._graph_address = graph.address
        graph.taken()
        self._handle = model

    @property
    def _graph(self) -> Handle:
        """For calls, as `_native`: it keeps the model, whose graph ends with it."""
        return Handle(self._graph_address, lambda _: None, self._native)

    def set_inputs(self, inputs: Arguments) -> None:
        """Names and types of the inputs, in order, in place of earlier ones."""
        self._set(lib.OrtSetGraphInputs, inputs)

    def set_outputs(self, outputs: Arguments) -> None:
        """Names and types of the outputs, in order, in place of earlier ones."""
        self._set(lib.OrtSetGraphOutputs, outputs)

    def _set(self, function: Any, arguments: Arguments) -> None:
        graph = self._graph
        values = [_Taken(create(lib.OrtCreateValueInfo, encode(name), native_type(kind)),
                         lib.OrtReleaseValueInfo) for name, kind in arguments]
        function(graph, addresses([value.address for value in values]), len(values))
        for value in values:
            value.taken()

    def add_initializer(self, name: str, value: Any, in_place: bool = False) -> None:
        """Adds a tensor, or an array. With an input of the same name it is that input's default.
        `in_place` uses the array's memory as it is, which must not change then."""
        graph = self._graph
        tensor = from_object(value, None)
        in_place = in_place and tensor._keeps is not None \
            and tensor.tensor_size_in_bytes() >= _IN_PLACE_BYTES
        copied = _second(tensor)
        lib.OrtAddInitializerToGraph(graph, encode(name), copied._address, in_place)
        copied._borrowed = True  # it belongs to the graph now
        if in_place:
            self._keeps.append(tensor)

    def add_node(self, op_type: str, inputs: Sequence[str], outputs: Sequence[str],
                 attributes: Optional[Mapping[str, Any]] = None, name: str = "",
                 domain: str = "") -> None:
        """Adds a node. "" stands for an input or output that is left out; attributes are ints,
        floats, texts, or lists of these."""
        graph = self._graph
        made = [new_attribute(key, value) for key, value in (attributes or {}).items()]
        array = addresses([attribute.address for attribute in made])
        in_names, in_count = texts(inputs)
        out_names, out_count = texts(outputs)
        node = _Taken(create(lib.OrtCreateNode, encode(op_type), encode(domain), encode(name),
                             in_names, in_count, out_names, out_count, array, len(made)),
                      lib.OrtReleaseNode)
        for attribute in made:
            attribute.address = 0  # the node has them
        lib.OrtAddNodeToGraph(graph, node.address)
        node.taken()


def _second(tensor: OrtValue) -> OrtValue:
    """A tensor of its own over the same memory, for the graph to take over; of texts, a copy."""
    kind, shape = tensor._kind_and_shape()
    if kind == STRING:
        return from_object(tensor.numpy(), None)
    return over_memory(tensor, kind, shape)
