# SPDX-License-Identifier: MIT
"""Graphs as execution providers see them: read-only, names resolved, nodes sorted, local functions
inlined, types inferred. Whatever is reached from a graph keeps it alive. Threads may share one."""

import ctypes
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

from ortc._core.handles import (Address, Handle, Native, Path, addresses, create, decode,
                                encode, encode_path, get_bool, get_int, get_int64, get_size,
                                get_text)
from ortc._core.loading import as_bytes
from ortc._native import lib
from ortc.env import Env, default_env
from ortc.errors import NotFound
from ortc.external_initializer import OrtExternalInitializerInfo
from ortc.metadata import ModelMetadata, taken_metadata
from ortc.op_attr import attribute_name, attribute_value
from ortc.type_info import TypeInfo, read_type
from ortc.value import OrtValue


def _listed(count: Any, function: Any, address: Address) -> List[int]:
    """Asks for the number, then for the list."""
    array = (ctypes.c_void_p * get_size(count, address))()
    function(address, array, len(array))
    return [item or 0 for item in array]


class _Part:
    """Something in a graph; equal to any other view of the same thing."""

    def __init__(self, address: int, graph: Handle):
        self._address = address
        self._graph = graph

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._address == other._address

    def __hash__(self) -> int:
        return hash(self._address)


class Use(NamedTuple):
    """A place where a value is read or made: a node, and the number of its input or output. The
    number is -1 where sub-graphs of the node read it."""

    node: "Node"
    slot: int


class ValueInfo(_Part):
    """A value in a graph: who makes and who reads it, and the initializer behind it."""

    @property
    def name(self) -> str:
        return get_text(lib.OrtGetValueInfoName, self._address)

    @property
    def type_info(self) -> TypeInfo:
        """As the model says, and as inferred."""
        return read_type(create(lib.OrtGetValueInfoTypeInfo, self._address))

    @property
    def producer(self) -> Optional[Use]:
        """The node that makes it; None for inputs, initializers and values from outside."""
        node, index = ctypes.c_void_p(), ctypes.c_size_t()
        lib.OrtValueInfo_GetValueProducer(self._address, ctypes.byref(node), ctypes.byref(index))
        return Use(Node(node.value, self._graph), index.value) if node.value else None

    @property
    def consumers(self) -> List[Use]:
        """The places where nodes read it."""
        count = get_size(lib.OrtValueInfo_GetValueNumConsumers, self._address)
        nodes, indices = (ctypes.c_void_p * count)(), (ctypes.c_int64 * count)()
        lib.OrtValueInfo_GetValueConsumers(self._address, nodes, indices, count)
        return [Use(Node(node or 0, self._graph), index) for node, index in zip(nodes, indices)]

    @property
    def initializer(self) -> Optional[OrtValue]:
        """The value behind it, also of an enclosing graph or one that a run can override; not to be
        written."""
        address = create(lib.OrtValueInfo_GetInitializerValue, self._address)
        if not address:
            return None
        return OrtValue(address, self._graph, read_only=True, borrowed=True)

    @property
    def external_initializer(self) -> Optional[OrtExternalInitializerInfo]:
        """Where its bytes stand, when that is a file beside the model."""
        address = create(lib.OrtValueInfo_GetExternalInitializerInfo, self._address)
        return OrtExternalInitializerInfo._taken(address) if address else None

    @property
    def is_required_graph_input(self) -> bool:
        return get_bool(lib.OrtValueInfo_IsRequiredGraphInput, self._address)

    @property
    def is_optional_graph_input(self) -> bool:
        """An input with an initializer behind it, which a run may override."""
        return get_bool(lib.OrtValueInfo_IsOptionalGraphInput, self._address)

    @property
    def is_graph_output(self) -> bool:
        return get_bool(lib.OrtValueInfo_IsGraphOutput, self._address)

    @property
    def is_constant_initializer(self) -> bool:
        """An initializer that no run can override."""
        return get_bool(lib.OrtValueInfo_IsConstantInitializer, self._address)

    @property
    def is_from_outer_scope(self) -> bool:
        """Whether a sub-graph takes it from an enclosing graph."""
        return get_bool(lib.OrtValueInfo_IsFromOuterScope, self._address)

    def __repr__(self) -> str:
        return f"ValueInfo({self.name!r}, {self.type_info})"


class Node(_Part):
    """A node of a graph."""

    @property
    def id(self) -> int:
        """Unique in its graph, the same in every view of the graph."""
        return get_size(lib.OrtNode_GetId, self._address)

    @property
    def name(self) -> str:
        """May be empty, and need not be unique."""
        return get_text(lib.OrtNode_GetName, self._address)

    @property
    def op_type(self) -> str:
        """As "Conv"."""
        return get_text(lib.OrtNode_GetOperatorType, self._address)

    @property
    def domain(self) -> str:
        """"" is ONNX's own."""
        return get_text(lib.OrtNode_GetDomain, self._address)

    @property
    def since_version(self) -> int:
        """The opset in which the operator took its form; -1 when it is not known."""
        return get_int(lib.OrtNode_GetSinceVersion, self._address)

    @property
    def ep_name(self) -> str:
        """The provider it was given to; empty in a graph that was only loaded."""
        return get_text(lib.OrtNode_GetEpName, self._address)

    @property
    def inputs(self) -> List[Optional[ValueInfo]]:
        """None for one that is left out."""
        return self._values(_listed(lib.OrtNode_GetNumInputs, lib.OrtNode_GetInputs,
                                    self._address))

    @property
    def outputs(self) -> List[Optional[ValueInfo]]:
        """None for one that is left out."""
        return self._values(_listed(lib.OrtNode_GetNumOutputs, lib.OrtNode_GetOutputs,
                                    self._address))

    @property
    def implicit_inputs(self) -> List[ValueInfo]:
        """Values of its graph that its sub-graphs read."""
        return [ValueInfo(address, self._graph) for address in
                _listed(lib.OrtNode_GetNumImplicitInputs, lib.OrtNode_GetImplicitInputs,
                        self._address)]

    def _values(self, found: List[int]) -> List[Optional[ValueInfo]]:
        return [ValueInfo(address, self._graph) if address else None for address in found]

    @property
    def attributes(self) -> Dict[str, Any]:
        """Those that the model gives it: ints, floats, texts, lists of these, OrtValues; None for
        sub-graphs (see `subgraphs`)."""
        found = _listed(lib.OrtNode_GetNumAttributes, lib.OrtNode_GetAttributes, self._address)
        return {attribute_name(address): attribute_value(address) for address in found}

    def attribute(self, name: str, otherwise: Any = None) -> Any:
        """One attribute; `otherwise` when the model leaves it out. NotFound when the operator has
        no such attribute."""
        address = create(lib.OrtNode_GetAttributeByName, self._address, encode(name))
        return attribute_value(address) if address else otherwise

    @property
    def subgraphs(self) -> Dict[str, "Graph"]:
        """By the names of the attributes that hold them, as "then_branch"."""
        count = get_size(lib.OrtNode_GetNumSubgraphs, self._address)
        graphs, names = (ctypes.c_void_p * count)(), (ctypes.c_char_p * count)()
        lib.OrtNode_GetSubgraphs(self._address, graphs, count, names)
        return {decode(name): Graph._part(graph or 0, self._graph)
                for name, graph in zip(names, graphs)}

    @property
    def graph(self) -> "Graph":
        """The graph that it was found in."""
        return Graph._part(create(lib.OrtNode_GetGraph, self._address), self._graph)

    def __repr__(self) -> str:
        return f"Node({self.op_type!r}, {self.name!r})"


class Graph(Native):
    """A graph of a model, from a file or from bytes."""

    def __init__(self, path_or_bytes: Union[Path, bytearray, memoryview],
                 env: Optional[Env] = None):
        where = (env or default_env())._native
        data = as_bytes(path_or_bytes)
        if data is not None:
            address = create(lib.OrtLoadGraphFromArray, where, data, len(data))
        else:
            address = create(lib.OrtLoadGraph, where, encode_path(path_or_bytes))
        self._handle = Handle(address, lib.OrtReleaseGraph)

    @classmethod
    def _part(cls, address: int, keeps: Handle) -> "Graph":
        """A graph that belongs to another one."""
        graph = cls.__new__(cls)
        graph._handle = Handle(address, lambda _: None, keeps)
        return graph

    @property
    def name(self) -> str:
        return get_text(lib.OrtGraph_GetName, self._native)

    @property
    def model_path(self) -> str:
        """Empty when the model came from memory."""
        return get_text(lib.OrtGraph_GetModelPath, self._native)

    @property
    def ir_version(self) -> int:
        """The version of the ONNX format that the model is written in."""
        return get_int64(lib.OrtGraph_GetOnnxIRVersion, self._native)

    @property
    def operator_sets(self) -> Dict[str, int]:
        """Versions by domain; "" is ONNX's own."""
        native = self._native
        count = get_size(lib.OrtGraph_GetNumOperatorSets, native)
        domains, versions = (ctypes.c_char_p * count)(), (ctypes.c_int64 * count)()
        lib.OrtGraph_GetOperatorSets(native, domains, versions, count)
        return {decode(domain): version for domain, version in zip(domains, versions)}

    @property
    def inputs(self) -> List[ValueInfo]:
        """Those with an initializer behind them included."""
        return self._values(lib.OrtGraph_GetNumInputs, lib.OrtGraph_GetInputs)

    @property
    def outputs(self) -> List[ValueInfo]:
        return self._values(lib.OrtGraph_GetNumOutputs, lib.OrtGraph_GetOutputs)

    @property
    def initializers(self) -> List[ValueInfo]:
        """The graph's own; those of enclosing graphs are listed there."""
        return self._values(lib.OrtGraph_GetNumInitializers, lib.OrtGraph_GetInitializers)

    def _values(self, count: Any, function: Any) -> List[ValueInfo]:
        native = self._native
        return [ValueInfo(address, native) for address in _listed(count, function, native)]

    @property
    def nodes(self) -> List[Node]:
        """Those that make a value come before those that read it."""
        native = self._native
        return [Node(address, native) for address in
                _listed(lib.OrtGraph_GetNumNodes, lib.OrtGraph_GetNodes, native)]

    def node(self, name: str) -> Node:
        """The first node of a name; NotFound when there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise NotFound(f"the graph {self.name!r} has no node {name!r}")

    @property
    def parent_node(self) -> Optional[Node]:
        """The node that a sub-graph belongs to."""
        native = self._native
        address = create(lib.OrtGraph_GetParentNode, native)
        return Node(address, native) if address else None

    @property
    def metadata(self) -> ModelMetadata:
        """What the model says about itself."""
        return taken_metadata(create(lib.OrtGraph_GetModelMetadata, self._native))

    def view(self, nodes: Sequence[Node]) -> "Graph":
        """A graph of some of the nodes, with the inputs and outputs that they have together."""
        graph = Graph.__new__(Graph)
        graph._handle = Handle(create(lib.OrtGraph_GetGraphView, self._native,
                                      addresses([node._address for node in nodes]), len(nodes)),
                               lib.OrtReleaseGraph)
        return graph

    def __repr__(self) -> str:
        return f"Graph({self.name!r}, {len(self.nodes)} nodes)"
