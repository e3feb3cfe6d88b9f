# SPDX-License-Identifier: MIT
"""Quantised graphs in QDQ form, calibrated while they are built.

Every piece computes in numpy what it adds to the graph, on one sample, so that scales come from
the ranges that activations really have. A piece gives a Traced value: its name and its numbers.
"""

import math

import numpy as np

from models.builder import Builder


class Traced:
    def __init__(self, name, array):
        self.name, self.array = name, array


def conv_numpy(x, w, bias, stride, pad, group=1):
    """x [n,c,h,w], w [o,c/group,k,k]."""
    n, c, h, width = x.shape
    out, per, k, _ = w.shape
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    oh, ow = (h + 2 * pad - k) // stride + 1, (width + 2 * pad - k) // stride + 1
    s = x.strides
    windows = np.lib.stride_tricks.as_strided(
        x, (n, c, k, k, oh, ow), (s[0], s[1], s[2], s[3], s[2] * stride, s[3] * stride))
    parts = []
    for g in range(group):
        columns = windows[:, g * per:(g + 1) * per].reshape(n, per * k * k, oh * ow)
        rows = w[g * (out // group):(g + 1) * (out // group)].reshape(out // group, per * k * k)
        parts.append(rows @ columns)
    y = np.concatenate(parts, axis=1).reshape(n, out, oh, ow)
    return y + bias[None, :, None, None]


class QuantisedBuilder(Builder):
    def __init__(self, name, seed, external=None):
        super().__init__(name, seed, external)
        self.scales = {}  # of dequantised activations, by name

    # Activations.

    def _pair(self, x, scale, zero):
        """QuantizeLinear and DequantizeLinear with these constants."""
        scale_name = self.tensor(self._unique(self._path("scale"))[1:], np.float32(scale))
        zero_name = self.tensor(self._unique(self._path("zero_point"))[1:], np.uint8(zero))
        q = self.node("QuantizeLinear", x.name, scale_name, zero_name)
        dq = self.node("DequantizeLinear", q, scale_name, zero_name)
        codes = np.clip(np.rint(x.array / np.float32(scale)) + zero, 0, 255)
        result = Traced(dq, ((codes - zero) * np.float32(scale)).astype(np.float32))
        self.scales[dq] = (np.float32(scale), zero)
        return result

    def quantised(self, x):
        """uint8, the range of the sample and a little more."""
        low, high = min(0.0, float(x.array.min())) * 1.05, max(0.0, float(x.array.max())) * 1.05
        scale = max((high - low) / 255, 1e-6)
        return self._pair(x, scale, int(np.clip(round(-low / scale), 0, 255)))

    def quantised_like(self, x, like):
        return self._pair(x, *self.scales[like.name])

    # Weights.

    def int8_weight(self, name, array, axis=None):
        """int8 without zero points, one scale or one along an axis; its name and its numbers."""
        others = None if axis is None else tuple(i for i in range(array.ndim) if i != axis)
        scale = (np.abs(array).max(axis=others) / 127).astype(np.float32)
        wide = scale if axis is None else scale.reshape(
            [-1 if i == axis else 1 for i in range(array.ndim)])
        codes = np.clip(np.rint(array / wide), -127, 127).astype(np.int8)
        path = self._weight_name(name)
        q = self.tensor(path + "_quantized", codes)
        s = self.tensor(path + "_scale", scale)
        z = self.tensor(path + "_zero_point", np.zeros(scale.shape, np.int8))
        attributes = {} if axis is None else {"axis": axis}
        dq = self.node("DequantizeLinear", q, s, z, **attributes)
        return dq, codes.astype(np.float32) * wide, scale

    def int32_bias(self, name, array, x, weight_scale):
        scale = (self.scales[x.name][0] * weight_scale).astype(np.float32)
        codes = np.rint(array / scale).astype(np.int32)
        path = self._weight_name(name)
        q = self.tensor(path + "_quantized", codes)
        s = self.tensor(path + "_scale", scale)
        z = self.tensor(path + "_zero_point", np.zeros(scale.shape, np.int32))
        attributes = {"axis": 0} if scale.ndim else {}
        return self.node("DequantizeLinear", q, s, z, **attributes), codes * scale

    def random(self, shape, std):
        return self.rng.standard_normal(shape, dtype=np.float32) * np.float32(std)

    # Pieces. Operands of products are dequantised activations.

    def conv(self, name, x, inputs, outputs, kernel, stride=1, gain=math.sqrt(2)):
        with self.scope(name):
            weight = self.random((outputs, inputs, kernel, kernel),
                                 gain / math.sqrt(inputs * kernel * kernel))
            w, w_array, w_scale = self.int8_weight("weight", weight, axis=0)
            bias, bias_array = self.int32_bias("bias", self.random((outputs,), 0.1), x, w_scale)
            pad = kernel // 2
            y = self.node("Conv", x.name, w, bias, kernel_shape=[kernel] * 2,
                          strides=[stride] * 2, pads=[pad] * 4, dilations=[1, 1], group=1)
            return Traced(y, conv_numpy(x.array, w_array, bias_array, stride, pad))

    def relu(self, x):
        return Traced(self.node("Relu", x.name), np.maximum(x.array, 0))

    def add(self, a, b):
        return Traced(self.node("Add", a.name, b.name), a.array + b.array)

    def linear(self, x, inputs, outputs, gain=1.0):
        """MatMul with int8 weights, a scale for each column, then Add of a float bias."""
        weight = self.random((inputs, outputs), gain / math.sqrt(inputs))
        w, w_array, _ = self.int8_weight("weight", weight, axis=1)
        product = self.node("MatMul", x.name, w)
        bias = self.random((outputs,), 0.02)
        y = self.node("Add", self.tensor(self._weight_name("bias"), bias), product)
        return Traced(y, x.array @ w_array + bias)
