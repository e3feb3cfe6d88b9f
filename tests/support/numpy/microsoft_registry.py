# SPDX-License-Identifier: MIT
"""The table of operators of com.microsoft in numpy, and what they share.

An operator is a function of the attributes and the inputs that gives the outputs; inputs that are
left out are None.
"""

import numpy as np

OPERATORS = {}


def operator(f):
    OPERATORS[f.__name__] = f
    return f


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def scaled(x, scale, zero):
    zero = 0 if zero is None else zero.astype(np.float64)
    return (x.astype(np.float64) - zero) * scale


def quantised(x, scale, zero):
    info = np.iinfo(zero.dtype)
    return np.clip(np.rint(x / scale) + zero, info.min, info.max).astype(zero.dtype)


def like(y, x):
    return y.astype(x.dtype)


def complex_of(x):
    return x[..., 0] + 1j * x[..., 1]


def parts(x, dtype):
    return np.stack([x.real, x.imag], -1).astype(dtype)
