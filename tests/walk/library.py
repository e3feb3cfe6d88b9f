# SPDX-License-Identifier: MIT
"""Loads and runs a case's model through the library's Python binding."""

import os
import sys

import numpy as np

import elements
from forms import word

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))

from ortc import GraphOptimizationLevel, InferenceSession, OrtValue, SessionOptions
from ortc._core.dtypes import ONNX_WORDS, WORDS
from ortc.enums import ONNXType
from ortc.errors import Error
from ortc.type_info import TypeInfo
from ortc.value import from_array, over_bits

__all__ = ["Error", "run", "options_of"]


def options_of(route):
    """Options of one thread, as what is computed is small: level0, level99, or aot."""
    options = SessionOptions()
    options.graph_optimization_level = (GraphOptimizationLevel.ORT_DISABLE_ALL if route == "level0"
                                        else GraphOptimizationLevel.ORT_ENABLE_ALL)
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    if route == "aot":
        options.add_provider("AOT")
    return options


def run(model, values, options):
    """The outputs of a model as pairs of a type's text and a wide value."""
    session = InferenceSession(model, options)
    feed = {name: value_of(kind, value) for name, (kind, value) in values.items()}
    return [found(value) for value in session.run_with_ort_values(None, feed)]


def type_of(text):
    """A TypeInfo from ONNX's text."""
    head, inner = text[:-1].split("(", 1)
    if head == "tensor":
        return TypeInfo.tensor(inner)
    if head in ("seq", "optional"):
        return (TypeInfo.sequence if head == "seq" else TypeInfo.optional)(type_of(inner))
    key, value = inner.split(", ")
    return TypeInfo.map(key, TypeInfo.tensor(value))


def value_of(kind, value):
    """An OrtValue of a wide value in a type."""
    if value is None:
        return OrtValue.empty(type_of(kind))
    if isinstance(value, list):
        parts = [_tensor(word(kind), part) for part in value]
        return OrtValue.sequence(parts) if parts else OrtValue.empty(type_of(kind))
    if isinstance(value, dict):
        key, element = kind[4:-1].split(", ")
        return OrtValue.map(_tensor(key, np.asarray(list(value), object if key == "string" else None)),
                            _tensor(element, np.asarray(list(value.values()),
                                                        object if element == "string" else None)))
    return _tensor(word(kind), value)


def _tensor(name, array):
    if name == "string":
        return from_array(np.asarray(array, object))
    bits = elements.bits_of(name, array)
    if name in elements.PACKED or name in elements.SMALL or name in ("bfloat16", "float8e8m0"):
        return over_bits(bits, WORDS[name], np.shape(array))
    return from_array(bits)


def found(value):
    """The type's text and the wide value of an output."""
    if not value.has_value():
        return "none", None
    if value.is_tensor():
        kind, shape = value._kind_and_shape()
        name = ONNX_WORDS[kind]
        return f"tensor({name})", elements.numbers_of(name, value.numpy(), shape).copy()
    kind = value.value_type()
    if kind == ONNXType.SEQUENCE:
        items = [found(item) for item in value.items()]
        inner = items[0][0] if items else str(value.type_info())[4:-1]
        return f"seq({inner})", [item for _, item in items]
    if kind == ONNXType.MAP:
        keys, values = (found(item) for item in value.items())
        return f"map({word(keys[0])}, {word(values[0])})", dict(
            zip(keys[1].tolist(), values[1].tolist()))
    return value.data_type(), None
