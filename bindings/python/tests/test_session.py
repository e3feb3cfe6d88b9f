# SPDX-License-Identifier: MIT
"""Sessions: made, asked, run."""

import json
import os
import shutil
import threading
import unittest

import numpy
import ortc
from support import DATA, FolderCase, data, floats, model


class Running(unittest.TestCase):
    def test_a_session_gives_outputs_by_name(self):
        session = ortc.Session(data("matmul.onnx"))
        outputs = session.run({"x": floats(2, 4)})
        numpy.testing.assert_array_equal(
            outputs["y"], floats(2, 4) @ numpy.array([[3 * i + j for j in range(3)]
                                                      for i in range(4)], dtype=numpy.float32))
        self.assertEqual(list(outputs), ["y"])
        self.assertEqual(len(outputs), 1)
        self.assertIn("tensor(float)", repr(outputs))
        with self.assertRaisesRegex(KeyError, "no output 'z' among y"):
            outputs["z"]

    def test_an_inference_session_gives_a_list(self):
        session = ortc.InferenceSession(data("passing.onnx"))
        same, numbers = session.run(["same", "numbers"], {"x": floats(3)})
        numpy.testing.assert_array_equal(same, [0, 1, 2])
        numpy.testing.assert_array_equal(numbers, [7, 8, 9])
        self.assertEqual(len(session.run(None, {"x": floats(3)})), 3)

    def test_a_text_is_one_name_of_an_output(self):
        x = floats(3)
        found = ortc.InferenceSession(data("passing.onnx")).run("numbers", {"x": x})
        self.assertEqual([array.tolist() for array in found], [[7, 8, 9]])
        self.assertEqual(list(ortc.Session(data("passing.onnx")).run({"x": x}, "same")), ["same"])

    def test_no_names_mean_all_outputs(self):
        session, x = ortc.InferenceSession(data("passing.onnx")), floats(3)
        ended = threading.Event()
        heard = []

        def done(results, _, error):
            heard.append((len(results), error))
            ended.set()

        for none in (None, [], (), ""):
            self.assertEqual(len(session.run(none, {"x": x})), 3)
            values = session.run_with_ort_values(none, {"x": ortc.OrtValue.ortvalue_from_numpy(x)})
            self.assertEqual(len(values), 3)
            self.assertEqual(len(ortc.Session(data("passing.onnx")).run({"x": x}, none)), 3)
            ended.clear()
            session.run_async(none, {"x": x}, done, None)
            self.assertTrue(ended.wait(20))
        self.assertEqual(heard, [(3, "")] * 4)

    def test_few_sets_of_names_are_remembered(self):
        """A program may ask for other outputs each time, or for very many."""
        session = ortc.Session(data("matmul.onnx"))
        for count in range(1, 200):
            session.run({"x": floats(2, 4)}, ["y"] * count)
        self.assertLessEqual(len(session._plans), 32)
        self.assertIn((("x",), ("y",) * 199), session._plans)
        session.run({"x": floats(2, 4)}, ["y"] * 5000)
        self.assertNotIn((("x",), ("y",) * 5000), session._plans)

    def test_what_comes_out_belongs_to_the_caller(self):
        """Outputs that are inputs or constants of the model are copies."""
        session = ortc.InferenceSession(data("passing.onnx"))
        x = floats(3)
        same, copied, numbers = session.run(None, {"x": x})
        for array in (same, copied, numbers):
            array += 100
        numpy.testing.assert_array_equal(x, [0, 1, 2])
        numpy.testing.assert_array_equal(session.run(["numbers"], {"x": x})[0], [7, 8, 9])

    def test_values_go_in_and_come_out_as_they_are(self):
        session = ortc.Session(model("trivial.onnx"))
        value = ortc.OrtValue.ortvalue_from_numpy(floats(1, 4))
        first, = session.run_with_ort_values(["y"], {"x": value})
        again, = session.run_with_ort_values(None, {"x": first})
        numpy.testing.assert_array_equal(again.numpy(), [[2, 3, 4, 5]])

    def test_lists_and_numbers_become_what_the_model_wants(self):
        session = ortc.Session(model("trivial.onnx"))
        numpy.testing.assert_array_equal(session.run({"x": [[1, 2, 3, 4]]})["y"], [[2, 3, 4, 5]])

    def test_a_default_is_used_until_a_run_gives_something_else(self):
        session = ortc.Session(data("described.onnx"))
        numpy.testing.assert_array_equal(session.run({"x": floats(2)})["y"], [10, 21])
        numpy.testing.assert_array_equal(
            session.run({"x": floats(2), "bias": floats(2)})["y"], [0, 2])

    def test_an_array_in_another_order_is_copied(self):
        session = ortc.Session(data("matmul.onnx"))
        turned = numpy.asfortranarray(floats(4, 4))
        numpy.testing.assert_array_equal(session.run({"x": turned})["y"],
                                         session.run({"x": floats(4, 4)})["y"])
        swapped = floats(4, 4).astype(">f4")
        numpy.testing.assert_array_equal(session.run({"x": swapped})["y"],
                                         session.run({"x": floats(4, 4)})["y"])

    def test_no_rows_give_no_rows(self):
        session = ortc.Session(data("matmul.onnx"))
        self.assertEqual(session.run({"x": floats(0, 4)})["y"].shape, (0, 3))

    def test_wrong_names_types_and_shapes_are_said_with_both_sides(self):
        session = ortc.Session(model("trivial.onnx"))
        with self.assertRaisesRegex(ortc.InvalidArgument, "z"):
            session.run({"z": floats(1, 4)})
        with self.assertRaisesRegex(ortc.InvalidArgument, "double"):
            session.run({"x": numpy.zeros((1, 4))})
        with self.assertRaisesRegex(ortc.InvalidArgument, "5"):
            session.run({"x": floats(1, 5)})
        with self.assertRaises(ortc.InvalidArgument):
            session.run({"x": floats(1, 4)}, ["nothing"])
        with self.assertRaisesRegex(ortc.InvalidArgument, "input 'x'"):
            session.run({"x": [["one", "two", "three", "four"]]})
        with self.assertRaisesRegex(ortc.InvalidArgument, "None is not a value"):
            session.run({"x": None})
        with self.assertRaises(ortc.InvalidArgument):
            session.run({})
        # It runs as before.
        self.assertEqual(session.run({"x": floats(1, 4)})["y"].shape, (1, 4))

    def test_a_closed_session_says_so(self):
        session = ortc.Session(model("trivial.onnx"))
        with session:
            session.run({"x": floats(1, 4)})
        with self.assertRaisesRegex(ortc.InvalidArgument, "the Session is closed"):
            session.run({"x": floats(1, 4)})
        session.close()

    def test_outputs_outlive_the_session(self):
        with ortc.Session(model("trivial.onnx")) as session:
            y = session.run({"x": floats(1, 4)})["y"]
        del session
        numpy.testing.assert_array_equal(y, [[1, 2, 3, 4]])


class Making(FolderCase):
    def test_a_model_comes_from_a_path_a_path_object_or_bytes(self):
        content = (DATA / "matmul.onnx").read_bytes()
        for source in (data("matmul.onnx"), DATA / "matmul.onnx", content, bytearray(content),
                       memoryview(content)):
            session = ortc.Session(source)
            self.assertEqual(session.run({"x": floats(1, 4)})["y"].shape, (1, 3))

    def test_paths_may_have_any_letters(self):
        path = self.path("Größe – 大きさ.onnx")
        shutil.copy(data("matmul.onnx"), path)
        self.assertEqual(ortc.Session(path).run({"x": floats(1, 4)})["y"].shape, (1, 3))
        odd = os.fsencode(self.folder) + b"/\xff.onnx"
        shutil.copy(data("matmul.onnx"), odd)
        ortc.Session(os.fsdecode(odd))

    def test_what_is_no_model_is_refused(self):
        with self.assertRaises(ortc.NoSuchFile):
            ortc.Session(self.path("nothing.onnx"))
        with self.assertRaises(FileNotFoundError):
            ortc.Session(self.path("nothing.onnx"))
        with self.assertRaises(ortc.InvalidProtobuf):
            ortc.Session(b"\xff" * 100)
        with self.assertRaises(ortc.InvalidArgument):
            ortc.Session(b"")
        with self.assertRaisesRegex(ortc.NotImplemented, "Mystery"):
            ortc.Session(data("unknown_operator.onnx"))
        with self.assertRaises(TypeError):
            ortc.Session(17)
        with self.assertRaisesRegex(ValueError, "zero"):
            ortc.Session("a\0b.onnx")

    def test_providers_are_given_by_name_with_options(self):
        session = ortc.InferenceSession(model("first.onnx"), providers=["AOT"])
        self.assertEqual(session.get_providers(), ["AotExecutionProvider", "CPUExecutionProvider"])
        target = {"target": "x86-64-v3"}
        session = ortc.InferenceSession(model("first.onnx"), providers=[("AOT", target)])
        session = ortc.InferenceSession(model("first.onnx"), providers=["AOT"],
                                        provider_options=[target])
        self.assertEqual(session.get_provider_options(),
                         {"AotExecutionProvider": target, "CPUExecutionProvider": {}})
        with self.assertRaises(ortc.InvalidArgument):
            ortc.InferenceSession(model("first.onnx"), providers=["Mystery"])
        with self.assertRaisesRegex(ortc.InvalidArgument, "1 providers, but 2"):
            ortc.InferenceSession(model("first.onnx"), providers=["AOT"],
                                  provider_options=[{}, {}])

    def test_the_options_of_the_caller_stay_as_they_are(self):
        options = ortc.SessionOptions()
        ortc.Session(model("first.onnx"), options, providers=["AOT"])
        self.assertEqual(options.config_entries, {})
        session = ortc.Session(model("first.onnx"), options)
        self.assertEqual(session.get_providers(), ["CPUExecutionProvider"])

    def test_sessions_share_packed_weights(self):
        with ortc.PrepackedWeightsContainer() as container:
            first = ortc.Session(data("layers.onnx"), prepacked_weights=container)
            second = ortc.Session((DATA / "layers.onnx").read_bytes(),
                                  prepacked_weights=container)
        x = floats(2, 64)
        numpy.testing.assert_array_equal(first.run({"x": x})["y"], second.run({"x": x})["y"])

    def test_progress_of_a_load_is_heard(self):
        heard = []
        ortc.Session(model("first.onnx"), providers=["AOT"],
                     on_progress=lambda *event: heard.append(event))
        self.assertEqual(heard[0][0], "load")
        self.assertEqual((heard[-1][0], heard[-1][2]), ("done", 1.0))

    def test_progress_may_be_said_by_options(self):
        heard = []
        options = ortc.SessionOptions()
        options.set_load_progress(lambda stage, detail, fraction: heard.append(stage))
        ortc.Session(model("first.onnx"), options)
        self.assertIn("done", heard)
        count = len(heard)
        options.set_load_progress(None)
        ortc.Session(model("first.onnx"), options)
        self.assertEqual(len(heard), count)

    def test_the_optimised_model_can_be_written(self):
        options = ortc.SessionOptions()
        options.optimized_model_filepath = self.path("optimised.onnx")
        self.assertEqual(options.optimized_model_filepath, self.path("optimised.onnx"))
        ortc.Session(data("foldable.onnx"), options)
        ortc.Session(self.path("optimised.onnx"))


class Asking(FolderCase):
    def test_inputs_and_outputs_are_described(self):
        session = ortc.InferenceSession(data("described.onnx"))
        self.assertEqual([argument.name for argument in session.get_inputs()], ["x"])
        self.assertEqual([argument.name for argument in session.get_overridable_initializers()],
                         ["bias"])
        output, = session.get_outputs()
        self.assertEqual((output.name, output.type, output.shape), ("y", "tensor(float)", [2]))
        session = ortc.InferenceSession(data("sums.onnx"))
        self.assertEqual([argument.shape for argument in session.get_inputs()], [["n"], ["n"], []])

    def test_types_that_are_not_tensors_are_described(self):
        session = ortc.Session(data("containers.onnx"))
        self.assertEqual([argument.type for argument in session.get_inputs()],
                         ["seq(tensor(float))", "optional(tensor(float))"])
        session = ortc.Session(data("labels.onnx"))
        self.assertEqual(session.get_outputs()[0].type, "seq(map(string,tensor(float)))")

    def test_metadata_tell_what_the_model_says(self):
        meta = ortc.Session(data("described.onnx")).get_modelmeta()
        self.assertEqual(meta.producer_name, "a maker")
        self.assertEqual(meta.graph_name, "the graph")
        self.assertEqual(meta.graph_description, "adds a bias")
        self.assertEqual(meta.domain, "example.org")
        self.assertEqual(meta.description, "a described model")
        self.assertEqual(meta.version, 7)
        self.assertEqual(meta.custom_metadata_map, {"colour": "blue", "form": "round"})

    def test_opsets_are_told(self):
        session = ortc.Session(data("labels.onnx"))
        self.assertEqual(session.get_opset("ai.onnx.ml"), 1)
        with self.assertRaises(ortc.Fail):
            session.get_opset("nobody")

    def test_reports_are_json(self):
        session = ortc.Session(model("digits_ctx.onnx"), providers=["AOT"])
        self.assertEqual(json.loads(session.report_json)["loaded_from_context"], True)
        self.assertGreater(session.report["weight_bytes"], 0)
        memory = session.memory_report
        self.assertIn("mapped_bytes", memory)
        self.assertIn("files", json.loads(session.memory_report_json))

    def test_nodes_tell_their_provider(self):
        options = ortc.SessionOptions()
        options["session.record_ep_graph_assignment_info"] = 1
        session = ortc.Session(data("layers.onnx"), options, providers=["AOT"])
        part, = session.get_ep_graph_assignment_info()
        self.assertEqual(part.ep_name, "AotExecutionProvider")
        self.assertEqual([node.op_type for node in part.nodes], ["MatMul", "Relu", "MatMul"])
        self.assertEqual([node.name for node in part.nodes], ["first", "cut", "second"])
        self.assertEqual({node.domain for node in part.nodes}, {""})
        with self.assertRaises(ortc.Fail):
            ortc.Session(data("layers.onnx")).get_ep_graph_assignment_info()

    def test_memories_and_devices_of_values_are_told(self):
        session = ortc.Session(data("layers.onnx"))
        self.assertEqual([info.name for info in session.get_input_memory_infos()], ["Cpu"])
        self.assertEqual([info.name for info in session.get_output_memory_infos()], ["Cpu"])
        for device in session.get_input_epdevices() + session.get_output_epdevices():
            self.assertEqual(device.ep_name, "CPUExecutionProvider")
        read, unread = ortc.Session(model("unread.onnx")).get_input_epdevices()
        self.assertEqual(read.ep_name, "CPUExecutionProvider")
        self.assertIsNone(unread)

    def test_a_profile_is_written(self):
        options = ortc.SessionOptions()
        options.profile_file_prefix = self.path("profile")
        options.enable_profiling = True
        session = ortc.Session(data("layers.onnx"), options)
        self.assertGreater(session.get_profiling_start_time_ns(), 0)
        session.run({"x": floats(1, 64)})
        path = session.end_profiling()
        with open(path, encoding="utf-8") as file:
            self.assertGreater(len(json.load(file)), 0)
        options.enable_profiling = False
        session = ortc.Session(data("layers.onnx"), options)
        self.assertEqual(session.get_profiling_start_time_ns(), 0)
        self.assertEqual(session.end_profiling(), "")

    def test_dynamic_options_are_checked(self):
        session = ortc.Session(data("layers.onnx"))
        session.set_ep_dynamic_options({"ep.dynamic.workload_type": "Efficient"})
        with self.assertRaises(ortc.InvalidArgument):
            session.set_ep_dynamic_options({"ep.dynamic.nothing": "1"})

    def test_the_options_of_a_session_are_copied(self):
        options = ortc.SessionOptions()
        options.intra_op_num_threads = 2
        session = ortc.Session(data("layers.onnx"), options)
        self.assertEqual(session.get_session_options().intra_op_num_threads, 2)


if __name__ == "__main__":
    unittest.main()
