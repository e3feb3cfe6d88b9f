# SPDX-License-Identifier: MIT
"""A small Whisper with random weights, as sub-graphs of ONNX and in numpy.

  Speech(random).encoder()        features and the first tokens, to logits and both kinds of past
  Speech(random).graph()          the decoder, a token at a time
  Speech(random).heard(features)  in numpy: a decoder as the searches call it
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from small_decoders import HEADS, LOWEST, SIZE, T5, WIDTH, softmax, value

FEATURES, PLACES = 3, 32
I32, F32 = TensorProto.INT32, TensorProto.FLOAT


class Speech:
    """Layers of attention to themselves and to what was heard; `is_fused`: as com.microsoft's
    MultiHeadAttention, which the exporter makes of them. A decoder that `reads_states` has an input
    for the encoder's, of which it uses the shape: ONNX Runtime feeds no more of them."""

    def __init__(self, random, vocabulary, sharpness=3.0, layers=2, reads_states=False,
                 is_fused=False):
        def floats(*shape):
            return random.standard_normal(shape).astype(np.float32)
        self.vocabulary, self.layers, self.reads_states = vocabulary, layers, reads_states
        self.is_fused = is_fused
        self.weights = {"words": floats(vocabulary, WIDTH), "places": floats(PLACES, WIDTH),
                        "ears": floats(FEATURES, WIDTH),
                        "out": floats(WIDTH, vocabulary) * np.float32(sharpness / WIDTH)}
        for layer in range(layers):
            for name in ("q_self", "k_self", "v_self", "q_cross", "k_cross", "v_cross"):
                self.weights[f"{name}_{layer}"] = floats(WIDTH, WIDTH) / np.float32(2)

    # --- In ONNX.

    def constants(self, prefix):
        numbers = {"heads": np.array([0, 0, HEADS, SIZE]), "flat": np.array([0, 0, WIDTH]),
                   "scale": np.float32(SIZE ** -0.5), "lowest": np.float32(-1e4),
                   "zero": np.array(0), "one": np.array(1), "first": np.array([0]),
                   "second": np.array([1])}
        return [numpy_helper.from_array(np.asarray(w), prefix + name)
                for name, w in {**self.weights, **numbers}.items()]

    @staticmethod
    def names(kind, word, layer):
        return [f"{word}_{part}_{kind}_{layer}" for part in ("key", "value")]

    def pasts(self, kind, word, places):
        return [value(name, F32, ["B", HEADS, places, SIZE]) for layer in range(self.layers)
                for name in self.names(kind, word, layer)]

    @staticmethod
    def places_of(nodes, p, ids, past):
        """`place`, the words' own places, and `later`: who stands behind whom."""
        nodes += [helper.make_node("Shape", [ids], ["dims"]),
                  helper.make_node("Gather", ["dims", p + "one"], ["count"])]
        before = p + "zero"
        if past:
            nodes += [helper.make_node("Shape", [past], ["past_dims"]),
                      helper.make_node("Gather", ["past_dims", p + "two"], ["before"])]
            before = "before"
        nodes += [helper.make_node("Add", [before, "count"], ["end"]),
                  helper.make_node("Range", [before, "end", p + "one"], ["place"]),
                  helper.make_node("Range", [p + "zero", "end", p + "one"], ["keys"]),
                  helper.make_node("Unsqueeze", ["place", p + "second"], ["rows"]),
                  helper.make_node("Unsqueeze", ["keys", p + "first"], ["columns"]),
                  helper.make_node("Greater", ["columns", "rows"], ["later"])]

    def decode(self, nodes, p, ids, past, cross):
        self.places_of(nodes, p, ids, past(0)[0] if past else None)
        nodes += [helper.make_node("Gather", [p + "words", ids], ["word"]),
                  helper.make_node("Gather", [p + "places", "place"], ["of_place"]),
                  helper.make_node("Add", ["word", "of_place"], ["x_0"])]
        for i in range(self.layers):
            layer = self.fused_layer if self.is_fused else self.layer
            layer(nodes, p, i, past(i) if past else [], cross(i))
            nodes.append(helper.make_node("Add", [f"half_{i}", f"other_{i}"], [f"x_{i + 1}"]))
        nodes.append(helper.make_node("MatMul", [f"x_{self.layers}", p + "out"], ["logits"]))

    def layer(self, nodes, p, i, past, cross):
        for name in ("q", "k", "v"):
            T5.split(nodes, p, f"x_{i}", f"{name}_self_{i}", f"own_{name}_{i}")
        present = self.names("self", "present", i)
        for part, (name, y) in enumerate(zip(("k", "v"), present)):
            parts = past[part:part + 1] + [f"own_{name}_{i}"]
            nodes.append(helper.make_node("Concat", parts, [y], axis=2))
        T5.attend(nodes, p, f"own_q_{i}", *present, f"own_{i}", "later")
        nodes.append(helper.make_node("Add", [f"x_{i}", f"own_{i}"], [f"half_{i}"]))
        T5.split(nodes, p, f"half_{i}", f"q_cross_{i}", f"cross_q_{i}")
        T5.attend(nodes, p, f"cross_q_{i}", *cross, f"other_{i}")

    def fused_layer(self, nodes, p, i, past, cross):
        def attend(inputs, outputs, **attributes):
            nodes.append(helper.make_node("MultiHeadAttention", inputs, outputs,
                                          domain="com.microsoft", num_heads=HEADS, **attributes))
        for name in ("q", "k", "v"):
            nodes.append(helper.make_node("MatMul", [f"x_{i}", f"{p}{name}_self_{i}"],
                                          [f"own_{name}_{i}"]))
        attend([f"own_{name}_{i}" for name in "qkv"] + (["", "", ""] + past if past else []),
               [f"own_{i}"] + self.names("self", "present", i), unidirectional=1)
        nodes += [helper.make_node("Add", [f"x_{i}", f"own_{i}"], [f"half_{i}"]),
                  helper.make_node("MatMul", [f"half_{i}", f"{p}q_cross_{i}"], [f"cross_q_{i}"])]
        attend([f"cross_q_{i}", *cross], [f"other_{i}"])

    def encoder(self):
        p, nodes = "e_", []
        nodes += [helper.make_node("Transpose", ["encoder_input_ids"], ["frames"], perm=[0, 2, 1]),
                  helper.make_node("MatMul", ["frames", "e_ears"], ["encoder_hidden_states"])]
        for i in range(self.layers):
            for part, y in zip(("k", "v"), self.names("cross", "present", i)):
                T5.split(nodes, p, "encoder_hidden_states", f"{part}_cross_{i}", y)
        self.decode(nodes, p, "decoder_input_ids", None,
                    lambda i: self.names("cross", "present", i))
        inputs = [value("encoder_input_ids", F32, ["B", FEATURES, "E"]),
                  value("decoder_input_ids", I32, ["B", "S"])]
        outputs = [value("logits", F32, ["B", "S", self.vocabulary]),
                   value("encoder_hidden_states", F32, ["B", "E", WIDTH])]
        outputs += self.pasts("self", "present", "S") + self.pasts("cross", "present", "E")
        return helper.make_graph(nodes, "encoder", inputs, outputs, self.constants(p))

    def graph(self):
        p, nodes = "d_", []
        self.decode(nodes, p, "input_ids", lambda i: self.names("self", "past", i),
                    lambda i: self.names("cross", "past", i))
        inputs = [value("input_ids", I32, ["B", 1])]
        if self.reads_states:
            inputs.append(value("encoder_hidden_states", F32, ["B", "E", WIDTH]))
            nodes[-1].input[0] = "heard"
            nodes[-1:-1] = [helper.make_node("Shape", ["encoder_hidden_states"], ["seen"]),
                            helper.make_node("Gather", ["seen", p + "one"], ["frames"]),
                            helper.make_node("Cast", ["frames"], ["long"], to=F32),
                            helper.make_node("Div", [f"x_{self.layers}", "long"], ["heard"])]
        inputs += self.pasts("self", "past", "P") + self.pasts("cross", "past", "E")
        outputs = [value("logits", F32, ["B", 1, self.vocabulary])]
        outputs += self.pasts("self", "present", "N")
        constants = self.constants(p) + [numpy_helper.from_array(np.array(2), "d_two")]
        return helper.make_graph(nodes, "decoder", inputs, outputs, constants)

    # --- In numpy.

    def heard(self, features, beams):
        states = features.transpose(0, 2, 1) @ self.weights["ears"]
        return Hearing(self, np.repeat(states, beams, 0))


class Hearing:
    def __init__(self, speech, states):
        self.speech, self.states = speech, states

    def state(self, rows):
        return [np.zeros((rows, HEADS, 0, SIZE), np.float32)] * (2 * self.speech.layers)

    def reordered(self, past, rows):
        return [p[rows] for p in past]

    def heads(self, x, name):
        rows, count, _ = x.shape
        y = x @ self.speech.weights[name]
        return y.reshape(rows, count, HEADS, SIZE).transpose(0, 2, 1, 3)

    @staticmethod
    def attention(q, k, v, hidden):
        scores = np.where(hidden, np.float32(-1e4), q @ k.swapaxes(-1, -2) * np.float32(SIZE ** -0.5))
        return (softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(len(q), q.shape[2], WIDTH)

    def __call__(self, ids, positions, mask, past):
        speech, present = self.speech, []
        before, count = past[0].shape[2], ids.shape[1]
        places = np.arange(before, before + count)
        later = np.arange(before + count)[None, :] > places[:, None]
        x = speech.weights["words"][ids] + speech.weights["places"][places]
        for i in range(speech.layers):
            k = np.concatenate([past[2 * i], self.heads(x, f"k_self_{i}")], 2)
            v = np.concatenate([past[2 * i + 1], self.heads(x, f"v_self_{i}")], 2)
            present += [k, v]
            x = x + self.attention(self.heads(x, f"q_self_{i}"), k, v, later)
            k, v = self.heads(self.states, f"k_cross_{i}"), self.heads(self.states, f"v_cross_{i}")
            x = x + self.attention(self.heads(x, f"q_cross_{i}"), k, v, np.zeros(1, bool))
        if speech.reads_states and before > 0:
            x = x / np.float32(self.states.shape[1])
        return x @ speech.weights["out"], present
