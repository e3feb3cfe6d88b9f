# SPDX-License-Identifier: MIT
"""Types of values: of what a model takes and gives, and of values of the model editor."""

import ctypes
from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple, Union

from ortc._core.dtypes import ONNX_WORDS, as_element_type
from ortc._core.handles import Handle, create, decode, encode, get_int, get_size, int64s
from ortc._native import lib
from ortc.enums import ONNXTensorElementDataType, ONNXType

# A dimension is a size, a name, or None when nothing is known.
Dimension = Union[int, str, None]
UNKNOWN_COUNT = ctypes.c_size_t(-1).value


@dataclass(frozen=True)
class TypeInfo:
    """The type of a value.

    `element_type` is that of a tensor's elements or of a map's keys; `element` the type of what is
    in a sequence or an optional, or of a map's values. `shape` is None when not even the number of
    dimensions is known. `denotation` is what the model says it means, as "IMAGE".
    """

    kind: ONNXType
    element_type: Optional[ONNXTensorElementDataType] = None
    shape: Optional[Tuple[Dimension, ...]] = None
    element: Optional["TypeInfo"] = None
    denotation: str = ""

    @classmethod
    def tensor(cls, element_type: Any, shape: Optional[Sequence[Dimension]] = None) -> "TypeInfo":
        """A tensor's; `element_type` may be a dtype, ONNX's word ("float") or the enumerator."""
        return cls(ONNXType.TENSOR, as_element_type(element_type),
                   None if shape is None else tuple(shape))

    @classmethod
    def sparse_tensor(cls, element_type: Any,
                      shape: Optional[Sequence[Dimension]] = None) -> "TypeInfo":
        """A sparse tensor's."""
        return cls(ONNXType.SPARSETENSOR, as_element_type(element_type),
                   None if shape is None else tuple(shape))

    @classmethod
    def sequence(cls, element: "TypeInfo") -> "TypeInfo":
        """A sequence's."""
        return cls(ONNXType.SEQUENCE, element=element)

    @classmethod
    def map(cls, key_type: Any, element: "TypeInfo") -> "TypeInfo":
        """A map's: the element type of its keys, the type of its values."""
        return cls(ONNXType.MAP, as_element_type(key_type), element=element)

    @classmethod
    def optional(cls, element: "TypeInfo") -> "TypeInfo":
        """That of a value that may be absent."""
        return cls(ONNXType.OPTIONAL, element=element)

    @property
    def element_count(self) -> Optional[int]:
        """How many elements a tensor has; None when a dimension is not known."""
        if self.shape is None:
            return None
        info = native_tensor_info(self)
        count = get_size(lib.OrtGetTensorShapeElementCount, info.address)
        return None if count == UNKNOWN_COUNT else count

    def __str__(self) -> str:
        """As ONNX writes it: "tensor(float)", "seq(tensor(int64))", "map(string,tensor(float))"."""
        word = ONNX_WORDS.get(self.element_type, "undefined") if self.element_type else "undefined"
        if self.kind == ONNXType.TENSOR:
            return f"tensor({word})"
        if self.kind == ONNXType.SPARSETENSOR:
            return f"sparse_tensor({word})"
        if self.kind == ONNXType.SEQUENCE:
            return f"seq({self.element})"
        if self.kind == ONNXType.MAP:
            return f"map({word},{self.element})"
        if self.kind == ONNXType.OPTIONAL:
            return f"optional({self.element})"
        return self.kind.name.lower()


# Reading what the library gives.


def _shape_of(info: int) -> Optional[Tuple[Dimension, ...]]:
    if not lib.OrtTensorTypeAndShape_HasShape(info):
        return None
    rank = get_size(lib.OrtGetDimensionsCount, info)
    sizes, names = (ctypes.c_int64 * rank)(), (ctypes.c_char_p * rank)()
    lib.OrtGetDimensions(info, sizes, rank)
    lib.OrtGetSymbolicDimensions(info, names, rank)
    return tuple(size if size >= 0 else (decode(name) or None)
                 for size, name in zip(sizes, names))


def tensor_type_and_shape(
        info: int) -> Tuple[ONNXTensorElementDataType, Optional[Tuple[Dimension, ...]]]:
    """Of a description that the caller has."""
    return (ONNXTensorElementDataType(get_int(lib.OrtGetTensorElementType, info)),
            _shape_of(info))


def taken_tensor_info(
        info: int) -> Tuple[ONNXTensorElementDataType, Optional[Tuple[Dimension, ...]]]:
    """Of a new description, which ends here."""
    try:
        return tensor_type_and_shape(info)
    finally:
        lib.OrtReleaseTensorTypeAndShapeInfo(info)


def _denotation(address: int) -> str:
    text, size = ctypes.c_char_p(), ctypes.c_size_t()
    lib.OrtGetDenotationFromTypeInfo(address, ctypes.byref(text), ctypes.byref(size))
    return decode(text.value)


def _inside(address: int, kind: ONNXType) -> Tuple[Optional[ONNXTensorElementDataType], TypeInfo]:
    """The key type, and the type within a sequence, a map or an optional."""
    if kind == ONNXType.SEQUENCE:
        side = create(lib.OrtCastTypeInfoToSequenceTypeInfo, address)
        element = taken_type(create(lib.OrtGetSequenceElementType, side))
        lib.OrtReleaseSequenceTypeInfo(side)
        return None, element
    if kind == ONNXType.MAP:
        side = create(lib.OrtCastTypeInfoToMapTypeInfo, address)
        key = ONNXTensorElementDataType(get_int(lib.OrtGetMapKeyType, side))
        element = taken_type(create(lib.OrtGetMapValueType, side))
        lib.OrtReleaseMapTypeInfo(side)
        return key, element
    side = create(lib.OrtCastTypeInfoToOptionalTypeInfo, address)
    return None, taken_type(create(lib.OrtGetOptionalContainedTypeInfo, side))


def read_type(address: int) -> TypeInfo:
    """A type that the library keeps."""
    kind = ONNXType(get_int(lib.OrtGetOnnxTypeFromTypeInfo, address))
    denotation = _denotation(address)
    if kind in (ONNXType.TENSOR, ONNXType.SPARSETENSOR):
        info = create(lib.OrtCastTypeInfoToTensorInfo, address)
        element_type, shape = tensor_type_and_shape(info)
        return TypeInfo(kind, element_type, shape, denotation=denotation)
    if kind in (ONNXType.SEQUENCE, ONNXType.MAP, ONNXType.OPTIONAL):
        key, element = _inside(address, kind)
        return TypeInfo(kind, key, element=element, denotation=denotation)
    return TypeInfo(kind, denotation=denotation)


def taken_type(address: int) -> TypeInfo:
    """A new type, which ends here."""
    try:
        return read_type(address)
    finally:
        lib.OrtReleaseTypeInfo(address)


# Making what the library takes.


def native_tensor_info(kind: TypeInfo) -> Handle:
    """The element type and shape of a tensor as an object of the library."""
    info = Handle(create(lib.OrtCreateTensorTypeAndShapeInfo),
                  lib.OrtReleaseTensorTypeAndShapeInfo)
    if kind.element_type:
        lib.OrtSetTensorElementType(info.address, kind.element_type)
    if kind.shape is not None:
        sizes, rank = int64s(size if isinstance(size, int) else -1 for size in kind.shape)
        lib.OrtSetDimensions(info.address, sizes, rank)
        names = [encode(name) if isinstance(name, str) else None for name in kind.shape]
        lib.OrtSetSymbolicDimensions(info.address, (ctypes.c_char_p * rank)(*names), rank)
    return info


def native_type(kind: TypeInfo) -> Handle:
    """The type as an object of the library."""
    if kind.kind == ONNXType.TENSOR:
        address = create(lib.OrtCreateTensorTypeInfo, native_tensor_info(kind))
    elif kind.kind == ONNXType.SPARSETENSOR:
        address = create(lib.OrtCreateSparseTensorTypeInfo, native_tensor_info(kind))
    elif kind.element is None:
        raise TypeError(f"a type of kind {kind.kind.name} needs the type that is in it")
    elif kind.kind == ONNXType.SEQUENCE:
        address = create(lib.OrtCreateSequenceTypeInfo, native_type(kind.element))
    elif kind.kind == ONNXType.MAP:
        address = create(lib.OrtCreateMapTypeInfo, kind.element_type or 0,
                         native_type(kind.element))
    else:
        address = create(lib.OrtCreateOptionalTypeInfo, native_type(kind.element))
    return Handle(address, lib.OrtReleaseTypeInfo)


@dataclass(frozen=True)
class NodeArg:
    """An input or output of a model, as ONNX Runtime describes one."""

    name: str
    type_info: TypeInfo

    @property
    def type(self) -> str:
        """As "tensor(float)"."""
        return str(self.type_info)

    @property
    def shape(self) -> List[Dimension]:
        """Sizes, names of sizes that are not fixed, and None for those without a name. Empty when
        it is a scalar, not a tensor, or the number of dimensions is not known."""
        return list(self.type_info.shape or ())
