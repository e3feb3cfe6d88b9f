# SPDX-License-Identifier: MIT
"""DLPack: tensors in memory that two libraries share. A managed tensor is a C struct in a capsule
named "dltensor"; who takes it renames the capsule and calls its deleter when done."""

import ctypes
import math
from typing import Any, Dict, Optional, Sequence, Tuple

from ortc._core.dtypes import bytes_of
from ortc.enums import ONNXTensorElementDataType as ElementType
from ortc.errors import InvalidArgument

CPU = 1
NAME, USED = b"dltensor", b"used_dltensor"
# DLPack's codes of types with their bits.
_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL = 0, 1, 2, 4, 5, 6
CODES: Dict[int, Tuple[int, int]] = {
    ElementType.FLOAT: (_FLOAT, 32), ElementType.DOUBLE: (_FLOAT, 64),
    ElementType.FLOAT16: (_FLOAT, 16), ElementType.BFLOAT16: (_BFLOAT, 16),
    ElementType.INT8: (_INT, 8), ElementType.INT16: (_INT, 16), ElementType.INT32: (_INT, 32),
    ElementType.INT64: (_INT, 64), ElementType.UINT8: (_UINT, 8), ElementType.UINT16: (_UINT, 16),
    ElementType.UINT32: (_UINT, 32), ElementType.UINT64: (_UINT, 64),
    ElementType.BOOL: (_BOOL, 8), ElementType.COMPLEX64: (_COMPLEX, 64),
    ElementType.COMPLEX128: (_COMPLEX, 128)}
KINDS = {code: kind for kind, code in CODES.items()}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int),
                ("device_id", ctypes.c_int), ("ndim", ctypes.c_int), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)

_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _api))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", _api))
# For a capsule that is being deleted: no reference to it may be taken any more.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api))
_raw_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api))

# What was given away, by the address of its struct, until the deleter is called.
_given: Dict[int, Any] = {}


@_DELETER
def _delete(managed: int) -> None:
    _given.pop(managed, None)


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    if _is_valid(capsule, NAME):
        _given.pop(_raw_pointer(capsule, NAME), None)


def check(kind: int, device: Optional[Tuple[int, int]]) -> None:
    """Whether a tensor of a type can be given, to a device if one is asked for."""
    if kind not in CODES:
        raise BufferError(f"DLPack has no code for elements of type {ElementType(kind).name}")
    if device is not None and tuple(device) != (CPU, 0):
        raise BufferError(f"the tensor is in memory of the processor, not of device {device}")


def give(owner: Any, address: int, kind: int, shape: Sequence[int]) -> Any:
    """A capsule of a tensor whose type was checked; it keeps `owner`."""
    code, bits = CODES[kind]
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    managed = _Managed()
    managed.tensor = _Tensor(address, CPU, 0, len(shape), code, bits, 1,
                             ctypes.addressof(sizes), None, 0)
    managed.deleter = ctypes.c_void_p.from_buffer(_delete).value
    where = ctypes.addressof(managed)
    _given[where] = (owner, sizes, managed)
    return _new(where, NAME, ctypes.c_void_p.from_buffer(_destroy))


class Received:
    """A tensor of another library, until the last reference to it is gone."""

    def __init__(self, managed: _Managed):
        self._managed = managed
        tensor = managed.tensor
        self.read_only = False
        self.shape = tuple((ctypes.c_int64 * tensor.ndim).from_address(tensor.shape)
                           if tensor.ndim else ())
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.element_type = KINDS.get((tensor.code, tensor.bits))
        self.size = bytes_of(self.element_type, math.prod(self.shape)) if self.element_type else 0

    def refusal(self) -> str:
        """Why it cannot be used; empty when it can."""
        tensor = self._managed.tensor
        if tensor.device_type != CPU:
            return f"the tensor is on a device of type {tensor.device_type}, not the processor"
        if self.element_type is None or tensor.lanes != 1:
            return f"no element type for DLPack's code {tensor.code} with {tensor.bits} bits"
        # Without elements any strides do; who makes such a tensor may leave odd ones.
        if tensor.strides and 0 not in self.shape:
            strides = (ctypes.c_int64 * tensor.ndim).from_address(tensor.strides)
            expected = 1
            for size, stride in zip(reversed(self.shape), reversed(list(strides))):
                if size != 1 and stride != expected:
                    return "the tensor does not lie in row-major order"
                expected *= size
        return ""

    def __del__(self) -> None:
        deleter = self._managed.deleter
        if deleter:
            _DELETER(deleter)(ctypes.addressof(self._managed))


def receive(data: Any) -> Received:
    """Takes a tensor over from an object with `__dlpack__`, or from its capsule."""
    capsule = data.__dlpack__() if hasattr(data, "__dlpack__") else data
    address = _pointer(capsule, NAME)
    received = Received(_Managed.from_address(address))
    _rename(capsule, USED)
    refusal = received.refusal()
    if refusal:
        raise InvalidArgument(refusal)
    return received
