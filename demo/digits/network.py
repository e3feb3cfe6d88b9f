# SPDX-License-Identifier: MIT
"""The digits network in numpy, forward and backward, for training only.

  images [n,1,8,8] -> stem Conv, BatchNorm, Relu
                   -> block: Conv+bias, Relu, Conv, BatchNorm, Add to its input, Relu
                   -> MaxPool 2x2 -> wide Conv+bias, Relu -> MaxPool 2x2 -> Flatten
                   -> classifier Gemm -> logits [n,10]

A layer keeps in forward() what backward() needs; backward() returns the gradient of its input and
leaves those of its parameters in `grads` under the names of `params`.
"""

import numpy as np

CHANNELS, WIDE_CHANNELS = 24, 48
BN_EPSILON = np.float32(1e-5)


class Conv:
    """3x3, stride 1, padding 1."""

    def __init__(self, rng, inputs, outputs, bias):
        scale = np.sqrt(2 / (9 * inputs))
        weight = scale * rng.standard_normal((outputs, inputs, 3, 3))
        self.params = {"weight": weight.astype(np.float32)}
        if bias:
            self.params["bias"] = np.zeros(outputs, np.float32)
        self.grads = {}

    def forward(self, x, training):
        n, c, h, w = x.shape
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        taps = [padded[:, :, i : i + h, j : j + w] for i in range(3) for j in range(3)]
        self.columns = np.stack(taps, axis=2).reshape(n, c * 9, h * w)
        weight = self.params["weight"].reshape(-1, c * 9)
        y = np.matmul(weight, self.columns).reshape(n, -1, h, w)
        return y + self.params["bias"].reshape(1, -1, 1, 1) if "bias" in self.params else y

    def backward(self, dy):
        weight = self.params["weight"]
        n, outputs, h, w = dy.shape
        flat = dy.reshape(n, outputs, h * w)
        gradient = np.matmul(flat, self.columns.transpose(0, 2, 1)).sum(axis=0)
        self.grads["weight"] = gradient.reshape(weight.shape)
        if "bias" in self.params:
            self.grads["bias"] = flat.sum(axis=(0, 2))
        taps = np.matmul(weight.reshape(outputs, -1).T, flat).reshape(n, -1, 9, h, w)
        padded = np.zeros((n, taps.shape[1], h + 2, w + 2), np.float32)
        for i in range(3):
            for j in range(3):
                padded[:, :, i : i + h, j : j + w] += taps[:, :, 3 * i + j]
        return padded[:, :, 1:-1, 1:-1]


class BatchNorm:
    """Batch statistics when training, running statistics otherwise."""

    def __init__(self, channels, momentum=0.95):
        self.params = {"scale": np.ones(channels, np.float32),
                       "bias": np.zeros(channels, np.float32)}
        self.grads = {}
        self.mean = np.zeros(channels, np.float32)
        self.var = np.ones(channels, np.float32)
        self.momentum = np.float32(momentum)

    def forward(self, x, training):
        mean, var = self.mean, self.var
        if training:
            mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
            count = x.size // x.shape[1]
            keep, add = self.momentum, 1 - self.momentum
            self.mean = keep * self.mean + add * mean
            self.var = keep * self.var + add * var * np.float32(count / (count - 1))
        self.inverse = (1 / np.sqrt(var + BN_EPSILON)).reshape(1, -1, 1, 1)
        self.normal = (x - mean.reshape(1, -1, 1, 1)) * self.inverse
        scale, bias = (self.params[k].reshape(1, -1, 1, 1) for k in ("scale", "bias"))
        return self.normal * scale + bias

    def backward(self, dy):
        axes = (0, 2, 3)
        self.grads["scale"] = (dy * self.normal).sum(axis=axes)
        self.grads["bias"] = dy.sum(axis=axes)
        d = dy * self.params["scale"].reshape(1, -1, 1, 1)
        mean = d.mean(axis=axes, keepdims=True)
        slope = (d * self.normal).mean(axis=axes, keepdims=True)
        return (d - mean - self.normal * slope) * self.inverse


class Relu:
    params, grads = {}, {}

    def forward(self, x, training):
        self.positive = x > 0
        return x * self.positive

    def backward(self, dy):
        return dy * self.positive


class MaxPool:
    """2x2 with stride 2; of equal elements the first takes the gradient."""

    params, grads = {}, {}

    def forward(self, x, training):
        n, c, h, w = x.shape
        tiles = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5)
        tiles = tiles.reshape(n, c, h // 2, w // 2, 4)
        self.choice = tiles.argmax(axis=-1)[..., None]
        return np.take_along_axis(tiles, self.choice, axis=-1)[..., 0]

    def backward(self, dy):
        n, c, h, w = dy.shape
        tiles = np.zeros((n, c, h, w, 4), np.float32)
        np.put_along_axis(tiles, self.choice, dy[..., None], axis=-1)
        tiles = tiles.reshape(n, c, h, w, 2, 2).transpose(0, 1, 2, 4, 3, 5)
        return tiles.reshape(n, c, 2 * h, 2 * w)


class Classifier:
    """Flatten and Gemm; the weight is [classes, features]."""

    def __init__(self, rng, features, classes):
        weight = rng.standard_normal((classes, features)) / np.sqrt(features)
        self.params = {"weight": weight.astype(np.float32),
                       "bias": np.zeros(classes, np.float32)}
        self.grads = {}

    def forward(self, x, training):
        self.shape, self.x = x.shape, x.reshape(len(x), -1)
        return self.x @ self.params["weight"].T + self.params["bias"]

    def backward(self, dy):
        self.grads["weight"], self.grads["bias"] = dy.T @ self.x, dy.sum(axis=0)
        return (dy @ self.params["weight"]).reshape(self.shape)


class Network:
    def __init__(self, rng):
        self.layers = {
            "stem/conv": Conv(rng, 1, CHANNELS, bias=False),
            "stem/bn": BatchNorm(CHANNELS),
            "stem/relu": Relu(),
            "block/conv1": Conv(rng, CHANNELS, CHANNELS, bias=True),
            "block/relu1": Relu(),
            "block/conv2": Conv(rng, CHANNELS, CHANNELS, bias=False),
            "block/bn2": BatchNorm(CHANNELS),
            "block/relu": Relu(),
            "block/pool": MaxPool(),
            "wide/conv": Conv(rng, CHANNELS, WIDE_CHANNELS, bias=True),
            "wide/relu": Relu(),
            "wide/pool": MaxPool(),
            "classifier": Classifier(rng, WIDE_CHANNELS * 4, 10),
        }

    def forward(self, x, training=False):
        for name, layer in self.layers.items():
            if name == "block/conv1":
                shortcut = x
            x = layer.forward(x, training)
            if name == "block/bn2":
                x = x + shortcut
        return x

    def backward(self, dy):
        for name, layer in reversed(self.layers.items()):
            if name == "block/bn2":
                shortcut = dy
            dy = layer.backward(dy)
            if name == "block/conv1":
                dy = dy + shortcut
        return dy

    def parameters(self):
        for name, layer in self.layers.items():
            for key in layer.params:
                yield f"{name}/{key}", layer, key
