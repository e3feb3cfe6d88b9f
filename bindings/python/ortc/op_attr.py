# SPDX-License-Identifier: MIT
"""Attributes of nodes: read from a graph, or made for the model editor."""

import ctypes
from typing import Any, Dict, List, Tuple

from ortc._core.handles import Handle, create, encode, get_int, get_text, int64s
from ortc._native import lib
from ortc.enums import OrtOpAttrType as Type
from ortc.errors import InvalidArgument
from ortc.value import OrtValue

NUMBERS: Dict[int, Any] = {Type.INT: ctypes.c_int64, Type.INTS: ctypes.c_int64,
                           Type.FLOAT: ctypes.c_float, Type.FLOATS: ctypes.c_float}


def attribute_name(address: int) -> str:
    return get_text(lib.OrtOpAttr_GetName, address)


def _content(address: int, kind: Type) -> bytes:
    size = ctypes.c_size_t()
    try:
        lib.OrtReadOpAttr(address, kind, None, 0, ctypes.byref(size))
    except InvalidArgument:
        if not size.value:
            raise
    buffer = ctypes.create_string_buffer(max(size.value, 1))
    lib.OrtReadOpAttr(address, kind, buffer, size.value, ctypes.byref(size))
    return buffer.raw[:size.value]


def _text(data: bytes) -> Any:
    """Texts are str; bytes that are no text stay bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def attribute_value(address: int) -> Any:
    """An int, a float, a str (or bytes), a list of these, or an OrtValue; None for a sub-graph, and
    for kinds that the interface does not have."""
    kind = Type(get_int(lib.OrtOpAttr_GetType, address))
    if kind == Type.TENSOR:
        return OrtValue(create(lib.OrtOpAttr_GetTensorAttributeAsOrtValue, address),
                        read_only=True)
    if kind in (Type.GRAPH, Type.UNDEFINED):
        return None
    content = _content(address, kind)
    if kind == Type.STRING:
        return _text(content)
    if kind == Type.STRINGS:
        return [_text(part) for part in content.split(b"\0")[:-1]]
    number = NUMBERS[kind]
    values = list((number * (len(content) // ctypes.sizeof(number))).from_buffer_copy(content))
    return values if kind in (Type.INTS, Type.FLOATS) else values[0]


def _whole(text: bytes) -> bytes:
    """A text of a list, of which C would see only what is before a zero."""
    if b"\0" in text:
        raise ValueError("a text in a list cannot have a zero byte in it")
    return text


def _data_of(name: str, value: Any) -> Tuple[Type, Any, int]:
    """The type, the content for C, and how many elements or bytes."""
    if isinstance(value, (bool, int)):
        return Type.INT, int64s([value], name)[0], 1
    if isinstance(value, float):
        return Type.FLOAT, ctypes.byref(ctypes.c_float(value)), 1
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    if isinstance(value, bytes):
        return Type.STRING, value, len(value)
    items: List[Any] = list(value)
    if items and all(isinstance(item, (str, bytes)) for item in items):
        data = [_whole(item) if isinstance(item, bytes) else encode(item) for item in items]
        return Type.STRINGS, (ctypes.c_char_p * len(data))(*data), len(data)
    if all(isinstance(item, int) for item in items):
        return Type.INTS, int64s(items, name)[0], len(items)
    if all(isinstance(item, (int, float)) for item in items):
        return Type.FLOATS, (ctypes.c_float * len(items))(*items), len(items)
    raise TypeError(f"attribute {name!r}: a list has numbers or texts, not both")


def new_attribute(name: str, value: Any) -> Handle:
    """An attribute of an int, a float, a str, bytes, or a list of numbers or of texts; an empty
    list counts as one of ints."""
    kind, data, count = _data_of(name, value)
    return Handle(create(lib.OrtCreateOpAttr, encode(name), data, count, kind),
                  lib.OrtReleaseOpAttr)
