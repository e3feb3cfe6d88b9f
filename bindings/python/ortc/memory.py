# SPDX-License-Identifier: MIT
"""Memory: what kind it is, and who hands it out."""

import ctypes
from typing import Any, Dict, Optional

from ortc._core.handles import (Handle, Native, create, default_allocator, encode, fitting,
                                fitting_size, get_int, get_text)
from ortc._native import lib
from ortc.enums import OrtAllocatorType, OrtDeviceMemoryType, OrtMemoryInfoDeviceType, OrtMemType
from ortc.errors import InvalidArgument
from ortc.key_values import taken_pairs


class OrtMemoryInfo(Native):
    """A kind of memory: of which device, for what, and how it is got."""

    __slots__ = ()

    def __init__(self, name: str = "Cpu",
                 allocator_type: int = OrtAllocatorType.ORT_DEVICE_ALLOCATOR, device_id: int = 0,
                 mem_type: int = OrtMemType.DEFAULT):
        self._handle = Handle(create(lib.OrtCreateMemoryInfo, encode(name), allocator_type,
                                     fitting("device_id", device_id), mem_type),
                              lib.OrtReleaseMemoryInfo)

    @classmethod
    def _of(cls, handle: Handle) -> "OrtMemoryInfo":
        info = cls.__new__(cls)
        info._handle = handle
        return info

    @classmethod
    def borrowed(cls, address: int, keeps: Any) -> "OrtMemoryInfo":
        """A description that belongs to something else."""
        return cls._of(Handle(address, _nothing, keeps))

    @classmethod
    def cpu(cls, allocator_type: int = OrtAllocatorType.ORT_DEVICE_ALLOCATOR,
            mem_type: int = OrtMemType.DEFAULT) -> "OrtMemoryInfo":
        """The processor's memory."""
        return cls._of(Handle(create(lib.OrtCreateCpuMemoryInfo, allocator_type, mem_type),
                              lib.OrtReleaseMemoryInfo))

    @classmethod
    def create_v2(cls, name: str, device_type: int, vendor_id: int, device_id: int,
                  device_mem_type: int, alignment: int, allocator_type: int) -> "OrtMemoryInfo":
        """Memory of a device known by its numbers; an `alignment` of 0 is the default."""
        return cls._of(Handle(create(lib.OrtCreateMemoryInfo_V2, encode(name), device_type,
                                     fitting("vendor_id", vendor_id, signed=False),
                                     fitting("device_id", device_id), device_mem_type,
                                     fitting_size("alignment", alignment), allocator_type),
                              lib.OrtReleaseMemoryInfo))

    @property
    def name(self) -> str:
        return get_text(lib.OrtMemoryInfoGetName, self._native)

    @property
    def device_id(self) -> int:
        return get_int(lib.OrtMemoryInfoGetId, self._native)

    @property
    def mem_type(self) -> OrtMemType:
        """What it is for."""
        return OrtMemType(get_int(lib.OrtMemoryInfoGetMemType, self._native))

    @property
    def allocator_type(self) -> OrtAllocatorType:
        """How it is got."""
        return OrtAllocatorType(get_int(lib.OrtMemoryInfoGetType, self._native))

    @property
    def device_type(self) -> OrtMemoryInfoDeviceType:
        return OrtMemoryInfoDeviceType(get_int(lib.OrtMemoryInfoGetDeviceType, self._native))

    @property
    def device_mem_type(self) -> OrtDeviceMemoryType:
        """Where on the device it lies."""
        return OrtDeviceMemoryType(lib.OrtMemoryInfoGetDeviceMemType(self._native))

    @property
    def device_vendor_id(self) -> int:
        """The vendor's number, 0 for none."""
        return int(lib.OrtMemoryInfoGetVendorId(self._native))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OrtMemoryInfo):
            return NotImplemented
        return get_int(lib.OrtCompareMemoryInfo, self._native, other._native) == 0

    def __hash__(self) -> int:
        return hash((self.name, self.device_id, self.device_type))

    def __repr__(self) -> str:
        return f"OrtMemoryInfo({self.name!r}, device_id={self.device_id})"


def _nothing(_address: int) -> None:
    """What is borrowed is not given back."""


class MemoryBlock:
    """A block of an allocator; goes back to it with its last reference. A tensor that took it over
    gives it back instead, and lives as long as the block and its views."""

    _owner: Any = None  # the tensor that took it over

    def __init__(self, allocator: "Allocator", size: int):
        self._allocator = allocator._native
        self.address = create(lib.OrtAllocatorAlloc, self._allocator,
                              fitting_size("size", size))
        self.size = size

    def view(self) -> memoryview:
        """The bytes, for reading and writing; it keeps the block. There are none to see once a
        tensor took the block over."""
        if self.size and not self.address:
            raise InvalidArgument("the block was taken over: there is nothing to view")
        array = (ctypes.c_ubyte * self.size).from_address(self.address)
        array._block = self  # type: ignore[attr-defined]
        return memoryview(array).cast("B")

    def detach(self, owner: Any = None) -> int:
        """Gives the address away: whoever has it now frees it. `owner` lives as long as the block
        or a view of it."""
        self._owner = owner
        address, self.address = self.address, 0
        return address

    def __del__(self) -> None:
        if getattr(self, "address", 0):
            lib.OrtAllocatorFree(self._allocator.address, self.address)


class Allocator(Native):
    """Hands out memory. From `default()`, or from a session; threads may share it."""

    def __init__(self, handle: Handle):
        self._handle = handle

    @classmethod
    def default(cls) -> "Allocator":
        """The library's own, whose blocks are aligned to 64 bytes."""
        return cls(Handle(default_allocator(), _nothing))

    def alloc(self, size: int) -> MemoryBlock:
        """A block of so many bytes."""
        return MemoryBlock(self, size)

    @property
    def info(self) -> OrtMemoryInfo:
        """What memory it hands out."""
        native = self._native
        return OrtMemoryInfo.borrowed(create(lib.OrtAllocatorGetInfo, native), native)

    @property
    def stats(self) -> Dict[str, str]:
        """Figures such as "InUse" and "NumAllocs"; empty for allocators that do not count."""
        return taken_pairs(lib.OrtAllocatorGetStats, self._native)


_cpu: Optional[OrtMemoryInfo] = None


def cpu_memory() -> int:
    """Describes memory of the processor; one object for the process."""
    global _cpu
    if _cpu is None:
        _cpu = OrtMemoryInfo.cpu()
    return _cpu._native.address
