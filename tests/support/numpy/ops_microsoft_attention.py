# SPDX-License-Identifier: MIT
"""Attention of com.microsoft in numpy, plainly, and what goes with it: turned heads, biases of
places, states."""

import numpy as np

from microsoft_registry import like, operator, scaled, sigmoid, softmax


def attention(q, k, v, scale, bias=0):
    return softmax(q @ np.swapaxes(k, -1, -2) * scale + bias) @ v


def heads_of(x, heads):
    return np.swapaxes(x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads), -2, -3)


@operator
def QAttention(a, x, w, bias, x_scale, w_scale, mask, x_zero, w_zero):
    hidden = scaled(x, x_scale, x_zero) @ scaled(w, w_scale, w_zero) + bias
    q, k, v = (heads_of(part, a["num_heads"]) for part in np.split(hidden, 3, -1))
    y = attention(q, k, v, 1 / np.sqrt(q.shape[-1]))
    return [like(np.swapaxes(y, 1, 2).reshape(x.shape[0], x.shape[1], -1), bias)]


def packed_attention(heads, scale, q, k, v, starts, bias):
    y = np.zeros((len(q), heads, v.shape[-1] // heads), q.dtype)
    for b, (first, last) in enumerate(zip(starts, starts[1:])):
        n = last - first
        extra = 0
        if bias is not None:
            extra = np.broadcast_to(bias, (len(starts) - 1, heads) + bias.shape[2:])[b, :, :n, :n]
        part = [heads_of(x[first:last], heads) for x in (q, k, v)]
        y[first:last] = np.swapaxes(attention(*part, scale, extra), 0, 1)
    return y.reshape(len(q), -1)


@operator
def PackedMultiHeadAttention(a, q, k, v, bias, offsets, starts, scores=None):
    heads = a["num_heads"]
    if q.ndim == 4:
        q, k, v = (q[:, :, i].reshape(len(q), -1) for i in range(3))
    if bias is not None:
        n = q.shape[1]
        q, k, v = q + bias[:n], k + bias[n:2 * n], v + bias[2 * n:]
    scale = a.get("scale", 1 / np.sqrt(q.shape[1] // heads))
    return [packed_attention(heads, scale, q, k, v, starts, scores)]


@operator
def PackedAttention(a, x, w, bias, offsets, starts):
    q, k, v = np.split(x @ w + bias, 3, -1)
    scale = 1 / np.sqrt(q.shape[1] // a["num_heads"])
    return [packed_attention(a["num_heads"], scale, q, k, v, starts, None)]


@operator
def GatedRelativePositionBias(a, q, q_bias, places, w, b, eco):
    gates = heads_of(q + q_bias, a["num_heads"]) @ w + b
    gates = sigmoid(gates.reshape(*gates.shape[:-1], 2, -1).sum(-1))
    return [like((gates[..., :1] * (gates[..., 1:] * eco - 1) + 2) * places, q)]


@operator
def RelativePositionBias(a, table, queries, keys):
    buckets = len(table)
    distance = np.arange(int(keys))[None] - np.arange(int(queries))[:, None]
    first = np.zeros_like(distance)
    if a["is_bidirectional"]:
        buckets //= 2
        first = (distance > 0) * buckets
        distance = abs(distance)
    else:
        distance = np.maximum(-distance, 0)
    exact = buckets // 2
    ratio = np.log(np.maximum(distance, 1).astype(np.float32) / np.float32(exact)) / np.log(
        np.float32(a["max_distance"] / exact))
    wide = np.minimum(exact + (ratio * (buckets - exact)).astype(int), buckets - 1)
    bucket = first + np.where(distance < exact, distance, wide)
    return [table.reshape(table.shape[1], -1)[:, bucket][None]]


def shared_rows(past, new, length, beams):
    """The buffer with the new rows, and for each sequence the rows that count for it."""
    present = past.copy()
    present[:, :, length:length + new.shape[2]] = new
    seen = np.concatenate([past[:, :, :length], new], 2)
    for b, (batch, beam) in enumerate(np.ndindex(beams.shape[:2]) if beams is not None else ()):
        for k in range(length):
            seen[b, :, k] = past[batch * beams.shape[1] + beams[batch, beam, k], :, k]
    return present, seen


def cached_attention(heads, q, k, v, mask, bias, past_k, past_v, length, beams):
    """Attention over a cache, its present, and scores before softmax."""
    q = heads_of(q, heads)
    if k.ndim == 3:
        k, v = heads_of(k, heads), heads_of(v, heads)
    present = [k, v]
    if past_k is not None and length is None:
        present = [k, v] = [np.concatenate(x, 2) for x in ((past_k, k), (past_v, v))]
    elif past_k is not None:
        (past_k, k), (past_v, v) = (shared_rows(past, x, int(length), beams)
                                    for past, x in ((past_k, k), (past_v, v)))
        present = [past_k, past_v]
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    scores = scores + (0 if bias is None else bias)
    if mask is not None:
        scores = scores + np.where(mask[:, None, None] > 0, 0, -10000.0)
    y = np.swapaxes(softmax(scores) @ v, 1, 2)
    return [like(y.reshape(*y.shape[:2], -1), q), *present, like(scores, q)]


@operator
def DecoderMaskedMultiHeadAttention(a, q, k, v, mask=None, bias=None, past_k=None, past_v=None,
                                    length=None, width=None, beams=None, qkv_bias=None):
    if k is None:
        q, k, v = np.split(q, 3, -1)
    if qkv_bias is not None:
        n = q.shape[2]
        q, k, v = q + qkv_bias[:n], k + qkv_bias[n:2 * n], v + qkv_bias[2 * n:]
    length = length if a.get("past_present_share_buffer") else None
    outputs = cached_attention(a["num_heads"], q, k, v, mask, bias, past_k, past_v, length, beams)
    return outputs[:4 if a.get("output_qk") else 3 if past_k is not None else 1]


@operator
def Attention(a, x, w, bias, mask, past, scores, length):
    q, k, v = np.split(x @ w + bias, 3, -1)
    y, k, v, _ = cached_attention(a["num_heads"], q, k, v, mask, scores, *past, length, None)
    return [y, np.stack([k, v])]


@operator
def MultiHeadAttention(a, q, k, v, qkv_bias, mask, bias, past_k, past_v, length, beams=None):
    return cached_attention(a["num_heads"], q, k, v, mask, bias, past_k, past_v, length, beams)


@operator
def MRotaryEmbedding(a, x, places, cos, sin):
    t, h, w = a["mrope_section"]
    half = t + h + w
    stream = np.repeat([0, 1, 2], [t, h, w])
    if a["mrope_layout"]:
        stream = np.zeros(half, int)
        stream[1:3 * h:3] = 1
        stream[2:3 * w:3] = 2
    cos, sin = (np.stack([cache[places[s], i] for i, s in enumerate(stream)], -1)[:, :, None]
                for cache in (cos, sin))
    y = x.reshape(*x.shape[:2], -1, 2 * half)
    if a["interleaved"]:
        real, imaginary = y[..., ::2], y[..., 1::2]
        turned = np.stack([real * cos - imaginary * sin, real * sin + imaginary * cos], -1)
    else:
        real, imaginary = y[..., :half], y[..., half:]
        turned = np.concatenate([real * cos - imaginary * sin, real * sin + imaginary * cos], -1)
    return [turned.reshape(x.shape)]


@operator
def LinearAttention(a, q, k, v, past, decay, beta):
    n = a["kv_num_heads"]
    q, k, v = (heads_of(x, n) for x in (q, k, v))
    state, rows = past.astype(np.float64), []
    for t in range(q.shape[2]):
        if decay is not None:
            state = state * np.exp(decay[:, t])[:, :, None, None]
        value = v[:, :, t]
        if beta is not None:
            read = np.einsum("bhkv,bhk->bhv", state, k[:, :, t])
            value = beta[:, t][:, :, None] * (value - read)
        state = state + k[:, :, t, :, None] * value[:, :, None]
        rows.append(np.einsum("bhkv,bhk->bhv", state, q[:, :, t]) / np.sqrt(q.shape[-1]))
    y = np.stack(rows, 1).reshape(len(q), len(rows), -1)
    return [like(y, q), like(state, q)]


# --- GroupQueryAttention.

GROUP_INPUTS = ("query", "key", "value", "past_key", "past_value", "seqlens_k",
                "total_sequence_length", "cos_cache", "sin_cache", "position_ids", "attention_bias",
                "head_sink", "k_scale", "v_scale", "q_norm_weight", "k_norm_weight")


def turned(x, cos, sin, interleaved):
    """Heads [heads, tokens, size] by angles [tokens, half]."""
    half, y = cos.shape[-1], x.copy()
    first, second = ((slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else
                     (slice(0, half), slice(half, 2 * half)))
    y[..., first] = cos * x[..., first] - sin * x[..., second]
    y[..., second] = sin * x[..., first] + cos * x[..., second]
    return y


def normalised(x, weight, epsilon):
    wide = x.astype(np.float64)
    return like(wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + epsilon) * weight, x)


def integers_of(x, scale, bits):
    """Rows of a cache: int8, or two numbers + 8 in a byte, the even one in the low half."""
    lowest = -(1 << (bits - 1))
    inverse = (np.float32(1) / scale).astype(np.float32)
    q = np.clip(np.rint(x.astype(np.float32) * inverse), lowest, -lowest - 1).astype(int)
    if bits == 8:
        return q.astype(np.int8)
    q = np.concatenate([q, np.zeros((*q.shape[:-1], q.shape[-1] % 2), int)], -1) + 8
    return (q[..., ::2] | q[..., 1::2] << 4).astype(np.uint8)


def floats_of(rows, scale, bits, size):
    if bits == 4:
        rows = np.stack([rows & 15, rows >> 4], -1).reshape(*rows.shape[:-1], -1)[..., :size]
        rows = rows.astype(np.float64) - 8
    return rows * scale.astype(np.float64)


def sliding_rows(capacity, window, length):
    """Rows in use of a cache that lets go of capacity - window + 1 rows at once."""
    gap = capacity - window + 1
    return length if length <= capacity else length - -(-(length - capacity) // gap) * gap


class Group:
    """One node; `numbers` are its inputs by name."""

    def __init__(self, a, numbers):
        self.a, self.x = a, numbers
        self.heads, self.kv_heads = a["num_heads"], a["kv_num_heads"]
        self.bits = a.get("kv_cache_bit_width", 32)
        self.window = a.get("local_window_size", -1)
        self.slides = a.get("sliding_window_cache", 0)
        q, k, v = (numbers[name] for name in GROUP_INPUTS[:3])
        if k is None:
            size = q.shape[2] // (self.heads + 2 * self.kv_heads)
            q, k, v = np.split(q, [self.heads * size, (self.heads + self.kv_heads) * size], -1)
        self.q, self.k, self.v = heads_of(q, self.heads), heads_of(k, self.kv_heads), heads_of(
            v, self.kv_heads)
        self.size, self.queries = self.q.shape[3], self.q.shape[2]
        self.total = int(numbers["total_sequence_length"].item())
        self.is_prompt = self.queries == self.total

    def scale(self, name, head):
        scale = self.x[name]
        return scale.ravel() if scale.size == 1 else scale.reshape(self.kv_heads, -1)[head]

    def before(self, b):
        return 0 if self.is_prompt else int(self.x["seqlens_k"][b]) + 1 - self.queries

    def dressed(self, x, b, weight):
        if self.x[weight] is not None:
            x = normalised(x, self.x[weight], self.a.get("qk_norm_epsilon", 1e-6))
        if not self.a.get("do_rotary"):
            return x
        places = self.before(b) + np.arange(self.queries)
        if self.x["position_ids"] is not None:
            ids = self.x["position_ids"]
            places = ids[0, 0] + np.arange(self.queries) if self.is_prompt else ids[b]
        return turned(x, self.x["cos_cache"][places], self.x["sin_cache"][places],
                      self.a.get("rotary_interleaved", 0))

    def cache(self, past, added, scale):
        """Rows of each entry and head: all that queries see, and those that stay."""
        x = self.x[past]
        length = 0 if x is None else x.shape[2]
        width = (self.size + 1) // 2 if self.bits == 4 else self.size
        dtype = {32: added.dtype, 8: np.int8, 4: np.uint8}[self.bits]
        rows = length if self.slides else max(length, self.total)
        present, seen = np.zeros((len(added), self.kv_heads, rows, width), dtype), {}
        for b, h in np.ndindex(present.shape[:2]):
            before, new = self.before(b), added[b, h]
            if self.bits != 32:
                new = integers_of(new, self.scale(scale, h), self.bits)
            in_use = before
            if self.slides:
                in_use = sliding_rows(length, self.window, before)
            elif not len(new):
                in_use = int(self.x["seqlens_k"][b]) + 1
            whole = np.concatenate([x[b, h, :in_use], new]) if in_use else new
            kept = whole
            if self.slides:
                kept = whole[len(whole) - sliding_rows(length, self.window, before + len(new)):]
            present[b, h, :len(kept)] = kept
            seen[b, h] = (whole if self.bits == 32 else
                          floats_of(whole, self.scale(scale, h), self.bits, self.size))
        return present, seen

    def scores(self, q, keys, b, h, t):
        """Over all places of the sequence; -inf where the query does not see."""
        used = int(self.x["seqlens_k"][b]) + 1
        own = self.before(b) + t + 1
        end = min(own, used) if self.a.get("causal", 1) else used
        begin = min(max(0, own - self.window), end) if self.window > 0 else 0
        first = used - len(keys) if self.slides else 0  # the place of row 0
        scale = self.a.get("scale", 0) or 1 / np.sqrt(self.size)
        s = np.full(self.total, -np.inf)
        s[begin:end] = keys[begin - first:end - first].astype(np.float64) @ q * scale
        cap = self.a.get("softcap", 0)
        s = cap * np.tanh(s / cap) if cap else s
        if self.x["attention_bias"] is not None:
            shape = (len(self.q), self.heads, self.queries, self.total)
            s = s + np.broadcast_to(self.x["attention_bias"], shape)[b, h, t]
        seen = np.zeros(self.total, bool)
        seen[begin:end] = True
        return np.where(seen, s, -np.inf), seen, first

    def weights(self, s, h):
        sink = -np.inf
        if self.x["head_sink"] is not None:
            sink = float(self.x["head_sink"][h])
        elif self.a.get("smooth_softmax") == 1:
            sink = 0.0
        top = max(s.max(), sink)
        if np.isinf(top):  # padding that sees no key
            return np.zeros(len(s))
        e = np.exp(s - top)
        return e / (e.sum() + np.exp(sink - top))

    def compute(self):
        batch = len(self.q)
        q = np.stack([self.dressed(self.q[b], b, "q_norm_weight") for b in range(batch)])
        k = self.k
        if k.shape[2]:
            k = np.stack([self.dressed(self.k[b], b, "k_norm_weight") for b in range(batch)])
        present_k, keys = self.cache("past_key", k, "k_scale")
        present_v, values = self.cache("past_value", self.v, "v_scale")
        y = np.zeros((batch, self.queries, self.heads, self.size))
        given = np.zeros((batch, self.heads, self.queries, self.total))
        for b, h, t in np.ndindex(batch, self.heads, self.queries):
            kv = h // (self.heads // self.kv_heads)
            s, seen, first = self.scores(q[b, h, t].astype(np.float64), keys[b, kv], b, h, t)
            w = self.weights(s, h)
            v = values[b, kv].astype(np.float64)
            rows = np.arange(self.total) - first
            used = (rows >= 0) & (rows < len(v))
            y[b, t, h] = w[used] @ v[rows[used]]
            given[b, h, t] = np.where(seen, s, 0) if self.a.get("qk_output") == 1 else w
        dtype = self.x["query"].dtype
        outputs = [y.reshape(batch, self.queries, -1).astype(dtype), present_k, present_v]
        return outputs + ([given.astype(dtype)] if self.a.get("qk_output") else [])


@operator
def GroupQueryAttention(a, *inputs):
    numbers = dict(zip(GROUP_INPUTS, [*inputs] + [None] * (len(GROUP_INPUTS) - len(inputs))))
    return Group(a, numbers).compute()
