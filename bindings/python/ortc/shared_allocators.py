# SPDX-License-Identifier: MIT
"""Arenas, and allocators that a program implements itself."""

import ctypes
from typing import Any, Dict, Mapping, Optional

from ortc._core.handles import Handle, Native, create, texts
from ortc._native import lib
from ortc.log import LOGGER
from ortc.memory import OrtMemoryInfo


class OrtArenaCfg(Native):
    """Describes an arena; -1 means the default.

    From numbers in ONNX Runtime's order, or from a dict with "max_mem", "arena_extend_strategy",
    "initial_chunk_size_bytes", "max_dead_bytes_per_chunk", "initial_growth_chunk_size_bytes" and
    "max_power_of_two_extend_bytes".
    """

    __slots__ = ()

    def __init__(self, max_mem: Any = 0, arena_extend_strategy: int = -1,
                 initial_chunk_size_bytes: int = -1, max_dead_bytes_per_chunk: int = -1):
        if isinstance(max_mem, Mapping):
            keys, count = texts(max_mem)
            values = (ctypes.c_size_t * count)(*max_mem.values())
            address = create(lib.OrtCreateArenaCfgV2, keys, values, count)
        else:
            address = create(lib.OrtCreateArenaCfg, max_mem, arena_extend_strategy,
                             initial_chunk_size_bytes, max_dead_bytes_per_chunk)
        self._handle = Handle(address, lib.OrtReleaseArenaCfg)


P, Z = ctypes.c_void_p, ctypes.c_size_t
_Alloc = ctypes.CFUNCTYPE(P, P, Z)
_Free = ctypes.CFUNCTYPE(None, P, P)
_Info = ctypes.CFUNCTYPE(P, P)


class _OrtAllocator(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("alloc", _Alloc), ("free", _Free), ("info", _Info)]


# By the address of the struct that the library has.
_kept: Dict[int, "ProgramAllocator"] = {}


@_Alloc
def _alloc(this: int, size: int) -> Optional[int]:
    try:
        return _kept[this].allocate(size)
    except BaseException:  # pylint: disable=broad-except
        LOGGER.exception("an allocator of the program failed")
        return None  # the library reports that memory is short


@_Free
def _free(this: int, address: Optional[int]) -> None:
    if not address:
        return
    try:
        _kept[this].free(address)
    except BaseException:  # pylint: disable=broad-except
        LOGGER.exception("an allocator of the program failed to free a block")


@_Info
def _info(this: int) -> Optional[int]:
    return _kept[this].memory_info._native.address


class ProgramAllocator:
    """An allocator of the program, for `Env.register_allocator`. Derive from it and implement
    `allocate`, which gives the address of so many bytes, aligned to 64, and `free`. Both are called
    from any thread, several at once."""

    # The interface of the struct: allocate, free, and what memory it is.
    VERSION = 17

    def __init__(self, memory_info: Optional[OrtMemoryInfo] = None):
        self.memory_info = memory_info or OrtMemoryInfo.cpu()
        self._struct = _OrtAllocator(self.VERSION, _alloc, _free, _info)

    def allocate(self, size: int) -> int:
        """The address of a block."""
        raise NotImplementedError

    def free(self, address: int) -> None:
        """Takes a block back."""
        raise NotImplementedError

    def keep(self) -> int:
        """The allocator as the library sees it; it lives as long as the process from now on."""
        address = ctypes.addressof(self._struct)
        _kept[address] = self
        return address
