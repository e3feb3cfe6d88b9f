# SPDX-License-Identifier: MIT
"""MobileNetV2, width 1.0 (small: four blocks of few channels). ReLU6 is a Clip to 0..6.

  input: float [batch,3,224,224] (small: [batch,3,32,32])
  logits: float [batch,1000] (small: [batch,10])
"""

import numpy as np

from models.builder import Builder, chosen
from models.convolution import classifier, conv_norm

# Expansion, channels, blocks, stride of the first block.
FULL = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
        (6, 160, 3, 2), (6, 320, 1, 1))
SMALL = ((1, 8, 1, 1), (6, 12, 2, 2), (6, 16, 1, 2))
SEED = 104


def relu6(b, x):
    return b.node("Clip", x, b.constant(0.0), b.constant(6.0))


def inverted_residual(b, x, inputs, outputs, stride, expansion):
    inner = inputs * expansion
    y = x
    if expansion != 1:
        y = relu6(b, conv_norm(b, "expand", y, inputs, inner, 1))
    y = relu6(b, conv_norm(b, "depthwise", y, inner, inner, 3, stride, groups=inner))
    same = stride == 1 and inputs == outputs
    y = conv_norm(b, "project", y, inner, outputs, 1, scale=0.6 if same else 1.0)
    return b.node("Add", x, y) if same else y


def build(folder, small, shape):
    stem, last, size, classes = (8, 64, 32, 10) if small else (32, 1280, 224, 1000)
    b = Builder("mobilenetv2", SEED)
    x = b.input("input", np.float32, ["batch", 3, size, size])
    x = relu6(b, conv_norm(b, "features.0", x, 3, stem, 3, 2))
    channels, index = stem, 1
    for expansion, outputs, depth, stride in SMALL if small else FULL:
        for block in range(depth):
            with b.scope(f"features.{index}"):
                x = inverted_residual(b, x, channels, outputs, stride if block == 0 else 1,
                                      expansion)
            channels, index = outputs, index + 1
    x = relu6(b, conv_norm(b, f"features.{index}", x, channels, last, 1))
    classifier(b, x, last, classes)
    b.output("logits", np.float32, ["batch", classes])

    rng = np.random.default_rng(SEED + 1)
    batch = chosen(shape.batch, 2 if small else 1)
    image = rng.standard_normal((batch, 3, size, size), dtype=np.float32)
    return [(b.save(folder), {"input": image})]
