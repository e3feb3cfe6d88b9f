#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of `ortc cache` and of models that are run by way of a cache: cache_test.py ORTC [argument ...]
"""

import os
import shutil
import subprocess
import sys
import unittest

from tool_testing import ORTC, ToolTestCase

RUN = ("run", "m.onnx", "--input", "x=zeros", "--dim", "batch=1")
CACHED = ("--config", "ep.context_cache_dir=cache")


class CacheTest(ToolTestCase):
    # Exit codes of verify and explain are answers: there need not be an error.
    def ortc(self, *arguments, exit_code=0):
        done = subprocess.run([ORTC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, cwd=self.folder)
        self.assertEqual(done.returncode, exit_code, f"{arguments}\n{done.stdout}{done.stderr}")
        self.errors = done.stderr
        return done.stdout

    def setUp(self):
        super().setUp()
        self.save_network()

    def entries(self):
        return self.ortc_json("cache", "list", "cache")["entries"]

    def explain(self, *options, exit_code=0):
        return self.ortc_json("cache", "explain", "cache", "m.onnx", "--dim", "batch=1", *options,
                              exit_code=exit_code)

    def test_list__shows_what_was_kept(self):
        plain = self.ortc_json(*RUN)["outputs"]
        for _ in range(2):
            self.assertEqual(self.ortc_json(*RUN, *CACHED)["outputs"], plain)
        entry, = self.entries()
        self.assertEqual((entry["source"], entry["state"]), ("m.onnx", "whole"))
        self.assertGreater(entry["bytes"], 0)
        text = self.ortc("cache", "list", "cache")
        self.assertIn(entry["key"], text)
        self.assertIn("1 entry", text)

    def test_explain__says_what_is_different(self):
        self.assertEqual(self.explain(exit_code=3)["entry"], "missing")
        self.ortc(*RUN, *CACHED)
        found = self.explain()
        self.assertEqual((found["entry"], found["key"]), ("whole", self.entries()[0]["key"]))
        other = self.explain("--ep-opt", "excluded_operators=Relu", exit_code=3)
        parts = [one["part"] for one in other["nearest"]["different"]]
        self.assertEqual(parts, ["provider 1 option excluded_operators"])
        self.assertIn("excluded_operators", self.ortc(
            "cache", "explain", "cache", "m.onnx", "--dim", "batch=1", "--ep-opt",
            "excluded_operators=Relu", exit_code=3))
        # A copy of the model is the same model.
        shutil.copy(self.path("m.onnx"), self.path("copy.onnx"))
        self.ortc("cache", "explain", "cache", "copy.onnx", "--dim", "batch=1")

    def test_verify__finds_damage_and_a_session_mends_it(self):
        self.ortc(*RUN, *CACHED)
        self.assertTrue(self.ortc_json("cache", "verify", "cache")["sound"])
        key = self.entries()[0]["key"]
        binary = self.path(os.path.join("cache", key[:2], key, "model_aot.bin"))
        with open(binary, "r+b") as file:
            file.truncate(os.path.getsize(binary) // 2)
        self.assertFalse(self.ortc_json("cache", "verify", "cache", exit_code=1)["sound"])
        self.assertIn("damaged", self.ortc("cache", "verify", "cache", exit_code=1))
        self.ortc(*RUN, *CACHED)
        self.assertIn("damaged", self.errors)
        self.ortc("cache", "verify", "cache")

    def test_prune__leaves_a_folder_of_other_things_alone(self):
        self.ortc("cache", "prune", ".", exit_code=1)
        self.assertIn("is not a cache of compiled models", self.errors)
        self.assertEqual(os.listdir(self.folder), ["m.onnx"])
        os.mkdir(self.path("empty"))
        self.assertEqual(self.ortc_json("cache", "prune", "empty")["removed"], [])

    def test_prune__makes_room(self):
        self.ortc(*RUN, *CACHED)
        self.assertEqual(self.ortc_json("cache", "prune", "cache")["removed"], [])
        pruned = self.ortc_json("cache", "prune", "cache", "--max-bytes", "0")
        self.assertEqual((len(pruned["removed"]), pruned["kept_bytes"]), (1, 0))
        self.assertEqual(self.entries(), [])
        self.assertIn("0 entries", self.ortc("cache", "list", "cache"))

    def test_cache__refuses_what_it_does_not_know(self):
        for words, part in ((["cache", "lst", "cache"], "ACTION: expected one of list"),
                            (["cache", "list"], "DIR"), (["cache", "explain", "cache"], "MODEL"),
                            (["cache", "list", "cache", "m.onnx"], "too many"),
                            (["cache", "prune", "cache", "--max-bytes", "-1"], "whole number")):
            self.ortc(*words, exit_code=2)
            self.assertIn(part, self.errors)
        for action, words, part in (
                ("list", ("--ep", "CPU"), "--ep, --ep-opt and --config is for explain"),
                ("list", ("--dim", "batch=1"), "--dim is for explain"),
                ("verify", ("--threads", "2"), "--threads is for explain"),
                ("prune", ("--config", "a=b"), "--ep, --ep-opt and --config is for explain"),
                ("verify", ("--ep", "CPU", "--ep-opt", "a=b"), "is for explain"),
                ("list", ("--max-bytes", "0"), "--max-bytes is for prune"),
                ("explain", ("m.onnx", "--max-bytes", "0"), "--max-bytes is for prune")):
            self.ortc("cache", action, "cache", *words, exit_code=2)
            self.assertIn(f"ortc cache {action}: ", self.errors)
            self.assertIn(part, self.errors)
        self.ortc("cache", "list", "nowhere", exit_code=1)
        self.assertIn("nowhere", self.errors)


if __name__ == "__main__":
    unittest.main()
