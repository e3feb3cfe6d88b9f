# SPDX-License-Identifier: MIT
"""Libraries of custom operators, by ONNX Runtime's table of functions. Entries that the library does
not have yet answer NotImplemented, and the exception says so.
"""

import ctypes
from typing import Any

from ortc._core.handles import encode_path
from ortc._native import lib
from ortc.errors import exception_of

# The version of the table asked for, and the place of its entry.
VERSION = 24
REGISTER_CUSTOM_OPS = 228

P, C = ctypes.c_void_p, ctypes.c_char_p
_GetApi = ctypes.CFUNCTYPE(P, ctypes.c_uint32)


def table() -> int:
    """ONNX Runtime's table of functions."""
    base = lib.OrtcGetApiBase()
    get_api = P.from_address(base).value or 0
    found: int = _GetApi(get_api)(VERSION)
    return found


def call_entry(index: int, types: Any, *arguments: Any) -> None:
    entry = P.from_address(table() + index * ctypes.sizeof(P)).value or 0
    status = ctypes.CFUNCTYPE(P, *types)(entry)(*arguments)
    if status:
        raise exception_of(status)


def register_custom_ops_library(options: int, path: Any) -> None:
    call_entry(REGISTER_CUSTOM_OPS, (P, C), options, encode_path(path))
