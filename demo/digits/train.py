#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Trains the digits network on images.bin and writes digits.onnx.

Also written: digits_shuffled.onnx (the same weights, shuffled) and expected_logits.npy (the logits
of the held-back images, evaluated in float64 from digits.onnx by tests/support/numpy). The
held-back images take no part in training: they neither choose the epoch nor any setting of it.
Needs numpy and python3-onnx; takes about a minute.
"""

import os
import sys

# One thread: the order of additions, and with it the result, must not depend on the machine's load.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from export import save_models
from network import Network
from prepare_data import HERE, read_records

sys.path.insert(0, os.path.join(HERE, "../../tests/support/numpy"))
from onnx_numpy import evaluate

SEED = 17
EPOCHS = 40
BATCH = 64
PEAK_RATE = 4e-3
WEIGHT_DECAY = 1e-4


class Adam:
    def __init__(self, network):
        self.slots = {name: [np.zeros_like(layer.params[key]) for _ in range(2)]
                      for name, layer, key in network.parameters()}
        self.step_count = 0

    def step(self, network, rate):
        self.step_count += 1
        for name, layer, key in network.parameters():
            gradient = layer.grads[key]
            if key == "weight":
                gradient = gradient + WEIGHT_DECAY * layer.params[key]
            first, second = self.slots[name]
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient**2 - second)
            mean = first / (1 - 0.9**self.step_count)
            var = second / (1 - 0.999**self.step_count)
            update = rate * mean / (np.sqrt(var) + 1e-8)
            layer.params[key] -= update.astype(np.float32)


def shifted(images, rng):
    """Each image moved by at most one pixel; what leaves the frame is lost."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    result = np.empty_like(images)
    for i, (dy, dx) in enumerate(rng.integers(0, 3, (len(images), 2))):
        result[i] = padded[i, :, dy : dy + 8, dx : dx + 8]
    return result


def loss_and_gradient(logits, labels):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities = e / e.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(probabilities[rows, labels] + 1e-12).mean()
    probabilities[rows, labels] -= 1
    return loss, (probabilities / len(labels)).astype(np.float32)


def train(images, labels):
    rng = np.random.default_rng(SEED)
    network = Network(rng)
    adam = Adam(network)
    step_total = EPOCHS * (len(images) // BATCH)
    for epoch in range(EPOCHS):
        order = rng.permutation(len(images))
        losses = []
        for start in range(0, len(images) - BATCH + 1, BATCH):
            batch = order[start : start + BATCH]
            logits = network.forward(shifted(images[batch], rng), training=True)
            loss, gradient = loss_and_gradient(logits, labels[batch])
            network.backward(gradient)
            progress = adam.step_count / step_total
            rate = PEAK_RATE * min(progress / 0.1, 0.5 * (1 + np.cos(np.pi * progress)))
            adam.step(network, rate)
            losses.append(loss)
        print(f"epoch {epoch + 1:2}: loss {np.mean(losses):.4f}", flush=True)
    return network


def accuracy(logits, labels):
    return 100 * float((logits.argmax(axis=1) == labels).mean())


def main():
    records = read_records()
    images = records["pixels"].astype(np.float32) / np.float32(16)
    labels = records["label"].astype(np.int64)
    held_back = records["held_back"] == 1

    network = train(images[~held_back], labels[~held_back])
    path, shuffled_path = (os.path.join(HERE, name + ".onnx")
                           for name in ("digits", "digits_shuffled"))
    save_models(network, path, shuffled_path, SEED)

    test_images, test_labels = images[held_back], labels[held_back]
    logits = evaluate(path, {"images": test_images})["logits"]
    np.save(os.path.join(HERE, "expected_logits.npy"), logits)
    own = network.forward(test_images)
    shuffled = evaluate(shuffled_path, {"images": test_images})["logits"]
    known = network.forward(images[~held_back])
    print(f"training images:  {accuracy(known, labels[~held_back]):.2f} %")
    print(f"held-back images: {accuracy(logits, test_labels):.2f} %")
    print(f"shuffled weights: {accuracy(shuffled, test_labels):.2f} %")
    print(f"largest difference of trainer and evaluator: {np.abs(own - logits).max():.2e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
