# SPDX-License-Identifier: MIT
"""A detector in the manner of YOLOv8s at 640x640 (small: few channels at 64x64), with its NMS.

  images: float [1,3,640,640]
  boxes: float [1,anchors,4], centre and size in pixels; scores: float [1,classes,anchors]
  selected: int64 [found,3], rows of (batch, class, anchor) that NonMaxSuppression kept

anchors is 8400: the cells of the maps of 80x80, 40x40 and 20x20. As in the exports of such
detectors normalisation is folded into the convolutions, SiLU is Sigmoid and Mul, and boxes are
the expectation over 16 bins per side (Softmax, then a 1x1 Conv with weights 0..15).
"""

import math

import numpy as np

from models.builder import Builder

FULL = dict(width=0.5, depth=(1, 2, 2, 1), image=640, classes=80, threshold=0.25, gain=6.5,
            mean=-5.0)
SMALL = dict(width=0.0625, depth=(1, 1, 1, 1), image=64, classes=5, threshold=0.25, gain=14.0,
             mean=-2.5)
BINS = 16
STRIDES = (8, 16, 32)
SEED = 108


def conv(b, name, x, inputs, outputs, kernel=1, stride=1):
    """Conv with bias, then SiLU."""
    with b.scope(name):
        with b.scope("conv"):
            x = plain_conv(b, x, inputs, outputs, kernel, stride)
        with b.scope("act"):
            return b.node("Mul", x, b.node("Sigmoid", x))


def plain_conv(b, x, inputs, outputs, kernel=1, stride=1, gain=1.62, mean=0.0):
    # Between what SiLU needs for large values, as ReLU, and for small ones, which it halves.
    weight = b.normal("weight", (outputs, inputs, kernel, kernel),
                      gain / math.sqrt(inputs * kernel * kernel))
    return b.node("Conv", x, weight, b.normal("bias", (outputs,), 0.1, mean=mean),
                  kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4,
                  dilations=[1, 1], group=1)


def cross_stage(b, name, x, inputs, outputs, depth, shortcut):
    """Half of the channels goes through `depth` bottlenecks; all stages are concatenated."""
    half = outputs // 2
    with b.scope(name):
        x = conv(b, "cv1", x, inputs, outputs)
        parts = b.node("Split", x, b.ints(half, half), outputs=2, axis=1)
        for i in range(depth):
            with b.scope(f"m.{i}"):
                y = conv(b, "cv1", parts[-1], half, half, 3)
                y = conv(b, "cv2", y, half, half, 3)
                parts.append(b.node("Add", parts[-1], y) if shortcut else y)
        x = b.node("Concat", *parts, axis=1)
        return conv(b, "cv2", x, (2 + depth) * half, outputs)


def pyramid_pooling(b, name, x, channels):
    half = channels // 2
    with b.scope(name):
        parts = [conv(b, "cv1", x, channels, half)]
        for _ in range(3):
            parts.append(b.node("MaxPool", parts[-1], kernel_shape=[5, 5], strides=[1, 1],
                                pads=[2, 2, 2, 2], dilations=[1, 1], ceil_mode=0))
        return conv(b, "cv2", b.node("Concat", *parts, axis=1), 4 * half, channels)


def upsample(b, x):
    scales = b.constant([1.0, 1.0, 2.0, 2.0])
    return b.node("Resize", x, "", scales, mode="nearest", nearest_mode="floor",
                  coordinate_transformation_mode="asymmetric")


def backbone_and_neck(b, x, c):
    w1, w2, w3, w4, w5 = (int(n * c["width"]) for n in (64, 128, 256, 512, 1024))
    d1, d2, d3, d4 = c["depth"]
    x = conv(b, "model.0", x, 3, w1, 3, 2)
    x = conv(b, "model.1", x, w1, w2, 3, 2)
    x = cross_stage(b, "model.2", x, w2, w2, d1, True)
    x = conv(b, "model.3", x, w2, w3, 3, 2)
    fine = cross_stage(b, "model.4", x, w3, w3, d2, True)
    x = conv(b, "model.5", fine, w3, w4, 3, 2)
    middle = cross_stage(b, "model.6", x, w4, w4, d3, True)
    x = conv(b, "model.7", middle, w4, w5, 3, 2)
    x = cross_stage(b, "model.8", x, w5, w5, d4, True)
    coarse = pyramid_pooling(b, "model.9", x, w5)

    x = b.node("Concat", upsample(b, coarse), middle, axis=1)
    middle = cross_stage(b, "model.12", x, w5 + w4, w4, d1, False)
    x = b.node("Concat", upsample(b, middle), fine, axis=1)
    fine = cross_stage(b, "model.15", x, w4 + w3, w3, d1, False)
    x = b.node("Concat", conv(b, "model.16", fine, w3, w3, 3, 2), middle, axis=1)
    middle = cross_stage(b, "model.18", x, w3 + w4, w4, d1, False)
    x = b.node("Concat", conv(b, "model.19", middle, w4, w4, 3, 2), coarse, axis=1)
    coarse = cross_stage(b, "model.21", x, w4 + w5, w5, d1, False)
    return (fine, w3), (middle, w4), (coarse, w5)


def branch(b, name, x, channels, inner, outputs, gain, mean=0.0):
    with b.scope(name):
        x = conv(b, "0", x, channels, inner, 3)
        x = conv(b, "1", x, inner, inner, 3)
        with b.scope("2"):
            return plain_conv(b, x, inner, outputs, gain=gain, mean=mean)


def anchor_points(image):
    """Centres of all cells [1,2,anchors] in cells, and the stride of each [1,anchors]."""
    centres, strides = [], []
    for stride in STRIDES:
        count = image // stride
        ys, xs = np.mgrid[0:count, 0:count].astype(np.float32) + np.float32(0.5)
        centres.append(np.stack([xs.ravel(), ys.ravel()]))
        strides.append(np.full((1, count * count), stride, np.float32))
    return np.concatenate(centres, 1)[None], np.concatenate(strides, 1)


def decode_boxes(b, sides, anchors, image):
    """Distributions over distances to the four sides -> centre x, centre y, width, height."""
    with b.scope("dfl"):
        x = b.node("Reshape", sides, b.ints(1, 4, BINS, anchors))
        x = b.node("Softmax", b.node("Transpose", x, perm=[0, 2, 1, 3]), axis=1)
        bins = b.tensor("dfl.conv.weight", np.arange(BINS, dtype=np.float32)[None, :, None, None])
        x = b.node("Conv", x, bins, kernel_shape=[1, 1], strides=[1, 1], pads=[0] * 4,
                   dilations=[1, 1], group=1)
        x = b.node("Reshape", x, b.ints(1, 4, anchors))
    points, strides = anchor_points(image)
    points, strides = b.constant(points), b.constant(strides)
    low = b.node("Sub", points, b.node("Slice", x, b.ints(0), b.ints(2), b.ints(1)))
    high = b.node("Add", points, b.node("Slice", x, b.ints(2), b.ints(4), b.ints(1)))
    centre = b.node("Div", b.node("Add", low, high), b.constant(2.0))
    boxes = b.node("Concat", centre, b.node("Sub", high, low), axis=1)
    return b.node("Mul", boxes, strides)


def head(b, levels, c):
    anchors = sum((c["image"] // stride) ** 2 for stride in STRIDES)
    classes, finest = c["classes"], levels[0][1]
    maps = []
    for i, (x, channels) in enumerate(levels):
        # Few cells find something: the mean of the class scores lies far below the threshold.
        box = branch(b, f"cv2.{i}", x, channels, max(16, finest // 4, BINS * 4), 4 * BINS,
                     c["gain"])
        kind = branch(b, f"cv3.{i}", x, channels, max(finest, min(classes, 100)), classes,
                      c["gain"], mean=c["mean"])
        x = b.node("Concat", box, kind, axis=1)
        maps.append(b.node("Reshape", x, b.ints(1, 4 * BINS + classes, -1)))
    x = b.node("Concat", *maps, axis=2)
    sides, kinds = b.node("Split", x, b.ints(4 * BINS, classes), outputs=2, axis=1)
    boxes = b.node("Transpose", decode_boxes(b, sides, anchors, c["image"]), perm=[0, 2, 1],
                   result="boxes")
    scores = b.node("Sigmoid", kinds, result="scores")
    b.node("NonMaxSuppression", boxes, scores, b.constant([100], np.int64), b.constant([0.45]),
           b.constant([c["threshold"]]), center_point_box=1, result="selected")
    b.output("boxes", np.float32, [1, anchors, 4])
    b.output("scores", np.float32, [1, classes, anchors])
    b.output("selected", np.int64, ["found", 3])


def build(folder, small, shape):
    if shape.batch not in (None, 1):
        raise SystemExit("--batch: yolo has a batch of one")
    c = SMALL if small else FULL
    b = Builder("yolo", SEED)
    images = b.input("images", np.float32, [1, 3, c["image"], c["image"]])
    levels = backbone_and_neck(b, images, c)
    with b.scope("model.22"):
        head(b, levels, c)
    rng = np.random.default_rng(SEED + 1)
    image = rng.uniform(0, 1, (1, 3, c["image"], c["image"])).astype(np.float32)
    return [(b.save(folder), {"images": image})]
