#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of the walk over operators without ONNX Runtime: walk_test.py LIBRARY DRIVER

Every case is written at its usual sizes and at others, checked, and run by LIBRARY.
"""

import os
import shutil
import sys
import tempfile
import types
import unittest

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench"))

from harness import driver  # noqa: E402
from walk import case as cases  # noqa: E402
from walk import walk  # noqa: E402

LIBRARY, DRIVER = (os.path.abspath(path) for path in sys.argv[1:3])
del sys.argv[1:3]
# Operators that ONNX 1.12 does not know, or knows in another domain.
NOT_CHECKED = {"SimplifiedLayerNormalization"}


class Cases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_names_are_unique_and_begin_with_the_operator(self):
        names = [case.name for case in walk.select([], None)]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 300)

    def test_a_name_that_selects_nothing_is_refused(self):
        self.assertEqual({case.name for case in walk.select(["products", "Conv"], None)},
                         {case.name for name in ("products", "Conv")
                          for case in walk.select([name], None)})
        with self.assertRaisesRegex(SystemExit, "'Cnov'"):
            walk.select(["Conv", "Cnov"], None)

    def test_every_case_is_a_valid_model_at_any_size(self):
        for seed in (None, "1", "2"):
            for case in walk.select([], seed):
                is_newer = case.opset > onnx.defs.onnx_opset_version()
                if case.domain or case.operator in NOT_CHECKED or is_newer:
                    continue
                with self.subTest(case=case.name, seed=seed):
                    path, _ = cases.write(case, cases.Sizes(seed), self.folder)
                    model = onnx.load(path)
                    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)

    def test_every_case_runs(self):
        for case in walk.select([], "3"):
            with self.subTest(case=case.name):
                path, files = cases.write(case, cases.Sizes("3"), self.folder)
                arguments = ["session", "--library", LIBRARY, "--model", path]
                for name, file in files.items():
                    arguments += ["--input", f"{name}={file}"]
                self.assertIn("first_run_ms", driver.run(DRIVER, arguments, 1))

    def test_sizes_of_chance_are_the_same_for_the_same_seed(self):
        draws = [[cases.Sizes(seed)(100, 4) for _ in range(3)] for seed in ("a", "a", "b")]
        self.assertEqual(draws[0][0], draws[1][0])
        self.assertNotEqual(draws[0][0], draws[2][0])
        self.assertEqual(cases.Sizes(None)(100, 4), 100)


class Rows(unittest.TestCase):
    """The measure, with two libraries whose times are known."""

    def measured(self, ours, theirs):
        place = types.SimpleNamespace(driver=None, libraries={"ours": "a", "theirs": "b"})
        times = {"ours": iter(ours), "theirs": iter(theirs)}
        one = walk.Walk(place, None, len(ours), 0.1, [1], None)
        one._sample = lambda side, *_: {"steady": {"min_ms": next(times[side])}}
        return one._times("model", {}, 1)

    def test_a_ratio_is_the_median_of_pairs_with_its_ends(self):
        row = self.measured([1.0, 4.0, 3.0], [2.0, 2.0, 2.0])
        self.assertEqual((row["ratio"], row["lower"], row["upper"]), (1.5, 0.5, 2.0))
        self.assertEqual((row["ours_us"], row["theirs_us"]), (1000.0, 2000.0))

    def test_the_summary_counts_what_is_slower_for_certain(self):
        rows = [{"ratio": 2.0, "lower": 1.6}, {"ratio": 1.6, "lower": 1.4},
                {"ratio": 0.5, "lower": 0.4}, {"error": "no"}]
        text = walk.summary(rows)
        self.assertEqual((text["rows"], text["errors"], text["above_1.1"]), (3, 1, 2))
        self.assertEqual(text["above_1.5_for_certain"], 1)
        self.assertAlmostEqual(text["geometric_mean"], 1.6 ** (1 / 3))


if __name__ == "__main__":
    unittest.main()
