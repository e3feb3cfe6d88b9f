# SPDX-License-Identifier: MIT
"""One product of uint8 rows with uint8 weights, both with zero points: MatMulInteger, and beside it
QLinearMatMul with the same weights.

  x: uint8 [rows, inputs] -> sums: int32 [rows, outputs] (matmul_u8.onnx)
  x: uint8 [rows, inputs] -> y: uint8 [rows, outputs] (qlinear_u8.onnx)
"""

import numpy as np

from models.builder import Builder, chosen

SEED = 112


def build(folder, small, shape):
    inputs, outputs = (20, 9) if small else (768, 3072)
    rows = chosen(shape.batch, 5 if small else 512)
    rng = np.random.default_rng(SEED)
    weight = np.clip(rng.normal(131, 32, (inputs, outputs)), 0, 255).astype(np.uint8)
    x = rng.integers(0, 256, (rows, inputs), dtype=np.uint8)

    integer = Builder("matmul_u8", SEED)
    name = integer.input("x", np.uint8, ["rows", inputs])
    w = integer.tensor("weight", weight)
    zeros = [integer.tensor("x_zero_point", np.uint8(120)), integer.tensor("zero_point",
                                                                          np.uint8(131))]
    integer.node("MatMulInteger", name, w, *zeros, result="sums")
    integer.output("sums", np.int32, ["rows", outputs])

    linear = Builder("qlinear_u8", SEED)
    name = linear.input("x", np.uint8, ["rows", inputs])
    w = linear.tensor("weight", weight)
    constant = linear.tensor
    # Sums have a deviation of about 74 * 32 * sqrt(inputs); 4 of them fill half the range.
    y_scale = np.float32(0.02 * 0.01 * 74 * 32 * np.sqrt(inputs) * 4 / 128)
    linear.node("QLinearMatMul", name, constant("x_scale", np.float32(0.02)),
                constant("x_zero_point", np.uint8(120)), w, constant("scale", np.float32(0.01)),
                constant("zero_point", np.uint8(131)), constant("y_scale", y_scale),
                constant("y_zero_point", np.uint8(128)), result="y")
    linear.output("y", np.uint8, ["rows", outputs])
    return [(integer.save(folder), {"x": x}), (linear.save(folder), {"x": x})]
