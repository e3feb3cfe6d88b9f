# SPDX-License-Identifier: MIT
"""What the tests of ortc.batch share: models, sessions that misbehave on purpose, a cluster."""

import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import unittest

import dask
import numpy
import onnx
from distributed import Client, LocalCluster
from distributed.core import Status
from distributed import TimeoutError as DaskTimeout
from onnx import TensorProto, helper, numpy_helper

from ortc import batch
from ortc.session import InferenceSession
from ortc.session_options import SessionOptions

ROOT = pathlib.Path(__file__).resolve().parents[4]
MODELS = pathlib.Path(os.environ["ORTC_MODELS"])
OUT = pathlib.Path(os.environ["ORTC_OUT"])
DIGITS = str(MODELS / "digits_ctx.onnx")

# A test asks for these words, and a row with this number does what its session is for.
MARK = 999.0
FOREVER = 100_000_000


def images():
    return numpy.load(ROOT / "demo" / "digits" / "test_images.npy")


def save(folder, name, nodes, inputs, outputs, initializers=()):
    """Writes a model; inputs and outputs are (name, element type, shape). Gives its path."""
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, name, [value(*each) for each in inputs],
                              [value(*each) for each in outputs], list(initializers))
    path = os.path.join(folder, f"{name}.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
              path)
    return path


def lookup(folder):
    """y = table[x]: fails for an index of 100 or more."""
    table = numpy_helper.from_array(numpy.arange(100, dtype=numpy.float32) * 2, "table")
    return save(folder, "lookup", [helper.make_node("Gather", ["table", "x"], ["y"])],
                [("x", TensorProto.INT64, ["rows"])], [("y", TensorProto.FLOAT, ["rows"])], [table])


def weighted(folder, rows="rows"):
    """y = (a + b) * scale, s = all of it added up; a [rows, 2], b [rows, 2], scale one number."""
    return save(folder, f"weighted_{rows}",
                [helper.make_node("Add", ["a", "b"], ["c"]),
                 helper.make_node("Mul", ["c", "scale"], ["y"]),
                 helper.make_node("ReduceSum", ["y"], ["s"], keepdims=0)],
                [("a", TensorProto.FLOAT, [rows, 2]), ("b", TensorProto.FLOAT, [rows, 2]),
                 ("scale", TensorProto.FLOAT, [])],
                [("y", TensorProto.FLOAT, [rows, 2]), ("s", TensorProto.FLOAT, [])])


def on_cpu(path, **options):
    """A small source model, which needs no compiling."""
    return batch.Model(path, providers=(), **options)


# Sessions for tests of what the workers do.


def session_of(path, threads):
    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.add_provider("AOT", {})
    return InferenceSession(path, options)


class Wrapped:
    """A session that does something before each run. `before` gets the first input's array."""

    def __init__(self, path, threads, before):
        self.threads = threads
        self._session = session_of(path, threads)
        self._before = before
        self.get_inputs = self._session.get_inputs
        self.get_outputs = self._session.get_outputs

    def run(self, outputs, feed, cancel=None):
        self._before(next(iter(feed.values())))
        return self._session.run(outputs, feed, cancel=cancel)


def paced(path, threads):
    return Wrapped(path, threads, lambda _: time.sleep(0.03))


def deadly(path, threads):
    def die(array):
        if (array == MARK).any():
            os.kill(os.getpid(), signal.SIGKILL)
    return Wrapped(path, threads, die)


def strange(path, threads):
    def fail(array):
        if (array == MARK).any():
            raise KeyError("not ortc's")
    return Wrapped(path, threads, fail)


def late(path, threads):
    def fail(_):
        raise TimeoutError("of the session")
    return Wrapped(path, threads, fail)


def short_of_files(path, threads):
    """Fails once on each machine: the first run finds a file missing that is there later."""
    def fail(array):
        try:
            os.mkdir(os.environ["ORTC_TEST_ONCE"])
        except FileExistsError:
            return
        raise OSError("the volume is not there yet")
    return Wrapped(path, threads, fail)


class Stepping:
    """y = x, after as many steps of the model `slow` as the first number of the batch says."""

    def __init__(self, path, threads):
        self._slow = session_of(str(MODELS / "slow.onnx"), threads)
        same = session_of(path, threads)
        self.get_inputs, self.get_outputs = same.get_inputs, same.get_outputs

    def run(self, outputs, feed, cancel=None):
        x = feed["x"]
        self._slow.run(None, {"steps": numpy.array(int(x[0, 0]), numpy.int64)}, cancel=cancel)
        return [x]


def identity(folder):
    return save(folder, "identity", [helper.make_node("Identity", ["x"], ["y"])],
                [("x", TensorProto.FLOAT, ["rows", 1])], [("y", TensorProto.FLOAT, ["rows", 1])])


class FolderCase(unittest.TestCase):
    """A test with a folder of its own, the same for all tests of the class."""

    @classmethod
    def setUpClass(cls):
        OUT.mkdir(parents=True, exist_ok=True)
        cls.folder = tempfile.mkdtemp(prefix="batch-", dir=OUT)
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)


class ClusterCase(FolderCase):
    """Tests on a scheduler and three worker processes, all on the loopback interface."""

    allowed_failures = 3
    replacements = 3  # at most
    is_mended = False  # a worker is there that the cluster was not made with

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.environ["ORTC_TEST_ONCE"] = os.path.join(cls.folder, "once")
        cls.open_cluster()

    @classmethod
    def open_cluster(cls):
        with dask.config.set({"distributed.scheduler.allowed-failures": cls.allowed_failures}):
            cls.cluster = LocalCluster(
                n_workers=3, threads_per_worker=2, processes=True, host="127.0.0.1",
                dashboard_address=None, memory_limit=0, local_directory=cls.folder)
        cls.addClassCleanup(cls.cluster.close)
        cls.client = Client(cls.cluster)
        cls.addClassCleanup(cls.client.close)

    def all_are_back(self):
        """Whether there are three workers again. Dask gives one up for good now and then, when it
        hears of its death while it gathers a result from it: the worker that takes its place is
        shut down as well."""
        for _ in range(30):
            try:
                self.client.wait_for_workers(3, timeout=1)
                return True
            except (TimeoutError, DaskTimeout):
                states = {nanny.status for nanny in self.cluster.workers.values()}
                if states & {Status.closed, Status.failed}:
                    break
        print("a worker of Dask did not come back", file=sys.stderr)
        return False

    def bring_back(self):
        """Waits for three workers; the test itself starts one that Dask gave up."""
        if not self.all_are_back():
            type(self).is_mended = True
            self.cluster.scale(len(self.cluster.worker_spec) + 1)
            self.client.wait_for_workers(3, timeout=60)

    def setUp(self):
        """After a worker was given up, the tests to come have a new cluster."""
        cls = type(self)
        if cls.is_mended or not self.all_are_back():
            self.assertGreater(cls.replacements, 0, "workers go away again and again")
            cls.replacements -= 1
            cls.is_mended = False
            cls.client.close()
            cls.cluster.close()
            cls.open_cluster()
            self.client.wait_for_workers(3, timeout=60)

    def pids(self):
        return sorted(self.client.run(os.getpid, on_error="ignore").values())

    def wait_until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "waited for too long")
            time.sleep(0.05)
