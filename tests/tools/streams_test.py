#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of programs that are started without stdin, stdout or stderr: streams_test.py ORTC
[unittest argument ...]

No file may get the number of one that is closed: every line for it would be written into the file.
"""
import itertools
import os
import subprocess
import unittest

import numpy as np
from onnx import helper

from tool_testing import FLOAT, ORTC, ToolTestCase, save

GENERATOR = os.path.join(os.path.dirname(ORTC), "ep_weight_sharing_ctx_gen")
WIDTH = 512
REDIRECTED = ("0<&-", "1>&-", "2>&-")
ANY_CLOSED = [closed for count in (1, 2, 3)
              for closed in itertools.combinations(REDIRECTED, count)]


class StreamsTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(3)
        self.weights = [rng.standard_normal((WIDTH, WIDTH), dtype=np.float32) for _ in range(4)]
        names = ["x", "a", "b", "c", "y"]
        save(self.path("m.onnx"),
             [helper.make_node("MatMul", [names[i], f"w{i}"], [names[i + 1]]) for i in range(4)],
             [("x", FLOAT, ["n", WIDTH])], [("y", FLOAT, ["n", WIDTH])],
             [(f"w{i}", weight) for i, weight in enumerate(self.weights)])

    def run_closed(self, closed, *command):
        line = '"$@" ' + " ".join(closed)
        done = subprocess.run(["sh", "-c", line, "sh", *command], cwd=self.folder,
                              capture_output=True)
        return done.returncode

    def check_answers(self):
        self.ortc("compare", "m.onnx", "m_ctx.onnx", "--dim", "n=3")

    def test_compile__writes_right_weights_whatever_is_closed(self):
        for closed in ANY_CLOSED:
            with self.subTest(closed=closed):
                code = self.run_closed(closed, ORTC, "compile", "m.onnx", "-o", "m_ctx.onnx", "-v")
                # What was to be printed to a stdout that is not there is missed.
                self.assertEqual(code, 1 if "1>&-" in closed else 0)
                self.check_answers()

    def test_the_generator__writes_right_weights_whatever_is_closed(self):
        for closed in ANY_CLOSED:
            with self.subTest(closed=closed):
                self.run_closed(closed, GENERATOR, "-v", "-e", "aot", "m.onnx")
                self.check_answers()

    def test_a_closed_stdin__has_no_values(self):
        self.assertEqual(self.run_closed(["0<&-"], ORTC, "run", "m.onnx", "--input", "x=-"), 1)


if __name__ == "__main__":
    unittest.main()
