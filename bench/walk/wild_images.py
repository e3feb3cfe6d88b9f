# SPDX-License-Identifier: MIT
"""Cases of chance over images: boxes, windows that move, and planes that are unpooled."""

from .case import Node, fed, numbers, weight
from .wild_case import MS, a_case, text


def _box(d, side):
    left, top = d.random.uniform(0, side), d.random.uniform(0, side)
    return left, top, d.random.uniform(left, side), d.random.uniform(top, side)


def boxes(d):
    name = d.pick(("NonMaxSuppression", "RoiAlign", "RoiAlign", "CropAndResize"))
    if name == "NonMaxSuppression":
        batch, classes, count = d.pick((1, 1, 2)), d.size(1, 20), d.size(5, 3000)
        most, overlap, least = d.size(1, 200), d.pick((0.3, 0.5, 0.8)), d.pick((0.0, 0.5, 1.5))
        while classes * count > 12000:
            classes = classes // 2 + 1 if classes > 2 else 1
            count = count // 2
        return a_case(name, f"{batch}x{classes}x{count}.most{most}.{overlap}.{least}", Node(
            [fed(batch, count, 4, low=0, high=1), fed(batch, classes, count, low=0, high=2),
             numbers([most]), numbers([overlap], "f32"), numbers([least], "f32")],
            {"center_point_box": d.pick((0, 1))}))
    c, side, count = d.size(1, 128), d.size(8, 100), d.size(1, 100)
    out = [d.size(1, 14), d.size(1, 14)]
    while count * c * out[0] * out[1] > 400000:
        count = count // 2 + 1 if count > 2 else 1
        c = c // 2 + 1
    if name == "CropAndResize":
        return a_case(name, f"{c}at{side}.{count}.{text(out)}", Node(
            [fed(1, c, side, side), fed(count, 4, low=0, high=1),
             fed(count, type="i32", low=0, high=1), numbers(out, "i32")],
            {"mode": d.pick(("bilinear", "nearest"))}), "loose", domain=MS)
    ratio, mode = d.pick((0, 1, 2, 3)), d.pick(("avg", "avg", "max"))
    return a_case(name, f"{c}at{side}.{count}.{text(out)}.{mode}{ratio}", Node(
        [fed(1, c, side, side), fed(count, 4, data=[_box(d, side) for _ in range(count)]),
         fed(count, type="i64", low=0, high=1)],
        {"output_height": out[0], "output_width": out[1], "sampling_ratio": ratio, "mode": mode}),
                  "loose")


def windows(d):
    name = d.pick(("Col2Im", "DeformConv", "MaxUnpool", "GlobalLpPool"))
    c, side, k = d.size(1, 64), d.size(5, 60), d.pick((1, 2, 3, 3))
    if name == "GlobalLpPool":
        return a_case(name, f"{c}at{side}", Node([fed(1, c, side, side)], {"p": d.pick((1, 2, 3))}))
    if name == "Col2Im":
        stride, pad = d.pick((1, 1, 2)), d.pick((0, k // 2))
        count = ((side + 2 * pad - k) // stride + 1)**2
        return a_case(name, f"{c}at{side}.k{k}.s{stride}.p{pad}", Node(
            [fed(1, c * k * k, count), numbers([side, side]), numbers([k, k])],
            {"strides": [stride] * 2, "pads": [pad] * 4}), "f32", 18)
    if name == "DeformConv":
        c, co, groups, out = c // 2 + 1, d.size(1, 64), d.pick((1, 1, 2)), side - k + 1
        values = [fed(1, c * groups, side, side), weight(co, c * groups, k, k),
                  fed(1, groups * k * k * 2, out, out), d.pick((None, weight(co))),
                  d.pick((None, fed(1, groups * k * k, out, out, low=0, high=1)))]
        return a_case(name, f"{c * groups}to{co}at{side}.k{k}.of{groups}", Node(
            values if values[4] else values[:4] if values[3] else values[:3],
            {"kernel_shape": [k, k], "offset_group": groups}), "loose", 19)
    side = side // 2 + 1
    places = [(plane * 2 * side + 2 * row + d.random.randint(0, 1)) * 2 * side + 2 * column +
              d.random.randint(0, 1) for plane in range(c) for row in range(side)
              for column in range(side)]
    return a_case(name, f"{c}at{side}", Node(
        [fed(1, c, side, side), fed(1, c, side, side, type="i64", data=places)],
        {"kernel_shape": [2, 2], "strides": [2, 2]}))


def fused(d):
    """Windows of com.microsoft."""
    c, co, side = d.size(1, 100), d.size(1, 100), d.size(5, 60)
    if d.chance() < 0.4:
        type, k = d.pick(("u8", "i8")), d.pick((2, 3, 5))
        return a_case("NhwcMaxPool", f"{c}at{side}.k{k}.{type}", Node(
            [fed(1, side, side, c, type=type)], {"kernel_shape": [k, k], "strides": [2, 2]}),
                      domain=MS)
    activation = d.pick(("Relu", "LeakyRelu", "Clip", "HardSigmoid", "Sigmoid", "Tanh"))
    parameters = {"LeakyRelu": [0.1], "Clip": [0.0, 6.0], "HardSigmoid": [0.2, 0.5]}
    attributes = {"activation": activation, "pads": [1] * 4}
    if activation in parameters:
        attributes["activation_params"] = parameters[activation]
    out = (1, co, side, side)
    more = [fed(*out)] if activation == "Relu" and d.chance() < 0.5 else []
    return a_case("FusedConv", f"{c}to{co}at{side}.{activation}" + (".sum" if more else ""), Node(
        [fed(1, c, side, side), weight(co, c, 3, 3), weight(co), *more], attributes), domain=MS)


FAMILIES = {boxes: 3, windows: 3, fused: 1}
