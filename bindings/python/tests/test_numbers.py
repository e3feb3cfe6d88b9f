# SPDX-License-Identifier: MIT
"""Numbers that C has no room for are refused; none wraps around."""

import unittest

import ortc
from support import FolderCase, aot, data

WIDE = 2**32 + 1
LONG = 2**64 + 3


class Settings(unittest.TestCase):
    def refused(self, call, *arguments, **settings):
        with self.assertRaisesRegex(ortc.InvalidArgument, "must be from|must be a number"):
            call(*arguments, **settings)

    def test_of_sessions_do_not_wrap(self):
        options = ortc.SessionOptions()
        for name in ("intra_op_num_threads", "inter_op_num_threads", "log_severity_level",
                     "log_verbosity_level", "graph_optimization_level", "execution_mode"):
            before = getattr(options, name)
            for number in (WIDE, -WIDE, LONG):
                with self.subTest(name=name, number=number):
                    self.refused(setattr, options, name, number)
            self.assertEqual(getattr(options, name), before)
        self.refused(options.add_free_dimension_override_by_name, "rows", LONG)
        self.refused(options.add_free_dimension_override_by_denotation, "DATA_BATCH", LONG)
        session = ortc.InferenceSession(data("matmul.onnx"), options)
        self.assertEqual(session.get_inputs()[0].shape[0], "rows")
        self.refused(session.release_captured_graph, WIDE)

    def test_of_runs_threads_and_environments_do_not_wrap(self):
        for name in ("log_severity_level", "log_verbosity_level"):
            self.refused(setattr, ortc.RunOptions(), name, WIDE)
        self.refused(ortc.ThreadingOptions, intra_op_num_threads=WIDE)
        self.refused(ortc.ThreadingOptions, inter_op_num_threads=WIDE)
        self.refused(ortc.Env, WIDE)
        self.refused(ortc.set_default_logger_severity, WIDE)

    def test_of_memory_and_places_do_not_wrap(self):
        self.refused(ortc.OrtMemoryInfo, device_id=WIDE)
        self.refused(ortc.Allocator.default().alloc, -1)
        self.refused(ortc.OrtExternalInitializerInfo, "w.bin", 2**63, 1)
        self.refused(ortc.OrtExternalInitializerInfo, "w.bin", 0, -1)
        self.refused(ortc.prune_context_cache, "nothing", -1)
        self.refused(ortc.Model, {"": WIDE})

    def test_of_files_and_operators_do_not_wrap(self):
        self.refused(ortc.inspect, data("matmul.onnx"), 2**32)
        self.refused(ortc.pack, data("matmul.onnx"), "packed_ctx.onnx", -1)
        with self.assertRaises(ortc.InvalidArgument):
            ortc.onnx_op("Wide", inputs=[], outputs=["float"], since_version=WIDE)(lambda: None)


class Compiling(FolderCase):
    def refused(self, **settings):
        compiler = ortc.ModelCompiler(aot(), data("matmul.onnx"), **settings)
        with self.assertRaisesRegex(ortc.InvalidArgument, "must be"):
            compiler.compile_to_file(self.path("m_ctx.onnx"))
        self.assertEqual(self.files(), [])

    def test_has_no_numbers_that_wrap(self):
        self.refused(flags=2**32)
        self.refused(flags=-1)
        self.refused(graph_optimization_level=WIDE)
        self.refused(external_initializers_file_path=self.path("w.bin"),
                     external_initializers_size_threshold=-1)

    def test_has_deadlines_in_seconds(self):
        for deadline in (-1, -0.001, 1e18, 1e306, 10**400, float("inf"), float("-inf"), float("nan")):
            with self.subTest(deadline=deadline):
                self.refused(deadline=deadline)
        for deadline in (1e9, 100):
            ortc.ModelCompiler(aot(), data("matmul.onnx"), deadline=deadline).compile_to_file(
                self.path("m_ctx.onnx"))


if __name__ == "__main__":
    unittest.main()
