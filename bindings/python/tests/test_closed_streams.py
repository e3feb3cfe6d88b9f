# SPDX-License-Identifier: MIT
"""Programs that closed their standard streams: what is printed to them lands in no file."""

import itertools
import subprocess
import sys
import unittest

import numpy
import ortc
from support import FolderCase, aot

PROGRAM = """
import os, sys, ortc
for stream in sys.argv[3:]:
    os.close(int(stream))
env = ortc.Env(ortc.OrtLoggingLevel.VERBOSE, logger=False)      # which prints to stderr
options = ortc.SessionOptions()
options.add_provider("AOT")
ortc.ModelCompiler(options, sys.argv[1], env=env).compile_to_file(sys.argv[2])
os._exit(0)
"""
WIDTH = 512


class ClosedStreams(FolderCase):
    def save_model(self):
        """Weights that are packed in a file without a name."""
        model = ortc.Model({"": 17})
        model.set_inputs([("x", ortc.TypeInfo.tensor("float", ["n", WIDTH]))])
        model.set_outputs([("y", ortc.TypeInfo.tensor("float", ["n", WIDTH]))])
        rng = numpy.random.default_rng(5)
        names = ["x", "a", "b", "y"]
        for i in range(3):
            weight = rng.standard_normal((WIDTH, WIDTH), dtype=numpy.float32)
            model.add_initializer(f"w{i}", weight)
            model.add_node("MatMul", [names[i], f"w{i}"], [names[i + 1]])
        options = ortc.SessionOptions()
        options.graph_optimization_level = ortc.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.optimized_model_filepath = self.path("m.onnx")
        return ortc.session_from_model(model, options)

    def test_contexts_are_right_whatever_is_closed(self):
        session = self.save_model()
        x = numpy.random.default_rng(6).standard_normal((2, WIDTH), dtype=numpy.float32)
        expected = session.run({"x": x})["y"]
        for count in (1, 2, 3):
            for closed in itertools.combinations("012", count):
                with self.subTest(closed=closed):
                    context = self.path(f"m{''.join(closed)}_ctx.onnx")
                    subprocess.run([sys.executable, "-c", PROGRAM, self.path("m.onnx"), context,
                                    *closed], check=True, capture_output=True)
                    found = ortc.Session(context, aot()).run({"x": x})["y"]
                    numpy.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-2)


if __name__ == "__main__":
    unittest.main()
