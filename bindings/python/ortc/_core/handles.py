# SPDX-License-Identifier: MIT
"""Ownership of native objects, and the small change of calls: texts, arrays, out parameters."""

import ctypes
import operator
import os
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple, TypeVar, Union

from ortc._native import lib
from ortc.errors import InvalidArgument

Path = Union[str, bytes, "os.PathLike[Any]"]
T = TypeVar("T", bound="Native")


class Handle:
    """A native object. It is given back when the last reference to this one is gone, so whoever is
    in the middle of a call holds it alive. `keeps` are Python objects that it needs."""

    __slots__ = ("address", "release", "keeps", "__weakref__")

    def __init__(self, address: int, release: Callable[[int], None], keeps: Any = None):
        self.address = address
        self.release = release
        self.keeps = keeps

    @property
    def _as_parameter_(self) -> int:
        """A handle may stand for its address in a call, which then keeps it."""
        return self.address

    def __del__(self) -> None:
        if self.address:
            self.release(self.address)


Address = Union[int, Handle]


class Native:
    """What has a native object. `close()` gives it back, as does the end of a `with` block; without
    either it ends with its last reference.

    Classes whose attributes are settings have `__slots__`: a name that they do not know is an
    AttributeError, as of ONNX Runtime's."""

    __slots__ = ("_handle", "__weakref__")
    _handle: Optional[Handle]

    @property
    def _native(self) -> Handle:
        """What calls get: a call that has it keeps the native object, also when another thread
        closes this one meanwhile. There is no shorter way to the address."""
        handle = getattr(self, "_handle", None)
        if handle is None:
            raise InvalidArgument(f"the {type(self).__name__} is closed")
        return handle

    def close(self) -> None:
        """Gives the native object back; calls under way end first. May be called again."""
        self._handle = None

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def create(function: Any, *arguments: Any) -> int:
    """Calls a function whose last parameter receives an object."""
    out = ctypes.c_void_p()
    function(*arguments, ctypes.byref(out))
    return out.value or 0


def get_int(function: Any, *arguments: Any) -> int:
    """Calls a function whose last parameter receives an int."""
    out = ctypes.c_int()
    function(*arguments, ctypes.byref(out))
    return out.value


def get_size(function: Any, *arguments: Any) -> int:
    """Calls a function whose last parameter receives a size_t, or 64 bits without a sign."""
    out = ctypes.c_size_t()
    function(*arguments, ctypes.byref(out))
    return out.value


def get_int64(function: Any, *arguments: Any) -> int:
    """Calls a function whose last parameter receives an int64_t."""
    out = ctypes.c_int64()
    function(*arguments, ctypes.byref(out))
    return out.value


def get_bool(function: Any, *arguments: Any) -> bool:
    """Calls a function whose last parameter receives a bool."""
    out = ctypes.c_bool()
    function(*arguments, ctypes.byref(out))
    return out.value


def get_text(function: Any, *arguments: Any) -> str:
    """Calls a function whose last parameter receives a borrowed text."""
    out = ctypes.c_char_p()
    function(*arguments, ctypes.byref(out))
    return decode(out.value)


def take_text(function: Any, *arguments: Any) -> Optional[str]:
    """Calls a function whose last parameters are an allocator and a new text."""
    return taken(create(function, *arguments))


def taken(address: int) -> Optional[str]:
    """A text of the default allocator, which it goes back to; None for NULL."""
    if not address:
        return None
    try:
        return decode(ctypes.string_at(address))
    finally:
        lib.OrtAllocatorFree(default_allocator(), address)


_allocator = 0


def default_allocator() -> int:
    """The library's own allocator, one for the process."""
    global _allocator
    if not _allocator:
        _allocator = create(lib.OrtGetAllocatorWithDefaultOptions)
    return _allocator


def encode(text: str) -> bytes:
    """A text for the library, which takes a zero byte for its end."""
    if not isinstance(text, str):
        raise TypeError(f"expected a str, not {type(text).__name__}")
    if "\0" in text:
        raise ValueError("a text for the library cannot have a zero character in it")
    return text.encode("utf-8", "surrogateescape")


def encode_path(path: Path) -> bytes:
    """A path for the library."""
    data = os.fsencode(path)
    if b"\0" in data:
        raise ValueError("a path cannot have a zero character in it")
    return data


def decode(data: Optional[bytes]) -> str:
    """A text of the library; bytes that are no UTF-8 come through, as they do in file names."""
    return (data or b"").decode("utf-8", "surrogateescape")


def texts(values: Iterable[str]) -> Tuple[Any, int]:
    """An array of texts and how many; the array keeps them."""
    encoded = [encode(value) for value in values]
    return (ctypes.c_char_p * len(encoded))(*encoded), len(encoded)


def addresses(values: Sequence[Optional[int]]) -> Any:
    """An array of pointers."""
    return (ctypes.c_void_p * len(values))(*values)


def fitting(name: str, value: int, bits: int = 32, signed: bool = True) -> int:
    """A number for one of C, which would wrap around: every number that a program gives comes
    through here."""
    number = operator.index(value)
    high = bits - 1 if signed else bits
    low = -1 << high if signed else 0
    if not low <= number < 1 << high:
        raise InvalidArgument(f"'{name}' is {number}; it must be from "
                              f"{f'-2**{high}' if signed else 0} to 2**{high} - 1")
    return number


def fitting_size(name: str, value: int) -> int:
    """A number for a size_t or an uint64_t."""
    return fitting(name, value, 64, signed=False)


def int64s(values: Iterable[int], name: str = "shape") -> Tuple[Any, int]:
    """An array of int64_t and how many."""
    numbers = [fitting(name, value, 64) for value in values]
    return (ctypes.c_int64 * len(numbers))(*numbers), len(numbers)


def pointers_at(address: Optional[int], count: int) -> List[int]:
    """The pointers of a borrowed array."""
    if not address or not count:
        return []
    return [item or 0 for item in (ctypes.c_void_p * count).from_address(address)]
