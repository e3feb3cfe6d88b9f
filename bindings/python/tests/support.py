# SPDX-License-Identifier: MIT
"""What the tests share: where models are, a folder for each test, arrays."""

import os
import pathlib
import shutil
import tempfile
import unittest

import numpy
import ortc

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data"
MODELS = pathlib.Path(os.environ["ORTC_MODELS"])
OUT = pathlib.Path(os.environ["ORTC_OUT"])

# More steps than any test waits for.
FOREVER = numpy.array(100_000_000, dtype=numpy.int64)


def data(name):
    return str(DATA / name)


def model(name):
    return str(MODELS / name)


def floats(*shape):
    """0, 1, 2 ... in a shape."""
    count = int(numpy.prod(shape))
    return numpy.arange(count, dtype=numpy.float32).reshape(shape)


def aot(**options):
    """Options with the compiling provider."""
    made = ortc.SessionOptions()
    made.add_provider("AOT", options)
    return made


class FolderCase(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        OUT.mkdir(parents=True, exist_ok=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="test-", dir=OUT))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return str(self.folder / name)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())
