#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of the commands that look at and change compiled models: edit_test.py ORTC [argument ...]

Models are made with python3-onnx, which also checks what comes out and merges some by itself.
"""

import fcntl
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import unittest

import numpy as np
import onnx
from onnx import TensorProto, compose, helper, numpy_helper

from tool_testing import FLOAT, ORTC, ToolTestCase, save


class EditTest(ToolTestCase):
    # Exit codes of verify and diff are answers: there need not be an error.
    def ortc(self, *arguments, exit_code=0):
        done = subprocess.run([ORTC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, cwd=self.folder)
        self.assertEqual(done.returncode, exit_code, f"{arguments}\n{done.stdout}{done.stderr}")
        self.errors = done.stderr
        return done.stdout

    def compiled(self, name, width, out, seed, *options, rows="batch"):
        """y = softsign(x @ w) @ v, the Softsign left to the CPU: <name>_ctx.onnx."""
        rng = np.random.default_rng(seed)
        w, v = (rng.standard_normal(shape, dtype=np.float32) for shape in ((width, 16), (16, out)))
        nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], name="first"),
                 helper.make_node("Softsign", ["h"], ["s"], name="middle"),
                 helper.make_node("MatMul", ["s", "v"], ["y"], name="last")]
        graph = helper.make_graph(
            nodes, name, [helper.make_tensor_value_info("x", FLOAT, [rows, width])],
            [helper.make_tensor_value_info("y", FLOAT, [rows, out])],
            [numpy_helper.from_array(w, "w"), numpy_helper.from_array(v, "v")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, self.path(name + ".onnx"))
        self.ortc("compile", name + ".onnx", "--ep-opt", "excluded_operators=Softsign", *options)

        def compute(x):
            h = x @ w
            return (h / (1 + np.abs(h))) @ v
        return compute

    def test_edits__end_at_a_signal_and_leave_nothing(self):
        """While another writer has the folder, so that they are surely at work."""
        self.compiled("m", 8, 4, 1)
        files = sorted(os.listdir(self.folder))
        folder = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        try:
            for words in (["pack"], ["prefix", "--prefix", "p_"], ["merge", "m_ctx.onnx"]):
                process = subprocess.Popen([ORTC, words[0], "-o", "out_ctx.onnx", *words[1:],
                                            "m_ctx.onnx"], cwd=self.folder, stderr=subprocess.PIPE,
                                           stdout=subprocess.PIPE, text=True)
                with self.assertRaises(subprocess.TimeoutExpired):
                    process.wait(timeout=0.5)
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=20)
                self.assertEqual(process.returncode, 130, errors)
                self.assertEqual(sorted(os.listdir(self.folder)), files)
        finally:
            os.close(folder)
        self.ortc("pack", "-o", "out_ctx.onnx", "m_ctx.onnx")

    def run_model(self, model, exit_code=0, **inputs):
        words = []
        for name, array in inputs.items():
            np.save(self.path(name.replace("/", "_") + ".npy"), array)
            words += ["--input", f"{name}={name.replace('/', '_')}.npy"]
        outputs = self.ortc_json("run", model, "--output-dir", "out", *words,
                                 exit_code=exit_code)
        if exit_code != 0:
            return outputs
        return {o["name"]: np.load(self.path(o["file"])) for o in outputs["outputs"]}

    def random(self, *shape):
        return np.random.default_rng(7).standard_normal(shape, dtype=np.float32)

    def assert_near(self, found, expected):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)

    def test_merge__chains_and_joins_what_numpy_computes(self):
        a, b = self.compiled("a", 8, 6, 1), self.compiled("b", 6, 5, 2, "--embed")
        x, z = self.random(3, 8), self.random(2, 6)
        report = self.ortc_json("merge", "a_ctx.onnx", "b_ctx.onnx", "-o", "side_ctx.onnx")
        self.assertEqual(report["schema"], "ortc.edit/1")
        self.assertIn({"model": "b", "kind": "value", "from": "x", "to": "b/x"}, report["renamed"])
        onnx.checker.check_model(onnx.load(self.path("side_ctx.onnx")))
        outputs = self.run_model("side_ctx.onnx", **{"x": x, "b/x": z})
        self.assert_near(outputs["y"], a(x))
        self.assert_near(outputs["b/y"], b(z))
        self.ortc("merge", "-o", "chain_ctx.onnx", "--connect", "a.y=b.x", "a_ctx.onnx",
                  "b_ctx.onnx")
        onnx.checker.check_model(onnx.load(self.path("chain_ctx.onnx")))
        for name in ("a_aot.bin", "a_ctx.onnx", "b_ctx.onnx"):
            os.remove(self.path(name))
        outputs = self.run_model("chain_ctx.onnx", x=x)
        self.assertEqual(list(outputs), ["b/y"])
        self.assert_near(outputs["b/y"], b(a(x)))
        self.ortc("verify", "chain_ctx.onnx")

    def test_merge__refuses_by_name_and_writes_nothing(self):
        self.compiled("a", 8, 6, 1)
        self.compiled("b", 6, 5, 2, rows=4)
        before = sorted(os.listdir(self.folder))
        for words, text in ((["--connect", "a.y=b.x"], "'a.y=b.x'"),
                            (["--connect", "a.q=b.x"], "no output 'q'"),
                            (["--connect", "nonsense"], "OUTPUT=INPUT")):
            self.ortc("merge", "a_ctx.onnx", "b_ctx.onnx", "-o", "m_ctx.onnx", *words, exit_code=1)
            self.assertIn(text, self.errors)
        self.ortc("merge", "a_ctx.onnx", "b_ctx.onnx", "-o", "b_ctx.onnx", exit_code=1)
        self.ortc("merge", "a_ctx.onnx", "-o", "m_ctx.onnx", exit_code=2)
        self.ortc("merge", "a_ctx.onnx", "b_ctx.onnx", exit_code=2)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_models_that_onnx_merged__compute_the_same_or_are_refused(self):
        a, b = self.compiled("a", 8, 6, 1), self.compiled("b", 6, 5, 2)
        first, second = onnx.load(self.path("a_ctx.onnx")), onnx.load(self.path("b_ctx.onnx"))
        for model in (first, second):
            del model.metadata_props[:]
        prefixed = compose.add_prefix(second, "b/")
        merged = compose.merge_models(first, prefixed, io_map=[("y", "b/x")])
        onnx.save(merged, self.path("hand_ctx.onnx"))
        x = self.random(3, 8)
        self.assert_near(self.run_model("hand_ctx.onnx", x=x)["b/y"], b(a(x)))
        # A graph with the names of both twice is none.
        for model in (first, second):
            model.graph.name = "g"
        del first.graph.output[:]
        second.graph.input[0].name = "y"
        first.graph.node.extend(second.graph.node)
        first.graph.output.extend(second.graph.output)
        onnx.save(first, self.path("twice_ctx.onnx"))
        self.run_model("twice_ctx.onnx", x=x, exit_code=1)

    def test_a_context_compiled_for_four_rows__refuses_five(self):
        self.compiled("a", 8, 6, 1)
        self.compiled("b", 6, 5, 2, rows=4)
        first, second = onnx.load(self.path("a_ctx.onnx")), onnx.load(self.path("b_ctx.onnx"))
        for model in (first, second):
            del model.metadata_props[:]
        prefixed = compose.add_prefix(second, "b/")
        merged = compose.merge_models(first, prefixed, io_map=[("y", "b/x")])
        onnx.save(merged, self.path("hand_ctx.onnx"))
        error = self.run_model("hand_ctx.onnx", x=self.random(5, 8), exit_code=1)
        self.assertIn("compiled for shape [4,6], found [5,6]", error["text"])

    def test_verify__says_sound_broken_or_compile_anew(self):
        self.compiled("m", 8, 6, 1, "--external-data", "m.data", "--threshold", "0")
        result = self.ortc_json("verify", "m_ctx.onnx")
        self.assertEqual((result["schema"], result["exit_code"]), ("ortc.verify/1", 0))
        self.assertTrue(all(row["sound"] for row in result["checked"]))
        self.assertIn("model_hash", [row["what"] for row in result["checked"]])
        self.ortc("verify", "m_aot.bin")
        self.ortc("verify", "m.onnx")
        self.ortc("verify", "none.onnx", exit_code=1)
        # One bit of each file, wherever it is.
        for name in ("m_ctx.onnx", "m_aot.bin"):
            with open(self.path(name), "rb") as file:
                whole = bytearray(file.read())
            for at in range(0, len(whole), max(1, len(whole) // 24)):
                damaged = bytearray(whole)
                damaged[at] ^= 1
                with open(self.path(name), "wb") as file:
                    file.write(damaged)
                done = subprocess.run([ORTC, "verify", "m_ctx.onnx"], cwd=self.folder,
                                      capture_output=True, text=True)
                padding = name == "m_aot.bin" and not any(whole[at - 8:at + 8])
                self.assertTrue(done.returncode == 1 or padding, f"{name} {at}: {done.stdout}")
            with open(self.path(name), "wb") as file:
                file.write(whole)
        os.rename(self.path("m_aot.bin"), self.path("away.bin"))
        result = self.ortc_json("verify", "m_ctx.onnx", exit_code=1)
        self.assertIn("beside it", [row["advice"] for row in result["checked"]
                                    if row["what"] == "context"][0])
        foreign = "x86-64-v3" if platform.machine() == "aarch64" else "aarch64"
        self.ortc("compile", "m.onnx", "-o", "foreign_ctx.onnx", "--target", foreign)
        self.assertEqual(self.ortc_json("verify", "foreign_ctx.onnx", exit_code=3)["verdict"],
                         "unsupported")

    def test_edits__keep_all_targets_of_a_file(self):
        self.save_network()
        targets = ["x86-64-v2", "x86-64-v3", "aarch64"]
        self.ortc("compile", "m.onnx", "-o", "all_ctx.onnx", "--target", ";".join(targets))
        self.ortc("compile", "m.onnx", "-o", "one_ctx.onnx", "--target", "aarch64")
        self.ortc("pack", "all_ctx.onnx", "-o", "packed_ctx.onnx")
        self.ortc("prefix", "all_ctx.onnx", "--prefix", "p_", "-o", "prefixed_ctx.onnx")
        for name in ("all", "packed", "prefixed"):
            node = self.ortc_json("inspect", f"{name}_ctx.onnx")["ep_context_nodes"][0]
            self.assertEqual(node["context"]["targets"], targets)
            self.assertEqual(node["context"]["target"], ";".join(targets))
            self.assertEqual(node["hardware_architecture"], ";".join(targets))
            self.ortc("verify", f"{name}_ctx.onnx")
        self.ortc("extract", "all_ctx.onnx", "--node", node["node"].removeprefix("p_"),
                  "-o", "part_ctx.onnx")
        part = self.ortc_json("inspect", "part_ctx.onnx")["ep_context_nodes"][0]
        self.assertEqual(part["context"]["targets"], targets)
        self.assertIn("aarch64", self.ortc("diff", "all_ctx.onnx", "one_ctx.onnx", exit_code=1))

    def test_share__compiles_a_group_for_several_targets(self):
        self.save_network()
        shutil.copy(self.path("m.onnx"), self.path("n.onnx"))
        self.ortc("compile", "--share", "m.onnx", "n.onnx", "--target", "x86-64-v2;aarch64")
        for name in ("m", "n"):
            node = self.ortc_json("inspect", f"{name}_ctx.onnx")["ep_context_nodes"][0]
            self.assertEqual(node["context"]["targets"], ["x86-64-v2", "aarch64"])
            self.ortc("verify", f"{name}_ctx.onnx")

    def test_verify__asks_for_compilation_where_nobody_takes_the_source(self):
        node = helper.make_node("EPContext", ["x"], ["y"], name="ctx", domain="com.microsoft",
                                source="SomeOtherEP", ep_cache_context=b"bytes")
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", FLOAT, [2])],
                                  [helper.make_tensor_value_info("y", FLOAT, [2])])
        onnx.save(helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8),
            self.path("other.onnx"))
        result = self.ortc_json("verify", "other.onnx", exit_code=3)
        self.assertIn("SomeOtherEP", result["reason"])
        # Its bytes are carried to a file and back as they are.
        self.ortc("pack", "other.onnx", "--external", "-o", "out_ctx.onnx")
        with open(self.path("out_someotherep.bin"), "rb") as file:
            self.assertEqual(file.read(), b"bytes")
        self.ortc("pack", "out_ctx.onnx", "-o", "back_ctx.onnx")
        back = onnx.load(self.path("back_ctx.onnx")).graph.node[0]
        self.assertEqual({a.name: a.s for a in back.attribute}["ep_cache_context"], b"bytes")
        # And refused by name where a session would mistake one for the other.
        self.ortc("merge", "other.onnx", "back_ctx.onnx", "-o", "m_ctx.onnx", exit_code=1)
        self.assertIn("'ctx' of the source 'SomeOtherEP'", self.errors)

    def test_inspect__says_of_each_node_where_its_context_is_and_what_to_do(self):
        self.compiled("m", 8, 6, 1)
        nodes = self.ortc_json("inspect", "m_ctx.onnx")["ep_context_nodes"]
        self.assertEqual([(n["main_context"], n["group"]) for n in nodes], [(True, 1), (False, 1)])
        self.assertTrue(nodes[0]["found"])
        self.assertEqual(nodes[0]["file_bytes"], os.path.getsize(self.path("m_aot.bin")))
        self.assertEqual(nodes[0]["advice"], "nothing to do")
        self.assertTrue(nodes[0]["context"]["target"])
        self.assertEqual(len(nodes[0]["context"]["fingerprint"]), 32)
        os.remove(self.path("m_aot.bin"))
        nodes = self.ortc_json("inspect", "m_ctx.onnx", exit_code=3)["ep_context_nodes"]
        self.assertFalse(nodes[0]["found"])
        self.assertIn("ortc compile m.onnx -o m_ctx.onnx", nodes[0]["advice"])
        self.assertIn("(missing)", self.ortc("inspect", "m_ctx.onnx", exit_code=3))

    def test_inspect__does_not_read_ten_gigabytes(self):
        weights = helper.make_tensor("w", FLOAT, [1], [0])
        weights.Clear()
        weights.name, weights.data_type = "w", FLOAT
        weights.dims.extend([2500, 1000000])
        weights.data_location = TensorProto.EXTERNAL
        for key, value in (("location", "w.data"), ("offset", "0"), ("length", str(10**10))):
            entry = weights.external_data.add()
            entry.key, entry.value = key, value
        with open(self.path("w.data"), "wb") as file:
            file.truncate(10**10)
        graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
                                  [helper.make_tensor_value_info("x", FLOAT, [1, 2500])],
                                  [helper.make_tensor_value_info("y", FLOAT, [1, 1000000])],
                                  [weights])
        with open(self.path("m.onnx"), "wb") as file:
            file.write(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                         ir_version=8).SerializeToString())
        code = ("import json, resource, subprocess, sys, time; start = time.time(); "
                "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
                "print(json.dumps([done.returncode, time.time() - start, "
                "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))")
        done = subprocess.run([sys.executable, "-c", code, ORTC, "inspect", "m.onnx"],
                              cwd=self.folder, capture_output=True, text=True, check=True)
        exit_code, seconds, kilobytes = json.loads(done.stdout)
        self.assertEqual(exit_code, 0)
        self.assertLess(seconds, 5)  # reading them would take longer
        self.assertLess(kilobytes, 200_000)

    def test_pack__makes_one_file_and_two_again(self):
        compute = self.compiled("m", 8, 6, 1)
        x = self.random(3, 8)
        self.ortc("pack", "m_ctx.onnx", "-o", "one_ctx.onnx")
        os.mkdir(self.path("apart"))
        self.ortc("pack", "one_ctx.onnx", "--external", "-o", "apart/two_ctx.onnx")
        self.assertEqual(sorted(os.listdir(self.path("apart"))), ["two_aot.bin", "two_ctx.onnx"])
        with open(self.path("apart/two_aot.bin"), "rb") as a, open(self.path("m_aot.bin"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        for name in ("m_ctx.onnx", "m_aot.bin"):
            os.remove(self.path(name))
        for model in ("one_ctx.onnx", "apart/two_ctx.onnx"):
            self.assert_near(self.run_model(model, x=x)["y"], compute(x))
            self.ortc("verify", model)
        self.ortc("pack", "one_ctx.onnx", "--external", "-o", "apart/two_ctx.onnx",
                  "--no-overwrite", exit_code=1)
        self.assertIn("exists already", self.errors)
        self.ortc("pack", "one_ctx.onnx", "apart/two_ctx.onnx", "-o", "x_ctx.onnx", exit_code=2)
        self.ortc("pack", "m.onnx", "-o", "x_ctx.onnx", exit_code=1)

    def test_extract_and_prefix__give_models_that_run(self):
        compute = self.compiled("m", 8, 6, 1)
        x = self.random(3, 8)
        self.ortc("prefix", "m_ctx.onnx", "--prefix", "left_", "-o", "p_ctx.onnx")
        self.assert_near(self.run_model("p_ctx.onnx", x=x)["y"], compute(x))
        names = [node["node"] for node in self.ortc_json("inspect", "p_ctx.onnx")["ep_context_nodes"]]
        self.assertTrue(all(name.startswith("left_AOT_") for name in names))
        parts = []
        for i, name in enumerate(names):
            parts.append(f"part{i}_ctx.onnx")
            self.ortc("extract", "p_ctx.onnx", "--node", name, "-o", parts[-1])
            onnx.checker.check_model(onnx.load(self.path(parts[-1])))
            self.ortc("verify", parts[-1])
        h = self.run_model(parts[0], x=x)["h"]
        y = self.run_model(parts[1], s=h / (1 + np.abs(h)))["y"]
        self.assert_near(y, compute(x))
        self.ortc("extract", "p_ctx.onnx", "--node", "nobody", "-o", "n_ctx.onnx", exit_code=1)
        self.assertIn(names[0], self.errors)
        self.ortc("extract", "p_ctx.onnx", "-o", "n_ctx.onnx", exit_code=2)

    def test_diff__ends_with_2_for_all_trouble(self):
        self.save_network()
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([ORTC, "diff", "m.onnx", "m.onnx"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def test_diff__counts_what_is_the_same_and_names_what_is_not(self):
        self.compiled("a", 8, 6, 1)
        self.compiled("b", 8, 6, 2)
        same = self.ortc_json("diff", "a.onnx", "a.onnx")
        self.assertTrue(same["equal"])
        result = self.ortc_json("diff", "a.onnx", "b.onnx", exit_code=1)
        parts = {part["kind"]: part for part in result["parts"]}
        self.assertEqual(parts["node"]["same"], 3)
        self.assertEqual([row["name"] for row in parts["weight"]["different"]], ["v", "w"])
        self.assertEqual([row["name"] for row in parts["field"]["different"]], ["graph"])
        self.assertIn("- weight w: float32[8,16]", self.ortc("diff", "a.onnx", "b.onnx", exit_code=1))
        result = self.ortc_json("diff", "a_aot.bin", "b_aot.bin", exit_code=1)
        self.assertEqual(result["kind"], "context_binary")
        self.ortc("diff", "a_aot.bin", "a_aot.bin")
        self.ortc("diff", "a_aot.bin", "a_ctx.onnx", exit_code=2)
        self.ortc("diff", "a.onnx", "none.onnx", exit_code=2)
        self.ortc("diff", "a.onnx", exit_code=2)

    def test_compare__says_from_which_value_on_models_differ(self):
        self.compiled("a", 8, 6, 1)
        result = self.ortc_json("compare", "a.onnx", "a_ctx.onnx", "--per-node", "--dim", "batch=3")
        self.assertEqual([value["name"] for value in result["values"]], ["h", "s", "y"])
        self.assertNotIn("parts_at", result)
        model = onnx.load(self.path("a.onnx"))
        model.graph.node[1].op_type = "Tanh"
        onnx.save(model, self.path("b.onnx"))
        result = self.ortc_json("compare", "b.onnx", "a_ctx.onnx", "--per-node", "--dim", "batch=3",
                                exit_code=1)
        self.assertEqual(result["parts_at"], "s")
        self.assertTrue(result["values"][0]["agrees"])

    def test_summary__counts_parameters_operations_and_memory(self):
        self.compiled("m", 8, 6, 1, rows=4)
        summary = self.ortc_json("summary", "m.onnx")["summary"]
        self.assertEqual(summary["parameters"], 8 * 16 + 16 * 6)
        self.assertEqual(summary["parameter_bytes"], 4 * summary["parameters"])
        rows = {row["node"]: row for row in summary["nodes"]}
        self.assertEqual(rows["first"]["operations"], 2 * 4 * 8 * 16)
        self.assertEqual(rows["middle"]["operations"], 4 * 16)
        self.assertEqual(rows["last"]["output_bytes"], 4 * 4 * 6)
        self.assertEqual(summary["operations"],
                         sum(row["operations"] for row in summary["nodes"]))
        compiled = self.ortc_json("summary", "m_ctx.onnx")["summary"]
        self.assertEqual(compiled["nodes_without_operations"], 2)
        self.assertGreaterEqual(compiled["parameter_bytes"], summary["parameter_bytes"])
        self.ortc("summary", "m_aot.bin", exit_code=1)
        self.assertIn("hint: give the compiled model beside it", self.errors)

    def test_summary__lists_the_largest_tensors(self):
        rng = np.random.default_rng(1)
        weights = [(f"w{i}", rng.random((i + 1, 4), np.float32)) for i in range(12)]
        constant = helper.make_node("Constant", [], ["c"], name="const",
                                    value=numpy_helper.from_array(np.ones((50, 4), np.int64)))
        nodes = [helper.make_node("Concat", ["x"] + [name for name, _ in weights], ["y"], axis=0)]
        save(self.path("m.onnx"), [constant] + nodes, [("x", FLOAT, ["n", 4])],
             [("y", FLOAT, ["m", 4]), ("c", TensorProto.INT64, [50, 4])], weights)
        largest = self.ortc_json("model", "summary", "m.onnx")["summary"]["largest_tensors"]
        self.assertEqual(len(largest), 10)
        self.assertEqual(largest[0]["bytes"], 50 * 4 * 8)
        self.assertIn("int64[50,4]", largest[0]["type"])
        self.assertEqual([(tensor["name"], tensor["type"]) for tensor in largest[1:]],
                         [(f"w{i}", f"float32[{i + 1},4]") for i in range(11, 2, -1)])
        text = self.ortc("model", "summary", "m.onnx")
        self.assertEqual(text, self.ortc("summary", "m.onnx"))
        self.assertRegex(text, r"w11 +float32\[12,4\] +192 B")
        self.assertIn("ortc summary MODEL", self.ortc("model", "summary", "--help"))


if __name__ == "__main__":
    unittest.main()
