# SPDX-License-Identifier: MIT
"""Finds and loads the library, and gives its functions types.

It is looked for where ORTC_LIBRARY_PATH says (a file or a folder), in this package, and where the
system looks. A function that returns a status raises what the status says.
"""

import ctypes
import os
import pathlib
from typing import Any, Callable, List, Optional

from ortc._native.functions import FUNCTIONS, S

NAME = "libort_c.so.1"
VARIABLE = "ORTC_LIBRARY_PATH"
# What this package was written for: the same major number, and a minor number as high or higher.
NEEDED = (1, 0)

# Short calls that never wait. They keep the interpreter's lock: giving it away and getting it back
# takes longer than the call, and lets a busy thread in between.
QUICK = {
    "OrtCreateTensorWithDataAsOrtValue",
    "OrtGetErrorCode",
    "OrtGetErrorMessage",
    "OrtGetTensorData",
    "OrtGetTensorElementTypeAndShapeDataReference",
    "OrtGetTensorMutableData",
    "OrtGetValueType",
    "OrtReleaseStatus",
    "OrtReleaseValue",
    "OrtRunOptionsSetTerminate",
    "OrtRunOptionsUnsetTerminate",
}


def candidates() -> List[str]:
    """Where the library is looked for, in that order."""
    named = os.environ.get(VARIABLE)
    if named:
        return [os.path.join(named, NAME) if os.path.isdir(named) else named]
    package = pathlib.Path(__file__).resolve().parent.parent
    beside = package / "lib" / NAME
    return [str(beside)] if beside.exists() else [NAME]


def find() -> "tuple[str, Any, Any]":
    """Loads the library: its path, with calls that release the interpreter's lock, and without."""
    words = []
    for path in candidates():
        try:
            return path, ctypes.CDLL(path), ctypes.PyDLL(path)
        except OSError as error:
            words.append(f"{path}: {error}")
    raise ImportError("ortc's library was not found. Tried " + "; ".join(words)
                      + f". {VARIABLE} may name the file or its folder.")


def check_version(text: str) -> None:
    major, minor = (int(part) for part in text.split(".")[:2])
    if major != NEEDED[0] or minor < NEEDED[1]:
        raise ImportError(f"the library {_path} is ortc {text}; this package needs "
                          f"{NEEDED[0]}.{NEEDED[1]} or a later {NEEDED[0]}.x")


class Library:
    """The functions as attributes; each gets its types when it is first asked for."""

    # Set by errors.py, which raises what a status says.
    check: Optional[Callable[..., Any]] = None

    def __getattr__(self, name: str) -> Any:
        if name not in FUNCTIONS:
            raise AttributeError(f"{name} is not a function of the library")
        result, parameters = FUNCTIONS[name]
        function = getattr(_quick if name in QUICK else _waiting, name)
        function.argtypes = parameters
        function.restype = ctypes.c_void_p if result == S else result
        # What makes a status does not fail with it.
        if result == S and name != "OrtCreateStatus":
            function.errcheck = Library.check
        setattr(self, name, function)
        return function


def run_function(name: str) -> Any:
    """A function of its own that returns its status as a number: for the path that must be
    short."""
    function = _waiting._FuncPtr((name, _waiting))
    function.argtypes = FUNCTIONS[name][1]
    function.restype = ctypes.c_void_p
    return function


_path, _waiting, _quick = find()
lib: Any = Library()
check_version(lib.OrtGetVersionString().decode())


def get_library_path() -> str:
    """The file of the library in use."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            if "libort_c.so" in line:
                return line[line.index("/"):].rstrip("\n")
    return _path
