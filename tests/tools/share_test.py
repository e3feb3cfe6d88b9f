#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of models that share a context binary: share_test.py ORTC [unittest argument ...]

`ortc compile --share`, and ep_weight_sharing_ctx_gen beside it.
"""
import json
import os
import signal
import subprocess
import unittest

import numpy as np
from onnx import TensorProto, helper

from tool_testing import FLOAT, ORTC, ToolTestCase, save

GENERATOR = os.path.join(os.path.dirname(ORTC), "ep_weight_sharing_ctx_gen")
WIDTH = 256


class ShareTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        self.w = np.random.default_rng(7).standard_normal((WIDTH, WIDTH), dtype=np.float32)
        self.save_model("model1.onnx", "Relu")
        self.save_model("model2.onnx", "Sigmoid")

    def save_model(self, name, last):
        save(self.path(name), [helper.make_node("MatMul", ["x", "w"], ["p"]),
                               helper.make_node(last, ["p"], ["y"])],
             [("x", FLOAT, ["n", WIDTH])], [("y", FLOAT, ["n", WIDTH])], [("w", self.w)])

    def save_uncompilable(self, name):
        save(self.path(name), [helper.make_node("Identity", ["x"], ["y"])],
             [("x", TensorProto.STRING, [1])], [("y", TensorProto.STRING, [1])])

    def files(self, folder="."):
        path = self.path(folder)
        return sorted(os.listdir(path)) if os.path.isdir(path) else None

    def check_answers(self, folder):
        for name in ("model1", "model2"):
            self.ortc("compare", f"{name}.onnx", f"{folder}/{name}_ctx.onnx", "--dim", "n=3")

    def generate(self, *arguments, exit_code=0):
        done = subprocess.run([GENERATOR, *arguments], capture_output=True, text=True,
                              cwd=self.folder)
        self.assertEqual(done.returncode, exit_code, f"{arguments}\n{done.stdout}{done.stderr}")
        self.errors = done.stderr
        return done.stdout

    # ortc compile --share

    def test_share__makes_one_binary_that_holds_equal_weights_once(self):
        text = self.ortc("compile", "--share", "model1.onnx", "model2.onnx", "--out-dir", "out")
        self.assertEqual(self.files("out"), ["model1_aot.bin", "model1_ctx.onnx", "model2_ctx.onnx"])
        self.assertIn("tensors of 512.0 KiB are stored in 256.0 KiB", text)
        self.assertIn("model2.onnx [4/5] compile", self.errors)
        size = sum(os.path.getsize(self.path("out/" + name)) for name in self.files("out"))
        self.assertLess(size, 1.2 * self.w.nbytes)
        self.check_answers("out")

    def test_share__reports_all_models_and_the_group(self):
        result = self.ortc_json("compile", "--share", "model1.onnx", "model2.onnx")
        self.assertEqual(result["schema"], "ortc.compile_group/1")
        self.assertEqual([one["model"] for one in result["models"]], ["model1.onnx", "model2.onnx"])
        for one in result["models"]:
            self.assertEqual(len(one["report"]["partitions"]), 1)
        group = result["group"]
        self.assertEqual(group["state"], "published")
        self.assertEqual(group["stored_tensor_bytes"] * 2, group["tensor_bytes"])
        self.assertEqual(len(group["files"]), 3)
        for file in group["files"]:
            self.assertEqual(file["bytes"], os.path.getsize(self.path(file["path"])))

    def test_share__shows_how_far_all_of_it_is(self):
        self.ortc("compile", "--share", "model1.onnx", "model2.onnx", "--progress", "json")
        events = [json.loads(line) for line in self.errors.splitlines()]
        fractions = [event["fraction"] for event in events]
        self.assertEqual(fractions, sorted(fractions))
        self.assertEqual(fractions[-1], 1)
        self.assertEqual([event["model"] for event in events if event["stage"] == "load"],
                         ["model1.onnx", "model2.onnx"])

    def test_share__writes_nothing_in_a_dry_run(self):
        before = self.files()
        text = self.ortc("compile", "--share", "model1.onnx", "model2.onnx", "--out-dir", "out",
                         "--dry-run")
        self.assertIn("no files written: a dry run", text)
        self.assertIn("would be stored in 256.0 KiB", text)
        self.assertEqual(self.files(), before)

    def test_share__replaces_a_group_that_is_there(self):
        for _ in range(2):
            self.ortc("compile", "--share", "model1.onnx", "model2.onnx", "--out-dir", "out")
        self.check_answers("out")
        self.ortc("compile", "--share", "model1.onnx", "--out-dir", "out", exit_code=1)
        self.assertIn("model2_ctx.onnx", self.errors)
        self.ortc("compile", "--share", "model1.onnx", "model2.onnx", "--out-dir", "out",
                  "--no-overwrite", exit_code=1)

    def test_share__leaves_nothing_when_one_model_fails(self):
        with open(self.path("broken.onnx"), "wb") as file:
            file.write(b"\x08\x09garbage")
        before = self.files()
        self.ortc("compile", "--share", "model1.onnx", "broken.onnx", "--out-dir", "out",
                  exit_code=1)
        self.assertIn("broken.onnx", self.errors)
        self.assertEqual(self.files(), before)
        self.save_uncompilable("texts.onnx")
        self.ortc("compile", "--share", "model1.onnx", "texts.onnx", "--error-if-none",
                  exit_code=1)
        self.assertEqual(self.files(), sorted([*before, "texts.onnx"]))

    def test_share__keeps_a_model_of_which_nothing_can_be_compiled(self):
        self.save_uncompilable("texts.onnx")
        self.ortc("compile", "--share", "texts.onnx", "model1.onnx", "--out-dir", "out")
        self.assertIn("nothing of 'texts.onnx' was compiled", self.errors)
        self.assertEqual(self.files("out"), ["model1_ctx.onnx", "texts_aot.bin", "texts_ctx.onnx"])

    def test_share__says_what_is_wrong_before_it_compiles(self):
        os.mkdir(self.path("a"))
        self.save_model("a/model1.onnx", "Tanh")
        for words, code, said in (
                (["--share", "model1.onnx", "model2.onnx", "-o", "x_ctx.onnx"], 2, "--out-dir"),
                (["--share", "model1.onnx", "model2.onnx", "--embed"], 2, "--embed"),
                (["--share", "model1.onnx", "--external-data", "w.bin"], 2, "--external-data"),
                (["model1.onnx", "model2.onnx"], 2, "--share model1.onnx model2.onnx"),
                (["model1.onnx", "--out-dir", "a", "-o", "x_ctx.onnx"], 2, "--out-dir"),
                (["--share"], 2, "IN.onnx"),
                (["--share", "model2.onnx", "a/model1.onnx"], 1, "--out-dir DIR"),
                (["--share", "model1.onnx", "a/model1.onnx", "--out-dir", "o"], 1, "both"),
                (["--share", "model1.onnx", "a/../model1.onnx"], 1, "both"),
                (["--share", "model1.onnx", "none.onnx"], 1, "'none.onnx' does not exist"),
                (["--share", "model1.onnx", "--out-dir", "no/such"], 1, "no/such"),
                (["--share", "model1.onnx", "--out-dir", "model2.onnx"], 1, "model2.onnx")):
            self.ortc("compile", *words, exit_code=code)
            self.assertIn(said, self.errors, words)
            self.assertNotIn("[4/5]", self.errors, words)
        self.assertEqual(self.files(), ["a", "model1.onnx", "model2.onnx"])

    def test_compile__puts_one_model_into_a_folder_too(self):
        self.ortc("compile", "model1.onnx", "--out-dir", "out")
        self.assertEqual(self.files("out"), ["model1_aot.bin", "model1_ctx.onnx"])

    def test_share__makes_models_that_can_be_looked_at_and_changed(self):
        """The table that the CPU provider reads is external data in the binary."""
        for name, last in (("t1.onnx", "Relu"), ("t2.onnx", "Tanh")):
            save(self.path(name), [helper.make_node("Gather", ["table", "ids"], ["h"]),
                                   helper.make_node("MatMul", ["h", "table"], ["p"]),
                                   helper.make_node(last, ["p"], ["y"])],
                 [("ids", TensorProto.INT64, [1, "n"])], [("y", FLOAT, [1, "n", WIDTH])],
                 [("table", self.w)])
        self.ortc("compile", "--share", "t1.onnx", "t2.onnx", "--config",
                  "ep.aot.excluded_operators=Gather", "--out-dir", "out")
        node = self.ortc_json("inspect", "out/t2_ctx.onnx")["ep_context_nodes"][0]["node"]
        self.ortc("pack", "out/t2_ctx.onnx", "-o", "packed_ctx.onnx")
        self.ortc("pack", "packed_ctx.onnx", "--external", "-o", "files_ctx.onnx")
        self.ortc("prefix", "out/t2_ctx.onnx", "--prefix", "p_", "-o", "prefixed_ctx.onnx")
        self.ortc("merge", "out/t1_ctx.onnx", "out/t2_ctx.onnx", "-o", "merged_ctx.onnx")
        self.ortc("extract", "out/t2_ctx.onnx", "--node", node, "-o", "part_ctx.onnx")
        ids = ("--shape", "ids=1x5", "--input", "ids=random:0..255")
        for model in ("out/t2_ctx.onnx", "packed_ctx.onnx", "files_ctx.onnx", "prefixed_ctx.onnx"):
            self.ortc("verify", model)
            self.ortc("compare", "t2.onnx", model, *ids)
        self.ortc("verify", "merged_ctx.onnx")
        outputs = {}
        for model, inputs in (("merged", ("ids=[[7,9]]", "t2/ids=[[7,9]]")), ("t1", ("ids=[[7,9]]",)),
                              ("t2", ("ids=[[7,9]]",))):
            path = "merged_ctx.onnx" if model == "merged" else f"{model}.onnx"
            self.ortc("run", path, *[word for text in inputs for word in ("--input", text)],
                      "--output-dir", model)
            outputs.update({(model, name): np.load(self.path(f"{model}/{name}"))
                            for name in self.files(model)})
        self.assertEqual(len(outputs), 4)
        np.testing.assert_array_equal(outputs["merged", "y.npy"], outputs["t1", "y.npy"])
        np.testing.assert_array_equal(outputs["merged", "t2_y.npy"], outputs["t2", "y.npy"])
        self.ortc("verify", "part_ctx.onnx")

    def test_share__tells_models_apart_from_a_binary_of_another_compile(self):
        self.ortc("compile", "--share", "model1.onnx", "model2.onnx", "--out-dir", "out")
        self.ortc("compile", "model1.onnx", "--out-dir", "other")
        os.replace(self.path("other/model1_aot.bin"), self.path("out/model1_aot.bin"))
        self.assertIn("verdict: broken", self.ortc("inspect", "out/model2_ctx.onnx", exit_code=3))
        self.ortc("run", "out/model2_ctx.onnx", "--input", "x=zeros", "--shape", "x=1x256",
                  exit_code=3)
        self.assertIn("not written together", self.errors)

    def test_share__leaves_nothing_behind_when_a_signal_comes(self):
        self.save_wide_models()
        before = self.files()
        exit_codes = set()
        for model, stage in (("wide1", "compile"), ("wide1", "write"), ("wide2", "load"),
                             ("wide2", "compile"), ("wide2", "write")):
            process = subprocess.Popen(
                [ORTC, "compile", "--share", "wide1.onnx", "wide2.onnx", "--out-dir", "out",
                 "--progress", "plain"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                cwd=self.folder)
            while True:
                line = process.stderr.readline()
                if line == "" or (line.startswith(model) and stage in line):
                    break
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            exit_codes.add(process.returncode)
            if process.returncode == 0:  # it was done already
                for name in self.files("out"):
                    os.remove(self.path("out/" + name))
                os.rmdir(self.path("out"))
            self.assertEqual(self.files(), before)
        self.assertIn(130, exit_codes)

    def save_wide_models(self):
        """Two models of 32 MB, so that every stage takes a while."""
        wide = np.ones((2048, 2048), np.float32)
        for name, factor in (("wide1", 2), ("wide2", 3)):
            save(self.path(name + ".onnx"), [helper.make_node("MatMul", ["x", "w"], ["xw"]),
                                             helper.make_node("MatMul", ["xw", "v"], ["y"])],
                 [("x", FLOAT, [1, 2048])], [("y", FLOAT, [1, 2048])],
                 [("w", wide), ("v", wide * factor)])

    # ep_weight_sharing_ctx_gen

    def test_generator__takes_the_command_line_that_people_know(self):
        said = self.generate("-e", "aot", "-i", "target|x86-64-v3 excluded_operators|Sigmoid",
                             "./model1.onnx,./model2.onnx")
        self.assertEqual(said, "Generation done!\n")
        self.assertEqual(self.files(), ["model1.onnx", "model1_aot.bin", "model1_ctx.onnx",
                                        "model2.onnx", "model2_ctx.onnx"])
        self.check_answers(".")
        nodes = self.ortc_json("inspect", "model2_ctx.onnx")["ep_context_nodes"]
        self.assertEqual(nodes[0]["context"]["target"], "x86-64-v3")
        self.generate("model1.onnx,model2.onnx", exit_code=1)  # the files are there
        self.assertIn("model1_ctx.onnx", self.errors)

    def test_generator__takes_config_entries_and_ignores_a_path(self):
        self.generate("-v", "-C", "ep.context_node_name_prefix|p_ ep.context_file_path|x_ctx.onnx "
                      "ep.context_embed_mode|0", "-e", "AOT", "model1.onnx,model2.onnx")
        self.assertIn("ep.context_file_path is ignored", self.errors)
        self.assertFalse(os.path.exists(self.path("x_ctx.onnx")))
        nodes = self.ortc_json("inspect", "model2_ctx.onnx")["ep_context_nodes"]
        self.assertTrue(nodes[0]["node"].startswith("p_"))

    def test_generator__refuses_wrong_arguments_with_255(self):
        for words, said in (
                ([], "no models"), (["-x", "model1.onnx"], "no option -x"), (["-e"], "no value after -e"),
                (["-e", "qnn", "model1.onnx"], "no execution provider 'qnn'; there are: aot, cpu"),
                (["-i", "foo", "model1.onnx"], "found 'foo'"),
                (["-C", "a|1 a|2", "model1.onnx"], "'a' twice"),
                (["-C", "ep.context_enable|0", "model1.onnx"], "ep.context_enable=1"),
                (["-C", "ep.context_embed_mode|1", "model1.onnx"], "ep.context_embed_mode=0"),
                (["-C", "ep.stop_share_ep_contexts|1", "model1.onnx"], "the last model"),
                (["model1.onnx", "model2.onnx"], "commas"), (["model1.onnx,,"], "without a name"),
                (["--hlep"], "--hlep")):
            self.generate(*words, exit_code=255)
            self.assertIn(said, self.errors)
        self.assertEqual(self.files(), ["model1.onnx", "model2.onnx"])

    def test_generator__says_what_failed_and_leaves_nothing(self):
        before = self.files()
        self.generate("model1.onnx,none.onnx", exit_code=1)
        self.assertIn("none.onnx", self.errors)
        self.generate("-p", "plugin.json", "model1.onnx", exit_code=1)
        self.assertIn("libraries of execution providers are not taken here", self.errors)
        self.generate("-e", "cpu", "model1.onnx", exit_code=1)
        self.assertIn("nothing was compiled", self.errors)
        self.generate("-C", "ep.contxt_enable|1", "model1.onnx", exit_code=1)
        self.assertIn("ep.context_enable", self.errors)
        self.assertEqual(self.files(), before)

    def test_generator__leaves_nothing_behind_when_a_signal_comes(self):
        self.save_wide_models()
        before = self.files()
        process = subprocess.Popen([GENERATOR, "-v", "wide1.onnx,wide2.onnx"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)
        while "wide2.onnx" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("nothing was written", errors)
        self.assertEqual(self.files(), before)

    def test_generator__explains_itself(self):
        for word in ("-h", "--help"):
            self.assertIn("MODEL.onnx[,MODEL.onnx...]", self.generate(word))
        self.assertTrue(self.generate("--man").startswith(".TH EP_WEIGHT_SHARING_CTX_GEN 1"))


if __name__ == "__main__":
    unittest.main()
