# SPDX-License-Identifier: MIT
"""Forms of quantised operators, and of those that quantise."""

import numpy as np

import elements
import wire
from forms import any_, form, i, scalar, word

_Q = i(1, 2, 3, 0, 2, 1).reshape(2, 3)
form("MatMulInteger", _Q, _Q.T)
form("MatMulInteger", _Q, _Q.T, scalar(1), scalar(2))
form("ConvInteger", any_(1, 1, 3, 3), any_(1, 1, 2, 2), scalar(1), scalar(1),
     expected=lambda n, x, w, xz, wz: sum(
         (x[:, :, r:r + 2, c:c + 2].astype(int) - 1) * (int(w[0, 0, r, c]) - 1)
         for r in (0, 1) for c in (0, 1)))


def _saturated(name, x):
    if name in elements.PACKED and name != "float4e2m1":
        bits, is_signed = elements.PACKED[name]
        return np.clip(x, -(1 << (bits - 1)) * is_signed, (1 << (bits - is_signed)) - 1)
    if name.startswith(("int", "uint")):
        info = np.iinfo(name)
        return np.clip(x, info.min, info.max)
    return x


def _quantise(n, x, scale, zero=None):
    kind = n.out_words[0]
    y = x.astype(np.float64) / scale
    if kind.startswith(("int", "uint")):
        y = np.rint(y)
    return _saturated(kind, y + (0 if zero is None else zero.astype(np.float64)))


def _dequantise(n, x, scale, zero=None):
    return (x.astype(np.float64) - (0 if zero is None else zero.astype(np.float64))) * scale


_NO_SCALE = lambda t: word(t["T2"]) != "float8e8m0"
form("QuantizeLinear", i(1, 2, 0, 3), scalar(2), scalar(0), until=22, expected=_quantise)
form("QuantizeLinear", i(1, 2, 0, 3), scalar(2), scalar(1), until=22, expected=_quantise,
     where=lambda t: "float8" not in t["T2"])
form("QuantizeLinear", i(1, 2, 0, 4), scalar(2), until=22, expected=_quantise)
form("QuantizeLinear", i(1, 2, 0, 3), scalar(2), scalar(0), since=23, expected=_quantise)
form("QuantizeLinear", i(2, 4, 0, 6), scalar(2), since=23, expected=_quantise)
form("QuantizeLinear", i(2, 4, 0, 6, 2, 4).reshape(2, 3), i(2, 1), i(0, 0), since=13, axis=0,
     expected=lambda n, x, s, z: _quantise(n, x, s[:, None], z[:, None]))
form("DequantizeLinear", i(1, 2, 0, 3), scalar(2), scalar(0), until=22, expected=_dequantise)
form("DequantizeLinear", i(1, 2, 0, 3), scalar(2), scalar(1), until=22, expected=_dequantise,
     where=lambda t: word(t.get("T1", t.get("T"))).startswith(("int8", "uint8", "int4", "uint4",
                                                               "int16", "uint16")))
form("DequantizeLinear", i(1, 2, 0, 3), scalar(2), until=22, expected=_dequantise)
form("DequantizeLinear", i(1, 2, 0, 3), scalar(2), scalar(0), since=23, extra=("T3",),
     attrs=lambda t: {"output_dtype": wire.NUMBERS[word(t["T3"])]}, expected=_dequantise)
form("DequantizeLinear", i(1, 2, 0, 3), scalar(2), since=23, expected=_dequantise,
     where=_NO_SCALE)


def _dynamic(n, x):
    low, high = min(0.0, x.min()), max(0.0, x.max())
    scale = np.float32((high - low) / 255)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return [np.clip(np.rint(x / scale) + zero, 0, 255), scale, zero]


form("DynamicQuantizeLinear", any_(2, 3), outputs=3, expected=_dynamic)


def _qlinear(n, a, sa, za, b, sb, zb, sy, zy):
    y = (a.astype(float) - za) @ (b.astype(float) - zb) * (sa * sb / sy)
    kind = n.out_words[0]
    return _saturated(kind, (np.rint(y) if "int" in kind else y) + zy)


form("QLinearMatMul", _Q, scalar(1), scalar(0), _Q.T, scalar(0.5), scalar(0), scalar(2), scalar(0),
     expected=_qlinear)
form("QLinearMatMul", _Q, scalar(1), scalar(1), _Q.T, scalar(0.5), scalar(2), scalar(2), scalar(3),
     expected=_qlinear, where=lambda t: "float8" not in "".join(t.values()))
form("QLinearConv", any_(1, 1, 3, 3), scalar(1), scalar(1), any_(1, 1, 2, 2), scalar(0.5),
     scalar(0), scalar(2), scalar(3), i(4), expected=lambda n, x, xs, xz, w, ws, wz, ys, yz, b:
     _saturated(n.out_words[0], np.rint((sum(
         (x[:, :, r:r + 2, c:c + 2].astype(float) - 1) * float(w[0, 0, r, c])
         for r in (0, 1) for c in (0, 1)) + 4) * 0.25) + 3))
