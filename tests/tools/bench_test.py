#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of `ortc bench`: bench_test.py ORTC [unittest argument ...]

Times are what they are; tested is that they fit together.
"""
import csv
import json
import os
import statistics
import sys
import unittest

from onnx import helper

from tool_testing import FLOAT, ToolTestCase, save

LATENCIES = ["min_ns", "median_ns", "p90_ns", "p95_ns", "p99_ns", "max_ns"]


class BenchTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        self.save_network()

    def bench(self, *arguments, model="m.onnx"):
        return self.ortc_json("bench", model, "--shape", "x=2x8", *arguments)

    def test_bench__measures_load_first_result_latency_and_memory(self):
        result = self.bench("--iterations", "20", "--threads", "1")
        self.assertEqual(result["schema"], "ortc.bench/1")
        latency = result["latency"]
        self.assertEqual(latency["iterations"], 20)
        times = [latency[key] for key in LATENCIES]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[0], 0)
        self.assertTrue(latency["min_ns"] <= latency["mean_ns"] <= latency["max_ns"], latency)
        self.assertGreaterEqual(result["first_result_ns"],
                                result["load_ns"] + result["first_run_ns"])
        if sys.platform == "linux":
            memory = result["private_memory"]
            self.assertGreater(memory["after_load_bytes"], memory["before_bytes"])
        text = self.ortc("bench", "m.onnx", "--shape", "x=2x8", "--duration", "0.05")
        for word in ("p50", "p90", "p95", "p99", "mean", "standard deviation", "min", "max",
                     "runs/s, one after the other"):
            self.assertIn(word, text)
        self.ortc("bench", "m.onnx", "--duration", "1", "--iterations", "5", exit_code=2)

    def test_bench__runs_one_session_in_several_streams(self):
        result = self.bench("--iterations", "30", "--streams", "3", "--export-times", "t.json")
        self.assertEqual((result["streams"], result["latency"]["iterations"]), (3, 30))
        runs = self.times("t.json")
        self.assertEqual(len(runs), 30)
        elapsed = max(run["start_ns"] + run["duration_ns"] for run in runs)
        self.assertLess(result["runs_per_second"], 30e9 / elapsed * 1.01)
        result = self.bench("--duration", "0.05", "--streams", "2", "--export-times", "t.json")
        self.assertEqual({run["stream"] for run in self.times("t.json")}, {0, 1})
        self.assertIn("in 2 streams", self.ortc("bench", "m.onnx", "--shape", "x=2x8", "--streams",
                                                "2", "--iterations", "4"))

    def times(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            exported = json.load(file)
        self.assertEqual(exported["schema"], "ortc.times/1")
        return exported["runs"]

    def test_bench__exports_the_times_of_which_it_gives_the_statistics(self):
        latency = self.bench("--iterations", "50", "--export-times", "t.json")["latency"]
        runs = self.times("t.json")
        times = [run["duration_ns"] for run in runs]
        self.assertEqual(sorted(run["start_ns"] for run in runs), [run["start_ns"] for run in runs])
        self.assertEqual((min(times), max(times)), (latency["min_ns"], latency["max_ns"]))
        self.assertAlmostEqual(statistics.fmean(times), latency["mean_ns"], delta=1)
        self.assertAlmostEqual(statistics.stdev(times), latency["standard_deviation_ns"], delta=1)
        for percent, key in ((50, "median_ns"), (90, "p90_ns"), (95, "p95_ns"), (99, "p99_ns")):
            rank = -(-len(times) * percent // 100)  # nearest rank
            self.assertEqual(sorted(times)[rank - 1], latency[key])

    def test_bench__loads_again_when_told_so(self):
        result = self.bench("--iterations", "1", "--loads", "4")
        loads = result["loads"]
        self.assertEqual((loads["count"], loads["first_ns"]), (4, result["load_ns"]))
        self.assertEqual(loads["later"]["iterations"], 3)
        self.assertNotIn("later", self.bench("--iterations", "1")["loads"])

    def test_bench__says_what_each_layer_takes_and_what_no_layer_does(self):
        self.ortc("compile", "m.onnx")
        for model in ("m.onnx", "m_ctx.onnx"):
            layers = self.bench("--iterations", "1", "--layers", model=model)["layers"]
            rows = layers["rows"]
            self.assertIn("product", [row["name"] for row in rows])
            self.assertNotIn("EPContext", [row["operator"] for row in rows])
            totals = [row["total_ns"] for row in rows]
            self.assertEqual(totals, sorted(totals, reverse=True))
            self.assertEqual(sum(totals) + layers["between_ns"], layers["total_ns"])
            self.assertGreater(layers["between_ns"], 0)
            for row in rows:
                self.assertEqual(row["calls"], layers["runs"])
                self.assertAlmostEqual(row["mean_ns"], row["total_ns"] / row["calls"], places=3)
                self.assertAlmostEqual(row["share"], row["total_ns"] / layers["total_ns"], places=6)
                self.assertTrue(row["kernel"])

    def test_bench__counts_the_layers_of_a_loop_each_time(self):
        body = helper.make_graph(
            [helper.make_node("Identity", ["go"], ["go_out"]),
             helper.make_node("Exp", ["s"], ["e"], name="exp"),
             helper.make_node("Tanh", ["e"], ["s_out"], name="tanh")], "body",
            [helper.make_tensor_value_info("i", 7, []), helper.make_tensor_value_info("go", 9, []),
             helper.make_tensor_value_info("s", FLOAT, [4])],
            [helper.make_tensor_value_info("go_out", 9, []),
             helper.make_tensor_value_info("s_out", FLOAT, [4])])
        save(self.path("loop.onnx"),
             [helper.make_node("Loop", ["n", "", "x"], ["y"], name="loop", body=body)],
             [("n", 7, []), ("x", FLOAT, [4])], [("y", FLOAT, [4])])
        layers = self.ortc_json("bench", "loop.onnx", "--input", "n=5", "--iterations", "1",
                                "--layers")["layers"]
        rows = {row["name"]: row for row in layers["rows"]}
        self.assertNotIn("loop", rows)
        for name in ("exp", "tanh"):
            self.assertEqual(rows[name]["calls"], 5 * layers["runs"])
            self.assertTrue(rows[name]["part"].endswith("loop"), rows[name])
        self.assertEqual(sum(row["total_ns"] for row in rows.values()) + layers["between_ns"],
                         layers["total_ns"])

    def test_bench__keeps_apart_layers_without_names(self):
        nodes = [helper.make_node("Tanh", [a], [b]) for a, b in ("xa", "ab", "bc")]
        save(self.path("plain.onnx"), nodes, [("x", FLOAT, [4])], [("c", FLOAT, [4])])
        rows = self.ortc_json("bench", "plain.onnx", "--iterations", "1", "--layers")["layers"]["rows"]
        self.assertEqual([row["operator"] for row in rows], ["Tanh"] * 3)

    def test_bench__shows_as_many_layers_as_told(self):
        for words, shown in ((["m.onnx", "--layers", "1"], 1), (["--layers", "m.onnx"], None),
                             (["m.onnx", "--layers=1"], 1)):
            text = self.ortc("bench", *words, "--shape", "x=2x8", "--iterations", "1")
            table = text[text.index("layer "):].splitlines()[1:]
            self.assertTrue(table[-1].startswith("(a run with a profile)"), text)
            self.assertTrue(table[-2].startswith("(between the layers)"), text)
            if shown is not None:
                self.assertEqual(len([row for row in table if row[0] != "("]), shown)

    def test_bench__writes_layers_as_csv(self):
        nodes = [helper.make_node("Tanh", ["x"], ["y"], name='a "b", c')]
        save(self.path("odd.onnx"), nodes, [("x", FLOAT, [4])], [("y", FLOAT, [4])])
        layers = self.ortc_json("bench", "odd.onnx", "--iterations", "1", "--csv", "l.csv")["layers"]
        with open(self.path("l.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["layer"] for row in rows], ['a "b", c', "(between the layers)"])
        self.assertEqual([int(row["total_ns"]) for row in rows],
                         [layers["rows"][0]["total_ns"], layers["between_ns"]])
        self.assertAlmostEqual(sum(float(row["share"]) for row in rows), 1, places=4)

    def test_bench__says_before_the_work_that_a_file_cannot_be_written(self):
        for option in ("--csv", "--export-times"):
            self.ortc("bench", "m.onnx", option, "none/f", "--duration", "80000", exit_code=1)
            self.assertIn("none/f: could not be written", self.errors)
        os.symlink("/dev/full", self.path("full.csv"))
        self.ortc("bench", "m.onnx", "--shape", "x=2x8", "--iterations", "1", "--csv", "full.csv",
                  exit_code=1)
        self.assertIn("No space left on device", self.errors)
        self.assertTrue(os.path.islink(self.path("full.csv")))

    def test_bench__leaves_no_file_behind_when_it_fails(self):
        self.ortc("bench", "m.onnx", "--csv", "l.csv", "--export-times", "t.json", exit_code=2)
        self.assertIn("leaves the shape of input 'x'", self.errors)
        self.assertEqual(os.listdir(self.folder), ["m.onnx"])

    def test_bench__refuses_numbers_of_streams_and_loads_that_are_out_of_range(self):
        for option, value in (("--streams", "0"), ("--streams", "-1"), ("--streams", "5000"),
                              ("--loads", "0"), ("--loads", "x"), ("--layers", "-1")):
            self.ortc("bench", "m.onnx", "--shape", "x=2x8", option, value, exit_code=2)
            self.assertIn(value if option == "--layers" else f"found '{value}'", self.errors)


if __name__ == "__main__":
    unittest.main()
