# SPDX-License-Identifier: MIT
"""A Llama-like f32 decoder of 1.3 GB (small: 2 layers of 32), sharing the weights file decoder.bin.

decoder_prefill.onnx reads a prompt:
  input_ids, attention_mask: int64 [batch, sequence]
  logits: float [batch, sequence, vocabulary]
  present.<i>.key, present.<i>.value: float [batch, groups, sequence, width]

decoder_decode.onnx reads one more token:
  input_ids: int64 [batch, 1]; attention_mask: int64 [batch, total_sequence]
  past_key_values.<i>.key, past_key_values.<i>.value: float [batch, groups, past_sequence, width]
  logits: float [batch, 1, vocabulary]
  present.<i>.key, present.<i>.value: float [batch, groups, total_sequence, width]

total_sequence is past_sequence + 1. Each of the `groups` key/value heads serves heads / groups
query heads. RMS normalisation, rotary positions and SiLU are written operator by operator.
"""

import math

import numpy as np

from models.cached_pair import build_pair, first_position

FULL = dict(vocabulary=16384, hidden=2048, layers=6, heads=32, groups=4, inner=5632,
            positions=2048)
SMALL = dict(vocabulary=160, hidden=32, layers=2, heads=4, groups=2, inner=48, positions=48)
SEED = 107


def rms_norm(b, x, width):
    """x / sqrt(mean(x^2) + epsilon) * weight"""
    square = b.node("Pow", x, b.constant(2.0))
    mean = b.node("ReduceMean", square, axes=[-1], keepdims=1)
    root = b.node("Sqrt", b.node("Add", mean, b.constant(1e-5)))
    x = b.node("Mul", x, b.node("Div", b.constant(1.0), root))
    return b.node("Mul", b.normal("weight", (width,), 0.05, mean=1.0), x)


def plain_linear(b, name, x, inputs, outputs, gain=1.0):
    with b.scope(name):
        return b.node("MatMul", x, b.normal("weight", (inputs, outputs), gain / math.sqrt(inputs)))


def rotary_tables(b, positions, width):
    """cos and sin [1, 1, sequence, width] of positions [sequence]."""
    with b.scope("rotary_emb"):
        frequencies = 10000.0 ** (-np.arange(0, width, 2, dtype=np.float32) / width)
        frequencies = b.tensor("rotary_emb.inv_freq", frequencies.astype(np.float32)[None, :])
        column = b.node("Unsqueeze", b.node("Cast", positions, to=1), b.ints(1))
        angles = b.node("MatMul", column, frequencies)
        angles = b.node("Concat", angles, angles, axis=-1)
        return [b.node("Unsqueeze", b.node(op, angles), b.ints(0, 1)) for op in ("Cos", "Sin")]


def rotate(b, x, tables, width):
    """x * cos + (-second half of x, first half of x) * sin"""
    cos, sin = tables
    first = b.node("Slice", x, b.ints(0), b.ints(width // 2), b.ints(3), b.ints(1))
    second = b.node("Slice", x, b.ints(width // 2), b.ints(np.iinfo(np.int64).max), b.ints(3),
                    b.ints(1))
    turned = b.node("Concat", b.node("Neg", second), first, axis=-1)
    return b.node("Add", b.node("Mul", x, cos), b.node("Mul", turned, sin))


def repeat_groups(b, x, c):
    """[batch, groups, total, width] -> [batch, heads, total, width], each group repeated."""
    width, times = c["hidden"] // c["heads"], c["heads"] // c["groups"]
    batch, total = b.size(x, 0), b.size(x, 2)
    x = b.node("Unsqueeze", x, b.ints(2))
    x = b.node("Expand", x, b.shape_of(batch, c["groups"], times, total, width))
    return b.node("Reshape", x, b.shape_of(batch, c["heads"], total, width))


def causal_mask(b, ids, mask, past_length):
    """Positions [sequence] and an additive mask [batch, 1, sequence, total_sequence]."""
    last = b.node("Add", past_length, b.size(ids, 1))
    one = b.constant(1, np.int64)
    queries = b.node("Range", past_length, last, one)
    keys = b.node("Range", b.constant(0, np.int64), last, one)
    early = b.node("LessOrEqual", b.node("Unsqueeze", keys, b.ints(0)),
                   b.node("Unsqueeze", queries, b.ints(1)))
    real = b.node("Cast", b.node("Unsqueeze", mask, b.ints(1, 2)), to=9)
    allowed = b.node("And", b.node("Unsqueeze", early, b.ints(0, 1)), real)
    lowest = b.constant(np.finfo(np.float32).min)
    return queries, b.node("Where", allowed, b.constant(0.0), lowest)


def attention(b, x, mask, tables, past, index, c):
    width = c["hidden"] // c["heads"]
    batch, length = b.size(x, 0), b.size(x, 1)
    parts = {}
    for name, heads, gain in (("q", c["heads"], 1.3), ("k", c["groups"], 1.3),
                              ("v", c["groups"], 1.0)):
        part = plain_linear(b, name + "_proj", x, c["hidden"], heads * width, gain)
        part = b.node("Reshape", part, b.shape_of(batch, length, heads, width))
        parts[name] = b.node("Transpose", part, perm=[0, 2, 1, 3])
    query = rotate(b, parts["q"], tables, width)
    key = rotate(b, parts["k"], tables, width)
    value = parts["v"]
    if past:
        key = b.node("Concat", past[0], key, axis=2, result=f"present.{index}.key")
        value = b.node("Concat", past[1], value, axis=2, result=f"present.{index}.value")
    else:
        key = b.rename(key, f"present.{index}.key")
        value = b.rename(value, f"present.{index}.value")
    keys, values = repeat_groups(b, key, c), repeat_groups(b, value, c)
    scores = b.node("MatMul", query, b.node("Transpose", keys, perm=[0, 1, 3, 2]))
    scores = b.node("Div", scores, b.constant(math.sqrt(width)))
    weights = b.node("Softmax", b.node("Add", scores, mask), axis=-1)
    context = b.node("Transpose", b.node("MatMul", weights, values), perm=[0, 2, 1, 3])
    context = b.node("Reshape", context, b.shape_of(batch, length, c["hidden"]))
    return plain_linear(b, "o_proj", context, c["hidden"], c["hidden"], 0.5)


def feed_forward(b, x, c):
    gate = plain_linear(b, "gate_proj", x, c["hidden"], c["inner"])
    with b.scope("act_fn"):
        gate = b.node("Mul", gate, b.node("Sigmoid", gate))
    up = plain_linear(b, "up_proj", x, c["hidden"], c["inner"])
    return plain_linear(b, "down_proj", b.node("Mul", gate, up), c["inner"], c["hidden"], 0.5)


def layer(b, x, mask, tables, past, index, c):
    with b.scope(f"layers.{index}"):
        with b.scope("input_layernorm"):
            y = rms_norm(b, x, c["hidden"])
        with b.scope("self_attn"):
            y = attention(b, y, mask, tables, past, index, c)
        x = b.node("Add", x, y)
        with b.scope("post_attention_layernorm"):
            y = rms_norm(b, x, c["hidden"])
        with b.scope("mlp"):
            y = feed_forward(b, y, c)
        return b.node("Add", x, y)


def add_nodes(b, ids, mask, pasts, c):
    with b.scope("model"):
        positions, bias = causal_mask(b, ids, mask, first_position(b, pasts))
        tables = rotary_tables(b, positions, c["hidden"] // c["heads"])
        with b.scope("embed_tokens"):
            x = b.node("Gather", b.normal("weight", (c["vocabulary"], c["hidden"]), 0.5), ids)
        for i, past in enumerate(pasts):
            x = layer(b, x, bias, tables, past, i, c)
        with b.scope("norm"):
            x = rms_norm(b, x, c["hidden"])
    b.rename(plain_linear(b, "lm_head", x, c["hidden"], c["vocabulary"]), "logits")


def build(folder, small, shape):
    return build_pair("decoder", folder, small, shape, SEED, SMALL if small else FULL, add_nodes)
