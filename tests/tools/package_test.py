#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of `ortc package` and of packages that are run: package_test.py ORTC [argument ...]
"""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np
import onnx
from onnx import helper

from tool_testing import FLOAT, ORTC, ToolTestCase, save

RUN = ("--input", "x=zeros", "--dim", "batch=1")


class PackageTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        self.save_network()

    def create(self, *arguments, **more):
        return self.ortc("package", "create", "--out", "pkg", *arguments, **more)

    def show(self, *arguments):
        return self.ortc_json("package", "show", "pkg", *arguments)

    def manifest(self):
        with open(self.path("pkg/manifest.json"), encoding="utf-8") as file:
            return json.load(file)

    def verify(self):
        return self.ortc_json("package", "verify", "pkg")

    def test_create__takes_models_that_are_there(self):
        self.ortc("compile", "m.onnx")
        text = self.create("--component", "net", "--variant", "any=m.onnx", "--variant",
                           "here=m_ctx.onnx", "--name", "nets")
        self.assertIn("pkg/net/here/m_aot.bin", text)
        self.assertEqual(sorted(os.listdir(self.path("pkg/net/here"))), ["m_aot.bin", "m_ctx.onnx"])
        component, = self.show()["components"]
        self.assertEqual(component["selected"], "here")
        first, second = component["variants"]
        self.assertEqual((first["provider"], first["verdict"]),
                         ("CPUExecutionProvider", "not_applicable"))
        self.assertEqual((second["provider"], second["verdict"], second["points"]),
                         ("AotExecutionProvider", "optimal", 100))
        component, = self.show("--ep", "CPU")["components"]
        self.assertEqual(component["selected"], "any")
        self.assertIn("was not chosen", component["variants"][1]["reason"])
        self.assertIn("net", self.ortc("package", "show", "pkg"))

    def test_create__compiles_for_several_targets(self):
        self.create("--compile", "m.onnx", "--target", "x86-64;x86-64-v3;aarch64")
        component, = self.show()["components"]
        self.assertEqual([one["name"] for one in component["variants"]],
                         ["x86-64", "x86-64-v3", "aarch64"])
        verdicts = {one["name"]: one["verdict"] for one in component["variants"]}
        self.assertIn("unsupported", verdicts.values())
        self.assertNotEqual(verdicts[component["selected"]], "unsupported")
        # Nothing else is left behind.
        self.assertEqual(sorted(os.listdir(self.folder)), ["m.onnx", "pkg"])

    def test_create__stores_weights_that_variants_share_once(self):
        model = onnx.load(self.path("m.onnx"))
        onnx.save(model, self.path("a.onnx"), save_as_external_data=True, location="w.bin",
                  size_threshold=0)
        onnx.save(model, self.path("b.onnx"), save_as_external_data=True, location="w.bin",
                  size_threshold=0)
        self.create("--variant", "a=a.onnx", "--variant", "b=b.onnx")
        folder, = os.listdir(self.path("pkg/shared_assets"))
        self.assertEqual(os.listdir(self.path(f"pkg/shared_assets/{folder}")), ["w.bin"])
        self.assertEqual(os.listdir(self.path("pkg/model/a")), ["a.onnx"])
        self.assertEqual(self.verify()["verdict"], "sound")
        self.ortc("run", "pkg", *RUN)

    def test_create__refuses_what_does_not_go_together(self):
        self.create(exit_code=2)
        self.create("--variant", "a=m.onnx", "--variant", "a=m.onnx", exit_code=2)
        self.create("--variant", "../a=m.onnx", exit_code=1)
        self.create("--variant", "a=gone.onnx", exit_code=1)
        self.assertEqual(os.listdir(self.folder), ["m.onnx"])
        self.create("--variant", "a=m.onnx")
        self.create("--variant", "a=m.onnx", exit_code=1)
        self.assertIn("exists already", self.errors)
        self.ortc("package", "show", exit_code=2)
        self.ortc("package", "create", "pkg2", "--variant", "a=m.onnx", exit_code=2)

    def test_create__says_what_is_wrong_before_it_compiles(self):
        os.mkdir(self.path("there"))
        for arguments, word in (
                (("--out", "there"), "exists already"),
                (("--out", "none/pkg"), "No such file or directory"),
                (("--out", "p", "--component", "a/b"), "component"),
                (("--out", "p", "--target", "x86-64;x86-65"), "x86-65"),
                (("--out", "p", "--asset", "none"), "none")):
            self.ortc("package", "create", "--compile", "m.onnx", *arguments, exit_code=1)
            self.assertIn(word, self.errors)
            self.assertNotIn("[1/", self.errors)  # progress
        self.ortc("package", "create", "--out", "p", "--compile", "m.onnx", "--target", "host;host",
                  exit_code=2)
        self.assertIn("two variants 'host'", self.errors)

    def test_create__takes_a_name_with_a_slash_at_its_end(self):
        text = self.ortc("package", "create", "--out", "pkg/", "--compile", "m.onnx")
        self.assertIn("\npkg/model/host/m_ctx.onnx", text)
        self.assertEqual(self.verify()["verdict"], "sound")

    def test_actions__have_options_of_their_own(self):
        self.create("--variant", "a=m.onnx")
        for action, options, word in (
                ("show", ("--out", "x"), "--out is for create"),
                ("verify", ("--component", "x"), "--component is for create"),
                ("verify", ("--ep", "CPU"), "for create and show"),
                ("create", ("--variant", "a=m.onnx", "--out", "x", "--target", "host"),
                 "--target is for --compile")):
            folder = () if action == "create" else ("pkg",)
            self.ortc("package", action, *folder, *options, exit_code=2)
            self.assertIn(word, self.errors)

    def test_create__leaves_nothing_when_a_signal_comes(self):
        w = np.ones((1024, 1024), np.float32)
        save(self.path("wide.onnx"), [helper.make_node("MatMul", ["x", "w"], ["y"])],
             [("x", FLOAT, [1, 1024])], [("y", FLOAT, [1, 1024])], [("w", w)])
        files = sorted(os.listdir(self.folder))
        for delay in (0.02, 0.05, 0.1, 0.2):
            process = subprocess.Popen(
                [ORTC, "package", "create", "--out", "pkg", "--variant", "any=wide.onnx",
                 "--compile", "wide.onnx", "--target", "x86-64;x86-64-v3;aarch64"],
                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            if os.path.exists(self.path("pkg")):  # it was done already
                shutil.rmtree(self.path("pkg"))
            self.assertEqual(sorted(os.listdir(self.folder)), files)

    def test_create__may_give_files_a_second_name(self):
        self.create("--variant", "a=m.onnx", "--link")
        self.assertTrue(os.path.samefile(self.path("m.onnx"), self.path("pkg/model/a/m.onnx")))

    def test_verify__finds_what_was_changed_and_what_is_gone(self):
        os.mkdir(self.path("tokens"))
        with open(self.path("tokens/t.txt"), "w", encoding="utf-8") as file:
            file.write("a")
        self.create("--variant", "a=m.onnx", "--asset", "tokens")
        self.assertEqual(self.verify()["verdict"], "sound")
        asset, = os.listdir(self.path("pkg/shared_assets"))
        with open(self.path(f"pkg/shared_assets/{asset}/t.txt"), "a", encoding="utf-8") as file:
            file.write("b")
        os.remove(self.path("pkg/model/a/m.onnx"))
        report = json.loads(self.ortc_answer("package", "verify", "pkg", "--json", exit_code=1))
        states = {item["kind"]: item["state"] for item in report["items"]}
        self.assertEqual(states, {"file": "missing", "shared_asset": "changed"})
        self.assertIn("broken", self.ortc_answer("package", "verify", "pkg", exit_code=1))

    def ortc_answer(self, *arguments, exit_code):
        """Exit code 1 of verify is an answer: there need not be an error."""
        done = subprocess.run([ORTC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, cwd=self.folder)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done.stdout

    def test_run__takes_a_package(self):
        self.create("--compile", "m.onnx", "--variant", "any=m.onnx")
        x = np.ones((2, 8), np.float32)
        np.save(self.path("x.npy"), x)
        self.ortc("run", "pkg", "--input", "x=x.npy", "--output-dir", "out")
        self.assertIn("variant host", self.errors)
        written, = os.listdir(self.path("out"))
        np.testing.assert_allclose(np.load(self.path(f"out/{written}")), self.expected(x),
                                   rtol=1e-5, atol=1e-6)
        self.ortc("run", "pkg", *RUN, "--ep", "CPU")
        self.assertIn("variant any", self.errors)
        self.ortc("run", "pkg", *RUN, "--component", "other", exit_code=1)
        self.ortc("run", "pkg", *RUN, "--dump-node", "relu", exit_code=2)
        self.ortc("run", "m.onnx", *RUN, "--component", "model", exit_code=2)

    def test_run__ends_as_with_the_model_itself(self):
        self.ortc("compile", "m.onnx")
        self.create("--variant", "here=m_ctx.onnx")
        os.remove(self.path("pkg/model/here/m_aot.bin"))
        self.ortc("run", "pkg", *RUN, exit_code=3)
        self.assertIn("make the package again", self.errors)
        shutil.rmtree(self.path("pkg"))
        self.create("--compile", "m.onnx", "--target", "aarch64")
        self.ortc("run", "pkg", *RUN, "--ep", "AOT", exit_code=4)
        self.assertIn("ortc package show pkg", self.errors)

    def test_run__asks_which_of_several_components(self):
        self.create("--variant", "enc/a=m.onnx", "--variant", "dec/a=m.onnx")
        self.assertEqual(list(self.manifest()["components"]), ["enc", "dec"])
        self.ortc("run", "pkg", *RUN, exit_code=2)
        self.assertIn("--component", self.errors)
        self.ortc("run", "pkg", *RUN, "--component", "dec")


if __name__ == "__main__":
    unittest.main()
