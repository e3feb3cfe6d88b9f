#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks the small models of tools/generate_models.py with the numpy evaluator.

Each model must pass the ONNX checker and shape inference, give finite outputs of the declared
shapes and of sane size, and answer differently to different inputs. Of each pair, reading a
prompt at once and reading its last token with the cache of the others must give the same logits.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from onnx_numpy import evaluate

GENERATOR = os.path.join(HERE, "../../../tools/generate_models.py")
# Those whose operators the evaluator knows and whose batch is open.
MODELS = ("matmul transformer bert resnet50 mobilenetv2 vit gpt2-pair decoder-pair "
          "whisper resnet50-qdq bert-qdq nbits-decoder matmul-u8").split()


def load_inputs(path, graph):
    return {i.name: np.load(f"{path[:-5]}.{i.name}.npy") for i in graph.input}


def check_model(path):
    graph = onnx.load(path).graph
    inputs = load_inputs(path, graph)
    results = evaluate(path, inputs)
    names = {}
    for info in list(graph.input) + list(graph.output):
        array = inputs[info.name] if info.name in inputs else results[info.name]
        dims = info.type.tensor_type.shape.dim
        assert len(dims) == array.ndim, f"{info.name}: rank {array.ndim}"
        for dim, size in zip(dims, array.shape):
            expected = dim.dim_value or names.setdefault(dim.dim_param, size)
            assert expected == size, f"{info.name}: {array.shape}, {dim} is {expected}"
    first = results[graph.output[0].name]
    for name, array in results.items():
        assert np.isfinite(array).all(), f"{name} is not finite"
        is_float = array.dtype.kind == "f"
        assert array.std() > 1e-2, f"{name} has standard deviation {array.std()}"
        assert array.std() < 30 or not is_float, f"{name} has standard deviation {array.std()}"
    assert np.abs(first[0].astype(np.float64) - first[1]).max() > 1e-2, "two different inputs, one answer"
    print(f"{os.path.basename(path)}: {len(graph.node)} nodes, first output "
          f"{list(first.shape)}, deviation {first.std():.3f}, largest {np.abs(first).max():.3f}")


def check_pair(folder, pair):
    rng = np.random.default_rng(5)
    ids = rng.integers(0, 160, (2, 8), dtype=np.int64)
    mask = np.ones((2, 8), np.int64)
    mask[1, :3] = 0
    prefill, decode = (os.path.join(folder, f"{pair}_{n}.onnx") for n in ("prefill", "decode"))
    whole = evaluate(prefill, {"input_ids": ids, "attention_mask": mask})
    part = evaluate(prefill, {"input_ids": ids[:, :7], "attention_mask": mask[:, :7]})
    inputs = {name.replace("present", "past_key_values"): array
              for name, array in part.items() if name != "logits"}
    step = evaluate(decode, {"input_ids": ids[:, 7:], "attention_mask": mask, **inputs})
    for name, array in step.items():
        expected = whole[name][:, -1:] if name == "logits" else whole[name]
        assert array.shape == expected.shape, f"{name}: {array.shape}"
        difference = np.abs(array - expected)
        if name != "logits":
            # The cache of padding is never read: a padded token that sees only padding sees noise.
            difference = difference * mask[:, None, :, None]
        assert difference.max() < 1e-5, f"{name}: {difference.max()}"
    print(f"{pair}: prefill and decode agree")


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, GENERATOR, *MODELS, "--small", "--inputs", "--check",
                        "--out", folder], check=True, stdout=subprocess.DEVNULL)
        models = sorted(n for n in os.listdir(folder) if n.endswith(".onnx"))
        for name in models:
            check_model(os.path.join(folder, name))
        for pair in ("gpt2", "decoder"):
            check_pair(folder, pair)
    return 0


if __name__ == "__main__":
    sys.exit(main())
