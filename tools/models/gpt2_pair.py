# SPDX-License-Identifier: MIT
"""GPT-2 (small: 2 layers of 32) as a pair of models that share the weights file gpt2.bin.

gpt2_prefill.onnx reads a prompt:
  input_ids, attention_mask: int64 [batch, sequence]
  logits: float [batch, sequence, vocabulary]
  present.<i>.key, present.<i>.value: float [batch, heads, sequence, width]

gpt2_decode.onnx reads one more token:
  input_ids: int64 [batch, 1]; attention_mask: int64 [batch, total_sequence]
  past_key_values.<i>.key, past_key_values.<i>.value: float [batch, heads, past_sequence, width]
  logits: float [batch, 1, vocabulary]
  present.<i>.key, present.<i>.value: float [batch, heads, total_sequence, width]

total_sequence is past_sequence + 1. The output head is the token embedding, transposed. The
causal mask is a slice of a lower triangle; padding is masked by attention_mask.
"""

import math

import numpy as np

from models.cached_pair import build_pair, first_position
from models.encoder import additive_mask

FULL = dict(vocabulary=50257, hidden=768, layers=12, heads=12, positions=1024)
SMALL = dict(vocabulary=160, hidden=32, layers=2, heads=4, positions=48)
SEED = 106


def conv1d(b, x, inputs, outputs, gain=1.0):
    """GPT-2's linear layer: Reshape to two dimensions, Gemm, Reshape back."""
    weight = b.normal("weight", (inputs, outputs), gain / math.sqrt(inputs))
    bias = b.normal("bias", (outputs,), 0.02)
    shape = b.shape_of(b.size(x, 0), b.size(x, 1), outputs)
    flat = b.node("Reshape", x, b.ints(-1, inputs))
    return b.node("Reshape", b.node("Gemm", flat, weight, bias), shape)


def gelu_tanh(b, x):
    cube = b.node("Mul", b.node("Pow", x, b.constant(3.0)), b.constant(0.044715))
    inner = b.node("Mul", b.node("Add", x, cube), b.constant(math.sqrt(2 / math.pi)))
    outer = b.node("Add", b.node("Tanh", inner), b.constant(1.0))
    return b.node("Mul", b.node("Mul", x, b.constant(0.5)), outer)


def heads_of(b, x, c):
    shape = b.shape_of(b.size(x, 0), b.size(x, 1), c["heads"], c["hidden"] // c["heads"])
    return b.node("Transpose", b.node("Reshape", x, shape), perm=[0, 2, 1, 3])


def causal(b, scores, query, key, c):
    """Keeps scores[..., i, j] for j <= i + (keys - queries), by a slice of a boolean triangle."""
    count = c["positions"]
    triangle = b.tensor("causal_mask", np.tril(np.ones((1, 1, count, count), np.bool_)))
    total = b.node("Unsqueeze", b.size(key, 2), b.ints(0))
    first = b.node("Sub", total, b.node("Unsqueeze", b.size(query, 2), b.ints(0)))
    rows = b.node("Slice", triangle, first, total, b.ints(2), b.ints(1))
    allowed = b.node("Slice", rows, b.ints(0), total, b.ints(3), b.ints(1))
    return b.node("Where", allowed, scores, b.constant(np.finfo(np.float32).min))


def attention(b, x, mask, past, index, c):
    hidden = c["hidden"]
    with b.scope("c_attn"):
        x = conv1d(b, x, hidden, 3 * hidden, gain=1.3)
    query, key, value = b.node("Split", x, b.ints(hidden, hidden, hidden), outputs=3, axis=2)
    query, key, value = (heads_of(b, part, c) for part in (query, key, value))
    if past:
        key = b.node("Concat", past[0], key, axis=2, result=f"present.{index}.key")
        value = b.node("Concat", past[1], value, axis=2, result=f"present.{index}.value")
    else:
        for part, name in ((key, "key"), (value, "value")):
            node = next(n for n in b.nodes if part in n.output)
            node.output[0] = f"present.{index}.{name}"
        key, value = f"present.{index}.key", f"present.{index}.value"
    scores = b.node("MatMul", query, b.node("Transpose", key, perm=[0, 1, 3, 2]))
    scores = b.node("Div", scores, b.constant(math.sqrt(hidden // c["heads"])))
    scores = causal(b, scores, query, key, c)
    weights = b.node("Softmax", b.node("Add", scores, mask), axis=-1)
    context = b.node("Transpose", b.node("MatMul", weights, value), perm=[0, 2, 1, 3])
    context = b.node("Reshape", context, b.shape_of(b.size(context, 0), b.size(context, 1),
                                                    hidden))
    with b.scope("c_proj"):
        return conv1d(b, context, hidden, hidden, gain=0.5)


def block(b, x, mask, past, index, c):
    hidden = c["hidden"]
    with b.scope(f"h.{index}"):
        with b.scope("ln_1"):
            y = b.layer_norm(x, hidden, 1e-5)
        with b.scope("attn"):
            x = b.node("Add", attention(b, y, mask, past, index, c), x)
        with b.scope("ln_2"):
            y = b.layer_norm(x, hidden, 1e-5)
        with b.scope("mlp"):
            with b.scope("c_fc"):
                y = conv1d(b, y, hidden, 4 * hidden)
            with b.scope("act"):
                y = gelu_tanh(b, y)
            with b.scope("c_proj"):
                return b.node("Add", x, conv1d(b, y, 4 * hidden, hidden, gain=0.5))


def embeddings(b, ids, first, c):
    """Token and position embeddings; positions are first, first + 1, ..."""
    last = b.node("Add", first, b.size(ids, 1))
    positions = b.node("Range", first, last, b.constant(1, np.int64))
    positions = b.node("Unsqueeze", positions, b.ints(0))
    with b.scope("wte"):
        table = b.normal("weight", (c["vocabulary"], c["hidden"]), 0.1)
        x = b.node("Gather", table, ids)
    with b.scope("wpe"):
        weight = b.normal("weight", (c["positions"], c["hidden"]), 0.05)
        return table, b.node("Add", x, b.node("Gather", weight, positions))


def add_nodes(b, ids, mask, pasts, c):
    bias = additive_mask(b, mask)
    table, x = embeddings(b, ids, first_position(b, pasts), c)
    for i, past in enumerate(pasts):
        x = block(b, x, bias, past, i, c)
    with b.scope("ln_f"):
        x = b.layer_norm(x, c["hidden"], 1e-5)
    with b.scope("lm_head"):
        b.node("MatMul", x, b.node("Transpose", table, perm=[1, 0]), result="logits")


def build(folder, small, shape):
    return build_pair("gpt2", folder, small, shape, SEED, SMALL if small else FULL, add_nodes)
