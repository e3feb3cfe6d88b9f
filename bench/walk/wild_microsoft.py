# SPDX-License-Identifier: MIT
"""Cases of chance of com.microsoft: weights of few bits, activations with a bias, products."""

from .case import Node, fed, numbers, weight
from .wild_case import MS, a_case, text


def few_bits(d):
    bits, block = d.pick((4, 4, 8)), d.pick((16, 32, 64, 128, 256))
    m, n = d.pick((1, 1, d.size(2, 200))), d.size(1, 1500)
    k = d.size(1, 1500) if d.chance() < 0.3 else block * d.size(1, max(1, 2000 // block))
    level, has_zero = d.pick((0, 1, 4)), d.pick((0, 0, 1))
    while m * k * n > 100000000:
        m, n = max(1, m // 2), n // 2 + 1
    blocks = (k + block - 1) // block
    values = [fed(m, k), weight(n, blocks, block * bits // 8, type="u8", low=0, high=256),
              weight(n * blocks, low=0.001, high=0.02)]
    if has_zero:
        values.append(weight(n, (blocks * bits + 7) // 8, type="u8", low=0, high=256))
    return a_case("MatMulNBits", f"{m}x{k}x{n}.b{bits}.of{block}.level{level}.{has_zero}", Node(
        values, {"K": k, "N": n, "bits": bits, "block_size": block, "accuracy_level": level}),
                  "4-bit, int8 inside", domain=MS)


def gathered(d):
    bits, block = d.pick((4, 8)), d.pick((16, 32, 64, 128))
    words, blocks, has_zero = d.size(5, 3000), d.size(1, 16), d.pick((0, 1))
    count = d.shape(1, 2, d.size(1, 300))
    values = [weight(words, blocks * block * bits // 8, type="u8", low=0, high=256),
              d.places(*count, below=words), weight(words, blocks, low=0.001, high=0.02)]
    if has_zero:
        values.append(weight(words, (blocks * bits + 7) // 8, type="u8", low=0, high=256))
    label = f"{words}x{blocks * block}.b{bits}.of{block}.at{text(count)}"
    return a_case("GatherBlockQuantized", label, Node(
        values, {"bits": bits, "block_size": block, "gather_axis": 0, "quantize_axis": 1}),
                  domain=MS)


def activated(d):
    name, shape = d.pick(("BiasGelu", "FastGelu", "QuickGelu", "Gelu")), d.shape(2, 3)
    type = d.pick(("f32", "f32", "f16")) if name in ("FastGelu", "QuickGelu") else "f32"
    x, bias = fed(*shape, type=type), weight(shape[-1], type=type)
    values = {"BiasGelu": [x, bias], "FastGelu": d.pick(([x], [x, bias]))}.get(name, [x])
    return a_case(name, f"ms.{text(shape)}.{len(values)}.{type}", Node(values), type, domain=MS)


def product(d):
    name = d.pick(("FusedMatMul", "FusedMatMul", "FusedGemm", "TransposeMatMul"))
    m, k, n = d.size(1, 200), d.size(1, 300), d.size(1, 300)
    batch = d.pick(((), (2,), (1, 6)))
    ta, tb = d.pick((0, 1)), d.pick((0, 1))
    if name == "FusedGemm":
        activation = d.pick(("Relu", "LeakyRelu", "Tanh", "Sigmoid", "HardSigmoid"))
        attributes = {"activation": activation, "transA": ta, "transB": tb}
        if activation in ("LeakyRelu", "HardSigmoid"):
            attributes["activation_alpha"] = 0.2
        if activation == "HardSigmoid":
            attributes["activation_beta"] = 0.5
        return a_case(name, f"{m}x{k}x{n}.{ta}{tb}.{activation}", Node(
            [fed(*((k, m) if ta else (m, k))), weight(*((n, k) if tb else (k, n))), weight(n)],
            attributes), domain=MS)
    make = d.pick((fed, weight))
    return a_case(name, f"{text(batch + (m, k, n))}.{ta}{tb}", Node(
        [fed(*batch, *((k, m) if ta else (m, k))), make(*batch, *((n, k) if tb else (k, n)))],
        {"transA": ta, "transB": tb, "alpha": d.pick((1.0, 0.125))}), domain=MS)


def shaped(d):
    name = d.pick(("Inverse", "Trilu", "Unique", "ExpandDims", "NGramRepeatBlock",
                   "MaxpoolWithMask", "Pad", "GatherND", "Range"))
    shape, type = d.shape(2, 4), d.pick(("f32", "f32", "i64"))
    x = fed(*shape, type=type)
    if name == "Inverse":
        n, batch = d.size(1, 60), d.size(1, 20)
        return a_case(name, f"{batch}x{n}", Node([fed(batch, n, n)]), "loose", domain=MS)
    if name == "Trilu":
        return a_case(name, f"ms.{text(shape)}.{type}", Node(
            [x, numbers(d.random.randint(-3, 3))], {"upper": d.pick((0, 1))}), domain=MS)
    if name == "Unique":
        length = d.size(5, 20000)
        return a_case(name, f"ms.{length}", Node(
            [fed(length, data=[float(d.random.randrange(500)) for _ in range(length)])], {}, 3),
                      domain=MS)
    if name == "ExpandDims":
        return a_case(name, f"{text(shape)}.{type}", Node([x, numbers(1, "i32")]), domain=MS)
    if name == "NGramRepeatBlock":
        b, length, words, n = d.size(1, 8), d.size(3, 200), d.size(10, 3000), d.pick((1, 2, 3))
        return a_case(name, f"{b}x{length}.{words}.{n}", Node(
            [d.places(b, length, below=min(words, 9)), fed(b, words)], {"ngram_size": n}),
                      domain=MS)
    if name == "MaxpoolWithMask":
        c, side = d.size(1, 64), d.size(5, 80)
        image = (1, c, side, side)
        return a_case(name, f"{c}at{side}", Node(
            [fed(*image), fed(*image, type="i32", low=0, high=3)],
            {"kernel_shape": [3, 3], "strides": [2, 2]}), domain=MS)
    if name == "Pad":
        pads = [d.random.randint(0, 3) for _ in shape * 2]
        return a_case(name, f"ms.{text(shape)}.{text(pads)}", Node(
            [fed(*shape), numbers(pads), numbers([0.5], "f32")], {"mode": "constant"}), domain=MS)
    if name == "GatherND":
        count = d.size(1, 300)
        while count * shape[-1] * (shape[-2] if len(shape) > 2 else 1) > 2000000:
            count = count // 2 + 1
        depth = len(shape) - 1
        return a_case(name, f"ms.{text(shape)}.{count}.{type}", Node(
            [x, d.places(count, depth, below=min(shape[:depth]))]), domain=MS)
    count = d.size(3, 100000)
    return a_case(name, f"ms.{count}", Node(
        [fed(type="f32", data=n) for n in (0.0, float(count), 1.0)]), domain=MS)


FAMILIES = {few_bits: 4, gathered: 1, activated: 2, product: 2, shaped: 3}
