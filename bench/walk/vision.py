# SPDX-License-Identifier: MIT
"""Detection, sampling, signals."""

import numpy as np

from .case import Case, Node, fed, numbers


def _boxes(count):
    rng = np.random.default_rng(7)
    corner = rng.uniform(0, 500, (1, count, 2))
    return np.concatenate([corner, corner + rng.uniform(5, 120, (1, count, 2))], 2)


def _suppressed(s):
    count = s(1000)
    return Node([fed(1, count, 4, data=_boxes(count)), fed(1, 1, count, low=0, high=1),
                 numbers([100]), numbers([0.5], "f32"), numbers([0.2], "f32")])


def _roi_align(s):
    count = s(100)
    boxes = _boxes(count)[0] / 16
    return Node([fed(1, s(64), 50, 50), fed(count, 4, data=boxes),
                 fed(count, type="i64", data=[0] * count)],
                {"output_height": 7, "output_width": 7, "sampling_ratio": 2,
                 "spatial_scale": 1.0})


def _max_roi_pool(s):
    count = s(50)
    boxes = np.concatenate([np.zeros((count, 1)), _boxes(count)[0] / 16], 1)
    return Node([fed(1, s(64), 50, 50), fed(count, 5, data=boxes)],
                {"pooled_shape": [7, 7], "spatial_scale": 1.0})


def _grid_sample(mode, channels=64):
    def build(s):
        c = s(channels) if channels > 1 else 1
        return Node([fed(1, c, s(56), s(56)), fed(1, s(56), s(56), 2, low=-1.1, high=1.1)],
                    {"mode": mode})
    return build


def _max_unpool(s):
    c, size = s(16), s(28)
    places = 4 * np.arange(c * size * size).reshape(1, c, size, size)
    return Node([fed(1, c, size, size), numbers(places)],
                {"kernel_shape": [2, 2], "strides": [2, 2]})


def cases():
    yield Case("NonMaxSuppression.boxes", _suppressed)
    yield Case("RoiAlign.seven", _roi_align)
    yield Case("MaxRoiPool.seven", _max_roi_pool)
    yield Case("MaxUnpool.two", _max_unpool)
    for mode in ("bilinear", "nearest", "bicubic"):
        yield Case(f"GridSample.{mode}", _grid_sample(mode), opset=16)
        yield Case(f"GridSample.{mode}.of1", _grid_sample(mode, 1), opset=16)
    yield Case("STFT.speech", lambda s: Node([
        fed(1, s(16000), 1), numbers(160), None, numbers(400)], {"onesided": 1}), arithmetic="signal")
    yield Case("DFT.rows", lambda s: Node([fed(s(64), s(512), 1)], {"axis": 1, "onesided": 1}),
               arithmetic="signal")
    yield Case("Det.small", lambda s: Node([fed(s(256), 4, 4)]))
