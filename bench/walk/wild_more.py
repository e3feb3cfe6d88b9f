# SPDX-License-Identifier: MIT
"""Cases of chance of the operators of ai.onnx that wild.py leaves out, each a whole Case.

What is random by itself, and what ONNX Runtime has no kernel for on the CPU, is not drawn.
"""

import math

from . import wild_attention, wild_images, wild_microsoft, wild_ml
from .case import Node, fed, numbers, weight
from .wild_case import FLOATS, a_case, text

UNARY = ("Acos Acosh Asinh Atanh Sinh Tan Not BitwiseNot IsInf Gelu Gelu Swish Shrink Clip Clip "
         "Clip Identity").split()
OPSETS = {"Gelu": 20, "Swish": 24, "IsInf": 20, "BitwiseNot": 18}


def unary(d):
    name, shape = d.pick(UNARY), d.shape()
    type = {"Not": "bool", "BitwiseNot": d.pick(("u8", "i32", "i64", "i8"))}.get(
        name, d.pick(FLOATS if name in ("Clip", "IsInf", "Gelu") else ("f32", "f32", "f64")))
    low, high = {"Acos": (-1, 1), "Atanh": (-0.9, 0.9), "Acosh": (1, 9)}.get(name, (-3, 3))
    attributes, values = {}, [fed(*shape, type=type, low=low, high=high)]
    if name == "Gelu":
        attributes["approximate"] = d.pick(("none", "tanh"))
    if name == "Swish":
        attributes["alpha"] = d.pick((1.0, 1.702))
    if name == "Shrink":
        attributes = {"lambd": 0.5, "bias": d.pick((0.0, 0.5))}
    if name == "IsInf":
        attributes = {"detect_negative": d.pick((1, 1, 0)), "detect_positive": d.pick((1, 1, 0))}
        values = [fed(*shape, type=type, data=d.random.choices(
            (1.0, -2.0, math.inf, -math.inf, math.nan), k=math.prod(shape)))]
    if name == "Clip":
        type = d.pick((type, type, "i32", "i64", "u8", "i8"))
        bounds = [numbers(n, type) for n in ((10, 50) if type[0] in "iu" else (-1.0, 1.5))]
        values = [fed(*shape, type=type), d.pick((bounds[0], None)), bounds[1]]
    more = ".".join(map(str, attributes.values()))
    label = f"{text(shape)}.{type}" + (f".{more}" if more else "")
    return a_case(name, label, Node(values, attributes), type, OPSETS.get(name, 17))


def several(d):
    name, shape = d.pick(("Sum", "Mean", "Max", "Min")), d.shape(1, 4)
    type = d.pick(("f32", "f32", "f64", "f16") + (("i32", "i64") if name[0] == "M" else ()))
    type = "f32" if name == "Mean" else type
    parts = [tuple(n if d.chance() < 0.8 else 1 for n in shape) for _ in range(d.size(2, 6))]
    return a_case(name, ".".join(map(text, parts)) + f".{type}",
                  Node([fed(*part, type=type) for part in parts]), type)


def logic(d):
    name = d.pick("And Or Xor BitwiseAnd BitwiseOr BitwiseXor BitShift Mod Mod Less LessOrEqual "
                  "GreaterOrEqual Equal".split())
    shape, attributes = d.shape(1, 4), {}
    types = {"A": ("bool",), "O": ("bool",), "X": ("bool",), "M": ("i32", "i64", "u8", "i8", "f32")}
    type = d.pick(types.get(name[0], ("f32", "f64", "i32", "i64")))
    if name.startswith("Bit"):
        type = "u8" if name == "BitShift" else d.pick(("u8", "i32", "i64", "i8"))
    if name == "Equal":
        type = d.pick(("bool", "u8", "i64", "f32"))
    other = tuple(n if d.chance() < 0.7 else 1 for n in shape)[d.pick((0, 0, 1)):]
    if name == "BitShift":
        attributes["direction"] = d.pick(("LEFT", "RIGHT"))
    if name == "Mod":
        attributes["fmod"] = 1 if type == "f32" else d.pick((0, 0, 1))
    low, high = (1, 7) if name in ("Mod", "BitShift") else (0, 9)
    make = d.pick((fed, weight))
    label = f"{text(shape)}.{text(other)}.{type}" + "".join(f".{n}" for n in attributes.values())
    return a_case(name, label, Node([fed(*shape, type=type), make(
        *other, type=type, low=low, high=high)], attributes), type,
                  18 if name.startswith("Bitwise") else 17)


EQUATIONS = """ij,jk->ik  bij,bjk->bik  bhid,bhjd->bhij  bhij,bhjd->bhid  bthd,bshd->bhts  ij->ji
    bhts,bshd->bthd  ij,ij->ij  ij,ij->i  bij->bj  ii->i  i,j->ij  bi,bj->bij  bnc,hcd->bnhd
    abc,cd->abd  ...ij,jk->...ik  bij,j->bi  nctv,vw->nctw  bhwc,hkc->bhwk  abcd->acbd  ij,kj->ik
    bij,bij->b  ijk,jkl->il  bcs,bdt->bcdst  ab,bc,cd->ad  bhwc,wkc->bhwk  ji,jk->ik""".split()


def einsum(d):
    equation = d.pick(EQUATIONS)
    letters = sorted(set(equation) - set(",->."))
    sizes = {letter: d.size(1, 120) for letter in letters}
    while math.prod(sizes.values()) > 8000000:
        letter = max(sizes, key=sizes.get)
        sizes[letter] = sizes[letter] // 2 + 1
    parts = [tuple(sizes[letter] for letter in term.replace("...", ""))
             for term in equation.split("->", maxsplit=1)[0].split(",")]
    type = d.pick(("f32", "f32", "f64", "i64"))
    name = equation.replace("->", "to").replace(",", "_").replace("...", "")
    return a_case("Einsum", f"{name}.{'.'.join(map(text, parts))}.{type}", Node(
        [fed(*part, type=type) for part in parts], {"equation": equation}), type)


def made(d):
    """What is made out of little: ranges, squares, grids."""
    name = d.pick(("Range", "ConstantOfShape", "EyeLike", "AffineGrid", "CenterCropPad", "Pad"))
    if name == "Range":
        type, count = d.pick(("f32", "i64", "i32", "f64")), d.size(3, 300000)
        return a_case(name, f"{count}.{type}", Node(
            [fed(type=type, data=n) for n in (3, 3 + 2 * count, 2)]), type)
    if name == "ConstantOfShape":
        shape = d.shape()
        return a_case(name, text(shape), Node([fed(len(shape), type="i64", data=shape)]))
    if name == "EyeLike":
        shape, type = (d.size(1, 700), d.size(1, 700)), d.pick(("f32", "i64", "f64"))
        return a_case(name, f"{text(shape)}.{type}", Node(
            [fed(*shape, type=type)], {"k": d.random.randint(-3, 3)}), type)
    if name == "AffineGrid":
        n, sides = d.pick((1, 2, 5)), [d.size(3, 200) for _ in range(2)]
        return a_case(name, f"{n}x{text(sides)}", Node(
            [fed(n, 2, 3), numbers([n, 3, *sides])], {"align_corners": d.pick((0, 1))}), "f32", 20)
    shape, type = d.shape(2, 4), d.pick(("f32", "u8", "f32", "i64"))
    if name == "Pad":
        pads = [d.random.randint(0, min(5, n)) for n in shape * 2]
        return a_case(name, f"{text(shape)}.wrap.{text(pads)}.{type}", Node(
            [fed(*shape, type=type), numbers(pads)], {"mode": "wrap"}), type, 19)
    axes = d.subset(len(shape))
    target = [max(1, shape[axis] + d.random.randint(-5, 5)) for axis in axes]
    return a_case(name, f"{text(shape)}.axes{text(axes)}.to{text(target)}.{type}", Node(
        [fed(*shape, type=type), numbers(target)], {"axes": axes}), type, 18)


def normalised(d):
    name = d.pick(("GroupNormalization", "RMSNormalization", "MeanVarianceNormalization",
                   "LayerNormalization", "Softmax", "LogSoftmax", "Hardmax",
                   "InstanceNormalization"))
    shape, type = d.shape(3, 4), d.pick(("f32", "f32", "f32", "f16", "f64"))
    axis = d.axis(shape)
    label, x = f"{text(shape)}.axis{axis}.{type}", fed(*shape, type=type)
    if name == "GroupNormalization":
        groups = d.pick((1, 2, 4, 8))
        shape = (d.pick((1, 2)), groups * d.size(1, 40), *[d.size(1, 60) for _ in range(2)])
        return a_case(name, f"{text(shape)}.of{groups}", Node(
            [fed(*shape), weight(shape[1]), weight(shape[1])], {"num_groups": groups}), "f32", 21)
    if name == "RMSNormalization":
        return a_case(name, label, Node([x, weight(*shape[axis:], type=type)], {"axis": axis}),
                      type, 23)
    if name == "LayerNormalization":  # with all three results
        scale = weight(*shape[axis:])
        return a_case(name, f"{text(shape)}.axis{axis}.all", Node(
            [fed(*shape), scale, scale], {"axis": axis}, 3), "loose")
    if name == "MeanVarianceNormalization":
        axes = d.pick(([0, 2, 3], [2, 3], [1], [0, 1]))
        shape = (d.size(1, 4), d.size(1, 60), d.size(1, 50), d.size(1, 50))
        return a_case(name, f"{text(shape)}.over{text(axes)}", Node(
            [fed(*shape)], {"axes": axes}), "loose", 13)
    if name == "InstanceNormalization":
        shape = (d.size(1, 8), d.size(1, 200), d.size(1, 3000))
        return a_case(name, text(shape), Node(
            [fed(*shape), weight(shape[1]), weight(shape[1])]), "loose")
    type = type if type != "f16" else "f32"
    return a_case(name, f"{text(shape)}.flat{axis}.{type}", Node(
        [fed(*shape, type=type)], {"axis": axis}), type, 11)  # the rest is one row


def scatter(d):
    name = d.pick(("ScatterElements", "ScatterND", "GatherND", "TensorScatter", "ArgMax", "CumSum"))
    shape, type = d.shape(2, 4), d.pick(("f32", "f32", "i64", "f64"))
    axis, x = d.axis(shape), fed(*shape, type=type)
    label = f"{text(shape)}.axis{axis}.{type}"
    reduction = d.pick(("add", "mul", "max", "min"))
    if name == "ScatterElements":
        places = tuple(d.size(1, n) for n in shape)
        return a_case(name, f"{label}.{reduction}.at{text(places)}", Node(
            [x, d.places(*places, below=shape[axis]), fed(*places, type=type)],
            {"axis": axis, "reduction": reduction}), type, 18)
    if name == "ScatterND":
        depth, count = d.random.randint(1, len(shape)), d.size(1, 2000)
        while count * math.prod(shape[depth:]) > 2000000:
            count = count // 2 + 1
        return a_case(name, f"{label}.{reduction}.{count}of{depth}", Node(
            [x, d.places(count, depth, below=min(shape[:depth])),
             fed(count, *shape[depth:], type=type)], {"reduction": reduction}), type, 18)
    if name == "GatherND":  # below rows of its own
        count = d.size(1, 500)
        while count * math.prod(shape) // shape[1] > 2000000:
            count = count // 2 + 1
        return a_case(name, f"{text(shape)}.{type}.batch1.{count}", Node(
            [x, d.places(shape[0], count, 1, below=shape[1])], {"batch_dims": 1}), type)
    if name == "TensorScatter":
        b, heads, most, size = d.size(1, 4), d.size(1, 8), d.size(8, 600), d.size(4, 128)
        length = d.size(1, most)
        return a_case(name, f"{b}x{heads}x{most}x{size}.{length}", Node(
            [fed(b, heads, most, size), fed(b, heads, length, size),
             d.places(b, below=most - length + 1)]), "f32", 24)
    if name == "ArgMax":
        type = d.pick(("f32", "i32", "f64", "i8", "u8"))
        return a_case(name, f"{text(shape)}.axis{axis}.last.{type}", Node(
            [fed(*shape, type=type)], {"axis": axis, "select_last_index": 1, "keepdims": 0}))
    return a_case(name, f"{label}.exclusive", Node(
        [x, numbers(axis)], {"exclusive": 1, "reverse": d.pick((0, 1))}), type)


def signal(d):
    name = d.pick(("DFT", "DFT", "STFT", "HannWindow", "HammingWindow", "MelWeightMatrix", "Det",
                   "TfIdfVectorizer"))
    if name == "DFT":
        shape, complex = [d.size(1, 60), d.size(2, 2000)], d.pick((1, 2))
        axis, inverse = d.pick((1, 1, 0)), d.pick((0, 0, 1)) if complex == 2 else 0
        onesided = d.pick((0, 1)) if complex == 1 else 0
        return a_case(name, f"{text(shape)}.axis{axis}.of{complex}.{onesided}{inverse}", Node(
            [fed(*shape, complex)], {"axis": axis, "inverse": inverse, "onesided": onesided}),
                      "loose")
    if name == "STFT":
        length, step = d.size(8, 600), d.size(2, 300)
        count = length + step * d.size(1, 60)
        return a_case(name, f"{count}.{length}.by{step}", Node(
            [fed(d.pick((1, 2)), count, 1), numbers(step), weight(length), numbers(length)],
            {"onesided": d.pick((0, 1))}), "loose")
    if name.endswith("Window"):
        size = d.size(4, 3000)
        return a_case(name, str(size), Node([fed(type="i64", data=size)]), "loose")
    if name == "MelWeightMatrix":
        bins, length = d.size(4, 128), d.size(64, 2048)
        return a_case(name, f"{bins}.{length}", Node(
            [fed(type="i64", data=bins), fed(type="i64", data=length), numbers(16000),
             numbers(0.0, "f32"), numbers(7600.0, "f32")]))
    if name == "Det":
        n, batch = d.size(1, 60), d.size(1, 100)
        return a_case(name, f"{batch}x{n}", Node([fed(batch, n, n)]), "loose")
    words, length, skips = d.size(5, 2000), d.size(5, 300), d.pick((0, 0, 1, 2))
    pairs = sorted({(d.random.randrange(words), d.random.randrange(words)) for _ in range(words)})
    tokens, mode = [*range(words), *(n for pair in pairs for n in pair)], d.pick(("TF", "IDF"))
    return a_case(name, f"{length}.of{words}.skip{skips}.{mode}", Node(
        [fed(d.size(1, 100), length, type="i64", low=0, high=words + words // 4)],
        {"mode": mode, "max_gram_length": 2, "min_gram_length": 1, "max_skip_count": skips,
         "ngram_counts": [0, words], "ngram_indexes": list(range(words + len(pairs))),
         "pool_int64s": tokens, "weights": [0.5] * (words + len(pairs))}))


FAMILIES = {unary: 3, several: 2, logic: 3, einsum: 3, made: 2, normalised: 3, scatter: 3,
            signal: 3, **wild_images.FAMILIES, **wild_attention.FAMILIES,
            **wild_microsoft.FAMILIES, **wild_ml.FAMILIES}
