# SPDX-License-Identifier: MIT
"""One decoding step of a language model whose weights are 4-bit numbers in blocks of 32
(com.microsoft.MatMulNBits): 12 layers of 2048, gated feed-forward of 5632, no output head
(small: 2 layers of 64). nbits_decoder.onnx computes at the default accuracy level,
nbits_decoder_acc4.onnx at level 4; both share nbits_decoder.bin.

  hidden: float [batch, sequence, hidden]; past.<layer>.key, .value: float [batch, heads, past, width]
  last: float [batch, sequence, hidden]; present.<layer>.key, .value: float [batch, heads, total, width]
"""

import math

import numpy as np
from onnx import helper

from models.builder import Builder, ExternalFile, chosen

FULL = dict(layers=12, hidden=2048, heads=16, inner=5632)
SMALL = dict(layers=2, hidden=64, heads=4, inner=160)
SEED = 113
BLOCK = 32


class NBitsBuilder(Builder):
    def __init__(self, name, seed, external, level):
        super().__init__(name, seed, external)
        self.level = level

    def linear(self, name, x, inputs, outputs, gain=1.0):
        """Scales give weights a deviation of gain / sqrt(inputs); codes are uniform, -8 .. 7."""
        with self.scope(name):
            blocks = -(-inputs // BLOCK)
            codes = self.rng.integers(0, 256, (outputs, blocks, BLOCK // 2), dtype=np.uint8)
            deviation = gain / math.sqrt(inputs) / math.sqrt((16 * 16 - 1) / 12)
            scales = self.rng.uniform(0.8, 1.2, outputs * blocks) * deviation
            attributes = {} if self.level is None else {"accuracy_level": self.level}
            return self.node("MatMulNBits", x, self.tensor(self._weight_name("weight"), codes),
                             self.tensor(self._weight_name("scales"), scales.astype(np.float32)),
                             K=inputs, N=outputs, bits=4, block_size=BLOCK,
                             domain="com.microsoft", **attributes)

    def model(self):
        model = super().model()
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        return model


def heads_of(b, x, heads, width):
    rows = b.node("Reshape", x, b.ints(0, -1, heads, width))
    return b.node("Transpose", rows, perm=[0, 2, 1, 3])


def attention(b, x, layer, c):
    hidden, heads = c["hidden"], c["heads"]
    width = hidden // heads
    query = heads_of(b, b.linear("q_proj", x, hidden, hidden), heads, width)
    cache = {}
    for part, proj in (("key", "k_proj"), ("value", "v_proj")):
        past = b.input(f"past.{layer}.{part}", np.float32, ["batch", heads, "past", width])
        now = heads_of(b, b.linear(proj, x, hidden, hidden), heads, width)
        cache[part] = b.node("Concat", past, now, axis=2, result=f"present.{layer}.{part}")
        b.output(cache[part], np.float32, ["batch", heads, "total", width])
    key = b.node("Transpose", cache["key"], perm=[0, 1, 3, 2])
    scores = b.node("Mul", b.node("MatMul", query, key), b.constant(1 / math.sqrt(width)))
    context = b.node("MatMul", b.node("Softmax", scores, axis=-1), cache["value"])
    rows = b.node("Reshape", b.node("Transpose", context, perm=[0, 2, 1, 3]),
                  b.ints(0, -1, hidden))
    return b.linear("o_proj", rows, hidden, hidden)


def feed_forward(b, x, c):
    gate = b.linear("gate_proj", x, c["hidden"], c["inner"])
    gate = b.node("Mul", gate, b.node("Sigmoid", gate))
    product = b.node("Mul", gate, b.linear("up_proj", x, c["hidden"], c["inner"]))
    return b.linear("down_proj", product, c["inner"], c["hidden"])


def decoder(name, external, level, c):
    b = NBitsBuilder(name, SEED, external, level)
    x = b.input("hidden", np.float32, ["batch", "sequence", c["hidden"]])
    b.output("last", np.float32, ["batch", "sequence", c["hidden"]])
    for layer in range(c["layers"]):
        with b.scope(f"layers.{layer}"):
            with b.scope("input_norm"):
                normal = b.layer_norm(x, c["hidden"], epsilon=1e-5)
            with b.scope("self_attn"):
                x = b.node("Add", x, attention(b, normal, layer, c))
            with b.scope("post_norm"):
                normal = b.layer_norm(x, c["hidden"], epsilon=1e-5)
            with b.scope("mlp"):
                x = b.node("Add", x, feed_forward(b, normal, c))
    b.nodes[-1].output[0] = "last"
    return b


def build(folder, small, shape):
    c = SMALL if small else FULL
    external = ExternalFile(folder, "nbits_decoder.bin")
    rng = np.random.default_rng(SEED + 1)
    batch, sequence = chosen(shape.batch, 2 if small else 1), chosen(shape.sequence, 1)
    past = chosen(shape.past, 7 if small else 128)
    inputs = {"hidden": rng.standard_normal((batch, sequence, c["hidden"]), dtype=np.float32)}
    for layer in range(c["layers"]):
        for part in ("key", "value"):
            inputs[f"past.{layer}.{part}"] = rng.standard_normal(
                (batch, c["heads"], past, c["hidden"] // c["heads"]), dtype=np.float32)
    models = [(decoder(name, external, level, c).save(folder), inputs)
              for name, level in (("nbits_decoder", None), ("nbits_decoder_acc4", 4))]
    external.close()
    return models
