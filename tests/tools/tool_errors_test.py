#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of the command line, of what it refuses and warns of: tool_errors_test.py ORTC [unittest
argument ...]

An error is one line that names what is wrong and, where there is one, the way out; the exit code
says of which kind it is.
"""
import os
import shutil
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper

from tool_testing import FLOAT, ToolTestCase, save


class ToolErrorsTest(ToolTestCase):
    def test_compile__replaces_what_another_model_reads_only_when_told_so(self):
        self.save_network()
        self.ortc("compile", "m.onnx", "-o", "shared_ctx.onnx")
        shutil.copy(self.path("shared_ctx.onnx"), self.path("copy_of_shared.onnx"))
        self.ortc("compile", "m.onnx", "-o", "shared_ctx.onnx", exit_code=1)
        self.assertIn("copy_of_shared.onnx", self.errors)
        self.ortc("compile", "m.onnx", "-o", "shared_ctx.onnx", "--replace-shared")

    def test_compile__refuses_what_is_compiled_already_and_what_is_not_there(self):
        self.save_network()
        self.ortc("compile", "m.onnx")
        self.ortc("compile", "m_ctx.onnx", exit_code=1)
        self.assertIn("INVALID_GRAPH", self.errors)
        self.ortc("compile", "nothing.onnx", exit_code=1)
        self.assertIn("NO_SUCHFILE: the model 'nothing.onnx' does not exist", self.errors)
        self.ortc("cache", "explain", ".", "nothing.onnx", exit_code=1)
        self.assertIn("NO_SUCHFILE", self.errors)

    def test_run__names_inputs_without_a_value(self):
        self.save_network()
        self.ortc("run", "m.onnx", exit_code=2)
        self.assertIn("'x' float32[batch,8]", self.errors)
        self.ortc("run", "m.onnx", "--input", "x=random", exit_code=2)
        self.assertIn("--shape x=1x... or --dim batch=1", self.errors)
        self.ortc("run", "m.onnx", "--input", "z=zeros", exit_code=2)
        self.assertIn("it has 'x'", self.errors)
        self.ortc("run", "m.onnx", "--input", "x=zeros", "--shape", "x=1y8", exit_code=2)
        self.ortc("run", "m.onnx", "--input", "x", exit_code=2)
        self.ortc("run", "m.onnx", "--input", "x=zeros", "--input", "x=random", exit_code=2)
        self.assertIn("'x' twice", self.errors)

    def test_run__refuses_files_of_another_type_and_broken_files(self):
        self.save_network()
        np.save(self.path("f64.npy"), np.zeros((1, 8)))
        np.save(self.path("fortran.npy"), np.asfortranarray(np.zeros((2, 8), np.float32)))
        with open(self.path("cut.npy"), "wb") as file:
            np.save(file, np.zeros((1, 8), np.float32))
            file.truncate(file.tell() - 1)
        with open(self.path("text.npy"), "w") as file:
            file.write("no array")
        np.save(self.path("big.npy"), np.zeros((1, 8), ">f4"))
        for name, word in (("f64", "float32"), ("fortran", "Fortran"), ("cut", "cut off"),
                           ("text", "not a .npy"), ("big", "big-endian"), ("none", "none.npy")):
            self.ortc("run", "m.onnx", "--input", f"x={name}.npy", exit_code=1)
            self.assertIn(word, self.errors)

    def test_inspect__gives_its_verdict_as_exit_code(self):
        self.save_network()
        self.assertIn("verdict: not_compiled", self.ortc("inspect", "m.onnx"))
        self.ortc("compile", "m.onnx")
        text = self.ortc("inspect", "m_ctx.onnx", "--verify", "--details")
        self.assertIn("verdict: optimal", text)
        self.assertIn("m_aot.bin", text)
        self.assertEqual(self.ortc_json("inspect", "m_aot.bin")["kind"], "context_binary")
        os.remove(self.path("m_aot.bin"))
        self.assertIn("verdict: broken", self.ortc("inspect", "m_ctx.onnx", exit_code=3))
        self.ortc("inspect", "nothing.onnx", exit_code=1)
        with open(self.path("text.onnx"), "w") as file:
            file.write("no model")
        self.ortc("inspect", "text.onnx", exit_code=1)

    def test_run__names_the_source_beside_a_broken_model(self):
        self.save_network()
        os.mkdir(self.path("far"))
        shutil.move(self.path("m.onnx"), self.path("far/m.onnx"))
        self.ortc("compile", "far/m.onnx")
        os.remove(self.path("far/m_aot.bin"))
        self.ortc("run", "far/m_ctx.onnx", "--input", "x=zeros", "--dim", "batch=1", exit_code=3)
        self.assertIn("ortc compile far/m.onnx -o far/m_ctx.onnx", self.errors)

    def test_inspect__names_the_source_that_no_provider_takes(self):
        node = helper.make_node("EPContext", ["x"], ["y"], name="ctx", domain="com.microsoft",
                                embed_mode=1, ep_cache_context=b"data", source="SomeOtherEP",
                                main_context=1)
        save(self.path("other.onnx"), [node], [("x", FLOAT, [1])], [("y", FLOAT, [1])])
        self.assertIn("SomeOtherEP", self.ortc("inspect", "other.onnx", exit_code=4))
        self.ortc("run", "other.onnx", "--input", "x=zeros", exit_code=4)
        self.assertIn("SomeOtherEP", self.errors)

    def test_run__says_when_only_compiled_models_are_allowed(self):
        self.save_network()
        self.ortc("run", "m.onnx", "--input", "x=zeros", "--shape", "x=1x8", "--config",
                  "session.disable_model_compile=1", exit_code=3)
        self.assertIn("MODEL_REQUIRES_COMPILATION", self.errors)

    def test_main__refuses_misspelt_words_with_the_nearest_one(self):
        for words, hint in ((["compil", "m.onnx"], "'compile'"), (["isnpect", "--json"], "'inspect'"),
                            (["compile", "--outptu", "x", "m.onnx"], "'--output'"),
                            (["run", "m.onnx", "--itput=x=zeros"], "'--input'"),
                            (["help", "benhc"], "'bench'"),
                            (["compile", "m.onnx", "--progress", "plian"], "'plain'")):
            self.ortc(*words, exit_code=2)
            self.assertIn("did you mean " + hint, self.errors)

    def test_main__knows_what_other_tools_call_its_options(self):
        for words, hint in ((["bench", "m.onnx", "-niter", "3"], "here that is '--iterations'"),
                            (["bench", "m.onnx", "--dumpProfile"], "here that is '--layers'"),
                            (["bench", "m.onnx", "--exportTimes=t"], "here that is '--export-times'"),
                            (["bench", "m.onnx", "--shapes=x:1x8"], "here that is '--shape'"),
                            (["run", "m.onnx", "--save-outputs", "o"], "here that is '--output-dir'"),
                            (["bench", "-m", "m.onnx"], "without an option: ortc bench MODEL"),
                            (["compile", "--onnx=m.onnx"], "without an option: ortc compile IN.onnx"),
                            # compile runs nothing
                            (["compile", "m.onnx", "--dumpProfile"], "no option '--dumpProfile' (see")):
            self.ortc(*words, exit_code=2)
            self.assertIn(hint, self.errors)

    def test_main__says_what_to_write_instead(self):
        self.save_network()
        np.save(self.path("x.npy"), np.zeros((2, 8)))
        np.save(self.path("objects.npy"), np.array([1, "a"], object))
        open(self.path("empty.npy"), "w").close()
        for words, exit_code, texts in (
                (["m.onnx"], 2, ["no command 'm.onnx'", "hint: a command goes before the model"]),
                (["bench", "m.onnx", "--shape", "x:1x8"], 2, ["hint: as in --shape x=1x8"]),
                (["run", "m.onnx", "--input", "x=x.npy"], 1,
                 ["needs float32 (NumPy type f4), found f8", "hint: save x.astype('f4')"]),
                (["run", "m.onnx", "--input", "x=raw:x.npy"], 2,
                 ["x.npy is a .npy file; give it without 'raw:'"]),
                (["run", "m.onnx", "--input", "x=objects.npy"], 1, ["array of Python objects"]),
                (["run", "m.onnx", "--input", "x=empty.npy"], 1, ["found nothing at all"]),
                (["merge", "m.onnx", "-o", "o.onnx"], 2, ["needs two models or more"]),
                (["run", "m.onnx", "--input", "x=1", "--shape", "x=2x9"], 1,
                 ["Expected: 8; input 'x': expected float32[batch,8], found float32[2,9]"])):
            self.ortc(*words, exit_code=exit_code)
            for text in texts:
                self.assertIn(text, self.errors)
        self.ortc("compile", "m.onnx")
        os.remove(self.path("m_aot.bin"))
        self.ortc("run", "m_ctx.onnx", "--input", "x=x.npy", exit_code=3)
        self.assertIn("ortc compile m.onnx -o m_ctx.onnx", self.errors)

    def test_main__says_where_options_go(self):
        self.ortc("--json", "run", "m.onnx", exit_code=2)
        self.assertIn("'--json' goes after the command, as in: ortc run ... --json", self.errors)
        self.ortc("-v", exit_code=2)
        self.assertIn("ortc COMMAND ... -v", self.errors)
        self.ortc("--bogus", "run", "m.onnx", exit_code=2)
        self.assertIn("ortc run has no option '--bogus'", self.errors)

    def test_main__refuses_options_without_a_text(self):
        self.save_network()
        for option in ("--target", "-o", "--prefix", "--external-data", "--out-dir"):
            self.ortc("compile", "m.onnx", option, "", exit_code=2)
            self.assertIn("found ''", self.errors)
        self.assertEqual(os.listdir(self.folder), ["m.onnx"])

    def test_help__knows_the_name_of_two_words(self):
        text = self.ortc("summary", "--help")
        for words in (("help", "model"), ("help", "model", "summary"), ("model", "--help"),
                      ("model", "summary", "--help"), ("help", "summary")):
            self.assertEqual(self.ortc(*words), text)
        self.ortc("model", exit_code=2)

    def test_run__takes_numbers_that_are_none_and_refuses_those_that_are_too_large(self):
        self.save_identities(f=(FLOAT, [2]), h=(TensorProto.FLOAT16, [1]))
        for text, expected in (("nan", np.nan), ("inf", np.inf), ("-inf", -np.inf)):
            self.given(f"f={text}", f"h={text}")
            np.testing.assert_array_equal(np.load(self.path("out/f_out.npy")), [expected] * 2)
            np.testing.assert_array_equal(np.load(self.path("out/h_out.npy")), [expected])
        self.given("f=1e400", "h=1", exit_code=2)
        self.assertIn("'1e400' is beyond what a double holds", self.errors)
        self.save_identities(i=(TensorProto.INT64, [1]))
        self.given("i=nan", exit_code=2)
        self.assertIn("expected int64, found nan", self.errors)

    def test_run__tells_files_that_cannot_be_opened_from_those_that_are_not_there(self):
        self.save_network()
        os.symlink("loop.npy", self.path("loop.npy"))
        self.ortc("run", "m.onnx", "--input", "x=loop.npy", exit_code=1)
        self.assertIn("FAIL: loop.npy: Too many levels of symbolic links", self.errors)
        self.ortc("run", "m.onnx", "--input", "x=none.npy", exit_code=1)
        self.assertIn("NO_SUCHFILE: none.npy", self.errors)

    def test_compile__looks_at_its_output_before_it_works(self):
        self.save_network()
        os.mkdir(self.path("folder"))
        for output, text in (("none/m_ctx.onnx", "the folder 'none' does not exist"),
                             ("folder", "it is a folder"), ("m.onnx", "it is the source model")):
            self.ortc("compile", "m.onnx", "-o", output, exit_code=1)
            self.assertIn(text, self.errors)
            self.assertNotIn("[1/5]", self.errors)
        self.ortc("compile", "m.onnx", "--ep", "CPU")
        self.assertIn("warning: nothing was compiled", self.errors)

    def test_main__refuses_numbers_that_are_out_of_range(self):
        self.save_network()
        for option, value in (("--warmup", "-1"), ("--warmup", "1e3"), ("--iterations", "0"),
                              ("--iterations", "99999999999999999999"), ("--duration", "-1"),
                              ("--duration", "nan"), ("--duration", "inf"), ("--duration", "1e9"),
                              ("--threads", "-2"), ("--threads", "1025")):
            self.ortc("bench", "m.onnx", "--shape", "x=1x8", option, value, exit_code=2)
            self.assertIn(f"found '{value}'", self.errors)
        self.ortc("compile", "m.onnx", "--external-data", "w.bin", "--threshold", "-1", exit_code=2)
        self.ortc("run", "m.onnx", "--input", "x=zeros", "--shape", "x=100000000000x8", exit_code=2)
        self.assertIn("larger than the memory", self.errors)

    def test_main__gives_errors_as_json_objects(self):
        self.save_network()
        for words, exit_code, code in ((["compil"], 2, "USAGE"), (["run", "m.onnx"], 2, "USAGE"),
                                       (["run", "none.onnx"], 1, "NO_SUCHFILE"),
                                       (["compile", "none.onnx"], 1, "NO_SUCHFILE"),
                                       (["bench", "none.onnx"], 1, "NO_SUCHFILE"),
                                       (["inspect", "none.onnx"], 1, "NO_SUCHFILE")):
            error = self.ortc_json(*words, exit_code=exit_code)
            self.assertEqual((error["schema"], error["code"], error["exit_code"]),
                             ("ortc.error/1", code, exit_code))
            self.assertIn(error["text"], self.errors)
            self.assertIsInstance(error["details"], dict)

    def test_run_and_bench__say_by_exit_code_when_to_compile_anew(self):
        self.save_network()
        self.ortc("compile", "m.onnx")
        os.rename(self.path("m_aot.bin"), self.path("away.bin"))
        for command in ("run", "bench"):
            error = self.ortc_json(command, "m_ctx.onnx", "--shape", "x=1x8", "--input", "x=zeros",
                                   exit_code=3)
            self.assertEqual(error["details"]["verdict"], "broken")
            self.assertIn("ortc compile", error["hint"])
        os.rename(self.path("away.bin"), self.path("m_aot.bin"))
        self.ortc("run", "m_aot.bin", exit_code=1)
        self.assertIn("hint: this is a context binary", self.errors)

    def test_run__refuses_values_that_do_not_fit(self):
        self.save_identities(x=(TensorProto.INT8, [2]))
        for value, word in (("1,2,3", "do not fill"), ("128,0", "from -128 to 127"),
                            ("1.5,2", "expected int8"), ('["a","b"]', "expected int8"),
                            ("[1,[2]]", "side by side"), ("[" * 60000 + "]" * 60000, "deeper"), ("[1,2", "not a list"),
                            ("random:5..300", "from -128 to 127"), ("random:3..1", "empty"),
                            ("random:x", "a seed"), ("random:1..", "LOW..HIGH")):
            self.given("x=" + value, exit_code=2)
            self.assertIn(word, self.errors)

    def test_shape__is_that_of_a_file_too(self):
        self.save_network()
        np.save(self.path("x.npy"), np.zeros((2, 8), np.float32))
        for value in ("x.npy", "x.npz"):
            np.savez(self.path("x.npz"), x=np.zeros((2, 8), np.float32))
            self.ortc("run", "m.onnx", "--input", "x=" + value, "--shape", "x=2x8")
            self.ortc("run", "m.onnx", "--input", "x=" + value, "--shape", "x=3x8", exit_code=2)
            self.assertIn("has the shape 2x8", self.errors)

    def test_numbers__are_decimal_whatever_they_begin_with(self):
        self.save_network()
        latency = self.ortc_json("bench", "m.onnx", "--dim", "batch=1", "--iterations", "010")
        self.assertEqual(latency["latency"]["iterations"], 10)

    def test_run__says_why_an_output_could_not_be_written(self):
        self.save_network()
        os.mkdir(self.path("out"))
        os.symlink("/dev/full", self.path("out/a_y_0.npy"))
        self.ortc("run", "m.onnx", "--input", "x=zeros", "--shape", "x=1000x8", "--output-dir",
                  "out", exit_code=1)
        self.assertIn("No space left on device", self.errors)
        self.assertEqual(os.listdir(self.path("out")), ["a_y_0.npy"])

    def test_compile__warns_of_an_opset_from_the_future(self):
        save(self.path("new.onnx"), [helper.make_node("Relu", ["x"], ["y"])], [("x", FLOAT, [1])],
             [("y", FLOAT, [1])], opset=99)
        self.ortc("compile", "new.onnx")
        self.assertRegex(self.errors, "warning: .*opset 99.* up to [0-9]+")

    def test_inspect_and_run__say_that_the_source_has_changed(self):
        self.save_network()
        self.ortc("compile", "m.onnx")
        if "source" not in self.ortc_json("inspect", "m_ctx.onnx"):
            self.skipTest("compiled models do not keep what their source was")
        self.assertNotIn("has changed", self.ortc("inspect", "m_ctx.onnx"))
        model = onnx.load(self.path("m.onnx"))
        model.doc_string = "another model"
        onnx.save(model, self.path("m.onnx"))
        self.assertIn("note: its source 'm.onnx' has changed", self.ortc("inspect", "m_ctx.onnx"))
        self.ortc("run", "m_ctx.onnx", "--input", "x=zeros", "--shape", "x=1x8")
        self.assertIn("warning: 'm_ctx.onnx': its source 'm.onnx' has changed", self.errors)

    def test_main__explains_itself_and_refuses_what_it_does_not_know(self):
        self.assertIn("ortc 1.0.0", self.ortc("--version"))
        for command in ("compile", "run", "inspect", "verify", "summary", "bench", "compare", "diff",
                        "pack", "merge", "extract", "prefix", "devices"):
            self.assertIn(command, self.ortc("help"))
            self.assertIn("--json", self.ortc("help", command))
            self.assertIn("--json", self.ortc(command, "--help"))
        self.ortc("help", "fly", exit_code=2)
        self.ortc(exit_code=2)
        self.ortc("fly", exit_code=2)
        self.ortc("run", exit_code=2)
        self.ortc("compile", "m.onnx", "--opt-level", "7", exit_code=2)
        self.save_network()
        self.ortc("compile", "m.onnx", "--ep", "NoSuchProvider", exit_code=1)
        self.ortc("compile", "m.onnx", "--config", "no.such.key=1", exit_code=1)
        self.assertIn("no.such.key", self.errors)


if __name__ == "__main__":
    unittest.main()
