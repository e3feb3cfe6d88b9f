# SPDX-License-Identifier: MIT
"""What the tests of the command line share: models made with python3-onnx in a temporary folder, and
a run of the tool in it. The tests get the tool's path as their first argument.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ORTC = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "ortc"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLOAT = TensorProto.FLOAT


def save(path, nodes, inputs, outputs, initializers=(), opset=17):
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in inputs],
        [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in outputs],
        [numpy_helper.from_array(array, name) for name, array in initializers])
    model = helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)])
    model.ir_version = 8 if opset == 17 else 10
    onnx.save(model, path)


class ToolTestCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def ortc(self, *arguments, exit_code=0):
        done = subprocess.run([ORTC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, cwd=self.folder)
        self.assertEqual(done.returncode, exit_code, f"{arguments}\n{done.stdout}{done.stderr}")
        if exit_code in (1, 2):
            errors = [line for line in done.stderr.splitlines() if line.startswith("ortc: ")]
            self.assertEqual(len(errors), 1, done.stderr)
        self.errors = done.stderr
        return done.stdout

    def ortc_json(self, *arguments, exit_code=0):
        return json.loads(self.ortc(*arguments, "--json", exit_code=exit_code))

    def save_network(self):
        """relu(x @ w + b) with a batch that the model leaves open."""
        rng = np.random.default_rng(1)
        self.w = rng.standard_normal((8, 5), dtype=np.float32)
        self.b = rng.standard_normal(5, dtype=np.float32)
        nodes = [helper.make_node("MatMul", ["x", "w"], ["xw"], name="product"),
                 helper.make_node("Add", ["xw", "b"], ["sum"], name="bias"),
                 helper.make_node("Relu", ["sum"], ["a/y:0"], name="relu")]
        save(self.path("m.onnx"), nodes, [("x", FLOAT, ["batch", 8])],
             [("a/y:0", FLOAT, ["batch", 5])], [("w", self.w), ("b", self.b)])

    def expected(self, x):
        return np.maximum(x @ self.w + self.b, 0)

    def save_identities(self, **types):
        """One Identity per name, so that outputs show what inputs were."""
        save(self.path("same.onnx"),
             [helper.make_node("Identity", [name], [name + "_out"]) for name in types],
             [(name, *port) for name, port in types.items()],
             [(name + "_out", *port) for name, port in types.items()])

    def given(self, *inputs, exit_code=0):
        options = [word for text in inputs for word in ("--input", text)]
        self.ortc("run", "same.onnx", *options, "--output-dir", "out", exit_code=exit_code)
