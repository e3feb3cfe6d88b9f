# SPDX-License-Identifier: MIT
"""ResNet-50 in QDQ form: uint8 activations, int8 weights with a scale for each channel, int32
biases, normalisations folded (small: the same stages with 1/8 of the channels).

  input: float [batch,3,224,224] (small: [batch,3,32,32])
  logits: float [batch,1000] (small: [batch,10])
"""

import math

import numpy as np

from models.builder import chosen
from models.quantised import QuantisedBuilder, Traced

SEED = 110


def bottleneck(b, x, inputs, inner, stride):
    outputs = 4 * inner
    y = b.quantised(b.relu(b.conv("conv1", x, inputs, inner, 1)))
    y = b.quantised(b.relu(b.conv("conv2", y, inner, inner, 3, stride)))
    # A small last gain keeps the sum over sixteen blocks from growing.
    y = b.quantised(b.conv("conv3", y, inner, outputs, 1, gain=0.5))
    if stride != 1 or inputs != outputs:
        x = b.quantised(b.conv("downsample", x, inputs, outputs, 1, stride, gain=1.0))
    return b.quantised(b.relu(b.add(y, x)))


def max_pool(b, x):
    padded = np.pad(x.array, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    size = (x.array.shape[2] + 1) // 2
    parts = [padded[:, :, i:i + 2 * size - 1:2, j:j + 2 * size - 1:2]
             for i in range(3) for j in range(3)]
    name = b.node("MaxPool", x.name, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    return b.quantised_like(Traced(name, np.maximum.reduce(parts)), x)


def classifier(b, x, features, classes):
    pooled = Traced(b.node("GlobalAveragePool", x.name),
                    x.array.mean(axis=(2, 3), keepdims=True))
    x = b.quantised(pooled)
    flat = Traced(b.node("Flatten", x.name, axis=1), x.array.reshape(x.array.shape[0], -1))
    x = b.quantised_like(flat, x)
    with b.scope("fc"):
        weight = b.random((classes, features), 2 / math.sqrt(features))
        w, w_array, w_scale = b.int8_weight("weight", weight, axis=0)
        bias, bias_array = b.int32_bias("bias", b.random((classes,), 0.1), x, w_scale)
        y = Traced(b.node("Gemm", x.name, w, bias, transB=1), x.array @ w_array.T + bias_array)
        b.quantised(y)
    b.nodes[-1].output[0] = "logits"


def build(folder, small, shape):
    width, depths = (8, (2, 2, 2, 1)) if small else (64, (3, 4, 6, 3))
    size, classes = (32, 10) if small else (224, 1000)
    rng = np.random.default_rng(SEED + 1)
    batch = chosen(shape.batch, 2 if small else 1)
    image = rng.standard_normal((max(batch, 1), 3, size, size), dtype=np.float32)
    sample = np.random.default_rng(SEED + 2).standard_normal((1, 3, size, size), dtype=np.float32)

    b = QuantisedBuilder("resnet50_qdq", SEED)
    x = Traced(b.input("input", np.float32, ["batch", 3, size, size]), sample)
    x = b.quantised(b.relu(b.conv("stem", b.quantised(x), 3, width, 7, 2)))
    x = max_pool(b, x)
    channels = width
    for stage, depth in enumerate(depths):
        inner = width << stage
        for block in range(depth):
            with b.scope(f"layer{stage + 1}.{block}"):
                x = bottleneck(b, x, channels, inner, 2 if stage and not block else 1)
            channels = 4 * inner
    classifier(b, x, channels, classes)
    b.output("logits", np.float32, ["batch", classes])
    return [(b.save(folder), {"input": image})]
