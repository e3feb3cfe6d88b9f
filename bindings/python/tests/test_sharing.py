# SPDX-License-Identifier: MIT
"""Sharing groups, caches, and compiled models that are inspected and changed."""

import os
import shutil
import unittest
import weakref

import numpy
import ortc
from ortc import OrtEditFlags, OrtInspectFlags
from support import FolderCase, aot, data, model

ONES = numpy.ones((1, 256), numpy.float32)


class Groups(FolderCase):
    def add(self, group, name, **settings):
        group.add(ortc.ModelCompiler(aot(), model(f"{name}.onnx"), **settings),
                  self.path(f"{name}_ctx.onnx"))

    def test_two_models_make_three_files(self):
        with ortc.SharingGroup() as group:
            self.add(group, "first")
            self.add(group, "second")
            self.assertEqual(self.files(), [])
        self.assertEqual(self.files(), ["first_aot.bin", "first_ctx.onnx", "second_ctx.onnx"])
        self.assertEqual(len(group.report["files"]), 3)
        self.assertIn('"files"', group.report_json)
        for name in ("first", "second"):
            session = ortc.Session(self.path(f"{name}_ctx.onnx"), providers=["AOT"])
            numpy.testing.assert_allclose(
                session.run({"x": ONES})["y"],
                ortc.Session(model(f"{name}.onnx")).run({"x": ONES})["y"], rtol=1e-5)

    def test_an_exception_gives_the_group_up(self):
        with self.assertRaises(KeyError):
            with ortc.SharingGroup() as group:
                self.add(group, "first")
                raise KeyError("later")
        self.assertEqual(self.files(), [])
        with self.assertRaises(ortc.Fail):
            self.add(group, "second")
        group.abort()
        with self.assertRaises(ortc.Fail):
            group.commit()

    def test_a_member_may_go_to_a_stream(self):
        pieces = []
        with ortc.SharingGroup() as group:
            self.add(group, "first")
            compiler = ortc.ModelCompiler(
                aot(), model("second.onnx"),
                context_binary_information=(self.folder, "second.onnx"))
            group.add_to_stream(compiler, pieces.append)
            del compiler
            self.assertEqual(pieces, [])
        options = aot()
        options["ep.context_file_path"] = self.path("second_ctx.onnx")
        ortc.Session(b"".join(pieces), options).run({"x": ONES})

    def test_a_group_may_be_closed_while_it_is_published(self):
        group, pieces = ortc.SharingGroup(), []
        native = weakref.ref(group._native)

        def write(piece):
            group.close()
            pieces.append(native() is not None)

        compiler = ortc.ModelCompiler(
            aot(), model("second.onnx"),
            context_binary_information=(self.folder, "second.onnx"))
        group.add_to_stream(compiler, write)
        group.commit()
        self.assertTrue(pieces and all(pieces))
        self.assertIsNone(native())
        with self.assertRaisesRegex(ortc.InvalidArgument, "closed"):
            group.report_json

    def test_sessions_are_members_by_their_options(self):
        group = ortc.SharingGroup()
        for name in ("first", "second"):
            options = aot()
            options["ep.context_enable"] = 1
            options["ep.context_file_path"] = self.path(f"{name}_ctx.onnx")
            options.set_sharing_group(group)
            ortc.Session(model(f"{name}.onnx"), options)
        group.commit()
        self.assertEqual(len(self.files()), 3)
        options.set_sharing_group(None)


class Caches(FolderCase):
    def test_a_second_session_finds_what_the_first_compiled(self):
        options = aot()
        first = ortc.Session(model("first.onnx"), options, cache_dir=self.folder)
        self.assertEqual(first.report["cache"]["result"], "made")
        second = ortc.Session(model("first.onnx"), options, cache_dir=self.folder)
        self.assertEqual(second.report["cache"]["result"], "hit")
        numpy.testing.assert_array_equal(first.run({"x": ONES})["y"], second.run({"x": ONES})["y"])
        self.assertEqual(len(ortc.list_context_cache(self.folder)["entries"]), 1)
        self.assertTrue(ortc.verify_context_cache(self.folder)["sound"])
        self.assertEqual(
            ortc.explain_context_cache(model("first.onnx"), self.folder, options)["entry"],
            "whole")
        self.assertEqual(
            ortc.explain_context_cache(model("second.onnx"), self.folder, options)["entry"],
            "missing")
        self.assertEqual(len(ortc.prune_context_cache(self.folder)["removed"]), 1)
        self.assertEqual(ortc.list_context_cache(self.folder)["entries"], [])

    def test_a_cache_is_for_files(self):
        with self.assertRaisesRegex(ortc.InvalidArgument, "a cache is for models in files"):
            ortc.Session(b"model", cache_dir=self.folder)
        with self.assertRaises(ortc.NoSuchFile):
            ortc.list_context_cache(self.path("nothing"))


class Files(FolderCase):
    def setUp(self):
        super().setUp()
        ortc.compile_model(model("first.onnx"), self.path("first_ctx.onnx"))
        self.first = self.path("first_ctx.onnx")

    def second(self):
        ortc.compile_model(model("second.onnx"), self.path("second_ctx.onnx"))
        return self.path("second_ctx.onnx")

    def test_files_are_inspected(self):
        report = ortc.inspect(self.first)
        self.assertEqual(report["kind"], "onnx_model")
        self.assertEqual(ortc.inspect(self.path("first_aot.bin"),
                                      OrtInspectFlags.VERIFY_DATA)["kind"], "context_binary")
        self.assertGreater(len(str(ortc.inspect(self.first, OrtInspectFlags.DETAILS
                                                | OrtInspectFlags.STRUCTURE))), len(str(report)))
        with self.assertRaises(ortc.InvalidArgument):
            ortc.inspect(self.first, 1 << 20)

    def test_files_are_compared(self):
        self.assertTrue(ortc.diff(self.first, self.first)["equal"])
        self.assertFalse(ortc.diff(self.first, self.second())["equal"])

    def test_values_inside_are_exposed(self):
        exposed = ortc.Session(ortc.expose_values(model("first.onnx")))
        self.assertEqual([output.name for output in exposed.get_outputs()], ["a", "b", "y"])

    def test_a_model_is_packed_and_unpacked(self):
        heard = []
        ortc.pack(self.first, self.path("packed_ctx.onnx"),
                  on_progress=lambda *event: heard.append(event))
        self.assertEqual(heard[-1][2], 1.0)
        os.remove(self.path("first_aot.bin"))
        ortc.Session(self.path("packed_ctx.onnx"), providers=["AOT"]).run({"x": ONES})
        report = ortc.pack(self.path("packed_ctx.onnx"), self.path("files_ctx.onnx"),
                           OrtEditFlags.EXTERNAL)
        self.assertEqual(len(report["files"]), 2)
        with self.assertRaises(ortc.Error):
            ortc.pack(self.path("packed_ctx.onnx"), self.path("files_ctx.onnx"),
                      OrtEditFlags.NO_OVERWRITE)

    def test_models_are_prefixed_and_merged(self):
        ortc.prefix(self.second(), "other_", self.path("prefixed_ctx.onnx"))
        ortc.merge([self.first, self.path("prefixed_ctx.onnx")], self.path("both_ctx.onnx"))
        session = ortc.Session(self.path("both_ctx.onnx"), providers=["AOT"])
        self.assertEqual(len(session.get_outputs()), 2)
        with self.assertRaises(ortc.InvalidArgument):
            ortc.merge([self.first, self.path("prefixed_ctx.onnx")], self.path("chain_ctx.onnx"),
                       [("first.y", "prefixed.nothing")])

    def test_one_node_is_extracted(self):
        node, = [node for node in ortc.Graph(self.first).nodes if node.op_type == "EPContext"]
        ortc.extract(self.first, node.name, self.path("node_ctx.onnx"))
        ortc.Session(self.path("node_ctx.onnx"), providers=["AOT"])
        with self.assertRaises(ortc.InvalidArgument):
            ortc.extract(self.first, "nothing", self.path("other_ctx.onnx"))

    def test_changes_can_be_stopped(self):
        before = self.files()
        token = ortc.CancelToken()
        with self.assertRaises(ortc.Cancelled):
            ortc.pack(self.first, self.path("packed_ctx.onnx"), cancel=token,
                      on_progress=lambda *_: token.cancel())
        with self.assertRaisesRegex(KeyError, "mine"):
            def fail(*_):
                raise KeyError("mine")
            ortc.pack(self.first, self.path("packed_ctx.onnx"), on_progress=fail)
        self.assertEqual(self.files(), before)

    def test_compatibility_is_told(self):
        device = next(device for device in ortc.get_ep_devices()
                      if device.ep_name == "AotExecutionProvider")
        with open(self.first, "rb") as file:
            content = file.read()
        for source in (self.first, content):
            info = ortc.get_compatibility_info_from_model(source, "AotExecutionProvider")
            self.assertEqual(ortc.get_model_compatibility_for_ep_devices([device], info),
                             ortc.OrtCompiledModelCompatibility.EP_SUPPORTED_OPTIMAL)
        self.assertIsNone(ortc.get_compatibility_info_from_model(self.first, "Nobody"))
        self.assertIsNone(ortc.get_compatibility_info_from_model(model("first.onnx"),
                                                                 "AotExecutionProvider"))

    def test_a_damaged_binary_is_an_exception(self):
        with open(self.path("first_aot.bin"), "r+b") as file:
            file.truncate(5000)
        with self.assertRaises(ortc.InvalidGraph):
            ortc.Session(self.first, providers=["AOT"])
        shutil.copy(data("matmul.onnx"), self.path("first_aot.bin"))
        with self.assertRaises(ortc.InvalidGraph):
            ortc.Session(self.first, providers=["AOT"])


if __name__ == "__main__":
    unittest.main()
