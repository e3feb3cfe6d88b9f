# SPDX-License-Identifier: MIT
"""A prefill and a decode model that share one file of weights, their interfaces and their inputs.

Sizes are vocabulary, hidden, layers, heads, positions, and groups where keys and values have fewer
heads than queries.
"""

import numpy as np

from models.builder import Builder, ExternalFile, chosen

PARTS = ("key", "value")


def build_pair(name, folder, small, shape, seed, c, add_nodes):
    """`add_nodes(b, ids, mask, pasts, c)` ends in a node of the result "logits" and names the new keys
    and values "present.<i>.key" and "present.<i>.value"; pasts are None in the prefill model."""
    external = ExternalFile(folder, f"{name}.bin")
    prefill = make(f"{name}_prefill", seed, external, c, add_nodes, decode=False)
    decode = make(f"{name}_decode", seed, external, c, add_nodes, decode=True)
    external.close()
    rng = np.random.default_rng(seed + 1)
    batch = chosen(shape.batch, 2 if small else 1)
    sequence = chosen(shape.sequence, 9 if small else 128)
    past = chosen(shape.past, 9 if small else 128)
    if max(sequence, past + 1) > c["positions"]:
        raise SystemExit(f"--sequence, --past: this model has {c['positions']} positions")
    return [(prefill.save(folder), prefill_inputs(rng, c, batch, sequence)),
            (decode.save(folder), decode_inputs(rng, c, batch, past))]


def make(name, seed, external, c, add_nodes, decode):
    # The same seed and the same order of weights: both models have the same values.
    b = Builder(name, seed, external)
    query = 1 if decode else "sequence"
    total = "total_sequence" if decode else "sequence"
    ids = b.input("input_ids", np.int64, ["batch", query])
    mask = b.input("attention_mask", np.int64, ["batch", total])
    pasts = [None] * c["layers"]
    if decode:
        pasts = [[b.input(f"past_key_values.{i}.{part}", np.float32,
                          cache_shape(c, "batch", "past_sequence")) for part in PARTS]
                 for i in range(c["layers"])]
    add_nodes(b, ids, mask, pasts, c)
    b.output("logits", np.float32, ["batch", query, c["vocabulary"]])
    for i in range(c["layers"]):
        for part in PARTS:
            b.output(f"present.{i}.{part}", np.float32, cache_shape(c, "batch", total))
    return b


def first_position(b, pasts):
    return b.size(pasts[0][0], 2) if pasts[0] else b.constant(0, np.int64)


def cache_shape(c, batch, sequence):
    return [batch, c.get("groups", c["heads"]), sequence, c["hidden"] // c["heads"]]


def prefill_inputs(rng, c, batch, sequence):
    return {"input_ids": rng.integers(0, c["vocabulary"], (batch, sequence), dtype=np.int64),
            "attention_mask": np.ones((batch, sequence), np.int64)}


def decode_inputs(rng, c, batch, past):
    inputs = prefill_inputs(rng, c, batch, 1)
    inputs["attention_mask"] = np.ones((batch, past + 1), np.int64)
    for i in range(c["layers"]):
        for part in PARTS:
            inputs[f"past_key_values.{i}.{part}"] = rng.standard_normal(
                cache_shape(c, batch, past), dtype=np.float32)
    return inputs
