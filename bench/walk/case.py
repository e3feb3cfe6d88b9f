# SPDX-License-Identifier: MIT
"""A case is a model of one node: which operator, of what, with what attributes; or a chain of nodes
that real files carry in one piece.

Cases ask `Sizes` for their dimensions, so that the same list serves the sizes of real networks and
sizes drawn at random.
"""

import dataclasses
import hashlib
import random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i8": np.int8, "u8": np.uint8,
         "i32": np.int32, "i64": np.int64, "bool": np.bool_, "u16": np.uint16, "i16": np.int16,
         "i4": np.int8, "u4": np.uint8}
PACKED = {"u4": 21, "i4": 22}  # two numbers a byte, by their numbers in TensorProto.DataType
IR_VERSION = 8


class Sizes:
    """Dimensions as they are written, or near them: the same seed gives the same ones."""

    def __init__(self, seed=None):
        self._random = random.Random(seed) if seed is not None else None

    def __call__(self, number, multiple=1):
        """`number`, or one from 0.6 to 1.4 of it that `multiple` divides."""
        if self._random is None:
            return number
        near = self._random.uniform(0.6, 1.4) * number / multiple
        return max(1, round(near)) * multiple


@dataclasses.dataclass(frozen=True)
class Value:
    """An input: fed at each run, or a constant of the model."""
    shape: tuple
    type: str = "f32"
    is_constant: bool = False
    low: float = -2.0
    high: float = 2.0
    data: object = None  # these numbers, not random ones

    def array(self, rng):
        if self.data is not None:
            return np.asarray(self.data, dtype=TYPES[self.type]).reshape(self.shape)
        if self.type == "bool":
            return rng.integers(0, 2, self.shape).astype(np.bool_)
        if self.type in ("f32", "f16", "f64"):
            return rng.uniform(self.low, self.high, self.shape).astype(TYPES[self.type])
        low = max(int(self.low), np.iinfo(TYPES[self.type]).min) if self.low != -2 else (
            0 if self.type == "u8" else -100)
        high = int(self.high) if self.high != 2 else 100
        return rng.integers(low, high, self.shape).astype(TYPES[self.type])


def fed(*shape, type="f32", **more):
    return Value(shape, type, **more)


def weight(*shape, type="f32", **more):
    return Value(shape, type, True, **more)


def numbers(data, type="i64"):
    return Value(np.shape(data), type, True, data=data)


@dataclasses.dataclass(frozen=True)
class Node:
    """What a case builds: `values` in the order of the operator's inputs, None where omitted."""
    values: list
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: int = 1


@dataclasses.dataclass(frozen=True)
class Chain:
    """What a case of several nodes builds: `values` by name, nodes of onnx.helper, their result."""
    values: dict
    nodes: list
    output: str = "y"


@dataclasses.dataclass(frozen=True)
class Case:
    name: str             # Conv.3x3.256@14: the operator comes first
    build: object         # Sizes -> Node
    opset: int = 17
    domain: str = ""
    arithmetic: str = "f32"  # a key of harness.compare.BOUNDS
    size_is_free: bool = True  # whether sizes of chance make sense

    @property
    def operator(self):
        return self.name.split(".")[0]


def write(case, sizes, folder):
    """The model and its inputs as .npy files in `folder`: (path, {input: path})."""
    made = case.build(sizes)
    seed = int.from_bytes(hashlib.sha256(case.name.encode()).digest()[:4], "big")
    rng = np.random.default_rng(seed)
    if isinstance(made, Chain):
        values, nodes, outputs = made.values, made.nodes, [made.output]
    else:
        values = {f"x{i}": value for i, value in enumerate(made.values) if value is not None}
        names = ["" if value is None else f"x{i}" for i, value in enumerate(made.values)]
        outputs = [f"y{i}" for i in range(made.outputs)]
        nodes = [helper.make_node(case.operator, names, outputs, domain=case.domain,
                                  **made.attributes)]
    inputs, constants, files = [], [], {}
    for name, value in values.items():
        array = value.array(rng)
        if value.is_constant:
            constants.append(tensor_of(array, name, value.type))
            continue
        inputs.append(helper.make_tensor_value_info(name, FLOAT[value.type], list(array.shape)))
        files[name] = f"{folder}/{name}.npy"
        np.save(files[name], array)
    infos = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph(nodes, "walk", inputs, infos, constants)
    opsets = [helper.make_opsetid("", case.opset)]
    if case.domain:
        opsets.append(helper.make_opsetid(case.domain, 3 if case.domain == "ai.onnx.ml" else 1))
    model = helper.make_model(graph, opset_imports=opsets)
    model.ir_version = IR_VERSION if case.opset < 21 else 10
    path = f"{folder}/model.onnx"
    onnx.save(model, path)
    return path, files


def tensor_of(array, name, type):
    if type not in PACKED:
        return numpy_helper.from_array(array, name)
    pairs = array.reshape(-1).astype(np.uint8) & 15
    if pairs.size % 2:
        pairs = np.append(pairs, np.uint8(0))
    tensor = TensorProto(name=name, dims=array.shape, data_type=PACKED[type])
    tensor.raw_data = (pairs[0::2] | pairs[1::2] << 4).tobytes()
    return tensor


FLOAT = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16, "i64": TensorProto.INT64,
         "i32": TensorProto.INT32, "u8": TensorProto.UINT8, "i8": TensorProto.INT8,
         "bool": TensorProto.BOOL, "f64": TensorProto.DOUBLE, "u16": TensorProto.UINT16,
         "i16": TensorProto.INT16}
