# SPDX-License-Identifier: MIT
"""The programs of README.md, and those of ONNX Runtime's design of compiled models, where a copy of
that document lies near the project."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import sys
import types
import unittest
from unittest import mock

import numpy
import ortc
from support import ROOT, FolderCase, data, model

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def design():
    """ep-context-design.md; None where there is none."""
    for folder in ROOT.parents[:2]:
        for path in folder.glob("*/*/ep-context-design.md"):
            return path.read_text(encoding="utf-8")
    return None


class FolderAsCurrent(FolderCase):
    def setUp(self):
        super().setUp()
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)


class Readme(FolderAsCurrent):
    def test_its_programs_run_one_after_the_other(self):
        for name, source in (("model", data("matmul.onnx")), ("prefill", model("first.onnx")),
                             ("decode", model("second.onnx"))):
            shutil.copy(source, f"{name}.onnx")
        blocks = BLOCK.findall(README.read_text(encoding="utf-8"))
        self.assertGreater(len(blocks), 8)
        names = {"__name__": "readme"}
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            for number, block in enumerate(blocks, 1):
                exec(compile(block, f"README.md, program {number}", "exec"), names)
        for line in ("x tensor(float) ['rows', 4]", "made", "here", "cancelled", "100% done"):
            self.assertIn(line, printed.getvalue().splitlines())

    def test_it_has_the_headings_of_every_language(self):
        found = re.findall(r"^## (.*)$", README.read_text(encoding="utf-8"), re.M)
        self.assertEqual(found, [
            "Install", "First program", "Compile once, load fast", "Share weights",
            "Model packages", "Cancel and progress", "Errors", "Threads and lifetimes",
            "Values without copies", "Operators of your own", "Finding the native library",
            "Service", "Not there yet", "Versions"])


def contoso(provider):
    """What the document's programs import: a vendor's package with the path of its library, which
    is that of the sample provider, and the name of its provider."""
    package = types.ModuleType("onnxruntime_ep_contoso_ai")
    package.get_library_path = lambda: os.environ["ORTC_PROVIDER_LIBRARY"]
    package.get_ep_names = lambda: [provider]
    return {"onnxruntime": ortc, "onnxruntime_ep_contoso_ai": package}


def sample_provider():
    """The name of the provider in that library."""
    env = ortc.Env()
    env.register_execution_provider_library("asked.virtual", os.environ["ORTC_PROVIDER_LIBRARY"])
    return env.get_ep_devices()[-1].ep_name


@unittest.skipIf(design() is None, "ep-context-design.md is not there")
class Design(FolderAsCurrent):
    """Four programs, run word for word. They have slips of their own, for which names are given:
    the first uses `os`, the last `num_models` and `onnxrt`, without saying what these are."""

    def setUp(self):
        super().setUp()
        self.blocks = BLOCK.findall(design())
        self.assertEqual(len(self.blocks), 4)
        shutil.copy(model("first.onnx"), "input_model.onnx")
        shutil.copy(model("first.onnx"), "input_model_0.onnx")
        shutil.copy(model("second.onnx"), "input_model_1.onnx")
        self.ones = {"x": numpy.ones((1, 256), numpy.float32)}

    def run_block(self, number, modules, **names):
        with mock.patch.dict(sys.modules, modules):
            exec(compile(self.blocks[number], f"program {number}", "exec"), names)
        return names

    def test_a_stream_and_a_function_for_initializers(self):
        self.run_block(0, {"onnxruntime": ortc}, os=os)
        self.assertEqual(self.files()[-2:], ["output_model.bin", "output_model.onnx"])
        self.assertEqual(os.path.getsize("output_model.bin"), (256 * 256 + 256 * 4) * 4)
        numpy.testing.assert_array_equal(
            ortc.Session("output_model.onnx").run(self.ones)["y"],
            ortc.Session("input_model.onnx").run(self.ones)["y"])

    def test_initializers_that_stay_where_they_are(self):
        self.run_block(0, {"onnxruntime": ortc}, os=os)
        names = {"ort": ortc}
        exec("if True:\n" + self.blocks[1], names)
        ortc.ModelCompiler(
            ortc.SessionOptions(), "output_model.onnx",
            get_initializer_location_func=names["output_model_onnx_initializer_handler"]
        ).compile_to_file("again.onnx")
        numpy.testing.assert_array_equal(ortc.Session("again.onnx").run(self.ones)["y"],
                                         ortc.Session("input_model.onnx").run(self.ones)["y"])

    def test_cross_compilation_for_a_virtual_device(self):
        before = ortc.get_ep_devices()
        names = self.run_block(2, contoso(sample_provider()))
        self.assertNotIn("model_compiler", names)
        self.assertEqual(ortc.get_ep_devices(), before)
        self.assertIn("EPContext",
                      [node.op_type for node in ortc.Graph("output_model.onnx").nodes])

    def test_weight_sharing(self):
        """The sample provider has virtual devices only, which this program does not allow: it
        compiles for the AOT provider."""
        self.run_block(3, contoso("AotExecutionProvider"), num_models=2, onnxrt=ortc)
        for name in ("output_model_0.onnx", "output_model_1.onnx"):
            ortc.Session(name, providers=["AOT"]).run(self.ones)
        self.assertEqual(len([name for name in self.files() if name.endswith(".bin")]), 1)


if __name__ == "__main__":
    unittest.main()
