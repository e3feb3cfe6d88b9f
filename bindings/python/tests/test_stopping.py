# SPDX-License-Identifier: MIT
"""Runs that are stopped: by tokens, tasks, Ctrl-C and the end of the process; runs on other
threads."""

import asyncio
import gc
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock
import weakref

import numpy
import ortc
from support import FOREVER, FolderCase, floats, model

LONG = {"steps": FOREVER}


def steps(count):
    return {"steps": numpy.array(count, numpy.int64)}


def later(seconds, action):
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


class Tokens(unittest.TestCase):
    def setUp(self):
        self.session = ortc.Session(model("slow.onnx"))

    def test_a_token_stops_a_run_from_another_thread(self):
        token = ortc.CancelToken()
        later(0.1, token.cancel)
        begin = time.monotonic()
        with self.assertRaises(ortc.RunCancelled):
            self.session.run(LONG, cancel=token)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertTrue(token.cancelled)
        with self.assertRaises(ortc.Cancelled):
            self.session.run(steps(5), cancel=token)
        numpy.testing.assert_array_equal(self.session.run(steps(5))["y"], [[5, 5, 5, 5]])

    def test_a_token_leaves_options_as_they_were(self):
        token, options = ortc.CancelToken(), ortc.RunOptions()
        later(0.05, token.cancel)
        with self.assertRaises(ortc.Cancelled):
            self.session.run(LONG, run_options=options, cancel=token)
        self.assertFalse(options.terminate)
        self.session.run(steps(3), run_options=options)

    def test_a_token_that_is_not_used_costs_nothing(self):
        token = ortc.CancelToken()
        for _ in range(3):
            self.session.run(steps(3), cancel=token)
        self.assertEqual(token._stops, {})

    def test_eight_threads_run_and_are_stopped_at_random(self):
        failures, counts = [], [0, 0]

        def work(seed):
            rng = random.Random(seed)
            for _ in range(25):
                token = ortc.CancelToken()
                wanted = rng.random() < 0.5
                if wanted:
                    timer = later(rng.random() * 0.004, token.cancel)
                try:
                    y = self.session.run(LONG if wanted else steps(200), cancel=token)["y"]
                    if wanted or y[0, 0] != 200:
                        failures.append(y)
                    counts[0] += 1
                except ortc.Cancelled:
                    if not wanted:
                        failures.append("stopped without a cancel")
                    counts[1] += 1
                if wanted:
                    timer.join()

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(sum(counts), 200)
        self.assertGreater(min(counts), 0)

    def test_threads_share_a_session(self):
        session = ortc.Session(model("first.onnx"), providers=["AOT"])
        x = numpy.ones((1, 256), numpy.float32)
        expected = session.run({"x": x})["y"]
        wrong = []

        def work():
            for _ in range(200):
                if not (session.run({"x": x})["y"] == expected).all():
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_session_may_be_closed_while_others_run_it(self):
        session = ortc.Session(model("slow.onnx"))
        done = []
        threads = [threading.Thread(target=lambda: done.append(session.run(steps(20000))["y"]))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.005)
        session.close()
        for thread in threads:
            thread.join()
        self.assertTrue(all((y == 20000).all() for y in done))


    def test_so_may_a_binding_and_run_options(self):
        session = ortc.InferenceSession(model("slow.onnx"))
        binding, options = session.io_binding(), ortc.RunOptions()
        y = numpy.zeros((1, 4), numpy.float32)
        binding.bind_cpu_input("steps", numpy.array(2_000_000, numpy.int64))
        binding.bind_ortvalue_output("y", ortc.OrtValue.ortvalue_from_numpy(y))
        native = [weakref.ref(each._native) for each in (session, binding, options)]
        thread = threading.Thread(target=session.run_with_iobinding, args=(binding, options))
        thread.start()
        time.sleep(0.05)
        for each in (session, binding, options):
            each.close()
        kept = [reference() is not None for reference in native]
        self.assertTrue(thread.is_alive())
        thread.join()
        self.assertEqual(kept, [True] * 3)
        self.assertEqual(y.tolist(), [[2_000_000] * 4])
        self.assertEqual([reference() for reference in native], [None] * 3)

    def test_run_options_may_be_closed_while_their_run_is_stopped(self):
        token, options = ortc.CancelToken(), ortc.RunOptions()
        later(0.05, options.close)
        later(0.1, token.cancel)
        with self.assertRaises(ortc.RunCancelled):
            self.session.run(LONG, run_options=options, cancel=token)


class Async(unittest.TestCase):
    def sessions(self):
        """With threads of its own, and without."""
        for count in (2, 1):
            options = ortc.SessionOptions()
            options.intra_op_num_threads = count
            with self.subTest(threads=count):
                yield options

    def test_a_task_waits_for_a_run(self):
        async def main(session):
            first, second = await asyncio.gather(session.run_async(steps(10)),
                                                 session.run_async(steps(20), ["y"]))
            return first["y"][0, 0], second["y"][0, 0]

        for options in self.sessions():
            session = ortc.Session(model("slow.onnx"), options)
            self.assertEqual(asyncio.run(main(session)), (10, 20))

    def test_a_task_that_is_cancelled_stops_its_run(self):
        async def main(session):
            task = asyncio.ensure_future(session.run_async(LONG))
            await asyncio.sleep(0.05)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(session.run_async(LONG), 0.05)
            return (await session.run_async(steps(7)))["y"][0, 0]

        for options in self.sessions():
            session = ortc.Session(model("slow.onnx"), options)
            self.assertEqual(asyncio.run(main(session)), 7)

    def test_the_loop_goes_on_while_a_run_is_under_way(self):
        async def main(session):
            run = asyncio.ensure_future(session.run_async(LONG))
            for _ in range(5):
                await asyncio.sleep(0.01)
            self.assertFalse(run.done())
            run.cancel()

        asyncio.run(main(ortc.Session(model("slow.onnx"))))

    def test_failures_come_to_the_task(self):
        async def main(session):
            with self.assertRaises(ortc.InvalidArgument):
                await session.run_async({"x": floats(2, 2)})
            options = ortc.RunOptions()
            options.terminate = True
            with self.assertRaises(ortc.RunCancelled):
                await session.run_async({"x": floats(1, 4)}, run_options=options)

        for options in self.sessions():
            asyncio.run(main(ortc.Session(model("trivial.onnx"), options)))

    def test_the_session_may_go_before_its_run_ends(self):
        async def main():
            waiting = ortc.Session(model("slow.onnx")).run_async(steps(2000))
            gc.collect()
            return (await waiting)["y"][0, 0]

        self.assertEqual(asyncio.run(main()), 2000)

    def test_a_callback_hears_of_the_end(self):
        for options in self.sessions():
            session = ortc.InferenceSession(model("slow.onnx"), options)
            heard, done = [], threading.Event()

            def callback(results, data, error):
                heard.append((results, data, error))
                done.set()

            session.run_async(None, steps(4), callback, "mine")
            self.assertTrue(done.wait(10))
            results, data, error = heard[0]
            self.assertEqual((results[0][0, 0], data, error), (4, "mine", ""))
            done.clear()
            session.run_async(["nothing"], steps(4), callback, None)
            self.assertTrue(done.wait(10))
            self.assertIn("nothing", heard[1][2])

    def test_a_callback_hears_of_results_that_cannot_be_shown(self):
        heard, done = [], threading.Event()

        def callback(results, data, error):
            heard.append((results, data, error))
            done.set()

        session = ortc.InferenceSession(model("slow.onnx"))
        with unittest.mock.patch.object(ortc.OrtValue, "numpy", side_effect=MemoryError("full")):
            session.run_async(None, steps(4), callback, "mine")
            self.assertTrue(done.wait(10))
        self.assertEqual(heard, [([], "mine", "full")])

    def test_a_run_that_does_not_begin_leaves_nothing_under_way(self):
        from ortc._core import at_exit, callbacks, run_async
        from ortc.errors import new_status
        session = ortc.Session(model("slow.onnx"))

        def refuse(*_arguments):
            return new_status(ortc.OrtErrorCode.FAIL, "no memory for a run")

        def starts_no_thread(*_arguments):
            raise RuntimeError("can't start new thread")

        gc.collect()
        known, under_way = set(callbacks._objects), set(at_exit._operations)
        with unittest.mock.patch.object(run_async, "_run_async", refuse):
            with self.assertRaisesRegex(ortc.Fail, "no memory"):
                asyncio.run(session.run_async(steps(4)))
        options = ortc.SessionOptions()
        options.intra_op_num_threads = 1
        alone = ortc.Session(model("slow.onnx"), options)
        with unittest.mock.patch.object(threading.Thread, "start", starts_no_thread):
            with self.assertRaisesRegex(RuntimeError, "new thread"):
                asyncio.run(alone.run_async(steps(4)))
        self.assertLessEqual(set(at_exit._operations), under_way)
        self.assertLessEqual(set(callbacks._objects), known)

    def test_a_callback_that_fails_is_told_in_pythons_log(self):
        session = ortc.InferenceSession(model("slow.onnx"))
        with self.assertLogs("ortc", "ERROR") as logs:
            session.run_async(None, steps(4), lambda *_: 1 / 0, None)
            deadline = time.monotonic() + 10
            while not logs.output and time.monotonic() < deadline:
                time.sleep(0.01)
        self.assertIn("ZeroDivisionError", logs.output[0])


class Interrupts(unittest.TestCase):
    """KeyboardInterrupt between any two steps of a run."""

    def released(self, session, steps_before):
        """What a run gives back that is interrupted after so many steps in `RunPlan.run`; None
        when it has ended before."""
        from ortc._core.run_plan import RunPlan
        released, left = [], [steps_before]

        def count(value):
            if not value._borrowed:
                released.append(value._address)

        def step(_frame, event, _argument):
            if event == "opcode":
                left[0] -= 1
                if left[0] < 0:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return step

        def enter(frame, _event, _argument):
            if frame.f_code is not RunPlan.run.__code__:
                return None
            frame.f_trace_opcodes = True
            return step

        release, ortc.OrtValue.__del__ = ortc.OrtValue.__del__, count
        before = sys.gettrace()
        sys.settrace(enter)
        try:
            outputs = session.run({"x": self.x})
        except KeyboardInterrupt:
            return released
        finally:
            sys.settrace(before)
            ortc.OrtValue.__del__ = release
            for address in set(released):
                ortc.OrtValue(address)
        del outputs
        return None

    def test_an_output_is_released_once_wherever_ctrl_c_comes(self):
        session = ortc.Session(model("trivial.onnx"))
        self.x = ortc.OrtValue.ortvalue_from_numpy(floats(1, 4))
        count = 0
        for steps_before in range(1000):
            released = self.released(session, steps_before)
            if released is None:
                break
            self.assertEqual(len(released), len(set(released)), f"after {steps_before} steps")
            count += len(released)
        self.assertGreater(steps_before, 30)
        self.assertGreater(count, 0)
        numpy.testing.assert_array_equal(session.run({"x": self.x})["y"], [[1, 2, 3, 4]])


PROGRAM = """\
import sys, threading, time, numpy, ortc
{body}
"""
INTERRUPTED = """\
try:
    {call}
except KeyboardInterrupt:
    pass
else:
    sys.exit("it was not interrupted")
session = ortc.Session({trivial!r})
for _ in range(3):
    assert session.run({{"x": numpy.zeros((1, 4), numpy.float32)}})["y"][0, 0] == 1
print("fine")
"""


class Processes(FolderCase):
    def start(self, body):
        return subprocess.Popen([sys.executable, "-c", PROGRAM.format(body=body)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def interrupt(self, prepare, call):
        """Ctrl-C in the middle of a call of the main thread."""
        call = f"print('ready', flush=True); {call}"
        process = self.start(prepare + "\n" + INTERRUPTED.format(
            call=call, trivial=model("trivial.onnx")))
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertEqual((out, err, process.returncode), ("fine\n", "", 0))

    def test_ctrl_c_stops_a_run(self):
        self.interrupt(f"session = ortc.Session({model('slow.onnx')!r})",
                       "session.run({'steps': numpy.array(10**8)})")

    def test_ctrl_c_stops_a_run_with_options_of_the_program(self):
        self.interrupt(f"session = ortc.Session({model('slow.onnx')!r})\n"
                       "options = ortc.RunOptions()",
                       "session.run({'steps': numpy.array(10**8)}, run_options=options)")

    def test_ctrl_c_stops_a_bound_run(self):
        self.interrupt(f"session = ortc.InferenceSession({model('slow.onnx')!r})\n"
                       "binding = session.io_binding()\n"
                       "binding.bind_cpu_input('steps', numpy.array(10**8))\n"
                       "binding.bind_output('y')",
                       "session.run_with_iobinding(binding)")

    def test_ctrl_c_stops_a_compile(self):
        self.interrupt("options = ortc.SessionOptions(); options.add_provider('AOT')\n"
                       f"compiler = ortc.ModelCompiler(options, {model('first.onnx')!r},"
                       " on_progress=lambda *_: time.sleep(0.2))",
                       f"compiler.compile_to_file({self.path('f_ctx.onnx')!r})")
        self.assertEqual(self.files(), [])

    def test_ctrl_c_leaves_a_handler_of_the_program_alone(self):
        process = self.start(
            "import signal\nheard = []\n"
            "signal.signal(signal.SIGINT, lambda *_: heard.append(1))\n"
            f"session = ortc.Session({model('slow.onnx')!r})\n"
            "print('ready', flush=True)\n"
            "while not heard:\n"
            "    y = session.run({'steps': numpy.array(200000)})['y']\n"
            "    assert y[0, 0] == 200000\n"
            "print('fine')")
        process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((out, err, process.returncode), ("fine\n", "", 0))

    def test_a_wake_up_file_of_the_program_stays(self):
        process = self.start(
            "import os, signal\nread, write = os.pipe(); os.set_blocking(write, False)\n"
            "signal.set_wakeup_fd(write)\n"
            "signal.signal(signal.SIGTERM, lambda *_: None)\n"
            f"session = ortc.Session({model('slow.onnx')!r})\n"
            "threading.Timer(0.2, lambda: signal.pthread_kill("
            "threading.main_thread().ident, signal.SIGTERM)).start()\n"
            "session.run({'steps': numpy.array(2000000)})\n"
            "assert os.read(read, 1) == bytes([signal.SIGTERM])\n"
            "assert signal.set_wakeup_fd(-1) == write\n"
            "print('fine')")
        out, err = process.communicate(timeout=60)
        self.assertEqual((out, err, process.returncode), ("fine\n", "", 0))

    def test_a_child_of_a_fork_runs_and_is_interrupted(self):
        process = self.start(
            "import os, signal\n"
            f"session = ortc.Session({model('trivial.onnx')!r})\n"
            "session.run({'x': numpy.zeros((1, 4), numpy.float32)})\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "    try:\n"
            f"        ortc.Session({model('slow.onnx')!r}).run("
            "{'steps': numpy.array(10**8)})\n"
            "    except KeyboardInterrupt:\n"
            "        os._exit(7)\n"
            "    os._exit(1)\n"
            "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
            "print('fine')")
        out, err = process.communicate(timeout=60)
        self.assertEqual((out, err, process.returncode), ("fine\n", "", 0))

    def exit_in_the_middle(self, how):
        """Daemon threads are in runs, and a task's run is under way, when the process ends."""
        return self.start(
            "import logging\n"
            f"session = ortc.Session({model('slow.onnx')!r}, env=ortc.Env(0))\n"
            "run = lambda: session.run({'steps': numpy.array(10**8)})\n"
            "for _ in range(3):\n"
            "    threading.Thread(target=run, daemon=True).start()\n"
            "other = ortc.InferenceSession(" f"{model('slow.onnx')!r})\n"
            "other.run_async(None, {'steps': numpy.array(10**8)}, lambda *_: None, None)\n"
            f"time.sleep(0.05)\n{how}")

    def test_processes_end_in_the_middle_of_runs(self):
        for how, code in (("sys.exit(3)", 3), ("pass", 0), ("import os; os._exit(4)", 4)) * 2:
            process = self.exit_in_the_middle(how)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, err), (code, ""))


if __name__ == "__main__":
    unittest.main()
