# SPDX-License-Identifier: MIT
"""Compiling: files, bytes and streams; what is embedded, what is moved; progress, limits,
reports."""

import gc
import json
import os
import shutil
import threading
import unittest
import weakref

import numpy
import ortc
from ortc import GraphOptimizationLevel, OrtCompileApiFlags, OrtExternalInitializerInfo
from support import DATA, FolderCase, aot, data, floats, model

ONES = numpy.ones((1, 256), numpy.float32)


def expected(name="first"):
    return ortc.Session(model(f"{name}.onnx")).run({"x": ONES})["y"]


class Compiling(FolderCase):
    def check(self, session):
        self.assertTrue(session.report["loaded_from_context"])
        numpy.testing.assert_allclose(session.run({"x": ONES})["y"], expected(), rtol=1e-5)

    def test_a_file_becomes_a_file(self):
        compiler = ortc.ModelCompiler(aot(), model("first.onnx"))
        compiler.compile_to_file(self.path("first_ctx.onnx"))
        self.assertEqual(self.files(), ["first_aot.bin", "first_ctx.onnx"])
        self.check(ortc.Session(self.path("first_ctx.onnx"), providers=["AOT"]))
        self.assertEqual(compiler.report, json.loads(compiler.report_json))
        self.assertTrue(compiler.report["ok"])

    def test_the_output_is_named_after_the_input(self):
        shutil.copy(model("first.onnx"), self.path("m.onnx"))
        ortc.compile_model(self.path("m.onnx"))
        self.assertEqual(self.files(), ["m.onnx", "m_aot.bin", "m_ctx.onnx"])

    def test_names_may_have_any_letters(self):
        shutil.copy(model("first.onnx"), self.path("größe 大.onnx"))
        ortc.compile_model(self.path("größe 大.onnx"))
        self.check(ortc.Session(self.path("größe 大_ctx.onnx"), providers=["AOT"]))

    def test_bytes_become_bytes(self):
        with open(model("first.onnx"), "rb") as file:
            content = file.read()
        compiled = ortc.ModelCompiler(aot(), content, True).compile_to_bytes()
        self.assertIsInstance(compiled, bytes)
        self.check(ortc.Session(compiled, providers=["AOT"]))
        self.assertEqual(self.files(), [])

    def test_a_stream_gets_pieces_of_bytes(self):
        pieces = []
        ortc.ModelCompiler(aot(), model("first.onnx"), True).compile_to_stream(pieces.append)
        self.assertTrue(all(isinstance(piece, bytes) and 0 < len(piece) <= 1 << 20
                            for piece in pieces))
        self.check(ortc.Session(b"".join(pieces), providers=["AOT"]))

    def test_a_function_that_takes_less_gets_the_rest(self):
        taken = bytearray()

        def take(piece):
            taken.extend(piece[:1000])
            return min(len(piece), 1000)

        compiler = ortc.ModelCompiler(aot(), model("first.onnx"), True)
        compiler.compile_to_stream(take)
        self.check(ortc.Session(bytes(taken), providers=["AOT"]))
        for wrong in (0, -1, 1 << 40):
            with self.assertRaisesRegex(OSError, f"took {wrong} of"):
                compiler.compile_to_stream(lambda piece, wrong=wrong: wrong)

    def test_a_pipe_that_is_full_and_does_not_block_is_an_error(self):
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        compiler = ortc.ModelCompiler(aot(), model("first.onnx"), True)
        with open(reading, "rb"), open(writing, "wb", buffering=0) as pipe:
            with self.assertRaises(BlockingIOError):
                compiler.compile_to_stream(pipe.write)

    def test_a_binary_goes_where_the_caller_says(self):
        compiler = ortc.ModelCompiler(aot(), model("first.onnx"),
                                      context_binary_information=(self.folder, "named.onnx"))
        compiled = compiler.compile_to_bytes()
        self.assertEqual(self.files(), ["named_aot.bin"])
        options = aot()
        options["ep.context_file_path"] = self.path("named_ctx.onnx")
        self.check(ortc.Session(compiled, options))

    def test_functions_take_and_give_context_data(self):
        kept = {}
        ortc.ModelCompiler(aot(), model("first.onnx"),
                           context_data_writer=kept.__setitem__).compile_to_file(
                               self.path("first_ctx.onnx"))
        self.assertEqual(self.files(), ["first_ctx.onnx"])
        self.assertEqual(list(kept), ["first_aot.bin"])
        for kind in (bytes, bytearray, memoryview):
            options = aot()
            options.set_context_data_reader(lambda name, of=kind: of(kept[name]))
            self.check(ortc.Session(self.path("first_ctx.onnx"), options))
        options.set_context_data_reader(None)
        with self.assertRaises(ortc.Error):
            ortc.Session(self.path("first_ctx.onnx"), options)

    def test_initializers_go_to_a_file(self):
        options = ortc.SessionOptions()
        ortc.ModelCompiler(options, model("first.onnx"), external_initializers_file_path="w.bin",
                           external_initializers_size_threshold=8192).compile_to_file(
                               self.path("first_ctx.onnx"))
        self.assertEqual(self.files(), ["first_ctx.onnx", "w.bin"])
        self.assertLess(os.path.getsize(self.path("w.bin")) - 256 * 256 * 4, 4096)
        numpy.testing.assert_allclose(
            ortc.Session(self.path("first_ctx.onnx")).run({"x": ONES})["y"], expected(), rtol=1e-6)

    def test_initializers_go_to_memory(self):
        compiler = ortc.ModelCompiler(ortc.SessionOptions(), model("first.onnx"))
        compiled, weights = compiler.compile_to_bytes_and_initializers("./w.bin", 8192)
        self.assertIsInstance(compiled, bytes)
        self.assertLess(len(compiled), 8192)
        self.assertEqual(len(weights), 256 * 256 * 4)
        with self.assertRaises(ortc.Error):
            ortc.Session(compiled)
        options = ortc.SessionOptions()
        options.add_external_initializers_from_files_in_memory({"w.bin": weights})
        numpy.testing.assert_allclose(ortc.Session(compiled, options).run({"x": ONES})["y"],
                                      expected(), rtol=1e-6)
        # The weight stands there as it was.
        random = numpy.random.RandomState(7)
        numpy.testing.assert_array_equal(
            numpy.frombuffer(weights, numpy.float32),
            random.uniform(-0.1, 0.1, 256 * 256).astype(numpy.float32))
        self.assertEqual(self.files(), [])

    def test_no_initializer_is_large_enough_for_the_memory(self):
        compiler = ortc.ModelCompiler(ortc.SessionOptions(), model("first.onnx"))
        compiled, weights = compiler.compile_to_bytes_and_initializers("w.bin", 1 << 20)
        self.assertEqual(weights, b"")
        numpy.testing.assert_allclose(ortc.Session(compiled).run({"x": ONES})["y"], expected(),
                                      rtol=1e-6)

    def test_initializers_begin_where_the_caller_says(self):
        def size(**settings):
            compiler = ortc.ModelCompiler(ortc.SessionOptions(), model("first.onnx"), **settings)
            return len(compiler.compile_to_bytes_and_initializers("w.bin", 0)[1])

        close = size(external_initializers_alignment=(0, 0))
        self.assertEqual(close, 256 * 4 * 4 + 256 * 256 * 4)
        aligned = size(external_initializers_alignment=(1 << 20, 0))
        self.assertIn(aligned, ((1 << 20) + 256 * 256 * 4, (1 << 20) + 256 * 4 * 4))
        self.assertEqual(size(external_initializers_alignment=(1 << 20, 1 << 20)), close)
        for wrong in ((3, 0), (1 << 31, 0), (-1, 0), (64, -1)):
            with self.assertRaises(ortc.InvalidArgument):
                size(external_initializers_alignment=wrong)

    def test_a_block_of_initializers_has_one_good_name(self):
        options, path = ortc.SessionOptions(), model("first.onnx")
        for name in ("", "/w.bin", "../w.bin"):
            with self.assertRaises(ortc.InvalidArgument):
                ortc.ModelCompiler(options, path).compile_to_bytes_and_initializers(name)
        with self.assertRaisesRegex(ortc.InvalidArgument, "-1"):
            ortc.ModelCompiler(options, path).compile_to_bytes_and_initializers("w.bin", -1)
        for other in ({"external_initializers_file_path": "f.bin"},
                      {"get_initializer_location_func": lambda *_: None}):
            with self.assertRaisesRegex(ortc.InvalidArgument, "another"):
                ortc.ModelCompiler(options, path, **other).compile_to_bytes_and_initializers("w.bin")

    def test_a_function_says_where_initializers_stand(self):
        seen, places = {}, {}
        with open(self.path("weights.bin"), "wb") as weights:
            def place(name, value, external):
                self.assertIsNone(external)
                seen[name] = value.numpy().shape
                if value.tensor_size_in_bytes() < 8192:
                    return None
                places[name] = OrtExternalInitializerInfo(
                    "weights.bin", weights.tell(), value.tensor_size_in_bytes())
                weights.write(value.numpy().tobytes())
                return places[name]

            ortc.ModelCompiler(ortc.SessionOptions(), model("first.onnx"),
                               get_initializer_location_func=place).compile_to_file(
                                   self.path("placed.onnx"))
        self.assertEqual(seen, {"V": (256, 4), "W": (256, 256)})
        self.assertEqual(list(places), ["W"])
        self.assertEqual(repr(places["W"]),
                         "OrtExternalInitializerInfo('weights.bin', 0, 262144)")
        numpy.testing.assert_allclose(
            ortc.Session(self.path("placed.onnx")).run({"x": ONES})["y"], expected(), rtol=1e-6)

        # From now on the model has them in a file, and may keep them there.
        def keep(name, value, external):
            if external is not None:
                self.assertEqual(external, places[name])
            return external

        ortc.ModelCompiler(ortc.SessionOptions(), self.path("placed.onnx"),
                           get_initializer_location_func=keep).compile_to_file(
                               self.path("kept.onnx"))
        numpy.testing.assert_allclose(
            ortc.Session(self.path("kept.onnx")).run({"x": ONES})["y"], expected(), rtol=1e-6)

    def test_a_lent_value_ends_with_its_callback(self):
        kept = []

        def keep(name, value, external):
            kept.append((value, value.numpy(), value.memory()))

        ortc.ModelCompiler(ortc.SessionOptions(), model("first.onnx"),
                           get_initializer_location_func=keep).compile_to_file(self.path("k.onnx"))
        value, array, memory = kept[-1]
        self.assertEqual(array.shape, (256, 256))
        self.assertEqual(bytes(memory), array.tobytes())
        with self.assertRaises(ortc.InvalidArgument):
            value.shape()

    def test_flags_say_what_is_a_failure(self):
        ortc.compile_model(model("first.onnx"), self.path("first_ctx.onnx"))
        flag = OrtCompileApiFlags.ERROR_IF_OUTPUT_FILE_EXISTS
        with self.assertRaises(ortc.Fail):
            ortc.compile_model(model("first.onnx"), self.path("first_ctx.onnx"), flags=flag)
        flag |= OrtCompileApiFlags.ERROR_IF_NO_NODES_COMPILED
        with self.assertRaises(ortc.Fail):
            ortc.compile_model(model("first.onnx"), self.path("none_ctx.onnx"),
                               ortc.SessionOptions(), flags=flag)

    def test_the_graph_is_rewritten_as_far_as_the_caller_says(self):
        for level, nodes in ((GraphOptimizationLevel.ORT_DISABLE_ALL, "Add"),
                             (GraphOptimizationLevel.ORT_ENABLE_ALL, "")):
            ortc.compile_model(data("foldable.onnx"), self.path("m.onnx"), ortc.SessionOptions(),
                               graph_optimization_level=level)
            names = [node.name for node in ortc.Graph(self.path("m.onnx")).nodes]
            self.assertEqual("constants" in names, bool(nodes))
        with self.assertRaises(ortc.InvalidArgument):
            ortc.compile_model(data("foldable.onnx"), self.path("m.onnx"),
                               graph_optimization_level=7)

    def test_mistakes_are_said_before_anything_is_made(self):
        with self.assertRaises(ortc.Error):
            ortc.ModelCompiler(aot(), self.path("nothing.onnx")).compile_to_bytes()
        with self.assertRaises(ortc.NoSuchFile):
            ortc.ModelCompiler(aot(), "")
        with self.assertRaises(TypeError):
            ortc.ModelCompiler(aot(), 5)
        with self.assertRaisesRegex(ortc.InvalidArgument, "not both"):
            ortc.ModelCompiler(aot(), model("first.onnx"), external_initializers_file_path="w.bin",
                               get_initializer_location_func=lambda *_: None)
        with self.assertRaisesRegex(TypeError, "no deadline"):
            ortc.compile_model(model("first.onnx"), deadline=5)
        self.assertEqual(self.files(), [])

    def test_a_failed_compile_has_a_report(self):
        compiler = ortc.ModelCompiler(aot(), data("unknown_operator.onnx"))
        with self.assertRaises(ortc.Error):
            compiler.compile_to_file(self.path("m_ctx.onnx"))
        self.assertFalse(compiler.report["ok"])

    def test_a_compiler_leaves_no_cycles(self):
        """`del` of the last reference ends it, without the collector."""
        gc.collect()
        gc.disable()
        try:
            compiler = ortc.ModelCompiler(aot(), model("first.onnx"), on_progress=lambda *_: None)
            compiler.compile_to_file(self.path("first_ctx.onnx"))
            gone = weakref.ref(compiler)
            del compiler
            self.assertIsNone(gone())
        finally:
            gc.enable()


class Stopping(FolderCase):
    def test_a_deadline_stops_a_compile(self):
        slow = threading.Event()
        compiler = ortc.ModelCompiler(aot(), model("first.onnx"), deadline=0.02,
                                      on_progress=lambda *_: slow.wait(0.05))
        with self.assertRaises(ortc.ModelLoadCanceled):
            compiler.compile_to_file(self.path("first_ctx.onnx"))
        self.assertEqual(self.files(), [])

    def test_a_token_stops_a_compile_from_another_thread(self):
        token, reached = ortc.CancelToken(), threading.Event()

        def wait(stage, _detail, _fraction):
            reached.set()
            if stage == "compile":
                while not token.cancelled:
                    threading.Event().wait(0.001)

        def cancel():
            reached.wait(10)
            token.cancel()

        thread = threading.Thread(target=cancel)
        thread.start()
        compiler = ortc.ModelCompiler(aot(), model("first.onnx"), on_progress=wait, cancel=token)
        with self.assertRaises(ortc.Cancelled):
            compiler.compile_to_file(self.path("first_ctx.onnx"))
        thread.join()
        self.assertEqual(self.files(), [])
        with self.assertRaises(ortc.Cancelled):
            compiler.compile_to_file(self.path("first_ctx.onnx"))

    def test_a_token_stops_a_load(self):
        token = ortc.CancelToken()

        def stop(_stage, _detail, _fraction):
            token.cancel()

        with self.assertRaises(ortc.ModelLoadCanceled):
            ortc.Session(model("first.onnx"), providers=["AOT"], cancel=token, on_progress=stop)
        with self.assertRaises(ortc.Cancelled):
            ortc.Session(model("first.onnx"), cancel=token)

    def test_the_flag_of_options_stops_their_loads(self):
        options = ortc.SessionOptions()
        options.set_load_cancellation_flag(True)
        with self.assertRaises(ortc.ModelLoadCanceled):
            ortc.Session(model("first.onnx"), options)
        options.set_load_cancellation_flag(False)
        ortc.Session(model("first.onnx"), options)


class Weights(FolderCase):
    """Weights that come from the program, of a model that has them in a file."""

    WEIGHT, BIAS = floats(2, 2), numpy.array([5, 6], numpy.float32)

    def check(self, session):
        numpy.testing.assert_array_equal(session.run({"x": floats(1, 2)})["y"],
                                         floats(1, 2) @ self.WEIGHT + self.BIAS)

    def test_as_tensors(self):
        options = ortc.SessionOptions()
        options.add_external_initializers(
            ["weight", "bias"], [ortc.OrtValue.ortvalue_from_numpy(self.WEIGHT),
                                 ortc.OrtValue.ortvalue_from_numpy(self.BIAS)])
        self.check(ortc.Session(data("weights_elsewhere.onnx"), options))
        with self.assertRaisesRegex(ValueError, "1 names, but 0 values"):
            options.add_external_initializers(["weight"], [])

    def test_as_files(self):
        options = ortc.SessionOptions()
        options.add_external_initializers_from_files_in_memory(
            {"weights.bin": self.WEIGHT.tobytes() + self.BIAS.tobytes()})
        self.check(ortc.Session(data("weights_elsewhere.onnx"), options))

    def test_in_place_of_others(self):
        options = ortc.SessionOptions()
        weight = numpy.full((4, 3), 2, numpy.float32)
        options.add_initializer("weight", ortc.OrtValue.ortvalue_from_numpy(weight))
        session = ortc.Session(data("matmul.onnx"), options)
        del options, weight
        gc.collect()
        numpy.testing.assert_array_equal(session.run({"x": floats(1, 4)})["y"], [[12, 12, 12]])

    def test_of_a_model_without_weights(self):
        options = aot()
        options.set_weightless_source_model((DATA / "matmul.onnx").read_bytes())
        with self.assertRaises(ortc.InvalidArgument):
            options.set_weightless_source_model(b"")


if __name__ == "__main__":
    unittest.main()
