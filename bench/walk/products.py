# SPDX-License-Identifier: MIT
"""Matrix products, convolutions, pools, recurrent cells, attention."""

from onnx import helper

from .case import Case, Chain, Node, fed, numbers, weight

CONVOLUTIONS = (  # name, channels in, out, image, kernel, more
    ("1x1.64@56", 64, 256, (56, 56), (1, 1), {}),
    ("1x1.512@7", 512, 2048, (7, 7), (1, 1), {}),
    ("1x1.s2", 256, 512, (56, 56), (1, 1), {"strides": [2, 2]}),
    ("3x3.64@56", 64, 64, (56, 56), (3, 3), {"pads": [1] * 4}),
    ("3x3.256@14", 256, 256, (14, 14), (3, 3), {"pads": [1] * 4}),
    ("3x3.512@7", 512, 512, (7, 7), (3, 3), {"pads": [1] * 4}),
    ("3x3.s2", 128, 128, (56, 56), (3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
    ("3x3.d2", 128, 128, (28, 28), (3, 3), {"pads": [2] * 4, "dilations": [2, 2]}),
    ("3x3.one", 1, 32, (112, 112), (3, 3), {"pads": [1] * 4}),
    ("5x5", 32, 64, (28, 28), (5, 5), {"pads": [2] * 4}),
    ("7x7.stem", 3, 64, (224, 224), (7, 7), {"pads": [3] * 4, "strides": [2, 2]}),
    ("16x16.patch", 3, 768, (224, 224), (16, 16), {"strides": [16, 16]}),
    ("1x7", 128, 128, (17, 17), (1, 7), {"pads": [0, 3, 0, 3]}),
    ("1d.3", 256, 256, (400,), (3,), {"pads": [1, 1]}),
    ("1d.stem", 80, 512, (1500,), (3,), {"pads": [1, 1], "strides": [2]}),
    ("3d.3", 32, 32, (8, 28, 28), (3, 3, 3), {"pads": [1] * 6}),
    ("3x3.to1", 64, 1, (112, 112), (3, 3), {"pads": [1] * 4}),
    ("3x3.to3", 64, 3, (112, 112), (3, 3), {"pads": [1] * 4}),
    ("9x9.to3", 32, 3, (112, 112), (9, 9), {"pads": [4] * 4}),
    ("1x1.to2", 64, 2, (112, 112), (1, 1), {}),
)
MULTIPLIED = (  # name, groups, channels in and out of each, image, kernel, more
    ("depthwise.x2", 128, 1, 2, (28, 28), (3, 3), {"pads": [1] * 4}),
    ("grouped.by2", 64, 2, 2, (28, 28), (3, 3), {"pads": [1] * 4}),
    ("grouped.by4", 32, 4, 4, (56, 56), (3, 3), {"pads": [1] * 4}),
    ("grouped.by24", 10, 24, 24, (28, 28), (3, 3), {"pads": [1] * 4}),
    ("1x1.scaled", 100, 1, 2, (64, 64), (1, 1), {}),
    ("1x1.groups.s2", 8, 14, 4, (96, 96), (1, 1), {"strides": [2, 2]}),
)
GROUPED = (
    ("depthwise.3x3", 144, 1, (56, 56), (3, 3), {"pads": [1] * 4}),
    ("depthwise.3x3.s2", 144, 1, (56, 56), (3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
    ("depthwise.5x5", 240, 1, (28, 28), (5, 5), {"pads": [2] * 4}),
    ("depthwise.7x7", 96, 1, (56, 56), (7, 7), {"pads": [3] * 4}),
    ("depthwise.1d", 256, 1, (400,), (15,), {"pads": [7, 7]}),
    ("grouped.3x3", 256, 8, (28, 28), (3, 3), {"pads": [1] * 4}),
)
TRANSPOSED = (
    ("2x2.s2", 128, 64, (28, 28), (2, 2), {"strides": [2, 2]}),
    ("4x4.s2", 128, 64, (28, 28), (4, 4), {"strides": [2, 2], "pads": [1] * 4}),
    ("3x3.s2", 64, 32, (56, 56), (3, 3), {"strides": [2, 2], "pads": [1] * 4,
                                          "output_padding": [1, 1]}),
    ("1d.16.s8", 256, 128, (100,), (16,), {"strides": [8], "pads": [4, 4]}),
)


def _conv(c, m, image, kernel, more, type="f32"):
    def build(s):
        channels, filters = [s(n) if n > 4 else n for n in (c, m)]
        size = [s(n) for n in image]
        return Node([fed(1, channels, *size, type=type),
                     weight(filters, channels, *kernel, type=type, low=-0.1, high=0.1),
                     weight(filters, type=type)], more)
    return build


def _grouped(c, per_group, image, kernel, more, type="f32"):
    def build(s):
        channels = s(c, per_group)
        groups = channels // per_group
        size = [s(n) for n in image]
        return Node([fed(1, channels, *size, type=type),
                     weight(channels, per_group, *kernel, type=type), weight(channels, type=type)],
                    {**more, "group": groups})
    return build


def _multiplied(groups, inputs, outputs, image, kernel, more):
    def build(s):
        count = s(groups)
        return Node([fed(1, count * inputs, *[s(n) for n in image]),
                     weight(count * outputs, inputs, *kernel), weight(count * outputs)],
                    {**more, "group": count})
    return build


def _transposed(c, m, image, kernel, more):
    def build(s):
        channels, filters = s(c), s(m)
        return Node([fed(1, channels, *[s(n) for n in image]),
                     weight(channels, filters, *kernel, low=-0.1, high=0.1), weight(filters)], more)
    return build


def _pool(c, size, more, type="f32"):
    return lambda s: Node([fed(1, s(c), s(size), s(size), type=type)], more)


def _product(m, k, n, second="weight", type="f32", batch=()):
    def build(s):
        rows, inner, columns = s(m) if m > 1 else 1, s(k), s(n) if n > 1 else 1
        b = (weight if second == "weight" else fed)(*batch, inner, columns, type=type)
        return Node([fed(*batch, rows, inner, type=type), b])
    return build


def _gemm(m, k, n, **more):
    def build(s):
        rows, inner, columns = s(m) if m > 1 else 1, s(k), s(n) if n > 1 else 1
        b = weight(columns, inner) if more.get("transB") else weight(inner, columns)
        return Node([fed(rows, inner), b, weight(columns)], more)
    return build


def _recurrent(gates, steps, batch, inputs, hidden, more):
    def build(s):
        t, i, h = s(steps) if steps > 1 else 1, s(inputs), s(hidden)
        directions = 2 if more.get("direction") == "bidirectional" else 1
        return Node([fed(t, batch, i), weight(directions, gates * h, i, low=-0.1, high=0.1),
                     weight(directions, gates * h, h, low=-0.1, high=0.1),
                     weight(directions, 2 * gates * h)], {**more, "hidden_size": h}, 2)
    return build


def _attention(s):
    m, n = s(128), 768
    return Node([fed(1, m, n), weight(n, 3 * n, low=-0.05, high=0.05), weight(3 * n)],
                {"num_heads": 12})


def _multi_head(s):
    m = s(128)
    return Node([fed(1, m, 768), fed(1, m, 768), fed(1, m, 768)], {"num_heads": 12})


def _groups(queries, past):
    def build(s):
        m = s(queries) if queries > 1 else 1
        before = s(past) if past else 0
        cache = [fed(1, 8, before, 64), fed(1, 8, before, 64)] if before else [None, None]
        total = before + m
        angles = [weight(max(total, 1024), 32, low=-1, high=1) for _ in range(2)]
        return Node([fed(1, m, 2048), fed(1, m, 512), fed(1, m, 512), *cache,
                     numbers([total - 1], "i32"), numbers([total], "i32"), *angles],
                    {"num_heads": 32, "kv_num_heads": 8, "do_rotary": 1}, 3)
    return build


def _rotated(s):
    return Node([fed(1, m := s(128), 2048), numbers([[*range(m)]]),
                 weight(1024, 32, low=-1, high=1), weight(1024, 32, low=-1, high=1)],
                {"num_heads": 32})


def _gathered_blocks(s):
    return Node([weight(v := s(4096), 1024, type="u8", low=0, high=255),
                 fed(1, s(64), type="i32", low=0, high=1000),
                 weight(v, 64, low=0.001, high=0.02)], {"bits": 4, "block_size": 32})


def _fused_matmul(s):
    return Node([fed(1, 12, m := s(128), 64), fed(1, 12, m, 64)], {"transB": 1, "alpha": 0.125})


def _experts(tokens):
    def build(s):
        h, i, m = s(512), s(1024), s(tokens) if tokens > 1 else 1
        return Node([fed(m, h), fed(m, 8), weight(8, i, h, low=-0.1, high=0.1), None,
                     weight(8, h, i, low=-0.1, high=0.1)], {"k": 2, "activation_type": "silu"})
    return build


def _quantised_experts(tokens):
    def build(s):
        h, i, m = s(512, 2), s(1024, 2), s(tokens) if tokens > 1 else 1
        layers = [[weight(8, n, k // 2, type="u8", low=0, high=255),
                   weight(8, n, low=0.001, high=0.02), None] for n, k in ((i, h), (h, i))]
        return Node([fed(m, h), fed(m, 8), *layers[0], *layers[1][:2]],
                    {"k": 2, "activation_type": "silu", "normalize_routing_weights": 1,
                     "expert_weight_bits": 4})
    return build


def _linear_attention(s):
    m = s(256)
    # Long keys would make states that grow without end.
    return Node([*(fed(1, m, 512, low=-0.2, high=0.2) for _ in range(3)), None,
                 fed(1, m, 8, low=-1, high=0), fed(1, m, 8, low=0, high=1)],
                {"q_num_heads": 8, "kv_num_heads": 8, "update_rule": "gated_delta"}, 2)


def _scored(more):
    def build(s):
        m = s(256)
        return Node([fed(1, 8, m, 64), fed(1, 8, m, 64), fed(1, 8, m, 64)], more)
    return build


def _turned_gemm(s):
    return Node([fed(k := s(4096), s(256)), fed(k, s(256))], {"transA": 1})


def _fused_conv(s):
    c = s(64)
    return Node([fed(1, c, s(28), s(28)), weight(c, c, 3, 3, low=-0.1, high=0.1), weight(c)],
                {"pads": [1] * 4, "activation": "Relu"})


def cases():
    for name, c, m, image, kernel, more in CONVOLUTIONS:
        yield Case(f"Conv.{name}", _conv(c, m, image, kernel, more))
    for name, c, per_group, image, kernel, more in GROUPED:
        yield Case(f"Conv.{name}", _grouped(c, per_group, image, kernel, more))
    for name, *shape in MULTIPLIED:
        yield Case(f"Conv.{name}", _multiplied(*shape))
    yield Case("Conv.3x3.f16", _conv(64, 64, (56, 56), (3, 3), {"pads": [1] * 4}, "f16"),
               arithmetic="f16")
    for name, c, m, image, kernel, more in TRANSPOSED:
        yield Case(f"ConvTranspose.{name}", _transposed(c, m, image, kernel, more))
    three = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}
    two = {"kernel_shape": [2, 2], "strides": [2, 2]}
    for name in ("MaxPool", "AveragePool", "LpPool"):
        yield Case(f"{name}.3x3.s2", _pool(64, 112, three))
        yield Case(f"{name}.2x2.s2", _pool(64, 112, two))
        yield Case(f"{name}.3x3.s2@28", _pool(64, 28, three))
    for name in ("MaxPool", "AveragePool"):
        yield Case(f"{name}.3x3.s2@7", _pool(256, 7, three))
    yield Case("MaxPool.2x2x2", lambda s: Node([fed(1, s(64), 8, 8, 8)], {"kernel_shape": [2] * 3}))
    yield Case("MaxPool.5x5", _pool(256, 20, {"kernel_shape": [5, 5], "pads": [2] * 4}))
    for name in ("MaxPool", "AveragePool"):
        for form, channels, image, more in (
                ("whole", 256, 7, {"kernel_shape": [7, 7]}),
                ("nearly_whole", 64, 28, {"kernel_shape": [26, 26]}),
                ("7x7.s4", 32, 64, {"kernel_shape": [7, 7], "strides": [4, 4]}),
                ("13x13", 256, 13, {"kernel_shape": [13, 13], "pads": [6] * 4})):
            yield Case(f"{name}.{form}", _pool(channels, image, more), size_is_free=False)
    for name, kind, shape, k, stride in (("volume.s2", "AveragePool", (15, 13, 15, 13), 3, 2),
                                         ("volume.k5", "MaxPool", (8, 7, 6, 7), 5, 1),
                                         ("volume.k4", "AveragePool", (20, 24, 25, 25), 4, 1)):
        yield Case(f"{kind}.{name}", lambda s, n=shape, k=k, t=stride: Node(
            [fed(1, s(n[0]), *n[1:])],
            {"kernel_shape": [k] * 3, "strides": [t] * 3, "pads": [k // 2] * 6}))
    yield Case("AveragePool.5x5", _pool(256, 20, {"kernel_shape": [5, 5], "pads": [2] * 4}))
    yield Case("MaxPool.u8", _pool(64, 112, two, "u8"))
    yield Case("MaxPool.f16", _pool(64, 112, two, "f16"), arithmetic="f16")
    for name in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
        yield Case(f"{name}.map", _pool(512, 7, {}))
        yield Case(f"{name}.large", _pool(64, 56, {}))
    for name, m, k, n in (("bert", 128, 768, 768), ("ffn", 128, 768, 3072), ("row", 1, 768, 3072),
                          ("square", 512, 512, 512), ("tall", 2048, 64, 64),
                          ("narrow", 512, 512, 8), ("column", 1024, 1024, 1)):
        yield Case(f"MatMul.{name}", _product(m, k, n))
    yield Case("MatMul.points", _product(5000, 3, 3))
    yield Case("MatMul.computed", _product(128, 768, 768, "fed"))
    yield Case("MatMul.vector_computed", _product(1, 768, 768, "fed"))
    yield Case("MatMul.scores", _product(128, 64, 128, "fed", batch=(1, 12)))
    yield Case("MatMul.values", _product(128, 128, 64, "fed", batch=(1, 12)))
    yield Case("MatMul.f64", _product(128, 256, 256, "weight", "f64"))
    yield Case("MatMul.f64.column", _product(256, 256, 1, "weight", "f64"))
    for type in ("i32", "i64"):
        yield Case(f"MatMul.{type}", _product(128, 256, 128, "fed", type))
    yield Case("MatMul.f16", _product(128, 768, 768, "weight", "f16"), arithmetic="f16")
    yield Case("Gemm.head", _gemm(1, 2048, 1000, transB=1))
    yield Case("Gemm.batch", _gemm(64, 512, 512))
    yield Case("Gemm.column", _gemm(128, 768, 1))
    yield Case("Gemm.transposed_row", lambda s: Node([fed(1, k := s(512)), fed(n := s(512), k),
                                                      fed(n)], {"transB": 1}))
    yield Case("Gemm.turned", lambda s: Node([fed(k := s(512), 8), weight(k, n := s(512)),
                                              weight(n)], {"transA": 1}))
    yield Case("Einsum.scores", lambda s: Node([fed(1, n := s(128), 12, 64), fed(1, n, 12, 64)],
                                               {"equation": "bihd,bjhd->bhij"}))
    yield Case("Einsum.scaled", lambda s: Node([fed(8, s(64), n := s(64)), fed(n)],
                                               {"equation": "bsd,d->bsd"}))
    yield Case("Einsum.turned", lambda s: Node([fed(s(512), s(512))], {"equation": "ij->ji"}))
    for name, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        yield Case(f"{name}.step", _recurrent(gates, 1, 1, 128, 128, {}))
        yield Case(f"{name}.100", _recurrent(gates, 100, 1, 128, 128, {}))
        yield Case(f"{name}.both", _recurrent(gates, 50, 4, 256, 256,
                                              {"direction": "bidirectional"}))
    yield Case("Attention.bert", _attention, domain="com.microsoft")
    yield Case("MultiHeadAttention.bert", _multi_head, domain="com.microsoft")
    yield Case("GroupQueryAttention.prompt", _groups(128, 0), domain="com.microsoft")
    yield Case("GroupQueryAttention.token", _groups(1, 511), domain="com.microsoft")
    yield Case("RotaryEmbedding.ms", _rotated, domain="com.microsoft")
    yield Case("GatherBlockQuantized.embedding", _gathered_blocks, domain="com.microsoft")
    yield Case("Gemm.turned_deep", _turned_gemm)
    yield Case("Attention.onnx", _scored({}), opset=23)
    yield Case("Attention.onnx.causal", _scored({"is_causal": 1}), opset=23)
    yield Case("Attention.onnx.softcap", _scored({"softcap": 50.0}), opset=23)
    yield Case("GroupQueryAttention.long", _groups(1, 8191), domain="com.microsoft")
    for name, tokens in (("token", 1), ("prompt", 128)):
        yield Case(f"MoE.{name}", _experts(tokens), domain="com.microsoft")
        yield Case(f"QMoE.{name}.4_bits", _quantised_experts(tokens), domain="com.microsoft",
                   arithmetic="int8")
    yield Case("LinearAttention.prompt", _linear_attention, domain="com.microsoft")
    yield Case("FusedMatMul.scores", _fused_matmul, domain="com.microsoft")
    yield Case("FusedConv.3x3", _fused_conv, domain="com.microsoft")
    yield Case("Conv.chain.channels_last", _channels_last_chain)
    yield Case("Conv.chain.lines", _chain_of_lines)
    yield Case("Conv.chain.pixels", _chain_of_pixels)


def _q_attention(s):
    tokens, n = s(128), 768
    return Node([fed(1, tokens, n, type="u8"), weight(n, 3 * n, type="i8"), weight(3 * n),
                 numbers(0.02, "f32"), numbers(0.01, "f32"), numbers([tokens], "i32"),
                 numbers(128, "u8"), numbers(0, "i8")], {"num_heads": 12})


def _dynamic_lstm(batch, hidden):
    def build(s):
        h, steps, n = s(hidden), s(50), s(256)
        scale, zero = weight(1, low=0.0005, high=0.001), numbers([0], "i8")
        return Node([fed(steps, batch, n), weight(1, n, 4 * h, type="i8"),
                     weight(1, h, 4 * h, type="i8"), weight(1, 8 * h), None, None, None, None,
                     scale, zero, scale, zero], {"hidden_size": h}, 3)
    return build


def _scaled(x_type, scales, axis, block=0):
    """To or from 8 bits, with scales along an axis or for blocks; `scales` gives their shape."""
    def build(s):
        shape = (s(4, 4) * 32, s(24, 4) * 32)
        there = scales(*shape)
        return Node([fed(*shape, type=x_type), weight(*there, low=0.01, high=0.05),
                     weight(*there, type="u8", low=100, high=130)],
                    {"axis": axis, "block_size": block} if block else {"axis": axis})
    return build


def quantised():
    for batch, hidden in ((1, 256), (1, 512), (8, 128)):
        yield Case(f"DynamicQuantizeLSTM.{hidden}x{batch}", _dynamic_lstm(batch, hidden),
                   domain="com.microsoft", arithmetic="int8 network", size_is_free=False)
    yield Case("QAttention.bert", _q_attention, domain="com.microsoft", arithmetic="int8")
    for name, image, channels, more in (
            ("3x3.s2", 56, 64, {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}),
            ("2x2.s2", 56, 64, {"kernel_shape": [2, 2], "strides": [2, 2]}),
            ("5x5", 20, 256, {"kernel_shape": [5, 5], "strides": [1, 1], "pads": [2] * 4})):
        yield Case(f"NhwcMaxPool.{name}",
                   lambda s, n=image, c=channels, more=more: Node(
                       [fed(1, s(n), s(n), c, type="u8")], more), domain="com.microsoft")
    yield Case("QuantizeLinear.u8", lambda s: Node([
        fed(s(128), s(768)), numbers(0.02, "f32"), numbers(128, "u8")]))
    yield Case("QuantizeLinear.i8", lambda s: Node([
        fed(s(128), s(768)), numbers(0.02, "f32"), numbers(0, "i8")]))
    yield Case("DequantizeLinear.u8", lambda s: Node([
        fed(s(128), s(768), type="u8"), numbers(0.02, "f32"), numbers(128, "u8")]))
    for name, scales, axis, block in (("columns", lambda n, m: (m,), 1, 0),
                                      ("tall_blocks", lambda n, m: (n // 32, m), 0, 32),
                                      ("blocks", lambda n, m: (n, m // 32), 1, 32)):
        yield Case(f"QuantizeLinear.{name}", _scaled("f32", scales, axis, block), opset=21)
        yield Case(f"DequantizeLinear.{name}", _scaled("u8", scales, axis, block), opset=21)
    yield Case("DynamicQuantizeLinear.map", lambda s: Node([fed(s(128), s(768))], {}, 3))
    yield Case("MatMulInteger.u8i8", lambda s: Node([
        fed(s(128), k := s(768), type="u8"), weight(k, s(768), type="i8"), numbers(128, "u8"),
        numbers(0, "i8")]))
    yield Case("MatMulInteger.u8u8", lambda s: Node([
        fed(s(128), k := s(768), type="u8"), weight(k, s(768), type="u8"), numbers(128, "u8"),
        numbers(120, "u8")]))
    yield Case("MatMulInteger.row", lambda s: Node([
        fed(1, k := s(768), type="u8"), weight(k, s(3072), type="i8"), numbers(128, "u8")]))
    yield Case("ConvInteger.3x3", lambda s: Node([
        fed(1, c := s(64), s(28), s(28), type="u8"), weight(s(64), c, 3, 3, type="u8"),
        numbers(128, "u8"), numbers(120, "u8")], {"pads": [1] * 4}))
    for name, weights in (("i8", "i8"), ("u8", "u8")):
        yield Case(f"QLinearConv.3x3.{name}", _q_linear_conv(weights), arithmetic="int8")
    yield Case("QLinearConv.1x1", _q_linear_conv("i8", 256, 64, 56, 1), arithmetic="int8")
    yield Case("QLinearMatMul.bert", _q_linear_matmul, arithmetic="int8")
    yield Case("DynamicQuantizeMatMul.bert", lambda s: Node([
        fed(s(128), k := s(768)), weight(k, s(768), type="i8"), numbers([0.01], "f32"),
        numbers([0], "i8")]), domain="com.microsoft", arithmetic="int8")
    yield Case("MatMulNBits.row", _n_bits(1), domain="com.microsoft")
    yield Case("MatMulNBits.prefill", _n_bits(128), domain="com.microsoft")
    for bits in (2, 8):
        yield Case(f"MatMulNBits.row.{bits}_bits", _n_bits(1, bits), domain="com.microsoft")
        yield Case(f"MatMulNBits.prefill.{bits}_bits", _n_bits(128, bits), domain="com.microsoft")


def _channels_last_chain(s):
    """As exporters of channels-last frameworks write convolution, batch normalisation, Relu."""
    c, m = s(64), s(64)
    nodes = [helper.make_node("Transpose", ["x"], ["x1"], perm=[0, 3, 1, 2]),
             helper.make_node("Conv", ["x1", "w1"], ["c1"], auto_pad="SAME_UPPER"),
             helper.make_node("Transpose", ["c1"], ["t1"], perm=[0, 2, 3, 1]),
             helper.make_node("Mul", ["t1", "scale"], ["s1"]),
             helper.make_node("Add", ["s1", "shift"], ["b1"]),
             helper.make_node("Relu", ["b1"], ["r1"]),
             helper.make_node("Transpose", ["r1"], ["x2"], perm=[0, 3, 1, 2]),
             helper.make_node("Conv", ["x2", "w2"], ["c2"], auto_pad="SAME_UPPER"),
             helper.make_node("Transpose", ["c2"], ["y"], perm=[0, 2, 3, 1])]
    return Chain({"x": fed(1, s(56), s(56), c), "w1": weight(m, c, 3, 3), "scale": weight(m),
                  "shift": weight(m), "w2": weight(s(64), m, 1, 1)}, nodes)


def _chain_of_lines(s):
    """Convolutions over one axis as those of images of one row."""
    c, m = s(64), s(64)
    nodes = []
    for i, (source, result) in enumerate((("x", "r0"), ("r0", "y"))):
        nodes += [helper.make_node("Unsqueeze", [source, "axes"], [f"u{i}"]),
                  helper.make_node("Conv", [f"u{i}", f"w{i}"], [f"c{i}"], pads=[0, 1, 0, 1]),
                  helper.make_node("Squeeze", [f"c{i}", "axes"], [f"s{i}"]),
                  helper.make_node("Relu", [f"s{i}"], [result])]
    return Chain({"x": fed(1, c, s(2000)), "axes": numbers([2]), "w0": weight(m, c, 1, 3),
                  "w1": weight(m, m, 1, 3)}, nodes)


def _chain_of_pixels(s):
    """Pixels of a feature map as rows of tokens."""
    c, n = s(64), s(28)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 4),
             helper.make_node("Reshape", ["c", "sizes"], ["line"]),
             helper.make_node("Transpose", ["line"], ["rows"], perm=[0, 2, 1]),
             helper.make_node("Add", ["rows", "places"], ["y"])]
    m = s(128)
    return Chain({"x": fed(1, c, n, n), "w": weight(m, c, 3, 3), "sizes": numbers([0, m, -1]),
                  "places": weight(1, n * n, m)}, nodes)


def _n_bits(rows, bits=4):
    def build(s):
        k, n = s(1024, 32), s(2048)
        return Node([fed(rows, k), weight(n, k // 32, 4 * bits, type="u8", low=0, high=255),
                     weight(n * (k // 32), low=0.001, high=0.02)],
                    {"K": k, "N": n, "bits": bits, "block_size": 32})
    return build


def _q_linear_conv(weights, c=64, m=64, image=56, kernel=3):
    def build(s):
        channels = s(c)
        return Node([fed(1, channels, s(image), s(image), type="u8"), numbers(0.02, "f32"),
                     numbers(128, "u8"), weight(s(m), channels, kernel, kernel, type=weights),
                     numbers(0.01, "f32"), numbers(0 if weights == "i8" else 120, weights),
                     numbers(0.2, "f32"), numbers(128, "u8")], {"pads": [kernel // 2] * 4})
    return build


def _q_linear_matmul(s):
    k = s(768)
    return Node([fed(s(128), k, type="u8"), numbers(0.02, "f32"), numbers(128, "u8"),
                 weight(k, s(768), type="i8"), numbers(0.01, "f32"), numbers(0, "i8"),
                 numbers(0.5, "f32"), numbers(128, "u8")])
