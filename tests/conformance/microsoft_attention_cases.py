# SPDX-License-Identifier: MIT
"""Models of one node of com.microsoft's attention: name, attributes, inputs."""

import numpy as np

from microsoft_inputs import R, Constant, floats


def packed_cases():
    offsets = np.array([[0, 4, 5, 8], [9, 10, 11, 1], [2, 3, 6, 7]], np.int32)
    starts = np.array([0, 1, 3, 7], np.int32)
    q, k, v = floats(7, 6), floats(7, 6), floats(7, 8)
    a = {"num_heads": 2}
    yield "PackedMultiHeadAttention", a, [q, k, v, None, offsets, starts]
    for bias in ((1, 2, 4, 4), (3, 1, 4, 4)):
        yield "PackedMultiHeadAttention", {**a, "scale": 0.3}, [q, k, v, floats(20), offsets,
                                                                starts, floats(*bias)]
    yield "PackedMultiHeadAttention", a, [floats(7, 2, 3, 4), None, None, None, offsets, starts]
    yield "PackedAttention", a, [floats(7, 5), Constant(floats(5, 18)), Constant(floats(18)),
                                 offsets, starts]
    yield "GatedRelativePositionBias", a, [
        floats(2, 3, 8), floats(8), floats(1, 2, 3, 3), Constant(floats(4, 8)),
        Constant(floats(8)), Constant(floats(1, 2, 1, 1))]
    for both in (0, 1):
        yield "RelativePositionBias", {"is_bidirectional": both, "max_distance": 128}, [
            floats(32, 2), np.array([150]), np.array([150])]


def state_cases():
    for layout, section in ((0, [2, 1, 1]), (1, [2, 1, 1]), (1, [1, 1, 2])):
        for alternates in (0, 1):
            b = {"mrope_section": section, "mrope_layout": layout, "interleaved": alternates}
            yield "MRotaryEmbedding", b, [floats(2, 3, 16), R.randint(0, 10, (3, 2, 3)),
                                          Constant(floats(10, 4)), Constant(floats(10, 4))]
    for rule in ("linear", "gated", "delta", "gated_delta"):
        b = {"q_num_heads": 2, "kv_num_heads": 2, "update_rule": rule}
        yield "LinearAttention", b, [
            floats(2, 5, 8) / 3, floats(2, 5, 8) / 3, floats(2, 5, 6), floats(2, 2, 4, 3),
            -abs(floats(2, 5, 2)) if "gated" in rule else None,
            abs(floats(2, 5, 2)) / 4 if "delta" in rule else None]


def decoder_cases():
    a = {"num_heads": 2}
    rows = [floats(2, 1, 8) for _ in range(3)]
    yield "DecoderMaskedMultiHeadAttention", a, rows + [
        np.array([[1, 1, 0, 1], [1, 1, 1, 1]], np.int32), None, floats(2, 2, 3, 4),
        floats(2, 2, 3, 4)]
    yield "DecoderMaskedMultiHeadAttention", {**a, "output_qk": 1}, rows + [
        None, None, floats(2, 2, 3, 4), floats(2, 2, 3, 4)]
    crossed = [rows[0], floats(2, 2, 5, 4), floats(2, 2, 5, 4)]
    yield "DecoderMaskedMultiHeadAttention", {**a, "past_present_share_buffer": 1}, crossed + [
        np.array([[1, 1, 0, 1, 1], [1, 1, 1, 1, 0]], np.int32)]


def shared_buffer_cases():
    """Past and present in one buffer, with beams and without."""
    a = {"num_heads": 2}
    length, width = np.array([3], np.int32), np.array([2], np.int32)
    past, beams = [floats(4, 2, 7, 4), floats(4, 2, 7, 4)], R.randint(0, 2, (2, 2, 7))
    mask = np.array([[1, 1, 0, 1], [1, 1, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]], np.int32)
    rows = [floats(4, 1, 8) for _ in range(3)]
    shares = {**a, "past_present_share_buffer": 1, "output_qk": 1}
    for redirects in ([], [width, beams.astype(np.int32)]):
        yield "DecoderMaskedMultiHeadAttention", dict(shares), [
            *rows, mask, floats(4, 1, 1, 4), *past, length, *redirects]
        packed = [floats(4, 1, 24), None, None, None, None]
        more = redirects or [None, None]
        yield "DecoderMaskedMultiHeadAttention", dict(shares), [
            *packed, *past, length, *more, floats(24)]
        yield "MultiHeadAttention", dict(a), [*rows, None, mask, floats(1, 2, 1, 4), *past, length,
                                              *redirects[1:]]
    for used, queries in ((3, 1), (0, 7), (2, 4)):
        yield "Attention", {**a, "past_present_share_buffer": 1}, [
            floats(4, queries, 5), Constant(floats(5, 24)), Constant(floats(24)), None,
            np.stack(past), floats(1, 2, queries, used + queries), np.array([used], np.int32)]
    several = [floats(4, 3, 8) for _ in range(3)]
    for used in (0, 4):
        yield "MultiHeadAttention", dict(a), [*several, None, None, None, *past,
                                              np.array([used], np.int32)]


# --- GroupQueryAttention.

def group(a, queries, past=0, keys=(), total=None, more=None, packed=False, dtype=np.float32):
    """One node: `keys` of each entry, `past` rows of cache, `more` inputs by their number."""
    heads, kv_heads, size = a["num_heads"], a["kv_num_heads"], a.pop("size")
    bits, batch = a.get("kv_cache_bit_width", 32), len(keys)
    more = more or {}
    total = total or max(keys)

    def rows(n, count):
        return floats(batch, n, count * size).astype(dtype)

    def cache():
        if not past:
            return None
        if bits == 32:
            return floats(batch, kv_heads, past, size).astype(dtype)
        if bits == 8:
            return R.randint(-128, 128, (batch, kv_heads, past, size)).astype(np.int8)
        return R.randint(0, 256, (batch, kv_heads, past, (size + 1) // 2)).astype(np.uint8)

    new = more.pop("new", queries)
    inputs = [None] * 16
    if packed:
        inputs[0] = rows(queries, heads + 2 * kv_heads)
    else:
        inputs[:3] = rows(queries, heads), rows(new, kv_heads), rows(new, kv_heads)
    inputs[3:5] = cache(), cache()
    inputs[5] = np.array(keys, np.int32) - 1
    inputs[6] = np.array([total], np.int32)
    if a.get("do_rotary"):
        angles = R.uniform(0, 6, (max(total, past) + 3, size // 2))
        inputs[7:9] = Constant(np.cos(angles).astype(dtype)), Constant(np.sin(angles).astype(dtype))
    if bits != 32:
        for i, kind in ((12, "k_quant_type"), (13, "v_quant_type")):
            shape = (1, kv_heads, 1, size) if a[kind] == "PER_CHANNEL" else (1,)
            step = 0.35 if bits == 4 else 0.025
            inputs[i] = Constant((step * (1 + abs(floats(*shape)) / 3)).astype(np.float32))
    for i, x in more.items():
        inputs[i] = x
    while inputs[-1] is None:
        inputs.pop()
    return "GroupQueryAttention", a, inputs


# Prompts of one length and of two, tokens behind pasts of one length and of two, several tokens, a
# cache with room: queries, past, keys, total.
SITUATIONS = ((5, 0, (5, 5), 5), (5, 0, (5, 3), 5), (1, 5, (6, 6), 6), (1, 9, (6, 3), 6),
              (3, 8, (8, 6), 8), (12, 0, (12,), 12), (1, 300, (290,), 290))


def sizes(a, heads, kv_heads, size):
    return {"num_heads": heads, "kv_num_heads": kv_heads, "size": size, **a}


def cache_cases():
    """Caches of integers, in every situation."""
    kinds = [("PER_TENSOR", "PER_TENSOR"), ("PER_CHANNEL", "PER_CHANNEL"),
             ("PER_TENSOR", "PER_CHANNEL")]
    widths = [(4, 4, 8), (4, 2, 64), (8, 2, 8), (2, 1, 65), (4, 1, 32)]
    for bits in (8, 4):
        for i, (queries, past, keys, total) in enumerate(SITUATIONS):
            for j in range(2):
                k, v = kinds[(i + j) % 3]
                a = sizes({"k_quant_type": k, "v_quant_type": v, "kv_cache_bit_width": bits},
                          *widths[(i + 2 * j) % 5])
                if j and a["size"] % 2 == 0:
                    a["do_rotary"] = 1
                if i == 4 and j:
                    a["local_window_size"] = 4
                yield group(a, queries, past, keys, total, packed=bool(j))
    a = {"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR", "kv_cache_bit_width": 8}
    yield group(sizes(a, 4, 2, 16), 1, 5, (6, 6), dtype=np.float16)
    for heads, kv_heads in ((12, 1), (40, 2)):  # more than eight heads to a key head
        yield group(sizes(a, heads, kv_heads, 16), 1, 9, (9, 4))


def score_cases():
    for queries, past, keys, total in SITUATIONS[:6]:
        for mode in (1, 2):
            a = sizes({"qk_output": mode, "softcap": 1.5, "smooth_softmax": mode - 1}, 4, 2, 8)
            bias = floats(1, 4, queries, total)
            yield group(dict(a), queries, past, keys, total, {10: bias})
        yield group(sizes({"qk_output": 1, "local_window_size": 3}, 4, 1, 8), queries, past, keys,
                    total)
        a = sizes({"qk_output": 2, "k_quant_type": "PER_CHANNEL", "v_quant_type": "PER_CHANNEL",
                   "kv_cache_bit_width": 8}, 4, 2, 8)
        yield group(a, queries, past, keys, total, {11: floats(4)})


def norm_cases():
    for turns in (0, 1):
        for queries, past, keys, total in SITUATIONS[:5]:
            a = sizes({"do_rotary": turns, "qk_norm_epsilon": 1e-3}, 4, 2, 16)
            norms = {14: Constant(floats(16)), 15: Constant(floats(16))}
            yield group(a, queries, past, keys, total, norms, packed=bool(turns))
    a = sizes({"do_rotary": 1, "k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR",
               "kv_cache_bit_width": 8}, 4, 2, 16)
    yield group(a, 1, 5, (6, 6), 6, {14: Constant(floats(16)), 15: Constant(floats(16))})


def window_cases():
    """Caches that slide: filling, full, compacting, with several tokens at once."""
    for bits in (32, 8, 4):
        for queries, past, keys in ((1, 6, (3, 3)), (1, 6, (7, 6)), (1, 6, (8, 11)), (1, 4, (9, 5)),
                                    (3, 6, (3, 3)), (4, 6, (9, 6)), (9, 6, (9, 9)), (7, 5, (20, 9))):
            a = sizes({"local_window_size": 4, "sliding_window_cache": 1, "do_rotary": 1}, 4, 2, 8)
            if bits != 32:
                a.update({"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR",
                          "kv_cache_bit_width": bits})
            yield group(a, queries, past, keys)
    a = sizes({"local_window_size": 4, "sliding_window_cache": 1, "qk_output": 1}, 4, 2, 8)
    yield group(a, 1, 6, (8, 11), 11, {10: floats(2, 1, 1, 11)})


def shared_cases():
    """Caches that another node has filled: keys without rows."""
    for queries, past, keys, total in ((1, 8, (6, 3), 6), (5, 9, (5, 5), 5), (3, 9, (7, 7), 7)):
        for bits in (32, 8):
            a = sizes({"do_rotary": 1}, 4, 2, 8)
            if bits == 8:
                a.update({"k_quant_type": "PER_CHANNEL", "v_quant_type": "PER_TENSOR",
                          "kv_cache_bit_width": 8})
            yield group(a, queries, past, keys, total, {"new": 0})


def attention_cases():
    for cases in (packed_cases, state_cases, decoder_cases, shared_buffer_cases, cache_cases,
                  score_cases, norm_cases, window_cases, shared_cases):
        yield from cases()
