# SPDX-License-Identifier: MIT
"""The table of forms: small valid nodes of each operator, whose types the walk fills in.

A form is one way to write a node: its inputs as sample numbers (an array, None for an input that is
left out, a list for a sequence, a dict for a map, Empty for an optional without content), its
attributes, and how its result is known:

  a function (node, *inputs) -> wide array or a list of them (None: this output is not compared),
  None      the function of the numpy evaluator in tests/support/numpy,
  WIDENED   the node's own result in the widest type that the same form may have,
  TYPES     types and shapes only.

Inputs and attributes may be functions of the node's types (a dict of constraint -> type).
"""

import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support", "numpy"))

FORMS = {}
WIDENED, TYPES = "widened", "types"


class Empty:
    """An optional without content."""


class Form:
    def __init__(self, inputs, attributes, since, until, expected, outputs, where, extra, steps,
                 captured):
        self.inputs, self.attributes = inputs, attributes
        self.since, self.until = since, until
        self.expected, self.outputs = expected, outputs
        self.where, self.extra, self.steps = where, extra, steps
        self.captured = captured


def form(names, *inputs, since=1, until=99, expected=None, outputs=1, where=None, extra=(),
         steps=2, domain="", attrs=None, captured=(), **attributes):
    """Enters a form. `since` and `until` bound the operator's versions, `where` its types, `extra`
    names constraints that only attributes depend on; results may be off by `steps` of their type.
    `captured` are pairs of a constraint and sample numbers: values that only bodies read, named
    x1, x2 and so on behind those of the node."""
    for name in names.split():
        FORMS.setdefault((domain, name), []).append(Form(
            inputs, attrs or attributes, since, until, expected, outputs, where, extra, steps,
            captured))


def word(kind):
    """The element type of a type: float of seq(tensor(float))."""
    return kind.split("(")[-1].rstrip(")")


# Sample numbers.

_CYCLE = [1, 2, -1, 3, 0, -2, 1.5, -3, 4, 0.5, 5, -4]


def _taken(cycle, shape, start):
    count = int(np.prod(shape, dtype=np.int64))
    return np.resize(np.roll(np.asarray(cycle, np.float64), -start), count).reshape(shape)


def any_(*shape, start=0):
    """Numbers of both signs, halves and zero."""
    return _taken(_CYCLE, shape, start)


def nonzero(*shape, start=0):
    return _taken([1, 2, -1, 3, -2, 1.5, -3], shape, start)


def positive(*shape, start=0):
    return _taken([1, 2, 1.5, 3, 4, 0.5 + 1], shape, start)


def unit(*shape, start=0):
    """Within (-1, 1)."""
    return _taken([0.5, -0.25, 0.75, 0, -0.5, 0.25], shape, start)


def distinct(*shape, start=0):
    """No number appears twice, as far as the type has so many."""
    count = int(np.prod(shape, dtype=np.int64))
    return ((np.arange(count) * 7 + start) % count - count // 3).reshape(shape).astype(np.float64)


def i(*values):
    """Integers of one dimension."""
    return np.asarray(values, np.float64)


def scalar(value):
    return np.asarray(value, np.float64)
