# SPDX-License-Identifier: MIT
"""Rows on a Dask cluster: order, back-pressure, deaths, errors, cancels, files that travel."""

import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

import batch_support as support
import dask.array
import dask.dataframe
import numpy
import pandas
from batch_support import DIGITS, FOREVER, MARK, MODELS, images, on_cpu
from distributed import Client, Future, LocalCluster

from ortc import batch
from ortc.batch import dask_worker
from ortc.errors import Error, InvalidArgument, NoSuchFile


def joined(results, name="logits"):
    return numpy.concatenate([result[name] for result in results])


def opened_with():
    """The threads of the sessions that are open in a worker."""
    from ortc.batch import opened
    return [each.session.threads for each in opened._opened.values()
            if hasattr(each.session, "threads")]


class OnDask(support.ClusterCase):
    """Workers die for good here: Dask itself gives up a batch with its first worker."""

    allowed_failures = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.expected = batch.score(batch.Model(DIGITS), images())["logits"]

    def map(self, data, model=DIGITS, **options):
        return batch.map_batches(self.client, model, data, **options)

    def marked(self, *at):
        """Images, some of which a session treats as its own way is."""
        data = images()[:60].copy()
        data[list(at)] = MARK
        return data

    # Data of all kinds.

    def test_batches_come_in_order_and_each_row_once(self):
        heard = []
        results = list(self.map(images(), batch_size=50, outputs=["logits"],
                                progress=lambda *each: heard.append(each)))
        self.assertEqual([len(result["logits"]) for result in results], [50] * 8 + [45])
        numpy.testing.assert_allclose(joined(results), self.expected, rtol=1e-5, atol=1e-5)
        self.assertEqual(heard, [(rows, 445) for rows in [*range(50, 450, 50), 445]])
        self.assertEqual(list(results[0]), ["logits"])

    def test_arrays_that_do_not_lie_together_are_sent_as_rows(self):
        turned = numpy.asfortranarray(images())[::-1]
        results = self.map(turned, batch_size=100)
        numpy.testing.assert_allclose(joined(results), self.expected[::-1], rtol=1e-5, atol=1e-5)

    def test_no_rows_are_no_batches(self):
        self.assertEqual(list(self.map(images()[:0])), [])
        self.assertEqual(list(self.map(iter([]))), [])
        self.assertEqual(list(self.map(iter([images()[:0], images()[:2]])))[0]["logits"].shape,
                         (2, 10))

    def test_items_of_an_iterator_are_batches(self):
        heard = []
        parts = [images()[:3], {"images": images()[3:103]}, images()[103:110]]
        results = list(self.map(iter(parts), progress=lambda *each: heard.append(each)))
        self.assertEqual([len(result["logits"]) for result in results], [3, 100, 7])
        self.assertEqual(heard, [(3, None), (103, None), (110, None)])
        cut = list(self.map(iter(parts), batch_size=60))
        self.assertEqual([len(result["logits"]) for result in cut], [3, 60, 40, 7])
        numpy.testing.assert_allclose(joined(cut), self.expected[:110], rtol=1e-5, atol=1e-5)

    def test_frames_give_frames_with_their_index(self):
        frame = pandas.DataFrame({"images": list(images())}, index=range(1000, 1445))
        whole = pandas.concat(self.map(frame, batch_size=64, outputs=["logits"]))
        self.assertEqual(list(whole.index), list(frame.index))
        numpy.testing.assert_allclose(whole.values, self.expected, rtol=1e-5, atol=1e-5)

    def test_partitions_of_dask_are_scored_where_they_are(self):
        table = pandas.DataFrame({name: numpy.arange(40.0) for name in "pqrs"})
        parts = dask.dataframe.from_pandas(table, npartitions=5)
        heard = []
        trivial = on_cpu(str(MODELS / "trivial.onnx"))
        whole = pandas.concat(self.map(parts, trivial, inputs={"x": list("pqrs")}, batch_size=3,
                                       progress=lambda *each: heard.append(each)))
        numpy.testing.assert_array_equal(whole.values, table.values + 1)
        self.assertEqual(list(whole.index), list(table.index))
        self.assertEqual(heard[-1], (40, None))
        parts = dask.dataframe.from_pandas(table.rename(columns={"p": "o"}), npartitions=5)
        with self.assertRaisesRegex(InvalidArgument, r"batch 0 \(rows 0 to \?\): .*no column 'p'"):
            list(self.map(parts, trivial, inputs={"x": list("pqrs")}))

    def test_blocks_of_an_array_of_dask_are_scored_where_they_are(self):
        whole = dask.array.from_array(images(), chunks=(100, 1, 8, 8))
        heard = []
        results = list(self.map(whole, progress=lambda *each: heard.append(each)))
        self.assertEqual([len(result["logits"]) for result in results], [100] * 4 + [45])
        numpy.testing.assert_allclose(joined(results), self.expected, rtol=1e-5, atol=1e-5)
        self.assertEqual(heard[-1], (445, 445))
        with self.assertRaisesRegex(InvalidArgument, "in blocks of whole rows"):
            self.map(whole.rechunk((100, 1, 4, 8)))

    def test_a_series_is_an_array(self):
        model = on_cpu(support.lookup(self.folder))
        results = self.map(pandas.Series([3, 1, 2]), model, batch_size=2)
        self.assertEqual(list(joined(results, "y")), [6, 2, 4])

    def test_large_results_stay_on_the_workers(self):
        """`score` is for functions that Dask runs on partitions."""
        frame = pandas.DataFrame({"images": list(images())})
        parts = dask.dataframe.from_pandas(frame, npartitions=4)
        model = batch.Model(DIGITS)
        best = parts.map_partitions(
            lambda part: batch.score(model, part, outputs=["logits"]).values.argmax(axis=1),
            meta=(None, int)).compute()
        numpy.testing.assert_array_equal(numpy.ravel(best), self.expected.argmax(axis=1))

    def test_constants_and_fixed_rows_work_as_in_one_process(self):
        model = on_cpu(support.weighted(self.folder, rows=4))
        a = numpy.arange(22, dtype=numpy.float32).reshape(11, 2)
        results = self.map({"a": a, "b": a}, model, constants={"scale": 3}, outputs=["y"],
                           batch_size=6)
        numpy.testing.assert_array_equal(joined(results, "y"), a * 6)

    # Threads and memory.

    def test_a_session_has_the_threads_of_its_worker(self):
        model = batch.Model(DIGITS, open_session=support.paced)
        before = self.client.run(opened_with)
        list(self.map(images()[:20], model, batch_size=2))
        during = self.client.run(opened_with)
        batch.release(self.client, model)
        self.assertEqual(during, {worker: [*found, 2] for worker, found in before.items()})
        self.assertEqual(self.client.run(opened_with), before)

    def test_no_more_is_sent_than_may_be_in_flight(self):
        taken, pulled, most = 0, 0, []
        model = batch.Model(DIGITS, threads=1)

        def source():
            nonlocal pulled
            for start in range(0, 440, 5):
                pulled += 1
                most.append(pulled - taken)
                yield images()[start:start + 5]

        def tasks(dask_scheduler):
            return sum(key.startswith(f"ortc-{model.key}-") for key in dask_scheduler.tasks)

        results = self.map(source(), model, max_in_flight=4)
        self.assertEqual(pulled, 0)
        for _ in results:
            if taken == 10:  # a caller that takes its time
                time.sleep(0.5)
                self.assertEqual(self.client.run_on_scheduler(tasks), 4)
            taken += 1
        self.assertEqual((taken, pulled), (88, 88))
        # Of the one that was just given, the caller has not said that it took it.
        self.assertLessEqual(max(most), 4 + 1)

    def test_many_calls_may_share_a_cluster(self):
        def use():
            results.append(joined(self.map(images(), batch_size=40)))

        results = []
        threads = [threading.Thread(target=use) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            numpy.testing.assert_allclose(result, self.expected, rtol=1e-5, atol=1e-5)
        self.assertEqual(len(results), 3)

    # Deaths.

    def test_batches_of_a_worker_that_is_killed_are_sent_again(self):
        model = batch.Model(DIGITS, open_session=support.paced)
        before, killed, got = self.pids(), None, []
        for result in self.map(images(), model, batch_size=5, max_in_flight=9):
            got.append(result)
            if len(got) == 20:
                killed = before[0]
                os.kill(killed, signal.SIGKILL)
        self.assertEqual(joined(got).shape, (445, 10))
        numpy.testing.assert_allclose(joined(got), self.expected, rtol=1e-5, atol=1e-5)
        self.assertNotIn(killed, self.pids())
        # The one that took its place has the model as well, without being told.
        self.bring_back()
        self.wait_until(lambda: len(self.pids()) >= 3)
        self.assertTrue(all(self.client.run(opened_with).values()))

    def test_a_batch_that_kills_its_workers_is_given_up(self):
        model = batch.Model(DIGITS, open_session=support.deadly)
        with self.assertRaisesRegex(batch.BatchError, r"batch 3 \(rows 30 to 39\): KilledWorker") \
                as caught:
            list(self.map(self.marked(31), model, batch_size=10, retries=1, max_in_flight=2))
        self.assertEqual((caught.exception.batch, caught.exception.rows), (3, (30, 40)))
        self.bring_back()
        self.wait_until(lambda: len(self.pids()) >= 3)

    def test_what_a_machine_lacks_for_a_moment_is_tried_again(self):
        model = batch.Model(DIGITS, open_session=support.short_of_files)
        results = list(self.map(images()[:60], model, batch_size=20))
        numpy.testing.assert_allclose(joined(results), self.expected[:60], rtol=1e-5, atol=1e-5)
        os.rmdir(os.environ["ORTC_TEST_ONCE"])
        with self.assertRaisesRegex(batch.BatchError, "OSError: the volume is not there yet"):
            list(self.map(images()[:60], model, batch_size=60, retries=0))

    def test_what_somebody_else_cancels_is_sent_again(self):
        model = batch.Model(DIGITS, open_session=support.paced)
        got = []
        with Client(self.cluster) as other:
            for result in self.map(images(), model, batch_size=20, max_in_flight=6):
                got.append(result)
                if len(got) == 4:
                    keys = self.client.run_on_scheduler(
                        lambda dask_scheduler: list(dask_scheduler.tasks))
                    self.assertTrue(keys, "nothing is there to be cancelled")
                    other.cancel([Future(key, other) for key in keys], force=True)
        numpy.testing.assert_allclose(joined(got), self.expected, rtol=1e-5, atol=1e-5)

    # Errors.

    def test_an_error_of_the_model_names_batch_and_rows(self):
        model = on_cpu(support.lookup(self.folder))
        x = numpy.arange(60) % 50
        x[33] = 100
        got = []
        with self.assertRaisesRegex(Error, r"^batch 3 \(rows 30 to 39\): .*100") as caught:
            for result in self.map(x, model, batch_size=10):
                got.append(result["y"])
        self.assertEqual(len(got), 3)
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertIs(type(error), InvalidArgument)
        self.assertEqual((error.batch, error.rows, str(error)),
                         (3, (30, 40), str(caught.exception)))

    def test_a_caller_may_go_on_after_an_error(self):
        model = on_cpu(support.lookup(self.folder))
        x = numpy.arange(60) % 50
        x[[5, 33]] = 100
        errors, heard = [], []

        def on_error(error):
            errors.append((error.batch, error.rows))
            return {"y": numpy.full(10, numpy.nan)}

        y = joined(self.map(x, model, batch_size=10, on_error=on_error,
                            progress=lambda *each: heard.append(each)), "y")
        self.assertEqual(errors, [(0, (0, 10)), (3, (30, 40))])
        wrong = numpy.isin(numpy.arange(60) // 10, [0, 3])
        numpy.testing.assert_array_equal(y[~wrong], 2 * x[~wrong])
        self.assertTrue(numpy.isnan(y[wrong]).all())
        self.assertEqual(heard[-1], (60, 60))

    def test_errors_of_others_come_with_their_cause(self):
        model = batch.Model(DIGITS, open_session=support.strange)
        with self.assertRaisesRegex(batch.BatchError, r"batch 1 .*KeyError: \"not ortc's\"") \
                as caught:
            list(self.map(self.marked(25), model, batch_size=20))
        self.assertIsInstance(caught.exception.__cause__, KeyError)
        model = batch.Model(DIGITS, open_session=support.late)
        with self.assertRaisesRegex(batch.BatchError, "TimeoutError: of the session"):
            list(self.map(images()[:20], model))

    def test_wrong_data_are_refused_before_they_are_sent(self):
        with self.assertRaisesRegex(InvalidArgument, "takes float32, not float64"):
            self.map(images().astype(float))
        with self.assertRaisesRegex(InvalidArgument, "has float64, input 'x' takes int64"):
            self.map(pandas.DataFrame({"x": [0.5]}), on_cpu(support.lookup(self.folder)))
        for data in (5, numpy.array(5), {"images": 5}):
            with self.assertRaises(InvalidArgument):
                self.map(data)
        for wrong in ({"batch_size": 0}, {"max_in_flight": 0}, {"retries": -1}):
            with self.assertRaisesRegex(InvalidArgument, next(iter(wrong)) + " must be"):
                self.map(images(), **wrong)
        with self.assertRaisesRegex(InvalidArgument, "no output 'z'"):
            self.map(images(), outputs=["z"])
        self.assertFalse(any(self.client.processing().values()))

    def test_what_came_before_a_wrong_item_is_given_first(self):
        got = []
        with self.assertRaisesRegex(InvalidArgument, "takes float32"):
            for result in self.map(iter([images()[:5], images()[:5], images().astype(int)])):
                got.append(result)
        self.assertEqual(len(got), 2)

        def broken():
            yield images()[:5]
            raise ConnectionError("the source went away")

        got.clear()
        with self.assertRaisesRegex(ConnectionError, "the source went away"):
            for result in self.map(broken()):
                got.append(result)
        self.assertEqual(len(got), 1)

    def test_a_model_that_cannot_be_opened_is_told_at_once(self):
        with self.assertRaisesRegex(NoSuchFile, "worker tcp://127.0.0.1:.*nowhere.onnx"):
            self.map(images(), "/nowhere.onnx")

    # Cancelling.

    def stepping(self):
        return batch.Model(support.identity(self.folder), open_session=support.Stepping)

    def forever(self):
        """The first batch is done soon, the others never."""
        x = numpy.full((8, 1), FOREVER, numpy.float32)
        x[0] = 1
        return x

    def idle(self):
        """Whether no thread of a worker is busy, also with what Dask has forgotten."""
        busy = self.client.run(lambda dask_worker: len(dask_worker.active_threads))
        return not any(busy.values()) and not any(self.client.processing().values())

    def test_closing_stops_what_is_under_way(self):
        results = self.map(self.forever(), self.stepping(), batch_size=1)
        next(results)
        self.wait_until(lambda: not self.idle())
        results.close()
        self.wait_until(self.idle)

    def test_an_exception_of_the_caller_stops_it_too(self):
        def progress(done, total):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            list(self.map(self.forever(), self.stepping(), batch_size=1, progress=progress))
        self.wait_until(self.idle)

    def test_nobody_waits_longer_than_asked(self):
        results = self.map(self.forever(), self.stepping(), batch_size=1, timeout=2)
        next(results)
        with self.assertRaisesRegex(batch.NoWorker, "no result of batch 1 within 2 seconds; the "
                                                    "cluster has 3 workers"):
            next(results)
        self.wait_until(self.idle)

    # Files that travel.

    def test_the_sample_goes_from_file_to_file(self):
        rows, results = (os.path.join(self.folder, name) for name in ("rows.npy", "results.npy"))
        numpy.save(rows, images())
        sample = support.ROOT / "bindings" / "python" / "samples" / "batch.py"
        subprocess.run([sys.executable, sample, DIGITS, rows, results, "--batch-size", "100",
                        "--scheduler", self.client.scheduler.address], check=True,
                       stderr=subprocess.DEVNULL)
        numpy.testing.assert_allclose(numpy.load(results), self.expected, rtol=1e-5, atol=1e-5)
        self.assertFalse(os.path.exists(results + ".partial"))

    def test_a_model_is_brought_to_machines_that_lack_it(self):
        folder = os.path.join(self.folder, "brought")
        model = batch.Model.carried(DIGITS, folder=folder)
        numpy.testing.assert_allclose(joined(self.map(images(), model, batch_size=100)),
                                      self.expected, rtol=1e-5, atol=1e-5)
        self.assertEqual(sorted(os.listdir(folder)),
                         [model.cargo.digest, model.cargo.digest + ".lock"])
        # The next time nobody has it open, and the folder was cleaned.
        batch.release(self.client, model)
        shutil.rmtree(folder)
        numpy.testing.assert_allclose(joined(self.map(images(), model, batch_size=100)),
                                      self.expected, rtol=1e-5, atol=1e-5)

    def test_a_machine_that_joins_in_the_middle_gets_its_files(self):
        folder = os.path.join(self.folder, "later")
        model = batch.Model.carried(DIGITS, folder=folder, open_session=support.paced)
        end = time.monotonic() + 30
        sent = []

        def everybody_has_it():
            found = self.client.run(dask_worker.describe, model, on_error="ignore")
            return len(found) == 3 and os.path.isdir(folder)

        def source():
            while time.monotonic() < end and not (len(sent) > 20 and everybody_has_it()):
                rows = slice(len(sent) % 400, len(sent) % 400 + 5)
                sent.append(self.expected[rows])
                yield images()[rows]

        for at, result in enumerate(self.map(source(), model, max_in_flight=6, retries=2)):
            numpy.testing.assert_allclose(result["logits"], sent[at], rtol=1e-5, atol=1e-5)
            if at == 10:
                shutil.rmtree(folder)
                os.kill(self.pids()[0], signal.SIGKILL)
        self.assertEqual(at + 1, len(sent))
        self.assertTrue(model.cargo.complete())


class WithoutWorkers(support.FolderCase):
    def test_a_cluster_without_workers_is_not_waited_for_in_vain(self):
        with LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None,
                          local_directory=self.folder) as cluster, Client(cluster) as client:
            with self.assertRaisesRegex(batch.NoWorker, "no worker joined .* within 0.5 seconds"):
                batch.map_batches(client, DIGITS, images(), timeout=0.5)


if __name__ == "__main__":
    unittest.main()
