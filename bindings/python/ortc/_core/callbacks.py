# SPDX-License-Identifier: MIT
"""Functions of the program that the library calls.

C gets one function for each kind, which lives as long as the process, and a number that stands for
the Python object: a call that comes late finds nothing and does nothing. An exception becomes a
status (pending.py). Numbers are given back by the library's release function, or with the object
that owns the registration.
"""

import ctypes
import itertools
from typing import Any, Callable, Dict, Optional

from ortc._core.handles import Address
from ortc._core.pending import keep_exception
from ortc.enums import OrtErrorCode
from ortc.errors import Error, new_status

_numbers = itertools.count(1)
_objects: Dict[int, Any] = {}


def register(thing: Any) -> int:
    """A number for an object, for until it is given back."""
    number = next(_numbers)
    _objects[number] = thing
    return number


def find(number: Optional[int]) -> Any:
    """The object behind a number; None when it was given back."""
    return _objects.get(number or 0)


def forget(number: Optional[int]) -> None:
    _objects.pop(number or 0, None)


class Registration:
    """A number that is given back when the last owner of this object is gone."""

    __slots__ = ("number",)

    def __init__(self, thing: Any):
        self.number = register(thing)

    def __del__(self, _forget: Any = forget) -> None:
        _forget(self.number)


def guarded(function: Callable[..., Any], *arguments: Any) -> Optional[int]:
    """Calls a function of the program. What it raises becomes a status."""
    try:
        function(*arguments)
    except BaseException as error:  # pylint: disable=broad-except
        code = error.code if isinstance(error, Error) else OrtErrorCode.FAIL
        return new_status(code or OrtErrorCode.FAIL, keep_exception(error))
    return None


P, Z = ctypes.c_void_p, ctypes.c_size_t
ReleaseState = ctypes.CFUNCTYPE(None, P)
Progress = ctypes.CFUNCTYPE(P, P, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_double)


@ReleaseState
def release_state(state: Optional[int]) -> None:
    forget(state)


@Progress
def progress(state: Optional[int], stage: bytes, detail: bytes, fraction: float) -> Optional[int]:
    function = find(state)
    if function is None:
        return None
    return guarded(function, stage.decode(), detail.decode("utf-8", "surrogateescape"), fraction)


def set_progress(setter: Any, address: Address,
                 function: Callable[[str, str, float], Any]) -> None:
    """Hands a progress function to an object of the library, which gives the number back."""
    number = register(function)
    try:
        setter(address, progress, number, release_state)
    except BaseException:
        forget(number)
        raise
