#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the models for tests of session features: tests/data/make_session_models.py (needs
python3-onnx).

The numbers are small integers, so that expected results are exact.
"""

import pathlib
import struct

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
OPSETS = [helper.make_opsetid("", 17)]


def floats(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def constant(name, values):
    return numpy_helper.from_array(np.array(values, dtype=np.float32), name)


def save(name, nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    onnx.save(helper.make_model(graph, opset_imports=OPSETS, ir_version=8), HERE / f"{name}.onnx")


def in_file(name, shape, file, offset):
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
    tensor.data_location = TensorProto.EXTERNAL
    size = 4 * int(np.prod(shape))
    for key, value in {"location": file, "offset": offset, "length": size}.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


# y = x * weight + bias, both in a file that does not lie here.
save(
    "weights_elsewhere",
    [
        helper.make_node("MatMul", ["x", "weight"], ["product"]),
        helper.make_node("Add", ["product", "bias"], ["y"]),
    ],
    [floats("x", ["rows", 2])],
    [floats("y", ["rows", 2])],
    [in_file("weight", [2, 2], "weights.bin", 0), in_file("bias", [2], "weights.bin", 16)],
)

# y = x + (one + two): the sum of constants is folded. The first dimension has a denotation.
x = floats("x", ["n", 2])
x.type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
save(
    "foldable",
    [
        helper.make_node("Add", ["one", "two"], ["three"], name="constants"),
        helper.make_node("Add", ["x", "three"], ["sum"], name="addition"),
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Reshape", ["sum", "shape"], ["y"]),
    ],
    [x],
    [floats("y", ["n", 2])],
    [constant("one", [1, 1]), constant("two", [2, 2])],
)

# Counts from x in steps of 1, `times` times.
body = helper.make_graph(
    [
        helper.make_node("Identity", ["keep_in"], ["keep"]),
        helper.make_node("Add", ["before", "step"], ["after"]),
    ],
    "body",
    [
        helper.make_tensor_value_info("number", TensorProto.INT64, []),
        helper.make_tensor_value_info("keep_in", TensorProto.BOOL, []),
        floats("before", [1]),
    ],
    [helper.make_tensor_value_info("keep", TensorProto.BOOL, []), floats("after", [1])],
    [constant("step", [1])],
)
save(
    "counting",
    [helper.make_node("Loop", ["times", "", "x"], ["y"], name="count", body=body)],
    [helper.make_tensor_value_info("times", TensorProto.INT64, []), floats("x", [1])],
    [floats("y", [1])],
)

# Two layers that share the panels of their weight with any session of the same model.
weight = np.arange(64 * 64).reshape(64, 64) % 7 - 3
save(
    "layers",
    [
        helper.make_node("MatMul", ["x", "weight"], ["a"], name="first"),
        helper.make_node("Relu", ["a"], ["b"], name="cut"),
        helper.make_node("MatMul", ["b", "weight"], ["y"], name="second"),
    ],
    [floats("x", ["rows", 64])],
    [floats("y", ["rows", 64])],
    [constant("weight", weight)],
)


class Flat:
    """Just enough of FlatBuffers, front to back, for one adapter."""

    def __init__(self):
        self.bytes = bytearray(8)

    def align(self, size, after=0):
        while (len(self.bytes) + after) % size:
            self.bytes.append(0)

    def table(self, numbers):
        """Where the table and each of its 4-byte fields stand."""
        self.align(8)
        start = len(self.bytes)
        offsets = [4 + 4 * i for i in range(len(numbers))]
        self.bytes += struct.pack("<HH", 4 + 2 * len(numbers), 4 + 4 * len(numbers))
        self.bytes += b"".join(struct.pack("<H", offset) for offset in offsets)
        self.align(4)
        table = len(self.bytes)
        self.bytes += struct.pack("<i", table - start)
        for number in numbers:
            self.bytes += struct.pack("<i", number)
        return table, [table + offset for offset in offsets]

    def point(self, place, target):
        struct.pack_into("<I", self.bytes, place, target - place)

    def vector(self, place, content, count, alignment):
        self.align(alignment, after=4)
        self.point(place, len(self.bytes))
        self.bytes += struct.pack("<I", count) + content
        self.align(4)


def adapter(name, values):
    flat = Flat()
    root, fields = flat.table([1, 1, 1, 0])
    struct.pack_into("<I", flat.bytes, 0, root)
    flat.bytes[4:8] = b"TORT"
    flat.align(4)
    flat.point(fields[3], len(flat.bytes))
    flat.bytes += struct.pack("<I", 1)
    place = len(flat.bytes)
    flat.bytes += bytes(4)
    table, fields = flat.table([0, 0, TensorProto.FLOAT, 0])
    flat.point(place, table)
    flat.vector(fields[0], name.encode() + b"\0", len(name), 4)
    flat.vector(fields[1], struct.pack("<q", len(values)), 1, 8)
    flat.vector(fields[3], struct.pack(f"<{len(values)}f", *values), 4 * len(values), 8)
    flat.align(8)
    return bytes(flat.bytes)


# Another bias for described.onnx.
(HERE / "bias.onnx_adapter").write_bytes(adapter("bias", [1, 2]))
