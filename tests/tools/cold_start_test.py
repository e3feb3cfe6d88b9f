#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of what the command line says and does about memory: cold_start_test.py ORTC [argument ...]"""

import os
import sys
import unittest

import numpy as np
import onnx
from onnx import helper

from tool_testing import FLOAT, ToolTestCase, save

WIDTH = 512
MODES = ("lazy", "prefetch", "populate", "copied")  # not every user may lock


class ColdStartTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(1)
        weights = [(f"w{i}", rng.standard_normal((WIDTH, WIDTH), dtype=np.float32))
                   for i in range(4)]
        nodes = [helper.make_node("MatMul", [f"h{i}" if i else "x", f"w{i}"],
                                  ["y" if i == 3 else f"h{i + 1}"]) for i in range(4)]
        save(self.path("m.onnx"), nodes, [("x", FLOAT, [1, WIDTH])], [("y", FLOAT, [1, WIDTH])],
             weights)
        self.ortc("compile", "m.onnx")
        self.weight_bytes = 4 * WIDTH * WIDTH * 4

    def test_bench__starts_cold_and_says_what_the_disk_takes(self):
        result = self.ortc_json("bench", "m_ctx.onnx", "--cold", "--iterations", "3")
        cold = result["cold"]
        self.assertEqual([os.path.basename(file["file"]) for file in cold["files"]],
                         ["m_ctx.onnx", "m_aot.bin"])
        self.assertGreaterEqual(cold["bytes"], self.weight_bytes)
        self.assertEqual(cold["bytes"], sum(file["bytes"] for file in cold["files"]))
        self.assertEqual(cold["kept_bytes"], sum(file["kept_bytes"] for file in cold["files"]))
        self.assertEqual(cold["first_result_ns"], result["first_result_ns"])
        for key in ("read_ns", "warm_first_result_ns", "times_read"):
            self.assertGreater(cold[key], 0)
        text = self.ortc("bench", "m_ctx.onnx", "--cold", "--iterations", "3")
        self.assertIn(" from the disk, ", text)
        self.assertEqual("this was not a cold start" in text, cold["kept_bytes"] > 0)
        self.assertNotIn("cold", self.ortc_json("bench", "m_ctx.onnx", "--iterations", "3"))

    def test_bench__drops_external_data_too(self):
        model = onnx.load(self.path("m.onnx"))
        onnx.save(model, self.path("e.onnx"), save_as_external_data=True, location="e.bin",
                  size_threshold=0)
        cold = self.ortc_json("bench", "e.onnx", "--cold", "--iterations", "3")["cold"]
        self.assertEqual([os.path.basename(file["file"]) for file in cold["files"]],
                         ["e.onnx", "e.bin"])

    @unittest.skipUnless(os.path.exists("/proc/self/pagemap"), "the system does not tell")
    def test_bench__says_where_the_memory_is(self):
        for mode in MODES:
            memory = self.ortc_json("bench", "m_ctx.onnx", "--residency", mode, "--iterations",
                                    "3")["memory"]
            self.assertEqual(memory["residency"], mode)
            self.assertGreaterEqual(memory["resident_bytes"], self.weight_bytes)
            where = "private_bytes" if mode == "copied" else "mapped_bytes"
            self.assertGreaterEqual(memory[where], self.weight_bytes)
        text = self.ortc("bench", "m_ctx.onnx", "--iterations", "3")
        self.assertRegex(text, r"memory +4\.\d MiB mapped, ")

    def test_run__takes_a_residency(self):
        np.save(self.path("x.npy"), np.ones((1, WIDTH), np.float32))
        results = []
        for mode in MODES:
            self.ortc("run", "m_ctx.onnx", "--residency", mode, "--input", "x=x.npy",
                      "--output-dir", mode)
            results.append(np.load(self.path(os.path.join(mode, "y.npy"))))
        for result in results[1:]:
            np.testing.assert_array_equal(result, results[0])
        self.ortc("run", "m_ctx.onnx", "--residency", "populated", exit_code=2)

    def test_inspect__names_the_files_that_a_model_reads(self):
        files = self.ortc_json("inspect", "m_ctx.onnx")["files"]
        self.assertEqual(files, [{"file": "m_aot.bin",
                                  "bytes": os.path.getsize(self.path("m_aot.bin"))}])
        self.assertEqual(self.ortc_json("inspect", "m.onnx")["files"], [])
        os.remove(self.path("m_aot.bin"))
        self.assertEqual(self.ortc_json("inspect", "m_ctx.onnx", exit_code=3)["files"],
                         [{"file": "m_aot.bin"}])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
