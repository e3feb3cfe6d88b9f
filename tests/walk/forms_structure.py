# SPDX-License-Identifier: MIT
"""Forms of sequences, optionals and operators with bodies."""

import numpy as np

import wire
from forms import Empty, any_, form, i, scalar, word


def _is(head, constraint="V"):
    return lambda t: t[constraint].startswith(head)


def _fits(t):
    return t["S"] == f"seq({t['T']})"


_TWO = [any_(2), any_(3, start=1)]
_SAME = [any_(2), any_(2, start=1)]
form("SequenceAt", _TWO, scalar(1), expected=lambda n, s, p: s[1])
form("SequenceAt", _TWO, scalar(-2), expected=lambda n, s, p: s[0])
form("SequenceConstruct", any_(2), any_(3, start=1), expected=lambda n, *s: [list(s)])
form("SequenceEmpty", attrs=lambda t: {"dtype": wire.NUMBERS[word(t["S"])]}, extra=("S",),
     expected=lambda n: [[]])
form("SequenceErase", _TWO, expected=lambda n, s: [s[:1]])
form("SequenceErase", _TWO, scalar(0), expected=lambda n, s, p: [s[1:]])
form("SequenceInsert", _TWO, any_(1), where=_fits, expected=lambda n, s, x: [[*s, x]])
form("SequenceInsert", _TWO, any_(1), scalar(0), where=_fits,
     expected=lambda n, s, x, p: [[x, *s]])
form("SequenceLength", _TWO, expected=lambda n, s: np.asarray(2))
form("ConcatFromSequence", _TWO, axis=0, expected=lambda n, s: np.concatenate(s))
form("ConcatFromSequence", _SAME, axis=1, new_axis=1, expected=lambda n, s: np.stack(s, 1))
form("SplitToSequence", any_(4, 2), i(1, 3), expected=lambda n, x, s: [[x[:1], x[1:]]])
form("SplitToSequence", any_(4, 2), scalar(3), expected=lambda n, x, s: [[x[:3], x[3:]]])
form("SplitToSequence", any_(3, 2), keepdims=0, expected=lambda n, x: [list(x)])


def _map_body(types, sums):
    word_ = word(types["S"])
    inputs = [("e", wire.Kind(f"tensor({word_})"))]
    if sums:
        inputs.append(("v", wire.Kind(types["V"])))
    return {"body": wire.Graph([wire.Node("Identity", ["e"], ["y"]),
                                *([wire.Node("Identity", ["v"], ["w"])] if sums else [])],
                               inputs, ["y", "w"] if sums else ["y"])}


form("SequenceMap", _TWO, attrs=lambda t: _map_body(t, False), expected=lambda n, s: [s])
form("SequenceMap", _TWO, any_(3), attrs=lambda t: _map_body(t, True), outputs=2,
     where=_is("tensor"), expected=lambda n, s, v: [s, [v, v]])
form("SequenceMap", _TWO, [any_(1), any_(2)], attrs=lambda t: {"body": wire.Graph(
    [wire.Node("Identity", ["e"], ["y"]), wire.Node("Identity", ["v"], ["w"])],
    [("e", wire.Kind(f"tensor({word(t['S'])})")), ("v", wire.Kind(f"tensor({word(t['V'])})"))],
    ["y", "w"])}, outputs=2, where=_is("seq"), expected=lambda n, s, v: [s, v])

# Optionals.
form("Optional", any_(2), where=lambda t: t["V"].startswith("tensor"), expected=lambda n, x: x)
form("Optional", _TWO, where=lambda t: t["V"].startswith("seq"), expected=lambda n, x: [x])
form("Optional", attrs=lambda t: {"type": wire.Kind(t["O"][9:-1])}, extra=("O",),
     expected=lambda n: [None])
for _op, _result in (("OptionalGetElement", lambda n, x: [x]),
                     ("OptionalHasElement", lambda n, x: np.asarray(True))):
    form(_op, any_(2), where=lambda t: t["O"].startswith(("optional(tensor", "tensor")),
         expected=_result)
    form(_op, _TWO, where=lambda t: t["O"].startswith(("optional(seq", "seq")), expected=_result)
form("OptionalHasElement", Empty, where=_is("optional", "O"),
     expected=lambda n, x: np.asarray(False))
form("OptionalHasElement", since=18, expected=lambda n: np.asarray(False))


# Bodies.
def _branches(types):
    del types
    return {"then_branch": wire.Graph([wire.Node("Identity", ["x1"], ["y"])], [], ["y"]),
            "else_branch": wire.Graph([wire.Node("Identity", ["x2"], ["y"])], [], ["y"])}


for _condition in (1, 0):
    for _head, _a, _b in (("tensor", any_(2, 3), any_(1, 3, start=2)), ("seq", _TWO, _SAME),
                          ("optional(tensor", any_(2), any_(2, start=1)),
                          ("optional(seq", _TWO, _SAME)):
        form("If", scalar(_condition), attrs=_branches, extra=("V",), where=_is(_head),
             captured=[("V", _a), ("V", _b)], expected=lambda n, c, a, b: [a if c else b])


def _loop_body(types):
    """Hands the carried value on, and a copy of it out of each iteration."""
    kind = types["V"]
    outputs = ["c2", "v2"] + (["o"] if kind.startswith("tensor") else [])
    nodes = [wire.Node("Identity", ["c"], ["c2"]), wire.Node("Identity", ["v"], ["v2"])]
    if kind.startswith("tensor"):
        nodes.append(wire.Node("Identity", ["v"], ["o"]))
    return {"body": wire.Graph(nodes, [("i", wire.Kind("tensor(int64)", ())),
                                       ("c", wire.Kind("tensor(bool)", ())),
                                       ("v", wire.Kind(kind))], outputs)}


form("Loop", scalar(2), scalar(1), any_(3), attrs=_loop_body, where=_is("tensor"), outputs=2,
     expected=lambda n, m, c, v: [v, np.stack([v, v])])
form("Loop", scalar(2), None, _TWO, attrs=_loop_body, where=_is("seq"),
     expected=lambda n, m, c, v: [v])
form("Loop", scalar(2), None, any_(2), attrs=_loop_body, where=_is("optional(tensor"),
     expected=lambda n, m, c, v: [v])
form("Loop", scalar(2), None, _TWO, attrs=_loop_body, where=_is("optional(seq"),
     expected=lambda n, m, c, v: [v])


def _scan_body(types):
    kind = wire.Kind(types["V"])
    return {"num_scan_inputs": 1, "body": wire.Graph(
        [wire.Node("Identity", ["s"], ["s2"]), wire.Node("Identity", ["e"], ["o"])],
        [("s", kind), ("e", kind)], ["s2", "o"])}


form("Scan", any_(2), any_(3, 3, start=1), since=9, attrs=_scan_body, outputs=2,
     expected=lambda n, s, x: [s, x])
form("Scan", any_(2), any_(3, 2, start=1), since=9, outputs=2,
     attrs=lambda t: {**_scan_body(t), "scan_input_directions": [1],
                      "scan_output_axes": [1]}, expected=lambda n, s, x: [s, x[::-1].T])
form("Scan", None, any_(2, 2), any_(2, 3, 2, start=1), until=8, attrs=_scan_body, outputs=2,
     expected=lambda n, l, s, x: [s, x])
form("Scan", i(3, 2), any_(2, 2), any_(2, 3, 2, start=1), until=8, attrs=_scan_body, outputs=2,
     expected=lambda n, l, s, x: [s, None])
