# SPDX-License-Identifier: MIT
"""What the families of chance beside wild.py share."""

from .case import Case

MS, ML = "com.microsoft", "ai.onnx.ml"
FLOATS = ("f32", "f32", "f32", "f16", "f64")


def text(shape):
    return "x".join(map(str, shape))


def a_case(name, label, node, type="f32", opset=17, domain=""):
    """`type` as in wild.py, or a key of harness.compare.BOUNDS."""
    arithmetic = {"step": "int8", "loose": "signal"}.get(type, type)
    known = ("f16", "int8", "signal", "4-bit", "4-bit, int8 inside")
    return Case(f"{name}.{label}", lambda sizes: node, opset, domain,
                arithmetic if arithmetic in known else "f32")
