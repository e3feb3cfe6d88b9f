# SPDX-License-Identifier: MIT
"""The collector at every moment, in callbacks too; memory that stays flat. ORTC_SOAK=1 makes the
long forms."""

import gc
import os
import sys
import threading
import unittest

import numpy
import ortc
from support import FolderCase, aot, floats, model

LONG = os.environ.get("ORTC_SOAK") == "1"


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Stress(FolderCase):
    def setUp(self):
        super().setUp()
        before = gc.get_threshold()
        gc.set_threshold(1)
        self.addCleanup(gc.set_threshold, *before)

    def test_callbacks_collect(self):
        kept = {}

        def collect(*_):
            gc.collect()

        def place(name, value, external):
            gc.collect()
            value.numpy()
            return external

        options = aot()
        options.set_context_data_reader(lambda name: gc.collect() and kept[name] or kept[name])
        options.set_logger(collect)
        options.log_severity_level = 0
        for _ in range(5 if LONG else 1):
            compiler = ortc.ModelCompiler(
                options, model("first.onnx"), on_progress=collect,
                get_initializer_location_func=place,
                context_data_writer=lambda name, data: kept.__setitem__(name, data))
            pieces = []
            compiler.compile_to_stream(lambda piece: (gc.collect(), pieces.append(piece)))
            session = ortc.Session(b"".join(pieces), options, on_progress=collect)
            session.run({"x": numpy.ones((1, 256), numpy.float32)})
            del compiler, session

    def test_runs_and_values_collect(self):
        session = ortc.Session(model("trivial.onnx"))
        for _ in range(500 if LONG else 50):
            y = session.run({"x": floats(1, 4)})["y"]
            value = ortc.OrtValue.ortvalue_from_numpy(numpy.ones((1, 4), numpy.float32))
            z = session.run({"x": value})["y"]
            numpy.testing.assert_array_equal(y, [[1, 2, 3, 4]])
            numpy.testing.assert_array_equal(z, [[2, 2, 2, 2]])

    def test_threads_and_async_runs_collect(self):
        options = ortc.SessionOptions()
        options.intra_op_num_threads = 2
        session = ortc.InferenceSession(model("trivial.onnx"), options)
        wrong, left = [], threading.Semaphore(0)

        def done(results, expected, error):
            gc.collect()
            if error or results[0][0, 0] != expected + 1:
                wrong.append(error or results)
            left.release()

        for number in range(20):
            session.run_async(None, {"x": numpy.full((1, 4), number, numpy.float32)}, done, number)
        for _ in range(20):
            self.assertTrue(left.acquire(timeout=30))
        self.assertEqual(wrong, [])

    def test_calls_keep_what_they_are_given(self):
        """Objects that nobody holds but the call."""
        for _ in range(10):
            ortc.OrtValue.sequence([ortc.OrtValue.ortvalue_from_numpy(floats(2))]).numpy()
            self.assertIsNone(ortc.OrtValue.empty(
                ortc.TypeInfo.optional(ortc.TypeInfo.tensor("float", [2]))).numpy())
            ortc.Session(model("trivial.onnx"), ortc.SessionOptions(), env=ortc.Env()).run(
                {"x": ortc.OrtValue.ortvalue_from_numpy(floats(1, 4))})


class Flat(unittest.TestCase):
    """Memory after many rounds is what it was after some."""

    def check(self, rounds, work):
        for _ in range(max(rounds // 10, 30)):
            work()
        gc.collect()
        before = resident()
        for _ in range(rounds):
            work()
        gc.collect()
        self.assertLess(resident() - before, 6 << 20)

    def test_sessions_that_come_and_go(self):
        x = floats(1, 4)

        def work():
            with ortc.Session(model("trivial.onnx")) as session:
                session.run({"x": x})

        self.check(10000 if LONG else 300, work)

    def test_runs(self):
        session = ortc.Session(model("first.onnx"), providers=["AOT"])
        x = numpy.ones((1, 256), numpy.float32)
        self.check(100000 if LONG else 5000, lambda: session.run({"x": x})["y"])

    def test_runs_that_fail_or_are_stopped(self):
        session = ortc.Session(model("trivial.onnx"))
        options = ortc.RunOptions()
        options.terminate = True

        def work():
            for feed, given in (({"x": floats(1, 5)}, None), ({"x": floats(1, 4)}, options)):
                try:
                    session.run(feed, run_options=given)
                except ortc.Error:
                    continue
                self.fail("it ran")

        self.check(20000 if LONG else 1000, work)

    def test_values(self):
        def work():
            numpy.from_dlpack(ortc.OrtValue.ortvalue_from_numpy(floats(100))).sum()
            ortc.OrtValue.from_dlpack(floats(100)).numpy().sum()
            ortc.OrtValue.ortvalue_from_numpy(numpy.array(["a", "b"])).numpy()
            ortc.OrtValue.sequence([ortc.OrtValue.ortvalue_from_numpy(floats(2))]).items()

        self.check(20000 if LONG else 500, work)

    def test_compiles(self):
        def work():
            ortc.ModelCompiler(aot(), model("first.onnx"), True).compile_to_bytes()

        self.check(300 if LONG else 20, work)


class Large(unittest.TestCase):
    @unittest.skipUnless(LONG, "a long test")
    def test_a_tensor_of_three_gigabytes(self):
        with open("/proc/meminfo", encoding="ascii") as file:
            available = next(int(line.split()[1]) for line in file if "MemAvailable" in line)
        if available < 8 << 20:
            print("left out: a tensor of 3 GB: less than 8 GB of memory are free", file=sys.stderr)
            self.skipTest("too little memory")
        array = numpy.zeros(3 << 30, numpy.uint8)
        array[-1] = 7
        value = ortc.OrtValue.ortvalue_from_numpy(array)
        self.assertEqual(value.tensor_size_in_bytes(), 3 << 30)
        self.assertEqual(value.numpy()[-1], 7)
        self.assertEqual(value.memory()[-1], 7)
        copied = ortc.OrtValue.ortvalue_from_shape_and_type([3 << 30], "uint8")
        ortc.default_env().copy_tensors([value], [copied])
        self.assertEqual(copied.numpy()[-1], 7)


if __name__ == "__main__":
    unittest.main()
