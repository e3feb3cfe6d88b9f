# SPDX-License-Identifier: MIT
"""Element types: their sizes, ONNX's words for them, and what numpy calls them.

numpy has no types for bfloat16, the 8-bit floats and elements below a byte. Arrays of these hold
the bits: uint16 for bfloat16, uint8 for the others, in which elements below a byte are packed.
"""

from typing import Any, Dict, Optional

from ortc.enums import ONNXTensorElementDataType as ElementType
from ortc.errors import InvalidArgument

try:
    import numpy
except ImportError:  # arrays are not to be had then; everything else is
    numpy = None  # type: ignore[assignment]

WORDS: Dict[str, ElementType] = {
    "float": ElementType.FLOAT, "double": ElementType.DOUBLE, "string": ElementType.STRING,
    **{kind.name.lower(): kind for kind in ElementType
       if kind.name not in ("FLOAT", "DOUBLE", "STRING", "UNDEFINED")}}
ONNX_WORDS: Dict[int, str] = {kind: word for word, kind in WORDS.items()}

# The bits of an element.
BITS: Dict[int, int] = {
    ElementType.FLOAT: 32, ElementType.UINT8: 8, ElementType.INT8: 8, ElementType.UINT16: 16,
    ElementType.INT16: 16, ElementType.INT32: 32, ElementType.INT64: 64, ElementType.BOOL: 8,
    ElementType.FLOAT16: 16, ElementType.DOUBLE: 64, ElementType.UINT32: 32,
    ElementType.UINT64: 64, ElementType.COMPLEX64: 64, ElementType.COMPLEX128: 128,
    ElementType.BFLOAT16: 16, ElementType.FLOAT8E4M3FN: 8, ElementType.FLOAT8E4M3FNUZ: 8,
    ElementType.FLOAT8E5M2: 8, ElementType.FLOAT8E5M2FNUZ: 8, ElementType.UINT4: 4,
    ElementType.INT4: 4, ElementType.FLOAT4E2M1: 4, ElementType.UINT2: 2, ElementType.INT2: 2,
    ElementType.FLOAT8E8M0: 8}

# What arrays of an element type are, as the array interface writes it.
TYPESTR: Dict[int, str] = {
    ElementType.FLOAT: "<f4", ElementType.UINT8: "|u1", ElementType.INT8: "|i1",
    ElementType.UINT16: "<u2", ElementType.INT16: "<i2", ElementType.INT32: "<i4",
    ElementType.INT64: "<i8", ElementType.BOOL: "|b1", ElementType.FLOAT16: "<f2",
    ElementType.DOUBLE: "<f8", ElementType.UINT32: "<u4", ElementType.UINT64: "<u8",
    ElementType.COMPLEX64: "<c8", ElementType.COMPLEX128: "<c16", ElementType.BFLOAT16: "<u2",
    **{kind: "|u1" for kind, bits in BITS.items()
       if bits < 8 or ElementType(kind).name.startswith("FLOAT8")}}

# Types of whole bytes whose arrays hold bits.
AS_BITS = {kind for kind, bits in BITS.items()
           if bits >= 8 and ElementType(kind).name.startswith(("BFLOAT", "FLOAT8"))}

# The types that onnx.TensorProto numbers in another way.
FROM_ONNX = {24: ElementType.FLOAT8E8M0, 25: ElementType.UINT2, 26: ElementType.INT2}

# The class of arrays; without numpy nothing is one.
ARRAY: Any = numpy.ndarray if numpy is not None else ()

_BY_NUMBER: Dict[int, ElementType] = {}
if numpy is not None:
    for _kind, _text in TYPESTR.items():
        if _kind not in (ElementType.BFLOAT16,) and not (
                _text == "|u1" and _kind != ElementType.UINT8):
            _BY_NUMBER[numpy.dtype(_text).num] = ElementType(_kind)
    # C has two types of 64 bits where numpy is at home.
    _BY_NUMBER[numpy.dtype("longlong").num] = ElementType.INT64
    _BY_NUMBER[numpy.dtype("ulonglong").num] = ElementType.UINT64


def element_type_of(dtype: Any) -> ElementType:
    """The element type of an array's numbers."""
    kind = _BY_NUMBER.get(dtype.num)
    if kind is None:
        if dtype.kind in "OSU":
            return ElementType.STRING
        raise InvalidArgument(f"arrays of {dtype} cannot be tensors")
    return kind


def dtype_of(kind: int) -> Any:
    """The dtype of arrays over elements of a type."""
    return numpy.dtype(object) if kind == ElementType.STRING else numpy.dtype(TYPESTR[kind])


def as_element_type(kind: Any) -> ElementType:
    """An element type from itself, its number, its ONNX word or a dtype."""
    if isinstance(kind, str):
        if kind in WORDS:
            return WORDS[kind]
    elif isinstance(kind, int):
        return ElementType(kind)
    if numpy is not None:
        return element_type_of(numpy.dtype(kind))
    raise InvalidArgument(f"not an element type: {kind!r}")


def bytes_of(kind: int, count: int) -> int:
    """The bytes of so many elements; those below a byte are packed."""
    return (BITS[kind] * count + 7) // 8


def require_numpy(what: str) -> Any:
    """numpy, or a clear word that it is needed."""
    if numpy is None:
        raise ImportError(f"{what} needs numpy, which is not installed")
    return numpy


def row_major(array: Any) -> Any:
    """An array as the library reads it, in row-major order and the machine's order of bytes:
    itself, or a copy. (numpy.ascontiguousarray would give a scalar a dimension.)"""
    if array.flags.c_contiguous and array.dtype.isnative:
        return array
    return numpy.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def holds_bits(dtype: Any, kind: int) -> bool:
    """Whether arrays of a dtype are the bits of elements of a type: integers of their size, the
    type itself, or what packages that extend numpy have under its name, as "float8_e5m2"."""
    own = dtype_of(kind)
    if kind == ElementType.STRING or dtype.itemsize != own.itemsize:
        return False
    return (dtype.kind in "iu" or dtype == own
            or BITS[kind] >= 8 and dtype.name.replace("_", "") == ONNX_WORDS[kind])


def float32_of(array: Any, kind: int) -> Optional[Any]:
    """float16 and the bits of bfloat16 as float32, exactly."""
    if kind == ElementType.BFLOAT16:
        # Of an array without dimensions numpy makes a scalar, of 64 bits if 16 has no type.
        bits = array.astype(numpy.uint32) << numpy.uint32(16)
        return numpy.asarray(bits).view(numpy.float32)
    if kind == ElementType.FLOAT16:
        return array.astype(numpy.float32)
    return None


def bfloat16_bits(array: Any) -> Any:
    """The bits of the nearest bfloat16 to each float; ties go to even, a NaN stays one."""
    given = require_numpy("bfloat16_bits").asarray(array, dtype=numpy.float32)
    floats = numpy.ascontiguousarray(given)  # at least one dimension: sums may wrap around then
    bits = floats.view(numpy.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    nan = ((bits >> 16) | 0x40).astype(numpy.uint16)
    return numpy.where(numpy.isnan(floats), nan, rounded).reshape(given.shape)
