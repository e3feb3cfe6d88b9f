# SPDX-License-Identifier: MIT
"""ONNX's own test suite over ortc.backend: all nodes and models that the package onnx brings.

backend_failures.tsv names the tests that fail and why. One that passes must not stand there, so the
list only gets shorter.
"""

import collections
import pathlib
import unittest
import warnings

import numpy
import ortc
from support import data, floats

try:
    # Packages of onnx may be older than their numpy, which lost these names.
    for _name, _type in (("bool", bool), ("object", object)):
        if _name not in numpy.__dict__:
            setattr(numpy, _name, _type)
    import onnx
    import onnx.backend.test
    from ortc import backend
except ImportError as error:
    raise unittest.SkipTest(f"ONNX's tests need the package onnx: {error}") from None

FAILURES = pathlib.Path(__file__).with_name("backend_failures.tsv")
# Their models are not in the package: they would be downloaded.
DOWNLOADED = "OnnxBackendRealModelTest"


def expected_failures():
    lines = FAILURES.read_text(encoding="utf-8").splitlines()
    return {line.split("\t")[0] for line in lines if line and not line.startswith("#")}


class Everything(backend.OrtcBackend):
    """Tries all models: the suite leaves out what is not compatible without a word."""

    @classmethod
    def is_compatible(cls, model, device="CPU", **settings):
        return True


class Suite(unittest.TestCase):
    maxDiff = None

    def test_all_pass_but_those_that_are_named(self):
        warnings.simplefilter("ignore")
        cases = onnx.backend.test.BackendTest(Everything, __name__).test_cases
        result = unittest.TestResult()
        for name, case in cases.items():
            if name != DOWNLOADED:
                unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
        failed = {case.id().rpartition(".")[2]: text.strip().splitlines()[-1]
                  for case, text in result.failures + result.errors}
        ran = result.testsRun - len(result.skipped)
        print(f"onnx.backend.test {onnx.__version__}: {ran} ran, {len(failed)} fail")
        self.assertGreater(ran, 1000)
        expected = expected_failures()
        self.assertEqual([f"{name}: {text[:300]}" for name, text in failed.items()
                          if name not in expected], [],
                         "these fail")
        self.assertEqual(expected - set(failed), set(), "these pass: take them off the list")


class Backend(unittest.TestCase):
    def test_a_model_is_prepared_and_run(self):
        for source in (onnx.load(data("matmul.onnx")), data("matmul.onnx")):
            prepared = backend.prepare(source, "CPU")
            by_order = prepared.run([floats(2, 4)])
            by_name = prepared.run({"x": floats(2, 4)})
            alone = backend.run_model(source, floats(2, 4), providers=["AOT"])
            for outputs in (by_order, by_name, alone):
                self.assertEqual(outputs[0].shape, (2, 3))
        with self.assertRaisesRegex(ortc.InvalidArgument, "2 inputs, but the model has 1: x"):
            prepared.run([floats(2, 4), floats(1)])

    def test_a_node_is_run(self):
        node = onnx.helper.make_node("Add", ["a", "b"], ["c"])
        for info in (None, [(numpy.float32, (3,))]):
            c, = backend.run_node(node, [floats(3), floats(3)], outputs_info=info)
            numpy.testing.assert_array_equal(c, floats(3) * 2)

    def test_there_is_one_device(self):
        self.assertTrue(backend.supports_device("CPU") and backend.supports_device("CPU:0"))
        self.assertFalse(backend.supports_device("CUDA"))
        with self.assertRaises(ortc.InvalidArgument):
            backend.prepare(data("matmul.onnx"), "CUDA")

    def test_what_cannot_be_run_is_not_compatible(self):
        self.assertTrue(backend.is_compatible(data("matmul.onnx")))
        self.assertFalse(backend.is_compatible(data("unknown_operator.onnx")))

    def test_the_list_of_failures_is_in_order(self):
        lines = FAILURES.read_text(encoding="utf-8").splitlines()[1:]
        self.assertEqual(lines, sorted(set(lines)))
        self.assertTrue(all(collections.Counter(line)["\t"] == 1 for line in lines))


if __name__ == "__main__":
    unittest.main()
