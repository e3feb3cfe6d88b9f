# SPDX-License-Identifier: MIT
"""Convolution, pooling, matrix products, normalisation and softmax for the numpy evaluator.

All take the direct road: a window becomes a column, a convolution becomes a matrix product.
"""

import itertools

import numpy as np

from op_registry import UnsupportedOperator, operator


@operator("MatMul")
def _matmul(node, a, b):
    return np.matmul(a, b)


@operator("Gemm")
def _gemm(node, a, b, c=None):
    a = a.T if node.attr("transA", 0) else a
    b = b.T if node.attr("transB", 0) else b
    result = node.attr("alpha", 1.0) * (a @ b)
    return result if c is None else result + node.attr("beta", 1.0) * c


def softmax(x, axis):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


@operator("Softmax", "LogSoftmax")
def _softmax(node, x):
    shape = x.shape
    axis = node.attr("axis", -1 if node.opset >= 13 else 1)
    if node.opset < 13:
        axis = axis + x.ndim if axis < 0 else axis
        x, axis = x.reshape(int(np.prod(shape[:axis])), -1), 1
    if node.op_type == "Softmax":
        return softmax(x, axis).reshape(shape)
    x = x - np.max(x, axis=axis, keepdims=True)
    return (x - np.log(np.sum(np.exp(x), axis=axis, keepdims=True))).reshape(shape)


@operator("LayerNormalization")
def _layer_normalization(node, x, scale, bias=None):
    axes = tuple(range(node.attr("axis", -1) % x.ndim, x.ndim))
    mean = x.mean(axis=axes, keepdims=True)
    centred = x - mean
    inverse = 1 / np.sqrt((centred**2).mean(axis=axes, keepdims=True) + node.attr("epsilon", 1e-5))
    y = centred * inverse * scale
    return (y if bias is None else y + bias), mean, inverse


def _per_channel(vector, x):
    return vector.reshape((1, -1) + (1,) * (x.ndim - 2))


@operator("BatchNormalization")
def _batch_normalization(node, x, scale, bias, mean, var):
    if node.attr("training_mode", 0):
        raise UnsupportedOperator("BatchNormalization in training mode")
    scale = scale / np.sqrt(var + node.attr("epsilon", 1e-5))
    return (x - _per_channel(mean, x)) * _per_channel(scale, x) + _per_channel(bias, x)


@operator("InstanceNormalization")
def _instance_normalization(node, x, scale, bias):
    axes = tuple(range(2, x.ndim))
    centred = x - x.mean(axis=axes, keepdims=True)
    var = (centred**2).mean(axis=axes, keepdims=True)
    y = centred / np.sqrt(var + node.attr("epsilon", 1e-5))
    return y * _per_channel(scale, x) + _per_channel(bias, x)


class Window:
    """The sliding window of one Conv or pool node: kernel, strides, dilations, pads, output."""

    def __init__(self, node, spatial, kernel):
        rank = len(spatial)
        self.kernel = list(kernel)
        self.strides = node.attr("strides", [1] * rank)
        self.dilations = node.attr("dilations", [1] * rank)
        pads = node.attr("pads", [0] * (2 * rank))
        auto = node.attr("auto_pad", "NOTSET")
        self.begin, self.end, self.out = [], [], []
        for i, size in enumerate(spatial):
            reach = (self.kernel[i] - 1) * self.dilations[i] + 1
            begin, end = pads[i], pads[i + rank]
            if auto == "VALID":
                begin = end = 0
            elif auto in ("SAME_UPPER", "SAME_LOWER"):
                steps = -(-size // self.strides[i])
                total = max((steps - 1) * self.strides[i] + reach - size, 0)
                begin = total // 2 if auto == "SAME_UPPER" else total - total // 2
                end = total - begin
            free = size + begin + end - reach
            out = free // self.strides[i] + 1
            if node.attr("ceil_mode", 0):
                out = -(-free // self.strides[i]) + 1
                # A window that starts in the end padding is not counted.
                if (out - 1) * self.strides[i] >= size + begin:
                    out -= 1
            self.begin.append(begin)
            self.end.append(end)
            self.out.append(out)

    def columns(self, x, fill):
        """[N, C, *spatial] -> [N, C, product(kernel), product(out)]; outside reads `fill`."""
        widths = [(0, 0), (0, 0)]
        for i, size in enumerate(x.shape[2:]):
            reach = (self.kernel[i] - 1) * self.dilations[i] + 1
            needed = (self.out[i] - 1) * self.strides[i] + reach
            widths.append((self.begin[i], max(needed - size - self.begin[i], 0)))
        x = np.pad(x, widths, constant_values=fill)
        taps = []
        for offsets in itertools.product(*(range(k) for k in self.kernel)):
            index = [slice(None), slice(None)]
            for i, offset in enumerate(offsets):
                first = offset * self.dilations[i]
                last = first + (self.out[i] - 1) * self.strides[i] + 1
                index.append(slice(first, last, self.strides[i]))
            taps.append(x[tuple(index)].reshape(x.shape[0], x.shape[1], -1))
        return np.stack(taps, axis=2)


@operator("Conv")
def _conv(node, x, w, b=None):
    groups = node.attr("group", 1)
    if x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
        raise ValueError(f"{x.shape[1]} channels, weight {w.shape}, group {groups}")
    window = Window(node, x.shape[2:], w.shape[2:])
    columns = window.columns(x, 0.0)
    columns = columns.reshape(x.shape[0], groups, -1, columns.shape[-1])
    y = np.matmul(w.reshape(groups, w.shape[0] // groups, -1), columns)
    y = y.reshape([x.shape[0], w.shape[0]] + window.out)
    return y if b is None else y + _per_channel(b, y)


@operator("MaxPool")
def _max_pool(node, x):
    if node.output_count > 1:
        raise UnsupportedOperator("MaxPool with Indices")
    window = Window(node, x.shape[2:], node.attr("kernel_shape"))
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return window.columns(x, lowest).max(axis=2).reshape(list(x.shape[:2]) + window.out)


@operator("AveragePool")
def _average_pool(node, x):
    window = Window(node, x.shape[2:], node.attr("kernel_shape"))
    inside = np.ones((1, 1) + x.shape[2:])
    if node.attr("count_include_pad", 0):
        # Declared padding counts; what ceil_mode adds behind it does not.
        inside = np.pad(inside, [(0, 0), (0, 0)] + list(zip(window.begin, window.end)),
                        constant_values=1)
        count = Window.__new__(Window)
        count.__dict__.update(window.__dict__, begin=[0] * len(window.begin))
    else:
        count = window
    weights = count.columns(inside, 0.0).sum(axis=2)
    y = window.columns(x, 0.0).sum(axis=2) / weights
    return y.reshape(list(x.shape[:2]) + window.out)


@operator("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(node, x):
    reduce = np.mean if node.op_type == "GlobalAveragePool" else np.max
    return reduce(x, axis=tuple(range(2, x.ndim)), keepdims=True)


@operator("Einsum")
def _einsum(node, *inputs):
    return np.einsum(node.attr("equation"), *inputs)


# Quantisation.


def _along(vector, x, axis):
    if vector.ndim == 0 or vector.size == 1:
        return vector.reshape(())
    shape = [1] * x.ndim
    shape[axis % x.ndim] = -1
    return vector.reshape(shape)


@operator("QuantizeLinear")
def _quantize_linear(node, x, scale, zero_point=None):
    axis = node.attr("axis", 1)
    zero = np.zeros((), np.uint8) if zero_point is None else zero_point
    limits = np.iinfo(zero.dtype)
    y = np.rint(x / _along(scale, x, axis)) + _along(zero.astype(np.float64), x, axis)
    return np.clip(y, limits.min, limits.max).astype(zero.dtype)


@operator("DequantizeLinear")
def _dequantize_linear(node, x, scale, zero_point=None):
    axis = node.attr("axis", 1)
    wide = x.astype(np.float64)
    if zero_point is not None:
        wide = wide - _along(zero_point.astype(np.float64), x, axis)
    return wide * _along(scale, x, axis)


@operator("MatMulInteger")
def _matmul_integer(node, a, b, a_zero=None, b_zero=None):
    a, b = a.astype(np.int32), b.astype(np.int32)
    if a_zero is not None:
        zero = a_zero.astype(np.int32)
        a = a - (zero.reshape(-1, 1) if zero.ndim == 1 and zero.size > 1 else zero)
    if b_zero is not None:
        b = b - b_zero.astype(np.int32)
    return np.matmul(a, b)
