# SPDX-License-Identifier: MIT
"""Operators of com.microsoft over images and signals, in numpy."""

import numpy as np

from microsoft_registry import complex_of, like, operator, parts, sigmoid


def group_norm(a, x, gamma, beta):
    last = a.get("channels_last", 1)
    y = x.astype(np.float64) if last else np.moveaxis(x, 1, -1).astype(np.float64)
    n, h, w, c = y.shape
    groups = y.reshape(n, h * w, a["groups"], c // a["groups"])
    mean = groups.mean((1, 3), keepdims=True)
    spread = np.sqrt(groups.var((1, 3), keepdims=True) + a["epsilon"])
    y = ((groups - mean) / spread).reshape(y.shape) * gamma + beta
    y = y * sigmoid(y) if a["activation"] else y
    return like(y if last else np.moveaxis(y, -1, 1), x)


@operator
def GroupNorm(a, x, gamma, beta):
    return [group_norm(a, x, gamma, beta)]


@operator
def SkipGroupNorm(a, x, gamma, beta, skip, bias=None):
    skip = skip if skip.ndim == 4 else skip[:, None, None]
    total = x + skip + (0 if bias is None else bias)
    return [group_norm(a, total, gamma, beta), total]


def signal_axes(a, rank):
    return tuple(range(rank - a["signal_ndim"], rank))


@operator
def Rfft(a, x):
    return [parts(np.fft.rfftn(x, axes=signal_axes(a, x.ndim)), x.dtype)]


@operator
def Irfft(a, x):
    return [like(np.fft.irfftn(complex_of(x), axes=signal_axes(a, x.ndim - 1)), x)]


@operator
def NhwcMaxPool(a, x):
    (p, q), (s, t) = a["kernel_shape"], a["strides"]
    h, w = (x.shape[1] - p) // s + 1, (x.shape[2] - q) // t + 1
    windows = [x[:, i:i + s * h:s, j:j + t * w:t] for i in range(p) for j in range(q)]
    return [np.max([window[:, :h, :w] for window in windows], 0)]


@operator
def NhwcConv(a, x, w, b):
    p, q = w.shape[2:]
    h, v = x.shape[1] - p + 1, x.shape[2] - q + 1
    y = sum(x[:, i:i + h, j:j + v] @ w[:, :, i, j].T for i in range(p) for j in range(q))
    return [y + b]


@operator
def NhwcFusedConv(a, x, w, b, z):
    return [np.maximum(NhwcConv(a, x, w, b)[0] + z, 0)]


@operator
def GridSample(a, x, grid):
    """Bilinear between the centres of the corners, zeros outside."""
    y = np.zeros(x.shape[:2] + grid.shape[1:3], np.float64)
    for n, i, j in np.ndindex(grid.shape[:3]):
        column, row = (grid[n, i, j] + 1) / 2 * (x.shape[3] - 1, x.shape[2] - 1)
        for r in (np.floor(row), np.floor(row) + 1):
            for c in (np.floor(column), np.floor(column) + 1):
                if 0 <= r < x.shape[2] and 0 <= c < x.shape[3]:
                    weight = (1 - abs(row - r)) * (1 - abs(column - c))
                    y[n, :, i, j] += weight * x[n, :, int(r), int(c)]
    return [like(y, x)]


@operator
def ConvTransposeWithDynamicPads(a, x, w, pads, b):
    s, t = a["strides"]
    p, q = w.shape[2:]
    h, v = x.shape[2:]
    y = np.zeros((x.shape[0], w.shape[1], (h - 1) * s + p, (v - 1) * t + q), x.dtype)
    for i in range(p):
        for j in range(q):
            y[:, :, i:i + s * h:s, j:j + t * v:t] += np.einsum("nchw,cm->nmhw", x, w[:, :, i, j])
    top, left, low, right = pads
    return [y[:, :, top:y.shape[2] - low, left:y.shape[3] - right] + b[:, None, None]]
