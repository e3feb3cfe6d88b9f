# SPDX-License-Identifier: MIT
"""Failures: every code has a class, and exceptions of callbacks come back as they were."""

import unittest

import ortc
from ortc import OrtErrorCode, errors
from support import FolderCase, aot, data, model


class Codes(unittest.TestCase):
    def test_every_code_arrives_as_its_class_with_its_text(self):
        for code in OrtErrorCode:
            if code == OrtErrorCode.OK:
                self.assertIsNone(errors.new_status(code, "nothing"))
                continue
            error = errors.exception_of(errors.new_status(code, f"text of {code.name} – größer"))
            self.assertIs(type(error), errors.CLASSES[code])
            self.assertEqual(error.code, code)
            self.assertEqual(str(error), f"text of {code.name} – größer")
            self.assertIsInstance(error, ortc.Error)
            self.assertIsInstance(error, RuntimeError)

    def test_a_code_that_is_not_known_keeps_its_number(self):
        self.assertIn("77", str(errors.from_code(77, "odd")))
        self.assertIs(type(errors.from_code(77, "odd")), ortc.Error)

    def test_failures_are_what_python_calls_them(self):
        self.assertTrue(issubclass(ortc.InvalidArgument, ValueError))
        self.assertTrue(issubclass(ortc.NoSuchFile, FileNotFoundError))
        self.assertTrue(issubclass(ortc.NotImplemented, NotImplementedError))
        self.assertTrue(issubclass(ortc.NotFound, LookupError))
        self.assertTrue(issubclass(ortc.ModelLoadCanceled, ortc.Cancelled))
        self.assertTrue(issubclass(ortc.RunCancelled, ortc.Cancelled))
        self.assertTrue(issubclass(ortc.RunCancelled, ortc.Fail))


class RealFailures(FolderCase):
    def test_each_class_comes_from_a_real_failure(self):
        with self.assertRaises(ortc.NoSuchFile):
            ortc.Session(self.path("nothing.onnx"))
        with self.assertRaises(ortc.InvalidProtobuf):
            ortc.Session(b"nonsense")
        with self.assertRaises(ortc.InvalidGraph):
            ortc.compile_model(model("digits_ctx.onnx"), self.path("again_ctx.onnx"))
        options = aot()
        options["session.disable_model_compile"] = 1
        with self.assertRaises(ortc.ModelRequiresCompilation):
            ortc.Session(model("first.onnx"), options)
        with self.assertRaises(ortc.NotFound):
            ortc.ModelCompiler(aot(), model("first.onnx")).report
        with self.assertRaises(ortc.EPFail):
            ortc.compile_model(model("first.onnx"), self.path("f_ctx.onnx"), weightless=True)
        with self.assertRaises(ortc.NotImplemented):
            ortc.Session(data("unknown_operator.onnx"))


class Boom(Exception):
    """What the callbacks below raise."""


class Callbacks(FolderCase):
    def setUp(self):
        super().setUp()
        self.boom = Boom("größer als erwartet\0!")

    def fail(self, *_):
        raise self.boom

    def check(self, call):
        with self.assertRaises(Boom) as caught:
            call()
        self.assertIs(caught.exception, self.boom)

    def test_of_progress(self):
        compiler = ortc.ModelCompiler(aot(), model("first.onnx"), on_progress=self.fail)
        self.check(lambda: compiler.compile_to_file(self.path("first_ctx.onnx")))
        self.assertEqual(self.files(), [])
        self.check(lambda: ortc.Session(model("first.onnx"), on_progress=self.fail))

    def test_of_writers(self):
        compiler = ortc.ModelCompiler(aot(), model("first.onnx"), True)
        self.check(lambda: compiler.compile_to_stream(self.fail))
        compiler = ortc.ModelCompiler(aot(), model("first.onnx"), context_data_writer=self.fail)
        self.check(lambda: compiler.compile_to_file(self.path("first_ctx.onnx")))
        self.assertEqual(self.files(), [])

    def test_of_places_for_initializers(self):
        options = ortc.SessionOptions()
        compiler = ortc.ModelCompiler(options, model("first.onnx"),
                                      get_initializer_location_func=self.fail)
        self.check(lambda: compiler.compile_to_file(self.path("first_ctx.onnx")))
        compiler = ortc.ModelCompiler(options, model("first.onnx"),
                                      get_initializer_location_func=lambda *_: "a string")
        with self.assertRaisesRegex(TypeError, "not str"):
            compiler.compile_to_file(self.path("first_ctx.onnx"))

    def test_of_readers(self):
        options = aot()
        options.set_context_data_reader(self.fail)
        self.check(lambda: ortc.Session(model("digits_ctx.onnx"), options))

    def test_keep_their_code_when_they_have_one(self):
        def refuse(*_):
            raise ortc.NotFound("no such thing")

        options = aot()
        options.set_context_data_reader(refuse)
        with self.assertRaisesRegex(ortc.NotFound, "^no such thing$"):
            ortc.Session(model("digits_ctx.onnx"), options)

    def test_may_be_an_interrupt(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            ortc.ModelCompiler(aot(), model("first.onnx"), on_progress=interrupt).compile_to_file(
                self.path("first_ctx.onnx"))


if __name__ == "__main__":
    unittest.main()
