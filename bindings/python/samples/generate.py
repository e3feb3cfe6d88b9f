#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tokens of a language model, the likeliest after each: generate.py MODEL.onnx COUNT TOKEN..."""

import sys

# docs: begin
import numpy
import ortc


def bind_cache(session, binding, length):
    """One buffer for past and present of each layer: a run appends to it in place."""
    for port in session.get_inputs():
        if port.name.startswith("past_key_values."):
            _, heads, _, width = port.shape
            cache = ortc.OrtValue.ortvalue_from_numpy(
                numpy.zeros((1, heads, length, width), numpy.float32))
            binding.bind_ortvalue_input(port.name, cache)
            binding.bind_ortvalue_output(port.name.replace("past_key_values", "present"), cache)


def generate(model, count, tokens):
    session = ortc.InferenceSession(model, providers=["AOT"])
    binding = session.io_binding()
    length = len(tokens) + count
    bind_cache(session, binding, length)
    ids, ones = numpy.array([tokens], numpy.int64), numpy.ones((1, length), numpy.int64)
    binding.bind_output("logits")
    for past in range(len(tokens), length):  # first the prompt, then token by token
        binding.bind_cpu_input("input_ids", ids)
        binding.bind_cpu_input("attention_mask", numpy.ascontiguousarray(ones[:, :past]))
        session.run_with_iobinding(binding)
        logits = dict(zip(binding.get_output_names(), binding.get_outputs()))["logits"].numpy()
        ids = logits[:, -1:].argmax(-1)
        yield int(ids[0, 0])


# docs: end


if __name__ == "__main__":
    print(*generate(sys.argv[1], int(sys.argv[2]), [int(token) for token in sys.argv[3:]]))
