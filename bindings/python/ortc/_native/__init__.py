# SPDX-License-Identifier: MIT
"""The low level: the library's functions as ctypes sees them. Programs use the modules above it."""

from ortc._native.library import find, get_library_path, lib, run_function

__all__ = ["find", "get_library_path", "lib", "run_function"]
