# SPDX-License-Identifier: MIT
"""Element types in numpy: sample numbers of each type, their bits, and the exact numbers of bits.

A "wide" array holds the exact numbers of a tensor: float64 for every kind of float, the type's own
dtype for integers and bool (int8 and uint8 for those below a byte), complex128, or str objects.
"""

import functools

import numpy as np

DTYPES = {"float": np.float32, "double": np.float64, "float16": np.float16, "bool": np.bool_,
          "complex64": np.complex64, "complex128": np.complex128,
          **{word: np.dtype(word).type for word in
             "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()}}
# exponent bits, mantissa bits, bias, kind of special values
SMALL = {"float8e4m3fn": (4, 3, 7, "fn"), "float8e4m3fnuz": (4, 3, 8, "fnuz"),
         "float8e5m2": (5, 2, 15, "ieee"), "float8e5m2fnuz": (5, 2, 16, "fnuz"),
         "float4e2m1": (2, 1, 1, "finite")}
PACKED = {"uint4": (4, False), "int4": (4, True), "uint2": (2, False), "int2": (2, True),
          "float4e2m1": (4, True)}
FLOATS = ("float", "double", "float16", "bfloat16", *SMALL, "float8e8m0")
# Steps of a mantissa: what one rounding may change, as a part of a number.
STEP = {"double": 2.0**-52, "float": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7,
        "float8e4m3fn": 2.0**-3, "float8e4m3fnuz": 2.0**-3, "float8e5m2": 2.0**-2,
        "float8e5m2fnuz": 2.0**-2, "float4e2m1": 0.5, "float8e8m0": 1.0,
        "complex64": 2.0**-23, "complex128": 2.0**-52}


@functools.lru_cache(None)
def numbers(word):
    """The number of every code of a small float, NaN and infinities included."""
    if word == "float8e8m0":
        return np.append(2.0 ** (np.arange(255) - 127.0), np.nan)
    exponent_bits, mantissa_bits, bias, special = SMALL[word]
    codes = np.arange(1 << (1 + exponent_bits + mantissa_bits))
    sign = np.where(codes >> (exponent_bits + mantissa_bits), -1.0, 1.0)
    exponent = codes >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = (codes & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    value = np.where(exponent == 0, mantissa * 2.0 ** (1 - bias),
                     (1 + mantissa) * 2.0 ** (exponent - float(bias)))
    value = sign * value
    top = exponent == (1 << exponent_bits) - 1
    if special == "ieee":
        value = np.where(top, np.where(mantissa == 0, sign * np.inf, np.nan), value)
    elif special == "fn":
        value = np.where(top & (mantissa == mantissa.max()), np.nan, value)
    elif special == "fnuz":
        value[len(value) // 2] = np.nan
    return value


def nearest(word, values):
    """Codes of the nearest numbers of a small float, ties to even; what is too large becomes the
    largest, NaN and infinity themselves where the type has them."""
    codes, table = _nearest_finite(word, values), numbers(word)
    for is_special in (np.isnan, np.isposinf, np.isneginf):
        found = np.flatnonzero(is_special(table))
        if len(found):
            codes = np.where(is_special(values), found[0], codes).astype(np.uint8)
    return codes


def _nearest_finite(word, values):
    table = numbers(word)
    finite = np.flatnonzero(np.isfinite(table) & (np.signbit(table) == 0))
    grid = table[finite]
    size = np.abs(values)
    high = np.clip(np.searchsorted(grid, size), 0, len(grid) - 1)
    low = np.maximum(high - 1, 0)
    up, down = grid[high] - size, size - grid[low]
    take_high = (up < down) | ((up == down) & (finite[high] % 2 == 0))
    codes = np.where(take_high, finite[high], finite[low])
    if word == "float8e8m0":
        return codes.astype(np.uint8)
    half = len(table) // 2
    no_zero = SMALL[word][3] == "fnuz"
    negative = np.signbit(values) & ~((codes == 0) & no_zero)
    return (codes + np.where(negative, half, 0)).astype(np.uint8)


def fitted(word, values):
    """Sample numbers as a type can hold them: sizes for unsigned types, small ones for small types."""
    values = np.asarray(values, np.float64)
    if word.startswith("uint"):
        values = np.abs(values)
    if word == "float8e8m0":
        values = 2.0 ** (np.abs(np.trunc(values)) % 4)
    if word in ("uint2", "uint4"):
        values = np.minimum(values, 3 if word == "uint2" else 15)
    if word in ("int2", "int4"):
        values = np.clip(values, *((-2, 1) if word == "int2" else (-8, 7)))
    return values


def wide(word, values):
    """The numbers of a type nearest to sample numbers, as a wide array."""
    if word == "string":
        out = np.empty(np.shape(values), object)
        out[...] = np.vectorize(lambda v: v if isinstance(v, str) else f"{v:g}",
                                otypes=[object])(values) if np.size(values) else ""
        return out
    if np.asarray(values).dtype == object:
        values = np.vectorize(float)(values)
    with np.errstate(all="ignore"):
        values = fitted(word, values)
        if word == "bool":
            return values > 0
        if word in ("complex64", "complex128"):
            return (values + 1j * np.roll(values, 1)).astype(DTYPES[word]).astype(np.complex128)
        return rounded(word, values)


def rounded(word, values):
    """Results rounded to a type, as a wide array."""
    values = np.asarray(values)
    if word in ("string", "bool") or values.dtype == object:
        return values.astype(bool) if word == "bool" else values
    with np.errstate(all="ignore"):
        if word in ("complex64", "complex128"):
            return values.astype(DTYPES[word]).astype(np.complex128)
        if word == "bfloat16":
            return bfloat16_numbers(bfloat16_bits(values))
        if word in SMALL or word == "float8e8m0":
            values = values.astype(np.float64)
            return np.where(np.isnan(values), values, numbers(word)[nearest(word, values)])
        if word in PACKED:
            return np.trunc(values).astype(np.int8 if PACKED[word][1] else np.uint8)
        if word in FLOATS:
            return values.astype(DTYPES[word]).astype(np.float64)
        return values.astype(DTYPES[word])


def bfloat16_bits(values):
    values = np.asarray(values, np.float64)
    bits = np.atleast_1d(values).astype(np.float32).view(np.uint32).astype(np.int64)
    up = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    codes = np.where((bits & 0x7FFFFFFF) > 0x7F800000, bits >> 16 | 0x40, up)
    return codes.astype(np.uint16).reshape(values.shape)


def bfloat16_numbers(bits):
    wide_bits = (np.atleast_1d(bits).astype(np.int64) << 16).astype(np.uint32)
    return wide_bits.view(np.float32).astype(np.float64).reshape(np.shape(bits))


def bits_of(word, array):
    """The bits of a wide array: an array of the shape, or packed bytes."""
    if word == "bfloat16":
        return bfloat16_bits(array)
    if word in SMALL or word == "float8e8m0":
        codes = nearest(word, array)
    elif word in PACKED:
        codes = array.astype(np.uint8)
    else:
        return np.ascontiguousarray(array, DTYPES[word]).reshape(np.shape(array))
    return pack(codes, PACKED[word][0]) if word in PACKED else codes


def pack(codes, bits):
    flat = codes.reshape(-1) & ((1 << bits) - 1)
    per = 8 // bits
    flat = np.append(flat, np.zeros(-len(flat) % per, np.uint8)).reshape(-1, per)
    return np.bitwise_or.reduce(flat << (np.arange(per, dtype=np.uint8) * bits), axis=1,
                                dtype=np.uint8)


def numbers_of(word, bits, shape):
    """The wide array of bits, as bits_of gives them."""
    if word == "string":
        return np.asarray(bits, object).reshape(shape)
    if word == "bfloat16":
        return bfloat16_numbers(np.ascontiguousarray(bits)).reshape(shape)
    if word in PACKED:
        width, is_signed = PACKED[word]
        per = 8 // width
        codes = bits.reshape(-1, 1) >> (np.arange(per, dtype=np.uint8) * width) & ((1 << width) - 1)
        codes = codes.reshape(-1)[:int(np.prod(shape))].astype(np.uint8).reshape(shape)
        if word == "float4e2m1":
            return numbers(word)[codes]
        if is_signed:
            return np.where(codes >> (width - 1), codes.astype(np.int16) - (1 << width),
                            codes).astype(np.int8)
        return codes
    if word in SMALL or word == "float8e8m0":
        return numbers(word)[bits].reshape(shape)
    if word in ("complex64", "complex128"):
        return bits.astype(np.complex128)
    return bits.astype(np.float64) if word in FLOATS else bits
