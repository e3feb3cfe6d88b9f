# SPDX-License-Identifier: MIT
"""A large model on three worker processes: its weights are in memory once, and a worker that is
killed costs no row."""

import os
import re
import signal
import subprocess
import sys
import unittest

import batch_support as support
import numpy
from batch_support import ROOT

from ortc import batch
from ortc.model_compiler import ModelCompiler
from ortc.session_options import SessionOptions

MEGABYTE = 1 << 20


def compiled_transformer(folder):
    """A model of more than 100 MB, compiled. Gives its path and the bytes of its weights."""
    subprocess.run([sys.executable, ROOT / "tools" / "generate_models.py", "transformer", "--out",
                    folder], check=True, stdout=subprocess.DEVNULL)
    source = os.path.join(folder, "transformer.onnx")
    options = SessionOptions()
    options.add_provider("AOT", {})
    path = os.path.join(folder, "transformer_ctx.onnx")
    ModelCompiler(options, source).compile_to_file(path)
    os.remove(source)
    return path, os.path.getsize(os.path.join(folder, "transformer_aot.bin"))


def pages():
    """Of this process, in bytes: its proportional share of everything; of context binaries, its
    share and what it has mapped in memory."""
    with open("/proc/self/smaps_rollup", encoding="utf-8") as file:
        whole = int(re.search(r"^Pss: *(\d+) kB", file.read(), re.M).group(1)) * 1024
    share = mapped = 0
    binary = False
    with open("/proc/self/smaps", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if re.match("[0-9a-f]+-[0-9a-f]+ ", line):
                binary = line.rstrip().endswith("_aot.bin")
            elif binary and line.startswith("Pss:"):
                share += int(line.split()[1]) * 1024
            elif binary and line.startswith("Rss:"):
                mapped += int(line.split()[1]) * 1024
    return whole, share, mapped


class LargeModel(support.ClusterCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path, cls.weights = compiled_transformer(cls.folder)

    def data(self, rows):
        random = numpy.random.RandomState(3)
        return {"input_ids": random.randint(0, 1000, (rows, 32)),
                "attention_mask": numpy.ones((rows, 32), numpy.int64)}

    def test_three_processes_have_the_weights_once_and_one_may_die(self):
        self.assertGreater(self.weights, 100_000_000)
        self.client.run(support.images)  # what a worker has loaded anyway
        before = self.client.run(pages)
        rows = self.data(60)
        got = list(batch.map_batches(self.client, self.path, rows, batch_size=2))
        after = self.client.run(pages)
        self.assertEqual(sorted(after), sorted(before))

        mapped = [mapped for _, _, mapped in after.values()]
        share = sum(share for _, share, _ in after.values())
        growth = sum(after[worker][0] - before[worker][0] for worker in after)
        allowed = self.weights * 1.02 + 3 * 60 * MEGABYTE
        print(f"\n  weights {self.weights / MEGABYTE:.1f} MiB; mapped by each of three workers "
              f"{[round(each / MEGABYTE, 1) for each in mapped]}, their shares add up to "
              f"{share / MEGABYTE:.1f}; the processes grew by {growth / MEGABYTE:.1f} MiB")
        for each in mapped:  # every worker has used them
            self.assertGreater(each, self.weights * 0.8)
        self.assertLessEqual(share, self.weights * 1.02)
        self.assertLessEqual(growth, allowed)

        killed, again = self.pids()[0], []
        for result in batch.map_batches(self.client, self.path, rows, batch_size=2):
            again.append(result)
            if len(again) == 5:
                os.kill(killed, signal.SIGKILL)
        self.assertNotIn(killed, self.pids())
        expected = batch.score(batch.Model(self.path), rows, batch_size=2)["last_hidden_state"]
        for results in (got, again):
            self.assertEqual([len(result["last_hidden_state"]) for result in results], [2] * 30)
            numpy.testing.assert_allclose(
                numpy.concatenate([result["last_hidden_state"] for result in results]), expected,
                rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
