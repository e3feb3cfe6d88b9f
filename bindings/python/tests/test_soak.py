# SPDX-License-Identifier: MIT
"""Many at once: runs that are stopped at random, processes that end in the middle. ORTC_SOAK=1
makes the long forms."""

import asyncio
import concurrent.futures
import os
import random
import subprocess
import sys
import unittest

import numpy
import ortc
from support import FOREVER, model

LONG = os.environ.get("ORTC_SOAK") == "1"
ENDING = """\
import random, sys, threading, time, numpy, ortc
seed = int(sys.argv[1])

def start(function, *arguments):
    def quietly():
        try:
            function(*arguments)
        except ortc.Cancelled:
            pass
    threading.Thread(target=quietly, daemon=True).start()

session = ortc.Session({slow!r}, env=ortc.Env(0, logger=lambda record: record.message))
feed = {{"steps": numpy.array(10**8)}}
for _ in range(3):
    start(session.run, feed)
other = ortc.InferenceSession({slow!r})
other.run_async(None, feed, lambda *_: None, None)
options = ortc.SessionOptions()
options.add_provider("AOT")
compiler = ortc.ModelCompiler(options, {first!r}, True, on_progress=lambda *_: time.sleep(0.01))
start(compiler.compile_to_bytes)
time.sleep(random.Random(seed).random() * 0.05)
sys.exit(seed % 5)
"""


class Many(unittest.TestCase):
    def test_concurrent_runs_are_stopped_at_random(self):
        count = 1000 if LONG else 100
        options = ortc.SessionOptions()
        options.intra_op_num_threads = 3
        session = ortc.Session(model("slow.onnx"), options)
        rng = random.Random(5)

        async def one(stop):
            steps = FOREVER if stop else numpy.array(rng.randrange(1, 2000))
            task = asyncio.ensure_future(session.run_async({"steps": steps}))
            if stop:
                await asyncio.sleep(rng.random() * 0.2)
                task.cancel()
            try:
                return (await task)["y"][0, 0] == steps
            except asyncio.CancelledError:
                return stop

        async def main():
            return await asyncio.gather(*[one(rng.random() < 0.5) for _ in range(count)])

        self.assertEqual(asyncio.run(main()), [True] * count)
        y = session.run({"steps": numpy.array(9)})["y"]
        self.assertEqual(y[0, 0], 9)

    def test_processes_end_in_the_middle_of_work(self):
        code = ENDING.format(slow=model("slow.onnx"), first=model("first.onnx"))

        def end(seed):
            done = subprocess.run([sys.executable, "-c", code, str(seed)], capture_output=True,
                                  text=True, timeout=120, check=False)
            return done.returncode, done.stderr

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(end, range(100 if LONG else 5)))
        self.assertEqual(results, [(seed % 5, "") for seed in range(len(results))])


if __name__ == "__main__":
    unittest.main()
