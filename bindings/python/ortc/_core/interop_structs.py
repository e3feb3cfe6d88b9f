# SPDX-License-Identifier: MIT
"""The structs in which a program describes memory, semaphores and graphics interfaces."""

import ctypes

# The interface that the structs are of.
VERSION = 30


class MemoryDescriptor(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("handle_type", ctypes.c_int),
                ("native_handle", ctypes.c_void_p), ("size_bytes", ctypes.c_size_t),
                ("offset_bytes", ctypes.c_size_t)]


class SemaphoreDescriptor(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("type", ctypes.c_int),
                ("native_handle", ctypes.c_void_p)]


class TensorDescriptor(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("element_type", ctypes.c_int),
                ("shape", ctypes.c_void_p), ("rank", ctypes.c_size_t),
                ("offset_bytes", ctypes.c_size_t)]


class GraphicsConfig(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("graphics_api", ctypes.c_int),
                ("command_queue", ctypes.c_void_p), ("additional_options", ctypes.c_void_p)]
