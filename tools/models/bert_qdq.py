# SPDX-License-Identifier: MIT
"""BERT-base in QDQ form: all matrix products take uint8 activations, those with weights int8 ones
with a scale for each column; normalisations, softmax, Gelu and sums are float (small: 2 layers of
32).

  input_ids, attention_mask, token_type_ids: int64 [batch, sequence]
  last_hidden_state: float [batch, sequence, hidden]
"""

import math

import numpy as np

from models.builder import chosen
from models.encoder import additive_mask, position_ids, token_inputs
from models.quantised import QuantisedBuilder, Traced

FULL = dict(vocabulary=30522, hidden=768, layers=12, heads=12, inner=3072, positions=512)
SMALL = dict(vocabulary=200, hidden=32, layers=2, heads=4, inner=64, positions=48)
SEED = 111
SAMPLE_TOKENS = 24


def erf(x):
    """Abramowitz and Stegun 7.1.26: enough for ranges."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t
              + 0.254829592) * t
    return (np.sign(x) * (1 - series * np.exp(-x * x))).astype(np.float32)


def layer_norm(b, x, width, epsilon=1e-12):
    scale, bias = 1 + b.random((width,), 0.05), b.random((width,), 0.02)
    y = b.node("LayerNormalization", x.name, b.tensor(b._weight_name("weight"), scale),
               b.tensor(b._weight_name("bias"), bias), axis=-1, epsilon=epsilon)
    mean = x.array.mean(axis=-1, keepdims=True)
    deviation = np.sqrt(x.array.var(axis=-1, keepdims=True) + epsilon)
    return Traced(y, ((x.array - mean) / deviation * scale + bias).astype(np.float32))


def gelu(b, x):
    return Traced(b.gelu(x.name), x.array * np.float32(0.5) * (1 + erf(x.array / math.sqrt(2))))


def attention(b, x, mask, hidden, heads):
    width = hidden // heads
    split = {}
    quantised = b.quantised(x)
    for part in ("query", "key", "value"):
        with b.scope(part):
            y = b.quantised(b.linear(quantised, hidden, hidden, 1.0 if part == "value" else 1.4))
            name = b.node("Reshape", y.name, b.ints(0, -1, heads, width))
            perm = [0, 2, 3, 1] if part == "key" else [0, 2, 1, 3]
            rows = y.array.reshape(*y.array.shape[:2], heads, width).transpose(perm)
            split[part] = Traced(b.node("Transpose", name, perm=perm), rows)
    scores = b.node("Div", b.node("MatMul", split["query"].name, split["key"].name),
                    b.constant(math.sqrt(width)))
    s = split["query"].array @ split["key"].array / np.float32(math.sqrt(width))
    weights = np.exp(s - s.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    softmax = b.node("Softmax", b.node("Add", scores, mask), axis=-1)
    p = b.quantised(Traced(softmax, weights.astype(np.float32)))
    context = p.array @ split["value"].array
    name = b.node("Transpose", b.node("MatMul", p.name, split["value"].name), perm=[0, 2, 1, 3])
    rows = context.transpose(0, 2, 1, 3).reshape(x.array.shape)
    return Traced(b.node("Reshape", name, b.ints(0, -1, hidden)), rows)


def encoder_layer(b, x, mask, c):
    hidden, inner = c["hidden"], c["inner"]
    with b.scope("attention"):
        with b.scope("self"):
            context = attention(b, x, mask, hidden, c["heads"])
        with b.scope("output"):
            with b.scope("dense"):
                y = b.linear(b.quantised(context), hidden, hidden)
            total = b.add(y, x)
            with b.scope("LayerNorm"):
                x = layer_norm(b, total, hidden)
    with b.scope("intermediate"):
        with b.scope("dense"):
            wide = b.linear(b.quantised(x), hidden, inner)
        wide = gelu(b, wide)
    with b.scope("output"):
        with b.scope("dense"):
            y = b.linear(b.quantised(wide), inner, hidden)
        total = b.add(y, x)
        with b.scope("LayerNorm"):
            return layer_norm(b, total, hidden)


def embeddings(b, c, ids, types, sample):
    with b.scope("embeddings"):
        def table(name, rows, std):
            array = b.random((rows, c["hidden"]), std)
            return b.tensor(b._weight_name(name), array), array
        words, w = table("word_embeddings", c["vocabulary"], 0.5)
        kinds, k = table("token_type_embeddings", 2, 0.2)
        places, p = table("position_embeddings", c["positions"], 0.2)
        x = b.node("Add", b.node("Gather", words, ids), b.node("Gather", kinds, types))
        x = b.node("Add", x, b.node("Gather", places, position_ids(b, ids, c["positions"])))
        rows = w[sample] + k[0] + p[:sample.shape[1]]
        with b.scope("LayerNorm"):
            return layer_norm(b, Traced(x, rows), c["hidden"])


def build(folder, small, shape):
    c = SMALL if small else FULL
    b = QuantisedBuilder("bert_qdq", SEED)
    ids, mask, types = (b.input(name, np.int64, ["batch", "sequence"])
                        for name in ("input_ids", "attention_mask", "token_type_ids"))
    bias = additive_mask(b, mask)
    sample = np.random.default_rng(SEED + 2).integers(0, c["vocabulary"], (1, SAMPLE_TOKENS))
    x = embeddings(b, c, ids, types, sample)
    with b.scope("encoder"):
        for i in range(c["layers"]):
            with b.scope(f"layer.{i}"):
                x = encoder_layer(b, x, bias, c)
    b.nodes[-1].output[0] = "last_hidden_state"
    b.output("last_hidden_state", np.float32, ["batch", "sequence", c["hidden"]])

    rng = np.random.default_rng(SEED + 1)
    batch = chosen(shape.batch, 2 if small else 1)
    sequence = chosen(shape.sequence, 10 if small else 128)
    inputs = token_inputs(rng, c, batch, sequence)
    kinds = np.zeros((batch, sequence), np.int64)
    kinds[:, sequence // 2:] = 1
    return [(b.save(folder), {**inputs, "token_type_ids": kinds})]
