# SPDX-License-Identifier: MIT
"""Inputs of the models of com.microsoft's operators: random numbers, always the same ones."""

import numpy as np

R = np.random.RandomState(5)


class Constant:
    """An input that stands in the model."""

    def __init__(self, array):
        self.array = np.asarray(array)


def floats(*shape):
    return R.standard_normal(shape).astype(np.float32)


def integers(dtype, *shape):
    info = np.iinfo(dtype)
    return R.randint(max(info.min, -30000), min(info.max, 30000) + 1, shape).astype(dtype)


def scalar(value, dtype=np.float32):
    return Constant(np.array(value, dtype))
