# SPDX-License-Identifier: MIT
"""What the kernel of an operator of the program is told of its node when it is made."""

import ctypes
from typing import Any, Callable, Dict, List, Optional

from ortc._core.handles import (Handle, Native, create, decode, default_allocator, encode, get_int,
                                get_size, pointers_at, taken)
from ortc._native import lib
from ortc.enums import OrtMemType
from ortc.errors import Fail, InvalidArgument
from ortc.key_values import taken_pairs
from ortc.log import OrtLogger
from ortc.memory import Allocator
from ortc.type_info import TypeInfo, taken_type
from ortc.value import OrtValue

_NEEDED = object()


def _copied(function: Any, *arguments: Any) -> str:
    """Calls a function that copies a text, first asked how long it is."""
    return decode(_copied_bytes(function, *arguments))


def _copied_bytes(function: Any, *arguments: Any) -> bytes:
    size = ctypes.c_size_t()
    function(*arguments, None, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    function(*arguments, buffer, ctypes.byref(size))
    return buffer.raw[:size.value - 1]


def _read_int(info: Handle, name: bytes) -> int:
    out = ctypes.c_int64()
    lib.OrtKernelInfoGetAttribute_int64(info, name, ctypes.byref(out))
    return out.value


def _read_float(info: Handle, name: bytes) -> float:
    out = ctypes.c_float()
    lib.OrtKernelInfoGetAttribute_float(info, name, ctypes.byref(out))
    return out.value


def _read_text(info: Handle, name: bytes) -> Any:
    """A str; bytes that are no text stay bytes."""
    data = _copied_bytes(lib.OrtKernelInfoGetAttribute_string, info, name)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _read_list(function: Any, number: Any, info: Handle, name: bytes) -> List[Any]:
    size = ctypes.c_size_t()
    function(info, name, None, ctypes.byref(size))
    array = (number * size.value)()
    function(info, name, array, ctypes.byref(size))
    return list(array)


def _read_ints(info: Handle, name: bytes) -> List[int]:
    return _read_list(lib.OrtKernelInfoGetAttributeArray_int64, ctypes.c_int64, info, name)


def _read_floats(info: Handle, name: bytes) -> List[float]:
    return _read_list(lib.OrtKernelInfoGetAttributeArray_float, ctypes.c_float, info, name)


def _read_texts(info: Handle, name: bytes) -> List[str]:
    array, size = ctypes.c_void_p(), ctypes.c_size_t()
    lib.OrtKernelInfoGetAttributeArray_string(info, name, default_allocator(), ctypes.byref(array),
                                              ctypes.byref(size))
    texts = [taken(address) or "" for address in pointers_at(array.value, size.value)]
    if array.value:
        lib.OrtAllocatorFree(default_allocator(), array)
    return texts


def _read_tensor(info: Handle, name: bytes) -> OrtValue:
    return OrtValue(create(lib.OrtKernelInfoGetAttribute_tensor, info, name, default_allocator()))


READERS: Dict[str, Callable[[Handle, bytes], Any]] = {
    "int": _read_int, "float": _read_float, "string": _read_text, "ints": _read_ints,
    "floats": _read_floats, "strings": _read_texts, "tensor": _read_tensor}


class KernelInfo(Native):
    """A node as its kernel sees it: a copy, which may be kept."""

    def __init__(self, address: int):
        self._handle = Handle(create(lib.OrtCopyKernelInfo, address), lib.OrtReleaseKernelInfo)

    @property
    def node_name(self) -> str:
        """May be empty."""
        return _copied(lib.OrtKernelInfo_GetNodeName, self._native)

    @property
    def op_type(self) -> str:
        return _copied(lib.OrtKernelInfo_GetOperatorType, self._native)

    @property
    def domain(self) -> str:
        return _copied(lib.OrtKernelInfo_GetOperatorDomain, self._native)

    @property
    def since_version(self) -> int:
        """The opset version from which the operator is as it is."""
        return get_int(lib.OrtKernelInfo_GetOperatorSinceVersion, self._native)

    @property
    def input_names(self) -> List[str]:
        """One that is left out has an empty name."""
        return [_copied(lib.OrtKernelInfo_GetInputName, self._native, index)
                for index in range(get_size(lib.OrtKernelInfo_GetInputCount, self._native))]

    @property
    def output_names(self) -> List[str]:
        """One that is left out has an empty name."""
        return [_copied(lib.OrtKernelInfo_GetOutputName, self._native, index)
                for index in range(get_size(lib.OrtKernelInfo_GetOutputCount, self._native))]

    def input_type(self, index: int) -> TypeInfo:
        """As far as the model says. InvalidGraph when it is left out or of no known type."""
        return taken_type(create(lib.OrtKernelInfo_GetInputTypeInfo, self._native, index))

    def output_type(self, index: int) -> TypeInfo:
        """As far as the model says. InvalidGraph when it is left out or of no known type."""
        return taken_type(create(lib.OrtKernelInfo_GetOutputTypeInfo, self._native, index))

    def constant_input(self, index: int) -> Optional[OrtValue]:
        """An input that is the same at every run, to be read only; None when it is not."""
        native = self._native
        is_constant, value = ctypes.c_int(), ctypes.c_void_p()
        lib.OrtKernelInfoGetConstantInput_tensor(native, index, ctypes.byref(is_constant),
                                                 ctypes.byref(value))
        if not is_constant.value:
            return None
        return OrtValue(value.value or 0, native, read_only=True, borrowed=True)

    def has_attribute(self, name: str) -> bool:
        """Whether the node has an attribute of that name, of a kind that kernels can read."""
        return any(self._read(kind, name) is not None for kind in READERS)

    def attribute(self, name: str, kind: Optional[str] = None, otherwise: Any = _NEEDED) -> Any:
        """An attribute. `kind` is "int", "float", "string", "ints", "floats", "strings" or "tensor",
        which gives an OrtValue; None takes what there is. Fail when the node has none of that name
        and kind; `otherwise` when it has none of that name."""
        if kind is None:
            found = next((value for value in (self._read(one, name) for one in READERS)
                          if value is not None), otherwise)
            if found is _NEEDED:
                raise Fail(f"the node '{self.node_name}' has no attribute '{name}'")
            return found
        if kind not in READERS:
            raise InvalidArgument(f"no attribute is of the kind '{kind}'; expected one of "
                                  f"{', '.join(READERS)}")
        try:
            return READERS[kind](self._native, encode(name))
        except Fail:
            if otherwise is _NEEDED or self.has_attribute(name):
                raise
            return otherwise

    def _read(self, kind: str, name: str) -> Any:
        """None when there is none of that name and kind."""
        try:
            return READERS[kind](self._native, encode(name))
        except Fail:
            return None

    @property
    def logger(self) -> OrtLogger:
        """The log of the session."""
        native = self._native
        return OrtLogger(create(lib.OrtKernelInfo_GetLogger, native), native)

    def allocator(self, mem_type: int = OrtMemType.DEFAULT) -> Allocator:
        """An allocator of the memory that the kernel works in."""
        return Allocator(Handle(create(lib.OrtKernelInfoGetAllocator, self._native, mem_type),
                                lib.OrtReleaseAllocator))

    @property
    def config_entries(self) -> Dict[str, str]:
        """The config entries of the session."""
        return taken_pairs(lib.OrtKernelInfo_GetConfigEntries, self._native)
