# SPDX-License-Identifier: MIT
"""Forms of operators that work element by element."""

import math

import numpy as np

import elements
import wire
from forms import TYPES, any_, form, i, nonzero, positive, scalar, unit, word

_erf = np.vectorize(math.erf, otypes=[np.float64])

# Functions of one input, with their old spellings.
form("Abs Neg Ceil Floor Sign Round Exp Sin Cos Sinh Cosh Tan Tanh Asinh Atan Erf Relu Sigmoid "
     "Softsign Softplus Elu Selu LeakyRelu HardSigmoid HardSwish Mish Gelu", any_(2, 3), steps=4,
     where=lambda t: True)
form("Reciprocal", nonzero(2, 3))
form("Sqrt Log", positive(2, 3))
form("Asin Acos Atanh", unit(2, 3), steps=4)
form("Acosh", positive(2, 3), steps=4)
form("Not", any_(2, 3))
form("IsNaN", np.asarray([1, np.nan, -2]))
form("IsInf", np.asarray([1, np.inf, -np.inf]), expected=lambda n, x: np.isinf(x))
form("IsInf", np.asarray([1, np.inf, -np.inf]), expected=lambda n, x: np.isposinf(x),
     detect_negative=0)
form("Gelu", any_(2, 3), approximate="tanh", steps=4)
form("Elu LeakyRelu ThresholdedRelu Celu", any_(2, 3), alpha=1.5, steps=4, expected=lambda n, x: {
    "Elu": lambda: np.where(x < 0, 1.5 * np.expm1(x), x),
    "LeakyRelu": lambda: np.where(x < 0, 1.5 * x, x),
    "ThresholdedRelu": lambda: np.where(x > 1.5, x, 0),
    "Celu": lambda: np.maximum(x, 0) + np.minimum(0, 1.5 * np.expm1(x / 1.5))}[n.op_type]())
form("Swish", any_(2, 3), alpha=1.5, expected=lambda n, x: x / (1 + np.exp(-1.5 * x)), steps=4)
form("SwiGLU", any_(2, 3), any_(2, 3, start=2), steps=4,
     expected=lambda n, a, b: a / (1 + np.exp(-a)) * b)
form("Shrink", any_(2, 3), lambd=1.0, bias=0.5, expected=lambda n, x: np.where(
    x < -1, _like(x, x.astype(np.float64) + 0.5),
    np.where(x > 1, _like(x, x.astype(np.float64) - 0.5), 0)))
form("Abs Neg Ceil Floor Exp Tanh Relu Sigmoid Elu Selu LeakyRelu HardSigmoid", any_(2, 3),
     until=5, consumed_inputs=[0], steps=4)
form("Reciprocal Sqrt Log", positive(2, 3), until=5, consumed_inputs=[0])
form("BitwiseNot", any_(2, 3), expected=lambda n, x: ~x)


def _like(x, values):
    """Float results in the type of an integer input, truncated."""
    return np.trunc(values) if x.dtype.kind in "iu" else values


# Functions of two inputs: one shape, broadcasting of both kinds, an operand without elements.
_ARITHMETIC = "Add Sub Mul"
_COMPARISON = "Equal Greater Less GreaterOrEqual LessOrEqual"
_LOGIC = "And Or Xor"
for _names, _second in ((f"{_ARITHMETIC} {_COMPARISON} {_LOGIC}", any_), ("Div", nonzero)):
    form(_names, any_(2, 3), _second(2, 3, start=1))
    form(_names, any_(2, 1, 3), _second(4, 1, start=2), since=7)
    form(_names, any_(2, 0), _second(1, 1), since=7)
    form(_names, any_(2, 3, 4), _second(3, 4, start=2), until=6, broadcast=1)
    form(_names, any_(2, 3, 4), _second(3, start=2), until=6, broadcast=1, axis=1,
         expected=lambda n, a, b: _registry(n)(n, a, b[:, None]))
form("Add Sub Mul", any_(2, 3), any_(2, 3), until=5, consumed_inputs=[0, 0])
form("Div", any_(2, 3), nonzero(2, 3), until=5, consumed_inputs=[0, 0])


def _registry(node):
    from op_registry import OPS
    return OPS[("ai.onnx", node.op_type)]


def _truncated_power(n, a, b):
    with np.errstate(all="ignore"):
        if a.dtype.kind in "iu" and b.dtype.kind in "iu":
            return np.asarray([int(x) ** int(y) for x, y in np.nditer([a, b])]).reshape(a.shape)
        result = np.power(a.astype(np.float64), b.astype(np.float64))
        return np.trunc(result) if a.dtype.kind in "iu" else result


form("Pow", positive(2, 3), positive(2, 3, start=1), since=7, expected=_truncated_power, steps=8)
form("Pow", positive(2, 3), positive(2, 3, start=1), until=6, expected=_truncated_power, steps=8)
form("Pow", positive(2, 3, 4), i(1, 2, 3), until=6, broadcast=1, axis=1, steps=8,
     expected=lambda n, a, b: a ** b[:, None])
form("PRelu", any_(2, 3, 4), positive(3, 1), since=7,
     expected=lambda n, x, s: np.where(x < 0, _wrapped(x, x * s), x))
form("PRelu", any_(2, 3, 4), positive(3), until=6,
     expected=lambda n, x, s: np.where(x < 0, x * s[:, None], x))
form("PRelu", any_(2, 3), positive(1), expected=lambda n, x, s: np.where(x < 0, x * s, x))
form("Mod", any_(2, 3), nonzero(2, 3, start=1), fmod=1,
     expected=lambda n, a, b: np.fmod(a, b))
form("Mod", any_(2, 3), nonzero(2, 3, start=1), where=lambda t: "int" in t["T"],
     expected=lambda n, a, b: np.mod(a, b))
form("BitwiseAnd BitwiseOr BitwiseXor", any_(2, 3), any_(3, start=2), expected=lambda n, a, b: {
    "And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor}[n.op_type[7:]](a, b))
form("BitShift", any_(2, 3), i(1, 0, 2), direction="LEFT", expected=lambda n, a, b: a << b)
form("BitShift", any_(2, 3), i(1, 0, 2), direction="RIGHT", expected=lambda n, a, b: a >> b)


def _wrapped(x, values):
    return values.astype(x.dtype)


# Any number of inputs.
form("Max Min Sum Mean", any_(2, 3))
form("Max Min Sum Mean", any_(2, 3), any_(2, 3, start=1), any_(2, 3, start=2))
form("Max Min Sum Mean", any_(2, 3), any_(3, start=1), any_(2, 1, start=2), since=8)
form("Max Min Sum Mean", any_(2, 3), any_(2, 3, start=1), until=5, consumed_inputs=[0, 0])

form("Clip", any_(2, 3), until=10, min=-1.0, max=2.0)
form("Clip", any_(2, 3), until=5, min=-1.0, consumed_inputs=[0])
form("Clip", any_(2, 3), scalar(1), scalar(2), since=11)
form("Clip", any_(2, 3), None, scalar(1), since=11)
form("Clip", any_(2, 3), since=11)

form("Where", any_(2, 3), any_(2, 3), any_(1, 3, start=2))
form("Where", any_(2, 1), any_(2, 0), any_(1, 1))


# Casts.

def _to(types):
    return {"to": _number(types["T2"])}


def _number(kind):
    return wire.NUMBERS[word(kind)]


def _cast(node, x, like=None):
    source, target = node.words[0], node.out_words[0]
    if target == "string":
        return np.vectorize(lambda v: _text(v, source), otypes=[object])(x) if x.size else x
    if source == "string":
        x = np.vectorize(float, otypes=[np.float64])(x)
    if target == "bool":
        return x != 0
    if target in elements.FLOATS:
        if node.opset < 19 and target == "bfloat16":
            return elements.rounded(target, x.astype(np.float64))
        return x.astype(np.float64)
    if target in elements.PACKED:
        bits, is_signed = elements.PACKED[target]
        whole = np.rint(x.astype(np.float64)).astype(np.int64) & ((1 << bits) - 1)
        return whole - ((whole >> (bits - 1)) << bits) if is_signed else whole
    return np.trunc(x).astype(np.int64).astype(elements.DTYPES[target])


def _text(value, source):
    if isinstance(value, str):
        return value
    if source == "bool":
        return "1" if value else "0"
    return f"{value:g}"


_PLAIN = i(1, 2, 0, 3, 1, 2)
form("Cast", _PLAIN, attrs=_to, extra=("T2",), expected=_cast, since=6)
form("Cast", _PLAIN, attrs=lambda t: {"to": word(t["T2"]).upper()}, extra=("T2",), expected=_cast,
     until=5)
form("Cast", any_(2, 3), attrs=_to, extra=("T2",), expected=_cast, since=6,
     where=lambda t: not _is_narrowing(t["T1"], t["T2"]))
form("Cast", np.zeros((2, 0)), attrs=_to, extra=("T2",), expected=_cast, since=6)
form("CastLike", _PLAIN, i(1), expected=_cast)


def _is_narrowing(source, target):
    """Whether a number of _CYCLE would be one that the types hold differently."""
    source, target = word(source), word(target)
    signed = source in elements.FLOATS or source.startswith("int")
    small = ("uint", "int2", "int4", "float8e8m0", "float4e2m1", "string")
    return (signed and target.startswith(small)) or source in ("string", "float8e8m0")


_BYTES = {"float": 4, "double": 8, "complex64": 8, "complex128": 16}


def _bits(kind):
    name = word(kind)
    if name in elements.PACKED:
        return elements.PACKED[name][0]
    return 8 * _BYTES.get(name, 1 if "8" in name.replace("128", "") and "float8" in name else
                          np.dtype(elements.DTYPES.get(name, np.uint16)).itemsize)


form("BitCast", any_(2, 4), attrs=lambda t: {"to": _number(t["T2"])}, extra=("T2",),
     where=lambda t: _bits(t["T1"]) == _bits(t["T2"]),
     expected=lambda n, x: elements.numbers_of(
         n.out_words[0], _viewed(elements.bits_of(n.words[0], x), n.out_words[0]), x.shape))


def _viewed(bits, target):
    dtype = (np.uint8 if target in elements.PACKED or target in elements.SMALL
             or target == "float8e8m0" else elements.DTYPES.get(target, np.uint16))
    return bits.view(np.uint8 if dtype is np.bool_ else dtype)


# Sums and products along an axis.
def _running(n, x, axis):
    combine = np.cumsum if n.op_type == "CumSum" else np.cumprod
    axis = int(axis)
    x = np.flip(x, axis) if n.attr("reverse", 0) else x
    y = combine(x, axis=axis, dtype=x.dtype)
    if n.attr("exclusive", 0):
        first = np.full_like(np.take(x, [0], axis), 0 if combine is np.cumsum else 1)
        y = np.concatenate([first, np.delete(y, -1, axis)], axis)
    return np.flip(y, axis) if n.attr("reverse", 0) else y


form("CumSum CumProd", any_(2, 3), scalar(1), expected=_running)
form("CumSum CumProd", nonzero(2, 3), scalar(0), exclusive=1, reverse=1, expected=_running)

# Optimisers of ai.onnx.preview.training: one step.
_PREVIEW = "ai.onnx.preview.training"


def _adagrad(n, r, t, x, g, h):
    rate = r / (1 + t * n.attr("decay_factor"))
    g = g + n.attr("norm_coefficient") * x
    h = h + g * g
    return [x - rate * g / (np.sqrt(h) + n.attr("epsilon")), h]


def _adam(n, r, t, x, g, v, h):
    a, b = n.attr("alpha"), n.attr("beta")
    g = g + n.attr("norm_coefficient") * x
    v, h = a * v + (1 - a) * g, b * h + (1 - b) * g * g
    if t > 0:
        r = r * np.sqrt(1 - b ** float(t)) / (1 - a ** float(t))
    return [x - r * v / (np.sqrt(h) + n.attr("epsilon")), v, h]


def _momentum(n, r, t, x, g, v):
    g = g + n.attr("norm_coefficient") * x
    v = n.attr("alpha") * v + (n.attr("beta") if t > 0 else 1) * g
    return [x - r * (g + n.attr("alpha") * v if n.attr("mode") == "nesterov" else v), v]


form("Adagrad", scalar(0.5), scalar(2), any_(3), any_(3, start=1), positive(3), domain=_PREVIEW,
     outputs=2, expected=_adagrad, decay_factor=0.5, epsilon=0.125, norm_coefficient=0.25)
form("Adam", scalar(0.5), scalar(2), any_(3), any_(3, start=1), any_(3, start=2), positive(3),
     domain=_PREVIEW, outputs=3, expected=_adam, alpha=0.5, beta=0.75, epsilon=0.125,
     norm_coefficient=0.25)
for _mode in ("standard", "nesterov"):
    form("Momentum", scalar(0.5), scalar(2), any_(3), any_(3, start=1), any_(3, start=2),
         domain=_PREVIEW, outputs=2, expected=_momentum, alpha=0.5, beta=0.75, mode=_mode,
         norm_coefficient=0.25)
form("Gradient", any_(2), domain=_PREVIEW, xs=["x0"], y="y0", expected=TYPES)
