# SPDX-License-Identifier: MIT
"""Small decoders with random weights, as sub-graphs of ONNX and in numpy.

  Gpt(random).graph()                      what GreedySearch, BeamSearch and Sampling call
  Gpt(random).state(rows)                  the empty past
  Gpt(random)(ids, positions, mask, past)  (logits, present)
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HEADS, SIZE = 2, 4
WIDTH = HEADS * SIZE
LOWEST = np.finfo(np.float32).min


def value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Gpt:
    """Embeddings of words and positions, layers of com.microsoft.Attention, a product."""

    def __init__(self, random, vocabulary=13, layers=2, places=32, sharpness=3.0, prefix=""):
        def floats(*shape):
            return random.standard_normal(shape).astype(np.float32)
        self.vocabulary, self.layers, self.prefix = vocabulary, layers, prefix
        self.weights = {"words": floats(vocabulary, WIDTH), "places": floats(places, WIDTH),
                        "out": floats(WIDTH, vocabulary) * np.float32(sharpness / WIDTH)}
        for layer in range(layers):
            self.weights[f"qkv_{layer}"] = floats(WIDTH, 3 * WIDTH) / np.float32(2)
            self.weights[f"bias_{layer}"] = floats(3 * WIDTH)

    def graph(self):
        p = self.prefix
        nodes = [helper.make_node("Gather", [p + "words", "input_ids"], ["word"]),
                 helper.make_node("Gather", [p + "places", "position_ids"], ["place"]),
                 helper.make_node("Add", ["word", "place"], ["x_0"])]
        for i in range(self.layers):
            nodes += [helper.make_node(
                "Attention", [f"x_{i}", f"{p}qkv_{i}", f"{p}bias_{i}", "attention_mask", f"past_{i}"],
                [f"seen_{i}", f"present_{i}"], domain="com.microsoft", num_heads=HEADS,
                unidirectional=1), helper.make_node("Add", [f"x_{i}", f"seen_{i}"], [f"x_{i + 1}"])]
        nodes.append(helper.make_node("MatMul", [f"x_{self.layers}", p + "out"], ["logits"]))
        i32, f32 = TensorProto.INT32, TensorProto.FLOAT
        inputs = [value("input_ids", i32, ["B", "S"]), value("position_ids", i32, ["B", "S"]),
                  value("attention_mask", i32, ["B", "T"])]
        outputs = [value("logits", f32, ["B", "S", self.vocabulary])]
        for i in range(self.layers):
            inputs.append(value(f"past_{i}", f32, [2, "B", HEADS, "P", SIZE]))
            outputs.append(value(f"present_{i}", f32, [2, "B", HEADS, "T", SIZE]))
        return helper.make_graph(nodes, p + "decoder", inputs, outputs, self.constants())

    def constants(self):
        return [numpy_helper.from_array(w, self.prefix + name) for name, w in self.weights.items()]

    def state(self, rows):
        return [np.zeros((2, rows, HEADS, 0, SIZE), np.float32) for _ in range(self.layers)]

    def reordered(self, past, rows):
        return [p[:, rows] for p in past]

    def __call__(self, ids, positions, mask, past):
        w, present = self.weights, []
        x = w["words"][ids] + w["places"][positions]
        rows, count = ids.shape
        for i in range(self.layers):
            qkv = x @ w[f"qkv_{i}"] + w[f"bias_{i}"]
            q, k, v = [part.reshape(rows, count, HEADS, SIZE).transpose(0, 2, 1, 3)
                       for part in np.split(qkv, 3, axis=-1)]
            k, v = np.concatenate([past[i][0], k], 2), np.concatenate([past[i][1], v], 2)
            present.append(np.stack([k, v]))
            scores = q @ k.swapaxes(-1, -2) / np.float32(SIZE ** 0.5)
            before = k.shape[2] - count
            later = np.arange(k.shape[2])[None, :] > np.arange(count)[:, None] + before
            scores = np.where(later, LOWEST, scores)
            scores = scores + np.where(mask[:, None, None, :] == 0, np.float32(-10000), 0)
            seen = softmax(np.maximum(scores, LOWEST).astype(np.float32)) @ v
            x = x + seen.transpose(0, 2, 1, 3).reshape(rows, count, WIDTH)
        return x @ w["out"], present


class T5:
    """An encoder and a decoder with one layer: attention to itself, then to what was encoded. With
    `has_first`, the encoder makes the first logits, and the past behind them."""

    def __init__(self, random, vocabulary=13, sharpness=3.0, has_first=False, reads_states=False):
        def floats(*shape):
            return random.standard_normal(shape).astype(np.float32)
        self.vocabulary, self.has_first, self.reads_states = vocabulary, has_first, reads_states
        self.weights = {"words": floats(vocabulary, WIDTH),
                        "out": floats(WIDTH, vocabulary) * np.float32(sharpness / WIDTH)}
        for name in ("q_self", "k_self", "v_self", "q_cross", "k_cross", "v_cross"):
            self.weights[name] = floats(WIDTH, WIDTH) / np.float32(2)

    # --- In ONNX.

    def constants(self, prefix):
        shapes = {"heads": np.array([0, 0, HEADS, SIZE]), "flat": np.array([0, 0, WIDTH])}
        numbers = {"scale": np.float32(SIZE ** -0.5), "lowest": np.float32(-1e4),
                   "none": np.int32(0), "axes": np.array([1, 2])}
        return [numpy_helper.from_array(np.asarray(w), prefix + name)
                for name, w in {**self.weights, **shapes, **numbers}.items()]

    @staticmethod
    def split(nodes, p, x, weights, y):
        nodes += [helper.make_node("MatMul", [x, p + weights], [f"{y}_flat"]),
                  helper.make_node("Reshape", [f"{y}_flat", p + "heads"], [f"{y}_split"]),
                  helper.make_node("Transpose", [f"{y}_split"], [y], perm=[0, 2, 1, 3])]

    @staticmethod
    def attend(nodes, p, q, k, v, y, hidden=None):
        """`hidden`: truth values that broadcast to the scores."""
        nodes += [helper.make_node("Transpose", [k], [f"{y}_turned"], perm=[0, 1, 3, 2]),
                  helper.make_node("MatMul", [q, f"{y}_turned"], [f"{y}_raw"]),
                  helper.make_node("Mul", [f"{y}_raw", p + "scale"], [f"{y}_scores"])]
        scores = f"{y}_scores"
        if hidden:
            nodes.append(helper.make_node("Where", [hidden, p + "lowest", scores], [f"{y}_masked"]))
            scores = f"{y}_masked"
        nodes += [helper.make_node("Softmax", [scores], [f"{y}_probs"], axis=-1),
                  helper.make_node("MatMul", [f"{y}_probs", v], [f"{y}_seen"]),
                  helper.make_node("Transpose", [f"{y}_seen"], [f"{y}_back"], perm=[0, 2, 1, 3]),
                  helper.make_node("Reshape", [f"{y}_back", p + "flat"], [y])]

    def decode(self, nodes, p, ids, past, cross, mask):
        nodes.append(helper.make_node("Gather", [p + "words", ids], ["word"]))
        for name in ("q", "k", "v"):
            self.split(nodes, p, "word", f"{name}_self", f"own_{name}")
        present = ["own_k", "own_v"]
        if past:
            present = ["present_key_self_0", "present_value_self_0"]
            for old, name, new in zip(past, ("own_k", "own_v"), present):
                nodes.append(helper.make_node("Concat", [old, name], [new], axis=2))
        else:
            nodes += [helper.make_node("Identity", ["own_k"], ["present_key_self_0"]),
                      helper.make_node("Identity", ["own_v"], ["present_value_self_0"])]
        self.attend(nodes, p, "own_q", *present, "own")
        nodes.append(helper.make_node("Add", ["word", "own"], ["x_1"]))
        self.split(nodes, p, "x_1", "q_cross", "cross_q")
        nodes += [helper.make_node("Equal", [mask, p + "none"], ["is_hidden"]),
                  helper.make_node("Unsqueeze", ["is_hidden", p + "axes"], ["hidden"])]
        self.attend(nodes, p, "cross_q", *cross, "other", "hidden")
        nodes += [helper.make_node("Add", ["x_1", "other"], ["x_2"]),
                  helper.make_node("MatMul", ["x_2", p + "out"], ["logits"])]

    def encoder(self):
        p, i32, f32, nodes = "e_", TensorProto.INT32, TensorProto.FLOAT, []
        inputs = [value("encoder_input_ids", i32, ["B", "E"]),
                  value("encoder_attention_mask", i32, ["B", "E"])]
        nodes.append(helper.make_node("Gather", ["e_words", "encoder_input_ids"],
                                      ["encoder_hidden_states"]))
        cross, past = ["present_key_cross_0", "present_value_cross_0"], ["B", HEADS, "E", SIZE]
        for name, y in zip(("k", "v"), cross):
            self.split(nodes, p, "encoder_hidden_states", f"{name}_cross", y)
        outputs = [value(name, f32, past) for name in cross]
        if self.has_first:
            inputs.append(value("decoder_input_ids", i32, ["B", 1]))
            self.decode(nodes, p, "decoder_input_ids", None, cross, "encoder_attention_mask")
            own = ["B", HEADS, 1, SIZE]
            outputs = [value("logits", f32, ["B", 1, self.vocabulary]),
                       value("encoder_hidden_states", f32, ["B", "E", WIDTH]),
                       value("present_key_self_0", f32, own),
                       value("present_value_self_0", f32, own)] + outputs
        return helper.make_graph(nodes, "encoder", inputs, outputs, self.constants(p))

    def graph(self):
        p, i32, f32, nodes = "d_", TensorProto.INT32, TensorProto.FLOAT, []
        past = ["past_key_self_0", "past_value_self_0"]
        cross = ["past_key_cross_0", "past_value_cross_0"]
        self.decode(nodes, p, "input_ids", past, cross, "encoder_attention_mask")
        inputs = [value("input_ids", i32, ["B", 1]),
                  value("encoder_attention_mask", i32, ["B", "E"])]
        if self.reads_states:
            inputs.append(value("encoder_hidden_states", f32, ["B", "E", WIDTH]))
            nodes[-1].input[0] = "x_3"
            nodes.insert(-1, helper.make_node("ReduceMean", ["encoder_hidden_states"], ["mean"],
                                              axes=[1], keepdims=1))
            nodes.insert(-1, helper.make_node("Add", ["x_2", "mean"], ["x_3"]))
        inputs += [value(name, f32, ["B", HEADS, "P", SIZE]) for name in past]
        inputs += [value(name, f32, ["B", HEADS, "E", SIZE]) for name in cross]
        outputs = [value("logits", f32, ["B", 1, self.vocabulary])]
        outputs += [value(f"present_{kind}_self_0", f32, ["B", HEADS, "N", SIZE])
                    for kind in ("key", "value")]
        return helper.make_graph(nodes, "decoder", inputs, outputs, self.constants(p))

    # --- In numpy.

    def heads(self, x, name):
        rows, count, _ = x.shape
        return (x @ self.weights[name]).reshape(rows, count, HEADS, SIZE).transpose(0, 2, 1, 3)

    def encoded(self, ids, mask, beams):
        """A decoder of these tokens, as the searches call it."""
        states = np.repeat(self.weights["words"][ids], beams, 0)
        hidden = np.repeat(mask == 0, beams, 0)[:, None, None, :]
        return Decoding(self, states, hidden)


class Decoding:
    def __init__(self, t5, states, hidden):
        self.t5, self.states, self.hidden = t5, states, hidden
        self.k, self.v = t5.heads(states, "k_cross"), t5.heads(states, "v_cross")

    def state(self, rows):
        return [np.zeros((rows, HEADS, 0, SIZE), np.float32)] * 2

    def reordered(self, past, rows):
        return [p[rows] for p in past]

    @staticmethod
    def attention(q, k, v, hidden):
        scores = q @ k.swapaxes(-1, -2) * np.float32(SIZE ** -0.5)
        scores = np.where(hidden, np.float32(-1e4), scores)
        return (softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(len(q), q.shape[2], WIDTH)

    def __call__(self, ids, positions, mask, past):
        t5 = self.t5
        x = t5.weights["words"][ids]
        k = np.concatenate([past[0], t5.heads(x, "k_self")], 2)
        v = np.concatenate([past[1], t5.heads(x, "v_self")], 2)
        x = x + self.attention(t5.heads(x, "q_self"), k, v, np.zeros(1, bool))
        x = x + self.attention(t5.heads(x, "q_cross"), self.k, self.v, self.hidden)
        if t5.reads_states and not (t5.has_first and past[0].shape[2] == 0):
            x = x + self.states.mean(1, keepdims=True)
        return x @ t5.weights["out"], [k, v]
