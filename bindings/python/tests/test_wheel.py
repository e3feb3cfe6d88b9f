# SPDX-License-Identifier: MIT
"""The wheel: what is in it keeps what its tag promises, and it works in an environment of its
own."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import OUT, ROOT, FolderCase, model

BUILD = ROOT / "bindings" / "python" / "build_wheel.py"
# What systems of manylinux_2_35 have, by PEP 600 and the library that comes with its compiler.
LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"}
MOST = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0)}

PROGRAM = """\
import sys, numpy, ortc
assert "site-packages" in ortc.get_library_path(), ortc.get_library_path()
folder, first, second = sys.argv[1:]
options = ortc.SessionOptions()
options.add_provider("AOT")
with ortc.SharingGroup() as group:
    group.add(ortc.ModelCompiler(options, first), folder + "/first_ctx.onnx")
    group.add(ortc.ModelCompiler(options, second), folder + "/second_ctx.onnx")
x = numpy.ones((1, 256), numpy.float32)
y = ortc.Session(folder + "/second_ctx.onnx", options).run({"x": x})["y"]
numpy.testing.assert_allclose(y, ortc.Session(second).run({"x": x})["y"], rtol=1e-5)
print("fine")
"""


def run(*command, **settings):
    return subprocess.run(command, check=True, capture_output=True, text=True, **settings).stdout


@unittest.skipUnless(shutil.which("patchelf"), "patchelf is missing (apt-get install patchelf)")
class Wheel(FolderCase):
    @classmethod
    def setUpClass(cls):
        OUT.mkdir(parents=True, exist_ok=True)
        cls.made = tempfile.mkdtemp(prefix="wheel-", dir=OUT)
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        cls.wheel = run(sys.executable, str(BUILD), os.environ["ORTC_PREFIX"], cls.made).strip()

    def test_is_made_of_a_tree_with_a_folder_for_the_processor(self):
        tree = self.folder / "tree"
        (tree / "lib").mkdir(parents=True)
        prefix = os.environ["ORTC_PREFIX"]
        os.symlink(f"{prefix}/lib", tree / "lib" / "x86_64-linux-gnu")
        os.symlink(f"{prefix}/share", tree / "share")
        made = run(sys.executable, str(BUILD), str(tree), self.path("made")).strip()
        self.assertEqual(os.path.basename(made), os.path.basename(self.wheel))

    def test_is_not_made_of_a_tree_without_the_library(self):
        done = subprocess.run([sys.executable, str(BUILD), str(self.folder), self.path("made")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^build_wheel\.py: there is no libort_c\.so\.1 in .*\n$")

    def test_needs_no_more_than_its_tag_promises(self):
        self.assertRegex(self.wheel, r"/ortc-1\.0\.0-py3-none-manylinux_2_35_x86_64\.whl$")
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(self.folder / "content")
        libraries = sorted((self.folder / "content").rglob("*.so*"))
        self.assertEqual(len(libraries), 5)
        own = {path.name for path in libraries}
        for path in libraries:
            text = run("readelf", "-dVW", str(path))
            for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
                self.assertIn(name, LIBRARIES | own)
            for kind, numbers in re.findall(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)", text):
                self.assertLessEqual(tuple(map(int, numbers.split("."))), MOST[kind])
            for where in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", text):
                self.assertRegex(where, r"^\$ORIGIN(/\.\./\.\./ortc\.libs)?$")

    def test_its_record_is_right_and_it_is_made_the_same_again(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = set(archive.namelist())
            record = next(name for name in names if name.endswith("/RECORD"))
            rows = [line.split(",") for line in archive.read(record).decode().splitlines()]
            self.assertEqual({row[0] for row in rows}, names)
            for required in ("ortc/py.typed", "ortc/lib/libort_c.so.1"):
                self.assertIn(required, names)
            self.assertFalse([name for name in names if "__pycache__" in name])
        with open(self.wheel, "rb") as file:
            first = hashlib.sha256(file.read()).hexdigest()
        again = run(sys.executable, str(BUILD), os.environ["ORTC_PREFIX"], str(self.folder)).strip()
        with open(again, "rb") as file:
            self.assertEqual(hashlib.sha256(file.read()).hexdigest(), first)

    def test_works_in_an_environment_of_its_own(self):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("PYTHONPATH", "ORTC_LIBRARY_PATH")}
        python = self.path("venv/bin/python")
        # numpy is the system's: there is no network.
        run(sys.executable, "-m", "venv", "--system-site-packages", self.path("venv"))
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", self.wheel,
            env=environment)
        out = run(python, "-c", PROGRAM, str(self.folder), model("first.onnx"),
                  model("second.onnx"), env=environment, cwd=self.folder)
        self.assertEqual(out, "fine\n")


class Package(FolderCase):
    def start(self, code, **environment):
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              check=False, env={**os.environ, **environment})

    def test_a_library_that_is_not_there_is_said_with_what_was_tried(self):
        failed = self.start("import ortc", ORTC_LIBRARY_PATH=self.path("nothing.so"))
        self.assertIn("ImportError: ortc's library was not found. Tried "
                      + self.path("nothing.so"), failed.stderr)
        failed = self.start("import ortc", ORTC_LIBRARY_PATH=str(self.folder))
        self.assertIn(self.path("libort_c.so.1"), failed.stderr)

    def test_a_library_may_be_named_as_a_file(self):
        library = os.path.join(os.environ["ORTC_PREFIX"], "lib", "libort_c.so.1")
        done = self.start("import ortc; print(ortc.get_version_string())",
                          ORTC_LIBRARY_PATH=library)
        self.assertEqual((done.stdout, done.stderr), ("1.0.0\n", ""))

    def test_another_version_is_refused(self):
        code = ("from ortc._native import library\n"
                "for text in ('2.0.0', '0.9.1'):\n"
                "    try:\n        library.check_version(text)\n"
                "    except ImportError as error:\n        print(error)\n")
        done = self.start(code)
        self.assertRegex(done.stdout, r"is ortc 2\.0\.0; this package needs 1\.0 or a later 1\.x")
        self.assertRegex(done.stdout, r"is ortc 0\.9\.1")

    def test_everything_but_arrays_works_without_numpy(self):
        code = ("import sys; sys.modules['numpy'] = None\nimport ortc\n"
                f"session = ortc.Session({model('trivial.onnx')!r})\n"
                "x = ortc.OrtValue.ortvalue_from_shape_and_type([1, 4], 'float')\n"
                "x.memory()[:] = bytes(16)\n"
                "y, = session.run_with_ort_values(None, {'x': x})\n"
                "print(list(y.memory().cast('f')))\n"
                "try:\n    y.numpy()\nexcept ImportError as error:\n    print(error)\n")
        done = self.start(code)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout, "[1.0, 1.0, 1.0, 1.0]\n"
                                      "OrtValue.numpy() needs numpy, which is not installed\n")


if __name__ == "__main__":
    unittest.main()
