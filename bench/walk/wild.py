# SPDX-License-Identifier: MIT
"""Cases of chance: the operator, the number of dimensions, their sizes, axes, types and attributes
come out of a seed. The other families hold what networks are known to have; these hold the rest.

A name says what was drawn, so that a row can be read without its model.
"""

import math
import random

from . import wild_more, wild_nets, wild_quantised
from .case import Case, Node, fed, numbers, weight

FLOATS, WHOLES = ("f32", "f32", "f32", "f16", "f64"), ("i32", "i64", "i8", "u8")
UNARY = ("Abs Neg Exp Log Sqrt Sigmoid Tanh Erf Relu LeakyRelu Elu Selu HardSigmoid HardSwish "
         "Softplus Softsign Floor Ceil Round Sin Cos Atan Reciprocal Sign IsNaN ThresholdedRelu "
         "Celu Mish Asin Cosh").split()
BINARY = "Add Sub Mul Div Pow Min Max Greater Equal LessOrEqual PRelu".split()
REDUCTIONS = ("ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 "
              "ReduceLogSumExp ReduceSumSquare ReduceLogSum").split()


class Draw:
    """Numbers of chance for one case."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick, self.chance = self.random.choice, self.random.random

    def size(self, low, high):
        """Small sizes as often as large ones."""
        return round(math.exp(self.random.uniform(math.log(low), math.log(high))))

    def shape(self, least=1, most=4, elements=None):
        rank = self.random.randint(least, most)
        left, dims = elements or self.size(300, 600000), []
        for index in range(rank):
            last = index == rank - 1
            dims.append(max(1, left if last else self.size(1, max(1, left))))
            left = max(1, left // dims[-1])
        self.random.shuffle(dims)
        return tuple(dims)

    def axis(self, shape):
        return self.random.randrange(len(shape))

    def subset(self, count):
        return sorted(self.random.sample(range(count), self.random.randint(1, count)))


    def places(self, *shape, below):
        """Indices of chance, as an input."""
        return fed(*shape, type="i64",
                   data=[self.random.randrange(below) for _ in range(math.prod(shape))])


def text(shape):
    return "x".join(map(str, shape))


def unary(d):
    name, type, shape = d.pick(UNARY), d.pick(FLOATS), d.shape()
    low = 0.1 if name in ("Log", "Sqrt") else -1 if name in ("Asin", "Atan") else -3
    high = 1 if name == "Asin" else 3
    return name, f"{text(shape)}.{type}", type, Node([fed(*shape, type=type, low=low, high=high)])


def binary(d):
    name = d.pick(BINARY)
    type = d.pick(FLOATS + (() if name in ("PRelu", "Pow") else WHOLES[:2]))
    shape = d.shape(2, 4)
    other = tuple(n if d.chance() < 0.6 else 1 for n in shape)
    if d.chance() < 0.3:
        other = other[1:]
    left, right = (shape, other) if d.chance() < 0.7 or name == "PRelu" else (other, shape)
    make = weight if d.chance() < 0.5 else fed
    low = 1 if type in WHOLES else 0.1
    return name, f"{text(left)}.{text(right)}.{type}", type, Node(
        [fed(*left, type=type, low=low, high=90 if type in WHOLES else 2),
         make(*right, type=type, low=low, high=90 if type in WHOLES else 2)])


def where(d):
    shape, type = d.shape(2, 4), d.pick(("f32", "i64", "u8", "f16", "f64", "i32"))
    parts = [tuple(n if d.chance() < 0.7 else 1 for n in shape) for _ in range(3)]
    return "Where", ".".join(map(text, parts)) + f".{type}", type, Node(
        [fed(*parts[0], type="bool"), fed(*parts[1], type=type), fed(*parts[2], type=type)])


def cast(d):
    kinds = {"f32": 1, "u8": 2, "i8": 3, "i32": 6, "i64": 7, "bool": 9, "f16": 10, "f64": 11}
    source, target, shape = d.pick(list(kinds)), d.pick(list(kinds)), d.shape()
    low, high = (1, 100) if source in WHOLES else (0, 100)
    return "Cast", f"{source}.{target}.{text(shape)}", target, Node(
        [fed(*shape, type=source, low=low, high=high)], {"to": kinds[target]})


def reduce(d):
    name, shape = d.pick(REDUCTIONS), d.shape(1, 4)
    type = d.pick(FLOATS + (("i32", "i64") if name[6:] in ("Sum", "Max", "Min", "Mean") else ()))
    axes, keep = d.subset(len(shape)), d.pick((0, 1))
    near = (0.9, 1.1) if name == "ReduceProd" else (0.1, 2)
    low, high = (1, 50) if type in WHOLES else near
    attributes = {"keepdims": keep}
    values = [fed(*shape, type=type, low=low, high=high)]
    if name == "ReduceSum":
        values.append(numbers(axes))
    else:
        attributes["axes"] = axes
    return name, f"{text(shape)}.over{text(axes)}.{type}", type, Node(values, attributes)


def along(d):
    name, shape = d.pick(("Softmax", "LogSoftmax", "Hardmax", "ArgMax", "ArgMin", "CumSum", "TopK",
                          "LpNormalization")), d.shape(1, 4)
    type, axis = d.pick(("f32", "f32", "f16", "f64")), d.axis(shape)
    if name in ("ArgMax", "CumSum", "TopK"):
        type = d.pick(("f32", "f64", "i32", "i64"))
    if type in WHOLES:
        x = fed(*shape, type=type, low=0, high=1000)
    else:
        x = fed(*shape, type=type)
    label = f"{text(shape)}.axis{axis}.{type}"
    if name == "CumSum":
        return name, label, type, Node([x, numbers(axis)], {"reverse": d.pick((0, 1))})
    if name == "TopK":
        k = d.size(1, shape[axis])
        return name, f"{label}.k{k}", type, Node([x, numbers([k])], {"axis": axis}, 2)
    return name, label, type, Node([x], {"axis": axis})


def normalise(d):
    name = d.pick(("LayerNormalization", "InstanceNormalization", "BatchNormalization", "LRN"))
    shape, type = d.shape(3, 4), d.pick(("f32", "f32", "f32", "f16"))
    if name == "LayerNormalization":
        axis = d.axis(shape)
        part = shape[axis:]
        return name, f"{text(shape)}.axis{axis}.{type}", type, Node(
            [fed(*shape, type=type), weight(*part, type=type), weight(*part, type=type)],
            {"axis": axis})
    c = shape[1]
    if name == "LRN":
        shape = shape if len(shape) == 4 else shape + (1,)
        return name, text(shape), "f32", Node([fed(*shape)], {"size": d.pick((3, 5, 7))})
    if name == "InstanceNormalization":
        return name, text(shape), "loose", Node([fed(*shape), weight(c), weight(c)])
    return name, f"{text(shape)}", "f32", Node(
        [fed(*shape), weight(c), weight(c), weight(c), weight(c, low=0.1)])


def move(d):
    name = d.pick(("Transpose", "Transpose", "Concat", "Split", "Tile", "Expand", "Pad", "Slice",
                   "Slice", "ReverseSequence", "Trilu", "OneHot", "NonZero", "Compress", "Unique"))
    type, shape = d.pick(("f32", "f32", "u8", "i64", "f16", "f64")), d.shape(2, 5)
    label, x = f"{text(shape)}.{type}", fed(*shape, type=type)
    axis = d.axis(shape)
    if name == "Transpose":
        perm = list(range(len(shape)))
        d.random.shuffle(perm)
        return name, f"{label}.to{text(perm)}", type, Node([x], {"perm": perm})
    if name == "Concat":
        others = [tuple(d.size(1, n) if i == axis else n for i, n in enumerate(shape))
                  for _ in range(d.pick((1, 1, 2, 3)))]
        return name, f"{label}.axis{axis}.of{len(others) + 1}", type, Node(
            [x] + [fed(*o, type=type) for o in others], {"axis": axis})
    if name == "Split":
        first = d.random.randint(0, shape[axis])
        return name, f"{label}.axis{axis}.at{first}", type, Node(
            [x, numbers([first, shape[axis] - first])], {"axis": axis}, 2)
    if name == "Tile":
        repeats = [d.pick((1, 1, 2, 3)) for _ in shape]
        return name, f"{label}.by{text(repeats)}", type, Node([x, numbers(repeats)])
    if name == "Expand":
        small = tuple(n if d.chance() < 0.5 else 1 for n in shape)
        return name, f"{text(small)}.{label}", type, Node(
            [fed(*small, type=type), numbers(shape)])
    if name == "Pad":
        mode = d.pick(("constant", "constant", "reflect", "edge"))
        pads = [d.random.randint(0, min(3, n - 1)) for n in shape * 2]
        return name, f"{label}.{mode}.{text(pads)}", type, Node([x, numbers(pads)], {"mode": mode})
    if name == "Slice":
        axes = d.subset(len(shape))
        starts, steps = [], []
        for index in axes:
            steps.append(d.pick((1, 1, 1, 2, 3, -1)))
            last = shape[index] - 1
            starts.append(last if steps[-1] < 0 else d.random.randint(0, last // 2))
        ends = [-10**6 if step < 0 else shape[index] for index, step in zip(axes, steps)]
        return name, f"{label}.axes{text(axes)}.steps{text(steps)}", type, Node(
            [x, numbers(starts), numbers(ends), numbers(axes), numbers(steps)])
    if name == "ReverseSequence":
        lengths = [d.random.randint(1, shape[0]) for _ in range(shape[1])]
        return name, label, type, Node([x, numbers(lengths)], {"time_axis": 0, "batch_axis": 1})
    if name == "OneHot":
        depth, dims = d.size(2, 500), d.shape(1, 2, d.size(10, 2000))
        return name, f"{text(dims)}.of{depth}", "f32", Node(
            [d.places(*dims, below=depth), numbers([depth]),
             numbers([0.0, 1.0], "f32")], {"axis": d.pick((-1, 0))})
    if name == "Compress":
        return name, f"{label}.axis{axis}", type, Node(
            [x, fed(shape[axis], type="bool")], {"axis": axis})
    if name == "NonZero":
        return name, text(shape), "i64", Node([fed(*shape, type=d.pick(("bool", "f32", "i64")))])
    if name == "Unique":
        length = d.size(50, 20000)
        return name, str(length), "i64", Node([fed(length, type="i64", low=0, high=300)],
                                              {"sorted": 1})
    return name, label, type, Node([x], {"upper": d.pick((0, 1))})


def gather(d):
    name = d.pick(("Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"))
    type, shape = d.pick(("f32", "f32", "i64", "u8", "f16")), d.shape(2, 4)
    axis, x = d.axis(shape), fed(*shape, type=type)
    label = f"{text(shape)}.axis{axis}.{type}"
    if name == "Gather":
        count = d.shape(1, 2, d.size(1, 1000))
        if math.prod(count) * math.prod(shape) // shape[axis] > 4000000:
            count = (3,)
        return name, f"{label}.at{text(count)}", type, Node(
            [x, d.places(*count, below=shape[axis])], {"axis": axis})
    if name.endswith("Elements"):
        places = tuple(d.size(1, n) for n in shape)
        if name == "ScatterElements":  # each place once: the order is not defined
            row = list(range(shape[axis]))
            d.random.shuffle(row)
            row = row[:places[axis]]
            inner = math.prod(places[axis + 1:])
            data = [row[(i // inner) % len(row)] for i in range(math.prod(places))]
            index = fed(*places, type="i64", data=data)
            return name, f"{label}.at{text(places)}", type, Node(
                [x, index, fed(*places, type=type)], {"axis": axis})
        return name, f"{label}.at{text(places)}", type, Node(
            [x, d.places(*places, below=shape[axis])], {"axis": axis})
    depth, count = d.random.randint(1, len(shape)), d.size(1, 3000)
    if count * math.prod(shape[depth:]) > 4000000:
        count = 5
    if name == "GatherND":
        return name, f"{label}.{count}of{depth}", type, Node(
            [x, d.places(count, depth, below=min(shape[:depth]))])
    count = min(count, math.prod(shape[:depth]))
    flat = d.random.sample(range(math.prod(shape[:depth])), count)
    places = []
    for at in flat:
        place = []
        for n in reversed(shape[:depth]):
            place.append(at % n)
            at //= n
        places += reversed(place)
    return name, f"{label}.{count}of{depth}", type, Node(
        [x, fed(count, depth, type="i64", data=places), fed(count, *shape[depth:], type=type)])


def product(d):
    m, k, n = d.size(1, 400), d.size(1, 1500), d.size(1, 1500)
    while m * k * n > 60000000:
        m, k, n = max(1, m // 2), k // 2 + 1, n // 2 + 1
    type = d.pick(("f32", "f32", "f32", "f64", "f16"))
    if d.chance() < 0.3:
        ta, tb = d.pick((0, 1)), d.pick((0, 1))
        a, b = (k, m) if ta else (m, k), (n, k) if tb else (k, n)
        make = weight if d.chance() < 0.6 else fed
        return "Gemm", f"{m}x{k}x{n}.{ta}{tb}.{type}", type, Node(
            [fed(*a, type=type), make(*b, type=type), weight(n, type=type)],
            {"transA": ta, "transB": tb})
    if d.chance() < 0.25:
        a, b = d.pick(("u8", "i8")), d.pick(("u8", "i8"))
        make = weight if d.chance() < 0.6 else fed
        a = "u8" if b == "u8" else a
        return "MatMulInteger", f"{m}x{k}x{n}.{a}.{b}", "i32", Node(
            [fed(m, k, type=a), make(k, n, type=b)])
    batch = d.pick(((), (), (2,), (3, 2), (12,)))
    if d.chance() < 0.5:
        return "MatMul", f"{text(batch + (m, k))}.w{n}.{type}", type, Node(
            [fed(*batch, m, k, type=type), weight(k, n, type=type)])
    return "MatMul", f"{text(batch + (m, k))}.{n}.{type}", type, Node(
        [fed(*batch, m, k, type=type), fed(*batch, k, n, type=type)])


def conv(d):
    rank = d.pick((1, 2, 2, 2, 2, 3))
    side = {1: d.size(20, 3000), 2: d.size(5, 120), 3: d.size(4, 20)}[rank]
    groups = d.pick((1, 1, 1, 2, 4, 0))
    ci = d.size(1, 200) * max(groups, 1)
    co = ci * d.pick((1, 1, 2)) if groups == 0 else d.size(1, 200) * groups
    groups = ci if groups == 0 else groups
    kernel = tuple(d.pick((1, 2, 3, 3, 5, 7)) for _ in range(rank))
    kernel = kernel if d.chance() < 0.2 else kernel[:1] * rank
    while ci // groups * co * side**rank * math.prod(kernel) > 200000000 and side > 6:
        side = side * 2 // 3
    if ci // groups * co * side**rank * math.prod(kernel) > 400000000:
        kernel = (1,) * rank
    stride, dilation = d.pick((1, 1, 1, 2, 2, 3)), d.pick((1, 1, 1, 1, 2))
    pads = [d.pick((0, n // 2 * dilation)) for n in kernel] * 2
    if any((n - 1) * dilation + 1 > side for n in kernel):
        kernel, pads = (1,) * rank, [0] * 2 * rank
    type = d.pick(("f32",) * 6 + ("f16",))
    attributes = {"group": groups, "strides": [stride] * rank, "dilations": [dilation] * rank,
                  "pads": pads}
    dims = [side + d.pick((0, 0, 1, 3)) for _ in range(rank)]
    label = f"{ci}to{co}.k{text(kernel)}.at{text(dims)}.s{stride}.d{dilation}.g{groups}.{type}"
    if d.chance() < 0.2:
        attributes["dilations"] = [1] * rank
        attributes["pads"] = [0] * 2 * rank
        return "ConvTranspose", label, type, Node(
            [fed(1, ci, *dims, type=type), weight(ci, co // groups, *kernel, type=type)],
            attributes)
    if d.chance() < 0.12 and rank == 2:
        return "ConvInteger", label + ".u8", "i32", Node(
            [fed(1, ci, *dims, type="u8"), weight(co, ci // groups, *kernel, type="u8")],
            attributes)
    return "Conv", label, type, Node(
        [fed(d.pick((1, 1, 2)), ci, *dims, type=type),
         weight(co, ci // groups, *kernel, type=type), weight(co, type=type)], attributes)


def pool(d):
    rank = d.pick((1, 2, 2, 2, 3))
    name = d.pick(("MaxPool", "AveragePool", "LpPool", "GlobalAveragePool", "GlobalMaxPool"))
    side = {1: d.size(10, 3000), 2: d.size(5, 150), 3: d.size(5, 25)}[rank]
    c = d.size(1, max(1, min(256, 600000 // side**rank)))
    dims = [side + d.pick((0, 1, 2)) for _ in range(rank)]
    type = d.pick(("f32", "f32", "f32", "f64", "f16", "u8") if name == "MaxPool"
                  else ("f32", "f32", "f16"))
    x = fed(1, c, *dims, type=type)
    if name.startswith("Global"):
        return name, f"{c}at{text(dims)}.{type}", type, Node([x])
    kernel = [d.pick((2, 3, 3, 4, 5))] * rank
    pads = [d.pick((0, kernel[0] // 2))] * 2 * rank
    strides = [d.pick((1, 2, 2, 3))] * rank
    return name, f"{c}at{text(dims)}.k{kernel[0]}.s{strides[0]}.p{pads[0]}.{type}", type, Node(
        [x], {"kernel_shape": kernel, "strides": strides, "pads": pads})


def image(d):
    name = d.pick(("Resize", "Resize", "GridSample", "DepthToSpace", "SpaceToDepth"))
    side, c = d.size(6, 120), d.size(1, 64)
    if name == "Resize":
        mode = d.pick(("nearest", "linear", "cubic"))
        place = d.pick(("half_pixel", "align_corners", "asymmetric"))
        out = [d.size(5, 200), d.size(5, 200)]
        c = min(c, max(1, 1500000 // (out[0] * out[1])))
        type = d.pick(("f32", "f32", "u8")) if mode != "cubic" else "f32"
        return name, f"{c}at{side}.{text(out)}.{mode}.{place}.{type}", "step" if type == "u8" \
            else "loose", Node([fed(1, c, side, side, type=type), None, None,
                                numbers([1, c, *out])],
                               {"mode": mode, "coordinate_transformation_mode": place})
    if name == "GridSample":
        mode = d.pick(("bilinear", "nearest", "bicubic"))
        pad = d.pick(("zeros", "border", "reflection"))
        n = d.size(5, 100)
        return name, f"{c}at{side}.{n}.{mode}.{pad}", "loose", Node(
            [fed(1, c, side, side), fed(1, n, n, 2, low=-1.2, high=1.2)],
            {"mode": mode, "padding_mode": pad})
    block = d.pick((2, 2, 3, 4))
    type = d.pick(("f32", "f32", "u8", "f16"))
    if name == "DepthToSpace":
        return name, f"{c}at{side}.b{block}.{type}", type, Node(
            [fed(1, c * block * block, side // block + 1, side // block + 1, type=type)],
            {"blocksize": block, "mode": d.pick(("DCR", "CRD"))})
    side = (side // block + 1) * block
    return name, f"{c}at{side}.b{block}.{type}", type, Node(
        [fed(1, c, side, side, type=type)], {"blocksize": block})


def recurrent(d):
    name, gates = d.pick((("LSTM", 4), ("GRU", 3), ("RNN", 1)))
    time, batch, x, h = d.size(1, 80), d.pick((1, 1, 2, 5, 16)), d.size(2, 256), d.size(2, 256)
    ways = d.pick((1, 1, 2))
    # What is fed back shrinks: where it grows, the last digits decide after some steps.
    bound = min(0.3, 1 / math.sqrt(h))
    near = {"low": -bound, "high": bound}
    attributes = {"hidden_size": h, "direction": "bidirectional" if ways == 2 else "forward"}
    if name == "GRU":
        attributes["linear_before_reset"] = d.pick((0, 1))
    return name, f"{time}x{batch}x{x}.{h}.{ways}", "f32", Node(
        [fed(time, batch, x), weight(ways, gates * h, x, **near),
         weight(ways, gates * h, h, **near), weight(ways, 2 * gates * h, **near)], attributes)


def quantise(d):
    name, shape, type = d.pick(("QuantizeLinear", "DequantizeLinear")), d.shape(1, 4), d.pick(
        ("u8", "i8"))
    axis, scale = d.axis(shape), {"low": 0.01, "high": 0.1}
    size = (shape[axis],) if d.chance() < 0.5 else ()
    if d.chance() < 0.5:
        return quantised_product(d)
    values = [fed(*shape, type="f32" if name[0] == "Q" else type), weight(*size, **scale),
              weight(*size, type=type)]
    return name, f"{text(shape)}.{type}.{'axis' + str(axis) if size else 'one'}", \
        "step" if name[0] == "Q" else "f32", Node(values, {"axis": axis})


def quantised_product(d):
    """Products of bytes, and bytes that are made at run time."""
    name = d.pick(("QLinearMatMul", "QLinearConv", "QLinearConv", "ConvInteger",
                   "DynamicQuantizeLinear"))
    if name[0] == "D":
        shape = d.shape(1, 3)
        return name, text(shape), "step", Node([fed(*shape)], outputs=3)
    a, b = d.pick((("u8", "u8"), ("u8", "i8"), ("u8", "i8"), ("i8", "i8")))
    make = d.pick((weight, weight, fed))
    if name == "QLinearMatMul":
        m, k, n = d.size(1, 400), d.size(1, 1500), d.size(1, 1500)
        while m * k * n > 60000000:
            m, k, n = max(1, m // 2), k // 2 + 1, n // 2 + 1
        x, w, drawn, attributes = fed(m, k, type=a), make(k, n, type=b), f"{m}x{k}x{n}", {}
    else:
        operator = ""
        while operator != "Conv" or len(attributes["strides"]) > 2:
            operator, drawn, _, node = conv(d)
            attributes = node.attributes
        x, w = (fed(*node.values[0].shape, type=a), make(*node.values[1].shape, type=b))
        drawn = drawn.rsplit(".", 1)[0]
    label = f"{drawn}.{a}.{b}" + (".fed" if make is fed else "")
    x_zero, w_zero = (numbers({"u8": 120}.get(t, 0), t) for t in (a, b))
    if name == "ConvInteger":
        return name, label, "i32", Node([x, w, x_zero, w_zero], attributes)
    step = 0.02 * math.sqrt(math.prod(w.shape[:1] if name[-1] == "l" else w.shape[1:])) * 10
    return name, label, "step", Node(
        [x, numbers(0.02, "f32"), x_zero, w, numbers(0.01, "f32"), w_zero, numbers(step, "f32"),
         x_zero], attributes)


NETS = {wild_nets.cnn: 5, wild_nets.transformer: 3, wild_nets.speech: 2, wild_nets.pixels: 4,
        wild_quantised.qdq: 3, wild_quantised.dynamic: 2}


def net(d):
    kind, label, type, chain = d.random.choices(list(NETS), list(NETS.values()))[0](d)
    return "net", f"{kind}.{label}", type, chain


# Each draws (operator, what was drawn, type of the results, node); a "step" may round either way,
# and what is "loose" loses digits on one side: places in an image, planes of a few equal pixels.
FAMILIES = {unary: 3, binary: 3, where: 1, cast: 2, reduce: 4, along: 3, normalise: 2, move: 6,
            gather: 3, product: 4, conv: 5, pool: 3, image: 2, recurrent: 1, quantise: 1,
            net: 8,
            **wild_more.FAMILIES}  # which draw whole cases


def cases(count, seed):
    """`count` cases that the text `seed` stands for."""
    for number in range(count):
        draw = Draw(f"{seed} {number}")
        family = draw.random.choices(list(FAMILIES), list(FAMILIES.values()))[0]
        drawn = family(draw)
        if isinstance(drawn, Case):
            yield drawn
            continue
        name, label, type, node = drawn
        yield Case(f"{name}.{label}", lambda sizes, made=node: made,
                   opset=18 if name == "Mish" else 17,
                   arithmetic={"f16": "f16", "step": "int8", "loose": "signal",
                               "net16": "f16 network", "network8": "int8 network"}.get(type, "f32"))
