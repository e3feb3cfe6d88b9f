#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares two .npy files: compare.py ACTUAL.npy EXPECTED.npy [--rtol R] [--atol A].

An element agrees when |actual - expected| <= atol + rtol * |expected|; NaN agrees with NaN only,
an infinity with itself only. Integers and booleans must be equal. Prints the largest difference;
exits 1 when shape, element type or any element disagrees.
"""

import argparse
import sys

import numpy as np


def disagreement(actual, expected, rtol, atol):
    """Returns (text, agrees)."""
    if actual.dtype != expected.dtype:
        return f"element type {actual.dtype}, expected {expected.dtype}", False
    if actual.shape != expected.shape:
        return f"shape {list(actual.shape)}, expected {list(expected.shape)}", False
    if actual.size == 0:
        return "empty, equal", True
    if actual.dtype.kind != "f":
        wrong = int(np.count_nonzero(actual != expected))
        return f"{wrong} of {actual.size} elements differ", wrong == 0

    a, e = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore"):
        difference = np.abs(a - e)
    same = (a == e) | (np.isnan(a) & np.isnan(e))
    difference = np.where(same, 0.0, np.where(np.isnan(difference), np.inf, difference))
    finite = np.isfinite(e)
    allowed = np.where(finite, atol + rtol * np.abs(np.where(finite, e, 0)), 0)
    wrong = int(np.count_nonzero(difference > allowed))
    at = np.unravel_index(int(np.argmax(difference)), difference.shape)
    scale = float(np.abs(e[finite]).max()) if finite.any() else 0.0
    where = [int(i) for i in at]
    return (f"largest difference {difference[at]:.3e} at {where} (actual {a[at]:.9g}, expected "
            f"{e[at]:.9g}; largest magnitude {scale:.3g}); {wrong} of {a.size} elements beyond "
            f"rtol {rtol:g} atol {atol:g}"), wrong == 0


def main():
    parser = argparse.ArgumentParser(description="Compare two .npy files.")
    parser.add_argument("actual")
    parser.add_argument("expected")
    parser.add_argument("--rtol", type=float, default=1e-4)
    parser.add_argument("--atol", type=float, default=1e-5)
    args = parser.parse_args()
    text, agrees = disagreement(np.load(args.actual), np.load(args.expected), args.rtol, args.atol)
    print(text)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
