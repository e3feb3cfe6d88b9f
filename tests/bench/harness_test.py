#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of the benchmark's harness without ONNX Runtime: harness_test.py LIBRARY

The driver and the command line are stand-ins with foreseeable numbers; LIBRARY is only measured.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "tools")]

import generate_models  # noqa: E402
from harness import (charts, compare, operators, report_rows, rows, samples,  # noqa: E402
                     stopping, zoo)

LIBRARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None

# The targets, as they were set for this project: name, must, ambitious.
TARGETS = """
load.mobilenetv2 0.05 0.025|load.resnet50 0.02 0.004|load.vit 0.02 0.004|load.bert128 0.01 0.002
load.gpt2_decode 0.01 0.003|load.decoder1b3 0.005 0.001|load.bert128.vs_fastest 0.5 0.14
load.grow 1.5 1.1|first_result.bert128 0.35 0.20|first_result.decoder1b3 0.35 0.20
source.bert128 0.8 0.5|source.decoder1b3 0.8 0.5|env.init 0.3 0.11|memory.bert128 0.05 0.02
memory.decoder1b3 0.02 0.01|memory.pair 0.05 0.01|load.pair_second 0.01 0.001
peak.compile.low_memory 1.0 0.5|scale.sixteen_sessions 1.2 1.1|memory.sixteen_sessions 1.0 0.5
peak.compile.bert128 1.5 1.2|file.pair 1.02 1.005|latency.mobilenetv2.1t 1.0 0.80
latency.mobilenetv2.2t 1.0 0.80|latency.resnet50.1t 1.03 0.95|latency.resnet50.2t 1.03 0.95
latency.vit.1t 0.90 0.75|latency.vit.2t 0.90 0.75|latency.bert128.1t 0.90 0.75
latency.bert128.2t 0.90 0.75|latency.bert512.2t 0.90 0.75|latency.gpt2_prefill.1t 0.90 0.75
latency.gpt2_prefill.2t 0.90 0.75|latency.gpt2_decode.1t 1.0 0.93|latency.gpt2_decode.2t 1.0 0.93
latency.decoder1b3.1t 1.0 0.93|latency.decoder1b3.2t 1.0 0.93|latency.yolo640.2t 1.0 0.90
latency.resnet50_qdq.1t 1.0 0.85|latency.bert_qdq.1t 1.0 0.85|latency.matmul_u8.1t 0.35 0.25
latency.nbits_decode.1t 0.6 0.5|latency.nbits_decode.2t 0.6 0.5
latency.nbits_decode_acc4.1t 0.9 0.75|scale.two_sessions 0.62 0.55|size.library 0.25 0.15
size.run_only 0.07 0.03|generate.prompt.genai.1t 0.5 0.4|generate.token.genai.1t 0.5 0.4
generate.prompt.genai.2t 0.5 0.4|generate.token.genai.2t 0.5 0.4
generate.prompt.genai_acc4.1t 0.5 0.4|generate.token.genai_acc4.1t 0.5 0.4
generate.prompt.genai_acc4.2t 0.5 0.4|generate.token.genai_acc4.2t 0.5 0.4
winograd.resnet50.1t 0.90 0.85|winograd.resnet50.2t 0.90 0.85|winograd.yolo640.2t 0.80 0.75
f16.resnet50.1t 1.05 0.95|f16.bert128.1t 1.05 0.95|f16.decoder1b3.1t 0.55 0.52
"""


class StoppingTest(unittest.TestCase):
    def test_rows_of_a_stopped_measurement__are_kept(self):
        def rows_of(name):
            if name == "c":
                os.kill(os.getpid(), signal.SIGTERM)
            return [name + "1", name + "2"]

        self.assertEqual(stopping.collect(["a", "b"], rows_of), (["a1", "a2", "b1", "b2"], False))
        self.assertEqual(stopping.collect(["a", "c", "b"], rows_of), (["a1", "a2"], True))
        self.assertEqual(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)


class RowTest(unittest.TestCase):
    def test_rows__are_those_of_the_targets_and_no_others(self):
        wanted = {}
        for entry in TARGETS.strip().replace("\n", "|").split("|"):
            name, must, ambitious = entry.split()
            wanted[name] = (float(must), float(ambitious))
        self.assertEqual({row.name: (row.must, row.ambitious) for row in rows.ROWS}, wanted)
        self.assertEqual(len(rows.ROWS), len(wanted))

    def test_select__takes_names_and_beginnings_of_names(self):
        self.assertEqual([row.name for row in rows.select(["latency.resnet50.1t"])],
                         ["latency.resnet50.1t"])
        self.assertEqual([row.name for row in rows.select(["load.bert128"])],
                         ["load.bert128", "load.bert128.vs_fastest"])
        self.assertEqual(len(rows.select([])), len(rows.ROWS))
        with self.assertRaises(SystemExit):
            rows.select(["latency.resnet"])


class StatisticsTest(unittest.TestCase):
    def row(self, statistic):
        return rows.Row("x", "", "ms", None, None, must=0.9, ambitious=0.75, statistic=statistic)

    def test_result__divides_medians_or_minima(self):
        ours, theirs = [8.0, 9.0, 30.0], [10.0, 12.0, 11.0]
        self.assertAlmostEqual(samples.result(self.row("median"), ours, theirs)["ratio"], 9 / 11)
        self.assertAlmostEqual(samples.result(self.row("minimum"), ours, theirs)["ratio"], 0.8)

    def test_result__does_not_divide_by_nothing(self):
        with self.assertRaises(samples.Unavailable):
            samples.result(self.row("median"), [1.0], [0.0])

    def test_verdict__counts_the_limits_as_reached(self):
        self.assertEqual(samples.verdict(0.75, 0.9, 0.75), "ambitious")
        self.assertEqual(samples.verdict(0.76, 0.9, 0.75), "must")
        self.assertEqual(samples.verdict(0.9, 0.9, 0.75), "must")
        self.assertEqual(samples.verdict(0.91, 0.9, 0.75), "miss")

    def test_spread__is_the_range_of_the_rounds_over_their_median(self):
        self.assertAlmostEqual(samples.spread([1.0, 2.0, 3.0], [2.0, 2.0, 2.0]), 1.0)
        self.assertEqual(samples.spread([5.0], [7.0]), 0.0)

    def test_field__takes_memory_above_the_environment_after_load_or_first_run(self):
        memory = {"base_bytes": 1e6, "after_load_bytes": 5e6, "after_first_run_bytes": 4e6}
        self.assertAlmostEqual(samples.field({"memory": memory}, "memory_mb"), 4.0)
        with self.assertRaises(samples.Unavailable):
            samples.field({}, "steady_ms")

    def test_number__shows_three_figures(self):
        self.assertEqual([charts.number(v) for v in (0, 0.00012345, 1.2345, 12345.6, None)],
                         ["0", "0.000123", "1.23", "12,346", "–"])


class CompareTest(unittest.TestCase):
    b = np.linspace(-3, 3, 1000, dtype=np.float32)

    def difference(self, a, b, arithmetic="f32"):
        return compare.difference({"y": np.asarray(a)}, {"y": np.asarray(b)}, arithmetic)

    def test_difference__accepts_f32_within_rtol_1e_4_and_no_more(self):
        self.assertIsNone(self.difference(self.b * np.float32(1.00009), self.b))
        self.assertIsNotNone(self.difference(self.b * np.float32(1.0003), self.b))
        moved = self.b.copy()
        moved[500] += 1e-3
        self.assertIn("1 elements", self.difference(moved, self.b))

    def test_difference__accepts_single_steps_of_int8_and_no_more(self):
        moved = self.b.copy()
        moved[10] += 0.1
        self.assertIsNone(self.difference(moved, self.b, "int8"))
        moved[10] += 0.1
        self.assertIsNotNone(self.difference(moved, self.b, "int8"))
        self.assertIsNotNone(self.difference(self.b * np.float32(1.04), self.b, "int8"))

    def test_difference__wants_equal_integers_shapes_types_names_nans_and_infinities(self):
        ones = np.ones(4, np.int64)
        self.assertIsNone(self.difference(ones, ones))
        self.assertIsNotNone(self.difference(ones, ones + 1))
        self.assertIsNotNone(self.difference(ones, ones.reshape(2, 2)))
        self.assertIsNotNone(self.difference(ones, ones.astype(np.int32)))
        self.assertIsNotNone(compare.difference({"x": ones}, {"y": ones}, "f32"))
        odd = np.array([1, np.nan, np.inf, -np.inf], np.float32)
        self.assertIsNone(self.difference(odd, odd))
        for i, value in ((0, np.nan), (1, 2), (2, -np.inf), (2, 1e30), (0, np.inf)):
            other = odd.copy()
            other[i] = value
            self.assertIsNotNone(self.difference(other, odd), (i, value))

    def test_same_bits__tells_zero_from_minus_zero(self):
        zero = {"y": np.zeros(2, np.float32)}
        self.assertIsNone(compare.same_bits(zero, {"y": np.zeros(2, np.float32)}))
        self.assertIsNotNone(compare.same_bits(zero, {"y": -np.zeros(2, np.float32)}))


class OperatorTest(unittest.TestCase):
    def test_by_operator__leaves_the_first_run_out(self):
        events = [{"cat": "Session", "name": "model_run", "dur": 9}]
        for duration in (900, 100, 300):  # the first run, then two
            for node, operator in (("a", "MatMul"), ("b", "MatMul"), ("c", "Add")):
                events.append({"cat": "Node", "name": node + "_kernel_time", "dur": duration,
                               "args": {"op_name": operator}})
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(events, file)
            file.flush()
            self.assertEqual(operators.by_operator(file.name, 2), [
                {"operator": "MatMul", "ms": 0.4, "nodes": 2},
                {"operator": "Add", "ms": 0.2, "nodes": 1}])


class RunTest(unittest.TestCase):
    """The whole program, with stand-ins."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.library = shutil.copy(LIBRARY, os.path.join(self.folder, "libort_c.so"))
        theirs = os.path.join(self.folder, "theirs.so")
        with open(theirs, "wb") as file:
            file.write(b"never opened")
        self.environment = {**os.environ, "ORTC_ORT_LIBRARY": theirs,
                            "FAKE_LOG": os.path.join(self.folder, "log")}
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("rows of two threads want two processors")

    def run_bench(self, *arguments, exit_code, **environment):
        command = [os.path.join(ROOT, "bench", "run"), "--small", "--out", self.folder, "--driver",
                   os.path.join(HERE, "fake_driver.py"), "--ortc",
                   os.path.join(HERE, "fake_ortc.sh"), "--library", self.library, *arguments]
        done = subprocess.run(command, env={**self.environment, **environment}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        with open(os.path.join(self.folder, "results.json"), encoding="utf-8") as file:
            results = json.load(file)
        return results, {row["name"]: row for row in results["rows"]}

    def calls(self):
        with open(self.environment["FAKE_LOG"], encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def rows_without_models(self):
        """Those whose generator is not part of this tree."""
        known = {*generate_models.NAMES, "sparse"}
        return {row.name for row in rows.ROWS
                if any(zoo.MODELS[name].generator not in known for name in row.models)}

    def test_run__writes_every_row_with_its_ratio_and_verdict(self):
        missing = self.rows_without_models()
        results, by_name = self.run_bench("--rounds", "2", exit_code=2 if missing else 1)
        self.assertEqual([row["name"] for row in results["rows"]],
                         [row.name for row in rows.ROWS])
        self.assertEqual(results["schema"], "ortc.bench_results/1")
        for key in ("command", "date", "machine", "versions"):
            self.assertTrue(results[key], key)
        for row in results["rows"]:
            for key in ("name", "ratio", "ours", "theirs", "unit", "must", "ambitious", "spread",
                        "verdict"):
                self.assertIn(key, row)
        errors = {name for name, row in by_name.items() if "error" in row}
        self.assertEqual(errors, missing | {"size.run_only"})  # no such library lies beside it
        self.assertAlmostEqual(by_name["load.vit"]["ratio"], 0.01)
        self.assertEqual(by_name["load.vit"]["verdict"], "must")
        self.assertEqual(by_name["load.grow"]["ratio"], 1.0)
        self.assertAlmostEqual(by_name["first_result.bert128"]["ratio"], 9 / 110)
        self.assertAlmostEqual(by_name["memory.pair"]["ratio"], 0.8)
        self.assertEqual(by_name["memory.pair"]["verdict"], "miss")
        self.assertAlmostEqual(by_name["scale.two_sessions"]["ratio"], 0.6)
        self.assertLess(abs(by_name["latency.vit.2t"]["ratio"] - 0.8), 0.03)
        self.assertGreater(by_name["latency.vit.2t"]["spread"], 0)
        self.assertAlmostEqual(by_name["latency.vit.2t"]["processor_ratio"], 0.8)
        self.assertEqual(len(by_name["latency.vit.2t"]["samples"]["ours"]), 2)

    def test_run__writes_a_page_that_needs_no_network(self):
        self.run_bench("load", "--rounds", "1", exit_code=0)
        with open(os.path.join(self.folder, "report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("load.bert128", page)
        self.assertIn("<svg", page)
        self.assertRegex(page, r"<h1>A compiled model loads in [0-9.]+ % of the time</h1>")
        for word in ("<dt>must<dd>", "<dt>ambitious<dd>", "<dt>1t, 2t<dd>", "a scale of its own"):
            self.assertIn(word, page)
        for word in ("http:", "https:", "<script", "src=", "@import", "url("):
            self.assertNotIn(word, page)

    def test_samples__tell_when_a_target_lies_within_the_noise(self):
        row = next(row for row in rows.ROWS if row.name == "latency.vit.1t")  # 0.9 and 0.75
        self.assertTrue(samples.result(row, [8, 8.1, 8.2], [10, 10, 10])["certain"])
        self.assertFalse(samples.result(row, [8, 9.5, 8.2], [10, 10, 10])["certain"])

    def test_report__says_in_its_headline_what_all_rows_say_together(self):
        row = {"name": "load.a", "ratio": 0.04}, {"name": "load.b", "ratio": 0.01}
        self.assertEqual(report_rows.headline([*row, {"name": "load.grow", "ratio": 2.0}]),
                         "A compiled model loads in 2.00 % of the time")
        self.assertEqual(report_rows.headline([{"name": "load.a", "ratio": None}]),
                         "ortc beside ONNX Runtime")

    def test_run__times_only_the_rows_that_were_asked_for(self):
        _, by_name = self.run_bench("latency.resnet50.1t", "--rounds", "2", "--no-profile",
                                    exit_code=0)
        self.assertIsNone(by_name["load.vit"]["ratio"])
        self.assertIn("not asked for", by_name["load.vit"]["error"])
        timed = [call for call in self.calls() if "--least-runs" in call]
        self.assertEqual(len(timed), 4)
        names = ["theirs" if "theirs" in call[2] else "ours" for call in timed]
        self.assertEqual(names, ["ours", "theirs", "theirs", "ours"])
        for call in self.calls():
            self.assertIn("resnet50", " ".join(call))

    def test_run__refuses_to_time_a_model_whose_outputs_differ(self):
        _, by_name = self.run_bench("load.vit", "load.resnet50", "--rounds", "1", exit_code=2,
                                    FAKE_DIFFERS="vit")
        self.assertIn("outputs differ", by_name["load.vit"]["error"])
        self.assertEqual(by_name["load.vit"]["verdict"], "error")
        self.assertEqual(by_name["load.resnet50"]["verdict"], "must")
        dumps = [call for call in self.calls() if "--dump" in call]
        for call in self.calls():
            self.assertTrue(call in dumps or call[0] == "profile" or "/vit" not in " ".join(call))

    def test_run__refuses_other_bits_from_source_than_from_a_context(self):
        _, by_name = self.run_bench("load.vit", "--rounds", "1", exit_code=2,
                                    FAKE_OTHER_BITS="vit")
        self.assertIn("source and external context", by_name["load.vit"]["error"])

    def test_run__gives_the_error_of_a_model_that_does_not_load(self):
        _, by_name = self.run_bench("latency.yolo640", "--rounds", "1", exit_code=2,
                                    FAKE_FAILS="yolo")
        self.assertIn("no kernel", by_name["latency.yolo640.2t"]["error"])


if __name__ == "__main__":
    unittest.main()
