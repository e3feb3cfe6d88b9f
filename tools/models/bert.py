# SPDX-License-Identifier: MIT
"""BERT-base (small: 2 layers of 32); head shapes are computed from Shape and Gather.

bert.onnx leaves batch and sequence open; bert128.onnx and bert512.onnx have the same weights with
a batch of one and 128 or 512 tokens (small: 16 or 32).

  input_ids, attention_mask, token_type_ids: int64 [batch, sequence]
  last_hidden_state: float [batch, sequence, hidden]
  pooler_output: float [batch, hidden]
"""

import numpy as np

from models.builder import Builder, chosen
from models.encoder import additive_mask, encoder_layer, position_ids, token_inputs

FULL = dict(vocabulary=30522, hidden=768, layers=12, heads=12, inner=3072, positions=512)
SMALL = dict(vocabulary=200, hidden=32, layers=2, heads=4, inner=64, positions=48)
SEED = 102
LENGTHS = {16: 128, 32: 512, 128: 128, 512: 512}


def embeddings(b, c, ids, types):
    with b.scope("embeddings"):
        with b.scope("word_embeddings"):
            words = b.node("Gather", b.normal("weight", (c["vocabulary"], c["hidden"]), 0.5), ids)
        with b.scope("token_type_embeddings"):
            kinds = b.node("Gather", b.normal("weight", (2, c["hidden"]), 0.2), types)
        x = b.node("Add", words, kinds)
        positions = position_ids(b, ids, c["positions"])
        with b.scope("position_embeddings"):
            weight = b.normal("weight", (c["positions"], c["hidden"]), 0.2)
            x = b.node("Add", x, b.node("Gather", weight, positions))
        with b.scope("LayerNorm"):
            return b.layer_norm(x, c["hidden"])


def make(name, c, batch, sequence):
    b = Builder(name, SEED)
    ids, mask, types = (b.input(name, np.int64, [batch, sequence])
                        for name in ("input_ids", "attention_mask", "token_type_ids"))
    bias = additive_mask(b, mask)
    x = embeddings(b, c, ids, types)
    with b.scope("encoder"):
        for i in range(c["layers"]):
            with b.scope(f"layer.{i}"):
                x = encoder_layer(b, x, bias, c["hidden"], c["heads"], c["inner"])
    b.nodes[-1].output[0] = x = "last_hidden_state"
    with b.scope("pooler"):
        first = b.node("Gather", x, b.constant(0, np.int64), axis=1)
        with b.scope("dense"):
            dense = b.gemm(first, c["hidden"], c["hidden"])
        b.node("Tanh", dense, result="pooler_output")
    b.output("last_hidden_state", np.float32, [batch, sequence, c["hidden"]])
    b.output("pooler_output", np.float32, [batch, c["hidden"]])
    return b


def build(folder, small, shape, fixed=None):
    c = SMALL if small else FULL
    batch = chosen(shape.batch, 2 if small and not fixed else 1)
    sequence = chosen(shape.sequence, fixed or (10 if small else 128))
    if fixed and (batch, sequence) != (1, fixed):
        raise SystemExit(f"--batch, --sequence: this model has 1 and {fixed}")
    name = f"bert{LENGTHS[fixed]}" if fixed else "bert"
    b = make(name, c, batch if fixed else "batch", sequence if fixed else "sequence")

    rng = np.random.default_rng(SEED + 1)
    inputs = token_inputs(rng, c, batch, sequence)
    kinds = np.zeros((batch, sequence), np.int64)
    kinds[:, sequence // 2:] = 1
    return [(b.save(folder), {**inputs, "token_type_ids": kinds})]
