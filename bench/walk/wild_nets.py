# SPDX-License-Identifier: MIT
"""Small networks of chance: blocks as exporters write them, in an order, with sizes and activations
that no known network has. They show what fusions and layouts do where nothing was tuned for.
"""

import math

from onnx import helper

from .case import Chain, fed, numbers, weight


class Net:
    """Nodes one behind the other; each method returns the name of its result."""

    def __init__(self, draw, type):
        self.d, self.type, self.values, self.nodes = draw, type, {}, []

    def feed(self, *shape, **more):
        return self.value(fed(*shape, type=self.type, **more))

    def weight(self, *shape, fan_in=None, **more):
        if fan_in:
            more = {"low": -math.sqrt(3 / fan_in), "high": math.sqrt(3 / fan_in)}
        return self.value(weight(*shape, type=self.type, **more))

    def scalar(self, number):
        return self.value(numbers(number, self.type))

    def ints(self, *data):
        return self.value(numbers(list(data)))

    def op(self, name, *inputs, outputs=1, **attributes):
        results = [f"n{len(self.nodes)}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(name, inputs, results, **attributes))
        return results[0] if outputs == 1 else results

    def end(self, *results):
        """The chain, whose result is all of these in one row each."""
        rows = [self.op("Reshape", r, self.ints(1, -1)) for r in results]
        self.nodes.append(helper.make_node("Concat", rows, ["y"], axis=1))
        return Chain(self.values, self.nodes)

    def value(self, value):
        name = f"v{len(self.values)}"
        self.values[name] = value
        return name


def activated(net, x, kind):
    """Activations as exporters spell them."""
    if kind in ("Relu", "Sigmoid", "Tanh", "Elu", "HardSwish", "LeakyRelu", "Softplus"):
        return net.op(kind, x)
    if kind == "relu6":
        return net.op("Clip", x, net.scalar(0), net.scalar(6))
    if kind == "silu":
        return net.op("Mul", x, net.op("Sigmoid", x))
    if kind == "gelu":
        inner = net.op("Add", net.op("Erf", net.op("Div", x, net.scalar(math.sqrt(2)))),
                       net.scalar(1))
        return net.op("Mul", net.op("Mul", x, inner), net.scalar(0.5))
    if kind == "tanh_gelu":
        cube = net.op("Mul", net.op("Pow", x, net.scalar(3)), net.scalar(0.044715))
        inner = net.op("Tanh", net.op("Mul", net.op("Add", x, cube), net.scalar(0.7978845608)))
        return net.op("Mul", net.op("Mul", x, net.scalar(0.5)),
                      net.op("Add", inner, net.scalar(1)))
    if kind == "hard_swish":
        gate = net.op("Clip", net.op("Add", x, net.scalar(3)), net.scalar(0), net.scalar(6))
        return net.op("Div", net.op("Mul", x, gate), net.scalar(6))
    if kind == "mish":
        return net.op("Mul", x, net.op("Tanh", net.op("Softplus", x)))
    return x


ACTIVATIONS = ("Relu", "Relu", "relu6", "silu", "LeakyRelu", "hard_swish", "HardSwish", "Elu",
               "mish", "gelu", "Sigmoid", "none")


def conv(net, x, ci, co, kernel, stride=1, groups=1, dilation=1, act=None, norm=None):
    d = net.d
    norm = d.pick(("bias", "bias", "batch", "none")) if norm is None else norm
    pad = (kernel - 1) * dilation // 2
    inputs = [x, net.weight(co, ci // groups, kernel, kernel,
                            fan_in=ci // groups * kernel * kernel)]
    if norm == "bias":
        inputs.append(net.weight(co, low=-0.5, high=0.5))
    y = net.op("Conv", *inputs, group=groups, strides=[stride] * 2, dilations=[dilation] * 2,
               pads=[pad] * 4, kernel_shape=[kernel] * 2)
    if norm == "batch":
        y = net.op("BatchNormalization", y, net.weight(co, low=0.5, high=1.5),
                   net.weight(co, low=-0.5, high=0.5), net.weight(co, low=-0.5, high=0.5),
                   net.weight(co, low=0.5, high=1.5))
    return activated(net, y, d.pick(ACTIVATIONS) if act is None else act)


def squeeze(net, x, c):
    """A gate for each channel."""
    d, few = net.d, max(1, c // net.d.pick((2, 4, 8)))
    mean = net.op("GlobalAveragePool", x) if d.chance() < 0.5 else \
        net.op("ReduceMean", x, axes=[2, 3], keepdims=1)
    y = conv(net, conv(net, mean, c, few, 1, act="Relu", norm="bias"), few, c, 1, act="none",
             norm="bias")
    return net.op("Mul", x, net.op(d.pick(("Sigmoid", "HardSigmoid")), y))


def cnn(d):
    """Blocks of a convolutional network; the image has one side per axis."""
    net = Net(d, d.pick(("f32", "f32", "f32", "f16")))
    c, h, w = d.pick((1, 3, 3, 4, 12)), d.size(16, 160), d.size(16, 160)
    x, said, ends = net.feed(1, c, h, w), [f"{c}at{h}x{w}"], []
    grown = d.size(6, 64)
    x, c = conv(net, x, c, grown, d.pick((3, 3, 5, 7)), d.pick((1, 2))), grown
    for _ in range(d.random.randint(2, 7)):
        block = d.pick((residual, separable, shuffled, branches, pooled, widened, normed, squeezed,
                        transposed, sliced))
        x, c = block(net, x, c)
        said.append(block.__name__[:3])
        if d.chance() < 0.15:
            ends.append(x)
    if d.chance() < 0.5:
        x = net.op("Flatten", net.op("GlobalAveragePool", x))
        x = net.op("Gemm", x, net.weight(17, c, fan_in=c), net.weight(17), transB=1)
        x = net.op(d.pick(("Softmax", "Sigmoid")), x)
    return "cnn", f"{'.'.join(said)}.{net.type}", net_type(net), net.end(x, *ends)


def net_type(net):
    return "net16" if net.type == "f16" else "loose"


def residual(net, x, c):
    few = max(1, c // net.d.pick((1, 2, 4)))
    y = conv(net, conv(net, x, c, few, net.d.pick((1, 3))), few, c, 3, act="none")
    return activated(net, net.op("Add", x, y), net.d.pick(ACTIVATIONS)), c


def separable(net, x, c):
    d, out = net.d, net.d.size(4, 96)
    y = conv(net, x, c, c, d.pick((3, 3, 5)), d.pick((1, 1, 2)), groups=c)
    return conv(net, y, c, out, 1), out


def shuffled(net, x, c):
    """Groups, whose channels are mixed afterwards."""
    groups = net.d.pick((2, 4))
    out = groups * net.d.size(2, 24)
    y = conv(net, x, c, out, 1)
    y = conv(net, y, out, out, 3, groups=groups)
    shape = net.op("Shape", y)
    n, h, w = (net.op("Gather", shape, net.ints(i), axis=0) for i in (0, 2, 3))
    split = net.op("Concat", n, net.ints(groups), net.ints(out // groups), h, w, axis=0)
    y = net.op("Transpose", net.op("Reshape", y, split), perm=[0, 2, 1, 3, 4])
    return net.op("Reshape", y, net.op("Concat", n, net.ints(out), h, w, axis=0)), out


def branches(net, x, c):
    d = net.d
    outs = [d.size(2, 40) for _ in range(d.pick((2, 3, 4)))]
    parts = [conv(net, x, c, out, d.pick((1, 1, 3, 5)), dilation=d.pick((1, 1, 2))) for out in outs]
    if d.chance() < 0.4:
        parts.append(net.op("MaxPool", x, kernel_shape=[3, 3], pads=[1] * 4))
        outs.append(c)
    return net.op("Concat", *parts, axis=1), sum(outs)


def pooled(net, x, c):
    d = net.d
    kernel = d.pick((2, 3))
    return net.op(d.pick(("MaxPool", "AveragePool")), x, kernel_shape=[kernel] * 2,
                  strides=[d.pick((1, 2))] * 2, pads=[1] * 4), c


def widened(net, x, c):
    """Up and back beside what was there."""
    mode = net.d.pick(({"mode": "nearest", "coordinate_transformation_mode": "asymmetric",
                        "nearest_mode": "floor"}, {"mode": "linear"}))
    scales = net.value(numbers([1.0, 1.0, 2.0, 2.0], "f32"))
    up = net.op("Resize", x, "", scales, **mode)
    up = conv(net, up, c, c, 3)
    return net.op("MaxPool", up, kernel_shape=[2, 2], strides=[2, 2]), c


def normed(net, x, c):
    y = net.op("InstanceNormalization", conv(net, x, c, c, 3, act="none"), net.weight(c),
               net.weight(c))
    return activated(net, y, net.d.pick(ACTIVATIONS)), c


def squeezed(net, x, c):
    return squeeze(net, x, c), c


def transposed(net, x, c):
    out = net.d.size(3, 40)
    y = net.op("ConvTranspose", x, net.weight(c, out, 2, 2, fan_in=4 * c),
               net.weight(out), strides=[2, 2])
    y = activated(net, y, net.d.pick(ACTIVATIONS))
    return conv(net, y, out, out, 3, stride=2), out


def sliced(net, x, c):
    """Two halves, one of which is computed on (cross-stage partial blocks)."""
    if c < 2:
        return x, c
    first = net.op("Slice", x, net.ints(0), net.ints(c // 2), net.ints(1))
    second = net.op("Slice", x, net.ints(c // 2), net.ints(c), net.ints(1))
    rest = c - c // 2
    return net.op("Concat", first, conv(net, second, rest, rest, 3), axis=1), c


def transformer(d):
    """Layers of attention and two products, with the normalisation before or behind them."""
    net = Net(d, d.pick(("f32", "f32", "f32", "f16")))
    heads, size = d.pick((1, 2, 3, 4, 8)), d.pick((8, 16, 20, 24, 32, 40, 64))
    batch, words, width = d.pick((1, 1, 2)), d.size(3, 200), heads * size
    x = net.feed(batch, words, width)
    before, act = d.chance() < 0.5, d.pick(("gelu", "tanh_gelu", "Relu", "silu"))
    mask = net.feed(batch, 1, 1, words, low=-3, high=0) if d.chance() < 0.5 else None
    grown = width * d.pick((1, 2, 4))
    for _ in range(d.pick((1, 2, 3))):
        y = layer_norm(net, x, width) if before else x
        y = attention(net, y, (batch, words, heads, size), mask)
        x = net.op("Add", x, y)
        x = x if before else layer_norm(net, x, width)
        y = layer_norm(net, x, width) if before else x
        y = activated(net, linear(net, y, width, grown), act)
        x = net.op("Add", linear(net, y, grown, width), x)
        x = x if before else layer_norm(net, x, width)
    label = f"{batch}x{words}x{width}.h{heads}.{act}.{'mask' if mask else 'all'}.{net.type}"
    return "transformer", label, net_type(net), net.end(x)


def linear(net, x, width, out):
    y = net.op("MatMul", x, net.weight(width, out, fan_in=width))
    bias = net.weight(out, low=-0.2, high=0.2)
    return net.op("Add", bias, y) if net.d.chance() < 0.5 else net.op("Add", y, bias)


def layer_norm(net, x, width):
    """One node, or as exporters of older files spell it."""
    scale, shift = net.weight(width, low=0.5, high=1.5), net.weight(width, low=-0.5, high=0.5)
    if net.d.chance() < 0.5:
        return net.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-5)
    off = net.op("Sub", x, net.op("ReduceMean", x, axes=[-1]))
    square = net.op("ReduceMean", net.op("Pow", off, net.scalar(2)), axes=[-1])
    root = net.op("Sqrt", net.op("Add", square, net.scalar(1e-5)))
    return net.op("Add", net.op("Mul", net.op("Div", off, root), scale), shift)


def attention(net, x, shape, mask):
    batch, words, heads, size = shape
    width = heads * size

    def head(perm):
        y = net.op("Reshape", linear(net, x, width, width), net.ints(0, 0, heads, size))
        return net.op("Transpose", y, perm=perm)

    q, k, v = head([0, 2, 1, 3]), head([0, 2, 3, 1]), head([0, 2, 1, 3])
    if net.d.chance() < 0.5:
        scores = net.op("Div", net.op("MatMul", q, k), net.scalar(math.sqrt(size)))
    else:
        root = net.scalar(size**-0.25)
        scores = net.op("MatMul", net.op("Mul", q, root), net.op("Mul", k, root))
    if mask:
        scores = net.op("Add", scores, mask)
    y = net.op("MatMul", net.op("Softmax", scores, axis=-1), v)
    y = net.op("Reshape", net.op("Transpose", y, perm=[0, 2, 1, 3]),
               net.ints(batch, words, width))
    return linear(net, y, width, width)


def speech(d):
    """Convolutions over time, a recurrent cell, a product."""
    net = Net(d, "f32")
    time, c = d.size(10, 400), d.size(1, 80)
    x, said = net.feed(1, c, time), f"{time}x{c}"
    for _ in range(d.random.randint(1, 4)):
        out, kernel = d.size(4, 128), d.pick((1, 3, 5, 9))
        groups = c if d.chance() < 0.2 else 1
        out = c if groups > 1 else out
        x = net.op("Conv", x, net.weight(out, c // groups, kernel, fan_in=c // groups * kernel),
                   net.weight(out), pads=[kernel // 2] * 2, strides=[d.pick((1, 1, 2))],
                   group=groups)
        x, c = activated(net, x, d.pick(ACTIVATIONS)), out
    x = net.op("Transpose", x, perm=[2, 0, 1])
    name, gates = d.pick((("LSTM", 4), ("GRU", 3)))
    size, ways = d.size(4, 160), d.pick((1, 2))
    x = net.op(name, x, net.weight(ways, gates * size, c, fan_in=c),
               net.weight(ways, gates * size, size, fan_in=size), hidden_size=size,
               direction="bidirectional" if ways == 2 else "forward")
    x = net.op("Reshape", net.op("Transpose", x, perm=[2, 0, 1, 3]), net.ints(1, -1, ways * size))
    x = net.op("LogSoftmax", linear(net, x, ways * size, 29), axis=-1)
    return "speech", f"{said}.{name}{size}.{ways}", "loose", net.end(x)


def pixels(d):
    """What stands before and behind networks: broadcasts, reductions, moves between them."""
    net = Net(d, d.pick(("f32", "f32", "f16", "f64")))
    shape, is_half = d.shape(2, 4), net.type == "f16"
    rank = len(shape)
    x, said = net.feed(*shape, low=0.1, high=2), []
    for _ in range(d.random.randint(3, 10)):
        # Half precision has too few digits for sums of many and for what is left of them.
        step = d.pick(("one", "two", "own", "turn", "cut", "mean", "soft")[:5 if is_half else 7])
        said.append(step[0])
        if step == "one":
            x = net.op(d.pick(("Sqrt", "Abs", "Sigmoid", "Tanh", "Relu", "Softsign", "Exp")),
                       net.op("Min", x, net.scalar(4)))
        elif step == "two":
            other = tuple(n if d.chance() < 0.5 else 1 for n in shape)
            x = net.op(d.pick(("Add", "Mul", "Sub", "Max")), x, net.weight(*other))
        elif step == "own":
            x = net.op("Mul", x, activated(net, x, "Sigmoid"))
        elif step == "turn":
            perm = d.random.sample(range(rank), rank)
            x, shape = net.op("Transpose", x, perm=perm), tuple(shape[i] for i in perm)
        elif step == "mean":
            mean = net.op("ReduceMean", x, axes=d.subset(rank), keepdims=1)
            x = net.op("Sub", x, mean)
        elif step == "soft":
            x = net.op("Softmax", x, axis=d.axis(shape))
        else:
            axis = d.axis(shape)
            end = max(1, shape[axis] * 2 // 3)
            x = net.op("Slice", x, net.ints(0), net.ints(end), net.ints(axis))
            shape = shape[:axis] + (end,) + shape[axis + 1:]
        x = net.op("Abs", x) if step in ("one", "two") and d.chance() < 0.2 else x
    return "pixels", f"{''.join(said)}.{'x'.join(map(str, shape))}.{net.type}", net_type(net), \
        net.end(x)
