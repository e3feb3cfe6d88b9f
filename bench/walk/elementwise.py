# SPDX-License-Identifier: MIT
"""Operators that work element by element, and casts."""

from .case import FLOAT, Case, Node, fed, numbers, weight

POSITIVE = {"low": 0.1, "high": 4.0}
UNARY = {
    **{name: {} for name in (
        "Relu", "Sigmoid", "Tanh", "Exp", "Erf", "Abs", "Neg", "Floor", "Ceil", "Round", "Sin",
        "Cos", "Tan", "Atan", "Sinh", "Cosh", "Asinh", "Sign", "Softplus", "Softsign", "Elu",
        "Selu", "Celu", "LeakyRelu", "HardSigmoid", "HardSwish", "ThresholdedRelu", "Identity",
        "Shrink", "IsNaN", "IsInf")},
    **{name: POSITIVE for name in ("Sqrt", "Log", "Reciprocal")},
    **{name: {"low": -0.9, "high": 0.9} for name in ("Asin", "Acos", "Atanh")},
    "Acosh": {"low": 1.1, "high": 5.0},
}
BINARY = ("Add", "Sub", "Mul", "Div", "Min", "Max", "PRelu")
COMPARE = ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
LOGIC = ("And", "Or", "Xor")
CASTS = (("i64", "f16"), ("f16", "i64"), ("bool", "f16"), ("f32", "i64"), ("f32", "i32"), ("i64", "f32"), ("i32", "f32"), ("f32", "f16"),
         ("f16", "f32"), ("f32", "u8"), ("u8", "f32"), ("bool", "f32"), ("f32", "bool"),
         ("i64", "i32"), ("f64", "f32"), ("f64", "i32"), ("f64", "u8"), ("f64", "bool"),
         ("f64", "f16"), ("bool", "f64"), ("bool", "u8"), ("u8", "i8"), ("i16", "u16"))
DOUBLES = ("Tanh", "Floor", "Round", "Sign", "IsNaN", "IsInf", "Sin", "Exp", "Sigmoid", "Relu",
           "LeakyRelu")


def _unary(limits, type):
    return lambda s: Node([fed(1, s(64), s(56), s(56), type=type, **limits)])


def _binary(second, type, limits):
    def build(s):
        n, c, h, w = 1, s(64), s(56), s(56)
        shapes = {"same": (n, c, h, w), "channel": (1, c, 1, 1), "scalar": (1,), "row": (w,)}
        return Node([fed(n, c, h, w, type=type, **limits),
                     fed(*shapes[second], type=type, **limits)])
    return build


def _cast(source, target):
    return lambda s: Node([fed(s(128), s(3072), type=source)], {"to": FLOAT[target]})


def cases():
    for name, limits in UNARY.items():
        yield Case(f"{name}.map", _unary(limits, "f32"))
    for name in ("Relu", "Sigmoid", "Tanh", "Exp", "Sqrt", "Abs"):
        yield Case(f"{name}.f16", _unary(UNARY[name], "f16"), arithmetic="f16")
    for name in ("Sign", "IsNaN", "Round"):
        yield Case(f"{name}.f16", _unary({}, "f16"), arithmetic="f16")
    for name in DOUBLES:
        yield Case(f"{name}.f64", _unary({}, "f64"))
    yield Case("Relu.small", lambda s: Node([fed(1, s(256))]))
    yield Case("Sigmoid.small", lambda s: Node([fed(1, s(256))]))
    yield Case("Abs.i64", lambda s: Node([fed(s(128), s(1024), type="i64")]))
    yield Case("Not.map", lambda s: Node([fed(s(128), s(3072), type="bool")]))
    for name in BINARY:
        for second in ("same", "channel", "scalar", "row"):
            yield Case(f"{name}.{second}", _binary(second, "f32", POSITIVE))
    for name in ("Add", "Mul"):
        yield Case(f"{name}.same.f16", _binary("same", "f16", POSITIVE), arithmetic="f16")
        yield Case(f"{name}.same.i64", _binary("same", "i64", {}))
    yield Case("Add.small", lambda s: Node([fed(1, n := s(256)), fed(1, n)]))
    yield Case("Add.heads", lambda s: Node([fed(1, 12, s(128), 128), fed(1, 1, 1, 128)]))
    for name in COMPARE:
        yield Case(f"{name}.same", _binary("same", "f32", {}))
    yield Case("Equal.i64", _binary("scalar", "i64", {}))
    for name in ("Equal", "Less"):
        yield Case(f"{name}.same.f64", _binary("same", "f64", {}))
        yield Case(f"{name}.channel.f64", _binary("channel", "f64", {}))
    for name in LOGIC:
        yield Case(f"{name}.same", _binary("same", "bool", {}))
    yield Case("Pow.square", lambda s: Node([fed(s(128), s(768)), numbers([2.0], "f32")]))
    yield Case("Pow.third", lambda s: Node([fed(s(128), s(768)), numbers([3.0], "f32")]))
    yield Case("Pow.any", lambda s: Node([fed(s(128), s(768), **POSITIVE),
                                          numbers([1.7], "f32")]))
    yield Case("Mod.f32", lambda s: Node([fed(s(128), s(768), **POSITIVE),
                                          numbers([0.7], "f32")], {"fmod": 1}))
    yield Case("Mod.f64", lambda s: Node([fed(s(128), s(768), type="f64", **POSITIVE),
                                          numbers([0.7], "f64")], {"fmod": 1}))
    yield Case("Mod.i64", lambda s: Node([fed(s(128), s(768), type="i64"), numbers([7])]))
    yield Case("BitShift.u8", lambda s: Node([fed(s(128), s(768), type="u8"),
                                              numbers([2], "u8")], {"direction": "LEFT"}))
    yield Case("Sum.three", lambda s: Node([fed(n := s(128), m := s(768)), fed(n, m), fed(n, m)]))
    yield Case("Mean.three", lambda s: Node([fed(n := s(128), m := s(768)), fed(n, m), fed(n, m)]))
    yield Case("Clip.map", lambda s: Node([fed(1, s(64), s(56), s(56)), numbers(0.0, "f32"),
                                           numbers(6.0, "f32")]))
    yield Case("Where.same", lambda s: Node([fed(n := s(128), m := s(768), type="bool"),
                                             fed(n, m), fed(n, m)]))
    yield Case("Where.mask", lambda s: Node([fed(1, 1, n := s(128), 128, type="bool"),
                                             fed(1, 12, n, 128), numbers([-1e9], "f32")]))
    for source, target in CASTS:
        yield Case(f"Cast.{source}.{target}", _cast(source, target),
                   arithmetic="f16" if "f16" in (source, target) else "f32")
    yield Case("PRelu.f64", _binary("channel", "f64", {}))
    yield Case("PRelu.f16", _binary("channel", "f16", POSITIVE), arithmetic="f16")
    yield Case("Pow.square.f16", lambda s: Node([fed(s(128), s(768), type="f16"),
                                                 numbers([2.0], "f16")]), arithmetic="f16")
    for type in ("i32", "i64", "f64"):
        yield Case(f"Max.same.{type}", _binary("same", type, {}))
    for type in ("i32", "i64", "f64"):
        yield Case(f"Max.outer.{type}", lambda s, t=type: Node([fed(s(500), 1, type=t),
                                                                fed(1, s(400), type=t)]))
    yield Case("Mul.outer.f16", lambda s: Node([fed(s(128), 1, type="f16"),
                                                fed(1, s(768), type="f16")]), arithmetic="f16")
    yield Case("Less.row.f16", lambda s: Node([fed(s(128), m := s(768), type="f16"),
                                               fed(m, type="f16")]))
    for type in ("u8", "i8"):
        yield Case(f"Min.scalar.{type}", _binary("scalar", type, {}))
        yield Case(f"Clip.{type}", lambda s, t=type: Node([
            fed(s(128), s(3072), type=t, low=0, high=100), numbers(10, t), numbers(60, t)]))
    yield Case("Min.same.f16", lambda s: Node([fed(n := s(128), m := s(768), type="f16"),
                                               fed(n, m, type="f16"), fed(n, m, type="f16")]),
               arithmetic="f16")
    yield Case("Div.i32", _binary("scalar", "i32", {"low": 3, "high": 40}))
    yield Case("Dropout.run", lambda s: Node([fed(s(128), s(768))]))
    for name in ("Gelu", "FastGelu", "QuickGelu"):
        yield Case(f"{name}.microsoft", lambda s: Node([fed(s(128), s(3072))]),
                   domain="com.microsoft")
    yield Case("BiasGelu.microsoft", lambda s: Node([fed(s(128), m := s(3072)), weight(m)]),
               domain="com.microsoft")
