# SPDX-License-Identifier: MIT
"""Are two folders of outputs the same numbers? A model whose outputs differ is not timed.

f32: |a - b| <= 1e-5 * max(1, r) + 1e-4 * |b| for every element, r the root mean square of b.
f16: the same with 2e-3 and 4e-3, some units of its last place; signals too, since ONNX Runtime's
Fourier transforms are off by as much from the exact ones.
f16 networks, whose operators round one after the other or compute in f32 between: single elements
may be off by 0.5 % of the largest, all together (root mean square) by 0.3 %.
4-bit: weights are exact, sums are f32 in another order: the bound of f32.
int8 and 4-bit with int8 inside: single elements may be off by 5 % of the largest, and all together
(root mean square) by 3 %. A result that lies between two steps may be rounded either way, and in a
deep network such steps add up: both libraries are as far from an exact evaluation of the 8-bit
networks as from each other.
int8 networks whose ranges are found at run time: elements 15 %, all together 10 %. Two of ONNX
Runtime's own runs, whose inputs are a millionth apart, differ by 12.5 % and 6.6 % inside such one.
Integers and booleans are equal; those of the arithmetic "int8" with results of 8 or 16 bits are one
step apart at most, and so in one element of fifty at most.
"""

import os

import numpy as np

BOUNDS = {"f32": "float", "f16": "half", "signal": "half", "f16 network": "half network",
          "4-bit": "float", "int8": "quantised", "int8 network": "dynamic",
          "4-bit, int8 inside": "quantised"}
# Of the largest element, of the root mean square.
SHARES = {"quantised": (0.05, 0.03), "dynamic": (0.15, 0.1), "half network": (0.005, 0.003)}
TOLERANCES = {"float": (1e-5, 1e-4), "half": (2e-3, 4e-3)}  # absolute, relative


def read(folder):
    """Name -> array of what the driver dumped."""
    with open(os.path.join(folder, "names.txt"), encoding="utf-8") as file:
        names = file.read().splitlines()
    return {name: np.load(os.path.join(folder, f"{i}.npy")) for i, name in enumerate(names)}


def _rms(array):
    return float(np.sqrt(np.mean(np.square(array, dtype=np.float64)))) if array.size else 0.0


def difference(ours, theirs, arithmetic):
    """None when the outputs agree, else what differs first."""
    if list(ours) != list(theirs):
        return f"the outputs are {list(ours)} and {list(theirs)}"
    for name, b in theirs.items():
        a = ours[name]
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"'{name}' is {a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}"
        if b.dtype.kind != "f":
            apart = np.abs(a.astype(np.int64) - b.astype(np.int64)) if b.dtype.kind in "iu" else a != b
            is_rounded = arithmetic == "int8" and b.dtype.itemsize <= 2
            if apart.any() and not (is_rounded and apart.max() <= 1 and apart.astype(bool).mean() <= 0.02):
                return f"'{name}': {int(np.sum(a != b))} of {b.size} integers differ"
            continue
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return f"'{name}': not a number in different places"
        text = _float_difference(np.nan_to_num(a, posinf=np.inf, neginf=-np.inf),
                                 np.nan_to_num(b, posinf=np.inf, neginf=-np.inf), BOUNDS[arithmetic])
        if text:
            return f"'{name}': {text}"
    return None


def _float_difference(a, b, bound):
    if b.size == 0:
        return None
    a, b = a.astype(np.float64), b.astype(np.float64)
    infinite = np.isinf(a) | np.isinf(b)
    if not np.array_equal(a[infinite], b[infinite]):
        return "infinity against a number"
    a, b = np.where(infinite, 0, a).ravel(), np.where(infinite, 0, b).ravel()
    delta = np.abs(a - b)
    if bound in TOLERANCES:
        absolute, relative = TOLERANCES[bound]
        allowed = absolute * max(1.0, _rms(b)) + relative * np.abs(b)
        worst = int(np.argmax(delta / allowed))
        if delta[worst] > allowed[worst]:
            count = int(np.sum(delta > allowed))
            return (f"{count} elements differ by more than rtol {relative:g}, atol {absolute:g}; the worst is "
                    f"{a[worst]:.9g} for {b[worst]:.9g}")
        return None
    largest = float(np.max(np.abs(b)))
    of_largest, of_rms = SHARES[bound]
    if float(np.max(delta)) > of_largest * largest:
        return f"an element is off by {np.max(delta):.3g}, the largest is {largest:.3g}"
    if _rms(delta) > of_rms * _rms(b):
        return f"off by {_rms(delta) / _rms(b):.4f} of the root mean square"
    return None


def largest_error(ours, theirs):
    """The largest |a - b| / max(1, |b|) of all float outputs, for the report."""
    errors = [0.0]
    for name, b in theirs.items():
        if b.dtype.kind == "f" and b.size:
            with np.errstate(invalid="ignore"):
                delta = np.abs(ours[name].astype(np.float64) - b) / np.maximum(1, np.abs(b))
            errors.append(float(np.nanmax(np.where(np.isinf(delta), 0, delta))))
    return max(errors)


def same_bits(one, other):
    """None, or the first output whose bytes differ."""
    if list(one) != list(other):
        return f"the outputs are {list(one)} and {list(other)}"
    for name, a in one.items():
        b = other[name]
        if a.shape != b.shape or a.dtype != b.dtype or a.tobytes() != b.tobytes():
            return f"'{name}' has other bits"
    return None
