#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of what `ortc compare` gives two models and says of them: compare_test.py ORTC [argument ...]
"""
import io
import json
import subprocess
import unittest

import numpy as np
from onnx import helper

from tool_testing import FLOAT, ORTC, ToolTestCase, save


class CompareTest(ToolTestCase):
    def save_sum(self, path, first="a", second="b", outputs=("y",)):
        """first - 2 * second, which tells the two apart."""
        save(self.path(path),
             [helper.make_node("Add", [second, second], ["twice"])] +
             [helper.make_node("Sub", [first, "twice"], [output]) for output in outputs],
             [(first, FLOAT, [3]), (second, FLOAT, [3])],
             [(output, FLOAT, [3]) for output in outputs])

    def test_values_of_stdin__go_to_both_models(self):
        self.save_sum("m.onnx")
        arrays = io.BytesIO()
        for value in (7, 9):
            np.save(arrays, np.full(3, value, np.float32))
        for more in ((), ("--per-node",)):
            for content, exit_code in ((arrays.getvalue(), 0), (arrays.getvalue()[:-1], 1)):
                done = subprocess.run(
                    [ORTC, "compare", "m.onnx", "m.onnx", "--input", "b=-", "--input", "a=-",
                     "--json", *more], input=content, capture_output=True, cwd=self.folder)
                self.assertEqual(done.returncode, exit_code, done.stderr)
        self.assertIn(b"cut off", done.stderr)

    def test_inputs_of_other_names__get_the_same_random_values(self):
        self.save_sum("m.onnx")
        self.save_sum("renamed.onnx", "left", "right")
        self.save_sum("half.onnx", "left", "b")
        for other in ("renamed.onnx", "half.onnx"):
            self.assertIs(self.ortc_json("compare", "m.onnx", other)["agrees"], True)
            self.assertIs(self.ortc_json("compare", other, "m.onnx")["agrees"], True)
        self.save_sum("turned.onnx", "b", "a")
        self.ortc("compare", "m.onnx", "turned.onnx", exit_code=1)

    # Exit code 1 is an answer.
    def ortc(self, *arguments, exit_code=0):
        done = subprocess.run([ORTC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (exit_code, ""), done.stdout)
        return done.stdout

    def test_outputs_of_one_model_alone__have_rows(self):
        self.save_sum("m.onnx")
        self.save_sum("more.onnx", outputs=("y", "z"))
        for models, which in ((("m.onnx", "more.onnx"), "first"), (("more.onnx", "m.onnx"), "second")):
            result = json.loads(self.ortc("compare", *models, "--json", exit_code=1))
            y, z = result["outputs"]
            self.assertEqual((y["agrees"], z["agrees"]), (True, False))
            self.assertEqual(z["reason"], f"the {which} model has no such output")


if __name__ == "__main__":
    unittest.main()
