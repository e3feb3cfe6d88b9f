#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of what `ortc run` is given and gives: run_test.py ORTC [unittest argument ...]

Archives, raw bytes, chosen outputs, values inside models. Expected numbers come from numpy.
"""
import io
import json
import os
import struct
import subprocess
import sys
import unittest
import zipfile

import numpy as np
from onnx import TensorProto, helper

from tool_testing import FLOAT, ORTC, ToolTestCase, save


class GivenTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        self.save_network()
        self.x = np.random.default_rng(3).standard_normal((4, 8), dtype=np.float32)

    def assert_runs_with(self, *arguments, exit_code=0):
        self.ortc("run", "m.onnx", *arguments, "--output-dir", "out")
        np.testing.assert_allclose(np.load(self.path("out/a_y_0.npy")), self.expected(self.x),
                                   rtol=1e-5, atol=1e-6)
        os.remove(self.path("out/a_y_0.npy"))

    def test_run__reads_archives_of_arrays_compressed_or_not(self):
        for save_archive in (np.savez, np.savez_compressed):
            save_archive(self.path("d.npz"), x=self.x)
            self.assert_runs_with("--input", "d.npz")
            self.assert_runs_with("--input", "x=d.npz")
            save_archive(self.path("d.npz"), self.x)  # one array, called arr_0
            self.assert_runs_with("--input", "x=d.npz")
            # Results that are kept with the inputs are no inputs.
            save_archive(self.path("d.npz"), **{"x": self.x, "a/y:0": self.x})
            self.assert_runs_with("--input", "d.npz")

    def test_run__reads_archives_that_other_programs_write(self):
        np.save(self.path("x.npy"), self.x)
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with zipfile.ZipFile(self.path("d.npz"), "w", method) as archive:
                archive.write(self.path("x.npy"), "x.npy")
                archive.comment = b"PK\5\6 is also how the end begins" * 100
            self.assert_runs_with("--input", "d.npz")

    def test_run__reads_archives_with_places_of_64_bits(self):
        np.savez(self.path("d.npz"), x=self.x)
        with open(self.path("d.npz"), "rb") as file:
            data = file.read()
        end = data.rindex(b"PK\5\6")
        count, size, offset = struct.unpack("<HII", data[end + 10:end + 20])
        end64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, offset)
        place = struct.pack("<IIQI", 0x07064B50, 0, end, 1)
        last = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
        entry = data[offset:end]
        name_size, extra_size = struct.unpack("<HH", entry[28:32])
        sizes = struct.unpack("<II", entry[20:28])
        extra = struct.pack("<HHQQQ", 1, 24, sizes[1], sizes[0], 0)
        entry64 = (entry[:20] + b"\xff" * 8 + struct.pack("<HH", name_size, len(extra)) +
                   entry[32:42] + b"\xff" * 4 + entry[46:46 + name_size] + extra)
        end = offset + len(entry64)
        end64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count,
                            len(entry64), offset)
        place = struct.pack("<IIQI", 0x07064B50, 0, end, 1)
        with open(self.path("d.npz"), "wb") as file:
            file.write(data[:offset] + entry64 + end64 + place + last)
        self.assert_runs_with("--input", "d.npz")

    def test_run__takes_an_archive_of_thousands_of_arrays_in_a_moment(self):
        names = [f"x{i}" for i in range(4000)]
        save(self.path("many.onnx"), [helper.make_node("Sum", names, ["y"])],
             [(name, FLOAT, [1]) for name in names], [("y", FLOAT, [1])])
        np.savez(self.path("d.npz"), **{name: np.ones(1, np.float32) for name in names})
        done = subprocess.run([ORTC, "run", "many.onnx", "--input", "d.npz", "--output-dir", "out"],
                              cwd=self.folder, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(np.load(self.path("out/y.npy")).tolist(), [4000])

    def test_run__says_what_is_wrong_with_an_archive(self):
        np.savez(self.path("d.npz"), y=self.x, z=self.x)
        self.ortc("run", "m.onnx", "--input", "d.npz", exit_code=2)
        self.assertIn("has no input 'y', it has 'x'", self.errors)
        self.ortc("run", "m.onnx", "--input", "x=d.npz", exit_code=2)
        self.assertIn("has no array 'x', it has 'y' 'z'", self.errors)
        np.savez(self.path("d.npz"), x=self.x)
        self.ortc("run", "m.onnx", "--input", "d.npz", "--input", "x=1", exit_code=2)
        self.assertIn("'x' twice", self.errors)
        self.ortc("run", "m.onnx", "--input", "none.npz", exit_code=1)
        self.assertIn("none.npz: No such file", self.errors)
        os.mkdir(self.path("folder.npz"))
        self.ortc("run", "m.onnx", "--input", "folder.npz", exit_code=1)
        with zipfile.ZipFile(self.path("d.npz"), "w") as archive:
            archive.writestr("readme.txt", "not an array")
        self.ortc("run", "m.onnx", "--input", "d.npz", exit_code=1)
        self.assertIn("'readme.txt' is not a .npy file", self.errors)
        with zipfile.ZipFile(self.path("d.npz"), "w", zipfile.ZIP_BZIP2) as archive:
            archive.write(self.path("m.onnx"), "x.npy")
        self.ortc("run", "m.onnx", "--input", "d.npz", exit_code=1)
        self.assertIn("compressed by method 12, expected none or deflate", self.errors)

    def test_run__refuses_archives_that_are_broken_in_any_byte(self):
        """A byte that matters is refused with a line; one that does not leaves the numbers alone."""
        x = np.arange(8, dtype=np.float32).reshape(1, 8)
        for save_archive in (np.savez, np.savez_compressed):
            save_archive(self.path("good.npz"), x=x)
            with open(self.path("good.npz"), "rb") as file:
                good = file.read()
            expected = self.ortc_json("run", "m.onnx", "--input", "good.npz")["outputs"]
            refused = 0
            for at in range(0, len(good), 5):
                with open(self.path("bad.npz"), "wb") as file:
                    file.write(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1:])
                done = subprocess.run([ORTC, "run", "m.onnx", "--input", "bad.npz", "--json"],
                                      cwd=self.folder, capture_output=True, text=True)
                self.assertIn(done.returncode, (0, 1, 2), (at, done.stderr))
                if done.returncode == 0:
                    self.assertIn(str(expected[0]["mean"]), done.stdout)
                else:
                    refused += 1
            self.assertGreater(refused, len(good) // 5 * 0.5)
            for size in range(0, len(good), 23):
                with open(self.path("bad.npz"), "wb") as file:
                    file.write(good[:size])
                self.ortc("run", "m.onnx", "--input", "bad.npz", exit_code=1)

    def test_run__reads_raw_bytes(self):
        self.x.tofile(self.path("x.bin"))
        self.assert_runs_with("--input", "x=raw:x.bin")  # the batch follows from the size
        self.assert_runs_with("--input", "x=raw:x.bin", "--shape", "x=4x8")
        self.assert_runs_with("--input", "x=raw:x.bin", "--dim", "batch=4")
        done = subprocess.run([ORTC, "run", "m.onnx", "--input", "x=raw:-", "--output-dir", "out"],
                              input=self.x.tobytes(), cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_allclose(np.load(self.path("out/a_y_0.npy")), self.expected(self.x),
                                   rtol=1e-5, atol=1e-6)

    def test_run__refuses_raw_bytes_that_do_not_fill_the_shape(self):
        self.x.tofile(self.path("x.bin"))
        open(self.path("none.bin"), "w").close()
        for words, text in ((["x=raw:x.bin", "--shape", "x=3x8"], "expected 96 bytes in x.bin, found more"),
                            (["x=raw:x.bin", "--shape", "x=5x8"], "expected 160 bytes in x.bin, found 128"),
                            (["x=raw:none.bin"], "has no bytes"),
                            (["x=raw:x.bin", "--shape", "x="], "expected 4 bytes")):
            self.ortc("run", "m.onnx", "--input", *words, exit_code=2)
            self.assertIn(text, self.errors)
        with open(self.path("x.bin"), "ab") as file:
            file.write(b"123")
        self.ortc("run", "m.onnx", "--input", "x=raw:x.bin", exit_code=2)
        self.assertIn("131 bytes, not a multiple of 4", self.errors)
        self.ortc("run", "m.onnx", "--input", "x=raw:missing.bin", exit_code=1)
        self.assertIn("missing.bin: No such file", self.errors)
        self.save_identities(s=(TensorProto.STRING, [1]))
        self.given("s=raw:x.bin", exit_code=1)
        self.assertIn("string from raw bytes", self.errors)

    def test_run__says_what_to_write_for_a_file_without_a_name(self):
        np.save(self.path("x.npy"), self.x)
        self.ortc("run", "m.onnx", "--input", "x.npy", exit_code=2)
        self.assertIn("hint: as in --input x=x.npy", self.errors)
        self.ortc("run", "m.onnx", "--input", "x=m.onnx", exit_code=1)
        self.assertIn("NAME=raw:FILE", self.errors)


class WantedTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        self.save_network()
        self.x = np.random.default_rng(4).standard_normal((2, 8), dtype=np.float32)
        np.save(self.path("x.npy"), self.x)

    def run_json(self, model, *arguments, **keywords):
        return self.ortc_json("run", model, "--input", "x=x.npy", *arguments, **keywords)

    def save_two_outputs(self):
        save(self.path("two.onnx"), [helper.make_node("Exp", ["x"], ["e"], name="exp"),
                                     helper.make_node("Neg", ["e"], ["n"], name="neg")],
             [("x", FLOAT, ["batch", 8])], [("e", FLOAT, ["batch", 8]), ("n", FLOAT, ["batch", 8])])

    def test_run__computes_the_outputs_that_are_asked_for(self):
        self.save_two_outputs()
        names = lambda *options: [output["name"] for output in
                                  self.run_json("two.onnx", *options)["outputs"]]
        self.assertEqual(names(), ["e", "n"])
        self.assertEqual(names("--output", "n"), ["n"])
        self.assertEqual(names("--output", "n", "--output", "e"), ["n", "e"])
        for options, text in ((["nn"], "no output 'nn', it has 'e' 'n'; did you mean 'n'?"),
                              (["n", "n"], "gives 'n' twice")):
            words = [word for name in options for word in ("--output", name)]
            self.ortc("run", "two.onnx", "--input", "x=x.npy", *words, exit_code=2)
            self.assertIn(text, self.errors)

    def test_run__dumps_what_nodes_inside_a_model_compute(self):
        xw = self.x @ self.w
        result = self.run_json("m.onnx", "--dump-node", "product,bias", "--dump-node", "relu",
                               "--output-dir", "out")
        self.assertEqual([output["name"] for output in result["outputs"]], ["a/y:0"])
        self.assertEqual([(value["node"], value["operator"], value["name"])
                          for value in result["node_values"]],
                         [("product", "MatMul", "xw"), ("bias", "Add", "sum"),
                          ("relu", "Relu", "a/y:0")])
        for name, expected in (("xw", xw), ("sum", xw + self.b),
                               ("a_y_0", np.maximum(xw + self.b, 0))):
            np.testing.assert_allclose(np.load(self.path(f"out/{name}.npy")), expected, rtol=1e-5,
                                       atol=1e-6)
        # By the name of the value, and without the outputs of the model being others.
        result = self.run_json("m.onnx", "--dump-node", "sum", "--output", "a/y:0")
        self.assertEqual([value["node"] for value in result["node_values"]], ["bias"])
        text = self.ortc("run", "m.onnx", "--input", "x=x.npy", "--dump-node", "product")
        self.assertRegex(text, r"value +node +operator .*\nxw +product +MatMul +float32 +\[2,5\]")

    def test_run__reads_several_arrays_of_a_pipe_in_the_order_of_the_command(self):
        self.save_identities(a=(FLOAT, [2]), b=(FLOAT, [2]))
        arrays = io.BytesIO()
        for value in (7, 9):
            np.save(arrays, np.full(2, value, np.float32))
        for first, second in ("ab", "ba"):
            done = subprocess.run(
                [ORTC, "run", "same.onnx", "--input", first + "=-", "--input", second + "=-",
                 "--json"], input=arrays.getvalue(), capture_output=True, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            means = {output["name"]: output["mean"] for output in json.loads(done.stdout)["outputs"]}
            self.assertEqual(means, {first + "_out": 7, second + "_out": 9})

    def test_dim__takes_any_name_of_a_dimension(self):
        save(self.path("dims.onnx"), [helper.make_node("Neg", ["x"], ["y"])],
             [("x", FLOAT, ["2N", "a,b", "3"])], [("y", FLOAT, None)])
        self.ortc("run", "dims.onnx", "--input", "x=zeros", "--dim", "2N=2", "--dim", "a,b=3",
                  "--dim", "3=1")
        self.ortc("run", "dims.onnx", "--input", "x=zeros", "--dim", "a=2", exit_code=2)
        self.assertIn("there is '2N' 'a,b' '3'", self.errors)

    def test_run__dumps_values_whose_names_have_commas(self):
        save(self.path("odd.onnx"), [helper.make_node("Exp", ["x"], ["a,b"], name="exp"),
                                     helper.make_node("Neg", ["a,b"], ["n"])],
             [("x", FLOAT, ["batch", 8])], [("n", FLOAT, ["batch", 8])])
        values = self.run_json("odd.onnx", "--dump-node", "a,b")["node_values"]
        self.assertEqual([value["node"] for value in values], ["exp"])

    def test_run__says_where_values_are_that_it_cannot_dump(self):
        self.ortc("compile", "m.onnx")
        words = ("--input", "x=x.npy", "--dump-node")
        self.ortc("run", "m_ctx.onnx", *words, "bias", exit_code=2)
        self.assertIn("but inside an EPContext node", self.errors)
        self.assertIn("ortc run m.onnx", self.errors)
        self.ortc("run", "m.onnx", *words, "bais", exit_code=2)
        self.assertIn("no node and no value 'bais'; did you mean 'bias'?", self.errors)
        self.ortc("run", "m.onnx", *words, "bias,", exit_code=2)
        self.assertIn("NAME[,NAME]", self.errors)
        self.ortc("run", "m_aot.bin", *words, "bias", exit_code=1)
        self.assertIn("context binary", self.errors)
        os.remove(self.path("m.onnx"))
        self.ortc("run", "m_ctx.onnx", *words, "bias", exit_code=2)
        self.assertIn("run the model that this was compiled from with", self.errors)
        # What an EPContext node gives is in the main graph.
        node = self.ortc_json("inspect", "m_ctx.onnx")["ep_context_nodes"][0]["node"]
        values = self.run_json("m_ctx.onnx", "--dump-node", node)["node_values"]
        self.assertEqual([value["name"] for value in values], ["a/y:0"])

    def test_run__does_not_take_a_value_of_a_body_for_one_of_the_main_graph(self):
        branch = lambda op: helper.make_graph(
            [helper.make_node(op, ["x"], [op + "_y"], name=op)], op, [],
            [helper.make_tensor_value_info(op + "_y", FLOAT, None)])
        save(self.path("if.onnx"),
             [helper.make_node("If", ["c"], ["y"], name="if", then_branch=branch("Exp"),
                               else_branch=branch("Neg"))],
             [("c", TensorProto.BOOL, []), ("x", FLOAT, [2, 8])], [("y", FLOAT, None)])
        words = ["run", "if.onnx", "--input", "x=x.npy", "--input", "c=true", "--dump-node"]
        for name in ("if/Exp", "Exp_y"):
            self.ortc(*words, name, exit_code=2)
            self.assertIn("values inside If, Loop and Scan", self.errors)
        np.save(self.path("c.npy"), True)
        self.assertIn("If", self.ortc(*words, "if"))


if __name__ == "__main__":
    unittest.main()
