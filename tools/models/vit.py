# SPDX-License-Identifier: MIT
"""ViT-B/16 (small: 2 layers of 32, patches of 8), pre-norm.

  pixel_values: float [batch,3,224,224] (small: [batch,3,32,32])
  logits: float [batch,1000] (small: [batch,10])
"""

import math

import numpy as np

from models.builder import Builder, chosen
from models.encoder import self_attention

FULL = dict(hidden=768, layers=12, heads=12, inner=3072, image=224, patch=16, classes=1000)
SMALL = dict(hidden=32, layers=2, heads=4, inner=64, image=32, patch=8, classes=10)
SEED = 105


def embeddings(b, c, pixels):
    hidden, patch = c["hidden"], c["patch"]
    count = (c["image"] // patch) ** 2
    with b.scope("embeddings"):
        with b.scope("patch_embeddings"):
            weight = b.normal("weight", (hidden, 3, patch, patch), 1 / math.sqrt(3 * patch**2))
            x = b.node("Conv", pixels, weight, b.normal("bias", (hidden,), 0.02),
                       kernel_shape=[patch] * 2, strides=[patch] * 2, pads=[0] * 4,
                       dilations=[1, 1], group=1)
            batch, channels = b.size(x, 0), b.size(x, 1)
            x = b.node("Reshape", x, b.shape_of(batch, channels, -1))
            x = b.node("Transpose", x, perm=[0, 2, 1])
        token = b.normal("cls_token", (1, 1, hidden), 0.5)
        token = b.node("Expand", token, b.shape_of(b.size(pixels, 0), 1, hidden))
        x = b.node("Concat", token, x, axis=1)
        return b.node("Add", x, b.normal("position_embeddings", (1, count + 1, hidden), 0.2))


def layer(b, c, x):
    hidden = c["hidden"]
    with b.scope("layernorm_before"):
        y = b.layer_norm(x, hidden)
    with b.scope("attention"):
        y = self_attention(b, y, None, hidden, c["heads"], computed=True)
        with b.scope("output.dense"):
            x = b.node("Add", b.linear(y, hidden, hidden, gain=0.5), x)
    with b.scope("layernorm_after"):
        y = b.layer_norm(x, hidden)
    with b.scope("intermediate.dense"):
        y = b.gelu(b.linear(y, hidden, c["inner"]))
    with b.scope("output.dense"):
        return b.node("Add", b.linear(y, c["inner"], hidden, gain=0.5), x)


def build(folder, small, shape):
    c = SMALL if small else FULL
    b = Builder("vit", SEED)
    pixels = b.input("pixel_values", np.float32, ["batch", 3, c["image"], c["image"]])
    x = embeddings(b, c, pixels)
    with b.scope("encoder"):
        for i in range(c["layers"]):
            with b.scope(f"layer.{i}"):
                x = layer(b, c, x)
    with b.scope("layernorm"):
        x = b.layer_norm(x, c["hidden"])
    first = b.node("Gather", x, b.constant(0, np.int64), axis=1)
    with b.scope("classifier"):
        b.gemm(first, c["hidden"], c["classes"])
    b.nodes[-1].output[0] = "logits"
    b.output("logits", np.float32, ["batch", c["classes"]])

    rng = np.random.default_rng(SEED + 1)
    batch = chosen(shape.batch, 2 if small else 1)
    image = rng.standard_normal((batch, 3, c["image"], c["image"]), dtype=np.float32)
    return [(b.save(folder), {"pixel_values": image})]
