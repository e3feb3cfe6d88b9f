# SPDX-License-Identifier: MIT
"""Operators of com.microsoft in numpy, plainly: functions of the attributes and the inputs, that
give the outputs. Inputs that are left out are None."""

import numpy as np

from microsoft_registry import (OPERATORS, complex_of, like, operator, parts, quantised, scaled,
                                sigmoid, softmax)
from ops_microsoft_images import NhwcConv
import ops_microsoft_attention  # enters its operators

# --- Element by element.

@operator
def SampleOp(a, x):
    return [x]


@operator
def Trilu(a, x, k=None):
    f = np.triu if a.get("upper", 1) else np.tril
    return [f(x, 0 if k is None else int(k))]


@operator
def Unique(a, x):
    _, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True,
                                          return_counts=True)
    order = np.argsort(first)
    place = np.argsort(order)
    return [x[first[order]], place[inverse], counts[order]]


@operator
def ExpandDims(a, x, axis):
    return [np.expand_dims(x, int(axis))]


@operator
def GatherND(a, x, indices):
    return [x[tuple(np.moveaxis(indices, -1, 0))]]


@operator
def Range(a, start, limit, delta=None):
    step = 1 if delta is None else delta.item()
    return [np.arange(start.item(), limit.item(), step).astype(start.dtype)]


@operator
def Pad(a, x, pads, value=None):
    pads = pads.reshape(2, -1).T
    if a.get("mode", "constant") != "constant":
        return [np.pad(x, pads, mode=a["mode"])]
    return [np.pad(x, pads, constant_values=0 if value is None else value.item())]


@operator
def TorchEmbedding(a, weight, indices):
    return [weight[indices]]


@operator
def MulInteger(a, x, x_zero, y, y_zero):
    return [((x.astype(np.int32) - np.int32(x_zero)) *
             (y.astype(np.int32) - np.int32(y_zero))).astype(np.int32)]


@operator
def MatMulInteger16(a, x, y):
    to = np.uint32 if x.dtype == y.dtype == np.uint16 else np.int32
    return [x.astype(to) @ y.astype(to)]


@operator
def ReduceSumInteger(a, x):
    to = np.uint32 if x.dtype == np.uint8 else np.int32
    return [x.astype(to).sum(tuple(a["axes"]), keepdims=bool(a["keepdims"])).astype(to)]


@operator
def ComplexMul(a, x, y):
    return [parts(complex_of(x) * complex_of(y), x.dtype)]


@operator
def ComplexMulConj(a, x, y):
    return [parts(complex_of(x) * np.conj(complex_of(y)), x.dtype)]


@operator
def GatedAdd(a, x, y, gate):
    return [x + y * gate]


@operator
def GatedRMSNorm(a, x, scale, gate):
    rows = x.astype(np.float32).reshape(-1, scale.size)
    rows = rows / np.sqrt((rows * rows).mean(-1, keepdims=True) + a["epsilon"])
    gate = gate.astype(np.float32)
    return [like((rows * scale).reshape(x.shape) * gate * sigmoid(gate), x)]


@operator
def LinearAttentionGate(a, x, bias, scale, b):
    return [like(scale * np.log1p(np.exp(x + bias)), x), like(sigmoid(b), x)]


@operator
def GemmaRotaryEmbedding(a, emb, q, q_turned, k, k_turned):
    cos, sin = np.cos(emb).astype(q.dtype)[:, None], np.sin(emb).astype(q.dtype)[:, None]
    return [q * cos + q_turned * sin, k * cos + k_turned * sin]


@operator
def BiasSoftmax(a, x, bias):
    rows = (x + bias).reshape(int(np.prod(x.shape[:a["axis"]])), -1)
    return [softmax(rows).reshape(x.shape)]


@operator
def BiasDropout(a, x, bias, residual):
    return [x + bias + residual, np.ones(x.shape, bool)]


@operator
def BitmaskDropout(a, x):
    bits = np.zeros((x.size + 31) // 32 * 32, np.uint8)
    bits[:x.size] = 1
    return [x, np.packbits(bits, bitorder="little").view(np.uint32)]


@operator
def FusedMatMulActivation(a, x, y):
    y = y.T if a.get("transB") else y
    return [np.maximum(like(a.get("alpha", 1) * (x @ y), x), 0)]


# --- Quantised.

@operator
def QLinearConv(a, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, b):
    x = x if a["channels_last"] else np.moveaxis(x, 1, -1)
    y = NhwcConv(a, scaled(x, x_scale, x_zero), scaled(w, w_scale, w_zero),
                 b * np.float64(x_scale) * w_scale)[0]
    y = quantised(y, y_scale, y_zero)
    return [y if a["channels_last"] else np.moveaxis(y, -1, 1)]


@operator
def QLinearAveragePool(a, x, x_scale, x_zero, y_scale, y_zero):
    (p, q), x = a["kernel_shape"], scaled(x, x_scale, x_zero)
    h, w = x.shape[1] - p + 1, x.shape[2] - q + 1
    windows = [x[:, i:i + h, j:j + w] for i in range(p) for j in range(q)]
    return [quantised(np.mean(windows, 0), y_scale, y_zero)]


@operator
def QEmbedLayerNormalization(a, ids, segments, *rest):
    words, places, parts_, gamma, beta = (
        scaled(rest[i], rest[i + 6], rest[i + 11]) for i in range(5))
    mask = rest[5]
    x = words[ids] + places[:ids.shape[1]] + parts_[segments]
    x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(-1, keepdims=True) + a["epsilon"]) * gamma + beta
    return [x.astype(np.float32), mask.argmin(1).astype(np.int32)]


@operator
def QLinearReduceMean(a, x, scale, zero, y_scale, y_zero):
    mean = scaled(x, scale, zero).mean(tuple(a["axes"]), keepdims=bool(a["keepdims"]))
    return [quantised(mean, y_scale, y_zero)]


FLOAT4 = np.array([0, 0.005208333333, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25])
NORMAL4 = np.array([
    -1, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.09105004, 0, 0.0795803,
    0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1])


@operator
def MatMulBnb4(a, x, codes, scales):
    table = NORMAL4 if a["quant_type"] else np.concatenate([FLOAT4, -FLOAT4])
    codes = np.stack([codes >> 4, codes & 15], -1).ravel()
    w = table[codes] * np.repeat(scales, a["block_size"])[:codes.size]
    w = w.reshape(a["N"], a["K"])
    return [like(x @ (w.T if a.get("transB", 1) else w), x)]


# --- Tokens.

@operator
def RemovePadding(a, x, counts):
    places = np.arange(x.shape[0] * x.shape[1]).reshape(x.shape[:2])
    is_token = np.arange(x.shape[1])[None] < counts[:, None]
    order = np.concatenate([places[is_token], places[~is_token]]).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return [x[is_token], order.reshape(x.shape[:2]), starts, counts.max(keepdims=True)]


@operator
def RestorePadding(a, x, places):
    y = np.zeros((places.size, x.shape[1]), x.dtype)
    y[places.ravel()[:len(x)]] = x
    return [y.reshape(*places.shape, -1)]


@operator
def UnfoldTensor(a, x):
    windows = np.lib.stride_tricks.sliding_window_view(x, a["size"], a["dim"])
    places = [slice(None)] * x.ndim
    places[a["dim"]] = slice(None, None, a["step"])
    return [windows[tuple(places)]]


@operator
def NGramRepeatBlock(a, ids, scores):
    y, n = scores.copy(), a["ngram_size"]
    for row, tokens in zip(y, ids.tolist()):
        for i in range(len(tokens) - n + 1):
            if tokens[i:i + n - 1] == tokens[len(tokens) - n + 1:]:
                row[tokens[i + n - 1]] = -np.inf
    return [y]


@operator
def WordConvEmbedding(a, words, w, b, characters):
    y = np.zeros((len(words), len(w)), np.float32)
    window = w.shape[2]
    for row, word in zip(y, words):
        n = int((word > 0).sum()) if word[0] > 0 else 0
        places = [np.tanh((w[:, 0] * characters[word[t:t + window]]).sum((1, 2)) + b)
                  for t in range(max(n, window) - window + 1)]
        row[:] = np.max(places, 0) if n else 0
    return [y]


@operator
def DynamicTimeWarping(a, costs):
    """Only what every cheapest path has in common is certain: its cost, checked by the caller."""
    total = np.full((costs.shape[0] + 1, costs.shape[1] + 1), np.inf)
    total[0, 0] = 0
    for i, row in enumerate(costs):
        for j, cost in enumerate(row):
            total[i + 1, j + 1] = cost + min(total[i, j], total[i, j + 1], total[i + 1, j])
    path, i, j = [], *costs.shape
    while i and j:
        path.append((i - 1, j - 1))
        ways = [(total[i - 1, j - 1], i - 1, j - 1), (total[i - 1, j], i - 1, j),
                (total[i, j - 1], i, j - 1)]
        _, i, j = min(ways)
    return [np.array(path[::-1], np.int32).T]


@operator
def BifurcationDetector(a, source, tokens, start, predicted):
    rest, n = source[int(start[0]):], 0
    while n < len(rest) and rest[n] == predicted[n]:
        n += 1
    tokens = np.concatenate([tokens, predicted[:n + 1]])
    place = -1
    for n in range(a["min_ngram_size"], a["max_ngram_size"] + 1):
        found = [i for i in range(len(source) - n + 1) if list(source[i:i + n]) ==
                 list(tokens[-n:])]
        if n > len(tokens) or not found:
            break
        place = found[0] + n
        if place >= len(source):
            break
        place = place if len(found) == 1 else -1
    return [tokens, np.array([place])]


@operator
def CausalConvWithState(a, x, w, b, past):
    whole = np.concatenate([past, x], 2)
    n = w.shape[2]
    y = sum(whole[:, :, i:i + x.shape[2]] * w[:, 0, i, None] for i in range(n)) + b[:, None]
    y = y * sigmoid(y) if a["activation"] == "silu" else y
    return [y, whole[:, :, whole.shape[2] - n + 1:]]


# --- Matrices, hashes, crops, experts.

@operator
def Inverse(a, x):
    return [np.linalg.inv(x)]


@operator
def CDist(a, x, y):
    square = ((x[:, None].astype(np.float64) - y[None]) ** 2).sum(-1)
    return [like(square if a["metric"] == "sqeuclidean" else np.sqrt(square), x)]


def murmur(data, seed):
    mask = 0xffffffff

    def turn(x, r):
        return (x << r | x >> (32 - r)) & mask

    def mixed(k):
        return turn(k * 0xcc9e2d51 & mask, 15) * 0x1b873593 & mask

    h = seed
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        h = turn(h ^ mixed(int.from_bytes(data[i:i + 4], "little")), 13) * 5 + 0xe6546b64 & mask
    if whole < len(data):
        h ^= mixed(int.from_bytes(data[whole:], "little"))
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85ebca6b & mask
    h = (h ^ h >> 13) * 0xc2b2ae35 & mask
    return h ^ h >> 16


@operator
def MurmurHash3(a, x):
    hashes = np.array([murmur(value.tobytes(), a["seed"]) for value in x.ravel()], np.uint32)
    return [hashes.view(np.uint32 if a["positive"] else np.int32).reshape(x.shape)]


@operator
def CropAndResize(a, x, rois, batches, size):
    y = np.empty((len(rois), x.shape[1], *size), x.dtype)
    for n, (top, left, low, right) in enumerate(rois):
        rows = np.linspace(top, low, size[0]) if size[0] > 1 else [(top + low) / 2]
        columns = np.linspace(left, right, size[1]) if size[1] > 1 else [(left + right) / 2]
        for i, row in enumerate(np.multiply(rows, x.shape[2] - 1)):
            for j, column in enumerate(np.multiply(columns, x.shape[3] - 1)):
                inside = 0 <= row <= x.shape[2] - 1 and 0 <= column <= x.shape[3] - 1
                image = x[batches[n]]
                if not inside:
                    y[n, :, i, j] = a["extrapolation_value"]
                    continue
                r, c = int(row), int(column)
                r2, c2 = int(np.ceil(row)), int(np.ceil(column))
                upper = image[:, r, c] + (image[:, r, c2] - image[:, r, c]) * (column - c)
                lower = image[:, r2, c] + (image[:, r2, c2] - image[:, r2, c]) * (column - c)
                y[n, :, i, j] = upper + (lower - upper) * (row - r)
    return [y]


ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x * sigmoid(x), "identity": lambda x: x,
    "gelu": lambda x: x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x ** 3))) / 2}


def swiglu(a, gate, linear):
    limit = a.get("swiglu_limit", np.inf)
    gate, linear = np.minimum(gate, limit), np.clip(linear, -limit, limit)
    return gate * sigmoid(a["activation_alpha"] * gate) * (linear + a["activation_beta"])


@operator
def MoE(a, x, router, w1, b1, w2, b2, w3=None, b3=None):
    y = np.zeros(x.shape, np.float64)
    weights = softmax(router)
    for t, row in enumerate(x.reshape(-1, x.shape[-1])):
        chosen = np.argsort(-weights[t])[:a["k"]]
        total = weights[t][chosen].sum() if a.get("normalize_routing_weights") else 1
        for e in chosen:
            inner = w1[e] @ row + b1[e]
            if a["activation_type"] != "swiglu":
                inner = ACTIVATIONS[a["activation_type"]](inner)
            elif a["swiglu_fusion"] == 0:
                inner = swiglu(a, inner, w3[e] @ row + b3[e])
            elif a["swiglu_fusion"] == 1:
                inner = swiglu(a, inner[::2], inner[1::2])
            else:
                inner = swiglu(a, *np.split(inner, 2))
            y.reshape(-1, x.shape[-1])[t] += weights[t][e] / total * (w2[e] @ inner + b2[e])
    return [like(y, x)]


def codes_of(x, bits):
    return np.stack([x >> (bits * i) & ((1 << bits) - 1) for i in range(8 // bits)], -1).reshape(
        *x.shape[:-1], -1)


def decoded(a, weights, scales, zeros):
    bits = a["expert_weight_bits"]
    codes = codes_of(weights, bits).astype(np.float64)
    scales = scales.reshape(*codes.shape[:2], -1)
    if zeros is None:
        zeros = 1 << (bits - 1)
    elif zeros.ndim == 3:  # the codes of a row are filled up to whole bytes
        zeros = codes_of(zeros, bits)[..., :scales.shape[2]]
    else:
        zeros = codes_of(zeros, bits).reshape(scales.shape)
    centres = np.broadcast_to(zeros, scales.shape)
    count = codes.shape[2] // scales.shape[2]
    return (codes - np.repeat(centres, count, 2)) * np.repeat(scales, count, 2)


@operator
def QMoE(a, x, router, w1, s1, b1, w2, s2, b2, *rest):
    z1, z2 = rest[3:5] if rest else (None, None)
    return MoE(a, x, router, decoded(a, w1, s1, z1), b1, decoded(a, w2, s2, z2), b2)


# --- Weights of few bits.

def numbers(x, bits):
    """Of 2, 4 or 8 bits along the last axis, low bits first."""
    return np.stack([x >> i & ((1 << bits) - 1) for i in range(0, 8, bits)], -1).reshape(
        *x.shape[:-1], -1).astype(np.float64)


@operator
def MatMulNBits(a, x, q, scale, zero=None, groups=None, bias=None):
    """Activations stay as they are at any accuracy level."""
    bits, k, n, block = a.get("bits", 4), a["K"], a["N"], a["block_size"]
    blocks = -(-k // block)
    codes = numbers(q.reshape(n, -1), bits)[:, :k]
    if zero is None:
        zero = np.full((n, blocks), 1 << (bits - 1))
    elif zero.dtype == np.uint8:
        zero = numbers(zero.reshape(n, -1), bits)[:, :blocks]
    group = np.arange(k) // block if groups is None else groups[:k]
    scale, zero = (t.reshape(n, blocks).astype(np.float64)[:, group] for t in (scale, zero))
    y = x.astype(np.float64) @ ((codes - zero) * scale).T
    return [like(y if bias is None else y + bias, x)]
