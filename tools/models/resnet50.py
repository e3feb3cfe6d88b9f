# SPDX-License-Identifier: MIT
"""ResNet-50, stride in the 3x3 convolution (small: the same stages with 1/8 of the channels).

  input: float [batch,3,224,224] (small: [batch,3,32,32])
  logits: float [batch,1000] (small: [batch,10])
"""

import numpy as np

from models.builder import Builder, chosen
from models.convolution import classifier, conv_norm

SEED = 103


def bottleneck(b, x, inputs, inner, stride):
    outputs = 4 * inner
    y = b.node("Relu", conv_norm(b, "conv1", x, inputs, inner, 1))
    y = b.node("Relu", conv_norm(b, "conv2", y, inner, inner, 3, stride))
    # A small last scale keeps the sum over sixteen blocks from growing.
    y = conv_norm(b, "conv3", y, inner, outputs, 1, scale=0.4)
    if stride != 1 or inputs != outputs:
        x = conv_norm(b, "downsample", x, inputs, outputs, 1, stride, gain=1.0)
    return b.node("Relu", b.node("Add", y, x))


def build(folder, small, shape):
    width, depths = (8, (2, 2, 2, 1)) if small else (64, (3, 4, 6, 3))
    size, classes = (32, 10) if small else (224, 1000)
    b = Builder("resnet50", SEED)
    x = b.input("input", np.float32, ["batch", 3, size, size])
    x = b.node("Relu", conv_norm(b, "stem", x, 3, width, 7, 2))
    x = b.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = width
    for stage, depth in enumerate(depths):
        inner = width << stage
        for block in range(depth):
            with b.scope(f"layer{stage + 1}.{block}"):
                x = bottleneck(b, x, channels, inner, 2 if stage and not block else 1)
            channels = 4 * inner
    classifier(b, x, channels, classes)
    b.output("logits", np.float32, ["batch", classes])

    rng = np.random.default_rng(SEED + 1)
    batch = chosen(shape.batch, 2 if small else 1)
    image = rng.standard_normal((batch, 3, size, size), dtype=np.float32)
    return [(b.save(folder), {"input": image})]
