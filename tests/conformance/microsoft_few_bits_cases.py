# SPDX-License-Identifier: MIT
"""Models of one node with weights of 2, 4 and 8 bits: name, attributes, inputs."""

import numpy as np

from microsoft_inputs import R, Constant, floats, integers


def few_bits_cases():
    def constants(bits, n, k, block, dtype=np.float32):
        blocks = -(-k // block)
        packed = (n, -(-blocks * bits // 8))
        return (Constant(integers(np.uint8, n, blocks, block * bits // 8)),
                Constant((abs(floats(n, blocks)) * 0.2 / (1 << bits)).astype(dtype)),
                {"packed": Constant(integers(np.uint8, *packed)),
                 "floats": Constant((R.uniform(0, 1 << bits, (n, blocks))).astype(dtype))})

    for bits in (2, 4, 8):
        for block, k in ((16, 77), (32, 64), (64, 100), (128, 300), (256, 256)):
            a = {"K": k, "N": 19, "bits": bits, "block_size": block}
            q, scale, zeros = constants(bits, 19, k, block)
            bias = Constant(floats(19))
            yield "MatMulNBits", a, [floats(1, k), q, scale]
            yield "MatMulNBits", a, [floats(2, 9, k), q, scale, zeros["packed"], None, bias]
            yield "MatMulNBits", a, [floats(3, k), q, scale, zeros["floats"]]
        a = {"K": 70, "N": 21, "bits": bits, "block_size": 32}
        q, scale, zeros = constants(bits, 21, 70, 32)
        for groups in (np.arange(70) % 3, np.arange(70) // 32, R.randint(0, 3, 96)):
            for rows in (1, 8):
                yield "MatMulNBits", a, [floats(rows, 70), q, scale, zeros["packed"],
                                         Constant(groups.astype(np.int32))]
        q, scale, zeros = constants(bits, 21, 70, 32, np.float16)
        for zero in (None, zeros["packed"], zeros["floats"]):
            yield "MatMulNBits", a, [floats(5, 70).astype(np.float16), q, scale, zero, None,
                                     Constant(floats(21).astype(np.float16))]
