# SPDX-License-Identifier: MIT
"""One MatMul with a constant weight: x float [rows, inputs] -> y float [rows, outputs]."""

import math

import numpy as np

from models.builder import Builder, chosen

SEED = 100


def build(folder, small, shape):
    inputs, outputs = (4, 3) if small else (768, 512)
    b = Builder("matmul", SEED)
    x = b.input("x", np.float32, ["rows", inputs])
    weight = b.normal("weight", (inputs, outputs), 1 / math.sqrt(inputs))
    b.node("MatMul", x, weight, result="y")
    b.output("y", np.float32, ["rows", outputs])
    rows = chosen(shape.batch, 2 if small else 64)
    rng = np.random.default_rng(SEED + 1)
    return [(b.save(folder), {"x": rng.standard_normal((rows, inputs), dtype=np.float32)})]
