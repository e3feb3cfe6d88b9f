# SPDX-License-Identifier: MIT
"""Whisper-base as encoder and decoder (small: 2 layers of 32).

whisper_encoder.onnx: 30 seconds of sound as a spectrogram
  input_features: float [batch,80,3000] (small: [batch,16,24])
  last_hidden_state: float [batch,1500,hidden] (small: [batch,12,hidden])

whisper_decoder.onnx: text so far, with cross attention to the encoder's output
  input_ids: int64 [batch, sequence]
  encoder_hidden_states: float [batch, encoder_sequence, hidden]
  past_key_values.<i>.key, past_key_values.<i>.value: float [batch, heads, past_sequence, width]
  logits: float [batch, sequence, vocabulary]
  present.<i>.key, present.<i>.value: float [batch, heads, total_sequence, width]
"""

import math

import numpy as np

from models.builder import Builder, chosen

FULL = dict(vocabulary=51865, hidden=512, layers=6, heads=8, positions=448, mels=80, frames=3000)
SMALL = dict(vocabulary=120, hidden=32, layers=2, heads=4, positions=32, mels=16, frames=24)
SEED = 109


def heads_of(b, x, c):
    shape = b.shape_of(b.size(x, 0), b.size(x, 1), c["heads"], c["hidden"] // c["heads"])
    return b.node("Transpose", b.node("Reshape", x, shape), perm=[0, 2, 1, 3])


def project(b, name, x, c, gain=1.0):
    with b.scope(name):
        return b.linear(x, c["hidden"], c["hidden"], gain)


def attend(b, query, key, value, mask, c):
    """Scaled queries, keys and values [batch, heads, n, width] -> [batch, sequence, hidden]."""
    scores = b.node("MatMul", query, b.node("Transpose", key, perm=[0, 1, 3, 2]))
    if mask is not None:
        scores = b.node("Add", scores, mask)
    weights = b.node("Softmax", scores, axis=-1)
    context = b.node("Transpose", b.node("MatMul", weights, value), perm=[0, 2, 1, 3])
    shape = b.shape_of(b.size(context, 0), b.size(context, 1), c["hidden"])
    return project(b, "out_proj", b.node("Reshape", context, shape), c, gain=0.5)


def attention(b, x, memory, mask, past, index, c):
    """Self attention when `memory` is x; with `past` the keys and values grow."""
    scale = (c["hidden"] // c["heads"]) ** -0.5
    query = b.node("Mul", project(b, "q_proj", x, c, 1.3), b.constant(scale))
    query = heads_of(b, query, c)
    key = heads_of(b, project(b, "k_proj", memory, c, 1.3), c)
    value = heads_of(b, project(b, "v_proj", memory, c), c)
    if past:
        key = b.node("Concat", past[0], key, axis=2, result=f"present.{index}.key")
        value = b.node("Concat", past[1], value, axis=2, result=f"present.{index}.value")
    return attend(b, query, key, value, mask, c)


def feed_forward(b, x, c):
    with b.scope("final_layer_norm"):
        y = b.layer_norm(x, c["hidden"], 1e-5)
    with b.scope("fc1"):
        y = b.gelu(b.linear(y, c["hidden"], 4 * c["hidden"]))
    with b.scope("fc2"):
        return b.node("Add", x, b.linear(y, 4 * c["hidden"], c["hidden"], gain=0.5))


def stem(b, name, x, inputs, c, stride):
    with b.scope(name):
        weight = b.normal("weight", (c["hidden"], inputs, 3), 1.5 / math.sqrt(3 * inputs))
        x = b.node("Conv", x, weight, b.normal("bias", (c["hidden"],), 0.02), kernel_shape=[3],
                   strides=[stride], pads=[1, 1], dilations=[1], group=1)
        return b.gelu(x)


def make_encoder(c):
    b = Builder("whisper_encoder", SEED)
    x = b.input("input_features", np.float32, ["batch", c["mels"], c["frames"]])
    x = stem(b, "conv1", x, c["mels"], c, 1)
    x = stem(b, "conv2", x, c["hidden"], c, 2)
    x = b.node("Transpose", x, perm=[0, 2, 1])
    x = b.node("Add", x, b.normal("embed_positions.weight", (c["frames"] // 2, c["hidden"]), 0.2))
    for i in range(c["layers"]):
        with b.scope(f"layers.{i}"):
            with b.scope("self_attn_layer_norm"):
                y = b.layer_norm(x, c["hidden"], 1e-5)
            with b.scope("self_attn"):
                x = b.node("Add", x, attention(b, y, y, None, None, i, c))
            x = feed_forward(b, x, c)
    with b.scope("layer_norm"):
        b.rename(b.layer_norm(x, c["hidden"], 1e-5), "last_hidden_state")
    b.output("last_hidden_state", np.float32, ["batch", c["frames"] // 2, c["hidden"]])
    return b


def decoder_start(b, ids, past, c):
    """Embeddings, their table, and the additive causal mask [sequence, total_sequence]."""
    first = b.size(past, 2)
    last = b.node("Add", first, b.size(ids, 1))
    one = b.constant(1, np.int64)
    queries = b.node("Range", first, last, one)
    keys = b.node("Range", b.constant(0, np.int64), last, one)
    late = b.node("Greater", b.node("Unsqueeze", keys, b.ints(0)),
                  b.node("Unsqueeze", queries, b.ints(1)))
    lowest = b.constant(np.finfo(np.float32).min)
    mask = b.node("Where", late, lowest, b.constant(0.0))
    table = b.normal("embed_tokens.weight", (c["vocabulary"], c["hidden"]), 0.1)
    places = b.normal("embed_positions.weight", (c["positions"], c["hidden"]), 0.05)
    return table, b.node("Add", b.node("Gather", table, ids), b.node("Gather", places, queries)), mask


def make_decoder(c):
    b = Builder("whisper_decoder", SEED + 1)
    width = c["hidden"] // c["heads"]
    ids = b.input("input_ids", np.int64, ["batch", "sequence"])
    memory = b.input("encoder_hidden_states", np.float32,
                     ["batch", "encoder_sequence", c["hidden"]])
    pasts = [[b.input(f"past_key_values.{i}.{part}", np.float32,
                      ["batch", c["heads"], "past_sequence", width]) for part in ("key", "value")]
             for i in range(c["layers"])]
    table, x, mask = decoder_start(b, ids, pasts[0][0], c)
    for i, past in enumerate(pasts):
        with b.scope(f"layers.{i}"):
            with b.scope("self_attn_layer_norm"):
                y = b.layer_norm(x, c["hidden"], 1e-5)
            with b.scope("self_attn"):
                x = b.node("Add", x, attention(b, y, y, mask, past, i, c))
            with b.scope("encoder_attn_layer_norm"):
                y = b.layer_norm(x, c["hidden"], 1e-5)
            with b.scope("encoder_attn"):
                x = b.node("Add", x, attention(b, y, memory, None, None, i, c))
            x = feed_forward(b, x, c)
    with b.scope("layer_norm"):
        x = b.layer_norm(x, c["hidden"], 1e-5)
    b.node("MatMul", x, b.node("Transpose", table, perm=[1, 0]), result="logits")
    b.output("logits", np.float32, ["batch", "sequence", c["vocabulary"]])
    for i in range(c["layers"]):
        for part in ("key", "value"):
            b.output(f"present.{i}.{part}", np.float32,
                     ["batch", c["heads"], "total_sequence", width])
    return b


def build(folder, small, shape):
    c = SMALL if small else FULL
    rng = np.random.default_rng(SEED + 2)
    batch = chosen(shape.batch, 2 if small else 1)
    sequence = chosen(shape.sequence, 3 if small else 4)
    past = chosen(shape.past, 5 if small else 60)
    if sequence + past > c["positions"]:
        raise SystemExit(f"--sequence, --past: this model has {c['positions']} positions")

    def normal(*dims):
        return rng.standard_normal(dims, dtype=np.float32)

    sound = {"input_features": normal(batch, c["mels"], c["frames"])}
    text = {"input_ids": rng.integers(0, c["vocabulary"], (batch, sequence), dtype=np.int64),
            "encoder_hidden_states": normal(batch, c["frames"] // 2, c["hidden"])}
    for i in range(c["layers"]):
        for part in ("key", "value"):
            text[f"past_key_values.{i}.{part}"] = normal(batch, c["heads"], past,
                                                         c["hidden"] // c["heads"])
    return [(make_encoder(c).save(folder), sound), (make_decoder(c).save(folder), text)]
