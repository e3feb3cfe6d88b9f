# SPDX-License-Identifier: MIT
"""Model packages: written, looked into, and run."""

import concurrent.futures
import os
import unittest

import numpy
import ortc
from support import FolderCase, aot, model

ONES = numpy.ones((1, 256), numpy.float32)


class Packages(FolderCase):
    def write(self):
        ortc.compile_model(model("first.onnx"), self.path("first_ctx.onnx"), aot())
        os.mkdir(self.path("tokens"))
        with open(self.path("tokens/t.txt"), "w", encoding="utf-8") as file:
            file.write("a")
        with ortc.ModelPackageWriter(package_name="pair") as writer:
            writer.add_variant("net", "any", model("first.onnx"),
                               session_options={"session.intra_op_num_threads": "1"})
            writer.add_variant("net", "compiled", self.path("first_ctx.onnx"))
            uri = writer.add_shared_asset(self.path("tokens"))
            report = writer.write(self.path("pkg"))
        self.assertTrue(any("manifest" not in file["path"] for file in report["files"]))
        return uri

    def test_a_package_runs_the_variant_of_the_provider(self):
        uri = self.write()
        expected = ortc.Session(model("first.onnx")).run({"x": ONES})["y"]
        with ortc.ModelPackage(self.path("pkg")) as package:
            self.assertEqual(package.schema_version, 1)
            self.assertEqual(package.components, ["net"])
            self.assertEqual(len(package), 1)
            self.assertEqual(package.variants("net"), ["any", "compiled"])
            self.assertEqual(package.variant_count("net"), 2)
            self.assertEqual(package.provider("net", "compiled"), "AotExecutionProvider")
            self.assertTrue(package.resolve(uri + "/t.txt").endswith("t.txt"))
            self.assertEqual(package.select("net").variant, "any")
            selected = package.select("net", aot())
            self.assertEqual(selected.variant, "compiled")
            self.assertTrue(selected.folder.endswith("net/compiled"))
            for session in (selected.session(), selected.session(aot()), package.session("net")):
                numpy.testing.assert_allclose(session.run({"x": ONES})["y"], expected, rtol=1e-5)
            self.assertEqual(package.describe(aot())["components"][0]["selected"], "compiled")

    def test_many_threads_resolve_at_once(self):
        uri = self.write()
        package = ortc.ModelPackage(self.path("pkg"))
        names = ["/t.txt", "/none", "/longer_than_the_others"] * 200
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            paths = pool.map(lambda name: package.resolve(uri + name, must_exist=False), names)
            for name, path in zip(names, paths):
                self.assertTrue(path.endswith(name), path)

    def test_a_changed_file_is_found(self):
        self.write()
        package = ortc.ModelPackage(self.path("pkg"))
        self.assertEqual(package.verify()["verdict"], "sound")
        with open(self.path("pkg/net/any/first.onnx"), "ab") as file:
            file.write(b"x")
        self.assertEqual(package.verify()["verdict"], "broken")

    def test_failures_say_what_is_wrong(self):
        with self.assertRaises(ortc.NoSuchFile):
            ortc.ModelPackage(self.path("nothing"))
        with self.assertRaises(ortc.InvalidArgument):
            ortc.ModelPackageWriter(author="x")
        self.write()
        with self.assertRaises(ortc.InvalidArgument):
            ortc.ModelPackage(self.path("pkg")).select("other")
        with self.assertRaises(ortc.Fail):
            self.write_again()

    def write_again(self):
        writer = ortc.ModelPackageWriter()
        writer.add_variant("net", "any", model("first.onnx"))
        writer.write(self.path("pkg"))


if __name__ == "__main__":
    unittest.main()
