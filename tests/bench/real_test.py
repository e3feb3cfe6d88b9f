#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of the bench over trained networks without ONNX Runtime: real_test.py LIBRARY DRIVER ORTC

LIBRARY stands on both sides, and a network of this file for those of the registry.
"""

import json
import os
import shutil
import sys
import tempfile
import types
import unittest
import unittest.mock

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "bench"))

from harness import npm_package, report  # noqa: E402
from harness.npm_package import Package  # noqa: E402
from trained import measure, networks  # noqa: E402
from trained.place import Place  # noqa: E402

LIBRARY, DRIVER, ORTC = (os.path.abspath(path) for path in sys.argv[1:4])
del sys.argv[1:4]
NETWORK = networks.Network("a product", Package("nobody", "1", ""), "m.onnx",
                           {"x": networks.Feed((3, 8))})


def write_network(path):
    weights = numpy_helper.from_array(np.ones((8, 2), np.float32), "w")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])],
                              [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    save(model, path)


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)


class Networks(InFolder):
    def measure(self):
        args = types.SimpleNamespace(driver=DRIVER, ortc=ORTC, out=self.folder)
        place = Place(args, {"ours": LIBRARY, "theirs": LIBRARY})
        os.makedirs(self.path("trained", "mine"))
        write_network(self.path("trained", "mine", "model.onnx"))
        with unittest.mock.patch.dict(networks.NETWORKS, {"mine": NETWORK}):
            return measure.Measure(place, place.folder, 2, 0.01, [1]).rows("mine")

    def test_a_name_that_selects_nothing_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "'voise'"):
            networks.select(["voice", "voise"])

    def test_a_network_is_compared_and_measured_from_its_context(self):
        row, = self.measure()
        self.assertNotIn("error", row)
        self.assertEqual((row["name"], row["threads"], row["package"]), ("mine", 1, "nobody@1"))
        self.assertLessEqual(row["lower"], row["ratio"])
        self.assertGreater(row["ours_ms"], 0)
        self.assertTrue(os.path.exists(self.path("trained", "mine", "external", "model_ctx.onnx")))

    def test_the_page_has_the_networks_and_the_operators_that_were_measured(self):
        rows = self.measure()
        common = {"date": "today", "commit": "abc", "rounds": 2, "machine": {
            "processor": "p", "processors": 2, "features": [], "memory_mb": 1, "system": "s",
            "load_average_at_start": 0.0}}
        operator = {"name": "Relu.of_page", "threads": 1, "ratio": 0.5, "lower": 0.4, "upper": 0.6,
                    "ours_us": 1.0, "theirs_us": 2.0}
        for name, more in (("real", {"rows": rows, "summary": measure.summary(rows)}),
                           ("operators", {"rows": [operator], "summary": {
                               "rows": 1, "geometric_mean": 0.5, "above_1.1": 0,
                               "above_1.5_for_certain": 0}})):
            with open(self.path(f"{name}.json"), "w", encoding="utf-8") as file:
                json.dump({**common, **more}, file)
        report.write(self.folder)
        with open(self.path("report.html"), encoding="utf-8") as file:
            page = file.read()
        for text in ("mine 1t", "Relu.of_page 1t", "50.0 % of ONNX Runtime", "faster in every"):
            self.assertIn(text, page)
        for text in ("http:", "https:", "<script", "src="):
            self.assertNotIn(text, page)

    def test_ratios_are_those_of_rounds_and_loads_those_of_the_shortest(self):
        def sample(load, steady, memory):
            return {"load_ms": load, "steady": {"median_ms": steady, "processor_ms": steady},
                    "memory": {"base_bytes": 0, "after_load_bytes": 0,
                               "after_first_run_bytes": memory}}
        found = measure.ratios({"ours": [sample(1, 2, 1e6), sample(3, 4, 1e6), sample(2, 9, 1e6)],
                                "theirs": [sample(50, 4, 4e6), sample(10, 4, 4e6),
                                           sample(20, 6, 4e6)]})
        self.assertEqual([found[key] for key in ("ratio", "lower", "upper", "load", "memory")],
                         [1.0, 0.5, 1.5, 0.1, 0.25])


class Packages(InFolder):
    """With a program in npm's place, which writes an archive of six bytes."""

    def obtain(self, sha512):
        program = self.path("npm")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nprintf abcdef > someone-thing-1.2.tgz\n")
        os.chmod(program, 0o755)
        with unittest.mock.patch.dict(os.environ,
                                      {"PATH": self.folder + os.pathsep + os.environ["PATH"]}):
            return npm_package.obtain(Package("@someone/thing", "1.2", sha512), self.path("kept"))

    def test_an_archive_is_kept_when_it_is_what_this_program_knows(self):
        with open(self.path("same"), "w", encoding="utf-8") as file:
            file.write("abcdef")
        path = self.obtain(npm_package.digest(self.path("same")))
        self.assertEqual(path, self.path("kept", "someone-thing-1.2.tgz"))
        self.assertEqual(os.listdir(self.path("kept")), ["someone-thing-1.2.tgz"])

    def test_another_archive_is_refused_and_leaves_nothing(self):
        with self.assertRaisesRegex(npm_package.Changed, "@someone/thing@1.2 is not the package"):
            self.obtain("another")
        self.assertEqual(os.listdir(self.path("kept")), [])


if __name__ == "__main__":
    unittest.main()
