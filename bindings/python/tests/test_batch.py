# SPDX-License-Identifier: MIT
"""Batches on Dask's workers: a scheduler and three worker processes. ORTC_SOAK=1 takes a model with
100 MB of weights."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import numpy
import ortc
from support import OUT, ROOT, FolderCase, data, floats

try:
    import pandas
    from distributed import Client, LocalCluster
    from ortc.batch import BatchModel, Rows, iterate_batches, map_batches, open_on_workers
    from ortc.batch.rows import check_rows
except ImportError as error:
    raise unittest.SkipTest(f"ortc.batch needs {error.name} "
                            "(apt-get install python3-distributed python3-pandas)") from None

WEIGHT = numpy.array([[3 * i + j for j in range(3)] for i in range(4)], dtype=numpy.float32)
MB = 1 << 20
LONG = os.environ.get("ORTC_SOAK") == "1"


def shared_bytes(pid, name):
    """What a process's mappings of files of a name count for, pages shared with n processes at
    1/n."""
    total, counts = 0, False
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as file:
        for line in file:
            if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
                counts = line.rstrip().endswith(name)
            elif counts and line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


class RowsOfAllKinds(unittest.TestCase):
    def test_rows_are_cut_and_put_together(self):
        rows = Rows({"a": floats(5, 2), "b": numpy.arange(5)})
        batches = list(rows.batches(2))
        self.assertEqual([start for start, _ in batches], [0, 2, 4])
        joined = rows.join([arrays for _, arrays in batches])
        numpy.testing.assert_array_equal(joined["a"], floats(5, 2))
        self.assertEqual(Rows({"a": floats(0, 2)}).join([]), {})

    def test_mistakes_are_said(self):
        with self.assertRaisesRegex(ortc.InvalidArgument, "same number of rows"):
            Rows({"a": floats(5), "b": floats(4)})
        with self.assertRaises(ortc.InvalidArgument):
            Rows({"a": numpy.array(1)})
        with self.assertRaises(ortc.InvalidArgument):
            list(Rows({"a": floats(2)}).batches(0))
        with self.assertRaises(ortc.InvalidArgument):
            Rows({"a": floats(2)}, prepare=dict)
        check_rows(4, {"x": floats(2)}, {"y": floats(2, 3)})
        for wrong in (floats(3), numpy.array(1)):
            with self.assertRaisesRegex(ortc.InvalidArgument, "first dimension is not the rows"):
                check_rows(4, {"x": floats(2)}, {"y": wrong})

    def test_frames_keep_their_index(self):
        frame = pandas.DataFrame({"a": floats(3)}, index=["x", "y", "z"])
        joined = Rows(frame).join([{"b": floats(2), "c": floats(2, 2)},
                                   {"b": floats(1), "c": floats(1, 2)}])
        self.assertEqual(list(joined.index), ["x", "y", "z"])
        self.assertEqual(list(joined.columns), ["b", "c_0", "c_1"])
        with self.assertRaisesRegex(ortc.InvalidArgument, "fits no columns"):
            Rows(frame).join([{"b": floats(3, 2, 2)}])


class OnWorkers(FolderCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore")
        cls.cluster = LocalCluster(n_workers=3, threads_per_worker=1, processes=True,
                                   dashboard_address=None, local_directory=str(OUT / "dask"),
                                   silence_logs=50)
        cls.client = Client(cls.cluster)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()

    def pids(self):
        return list(self.client.run(os.getpid).values())

    def test_results_have_the_order_of_their_rows(self):
        x, heard = floats(1000, 4), []
        outputs = map_batches(self.client, BatchModel(data("matmul.onnx")), {"x": x}, 64,
                              on_progress=lambda *event: heard.append(event))
        numpy.testing.assert_allclose(outputs["y"], x @ WEIGHT, rtol=1e-5)
        self.assertEqual((heard[0], heard[-1], len(heard)), ((64, 1000), (1000, 1000), 16))

    def test_frames_become_frames(self):
        frame = pandas.DataFrame(floats(10, 4), columns=list("abcd"), index=range(5, 15))
        made = map_batches(self.client, BatchModel(data("matmul.onnx")), frame, 4,
                           prepare=lambda part: {"x": part.to_numpy()})
        self.assertEqual(list(made.columns), ["y_0", "y_1", "y_2"])
        self.assertEqual(list(made.index), list(range(5, 15)))
        numpy.testing.assert_allclose(made.to_numpy(), floats(10, 4) @ WEIGHT, rtol=1e-5)
        sums = pandas.DataFrame({name: floats(7) for name in "abc"})
        made = map_batches(self.client, BatchModel(data("sums.onnx"), providers=[]), sums, 3)
        numpy.testing.assert_array_equal(made["sum"], floats(7) * 3)

    def test_no_more_than_so_many_are_on_their_way(self):
        taken, most = 0, 0
        batches = iterate_batches(self.client, BatchModel(data("matmul.onnx")),
                                  {"x": floats(100, 4)}, 5, in_flight=3)
        for start, _ in batches:
            taken += 1
            most = max(most, len(self.client.futures))
            self.assertEqual(start, 5 * (taken - 1))
        self.assertEqual(taken, 20)
        self.assertLessEqual(most, 4)

    def test_what_the_model_says_of_its_rows_is_raised(self):
        with self.assertRaises(ortc.InvalidArgument):
            map_batches(self.client, BatchModel(data("matmul.onnx")), {"x": floats(10, 5)}, 2)
        with self.assertRaises(ortc.NoSuchFile):
            open_on_workers(self.client, BatchModel("nothing.onnx"))

    def test_a_worker_dies_and_every_row_comes_once(self):
        subprocess.run([sys.executable, str(ROOT / "tools" / "generate_models.py"), "transformer",
                        "--out", str(self.folder), *([] if LONG else ["--small"])], check=True,
                       stdout=subprocess.DEVNULL)
        context = self.path("transformer_ctx.onnx")
        ortc.compile_model(self.path("transformer.onnx"), context)
        batched = BatchModel(context)
        ids = numpy.random.RandomState(3).randint(0, 256, (192, 8))
        feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids)}
        with ortc.Session(context, providers=["AOT"]) as here:
            expected = here.run(feed)["last_hidden_state"]
        open_on_workers(self.client, batched)
        before = self.pids()

        def kill(done, _rows):
            if done == 32:
                os.kill(before[1], signal.SIGKILL)

        outputs = map_batches(self.client, batched, feed, 8, on_progress=kill)
        numpy.testing.assert_allclose(outputs["last_hidden_state"], expected, atol=1e-4)
        deadline = time.monotonic() + 60
        while len(self.pids()) < 3 and time.monotonic() < deadline:
            threading.Event().wait(0.2)
        after = self.pids()
        self.assertEqual(len(set(before) & set(after)), 2)
        map_batches(self.client, batched, feed, 8)
        self.check_one_copy(after)

    def check_one_copy(self, pids):
        """Every worker has read all weights, and there is one copy of them in memory."""
        weights = os.path.getsize(self.path("transformer_aot.bin"))
        if LONG:
            self.assertGreater(weights, 100 * MB)
        shared = [shared_bytes(pid, "transformer_aot.bin") for pid in pids]
        print(f"ortc.batch: {weights / MB:.1f} MB of weights, "
              f"{sum(shared) / MB:.1f} MB of them in three workers together")
        self.assertGreater(min(shared), 0)
        self.assertLessEqual(sum(shared), weights * 1.02 + 4096)


if __name__ == "__main__":
    unittest.main()
