#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of the command line, of what it does and shows: tool_test.py ORTC [unittest argument ...]

What is expected of numbers comes from numpy, of the rest from the conventions: results on stdout,
one line of error, exit codes.
"""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, mapping

from tool_testing import FLOAT, ORTC, ROOT, ToolTestCase, save


class ToolTest(ToolTestCase):
    def test_run__writes_what_numpy_computes_from_source_and_from_a_context(self):
        self.save_network()
        x = np.random.default_rng(2).standard_normal((3, 8), dtype=np.float32)
        np.save(self.path("x.npy"), x)
        self.ortc("compile", "m.onnx", "--error-if-none")
        for model in ("m.onnx", "m_ctx.onnx"):
            result = self.ortc_json("run", model, "--input", "x=x.npy", "--output-dir", model + ".d")
            self.assertEqual(result["schema"], "ortc.run/1")
            output = result["outputs"][0]
            self.assertEqual((output["name"], output["type"], output["shape"]),
                             ("a/y:0", "float32", [3, 5]))
            self.assertEqual(output["file"], model + ".d/a_y_0.npy")
            y = np.load(self.path(output["file"]))
            np.testing.assert_allclose(y, self.expected(x), rtol=1e-5, atol=1e-6)
            self.assertAlmostEqual(output["mean"], float(y.mean()), places=5)
            self.assertEqual((np.float32(output["min"]), np.float32(output["max"])),
                             (y.min(), y.max()))

    def test_compile__reports_files_nodes_and_times(self):
        self.save_network()
        result = self.ortc_json("compile", "m.onnx", "-o", "out_ctx.onnx")
        self.assertEqual(result["schema"], "ortc.compile/1")
        report = result["report"]
        self.assertNotEqual(report["schema"], result["schema"])
        self.assertEqual(sorted(os.path.basename(file["path"]) for file in report["files"]),
                         ["out_aot.bin", "out_ctx.onnx"])
        for file in report["files"]:
            self.assertEqual(file["bytes"], os.path.getsize(self.path(file["path"])))
        self.assertIn("AotExecutionProvider", report["nodes_by_provider"])
        self.assertEqual(self.errors, "")
        text = self.ortc("compile", "m.onnx", "-o", "out_ctx.onnx", "--progress", "plain")
        self.assertIn("out_aot.bin", text)
        self.assertIn("[4/5] compile\n", self.errors)
        self.ortc("compile", "m.onnx", "--progress", "json")
        stages = [json.loads(line)["stage"] for line in self.errors.splitlines()]
        self.assertEqual(stages[0], "load")
        self.assertIn("write", stages)

    def test_compile__embeds_and_does_not_overwrite_when_told_so(self):
        self.save_network()
        self.ortc("compile", "m.onnx", "--embed", "--prefix", "p_", "-o", "e_ctx.onnx")
        self.assertFalse(os.path.exists(self.path("e_aot.bin")))
        nodes = self.ortc_json("inspect", "e_ctx.onnx")["ep_context_nodes"]
        self.assertTrue(nodes[0]["node"].startswith("p_"), nodes)
        self.ortc("compile", "m.onnx", "--no-overwrite", "-o", "e_ctx.onnx", exit_code=1)
        self.ortc("run", "e_ctx.onnx", "--input", "x=random", "--shape", "x=2x8")

    def test_compile__compresses_when_told_so(self):
        weights = np.float32(np.arange(64 * 64) % 7).reshape(64, 64)
        save(self.path("c.onnx"), [helper.make_node("MatMul", ["x", "w"], ["y"])],
             [("x", FLOAT, ["n", 64])], [("y", FLOAT, ["n", 64])], [("w", weights)])
        self.ortc("compile", "c.onnx", "--compression", "none")
        plain = os.path.getsize(self.path("c_aot.bin"))
        for codec in ("zstd", "zstd:19"):
            self.ortc("compile", "c.onnx", "--compression", codec)
            self.assertLess(os.path.getsize(self.path("c_aot.bin")), plain / 2)
            context = self.ortc_json("inspect", "c_ctx.onnx")["ep_context_nodes"][0]["context"]
            self.assertEqual(context["codec"], "zstd")
            self.assertLess(context["stored_bytes"], context["data_bytes"] / 2)
            self.assertEqual(context["saved_bytes"], context["data_bytes"] - context["stored_bytes"])
            percent = 100 * context["saved_bytes"] / context["data_bytes"]
            self.assertRegex(self.ortc("inspect", "c_ctx.onnx"), rf"zstd, .* less \({percent:.1f} %\)")
            binary = self.ortc_json("inspect", "c_aot.bin", "--details")
            tensors = binary["stored_tensors"]
            self.assertEqual((len(tensors), tensors[0]["codec"]), (binary["tensors"], "zstd"))
            for key in ("data_bytes", "stored_bytes"):
                self.assertEqual(sum(tensor[key] for tensor in tensors), context[key])
            self.ortc("compare", "c.onnx", "c_ctx.onnx", "--dim", "n=3")
        self.ortc("compile", "c.onnx", "--compression", "zstd:20", exit_code=1)
        self.assertIn("'zstd:20', expected none, zstd, or zstd:LEVEL", self.errors)

    def test_run_and_bench__write_a_profile_that_names_every_operator(self):
        self.save_network()
        for command in (["run", "--input", "x=random", "--shape", "x=2x8"],
                        ["bench", "--shape", "x=2x8", "--iterations", "3"]):
            trace = self.path("trace.json")
            self.ortc(command[0], "m.onnx", *command[1:], "--profile", trace)
            with open(trace, encoding="utf-8") as file:
                events = json.load(file)
            self.assertTrue(all(event["ph"] == "X" and event["dur"] >= 0 for event in events))
            names = [event["name"] for event in events]
            self.assertIn("session_initialization", names)
            self.assertIn("model_run", names)
            nodes = [event for event in events if event["cat"] == "Node"]
            self.assertTrue(nodes)
            for event in nodes:
                self.assertTrue(event["name"].endswith("_kernel_time"))
                self.assertIn("op_name", event["args"])
                self.assertIn("provider", event["args"])
            os.remove(trace)
        self.assertEqual([name for name in os.listdir(self.folder) if "trace" in name], [])

    def test_run__makes_the_same_random_input_from_the_same_seed(self):
        self.save_network()
        means = [self.ortc_json("run", "m.onnx", "--input", f"x={source}", "--shape", "x=4x8")
                 ["outputs"][0]["mean"] for source in ("random", "random:0", "random:1")]
        self.assertEqual(means[0], means[1])
        self.assertNotEqual(means[0], means[2])
        zeros = self.ortc_json("run", "m.onnx", "--input", "x=zeros", "--shape", "x=4x8")
        self.assertAlmostEqual(zeros["outputs"][0]["mean"], float(np.maximum(self.b, 0).mean()),
                               places=5)

    def test_run__carries_every_element_type_of_numpy(self):
        arrays = {
            "f4": np.array([1.5, -2], np.float32), "f8": np.array([[1e300]], np.float64),
            "f2": np.array([0.1, 65504], np.float16), "i1": np.array([-128, 127], np.int8),
            "u1": np.array([0, 255], np.uint8), "i2": np.array([-32768], np.int16),
            "u2": np.array([65535], np.uint16), "i4": np.array(-7, np.int32),
            "u4": np.array([2**32 - 1], np.uint32), "i8": np.array([-2**63], np.int64),
            "u8": np.array([2**64 - 1], np.uint64), "b1": np.array([True, False]),
            "none": np.zeros((0, 3), np.float32),
        }
        nodes, inputs, outputs, options = [], [], [], []
        for name, array in arrays.items():
            kind = mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype]
            nodes.append(helper.make_node("Identity", [name], [name + "_out"], name=name))
            inputs.append((name, kind, array.shape))
            outputs.append((name + "_out", kind, array.shape))
            np.save(self.path(name + ".npy"), array)
            options += ["--input", f"{name}={name}.npy"]
        save(self.path("types.onnx"), nodes, inputs, outputs)
        self.ortc("run", "types.onnx", *options, "--output-dir", "out")
        for name, array in arrays.items():
            got = np.load(self.path(f"out/{name}_out.npy"))
            self.assertEqual((got.dtype, got.shape), (array.dtype, array.shape))
            np.testing.assert_array_equal(got, array)

    def test_run__carries_texts(self):
        array = np.array([["", "abc"], ["Grüße", "数字 🎈"], ["a\0b", "\0\0c"]])
        np.save(self.path("x.npy"), array)
        save(self.path("texts.onnx"), [helper.make_node("Identity", ["x"], ["y"])],
             [("x", TensorProto.STRING, [3, 2])], [("y", TensorProto.STRING, [3, 2])])
        for given in ("x=x.npy", "x=" + json.dumps(array.tolist())):
            self.ortc("run", "texts.onnx", "--input", given, "--output-dir", ".")
            np.testing.assert_array_equal(np.load(self.path("y.npy")), array)

    def test_run__reads_bfloat16_from_its_bits(self):
        save(self.path("bf16.onnx"), [helper.make_node("Identity", ["x"], ["y"])],
             [("x", TensorProto.BFLOAT16, [2])], [("y", TensorProto.BFLOAT16, [2])])
        np.save(self.path("x.npy"), np.array([0x3F80, 0xC000], np.uint16))  # 1 and -2
        output = self.ortc_json("run", "bf16.onnx", "--input", "x=x.npy")["outputs"][0]
        self.assertEqual((output["type"], output["min"], output["max"]), ("bfloat16", -2, 1))

    def test_run__carries_int4_one_per_byte(self):
        int4 = 22
        save(self.path("int4.onnx"), [helper.make_node("Identity", ["x"], ["y"])],
             [("x", int4, [3])], [("y", int4, [3])], opset=21)
        np.save(self.path("x.npy"), np.array([-8, 7, 1], np.int8))
        output = self.ortc_json("run", "int4.onnx", "--input", "x=x.npy", "--output-dir", ".")
        self.assertEqual(output["outputs"][0]["type"], "int4")
        np.testing.assert_array_equal(np.load(self.path("y.npy")), [-8, 7, 1])
        np.save(self.path("x.npy"), np.array([8, 0, 0], np.int8))
        self.ortc("run", "int4.onnx", "--input", "x=x.npy", exit_code=1)
        self.assertIn("does not fit 4 bits", self.errors)

    def test_run__says_how_many_elements_are_not_finite(self):
        save(self.path("log.onnx"), [helper.make_node("Log", ["x"], ["y"])],
             [("x", FLOAT, [3])], [("y", FLOAT, [3])])
        np.save(self.path("x.npy"), np.array([0, -1, 1], np.float32))
        output = self.ortc_json("run", "log.onnx", "--input", "x=x.npy")["outputs"][0]
        self.assertEqual((output["non_finite_count"], output["min"], output["max"]), (2, 0, 0))
        self.assertIn("2 elements", self.ortc("run", "log.onnx", "--input", "x=x.npy"))

    def test_inspect__shows_the_beginning_of_long_metadata(self):
        self.save_network()
        model = onnx.load(self.path("m.onnx"))
        letters = [chr(0x30A1 + i % 80) for i in range(6000)]
        helper.set_model_props(model, {"character": "\n".join(letters), "note": "n" * 500,
                                       "by": "somebody"})
        onnx.save(model, self.path("long.onnx"))
        text = self.ortc("inspect", "long.onnx")
        lines = {line.split()[0]: line for line in text.splitlines() if line.strip()}
        self.assertIn("KiB in 6000 lines; --json has all)", lines["character"])
        self.assertIn(" ".join(letters[:10]), lines["character"])
        self.assertIn("n... (500 B; --json has all)", lines["note"])
        self.assertTrue(lines["by"].endswith(" somebody"))
        self.assertLess(len(text.splitlines()), 60)
        whole = self.ortc_json("inspect", "long.onnx")
        self.assertEqual(whole["metadata"]["character"], "\n".join(letters))

    def test_inspect__finds_a_flipped_bit_when_asked_to_verify(self):
        self.save_network()
        self.ortc("compile", "m.onnx")
        with open(self.path("m_aot.bin"), "r+b") as file:
            data = bytearray(file.read())
            at = data.find(self.b.tobytes())
            self.assertGreater(at, 0)
            data[at] ^= 1
            file.seek(0)
            file.write(data)
        self.ortc("inspect", "m_ctx.onnx", "--verify", exit_code=3)

    def test_devices__lists_the_providers(self):
        result = self.ortc_json("devices")
        self.assertEqual(result["schema"], "ortc.devices/1")
        providers = [device["provider"] for device in result["devices"]]
        self.assertIn("AotExecutionProvider", providers)
        self.assertIn("CPUExecutionProvider", providers)
        self.assertIn("AotExecutionProvider", self.ortc("devices"))

    def test_compile__takes_a_target(self):
        self.save_network()
        self.ortc("compile", "m.onnx", "--target", "x86-64-v3", "-o", "v3_ctx.onnx")
        nodes = self.ortc_json("inspect", "v3_ctx.onnx")["ep_context_nodes"]
        self.assertEqual(nodes[0]["hardware_architecture"], "x86-64-v3")
        self.ortc("compile", "m.onnx", "--target", "pdp-11", exit_code=1)
        self.assertIn("pdp-11", self.errors)
        self.ortc("compile", "m.onnx", "--ep", "AOT", "--ep", "CPU", "--target", "host",
                  exit_code=2)

    def test_compile__writes_nothing_in_a_dry_run(self):
        self.save_network()
        before = sorted(os.listdir(self.folder))
        result = self.ortc_json("compile", "m.onnx", "--dry-run")
        self.assertEqual((result["dry_run"], result["report"]["files"]), (True, []))
        self.assertEqual(result["report"]["nodes_by_provider"], {"AotExecutionProvider": 3})
        self.assertIn("a dry run", self.ortc("compile", "m.onnx", "--dry-run"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_compile__tells_in_a_dry_run_what_would_be_written(self):
        self.save_network()
        for options in ((), ("--embed",), ("--ep", "CPU")):
            text = self.ortc("compile", "m.onnx", "--dry-run", *options)
            told = re.search(r"would take ([0-9.]+ \w+)", text).group(1)
            report = self.ortc_json("compile", "m.onnx", "-o", "c_ctx.onnx", *options)
            files = sum(file["bytes"] for file in report["report"]["files"])
            unit, size = ("B", files) if files < 1024 else ("KiB", files / 1024)
            self.assertEqual(told.split()[1], unit)
            self.assertAlmostEqual(float(told.split()[0]), size, delta=0.2 if unit == "KiB" else 40)
        self.assertIn("would take", self.ortc("compile", "m.onnx", "--dry-run", "--ep", "CPU",
                                              "--external-data", "w.bin", "--threshold", "16"))

    def test_compile__says_with_v_what_happens(self):
        self.save_network()
        self.ortc("compile", "m.onnx", "-v", "--progress", "none")
        self.assertIn("execution provider AotExecutionProvider", self.errors)
        self.assertIn("fusion", self.errors)
        self.ortc("compile", "m.onnx", "-v", "--progress", "json")
        for line in self.errors.splitlines():
            json.loads(line)

    def test_run__takes_values_from_the_command_line(self):
        self.save_identities(rate=(TensorProto.INT64, []), row=(FLOAT, [1, 3]),
                             open=(TensorProto.INT32, ["n", 2]), text=(TensorProto.STRING, [2]),
                             flag=(TensorProto.BOOL, [2]), half=(TensorProto.FLOAT16, [4]))
        self.given("rate=9007199254740993", "row=1,2.5,-3", "open=[[1,2],[3,4]]",
                   'text=["a","数"]', "flag=[true,false]", "half=0.1,65504,-0.0,1e-7")
        expected = {"rate": np.array(9007199254740993), "row": np.array([[1, 2.5, -3]], np.float32),
                    "open": np.array([[1, 2], [3, 4]], np.int32), "text": np.array(["a", "数"]),
                    "flag": np.array([True, False]),
                    "half": np.array([0.1, 65504, -0.0, 1e-7], np.float16)}
        for name, array in expected.items():
            got = np.load(self.path(f"out/{name}_out.npy"))
            np.testing.assert_array_equal(got, array)
            self.assertEqual(got.dtype, array.dtype)

    def test_run_and_compile__take_sizes_of_open_dimensions(self):
        self.save_network()
        output = self.ortc_json("run", "m.onnx", "--input", "x=random", "--dim", "batch=4")
        self.assertEqual(output["outputs"][0]["shape"], [4, 5])
        self.ortc("compile", "m.onnx", "--dim", "batch=2")
        self.assertEqual(self.ortc_json("inspect", "m_ctx.onnx")["inputs"][0]["type"],
                         "float32[2,8]")
        for command in (["run", "m.onnx", "--input", "x=random"], ["compile", "m.onnx"]):
            self.ortc(*command, "--dim", "bacth=4", exit_code=2)
            self.assertIn("did you mean 'batch'", self.errors)
        for size in ("-1", "x", ""):
            self.ortc("run", "m.onnx", "--input", "x=random", "--dim", "batch=" + size, exit_code=2)

    def test_run__keeps_random_values_within_their_range(self):
        shape = [1000]
        self.save_identities(ids=(TensorProto.INT64, shape), x=(FLOAT, shape),
                             h=(TensorProto.FLOAT16, shape), u=(TensorProto.UINT8, shape))
        self.given("ids=random:7:100..30521", "x=random:-0.5..0", "h=random:10..11", "u=random")
        low_high = {name: (array.min(), array.max()) for name in ("ids", "x", "h", "u")
                    for array in [np.load(self.path(f"out/{name}_out.npy"))]}
        for name, (low, high) in {"ids": (100, 30521), "x": (-0.5, 0), "h": (10, 11),
                                  "u": (0, 1)}.items():
            self.assertTrue(low <= low_high[name][0] < low_high[name][1] <= high, low_high)
        self.assertGreater(low_high["ids"][1], 29000)

    def test_run__feeds_inputs_whose_names_have_an_equals_sign(self):
        save(self.path("names.onnx"), [helper.make_node("Add", ["a=b", "a"], ["y"])],
             [("a=b", FLOAT, ["n"]), ("a", FLOAT, ["n"])], [("y", FLOAT, ["n"])])
        result = self.ortc_json("run", "names.onnx", "--input", "a=b=7", "--shape", "a=b=1",
                                "--input", "a=2", "--shape", "a=1")
        self.assertEqual(result["outputs"][0]["max"], 9)

    def test_run__reads_arrays_from_a_pipe(self):
        self.save_network()
        np.save(self.path("x.npy"), np.ones((2, 8), np.float32))
        with open(self.path("x.npy"), "rb") as file:
            content = file.read()
        for cut, exit_code in ((None, 0), (-1, 1)):
            done = subprocess.run([ORTC, "run", "m.onnx", "--input", "x=-", "--json"],
                                  input=content[:cut], cwd=self.folder, capture_output=True)
            self.assertEqual(done.returncode, exit_code, done.stderr)
        self.assertIn(b"cut off", done.stderr)

    def start(self, *arguments):
        return subprocess.Popen([ORTC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.folder, text=True)

    def test_bench__ends_at_a_signal_with_its_exit_code(self):
        self.save_network()
        for number, exit_code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start("bench", "m.onnx", "--shape", "x=1x8", "--duration", "60", "-v")
            while "provider" not in process.stderr.readline():
                pass
            process.send_signal(number)
            _, errors = process.communicate(timeout=20)
            self.assertEqual(process.returncode, exit_code, errors)

    def test_run__ends_at_once_while_it_waits_for_a_pipe(self):
        self.save_network()
        os.mkfifo(self.path("pipe"))
        process = self.start("run", "m.onnx", "--input", "x=pipe", "-v")
        with open(self.path("pipe"), "wb") as pipe:  # opens when the reader does
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=20), 143)
            pipe.flush()
        process.communicate()

    def test_compile__leaves_nothing_behind_when_a_signal_comes(self):
        """At any time: early, in the middle, while files are written."""
        self.save_wide_network()
        files = sorted(os.listdir(self.folder))
        exit_codes = set()
        for stage in ("load", "optimise", "partition", "compile", "write"):
            for number, exit_code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                process = self.start("compile", "wide.onnx", "--progress", "plain")
                while stage not in process.stderr.readline():
                    pass
                process.send_signal(number)
                process.communicate(timeout=20)
                exit_codes.add(process.returncode)
                after = sorted(os.listdir(self.folder))
                if process.returncode == 0:  # it was done already
                    for name in ("wide_ctx.onnx", "wide_aot.bin"):
                        os.remove(self.path(name))
                        after.remove(name)
                else:
                    self.assertEqual(process.returncode, exit_code)
                self.assertEqual(after, files)
        self.assertTrue(exit_codes & {130, 143}, exit_codes)

    def save_wide_network(self):
        """Weights of 32 MB, so that every stage takes a while."""
        w = np.ones((2048, 2048), np.float32)
        save(self.path("wide.onnx"),
             [helper.make_node("MatMul", ["x", "w"], ["xw"]),
              helper.make_node("MatMul", ["xw", "v"], ["y"])],
             [("x", FLOAT, [1, 2048])], [("y", FLOAT, [1, 2048])], [("w", w), ("v", w * 2)])

    def in_terminal(self, *arguments, columns=80, **variables):
        """stdout and stderr of a run whose terminal is a pseudo-terminal."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        process = subprocess.Popen([ORTC, *arguments], stdout=slave, stderr=slave, cwd=self.folder,
                                   env={**os.environ, "TERM": "xterm", **variables})
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            text += piece
        os.close(master)
        process.wait()
        return text.decode()

    def test_main__shows_colours_and_a_bar_on_terminals_only(self):
        self.save_network()
        text = self.in_terminal("compile", "m.onnx", NO_COLOR="")
        self.assertIn("\033[1m", text)
        self.assertIn("\r\033[K[4/5] compile [", text)
        text = self.in_terminal("inspect", "m.onnx", NO_COLOR="1")
        self.assertNotIn("\033[", text)
        text = self.in_terminal("compile", "m.onnx", TERM="dumb")
        self.assertNotIn("\033[", text)
        self.assertNotIn("\033[", self.ortc("compile", "m.onnx") + self.errors)

    def test_compile__keeps_its_bar_in_one_line_of_the_terminal(self):
        self.save_network()
        name = "a_name_that_is_longer_than_the_line_is_wide.onnx"
        os.rename(self.path("m.onnx"), self.path(name))
        for columns in (10, 40, 200):
            text = self.in_terminal("compile", name, columns=columns)
            bars = [piece.split("\r")[0] for piece in text.split("\r\033[K")[1:] if "\n" not in piece]
            self.assertGreaterEqual(len(bars), 5, text)
            for bar in bars:
                self.assertLess(len(bar), columns)
            if columns == 40:
                self.assertRegex(bars[0], r"^\[1/5\] .*\.\.\. \[-+\] 0\.. s$")

    def test_help__makes_a_man_page_and_completion(self):
        page = self.ortc("help", "--man")
        for word in (".TH ORTC 1", "\\-\\-output", "EXIT STATUS"):
            self.assertIn(word, page)
        script = self.ortc("help", "--bash-completion") + """
            complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ortc; echo "${COMPREPLY[@]}"; }
            complete_words ortc compi
            complete_words ortc compile --emb
            complete_words ortc compile --progress p
            complete_words ortc run m.on
        """
        open(self.path("m.onnx"), "w").close()
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.stdout.split("\n")[:4], ["compile", "--embed", "plain", "m.onnx"],
                         done.stderr)

    def test_compare__says_how_far_two_models_are_apart(self):
        self.save_network()
        self.ortc("compile", "m.onnx")
        result = self.ortc_json("compare", "m.onnx", "m_ctx.onnx", "--dim", "batch=3")
        self.assertEqual((result["schema"], result["agrees"]), ("ortc.compare/1", True))
        self.assertTrue(result["outputs"][0]["same_bits"])
        save(self.path("other.onnx"),
             [helper.make_node("MatMul", ["x", "w"], ["xw"]), helper.make_node("Relu", ["xw"], ["a/y:0"])],
             [("x", FLOAT, ["batch", 8])], [("a/y:0", FLOAT, ["batch", 5])], [("w", self.w)])
        words = ["compare", "m.onnx", "other.onnx", "--input", "x=1", "--shape", "x=2x8"]
        done = subprocess.run([ORTC, *words, "--json"], cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 1)
        output = json.loads(done.stdout)["outputs"][0]
        x = np.ones((2, 8), np.float32)
        apart = np.abs(self.expected(x) - np.maximum(x @ self.w, 0))
        self.assertAlmostEqual(output["largest_difference"], float(apart.max()), places=5)
        self.assertEqual(output["elements_beyond"], int((apart > 1e-3).sum()))
        self.assertIn("agree", self.ortc(*words, "--atol", "100"))
        self.ortc("compare", "m.onnx", exit_code=2)
        self.assertIn("needs OTHER", self.errors)

    def commands_of(self, document, heading):
        """The indented block below a heading, as a user would type it in the project's folder."""
        with open(os.path.join(ROOT, document), encoding="utf-8") as file:
            section = file.read().split("## " + heading + "\n", 1)[1].split("\n## ", 1)[0]
        return [line.strip() for line in section.splitlines() if line.startswith("    ")]

    def test_documents__show_commands_that_work(self):
        for name in ("tools", "demo"):
            os.symlink(os.path.join(ROOT, name), self.path(name))
        os.makedirs(self.path("build/bin"))
        os.symlink(ORTC, self.path("build/bin/ortc"))
        for document, heading in (("README.md", "From the command line"),
                                  ("docs/tour.md", "See it")):
            commands = self.commands_of(document, heading)
            self.assertGreaterEqual(len(commands), 4)
            for command in commands:
                done = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True,
                                      text=True)
                self.assertEqual(done.returncode, 0, command + "\n" + done.stderr)


if __name__ == "__main__":
    unittest.main()
