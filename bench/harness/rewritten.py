# SPDX-License-Identifier: MIT
"""Models that are others with an attribute changed; weights files stay shared."""

import os
import shutil

import onnx
from onnx import helper


def with_accuracy_level_4(source, target, inputs):
    """The same model whose MatMulNBits nodes ask for int8 inside (accuracy_level 4)."""
    model = onnx.load(source, load_external_data=False)
    count = 0
    for node in model.graph.node:
        if node.op_type == "MatMulNBits":
            kept = [a for a in node.attribute if a.name != "accuracy_level"]
            del node.attribute[:]
            node.attribute.extend([*kept, helper.make_attribute("accuracy_level", 4)])
            count += 1
    if count == 0:
        raise RuntimeError(f"{source} has no MatMulNBits node")
    onnx.save(model, target)
    for name, path in inputs.items():
        shutil.copyfile(path, f"{os.path.splitext(target)[0]}.{name}.npy")
