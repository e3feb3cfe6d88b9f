# SPDX-License-Identifier: MIT
"""Context binaries that go to functions of the program, or come from them, in place of files."""

import ctypes
import io
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


def _write_all(write: Callable[[bytes], Any], piece: bytes) -> None:
    """Until a function has taken all, which says in an int how many bytes it took; anything else
    that it gives means all."""
    is_raw = isinstance(getattr(write, "__self__", None), io.RawIOBase)
    while piece:
        taken = write(piece)
        if taken is None and is_raw:
            raise BlockingIOError("the file takes no bytes without blocking")
        if not isinstance(taken, int) or isinstance(taken, bool):
            return
        if not 0 < taken <= len(piece):
            raise OSError(f"the write function says that it took {taken} of {len(piece)} bytes")
        piece = piece[taken:]


@WriteBuffer
def write_buffer(state: Optional[int], address: int, size: int) -> Optional[int]:
    return guarded(lambda: _write_all(find(state), ctypes.string_at(address, size)))
