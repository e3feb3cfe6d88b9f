# SPDX-License-Identifier: MIT
"""Ordered lists of texts with unique keys: metadata of devices, options."""

import ctypes
from typing import Any, Iterator, List, Mapping, MutableMapping, Optional, Tuple, Union

from ortc._core.handles import Address, Handle, Native, create, decode, encode
from ortc._native import lib

Options = Mapping[str, Any]


def _pairs(address: Address) -> List[Tuple[str, str]]:
    keys, values, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    lib.OrtGetKeyValuePairs(address, ctypes.byref(keys), ctypes.byref(values),
                            ctypes.byref(count))
    if not count.value:
        return []
    array = ctypes.c_char_p * count.value
    return [(decode(key), decode(value)) for key, value in
            zip(array.from_address(keys.value or 0), array.from_address(values.value or 0))]


class BorrowedPairs(Mapping[str, str]):
    """A list that belongs to something else, as a device's metadata. Reads what is there now."""

    def __init__(self, address: int, keeps: Any):
        self._address = address
        self._keeps = keeps

    def __getitem__(self, key: str) -> str:
        value: Optional[bytes] = lib.OrtGetKeyValue(self._address, encode(key))
        if value is None:
            raise KeyError(key)
        return decode(value)

    def __iter__(self) -> Iterator[str]:
        return iter([key for key, _ in _pairs(self._address)])

    def __len__(self) -> int:
        return len(_pairs(self._address))

    def __repr__(self) -> str:
        return repr(dict(_pairs(self._address)))


class KeyValuePairs(Native, MutableMapping[str, str]):
    """A list of the program. Keys keep the order in which they came."""

    def __init__(self, pairs: Union[Options, None] = None):
        address = ctypes.c_void_p()
        lib.OrtCreateKeyValuePairs(ctypes.byref(address))
        if not address.value:
            raise MemoryError("there is no memory for a list of pairs")
        self._handle = Handle(address.value, lib.OrtReleaseKeyValuePairs)
        for key, value in (pairs or {}).items():
            self[key] = str(value)

    def __getitem__(self, key: str) -> str:
        value: Optional[bytes] = lib.OrtGetKeyValue(self._native, encode(key))
        if value is None:
            raise KeyError(key)
        return decode(value)

    def __setitem__(self, key: str, value: str) -> None:
        if not key:
            raise ValueError("a key must not be empty")
        lib.OrtAddKeyValuePair(self._native, encode(key), encode(value))

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        lib.OrtRemoveKeyValuePair(self._native, encode(key))

    def __iter__(self) -> Iterator[str]:
        return iter([key for key, _ in _pairs(self._native)])

    def __len__(self) -> int:
        return len(_pairs(self._native))

    def __repr__(self) -> str:
        return f"KeyValuePairs({dict(_pairs(self._native))})"


def taken_pairs(function: Any, *arguments: Any) -> "dict[str, str]":
    """Calls a function that gives a new list; the list ends here."""
    address = create(function, *arguments)
    try:
        return dict(_pairs(address))
    finally:
        lib.OrtReleaseKeyValuePairs(address)


def option_arrays(options: Optional[Options]) -> Tuple[Any, Any, int]:
    """Keys and values as two arrays; None for both when there are none."""
    if not options:
        return None, None, 0
    array = ctypes.c_char_p * len(options)
    return (array(*[encode(key) for key in options]),
            array(*[encode(str(value)) for value in options.values()]), len(options))
