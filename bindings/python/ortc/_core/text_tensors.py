# SPDX-License-Identifier: MIT
"""Tensors of texts: filling them and reading them."""

import ctypes
from typing import Any, List, Sequence, Union

from ortc._core.handles import get_size
from ortc._native import lib

Text = Union[str, bytes]


def as_bytes(text: Any) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode("utf-8", "surrogateescape")
    raise TypeError(f"elements of a tensor of texts are str or bytes, not {type(text).__name__}")


def fill(address: int, elements: Sequence[Text]) -> None:
    """Sets all elements of a tensor, in row-major order."""
    data = [as_bytes(element) for element in elements]
    array = (ctypes.c_char_p * len(data))(*data)
    lib.OrtFillStringTensor(address, array, len(data))
    # Such an array ends a text at its first zero; these are written byte by byte.
    for index, element in enumerate(data):
        if b"\0" in element:
            buffer = ctypes.c_void_p()
            lib.OrtGetResizedStringTensorElementBuffer(address, index, len(element),
                                                       ctypes.byref(buffer))
            ctypes.memmove(buffer, element, len(element))


def fill_element(address: int, index: int, text: Text) -> None:
    data = as_bytes(text)
    if b"\0" not in data:
        lib.OrtFillStringTensorElement(address, data, index)
        return
    buffer = ctypes.c_void_p()
    lib.OrtGetResizedStringTensorElementBuffer(address, index, len(data), ctypes.byref(buffer))
    ctypes.memmove(buffer, data, len(data))


def read(address: int, count: int) -> List[bytes]:
    """All elements, in row-major order."""
    if not count:
        return []
    size = get_size(lib.OrtGetStringTensorDataLength, address)
    content = ctypes.create_string_buffer(max(size, 1))
    offsets = (ctypes.c_size_t * count)()
    lib.OrtGetStringTensorContent(address, content, size, offsets, count)
    starts = [*offsets, size]
    data = content.raw
    return [data[begin:end] for begin, end in zip(starts, starts[1:])]


def read_element(address: int, index: int) -> bytes:
    size = get_size(lib.OrtGetStringTensorElementLength, address, index)
    content = ctypes.create_string_buffer(max(size, 1))
    lib.OrtGetStringTensorElement(address, size, index, content)
    return content.raw[:size]
