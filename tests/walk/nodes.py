# SPDX-License-Identifier: MIT
"""What a numpy function sees of the node that it evaluates."""

import numpy as np

import elements


class Node:
    """`in_types` are numpy's for types that numpy has, else float32; `words` are ONNX's."""

    def __init__(self, name, since, attributes, in_words, out_words):
        self.op_type, self.name, self.opset = name, name, since
        self.attributes, self.words, self.out_words = attributes, in_words, out_words
        self.in_types = [np.dtype(elements.DTYPES.get(word, np.float32)) for word in in_words]
        self.output_count = len(out_words)
        self.out_types = None

    def attr(self, name, default=None):
        """Floats are as the model has them, rounded to float32; so are defaults."""
        value = self.attributes.get(name, default)
        return float(np.float32(value)) if isinstance(value, float) else value

    def has(self, name):
        return name in self.attributes
