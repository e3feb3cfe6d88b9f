# SPDX-License-Identifier: MIT
"""Forms of products, windows, pools, normalisations, reductions, recurrent cells and losses."""

import itertools
import math

import numpy as np

import wire
from forms import TYPES, WIDENED, any_, distinct, form, i, positive, scalar, unit, word

def _number(kind):
    return wire.NUMBERS[word(kind)]


# Products.
form("MatMul", any_(2, 3), any_(3, 2, start=1))
form("MatMul", any_(2, 1, 2, 3), any_(3, 3, 2, start=1))
form("MatMul", any_(3), any_(3, start=1))
form("Gemm", any_(2, 3), any_(3, 2, start=1), any_(2, 2, start=2))
form("Gemm", any_(2, 3), any_(3, 2, start=1), any_(2, start=2), until=6, broadcast=1)
form("Gemm", any_(3, 2), any_(2, 3, start=1), any_(2, start=2), since=7, transA=1, transB=1,
     alpha=2.0, beta=3.0)
form("Gemm", any_(2, 3), any_(3, 2, start=1), since=11)
form("Einsum", any_(2, 3), any_(3, 2, start=1), equation="ij,jk->ik")
form("Einsum", any_(2, 3), equation="ij->ji")
form("Det", any_(2, 2, 2), expected=lambda n, x: np.linalg.det(x), steps=8)

# Convolutions.
form("Conv", any_(1, 2, 4, 4), any_(2, 2, 3, 3, start=1), any_(2), pads=[1, 1, 1, 1], steps=4)
form("Conv", any_(1, 2, 5), any_(2, 1, 2, start=1), group=2, strides=[2], dilations=[2], steps=4)
form("Conv", any_(1, 1, 3, 3, 3), any_(1, 1, 2, 2, 2), steps=4)


def _conv_transpose(n, x, w, b=None):
    groups, rank = n.attr("group", 1), x.ndim - 2
    strides = n.attr("strides", [1] * rank)
    pads = n.attr("pads", [0] * (2 * rank))
    sizes = [(x.shape[k + 2] - 1) * strides[k] + w.shape[k + 2] for k in range(rank)]
    per = w.shape[1]
    y = np.zeros((x.shape[0], per * groups, *sizes))
    for m, c in np.ndindex(x.shape[:2]):
        first = c // (x.shape[1] // groups) * per
        for at in np.ndindex(x.shape[2:]):
            window = tuple(slice(a * s, a * s + k) for a, s, k in zip(at, strides, w.shape[2:]))
            y[(m, slice(first, first + per), *window)] += x[(m, c, *at)] * w[c]
    cut = tuple(slice(pads[k], sizes[k] - pads[k + rank]) for k in range(rank))
    y = y[(slice(None), slice(None), *cut)]
    return y if b is None else y + b.reshape((-1,) + (1,) * rank)


form("ConvTranspose", any_(1, 2, 3, 3), any_(2, 2, 2, 2, start=1), any_(2), strides=[2, 2],
     expected=_conv_transpose, steps=4)
form("ConvTranspose", any_(1, 2, 4), any_(2, 1, 3, start=1), group=2, pads=[1, 1],
     expected=_conv_transpose, steps=4)
form("DeformConv", any_(1, 1, 3, 3), any_(1, 1, 2, 2), np.zeros((1, 8, 2, 2)), i(1),
     np.ones((1, 4, 2, 2)), kernel_shape=[2, 2], steps=4, expected=lambda n, x, w, o, b, m: (
         sum(x[:, :, r:r + 2, c:c + 2] * w[0, 0, r, c] for r in (0, 1) for c in (0, 1)) + 1))
form("DeformConv", any_(1, 1, 3, 3), any_(1, 1, 2, 2), np.full((1, 8, 2, 2), 0.5),
     kernel_shape=[2, 2], steps=4, expected=WIDENED)


def _causal_conv(n, x, w, b=None, past=None):
    k = w.shape[-1]
    past = np.zeros((*x.shape[:2], k - 1)) if past is None else past
    whole = np.concatenate([past, x], -1)
    y = sum(whole[..., j:j + x.shape[-1]] * w[:, 0, j, None] for j in range(k))
    y = y if b is None else y + b[:, None]
    if n.attr("activation", "none") in ("silu", "swish"):
        y = y / (1 + np.exp(-y))
    return [y, whole[..., whole.shape[-1] - k + 1:]]


form("CausalConvWithState", any_(1, 2, 4), any_(2, 1, 3, start=1), i(1, 2), any_(1, 2, 2, start=3),
     outputs=2, expected=_causal_conv, steps=4)
form("CausalConvWithState", any_(1, 2, 4), any_(2, 1, 3, start=1), outputs=2, activation="silu",
     expected=_causal_conv, steps=4)


def _col2im(n, x, image, block):
    y = np.zeros((1, 1, 3, 3), x.dtype) if x.dtype.kind != "O" else None
    for at, (r, c) in enumerate(itertools.product(range(2), range(2))):
        for k, (dr, dc) in enumerate(itertools.product(range(2), range(2))):
            y[0, 0, r + dr, c + dc] += x[0, k, at]
    return y


form("Col2Im", any_(1, 4, 4), i(3, 3), i(2, 2), expected=_col2im)

# Pools.
_PADDED = {"kernel_shape": [2, 2], "pads": [0, 1, 1, 0], "strides": [1, 2]}
form("AveragePool MaxPool", any_(1, 2, 4, 4), **_PADDED)
form("MaxPool", any_(1, 2, 4, 4), kernel_shape=[3, 2])
form("AveragePool MaxPool", any_(1, 2, 6), kernel_shape=[3])
form("AveragePool MaxPool", any_(1, 1, 2, 2, 2), kernel_shape=[2, 2, 2])
form("AveragePool", any_(1, 2, 4, 4), since=7, count_include_pad=1, **_PADDED)
form("AveragePool MaxPool", any_(1, 1, 5, 5), since=10, kernel_shape=[2, 2], strides=[2, 2],
     ceil_mode=1)
form("MaxPool", any_(1, 1, 5, 5), since=10, kernel_shape=[2, 2], dilations=[2, 2])


def _max_pool_at(n, x):
    from op_registry import OPS
    wide = x.astype(np.float64)
    at = np.zeros((x.shape[0], x.shape[1], 2, 2))
    y = np.zeros((x.shape[0], x.shape[1], 2, 2))
    for b, c, r, k in np.ndindex(at.shape):
        window = wide[b, c, 2 * r:2 * r + 2, 2 * k:2 * k + 2]
        place = np.unravel_index(np.argmax(window), (2, 2))
        row, column = 2 * r + place[0], 2 * k + place[1]
        inside = column * 4 + row if n.attr("storage_order", 0) else row * 4 + column
        at[b, c, r, k] = (b * x.shape[1] + c) * 16 + inside
        y[b, c, r, k] = window.max()
    return [y.astype(x.dtype), at]


for _order in (0, 1):
    form("MaxPool", distinct(1, 2, 4, 4), since=8, outputs=2, kernel_shape=[2, 2], strides=[2, 2],
         storage_order=_order, expected=_max_pool_at, where=lambda t: "8" not in t["T"])
form("MaxPool", any_(1, 2, 4, 4), since=8, outputs=2, kernel_shape=[2, 2], strides=[2, 2],
     expected=_max_pool_at)
form("GlobalAveragePool GlobalMaxPool", any_(2, 2, 3, 2))


def _lp(n, x, axes, keepdims=True):
    p = float(n.attr("p", 2))
    return np.sum(np.abs(x) ** p, axis=axes, keepdims=keepdims) ** (1 / p)


form("GlobalLpPool", any_(2, 2, 3, 2), p=3.0, until=1, expected=lambda n, x: _lp(n, x, (2, 3)))
form("GlobalLpPool", any_(2, 2, 3, 2), since=2, p=3, expected=lambda n, x: _lp(n, x, (2, 3)))
form("GlobalLpPool", any_(2, 2, 3, 2), expected=lambda n, x: _lp(n, x, (2, 3)))


def _lp_pool(n, x):
    return np.stack([_lp(n, x[..., k:k + 2], -1, False) for k in range(x.shape[-1] - 1)], -1)


form("LpPool", any_(1, 2, 5), kernel_shape=[2], p=3.0, until=1, expected=_lp_pool)
form("LpPool", any_(1, 2, 5), kernel_shape=[2], p=1, since=2, expected=_lp_pool)
form("LpPool", any_(1, 2, 5), kernel_shape=[2], expected=_lp_pool)


def _unpool(n, x, at, shape=None):
    y = np.zeros(16 if shape is None else int(np.prod(shape)))
    y[np.asarray(at, int).reshape(-1)] = x.reshape(-1)
    return y.reshape((1, 1, 4, 4) if shape is None else np.asarray(shape, int))


form("MaxUnpool", positive(1, 1, 2, 2), np.asarray([[[[5, 7], [8, 15]]]]), kernel_shape=[2, 2],
     strides=[2, 2], expected=_unpool)
form("MaxUnpool", positive(1, 1, 2, 2), np.asarray([[[[5, 7], [8, 15]]]]), i(1, 1, 4, 4),
     kernel_shape=[2, 2], strides=[2, 2], expected=_unpool)
form("MaxRoiPool", distinct(1, 1, 4, 4), np.asarray([[0, 0, 0, 3, 3]]), pooled_shape=[2, 2],
     expected=lambda n, x, r: x.reshape(1, 1, 2, 2, 2, 2).max((3, 5)))
for _mode in ("avg", "max"):
    form("RoiAlign", any_(1, 1, 4, 4), np.asarray([[0, 0, 2, 2]]), i(0), output_height=2,
         output_width=2, sampling_ratio=2, mode=_mode, expected=WIDENED, steps=4)

# Normalisations.


def _channels(v, x):
    return v.reshape((-1,) + (1,) * (x.ndim - 2))


def _batch_norm(n, x, scale, bias, mean, var):
    y = (x - _channels(mean, x)) / np.sqrt(_channels(var, x) + n.attr("epsilon", 1e-5))
    return [y * _channels(scale, x) + _channels(bias, x)] + [None] * (n.output_count - 1)


def _batch_norm_training(n, x, scale, bias, mean, var):
    axes = (0, *range(2, x.ndim))
    now_mean, now_var = x.mean(axes), x.var(axes)
    m = n.attr("momentum", 0.9)
    y = _batch_norm(n, x, scale, bias, now_mean, now_var)[0]
    running = [y, mean * m + now_mean * (1 - m), var * m + now_var * (1 - m)]
    return [*running, now_mean, now_var][:n.output_count]


_NORM = (any_(2, 3, 2), positive(3), any_(3), any_(3, start=2), positive(3, start=1))
form("BatchNormalization", *_NORM, since=6, until=6, is_test=1, expected=_batch_norm, steps=4)
form("BatchNormalization", *_NORM, until=1, is_test=1, consumed_inputs=[0, 0, 0, 1, 1],
     expected=_batch_norm, steps=4)
form("BatchNormalization", *_NORM, since=7, expected=_batch_norm, steps=4)
form("BatchNormalization", any_(2, 3, 1, 2), positive(3, 1, 2), any_(3, 1, 2), any_(3, 1, 2),
     positive(3, 1, 2), until=6, since=6, is_test=1, spatial=0, steps=4,
     expected=lambda n, x, s, b, m, v: (x - m) / np.sqrt(v + float(np.float32(1e-5))) * s + b)
form("BatchNormalization", any_(2, 3, 1, 2), positive(3, 1, 2), any_(3, 1, 2), any_(3, 1, 2),
     positive(3, 1, 2), until=7, since=7, spatial=0, steps=4,
     expected=lambda n, x, s, b, m, v: (x - m) / np.sqrt(v + float(np.float32(1e-5))) * s + b)
form("BatchNormalization", *_NORM, since=14, training_mode=1, outputs=3, steps=8,
     expected=_batch_norm_training)
form("BatchNormalization", *_NORM, since=6, until=6, outputs=5, is_test=0, steps=8,
     expected=_batch_norm_training)
form("BatchNormalization", *_NORM, since=7, until=13, outputs=5, expected=_batch_norm_training,
     steps=8)


_EPSILON = float(np.float32(1e-5))


def _normal(x, axes, epsilon=_EPSILON):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


form("InstanceNormalization", any_(2, 3, 4), positive(3), any_(3), steps=8)
form("InstanceNormalization", any_(2, 3, 4), positive(3), any_(3), until=5, steps=8,
     consumed_inputs=[0, 0, 0])


def _group_norm(n, x, scale, bias):
    groups = n.attr("num_groups")
    y = _normal(x.reshape(x.shape[0], groups, -1), (2,)).reshape(x.shape)
    if len(scale) == groups:
        scale, bias = (np.repeat(v, x.shape[1] // groups) for v in (scale, bias))
    return y * _channels(scale, x) + _channels(bias, x)


form("GroupNormalization", any_(2, 4, 3), positive(2), any_(2), until=20, num_groups=2,
     expected=_group_norm, steps=8)
form("GroupNormalization", any_(2, 4, 3), positive(4), any_(4), since=21, num_groups=2,
     expected=_group_norm, steps=8)
form("LayerNormalization", any_(2, 4), positive(4), any_(4), outputs=3, steps=8)
form("LayerNormalization", any_(2, 2, 4), positive(2, 4), axis=1, steps=8)
for _stash in (10, 11, 16):
    form("LayerNormalization", any_(2, 4), positive(4), any_(4), stash_type=_stash, steps=8)
    form("RMSNormalization", any_(2, 4), positive(4), stash_type=_stash, steps=8,
         expected=lambda n, x, scale: _rms(n, x, scale))
    form("SimplifiedLayerNormalization", any_(2, 4), positive(4), stash_type=_stash, steps=8,
         expected=lambda n, x, scale: _rms(n, x, scale))
    form("GroupNormalization", any_(2, 4, 3), positive(4), any_(4), since=21, num_groups=2,
         stash_type=_stash, expected=_group_norm, steps=8)
form("LayerNormalization", any_(2, 4), positive(4), any_(4), outputs=3, stash_type=16, steps=8,
     expected=lambda n, x, s, b: [_normal(x, (1,)) * s + b, None, None],
     where=lambda t: word(t["T"]) == "bfloat16")


def _rms(n, x, scale):
    axes = tuple(range(n.attr("axis", -1) % x.ndim, x.ndim))
    return x / np.sqrt((x * x).mean(axes, keepdims=True) + _EPSILON) * scale


form("RMSNormalization", any_(2, 4), positive(4), expected=_rms, steps=8)
form("RMSNormalization", any_(2, 2, 4), positive(2, 4), axis=1, expected=_rms, steps=8)
form("SimplifiedLayerNormalization", any_(2, 4), positive(4), expected=_rms, steps=8)
form("SimplifiedLayerNormalization", any_(2, 4), positive(4), outputs=2, extra=("U",), steps=8,
     attrs=lambda t: {"stash_type": _number(t["U"])}, expected=lambda n, x, s: [
         _rms(n, x, s), 1 / np.sqrt((x * x).mean(-1, keepdims=True) + _EPSILON)])


def _lp_norm(n, x):
    axis, p = n.attr("axis", -1), n.attr("p", 2)
    size = np.linalg.norm(x, p, axis, keepdims=True)
    return np.where(size == 0, 0, x / np.where(size == 0, 1, size))


form("LpNormalization", any_(2, 3), expected=_lp_norm)
form("LpNormalization", any_(2, 3), axis=0, p=1, expected=_lp_norm)


def _lrn(n, x):
    size = n.attr("size")
    squares = np.zeros_like(x)
    for c in range(x.shape[1]):
        first, last = max(0, c - (size - 1) // 2), min(x.shape[1], c + size // 2 + 1)
        squares[:, c] = (x[:, first:last] ** 2).sum(1)
    return x / (1 + 0.5 / size * squares) ** 0.75


form("LRN", any_(1, 4, 2), size=3, alpha=0.5, expected=_lrn, steps=4)
form("MeanVarianceNormalization", any_(2, 2, 2, 3), steps=8,
     expected=lambda n, x: (x - x.mean((0, 2, 3), keepdims=True))
     / (x.std((0, 2, 3), keepdims=True) + 1e-9))
form("Softmax LogSoftmax", any_(2, 3), steps=4)
form("Softmax LogSoftmax", any_(2, 3, 2), axis=1, steps=4)


def _hardmax(n, x):
    axis = n.attr("axis", 1 if n.opset < 13 else -1)
    flat = x.reshape(int(np.prod(x.shape[:axis])), -1) if n.opset < 13 else x
    at = np.argmax(flat, 1 if n.opset < 13 else axis)
    y = np.moveaxis(np.eye(flat.shape[1 if n.opset < 13 else axis])[at], -1,
                    1 if n.opset < 13 else axis)
    return y.reshape(x.shape)


form("Hardmax", any_(2, 3), expected=_hardmax)
form("Hardmax", any_(2, 3, 2), axis=1, expected=_hardmax)

# Reductions.
_REDUCTIONS = ("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
               "ReduceProd ReduceSum ReduceSumSquare")


def _reduce(n, x, axes=None):
    from op_registry import OPS
    y = x
    if x.dtype.kind in "iu" and n.op_type in ("ReduceMean", "ReduceL2", "ReduceLogSum",
                                              "ReduceLogSumExp"):
        y = x.astype(np.float64)
        y = np.trunc(OPS[("ai.onnx", n.op_type)](n, y, None if axes is None else axes.astype(int)))
        return y.astype(x.dtype)
    if x.dtype.kind == "b":
        y = x.astype(np.int8)
    return OPS[("ai.onnx", n.op_type)](n, y, None if axes is None else axes.astype(int))


# Sums and norms of integers that are whole numbers, where an operator rounds.
_WHOLE = np.asarray([[1.0, 2, 2], [2, 3, 6]])
form(_REDUCTIONS, positive(2, 3), keepdims=1, expected=_reduce, steps=4,
     where=lambda t: "int" not in t["T"])
form(_REDUCTIONS, _WHOLE, expected=_reduce, steps=4)
form(_REDUCTIONS, _WHOLE, axes=[1], keepdims=0, until=12, expected=_reduce, steps=4)
form("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSumSquare", _WHOLE, axes=[-1], keepdims=0, since=13, until=17, expected=_reduce,
     steps=4)
form(_REDUCTIONS, _WHOLE, i(-1), since=18, keepdims=0, expected=_reduce, steps=4)
form("ReduceSum", _WHOLE, i(-1), since=13, keepdims=0, expected=_reduce, steps=4)
form("ArgMax ArgMin", distinct(2, 3))
form("ArgMax ArgMin", distinct(2, 3), axis=1, keepdims=0)
form("ArgMax ArgMin", any_(2, 3), axis=1, select_last_index=1, since=12)

# Recurrent cells: one direction, two, and lengths.
for _cell, _gates, _extra in (("RNN", 1, 0), ("GRU", 3, 0), ("LSTM", 4, 1)):
    _h, _in, _t, _b = 2, 3, 2, 2
    form(_cell, unit(_t, _b, _in), unit(1, _gates * _h, _in, start=1), unit(1, _gates * _h, _h),
         unit(1, 2 * _gates * _h, start=2), hidden_size=_h, outputs=2 + _extra, expected=WIDENED,
         steps=16)
    form(_cell, unit(_t, _b, _in), unit(2, _gates * _h, _in, start=1), unit(2, _gates * _h, _h),
         unit(2, 2 * _gates * _h, start=2), i(2, 1), unit(2, _b, _h), *(
             [unit(2, _b, _h), unit(2, 3 * _h)] if _extra else []), hidden_size=_h,
         direction="bidirectional", outputs=2 + _extra, expected=WIDENED, steps=16)


# Losses.
def _nll(n, x, target, weight=None):
    target = np.asarray(target, int)
    weight = np.ones(x.shape[1]) if weight is None else weight
    picked = -np.take_along_axis(x, target[:, None], 1)[:, 0] * weight[target]
    how = n.attr("reduction", "mean")
    return {"none": picked, "sum": picked.sum(),
            "mean": picked.sum() / weight[target].sum()}[how]


def _cross_entropy(n, x, target, weight=None):
    log = x - x.max(1, keepdims=True)
    log = log - np.log(np.exp(log).sum(1, keepdims=True))
    return [_nll(n, log, target, weight), log]


for _how in ("none", "sum", "mean"):
    form("NegativeLogLikelihoodLoss", any_(2, 3, 2), np.asarray([[0, 2], [1, 0]]), positive(3),
         reduction=_how, expected=_nll, steps=8)
    form("SoftmaxCrossEntropyLoss", any_(2, 3), i(2, 0), positive(3), reduction=_how, outputs=2,
         expected=_cross_entropy, steps=8)

form("Dropout", any_(2, 3), until=6, is_test=1, expected=lambda n, x: [x, None][:n.output_count])
form("Dropout", any_(2, 3), until=1, is_test=1, consumed_inputs=[0], expected=lambda n, x: x)
form("Dropout", any_(2, 3), until=6, is_test=0, outputs=2, expected=TYPES)
form("Dropout", any_(2, 3), since=7, until=9, outputs=2, expected=lambda n, x: [x, np.ones((2, 3))])
form("Dropout", any_(2, 3), since=10, until=11, outputs=2,
     expected=lambda n, x: [x, np.ones((2, 3), bool)])
form("Dropout", any_(2, 3), scalar(0.5), scalar(0), since=12, outputs=2,
     expected=lambda n, x, r, t: [x, np.ones((2, 3), bool)])
form("Dropout", any_(2, 3), scalar(0.5), scalar(1), since=12, outputs=2, expected=TYPES)

# Images.


def _resized(n, x, *rest):
    """Each element twice along the last two axes."""
    return np.repeat(np.repeat(x, 2, -1), 2, -2)


form("Upsample", any_(1, 1, 2, 2), until=1, height_scale=2.0, width_scale=2.0, expected=_resized)
form("Upsample", any_(1, 1, 2, 2), until=1, height_scale=2.0, width_scale=2.0, mode="bilinear",
     expected=WIDENED, where=lambda t: _is_number(t["T"]))
form("Upsample", any_(1, 1, 2, 2), since=7, until=8, scales=[1.0, 1.0, 2.0, 2.0],
     expected=_resized)
form("Upsample", any_(1, 1, 2, 2), since=7, until=8, scales=[1.0, 1.0, 2.0, 2.0], mode="linear",
     expected=WIDENED, where=lambda t: _is_number(t["T"]))
form("Upsample", any_(1, 1, 2, 2), i(1, 1, 2, 2), since=9, expected=_resized)
form("Upsample", any_(1, 1, 2, 2), i(1, 1, 2, 2), since=9, mode="linear",
     expected=WIDENED, where=lambda t: _is_number(t["T"]))


def _is_number(kind):
    return word(kind) not in ("string", "bool", "complex64", "complex128")


form("Resize", any_(1, 1, 2, 2), i(1, 1, 2, 2), until=10, expected=_resized)
form("Resize", any_(1, 1, 2, 2), i(0, 0, 0, 0, 1, 1, 1, 1), i(1, 1, 2, 2), since=11,
     expected=_resized)
form("Resize", any_(1, 1, 2, 2), i(), i(), i(1, 1, 4, 4), since=11, expected=_resized)
form("Resize", any_(1, 1, 2, 2), None, i(1, 1, 2, 2), since=13, expected=_resized)
form("Resize", any_(1, 1, 2, 2), i(0, 0, 0, 0, 1, 1, 1, 1), i(1, 1, 2, 2), since=11, mode="linear",
     coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=1.0,
     expected=WIDENED, where=lambda t: _is_number(t["T1"]))
form("Resize", any_(1, 1, 3, 3), i(), i(1, 1, 2, 2), since=11, mode="cubic", expected=WIDENED,
     where=lambda t: _is_number(t["T1"]))

_GRID = np.asarray([[[[-1.0, -1], [1, 1]], [[0, 0], [-1, 1]]]])
form("GridSample", any_(1, 1, 3, 3), _GRID, since=20, mode="nearest", align_corners=1,
     expected=lambda n, x, g: x.reshape(9)[[0, 8, 4, 6]].reshape(1, 1, 2, 2))
form("GridSample", any_(1, 1, 3, 3), _GRID, until=19, mode="nearest", align_corners=1,
     expected=lambda n, x, g: x.reshape(9)[[0, 8, 4, 6]].reshape(1, 1, 2, 2))
for _mode, _since, _until in (("bilinear", 16, 19), ("bicubic", 16, 19), ("linear", 20, 99),
                              ("cubic", 20, 99)):
    form("GridSample", any_(1, 1, 3, 3), _GRID, since=_since, until=_until, mode=_mode,
         align_corners=1, expected=lambda n, x, g: x.reshape(9)[[0, 8, 4, 6]].reshape(1, 1, 2, 2),
         where=lambda t: _is_number(t["T1"]), steps=8)
form("AffineGrid", np.asarray([[[1.0, 0, 0.5], [0, 2, -0.5]]]), i(1, 1, 2, 2), align_corners=1,
     expected=lambda n, t, s: np.asarray([[[[-0.5, -2.5], [1.5, -2.5]], [[-0.5, 1.5], [1.5, 1.5]]]]))
form("NonMaxSuppression", np.asarray([[[0, 0, 1, 1], [0, 0, 1, 1.0], [2, 2, 3, 3]]]),
     np.asarray([[[0.5, 0.75, 0.25]]]), i(3), scalar(0.5), scalar(0.0),
     expected=lambda n, *x: np.asarray([[0, 0, 1], [0, 0, 2]]))

# Attention.
def _attention(n, q, k, v, mask=None, *_):
    s = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf) if mask.dtype.kind == "b" else s + mask
    e = np.exp(s - s.max(-1, keepdims=True))
    return [e / e.sum(-1, keepdims=True) @ v] + [None] * (n.output_count - 1)


_MASK = np.asarray([[1.0, 0, 2], [1, 2, 0]])
form("Attention", any_(1, 2, 2, 4), any_(1, 2, 3, 4, start=1), any_(1, 2, 3, 2, start=2), _MASK,
     expected=_attention, steps=16)
form("Attention", any_(1, 2, 2, 4), any_(1, 2, 3, 4, start=1), any_(1, 2, 3, 2, start=2),
     _MASK[:, :1].repeat(4, 1) + 1, any_(1, 2, 1, 4), any_(1, 2, 1, 2), outputs=3, steps=16,
     expected=WIDENED, where=lambda t: True)
form("Attention", any_(1, 2, 2, 4), any_(1, 2, 3, 4, start=1), any_(1, 2, 3, 2, start=2), _MASK,
     None, None, i(3), since=24, expected=_attention, steps=16)
form("RotaryEmbedding", any_(1, 2, 2, 4), unit(3, 2), unit(3, 2, start=1), np.asarray([[0, 2]]),
     expected=lambda n, x, c, s, p: _rotated(x, c[[0, 2]], s[[0, 2]]), steps=4)


def _rotated(x, c, s):
    a, b = x[..., :2], x[..., 2:]
    return np.concatenate([a * c - b * s, b * c + a * s], -1)


form("LinearAttention", any_(1, 2, 4), any_(1, 2, 4, start=1), any_(1, 2, 4, start=2),
     any_(1, 2, 2, 2), unit(1, 2, 4) * 0, unit(1, 2, 2), q_num_heads=2, kv_num_heads=2, outputs=2,
     update_rule="gated_delta", expected=WIDENED, steps=16)
form("FlexAttention", any_(1, 2, 2, 4), any_(1, 2, 3, 4, start=1), any_(1, 2, 3, 4, start=2),
     domain="ai.onnx.preview", expected=_attention, steps=16)
