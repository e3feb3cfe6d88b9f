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
