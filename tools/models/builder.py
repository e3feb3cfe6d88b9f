# SPDX-License-Identifier: MIT
"""A small builder of ONNX graphs with seeded random weights, and the pieces models share.

Every method that adds a node returns the name of its (first) output, so that a model reads like
the forward function it was exported from. Scopes give nodes, values and weights exporter-like
names: inside scope "encoder/layer.0" the node "MatMul" is called "/encoder/layer.0/MatMul".
"""

import contextlib
import hashlib
import math
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8
# Tensors of an external file begin on page boundaries, so that a reader can map each of them.
ALIGNMENT = 4096
EXTERNAL_LEAST_BYTES = 256


class ExternalFile:
    """A weights file beside the models; equal names in several models share one place in it."""

    def __init__(self, folder, name):
        stem, extension = os.path.splitext(name)
        self.name = twin_name(stem) + extension
        self.file = open(os.path.join(folder, self.name), "wb")
        self.places = {}

    def place(self, name, array):
        digest = hashlib.blake2b(array.data).digest()
        if name not in self.places:
            self.file.seek(-(-self.file.tell() // ALIGNMENT) * ALIGNMENT)
            self.places[name] = (self.file.tell(), digest)
            self.file.write(array.data)
        offset, stored = self.places[name]
        if stored != digest:
            raise ValueError(f"'{name}' is stored with other values")
        return {"location": self.name, "offset": str(offset), "length": str(array.nbytes)}

    def close(self):
        self.file.close()


def twin_name(name):
    """What a model or a file is called beside its float32 twin."""
    return name + "_f16" if Builder.half else name


def _as_half(array):
    """float32 numbers as float16; what is too large is the largest there is."""
    if array.dtype != np.float32:
        return array
    largest = np.finfo(np.float16).max
    return np.clip(array, -largest, largest).astype(np.float16)


class Builder:
    half = False  # True: float16 wherever a model says float32

    def __init__(self, name, seed, external=None):
        self.name = twin_name(name)
        self.rng = np.random.default_rng(seed)
        self.external = external
        self.nodes, self.inputs, self.outputs = [], [], []
        self.tensors = {}
        self._scopes = []
        self._used = set()

    # Names.

    @contextlib.contextmanager
    def scope(self, name):
        self._scopes.append(name)
        yield
        self._scopes.pop()

    def _path(self, name):
        return "/" + "/".join(self._scopes + [name])

    def _unique(self, path):
        candidate, count = path, 0
        while candidate in self._used:
            count += 1
            candidate = f"{path}_{count}"
        self._used.add(candidate)
        return candidate

    # Graph.

    def input(self, name, dtype, shape):
        self.inputs.append(helper.make_tensor_value_info(name, _element_type(dtype), shape))
        return name

    def output(self, name, dtype, shape, value=None):
        """Declares an output; when its value has another name, an Identity gives it this one."""
        if value is not None and value != name:
            self.nodes.append(helper.make_node("Identity", [value], [name],
                                               name=self._unique(self._path("Identity"))))
        self.outputs.append(helper.make_tensor_value_info(name, _element_type(dtype), shape))

    def node(self, op, *inputs, outputs=1, name=None, result=None, **attributes):
        """Adds a node; `result` names its one output, `outputs` says how many it has."""
        if self.half and op == "Cast" and attributes["to"] == TensorProto.FLOAT:
            attributes["to"] = TensorProto.FLOAT16
        path = self._unique(self._path(name or op))
        if result is not None:
            results = [result]
        elif outputs == 1:
            results = [path + "_output_0"]
        else:
            results = [f"{path}_output_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), results, name=path, **attributes))
        return results[0] if outputs == 1 else results

    def rename(self, value, name):
        """Gives a value that a node has made, and that nothing has read, another name."""
        node = next(n for n in reversed(self.nodes) if value in n.output)
        node.output[list(node.output).index(value)] = name
        return name

    # Constants and weights.

    def tensor(self, name, array):
        """An initializer of this name; the same name again is the same tensor."""
        if name not in self.tensors:
            array = np.ascontiguousarray(array).reshape(np.shape(array))
            array = _as_half(array) if self.half else array
            if self.external is None or array.nbytes < EXTERNAL_LEAST_BYTES:
                proto = numpy_helper.from_array(array, name)
            else:
                proto = TensorProto(name=name, dims=array.shape,
                                    data_type=_element_type(array.dtype))
                proto.data_location = TensorProto.EXTERNAL
                for key, value in self.external.place(name, array).items():
                    proto.external_data.add(key=key, value=value)
            self.tensors[name] = proto
        return name

    def _weight_name(self, name):
        return ".".join(self._scopes + [name])

    def normal(self, name, shape, std, mean=0.0):
        values = self.rng.standard_normal(shape, dtype=np.float32)
        return self.tensor(self._weight_name(name), values * np.float32(std) + np.float32(mean))

    def uniform(self, name, shape, low, high):
        values = self.rng.uniform(low, high, shape).astype(np.float32)
        return self.tensor(self._weight_name(name), values)

    def constant(self, value, dtype=np.float32):
        """A Constant node, as exporters write small constants."""
        array = np.asarray(value, dtype=dtype)
        array = _as_half(array) if self.half else array
        return self.node("Constant", value=numpy_helper.from_array(array))

    def ints(self, *values):
        return self.constant(list(values), np.int64)

    # Pieces.

    def size(self, x, axis):
        """Dimension `axis` of x as a scalar: Shape, then Gather."""
        return self.node("Gather", self.node("Shape", x), self.constant(axis, np.int64), axis=0)

    def shape_of(self, *dims):
        """A shape from scalars (names of values) and numbers: Unsqueeze each, then Concat."""
        parts = [self.ints(d) if isinstance(d, int) else
                 self.node("Unsqueeze", d, self.ints(0)) for d in dims]
        return self.node("Concat", *parts, axis=0)

    def linear(self, x, inputs, outputs, gain=1.0):
        """MatMul with a [inputs, outputs] weight, then Add of the bias."""
        product = self.node("MatMul", x, self.normal("weight", (inputs, outputs),
                                                     gain / math.sqrt(inputs)))
        return self.node("Add", self.normal("bias", (outputs,), 0.02), product)

    def gemm(self, x, inputs, outputs, gain=1.0):
        """Gemm with the transposed weight [outputs, inputs]."""
        weight = self.normal("weight", (outputs, inputs), gain / math.sqrt(inputs))
        return self.node("Gemm", x, weight, self.normal("bias", (outputs,), 0.02), transB=1)

    def layer_norm(self, x, width, epsilon=1e-12):
        scale = self.normal("weight", (width,), 0.05, mean=1.0)
        return self.node("LayerNormalization", x, scale, self.normal("bias", (width,), 0.02),
                         axis=-1, epsilon=epsilon)

    def gelu(self, x):
        """x * 0.5 * (1 + Erf(x / sqrt(2))), operator by operator."""
        erf = self.node("Erf", self.node("Div", x, self.constant(math.sqrt(2))))
        product = self.node("Mul", x, self.node("Add", erf, self.constant(1.0)))
        return self.node("Mul", product, self.constant(0.5))

    # The end.

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs,
                                  list(self.tensors.values()))
        return helper.make_model(graph, producer_name="generate_models.py",
                                 ir_version=IR_VERSION,
                                 opset_imports=[helper.make_opsetid("", OPSET)])

    def save(self, folder):
        path = os.path.join(folder, self.name + ".onnx")
        onnx.save(self.model(), path)
        return path


def chosen(value, default):
    """A size from the command line, or the default."""
    return default if value is None else value


def _element_type(dtype):
    if Builder.half and np.dtype(dtype) == np.float32:
        return TensorProto.FLOAT16
    return helper.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(dtype)]
