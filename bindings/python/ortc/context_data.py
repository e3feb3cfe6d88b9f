# SPDX-License-Identifier: MIT
"""Context binaries that go to functions of the program, or come from them, in place of files."""

import ctypes
from typing import Any, Callable, Optional

from ortc._core.callbacks import find, guarded
from ortc._core.handles import create, decode
from ortc._native import lib

# Gets the name that an EPContext node has for its data, gives the bytes.
ContextDataReader = Callable[[str], Any]
# Gets that name and the bytes.
ContextDataWriter = Callable[[str, bytes], Any]

P, Z, C = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
Read = ctypes.CFUNCTYPE(P, P, C, P, P, P)
Write = ctypes.CFUNCTYPE(P, P, C, P, Z)
WriteBuffer = ctypes.CFUNCTYPE(P, P, P, Z)


def _give(reader: ContextDataReader, name: bytes, allocator: int, out_buffer: int,
          out_size: int) -> None:
    data = reader(decode(name))
    if not isinstance(data, bytes):
        data = bytes(data)
    if data:
        block = create(lib.OrtAllocatorAlloc, allocator, len(data))
        ctypes.memmove(block, data, len(data))
        P.from_address(out_buffer).value = block
        Z.from_address(out_size).value = len(data)


@Read
def read_context_data(state: Optional[int], name: bytes, allocator: int, out_buffer: int,
                      out_size: int) -> Optional[int]:
    return guarded(_give, find(state), name, allocator, out_buffer, out_size)


@Write
def write_context_data(state: Optional[int], name: bytes, address: int,
                       size: int) -> Optional[int]:
    return guarded(lambda: find(state)(decode(name), ctypes.string_at(address, size)))


@WriteBuffer
def write_buffer(state: Optional[int], address: int, size: int) -> Optional[int]:
    return guarded(lambda: find(state)(ctypes.string_at(address, size)))
