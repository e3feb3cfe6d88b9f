# SPDX-License-Identifier: MIT
"""Small 8-bit networks of chance: quantised before (QDQ) or at run time, as the tools write them."""

import math

from .case import numbers, weight
from .wild_nets import Net, activated

SCALE = {"Relu": 4 / 255, "relu6": 6 / 255, "Sigmoid": 1 / 255}  # of what is not negative


def rounded(net, x, kind="none"):
    """QuantizeLinear and DequantizeLinear, of unsigned bytes."""
    scale = numbers(SCALE.get(kind, 8 / 255), "f32")
    zero = numbers(0 if kind in SCALE else 128, "u8")
    names = [net.value(scale), net.value(zero)]
    return net.op("DequantizeLinear", net.op("QuantizeLinear", x, *names), *names)


def weights(net, *shape, axis, is_signed=True):
    """Bytes with a scale for each slice along `axis`, or one for all."""
    fan_in = math.prod(shape) // shape[axis]
    bound = math.sqrt(3 / fan_in) / 127
    each = (shape[axis],) if net.d.chance() < 0.6 else ()
    type = "i8" if is_signed else "u8"
    low, high = (-127, 127) if is_signed else (0, 255)
    values = [weight(*shape, type=type, low=low, high=high),
              weight(*each, low=0.7 * bound, high=bound),
              numbers(([0 if is_signed else 128] * each[0]) if each else
                      (0 if is_signed else 128), type)]
    return net.op("DequantizeLinear", *map(net.value, values), **({"axis": axis} if each else {}))


def qconv(net, x, ci, co, kernel, stride=1, groups=1, act=None):
    act = net.d.pick(("Relu", "Relu", "relu6", "none", "HardSwish", "LeakyRelu")) \
        if act is None else act
    w = weights(net, co, ci // groups, kernel, kernel, axis=0)
    bias = net.op("DequantizeLinear", net.value(weight(co, type="i32", low=-900, high=900)),
                  net.scalar(0.001))
    y = net.op("Conv", x, w, bias, group=groups, strides=[stride] * 2, pads=[kernel // 2] * 4,
               kernel_shape=[kernel] * 2)
    return rounded(net, activated(net, y, act), act)


def qdq(d):
    """Convolutions between QuantizeLinear and DequantizeLinear."""
    net = Net(d, "f32")
    c, h, w = d.pick((1, 3, 3, 8)), d.size(12, 130), d.size(12, 130)
    x, said = rounded(net, net.feed(1, c, h, w)), [f"{c}at{h}x{w}"]
    grown = d.size(6, 64)
    x, c = qconv(net, x, c, grown, d.pick((3, 3, 5)), d.pick((1, 2))), grown
    for _ in range(d.random.randint(1, 6)):
        kind = d.pick(("plain", "deep", "sum", "join", "pool", "group"))
        said.append(kind[0])
        out = d.size(4, 96)
        if kind == "plain":
            x, c = qconv(net, x, c, out, d.pick((1, 3)), d.pick((1, 1, 2))), out
        elif kind == "deep":
            x = qconv(net, x, c, c, 3, d.pick((1, 2)), groups=c)
            x, c = qconv(net, x, c, out, 1), out
        elif kind == "sum":
            x = rounded(net, net.op("Add", x, qconv(net, x, c, c, 3)))
        elif kind == "join":
            parts = [qconv(net, x, c, out, 1, act="Relu"), qconv(net, x, c, out, 3, act="Relu")]
            x, c = rounded(net, net.op("Concat", *parts, axis=1), "Relu"), 2 * out
        elif kind == "pool":
            x = net.op(d.pick(("MaxPool", "AveragePool")), x, kernel_shape=[2, 2], strides=[2, 2],
                       pads=[1] * 4)
            x = rounded(net, x)
        else:
            wide = 4 * d.size(1, 16)
            x = qconv(net, x, c, wide, 1)
            x, c = qconv(net, x, wide, wide, 3, groups=4), wide
    x = rounded(net, net.op("GlobalAveragePool", x))
    x = net.op("Gemm", net.op("Flatten", x), weights(net, 10, c, axis=0), transB=1)
    return "qdq", f"{''.join(said[1:])}.{said[0]}", "network8", net.end(rounded(net, x))


def dynamic(d):
    """Products whose inputs are quantised in each run."""
    net = Net(d, "f32")
    rows, width = d.size(1, 200), d.size(8, 400)
    x, said = net.feed(rows, width), f"{rows}x{width}"
    for _ in range(d.random.randint(1, 4)):
        out = d.size(8, 500)
        q, scale, zero = net.op("DynamicQuantizeLinear", x, outputs=3)
        is_signed = d.chance() < 0.6
        w = net.value(weight(width, out, type="i8" if is_signed else "u8",
                             low=-127 if is_signed else 0, high=127 if is_signed else 255))
        w_zero = net.value(numbers(0 if is_signed else 128, "i8" if is_signed else "u8"))
        y = net.op("Cast", net.op("MatMulInteger", q, w, zero, w_zero), to=1)
        step = net.value(numbers(math.sqrt(3 / width) / 127, "f32"))
        y = net.op("Mul", y, net.op("Mul", scale, step))
        y = net.op("Add", y, net.weight(out, low=-0.2, high=0.2))
        x, width, said = activated(net, y, d.pick(("Relu", "gelu", "silu", "Tanh"))), out, \
            f"{said}x{out}"
    return "dynamic", said, "network8", net.end(x)
