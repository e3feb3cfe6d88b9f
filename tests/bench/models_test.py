#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of tools/generate_models.py: what it writes is valid, named, and the same every time."""

import hashlib
import os
import re
import subprocess
import tempfile
import unittest

import onnx

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATOR = os.path.join(ROOT, "tools", "generate_models.py")


def generate(folder, *arguments):
    return subprocess.run(["/usr/bin/python3", GENERATOR, *arguments, "--small", "--out", folder],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def digests(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


class ModelsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_generator__writes_checked_models_of_opset_17_and_the_same_bytes_again(self):
        done = generate(self.folder, "all", "--inputs", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        models = [name for name in os.listdir(self.folder) if name.endswith(".onnx")]
        self.assertGreaterEqual(len(models), 15)
        for name in models:
            model = onnx.load(os.path.join(self.folder, name), load_external_data=False)
            self.assertEqual(model.ir_version, 8, name)
            self.assertEqual({o.version for o in model.opset_import if o.domain == ""}, {17}, name)
            for value in model.graph.input:
                file = re.sub(r"[^A-Za-z0-9._-]", "_", value.name)
                self.assertTrue(os.path.exists(
                    os.path.join(self.folder, f"{name[:-5]}.{file}.npy")), (name, value.name))
        with tempfile.TemporaryDirectory() as again:
            self.assertEqual(generate(again, "all", "--inputs").returncode, 0)
            self.assertEqual(digests(self.folder), digests(again))

    def test_generator__gives_both_models_of_a_pair_the_same_weights(self):
        self.assertEqual(generate(self.folder, "decoder-pair").returncode, 0)
        tables = []
        for name in ("decoder_prefill", "decoder_decode"):
            model = onnx.load(os.path.join(self.folder, name + ".onnx"), load_external_data=False)
            tables.append({tensor.name: [(e.key, e.value) for e in tensor.external_data]
                           for tensor in model.graph.initializer
                           if tensor.data_location == onnx.TensorProto.EXTERNAL})
        self.assertEqual(*tables)
        self.assertGreater(len(tables[0]), 10)

    def test_generator__refuses_sizes_that_a_model_does_not_have(self):
        for arguments in (["bert128", "--sequence", "5"], ["decoder-pair", "--past", "5000"],
                          ["yolo", "--batch", "2"], ["nothing"]):
            self.assertNotEqual(generate(self.folder, *arguments).returncode, 0, arguments)


if __name__ == "__main__":
    unittest.main()
