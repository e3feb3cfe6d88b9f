# SPDX-License-Identifier: MIT
"""The table of operators of the numpy evaluator.

An operator is a function (node, *inputs) -> array or tuple of arrays; an absent optional input is
None. It is entered by the decorators below. Operators in MOVERS only move elements and get their
inputs as they are; all others get floating-point inputs as float64.
"""

OPS = {}
MOVERS = set()


class UnsupportedOperator(Exception):
    """The evaluator does not know this operator, or not this form of it."""


def operator(*names, domain="ai.onnx"):
    def enter(function):
        for name in names:
            OPS[(domain, name)] = function
        return function

    return enter


def mover(*names, domain="ai.onnx"):
    def enter(function):
        MOVERS.update((domain, name) for name in names)
        return operator(*names, domain=domain)(function)

    return enter


def ints(value):
    """A 1-D shape, axes or sizes input as a list of Python ints."""
    return [int(v) for v in value.reshape(-1)]


def axes_of(node, value, rank):
    """Axes from the input (newer opsets) or the attribute (older); None when neither is there."""
    axes = ints(value) if value is not None else node.attr("axes")
    if axes is None:
        return None
    for axis in axes:
        if not -rank <= axis < rank:
            raise ValueError(f"axis {axis} is outside of rank {rank}")
    return tuple(axis % rank for axis in axes)
