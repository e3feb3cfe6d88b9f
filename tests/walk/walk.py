# SPDX-License-Identifier: MIT
"""Cases of the walk, and what becomes of each: ok, refused with a status, or a wrong result.

A case is a form of an operator at one of its versions with one choice of types.
"""

import itertools

import numpy as np

import elements
import forms
import forms_elementwise  # noqa: F401  (each enters its forms)
import forms_ml  # noqa: F401
import forms_movement  # noqa: F401
import forms_numeric  # noqa: F401
import forms_quantised  # noqa: F401
import forms_structure  # noqa: F401
import wire
from forms import FORMS, TYPES, WIDENED, Empty, word
from nodes import Node

WIDEST = ("double", "float", "int64")


class Case:
    """`is_beyond`: one of its types is not among those that the signature allows."""

    def __init__(self, signature, number, form, types, is_beyond=False):
        self.signature, self.number, self.form, self.types = signature, number, form, types
        self.is_beyond = is_beyond

    def __str__(self):
        types = ",".join(f"{name}={_short(kind)}" for name, kind in self.types.items())
        types = types + (" (not allowed)" if self.is_beyond else "")
        return (f"{self.signature.domain or 'ai.onnx'}:{self.signature.name}-"
                f"{self.signature.since} {types or '-'} form {self.number}")

    def kind(self, parameter):
        """The type of a parameter here; None when it depends on a constraint that is not chosen."""
        return self.types.get(parameter.type,
                              None if parameter.type in self.signature.constraints
                              else parameter.type)


def _short(kind):
    return kind.replace("tensor(", "(").replace("(", "", 1)[:-1] if kind.startswith("tensor") else (
        kind.replace("tensor(", "").replace("))", ")"))


def short(kind):
    return _short(kind)


def constraints_of(signature, form):
    """The constraints whose types a form chooses, in the signature's order."""
    used = {signature.input(k).type for k, item in enumerate(form.inputs) if item is not None}
    used.update(form.extra)
    return [name for name in signature.constraints if name in used]


def _may_be(item, kind):
    """Whether sample numbers have the structure of a type."""
    if isinstance(item, list):
        return "seq(" in kind and "map" not in kind
    if isinstance(item, dict):
        return kind.startswith("map")
    if item is Empty or item is None:
        return True
    return kind.startswith(("tensor", "optional(tensor", "sparse"))


def cases_of(signature):
    for number, form in enumerate(FORMS.get((signature.domain, signature.name), [])):
        if not form.since <= signature.since <= form.until:
            continue
        names = constraints_of(signature, form)
        for kinds in itertools.product(*(signature.constraints[name] for name in names)):
            types = dict(zip(names, kinds))
            if form.where is not None and not form.where(types):
                continue
            case = Case(signature, number, form, types)
            if all(_may_be(item, case.kind(signature.input(k)) or "")
                   for k, item in enumerate(form.inputs) if item is not None):
                yield case


def cases_beyond(signature):
    """Each constraint of the inputs of the first form with each tensor type that it does not
    allow, the others with the first type that they do."""
    first = next(cases_of(signature), None)
    if first is None:
        return
    given = {signature.input(k).type for k, item in enumerate(first.form.inputs)
             if isinstance(item, np.ndarray)}
    for name, kind in first.types.items():
        if name not in given or not kind.startswith("tensor"):
            continue
        for element in sorted(wire.NUMBERS, key=wire.NUMBERS.get)[1:]:
            kind = f"tensor({element})"
            if kind in signature.constraints[name]:
                continue
            case = Case(signature, first.number, first.form, {**first.types, name: kind}, True)
            try:
                inputs_of(case), attributes_of(case)
            except (KeyError, ValueError):  # texts that are no numbers, attributes without a name
                continue
            yield case


def attributes_of(case):
    made = case.form.attributes
    return made(case.types) if callable(made) else dict(made)


def wide_input(item, kind):
    """A sample value in a type: a wide array, a list of them, a dict, or None without content."""
    if item is Empty:
        return None
    if isinstance(item, list):
        return [elements.wide(word(kind), part) for part in item]
    if isinstance(item, dict):
        key, value = kind[4:-1].split(", ")
        return dict(zip(elements.wide(key, np.asarray(list(item), float)).tolist(),
                        elements.wide(value, np.asarray(list(item.values()), float)).tolist()))
    return elements.wide(word(kind), item)


def inputs_of(case):
    """name -> (type, wide value) of everything that the model takes, in order."""
    made = {}
    for k, item in enumerate(case.form.inputs):
        if item is not None:
            kind = case.kind(case.signature.input(k))
            made[f"x{k}"] = (kind, wide_input(item, kind))
    for k, (constraint, item) in enumerate(case.form.captured):
        kind = case.types[constraint]
        made[f"x{len(case.form.inputs) + k}"] = (kind, wide_input(item, kind))
    return made


def model_of(case, values=None):
    """The bytes of the model with this one node."""
    values = values or inputs_of(case)
    names = ["" if item is None else f"x{k}" for k, item in enumerate(case.form.inputs)]
    outputs = [f"y{k}" for k in range(case.form.outputs)]
    node = wire.Node(case.signature.name, names, outputs, attributes_of(case),
                     case.signature.domain)
    inputs = [(name, wire.Kind(kind, np.shape(value) if kind.startswith("tensor") else None))
              for name, (kind, value) in values.items()]
    graph = wire.Graph([node], inputs, outputs)
    return wire.model(graph, case.signature.domain, case.signature.since)


# What comes out.


def evaluated(case, found_kinds):
    """The wide results that numpy has for a case; None where there is no evaluation."""
    expected = case.form.expected
    if expected in (WIDENED, TYPES):
        return None
    if expected is None:
        import ops_math  # noqa: F401
        import ops_nn  # noqa: F401
        import ops_shape  # noqa: F401
        from op_registry import OPS
        expected = OPS.get(("ai.onnx", case.signature.name))
        if expected is None:
            raise LookupError(f"{case}: no numpy function")
    values = inputs_of(case)
    arguments = [None if item is None else values[f"x{k}"][1]
                 for k, item in enumerate(case.form.inputs)]
    arguments += [values[f"x{len(arguments) + k}"][1] for k in range(len(case.form.captured))]
    in_words = [word(values[f"x{k}"][0]) if f"x{k}" in values else "" for k in range(len(arguments))]
    node = Node(case.signature.name, case.signature.since, attributes_of(case), in_words,
                [word(kind) for kind in found_kinds])
    node.out_kinds = found_kinds
    with np.errstate(all="ignore"):
        results = expected(node, *arguments)
    results = results if isinstance(results, (list, tuple)) else [results]
    return results[:case.form.outputs]


def widest(case):
    """The case of the same form whose numbers are as wide as they may be; None if it is this one."""
    types = dict(case.types)
    for name, kind in types.items():
        allowed = case.signature.constraints[name]
        if word(kind) not in elements.FLOATS and not word(kind).startswith(("int", "uint")):
            continue
        wider = [f"tensor({w})" for w in WIDEST if f"tensor({w})" in allowed]
        if wider and (word(kind) in elements.FLOATS or word(wider[0]) in elements.FLOATS):
            types[name] = wider[0]
    return None if types == case.types else Case(case.signature, case.number, case.form, types)


def widened_inputs(case, wider):
    """The numbers of a case in the types of a wider one."""
    kinds = inputs_of(wider)
    return {name: (kinds[name][0], value if isinstance(value, (list, dict)) or value is None else
                   value.astype(elements.DTYPES[word(kinds[name][0])])
                   if word(kinds[name][0]) in elements.DTYPES else value)
            for name, (_, value) in inputs_of(case).items()}


def difference(kind, found, expected, steps):
    """What is wrong with one output; None when it is as expected."""
    if expected is None:
        return None if found is None or not kind.startswith("none") else "content"
    if isinstance(found, dict):
        same = found.keys() == expected.keys() and all(
            np.allclose(found[key], expected[key]) if not isinstance(found[key], str)
            else found[key] == expected[key] for key in found)
        return None if same else f"{found}, expected {expected}"
    if isinstance(found, list):
        if not isinstance(expected, list) or len(found) != len(expected):
            return f"{found}, expected {expected}"
        inner = kind[4:-1] if kind.startswith("seq") else kind
        for one, other in zip(found, expected):
            wrong = difference(inner, one, other, steps)
            if wrong:
                return wrong
        return None
    if found is None:
        return f"nothing, expected {expected}"
    name = word(kind)
    expected = np.asarray(expected)
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    if name == "string":
        return None if (found == expected).all() else f"{found.tolist()}, expected {expected.tolist()}"
    with np.errstate(all="ignore"):
        expected = elements.rounded(name, expected)
    if name not in elements.STEP:
        same = found.astype(object) == expected.astype(object)
        return None if np.all(same) else f"{found.tolist()}, expected {expected.tolist()}"
    size = np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0)
    bound = steps * elements.STEP[name] * np.maximum(np.abs(expected), 0.125 * size)
    if steps == 0:
        bound = 0
    with np.errstate(all="ignore"):
        near = (np.abs(found - expected) <= bound) | (found == expected) | (
            np.isnan(found) & np.isnan(expected))
    return None if near.all() else f"{found.tolist()}, expected {expected.tolist()}"
