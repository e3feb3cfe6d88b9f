# SPDX-License-Identifier: MIT
"""Quantised operators for the numpy evaluator. Scales are rounded to float32 where they come as
such, so that ties fall as they do at run time."""

import numpy as np

from ops_microsoft import MatMulNBits
from op_registry import UnsupportedOperator, operator


def _along(array, rank, axis):
    """One number, or numbers along an axis, for broadcasting against a tensor of that rank."""
    if array is None:
        return 0
    if array.size == 1:
        return array.reshape(-1)[0]
    return array.reshape([-1 if i == axis % rank else 1 for i in range(rank)])


def _saturate(x, dtype):
    info = np.iinfo(dtype)
    return np.clip(x, info.min, info.max).astype(dtype)


@operator("QuantizeLinear")
def quantize_linear(node, x, scale, zero=None):
    if node.attr("block_size", 0):
        raise UnsupportedOperator("QuantizeLinear in blocks")
    axis = node.attr("axis", 1)
    dtype = np.uint8 if zero is None else zero.dtype
    # The quotient is one of float32.
    quotient = (x.astype(np.float32) / _along(scale, x.ndim, axis).astype(np.float32))
    codes = np.rint(quotient).astype(np.int64)
    return _saturate(codes + np.asarray(_along(zero, x.ndim, axis), np.int64), dtype)


@operator("DequantizeLinear")
def dequantize_linear(node, x, scale, zero=None):
    if node.attr("block_size", 0):
        raise UnsupportedOperator("DequantizeLinear in blocks")
    axis = node.attr("axis", 1)
    codes = x.astype(np.int64) - np.asarray(_along(zero, x.ndim, axis), np.int64)
    return codes * _along(scale, x.ndim, axis)


def _sums(a, b, a_zero, b_zero):
    a = a.astype(np.int64) - np.asarray(0 if a_zero is None else a_zero, np.int64)
    b = b.astype(np.int64) - np.asarray(0 if b_zero is None else b_zero, np.int64)
    return np.matmul(a, b)


@operator("MatMulInteger")
def matmul_integer(node, a, b, a_zero=None, b_zero=None):
    return _sums(a, b, a_zero, b_zero).astype(np.int32)


@operator("QLinearMatMul")
def qlinear_matmul(node, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    factor = (a_scale * b_scale).astype(np.float32) / y_scale.astype(np.float32)
    product = _sums(a, b, a_zero, b_zero).astype(np.float32) * factor.astype(np.float32)
    return _saturate(np.rint(product).astype(np.int64) + np.int64(y_zero), y_zero.dtype)


@operator("MatMulNBits", domain="com.microsoft")
def matmul_nbits(node, x, q, scale, zero=None, groups=None, bias=None):
    """Weights are exact here also where the accuracy level allows 8-bit activations."""
    attributes = {name: node.attr(name) for name in ("K", "N", "block_size")}
    attributes["bits"] = node.attr("bits", 4)
    return MatMulNBits(attributes, x, q, scale, zero, groups, bias)[0]
