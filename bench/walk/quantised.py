# SPDX-License-Identifier: MIT
"""The ways in which files carry 8-bit arithmetic: operators of integers, operators between
DequantizeLinear and QuantizeLinear, quantisation at run time, and weights alone."""

from onnx import helper

from .case import Case, Chain, Node, fed, numbers, weight

MS = "com.microsoft"
WINDOWS = (  # name, channels, filters, groups, image, kernel, more
    ("1d.3", 256, 256, 1, (400,), (3,), {"pads": [1, 1]}),
    ("3d.3", 32, 32, 1, (8, 28, 28), (3, 3, 3), {"pads": [1] * 6}),
    ("7x7.stem", 3, 64, 1, (224, 224), (7, 7), {"pads": [3] * 4, "strides": [2, 2]}),
    ("3x3.s2", 128, 128, 1, (56, 56), (3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
    ("3x3.d2", 128, 128, 1, (28, 28), (3, 3), {"pads": [2] * 4, "dilations": [2, 2]}),
    ("depthwise.3x3", 144, 144, 144, (56, 56), (3, 3), {"pads": [1] * 4}),
    ("depthwise.3x3.s2", 144, 144, 144, (56, 56), (3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
    ("depthwise.5x5", 240, 240, 240, (28, 28), (5, 5), {"pads": [2] * 4}),
    ("depthwise.3x3.two", 64, 128, 64, (56, 56), (3, 3), {"pads": [1] * 4}),
    ("depthwise.1d", 256, 256, 256, (400,), (15,), {"pads": [7, 7]}),
    ("grouped.3x3", 256, 256, 32, (28, 28), (3, 3), {"pads": [1] * 4}),
)


def _operands(s, c, m, groups, image, kernel, x_type, w_type):
    """Input and weights of a convolution."""
    each = c // groups
    channels = s(c, each) if c > 4 else c
    filters = channels * (m // c) if groups > 1 and m % c == 0 else s(m, groups)
    divisor = channels // each if groups > 1 else 1
    return (fed(1, channels, *[s(n) for n in image], type=x_type),
            weight(filters, channels // divisor, *kernel, type=w_type), divisor)


def _integer_conv(c, m, groups, image, kernel, more, w_zero=0):
    def build(s):
        x, w, group = _operands(s, c, m, groups, image, kernel, "u8", "i8")
        return Node([x, w, numbers(128, "u8"), numbers(w_zero, "i8")], {**more, "group": group})
    return build


def _q_linear_conv(c, m, groups, image, kernel, more, w_zero=0):
    def build(s):
        x, w, group = _operands(s, c, m, groups, image, kernel, "u8", "i8")
        filters = w.shape[0]
        return Node([x, numbers(0.02, "f32"), numbers(128, "u8"), w,
                     weight(filters, low=0.005, high=0.02), numbers([w_zero] * filters, "i8"),
                     numbers(0.5, "f32"), numbers(100, "u8"),
                     weight(filters, type="i32", low=-1000, high=1000)], {**more, "group": group})
    return build


# --- Between DequantizeLinear and QuantizeLinear.

class Maker:
    """Builds a chain around quantised values; a scale and a zero point for each."""

    def __init__(self, zero="u8"):
        self.values, self.nodes, self.zero = {}, [], zero

    def constant(self, name, value):
        self.values[name] = value
        return name

    def node(self, op, inputs, output, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], domain=domain, **attributes))
        return output

    def _parameters(self, name, scale, type):
        middle = {"u8": 128, "u16": 32768}.get(type, 0)
        return [self.constant(f"{name}_scale", numbers(scale, "f32")),
                self.constant(f"{name}_zero", numbers(middle, type))]

    def dequantised(self, name, value, scale=0.02):
        """`value` as floats."""
        self.values[name] = value
        return self.node("DequantizeLinear", [name, *self._parameters(name, scale, value.type)],
                         f"{name}_float")

    def by_axis(self, name, value, axis):
        """Constant `value` as floats, with scales along an axis."""
        count = value.shape[axis]
        self.values[name] = value
        scale = self.constant(f"{name}_scale", weight(count, low=0.005, high=0.02))
        zero = self.constant(f"{name}_zero", numbers([0] * count, value.type))
        return self.node("DequantizeLinear", [name, scale, zero], f"{name}_float", axis=axis)

    def quantised(self, value, scale=0.05, type="u8"):
        """The chain that gives `value` as integers."""
        self.node("QuantizeLinear", [value, *self._parameters("y", scale, type)], "y")
        return Chain(self.values, self.nodes)


def _qdq_conv(c, m, groups, image, kernel, more, op="Conv", type="u8"):
    def build(s):
        make = Maker()
        x, w, group = _operands(s, c, m, groups, image, kernel, type, "i8")
        if op == "ConvTranspose":
            w = weight(w.shape[1], w.shape[0], *kernel, type="i8")
        floats = [make.dequantised("x", x), make.by_axis("w", w, 1 if op == "ConvTranspose" else 0)]
        y = make.node(op, floats, "sum", **more, group=group)
        return make.quantised(y, 0.5, type)
    return build


def _qdq_product(op, type, w_type="i8", rows=128):
    def build(s):
        make = Maker()
        m, k, n = s(rows) if rows > 1 else 1, s(768), s(768)
        floats = [make.dequantised("x", fed(m, k, type=type)),
                  make.by_axis("w", weight(k, n, type=w_type), 1)]
        if op == "Gemm":
            floats.append(make.constant("bias", weight(n)))
        return make.quantised(make.node(op, floats, "sum"), 0.5, type)
    return build


def _qdq(op, shapes, type="u8", **attributes):
    """One operator over quantised images."""
    def build(s):
        make = Maker()
        sizes = {n: s(n) for shape in shapes for n in shape if n > 1}
        floats = [make.dequantised(f"x{i}", fed(*[sizes.get(n, n) for n in shape], type=type),
                                   0.02 + 0.01 * i) for i, shape in enumerate(shapes)]
        if op == "Resize":
            floats += ["", make.constant("factors", numbers([1, 1, 2, 2], "f32"))]
        scale = 0.004 if op in ("Softmax", "Sigmoid") else 0.02 if op == "Resize" else 0.05
        return make.quantised(make.node(op, floats, "result", **attributes), scale, type)
    return build


# --- Quantised at run time.

def _dynamic(rows, c, product, with_bias=True):
    """What ONNX Runtime's quantize_dynamic writes for MatMul and Conv."""
    def build(s):
        make = Maker()
        if product == "MatMulInteger":
            k, n = s(c), s(3 * c)
            x, w, bias = fed(s(rows) if rows > 1 else 1, k), weight(k, n, type="i8"), (n,)
        else:
            k, n = s(c), s(c)
            x, w, bias = fed(1, k, s(rows), s(rows)), weight(n, k, 3, 3, type="i8"), (1, n, 1, 1)
        more = {} if product == "MatMulInteger" else {"pads": [1] * 4}
        make.values["x"] = x
        make.nodes.append(helper.make_node("DynamicQuantizeLinear", ["x"],
                                           ["bytes", "x_scale", "x_zero"]))
        make.node(product, ["bytes", make.constant("w", w), "x_zero",
                            make.constant("w_zero", numbers(0, "i8"))], "sums", **more)
        make.node("Cast", ["sums"], "floats", to=1)
        make.node("Mul", ["x_scale", make.constant("w_scale", numbers(0.01, "f32"))], "scale")
        make.node("Mul", ["floats", "scale"], "scaled" if with_bias else "y")
        if with_bias:
            make.node("Add", ["scaled", make.constant("bias", weight(*bias))], "y")
        return Chain(make.values, make.nodes)
    return build


# --- Weights alone.

def _weights_only(rows, type, block=0):
    def build(s):
        make = Maker()
        k, n = s(1024, 64), s(2048)
        low, high = (0, 16) if type == "u4" else (-8, 8) if type == "i4" else (-100, 100)
        make.values["x"] = fed(s(rows) if rows > 1 else 1, k)
        w = weight(k, n, type=type, low=low, high=high)
        if block == 0:
            make.by_axis("w", w, 1)
        else:
            make.values["w"] = w
            make.values["w_scale"] = weight(k // block, n, low=0.001, high=0.02)
            inputs = ["w", "w_scale"]
            if type == "u4":
                make.values["w_zero"] = weight(k // block, n, type="u4", low=0, high=16)
                inputs.append("w_zero")
            make.node("DequantizeLinear", inputs, "w_float", axis=0, block_size=block)
        make.node("MatMul", ["x", "w_float"], "y")
        return Chain(make.values, make.nodes)
    return build


IMAGE = (1, 64, 56, 56)


def cases():
    for name, *shape in WINDOWS:
        yield Case(f"ConvInteger.{name}", _integer_conv(*shape))
        yield Case(f"QLinearConv.{name}", _q_linear_conv(*shape), arithmetic="int8")
        yield Case(f"QDQ.Conv.{name}", _qdq_conv(*shape), arithmetic="int8")
    for name, *shape in WINDOWS:
        if name in ("3x3.s2", "depthwise.3x3", "1d.3"):
            yield Case(f"QLinearConv.{name}.asymmetric", _q_linear_conv(*shape, w_zero=7),
                       arithmetic="int8")
            yield Case(f"QDQ.Conv.{name}.s8", _qdq_conv(*shape, type="i8"), arithmetic="int8")
    yield Case("QDQ.Conv.3x3.s2.u16", _qdq_conv(*WINDOWS[3][1:], type="u16"), opset=21,
               arithmetic="int8")
    yield Case("QDQ.ConvTranspose", _qdq_conv(64, 64, 1, (28, 28), (2, 2), {"strides": [2, 2]},
                                              "ConvTranspose"), arithmetic="int8")
    for batch, m, k, n in (((1, 12), 128, 64, 128), ((), 128, 768, 768)):
        name = "scores" if batch else "computed"
        yield Case(f"MatMulInteger.{name}", lambda s, b=batch, m=m, k=k, n=n: Node(
            [fed(*b, s(m), k, type="u8"), fed(*b, k, s(n), type="u8"), numbers(128, "u8"),
             numbers(120, "u8")]))
        yield Case(f"QLinearMatMul.{name}", lambda s, b=batch, m=m, k=k, n=n: Node(
            [fed(*b, s(m), k, type="u8"), numbers(0.02, "f32"), numbers(128, "u8"),
             fed(*b, k, s(n), type="i8"), numbers(0.01, "f32"), numbers(0, "i8"),
             numbers(0.5, "f32"), numbers(128, "u8")]), arithmetic="int8")
    yield Case("MatMulInteger.columns", lambda s: Node(
        [fed(s(128), k := s(768), type="i8"), weight(k, n := s(768), type="i8"),
         numbers(3, "i8"), weight(n, type="i8", low=-9, high=9)]))
    for op in ("MatMul", "Gemm"):
        for type in ("u8", "i8"):
            yield Case(f"QDQ.{op}.{type}", _qdq_product(op, type), arithmetic="int8")
    yield Case("QDQ.MatMul.u8u8", _qdq_product("MatMul", "u8", "u8"), arithmetic="int8")
    yield Case("QDQ.MatMul.row", _qdq_product("MatMul", "u8", rows=1), arithmetic="int8")
    yield Case("QDQ.MatMul.u16", _qdq_product("MatMul", "u16"), opset=21, arithmetic="int8")
    for type in ("u8", "i8"):
        yield Case(f"QDQ.Add.{type}", _qdq("Add", [IMAGE] * 2, type), arithmetic="int8")
        yield Case(f"QDQ.Mul.{type}", _qdq("Mul", [IMAGE] * 2, type), arithmetic="int8")
        yield Case(f"QDQ.Concat.{type}", _qdq_concat(type), arithmetic="int8")
        yield Case(f"QDQ.Sigmoid.{type}", _qdq("Sigmoid", [IMAGE], type), arithmetic="int8")
        yield Case(f"QDQ.LeakyRelu.{type}", _qdq("LeakyRelu", [IMAGE], type, alpha=0.1),
                   arithmetic="int8")
        yield Case(f"QDQ.Softmax.{type}", _qdq("Softmax", [(1, 12, 128, 128)], type),
                   arithmetic="int8")
        yield Case(f"QDQ.Resize.nearest.{type}", _qdq("Resize", [(1, 64, 28, 28)], type,
                                                      mode="nearest"), arithmetic="int8")
        yield Case(f"QDQ.Resize.linear.{type}", _qdq("Resize", [(1, 64, 28, 28)], type,
                                                     mode="linear"), arithmetic="int8")
        windows = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}
        for op in ("MaxPool", "AveragePool"):
            yield Case(f"QDQ.{op}.{type}", _qdq(op, [IMAGE], type, **windows), arithmetic="int8")
        yield Case(f"QDQ.GlobalAveragePool.{type}", _qdq("GlobalAveragePool", [(1, 512, 7, 7)], type),
                   arithmetic="int8")
    for name, rows in (("bert", 128), ("row", 1)):
        yield Case(f"Dynamic.MatMul.{name}", _dynamic(rows, 768, "MatMulInteger"),
                   arithmetic="int8")
    yield Case("Dynamic.Conv.3x3", _dynamic(28, 64, "ConvInteger"), arithmetic="int8")
    for name, rows in (("prefill", 128), ("row", 1)):
        yield Case(f"Weights.columns.i8.{name}", _weights_only(rows, "i8"), arithmetic="int8")
        yield Case(f"Weights.blocks.i8.{name}", _weights_only(rows, "i8", 32), opset=21,
                   arithmetic="int8")
        yield Case(f"Weights.blocks.i4.{name}", _weights_only(rows, "i4", 32), opset=21,
                   arithmetic="int8")
        yield Case(f"Weights.blocks.u4.{name}", _weights_only(rows, "u4", 64), opset=21,
                   arithmetic="int8")
    yield Case("QLinearConv.ms.channels_last", _channels_last, domain=MS, arithmetic="int8")
    yield Case("QGemm.ms", _q_gemm, domain=MS, arithmetic="int8")


def _qdq_concat(type):
    def build(s):
        make, size = Maker(), s(56)
        floats = [make.dequantised(f"x{i}", fed(1, s(64), size, size, type=type), 0.02 + 0.01 * i)
                  for i in range(2)]
        return make.quantised(make.node("Concat", floats, "result", axis=1), 0.05, type)
    return build


def _channels_last(s):
    c = s(64)
    return Node([fed(1, s(56), s(56), c, type="u8"), numbers(0.02, "f32"), numbers(128, "u8"),
                 weight(s(64), c, 3, 3, type="i8"), numbers(0.01, "f32"), numbers(0, "i8"),
                 numbers(0.5, "f32"), numbers(128, "u8")],
                {"pads": [1] * 4, "channels_last": 1})


def _q_gemm(s):
    k = s(768)
    return Node([fed(s(128), k, type="u8"), numbers(0.02, "f32"), numbers(128, "u8"),
                 weight(k, n := s(768), type="i8"), numbers(0.01, "f32"), numbers(0, "i8"),
                 weight(n, type="i32", low=-1000, high=1000), numbers(0.5, "f32"),
                 numbers(128, "u8")])
