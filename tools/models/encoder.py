# SPDX-License-Identifier: MIT
"""The encoder layers of BERT (post-norm), as the exporters of PyTorch write them."""

import math

import numpy as np


def additive_mask(b, attention_mask):
    """int64 [batch, sequence] with 1 for real tokens -> float [batch,1,1,sequence], 0 or lowest."""
    mask = b.node("Unsqueeze", attention_mask, b.ints(1, 2))
    mask = b.node("Cast", mask, to=1)
    mask = b.node("Sub", b.constant(1.0), mask)
    return b.node("Mul", mask, b.constant(np.finfo(np.float32).min))


def position_ids(b, input_ids, positions):
    """The first `sequence` of a buffer of positions: [1, sequence]."""
    buffer = b.tensor("embeddings.position_ids", np.arange(positions, dtype=np.int64)[None, :])
    length = b.node("Unsqueeze", b.size(input_ids, 1), b.ints(0))
    return b.node("Slice", buffer, b.ints(0), length, b.ints(1), b.ints(1))


def split_heads(b, x, heads, width, computed):
    """[batch, sequence, hidden] -> [batch, heads, sequence, width].

    `computed`: the shape is put together from Shape and Gather; otherwise it is a constant
    with 0 (copy) and -1 (infer).
    """
    if computed:
        shape = b.shape_of(b.size(x, 0), b.size(x, 1), heads, width)
    else:
        shape = b.ints(0, -1, heads, width)
    return b.node("Reshape", x, shape)


def self_attention(b, x, mask, hidden, heads, computed):
    width = hidden // heads
    parts = {}
    for part in ("query", "key", "value"):
        with b.scope(part):
            # A little more than unit gain, so that attention is not the same for all tokens.
            parts[part] = b.linear(x, hidden, hidden, gain=1.0 if part == "value" else 1.4)
    split = {k: split_heads(b, v, heads, width, computed) for k, v in parts.items()}
    query = b.node("Transpose", split["query"], perm=[0, 2, 1, 3])
    key = b.node("Transpose", split["key"], perm=[0, 2, 3, 1])
    value = b.node("Transpose", split["value"], perm=[0, 2, 1, 3])
    scores = b.node("Div", b.node("MatMul", query, key), b.constant(math.sqrt(width)))
    if mask is not None:
        scores = b.node("Add", scores, mask)
    weights = b.node("Softmax", scores, axis=-1)
    context = b.node("Transpose", b.node("MatMul", weights, value), perm=[0, 2, 1, 3])
    shape = b.shape_of(b.size(context, 0), b.size(context, 1), hidden)
    return b.node("Reshape", context, shape)


def encoder_layer(b, x, mask, hidden, heads, inner, computed=True):
    with b.scope("attention"):
        with b.scope("self"):
            context = self_attention(b, x, mask, hidden, heads, computed)
        with b.scope("output"):
            with b.scope("dense"):
                context = b.linear(context, hidden, hidden)
            total = b.node("Add", context, x)
            with b.scope("LayerNorm"):
                x = b.layer_norm(total, hidden)
    with b.scope("intermediate"):
        with b.scope("dense"):
            wide = b.linear(x, hidden, inner)
        with b.scope("intermediate_act_fn"):
            wide = b.gelu(wide)
    with b.scope("output"):
        with b.scope("dense"):
            narrow = b.linear(wide, inner, hidden)
        total = b.node("Add", narrow, x)
        with b.scope("LayerNorm"):
            return b.layer_norm(total, hidden)


def token_inputs(rng, c, batch, sequence):
    """Random input_ids and a mask; the first row is full, the others end in padding."""
    if sequence > c["positions"]:
        raise SystemExit(f"--sequence {sequence}: this model has {c['positions']} positions")
    mask = np.ones((batch, sequence), np.int64)
    for row in range(1, batch):
        mask[row, max(1, sequence - row * max(1, sequence // 4)):] = 0
    ids = rng.integers(0, c["vocabulary"], (batch, sequence), dtype=np.int64)
    return {"input_ids": ids, "attention_mask": mask}
