# SPDX-License-Identifier: MIT
"""A BERT-like encoder of 106 MB (small: 0.2 MB); head shapes are constants with 0 and -1.

  input_ids, attention_mask: int64 [batch, sequence]
  last_hidden_state: float [batch, sequence, hidden]
"""

import numpy as np

from models.builder import Builder, chosen
from models.encoder import additive_mask, encoder_layer, position_ids, token_inputs

FULL = dict(vocabulary=8192, hidden=512, layers=7, heads=8, inner=2048, positions=512)
SMALL = dict(vocabulary=256, hidden=32, layers=3, heads=4, inner=128, positions=64)
SEED = 101


def build(folder, small, shape):
    c = SMALL if small else FULL
    b = Builder("transformer", SEED)
    ids = b.input("input_ids", np.int64, ["batch", "sequence"])
    mask = b.input("attention_mask", np.int64, ["batch", "sequence"])
    hidden = c["hidden"]

    bias = additive_mask(b, mask)
    with b.scope("embeddings"):
        with b.scope("word_embeddings"):
            x = b.node("Gather", b.normal("weight", (c["vocabulary"], hidden), 0.5), ids)
        positions = position_ids(b, ids, c["positions"])
        with b.scope("position_embeddings"):
            weight = b.normal("weight", (c["positions"], hidden), 0.2)
            x = b.node("Add", x, b.node("Gather", weight, positions))
        with b.scope("LayerNorm"):
            x = b.layer_norm(x, hidden)
    with b.scope("encoder"):
        for i in range(c["layers"]):
            with b.scope(f"layer.{i}"):
                x = encoder_layer(b, x, bias, hidden, c["heads"], c["inner"], computed=False)
    b.nodes[-1].output[0] = "last_hidden_state"
    b.output("last_hidden_state", np.float32, ["batch", "sequence", hidden])

    rng = np.random.default_rng(SEED + 1)
    batch = chosen(shape.batch, 2 if small else 1)
    sequence = chosen(shape.sequence, 12 if small else 128)
    return [(b.save(folder), token_inputs(rng, c, batch, sequence))]
