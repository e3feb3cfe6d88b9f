# SPDX-License-Identifier: MIT
"""Options of sessions and of runs, adapters, bindings."""

import glob
import unittest

import numpy
import ortc
from ortc import ExecutionMode, GraphOptimizationLevel, config_keys
from support import FolderCase, data, floats, model


class SessionOptions(unittest.TestCase):
    def test_options_are_properties_with_defaults(self):
        options = ortc.SessionOptions()
        for name, otherwise, other in (
                ("graph_optimization_level", GraphOptimizationLevel.ORT_ENABLE_ALL,
                 GraphOptimizationLevel.ORT_DISABLE_ALL),
                ("intra_op_num_threads", 0, 2), ("inter_op_num_threads", 0, 1),
                ("execution_mode", ExecutionMode.ORT_SEQUENTIAL, ExecutionMode.ORT_PARALLEL),
                ("enable_mem_pattern", True, False), ("enable_cpu_mem_arena", True, False),
                ("use_deterministic_compute", False, True), ("logid", "", "mine"),
                ("log_severity_level", -1, 3), ("log_verbosity_level", 0, 2)):
            self.assertEqual(getattr(options, name), otherwise, name)
            setattr(options, name, other)
            self.assertEqual(getattr(options, name), other, name)
        for name in ("enable_mem_pattern", "enable_cpu_mem_arena"):
            setattr(options, name, True)
        ortc.Session(data("matmul.onnx"), options)
        copied = options.copy()
        self.assertEqual((copied.logid, copied.execution_mode),
                         ("mine", ExecutionMode.ORT_PARALLEL))
        with self.assertRaises(ortc.InvalidArgument):
            options.intra_op_num_threads = -1
        with self.assertRaises(ortc.InvalidArgument):
            options.graph_optimization_level = 55
        self.assertEqual(options.intra_op_num_threads, 2)

    def test_names_that_options_do_not_have_are_refused(self):
        class Mine(ortc.SessionOptions):
            """A class of the program may have what it likes."""

        Mine().note = "mine"
        info = ortc.OrtMemoryInfo()
        for options, names in ((ortc.SessionOptions(), ("intra_op_num_thread", "enable_mem_reuse",
                                                        "execution_order", "add_provider")),
                               (ortc.RunOptions(), ("only_execute_path_to_fetches", "log_id")),
                               (ortc.ThreadingOptions(), ("allow_spinning",)),
                               (info, ("name", "id")), (ortc.OrtArenaCfg(), ("max_mem",))):
            for name in names:
                with self.assertRaises(AttributeError, msg=name):
                    setattr(options, name, 1)
        unmade = ortc.SessionOptions.__new__(ortc.SessionOptions)
        with self.assertRaises(ortc.InvalidArgument):
            unmade.add_provider("AOT")

    def test_config_entries_are_items(self):
        options = ortc.SessionOptions()
        key = config_keys.kOrtSessionOptionEpContextEmbedMode
        self.assertNotIn(key, options)
        options[key] = True
        self.assertIn(key, options)
        self.assertEqual((options[key], options.get_session_config_entry(key)), ("1", "1"))
        self.assertEqual(list(options), [key])
        options.add_session_config_entry(key, "0")
        self.assertEqual(options.config_entries, {key: "0"})
        with self.assertRaises(KeyError):
            options["session.log_id"]
        with self.assertRaises(ortc.Fail):
            options.get_session_config_entry("session.log_id")
        with self.assertRaisesRegex(ortc.InvalidArgument, "ep.context_enable"):
            options["ep.context_enabel"] = "1"
        with self.assertRaises(ortc.InvalidArgument):
            options[key] = "perhaps"
        self.assertTrue(options.has_session_config_entry(key))

    def test_dimensions_are_fixed_by_name_and_denotation(self):
        options = ortc.SessionOptions()
        options.add_free_dimension_override_by_name("rows", 2)
        self.assertEqual(ortc.Session(data("matmul.onnx"), options).get_inputs()[0].shape, [2, 4])
        options = ortc.SessionOptions()
        options.add_free_dimension_override_by_denotation("DATA_BATCH", 3)
        self.assertEqual(ortc.Session(data("foldable.onnx"), options).get_inputs()[0].shape,
                         [3, 2])
        with self.assertRaises(ortc.InvalidArgument):
            options.add_free_dimension_override_by_name("rows", -2)


class RunOptions(FolderCase):
    def setUp(self):
        super().setUp()
        self.session = ortc.Session(model("trivial.onnx"))
        self.feed = {"x": floats(1, 4)}

    def test_options_are_properties(self):
        options = ortc.RunOptions()
        self.assertEqual((options.logid, options.log_severity_level, options.log_verbosity_level,
                          options.terminate), ("", -1, 0, False))
        options.logid, options.log_severity_level, options.log_verbosity_level = "größe", 3, 2
        self.assertEqual((options.logid, options.log_severity_level, options.log_verbosity_level),
                         ("größe", 3, 2))
        self.session.run(self.feed, run_options=options)
        options.close()
        with self.assertRaisesRegex(ortc.InvalidArgument, "RunOptions is closed"):
            self.session.run(self.feed, run_options=options)

    def test_terminate_stops_runs_until_it_is_cleared(self):
        options = ortc.RunOptions()
        options.terminate = True
        with self.assertRaises(ortc.RunCancelled):
            self.session.run(self.feed, run_options=options)
        options.terminate = False
        self.session.run(self.feed, run_options=options)

    def test_config_entries_are_items(self):
        options = ortc.RunOptions()
        key = "memory.enable_memory_arena_shrinkage"
        options[key] = "cpu:0"
        self.assertEqual((options[key], options.get_run_config_entry(key)), ("cpu:0", "cpu:0"))
        options.add_run_config_entry(key, "")
        with self.assertRaises(KeyError):
            options["gpu_graph_id"]
        with self.assertRaises(ortc.InvalidArgument):
            options["nothing"] = "1"

    def test_each_run_has_a_profile(self):
        options = ortc.RunOptions()
        options.enable_profiling(self.path("run"))
        self.session.run(self.feed, run_options=options)
        self.assertEqual(len(glob.glob(self.path("run*.json"))), 1)
        options.disable_profiling()
        self.session.run(self.feed, run_options=options)
        self.assertEqual(len(glob.glob(self.path("run*.json"))), 1)

    def test_an_adapter_feeds_inputs(self):
        session = ortc.Session(data("described.onnx"))
        plain = session.run({"x": floats(2)})["y"]
        with open(data("bias.onnx_adapter"), "rb") as file:
            content = file.read()
        results = []
        for source in (data("bias.onnx_adapter"), content):
            options = ortc.RunOptions()
            adapter = ortc.LoraAdapter(source, ortc.Allocator.default())
            options.add_active_adapter(adapter)
            adapter.close()
            results.append(session.run({"x": floats(2)}, run_options=options)["y"])
        numpy.testing.assert_array_equal(results[0], results[1])
        self.assertFalse((results[0] == plain).all())
        with self.assertRaises(ortc.Fail):
            ortc.LoraAdapter(b"nonsense")
        with self.assertRaises(ortc.NoSuchFile):
            ortc.LoraAdapter(self.path("nothing"))


class Bindings(unittest.TestCase):
    def setUp(self):
        self.session = ortc.InferenceSession(data("matmul.onnx"))
        self.binding = self.session.io_binding()

    def test_results_go_into_bound_memory(self):
        x, y = floats(2, 4), numpy.zeros((2, 3), numpy.float32)
        self.binding.bind_cpu_input("x", x)
        self.binding.bind_ortvalue_output("y", ortc.OrtValue.ortvalue_from_numpy(y))
        self.binding.synchronize_inputs()
        self.session.run_with_iobinding(self.binding)
        self.binding.synchronize_outputs()
        numpy.testing.assert_array_equal(y, self.session.run(None, {"x": x})[0])
        x[:] = 1
        self.session.run_with_iobinding(self.binding, ortc.RunOptions())
        numpy.testing.assert_array_equal(y, self.session.run(None, {"x": x})[0])
        self.assertEqual(self.binding.get_outputs()[0].data_ptr(), y.ctypes.data)

    def test_results_do_not_go_into_memory_that_is_read_only(self):
        y = numpy.zeros((2, 3), numpy.float32)
        y.flags.writeable = False
        with self.assertRaisesRegex(ortc.InvalidArgument, "read-only"):
            self.binding.bind_ortvalue_output("y", ortc.OrtValue.ortvalue_from_numpy(y))
        self.assertEqual(self.binding.get_output_names(), [])

    def test_results_of_unknown_shape_are_made(self):
        self.binding.bind_ortvalue_input("x", ortc.OrtValue.ortvalue_from_numpy(floats(2, 4)))
        self.assertEqual(self.binding.get_output_names(), [])
        self.assertEqual(self.binding.get_outputs(), [])
        self.binding.bind_output("y", ortc.OrtMemoryInfo.cpu())
        self.binding.bind_output("y")
        self.assertEqual(self.binding.get_output_names(), ["y"])
        self.session.run_with_iobinding(self.binding)
        first, = self.binding.copy_outputs_to_cpu()
        self.session.run_with_iobinding(self.binding)
        self.assertEqual(first.shape, (2, 3))
        self.binding.clear_binding_outputs()
        self.assertEqual(self.binding.get_output_names(), [])
        self.binding.clear_binding_inputs()

    def test_memory_of_the_program_is_bound_by_its_address(self):
        x, y = floats(2, 4), numpy.zeros((2, 3), numpy.float32)
        self.binding.bind_input("x", "cpu", 0, numpy.float32, (2, 4), x.ctypes.data)
        self.binding.bind_output("y", "cpu", 0, "float", [2, 3], y.ctypes.data)
        self.session.run_with_iobinding(self.binding)
        numpy.testing.assert_array_equal(y, self.session.run(None, {"x": x})[0])
        self.binding.bind_output("y", device_type="cpu")
        self.session.run_with_iobinding(self.binding)
        self.assertNotEqual(self.binding.get_outputs()[0].data_ptr(), y.ctypes.data)
        self.binding.bind_output("y", memory_info=ortc.OrtMemoryInfo.cpu())
        self.binding.bind_output("y", None)

    def test_addresses_without_a_shape_or_a_device_are_refused(self):
        address = numpy.zeros(8, numpy.float32).ctypes.data
        for call in (
                lambda: self.binding.bind_input("x", "cuda", 0, "float", (2, 4), address),
                lambda: self.binding.bind_input("x", "cpu", 0, "float", (-2, 4), address),
                lambda: self.binding.bind_input("x", "cpu", 0, "float", (2, 4), 0),
                lambda: self.binding.bind_input("x", "cpu", 0, "float", (2**62, 4), address),
                lambda: self.binding.bind_output("y", "cuda"),
                lambda: self.binding.bind_output("y", buffer_ptr=address),
                lambda: self.binding.bind_output("y", element_type="float", buffer_ptr=address)):
            with self.assertRaises(ortc.InvalidArgument):
                call()

    def test_an_array_in_another_order_is_copied_when_it_is_bound(self):
        x = floats(4, 2).T
        expected = self.session.run(None, {"x": x})[0]
        self.binding.bind_cpu_input("x", x)
        x[:] = 100
        self.binding.bind_output("y")
        self.session.run_with_iobinding(self.binding)
        numpy.testing.assert_array_equal(self.binding.copy_outputs_to_cpu()[0], expected)

    def test_mistakes_are_said(self):
        with self.assertRaises(ortc.Fail):
            self.binding.bind_cpu_input("nothing", floats(1))
        self.binding.bind_output("nothing")
        self.binding.bind_cpu_input("x", floats(2, 4))
        with self.assertRaises(ortc.Error):
            self.session.run_with_iobinding(self.binding)
        options = ortc.RunOptions()
        options.terminate = True
        self.binding.clear_binding_outputs()
        self.binding.bind_output("y")
        with self.assertRaises(ortc.RunCancelled):
            self.session.run_with_iobinding(self.binding, options)
        self.assertTrue(options.terminate)

    def test_names_of_several_outputs_come_apart(self):
        session = ortc.InferenceSession(data("passing.onnx"))
        binding = session.io_binding()
        for name in ("same", "numbers", "copied"):
            binding.bind_output(name)
        self.assertEqual(binding.get_output_names(), ["same", "numbers", "copied"])


if __name__ == "__main__":
    unittest.main()
