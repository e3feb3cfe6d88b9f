# SPDX-License-Identifier: MIT
"""Cases of AttnLSTM (com.microsoft): each of its inputs and attributes, alone and together."""

import numpy as np

from microsoft_inputs import R, Constant, floats

STEPS, BATCH, IN, HIDDEN, DEPTH, PLACES, MEMORY, SEEN = 5, 3, 4, 3, 2, 6, 5, 7


def attn_lstm(a, direction, given, dtype=np.float32):
    """`given`: which of the optional inputs are there; "constant": weights stand in the model."""
    directions = 2 if direction == "bidirectional" else 1
    depth = SEEN if "AW" in given else MEMORY

    def weights(*shape):
        w = (floats(directions, *shape) / 2).astype(dtype)
        return Constant(w) if "constant" in given else w

    def lengths(longest):
        return R.randint(1, longest + 1, BATCH).astype(np.int32)

    optional = {"B": lambda: weights(8 * HIDDEN), "lens": lambda: lengths(STEPS),
                "h": lambda: floats(directions, BATCH, HIDDEN).astype(dtype),
                "c": lambda: floats(directions, BATCH, HIDDEN).astype(dtype),
                "P": lambda: weights(3 * HIDDEN), "memory_lens": lambda: lengths(PLACES),
                "AW": lambda: weights(MEMORY + HIDDEN, SEEN)}
    found = {name: make() if name in given else None for name, make in optional.items()}
    inputs = [floats(STEPS, BATCH, IN).astype(dtype), weights(4 * HIDDEN, IN + depth),
              weights(4 * HIDDEN, HIDDEN), *[found[n] for n in ("B", "lens", "h", "c", "P")],
              weights(HIDDEN, DEPTH), weights(MEMORY, DEPTH), weights(DEPTH),
              floats(BATCH, PLACES, MEMORY).astype(dtype), found["memory_lens"], found["AW"]]
    return "AttnLSTM", {"hidden_size": HIDDEN, "direction": direction, **a}, inputs


def recurrent_cases():
    everything = "B lens h c P memory_lens AW".split()
    for direction in ("forward", "reverse", "bidirectional"):
        for given in ([], ["lens"], ["memory_lens"], ["AW"], ["B", "P", "h", "c"], everything,
                      everything + ["constant"], ["lens", "B", "constant"]):
            yield attn_lstm({}, direction, given)
        names = ["Sigmoid", "LeakyRelu", "Relu", "HardSigmoid", "Tanh", "Sigmoid"]
        count = 6 if direction == "bidirectional" else 3
        for a in ({"clip": 0.3}, {"input_forget": 1}, {"clip": 0.2, "activations": names[:count]}, {
                "activations": ["HardSigmoid", "LeakyRelu", "Relu", "Sigmoid", "HardSigmoid",
                                "Tanh"][:6 if direction == "bidirectional" else 3],
                "activation_alpha": [0.3, 0.1, 0.4][:3 if direction == "bidirectional" else 2],
                "activation_beta": [0.4, 0.6][:2 if direction == "bidirectional" else 1]}):
            yield attn_lstm(a, direction, everything)
        yield attn_lstm({}, direction, everything, np.float64)


def refused_cases():
    """Cases that are refused, and what the message says."""
    everything = "B lens h c P memory_lens AW".split()

    def changed(place, array):
        case = attn_lstm({}, "forward", everything)
        case[2][place] = array
        return case

    yield changed(4, np.array([1, 0, 5], np.int32)), "has a length of 0, expected 1 to 5"
    yield changed(12, np.array([1, 7, 6], np.int32)), "has a length of 7, expected 1 to 6"
    for place in (8, 9, 10, 11):
        yield changed(place, None), f"input {place} of its attention is missing"
    yield changed(1, floats(1, 4 * HIDDEN, IN)), f"W is for {IN} numbers, expected {IN + SEEN}"
    yield changed(9, floats(1, MEMORY, DEPTH + 1)), "axis 2 of input 9 has 3 elements"
    yield attn_lstm({"activations": ["Tanh"]}, "forward", []), "has 1 names, expected 3"
    yield attn_lstm({"activations": ["Tanh", "Tanh", "No"]}, "forward", []), "'No' is unknown"
    last = {"clip": 0.1, "activations": ["Sigmoid", "Tanh", "Elu"]}
    yield attn_lstm(last, "forward", []), "no kernel for com.microsoft.AttnLSTM"
