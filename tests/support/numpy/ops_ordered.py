# SPDX-License-Identifier: MIT
"""More operators of com.microsoft in numpy: int8 matrices in an order of cuBLASLt's, of which
0 is column after column and 1 row after row, DynamicQuantizeLSTM, IsAllFinite,
SparseAttention and MaxpoolWithMask."""

import numpy as np
from math import erf

from ops_microsoft import operator, sigmoid

COLUMNS, ROWS = 0, 1


def reordered(x, source, target):
    """The same dims, the bytes in the other order."""
    if source == target:
        return x
    turned = np.ascontiguousarray(x.swapaxes(-1, -2))
    if target == COLUMNS:
        return turned.reshape(x.shape)
    dims = x.shape[:-2] + (x.shape[-1], x.shape[-2])
    return np.ascontiguousarray(x.reshape(dims).swapaxes(-1, -2))


def rounded(x, scale):
    return np.clip(np.rint(x / scale), -128, 127).astype(np.int8)


@operator
def QuantizeWithOrder(a, x, scale):
    x = x.astype(np.float32)
    return [reordered(rounded(x, scale), a["order_input"], a["order_output"])]


@operator
def DequantizeWithOrder(a, x, scale):
    dtype = {1: np.float32, 10: np.float16}[a["to"]]
    return [(reordered(x, a["order_input"], a["order_output"]) * scale).astype(dtype)]


@operator
def QOrderedGelu(a, x, scale, y_scale):
    v = x.astype(np.float64) * scale
    return [rounded(v * 0.5 * (1 + np.vectorize(erf)(v / 2 ** 0.5)), y_scale)]


@operator
def QOrderedLayerNormalization(a, x, scale, gamma, bias, y_scale):
    v = x.astype(np.float64) * scale
    v = (v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + a["epsilon"])
    return [rounded(v * gamma + (0 if bias is None else bias), y_scale)]


@operator
def QOrderedMatMul(a, x, x_scale, w, w_scale, y_scale, bias=None, c=None, c_scale=None):
    w = reordered(w, COLUMNS, ROWS).astype(np.float64) * w_scale
    y = x.astype(np.float64) * x_scale @ w
    return [rounded(y + (0 if c is None else c * c_scale), y_scale)]


@operator
def IsAllFinite(a, *inputs):
    nan = any(np.isnan(x).any() for x in inputs) and not a.get("isinf_only")
    inf = any(np.isinf(x).any() for x in inputs) and not a.get("isnan_only")
    return [np.array(not nan and not inf)]


def dequantised(w, scale, zero):
    scale, zero = [np.reshape(v, (len(w), 1, -1)) for v in (scale, zero)]
    return (w.astype(np.float32) - zero.astype(np.float32)) * scale


@operator
def DynamicQuantizeLSTM(a, x, w, r, b, lens, h0, c0, p, *scales):
    w, r = dequantised(w, *scales[:2]), dequantised(r, *scales[2:])
    hidden, steps, directions = a["hidden_size"], len(x), len(w)
    y = np.zeros((steps, directions, x.shape[1], hidden), np.float32)
    last = []
    for d in range(directions):
        h = c = np.zeros((x.shape[1], hidden), np.float32)
        order = range(steps) if d == 0 else reversed(range(steps))
        for t in order:
            gates = x[t] @ w[d] + h @ r[d] + sum(np.split(b[d], 2))
            i, o, f, g = np.split(gates, 4, axis=-1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = (sigmoid(o) * np.tanh(c)).astype(np.float32)
            y[t, d] = h
        last.append((h, c.astype(np.float32)))
    return [y, np.stack([h for h, _ in last]), np.stack([c for _, c in last])]


def turned(x, cos, sin, alternates):
    """x [tokens, heads, size] by the angles of its tokens."""
    half, y = cos.shape[-1], x.copy()
    first = slice(0, 2 * half, 2) if alternates else slice(0, half)
    second = slice(1, 2 * half, 2) if alternates else slice(half, 2 * half)
    cos, sin = cos[:, None], sin[:, None]
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., first] * sin + x[..., second] * cos
    return y


@operator
def SparseAttention(a, q, k, v, past_k, past_v, rows, columns, total, lengths, cos=None, sin=None):
    heads, key_heads, block = a["num_heads"], a["kv_num_heads"], a["sparse_block_size"]
    batch, tokens, size = len(q), q.shape[1], past_k.shape[3]
    if k is None:
        q, k, v = np.split(q, [heads * size, (heads + key_heads) * size], axis=-1)
    present_k, present_v = past_k.copy(), past_v.copy()
    y = np.zeros((batch, tokens, heads, size), np.float32)
    for b in range(batch):
        start = 0 if total[0] == tokens else lengths[b] - tokens
        places = np.arange(start, start + tokens)
        own = q[b].reshape(tokens, heads, size)
        new_k, new_v = [x[b].reshape(tokens, key_heads, size) for x in (k, v)]
        if a.get("do_rotary"):
            angles = cos[places], sin[places], a.get("rotary_interleaved", 0)
            own, new_k = turned(own, *angles), turned(new_k, *angles)
        present_k[b, :, places], present_v[b, :, places] = new_k, new_v
        for h in range(heads):
            layout = h % len(rows)
            for t, place in enumerate(places):
                row = place // block
                seen = columns[layout, rows[layout, row]:rows[layout, row + 1]]
                keys = np.arange(place + 1)
                keys = keys[np.isin(keys // block, seen)]
                cache = h * key_heads // heads
                scores = present_k[b, cache, keys] @ own[t, h] * size ** -0.5
                weights = np.exp(scores - scores.max())
                y[b, t, h] = weights / weights.sum() @ present_v[b, cache, keys]
    return [y.reshape(batch, tokens, -1), present_k, present_v]


@operator
def MaxpoolWithMask(a, x, mask):
    kernel, rank = a["kernel_shape"], x.ndim - 2
    strides, pads = a.get("strides", [1] * rank), a.get("pads", [0] * 2 * rank)
    shape = x.shape[2:]
    out = [(n + pads[i] + pads[i + rank] - kernel[i]) // strides[i] + 1
           for i, n in enumerate(shape)]
    planes, size = x.shape[0] * x.shape[1], int(np.prod(shape))
    flags, masks = mask.ravel(), mask.shape[0] * mask.shape[1]
    y = np.full([planes] + out, np.finfo(np.float32).min, np.float32)
    for plane, values in enumerate(x.reshape(planes, size)):
        own = flags[plane * size % masks:]
        for place in np.ndindex(*out):
            starts = [p * s - b for p, s, b in zip(place, strides, pads)]
            ranges = [range(max(0, s), min(s + k, n)) for s, k, n in zip(starts, kernel, shape)]
            for line in np.ndindex(*map(len, ranges[:-1])):
                lead = [r[i] for r, i in zip(ranges, line)]
                for last in ranges[-1]:
                    at = int(np.ravel_multi_index(lead + [last], shape))
                    if own[at] == 0 and (at > 0 or rank == 1):
                        break
                    y[(plane, *place)] = max(y[(plane, *place)], values[at])
    return [y.reshape(x.shape[:2] + tuple(out))]
