# SPDX-License-Identifier: MIT
"""Where the bytes of an initializer stand, when that is a file beside the model."""

import ctypes
from typing import Any, Callable, Optional

from ortc._core.callbacks import find, guarded
from ortc._core.handles import (Handle, Native, Path, create, decode, encode_path, fitting,
                                fitting_size)
from ortc._native import lib
from ortc.value import OrtValue


class OrtExternalInitializerInfo(Native):
    """A place in a file, whose path is relative to the model's folder."""

    __slots__ = ()

    def __init__(self, filepath: Path, file_offset: int, byte_size: int):
        self._handle = Handle(create(lib.OrtCreateExternalInitializerInfo, encode_path(filepath),
                                     fitting("file_offset", file_offset, 64),
                                     fitting_size("byte_size", byte_size)),
                              lib.OrtReleaseExternalInitializerInfo)

    @classmethod
    def _taken(cls, address: int) -> "OrtExternalInitializerInfo":
        """Takes a new object of the library over."""
        info = cls.__new__(cls)
        info._handle = Handle(address, lib.OrtReleaseExternalInitializerInfo)
        return info

    @classmethod
    def _copied(cls, address: Optional[int]) -> "Optional[OrtExternalInitializerInfo]":
        """A copy of one that is borrowed."""
        if not address:
            return None
        return cls(lib.OrtExternalInitializerInfo_GetFilePath(address),
                   lib.OrtExternalInitializerInfo_GetFileOffset(address),
                   lib.OrtExternalInitializerInfo_GetByteSize(address))

    @property
    def filepath(self) -> str:
        return decode(lib.OrtExternalInitializerInfo_GetFilePath(self._native))

    @property
    def file_offset(self) -> int:
        return int(lib.OrtExternalInitializerInfo_GetFileOffset(self._native))

    @property
    def byte_size(self) -> int:
        return int(lib.OrtExternalInitializerInfo_GetByteSize(self._native))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OrtExternalInitializerInfo) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> Any:
        return self.filepath, self.file_offset, self.byte_size

    def __repr__(self) -> str:
        return (f"OrtExternalInitializerInfo({self.filepath!r}, {self.file_offset}, "
                f"{self.byte_size})")


# Gets the name of an initializer, its value, and where the source has it, None when that is the
# model itself; gives its place in the compiled model, or None to have it there.
GetInitializerLocation = Callable[[str, OrtValue, Optional[OrtExternalInitializerInfo]],
                                  Optional[OrtExternalInitializerInfo]]

P = ctypes.c_void_p
Locate = ctypes.CFUNCTYPE(P, P, ctypes.c_char_p, P, P, P)


def _locate(function: GetInitializerLocation, name: bytes, value: int, external: Optional[int],
            out: int) -> None:
    lent = OrtValue(value, read_only=True, lent=True)
    try:
        info = function(decode(name), lent, OrtExternalInitializerInfo._copied(external))
    finally:
        lent._address = 0  # the value ends with the call; whoever kept it finds nothing
    if info is not None:
        if not isinstance(info, OrtExternalInitializerInfo):
            raise TypeError("expected an OrtExternalInitializerInfo or None, "
                            f"not {type(info).__name__}")
        # The library takes over what it is given, so the program keeps its own.
        P.from_address(out).value = create(
            lib.OrtCreateExternalInitializerInfo, encode_path(info.filepath), info.file_offset,
            info.byte_size)


@Locate
def locate_initializer(state: Optional[int], name: bytes, value: int, external: Optional[int],
                       out: int) -> Optional[int]:
    return guarded(_locate, find(state), name, value, external, out)
