# SPDX-License-Identifier: MIT
"""Writes models of one node as protobuf bytes, for opsets that no package of onnx knows.

Attribute values are int, float, str, lists of these, Tensor, Graph or Kind (a type).
"""

import struct

NUMBERS = {word: number for number, word in enumerate(
    "undefined float uint8 int8 uint16 int16 int32 int64 string bool float16 double uint32 uint64 "
    "complex64 complex128 bfloat16 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz uint4 "
    "int4 float4e2m1 float8e8m0 uint2 int2".split())}


def _varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return _varint(field << 3) + _varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _float(field, value):
    return _varint(field << 3 | 5) + struct.pack("<f", value)


class Tensor:
    """A TensorProto: raw bytes, or texts for strings."""

    def __init__(self, word, dims, raw=b"", texts=()):
        self.word, self.dims, self.raw, self.texts = word, dims, raw, texts

    def bytes(self, name=""):
        out = b"".join(number(1, dim) for dim in self.dims) + number(2, NUMBERS[self.word])
        out += b"".join(data(6, text) for text in self.texts)
        return out + (data(8, name) if name else b"") + (data(9, self.raw) if self.raw else b"")


class Kind:
    """A TypeProto from its text, as "seq(tensor(float))"; tensors of unknown shape unless `dims`."""

    def __init__(self, text, dims=None):
        self.text, self.dims = text, dims

    def bytes(self):
        return _type_bytes(self.text, self.dims)


def _type_bytes(text, dims):
    head, inner = text[:-1].split("(", 1)
    if head == "tensor":
        shape = b""
        if dims is not None:
            shape = data(2, b"".join(data(1, number(1, dim)) for dim in dims))
        return data(1, number(1, NUMBERS[inner]) + shape)
    if head == "seq":
        return data(4, data(1, _type_bytes(inner, None)))
    if head == "optional":
        return data(9, data(1, _type_bytes(inner, None)))
    if head == "sparse_tensor":
        return data(8, number(1, NUMBERS[inner]))
    key, value = inner.split(", ")
    return data(5, number(1, NUMBERS[key]) + data(2, _type_bytes(f"tensor({value})", ())))


class Node:
    def __init__(self, op_type, inputs, outputs, attributes=None, domain=""):
        self.op_type, self.inputs, self.outputs = op_type, inputs, outputs
        self.attributes, self.domain = attributes or {}, domain

    def bytes(self):
        out = b"".join(data(1, name) for name in self.inputs)
        out += b"".join(data(2, name) for name in self.outputs)
        out += data(4, self.op_type)
        out += b"".join(data(5, _attribute(*item)) for item in self.attributes.items())
        return out + data(7, self.domain)


class Graph:
    """`inputs` and `outputs` are names, or pairs of a name and a Kind; `tensors` pairs as well."""

    def __init__(self, nodes, inputs, outputs, tensors=()):
        self.nodes, self.inputs, self.outputs, self.tensors = nodes, inputs, outputs, tensors

    def bytes(self):
        out = b"".join(data(1, node.bytes()) for node in self.nodes) + data(2, "g")
        out += b"".join(data(5, tensor.bytes(name)) for name, tensor in self.tensors)
        out += b"".join(data(11, _value(value)) for value in self.inputs)
        return out + b"".join(data(12, _value(value)) for value in self.outputs)


def _value(value):
    if isinstance(value, str):
        return data(1, value)
    return data(1, value[0]) + data(2, value[1].bytes())


def _attribute(name, value):
    out = data(1, name)
    if isinstance(value, int):
        return out + number(3, value) + number(20, 2)
    if isinstance(value, float):
        return out + _float(2, value) + number(20, 1)
    if isinstance(value, (str, bytes)):
        return out + data(4, value) + number(20, 3)
    if isinstance(value, Tensor):
        return out + data(5, value.bytes()) + number(20, 4)
    if isinstance(value, Graph):
        return out + data(6, value.bytes()) + number(20, 5)
    if isinstance(value, Kind):
        return out + data(14, value.bytes()) + number(20, 13)
    if all(isinstance(item, int) for item in value):
        return out + b"".join(number(8, item) for item in value) + number(20, 7)
    if all(isinstance(item, float) for item in value):
        return out + b"".join(_float(7, item) for item in value) + number(20, 6)
    if all(isinstance(item, Tensor) for item in value):
        return out + b"".join(data(10, item.bytes()) for item in value) + number(20, 9)
    return out + b"".join(data(9, item) for item in value) + number(20, 8)


def model(graph, domain, opset, ir_version=14):
    """A ModelProto; ONNX's own operators are imported at the same version, or at the newest."""
    out = number(1, ir_version) + data(7, graph.bytes())
    if domain:
        out += data(8, number(2, 17))
    return out + data(8, (data(1, domain) if domain else b"") + number(2, opset))
