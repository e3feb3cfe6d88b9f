# SPDX-License-Identifier: MIT
"""The model of docs/tour.md: y = relu(x . w + b), x float [batch, 8] -> y float [batch, 5]."""

import math

import numpy as np

from models.builder import Builder, chosen

SEED = 101


def build(folder, small, shape):
    b = Builder("tour", SEED)
    x = b.input("x", np.float32, ["batch", 8])
    product = b.node("MatMul", x, b.normal("w", (8, 5), 1 / math.sqrt(8)))
    biased = b.node("Add", product, b.normal("b", (5,), 1))
    b.node("Relu", biased, result="y")
    b.output("y", np.float32, ["batch", 5])
    rng = np.random.default_rng(SEED + 1)
    batch = chosen(shape.batch, 3)
    return [(b.save(folder), {"x": rng.standard_normal((batch, 8), dtype=np.float32)})]
