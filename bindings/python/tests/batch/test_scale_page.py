# SPDX-License-Identifier: MIT
"""The page about scale does what it says: its blocks are run in their order, in one program.

Addresses and folders of the page stand for those of the test. Blocks that need an engine which is
not here are only read by Python.
"""

import os
import re
import subprocess
import unittest

import batch_support as support
import numpy
import pandas
import yaml
from batch_support import ROOT

PAGE = ROOT / "docs" / "scale.md"


def blocks():
    """(language, number of the first line, text) of each."""
    text = PAGE.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        yield found[1], text.count("\n", 0, found.start()) + 2, found[2]


class Page(support.ClusterCase):
    def here(self, text):
        for folder in ("models", "data"):
            text = text.replace(f"/{folder}/", f"{self.folder}/{folder}/")
        return text.replace("tcp://scheduler:8786", self.client.scheduler.address)

    def run_shell(self, text):
        tools = os.path.join(os.environ["ORTC_PREFIX"], "bin")
        subprocess.run(["bash", "-euc", self.here(text)], check=True, cwd=self.folder,
                       env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_its_blocks_work(self):
        for folder in ("models", "data"):
            os.mkdir(os.path.join(self.folder, folder))
        source = (ROOT / "tests" / "data" / "matmul.onnx").read_bytes()
        with open(os.path.join(self.folder, "m.onnx"), "wb") as file:
            file.write(source)
        rows = numpy.random.RandomState(1).rand(30, 4).astype(numpy.float32)
        numpy.save(os.path.join(self.folder, "data", "rows-7.npy"), rows)
        os.environ["JOB_COMPLETION_INDEX"] = "7"
        self.addCleanup(os.environ.pop, "JOB_COMPLETION_INDEX")

        names, run = {}, []
        for language, line, text in blocks():
            with self.subTest(line=line):
                needy = text.startswith("# needs ")
                if language == "sh" and not needy:
                    self.run_shell(text)
                elif language == "python":
                    code = compile("\n" * (line - 1) + self.here(text), PAGE, "exec")
                    if not needy:
                        exec(code, names)
                run.append(language)
        self.addCleanup(names["client"].close)
        self.assertEqual((run.count("sh"), run.count("python"), run.count("yaml")), (3, 9, 1))

        expected = names["score"](names["model"], rows)["y"]
        numpy.testing.assert_array_equal(
            numpy.load(os.path.join(self.folder, "data", "scores-7.npy")), expected)
        self.spark(names["score_frames"], rows, expected)
        self.ray(names["Scorer"], rows, expected)

    def spark(self, score_frames, rows, expected):
        frame = pandas.DataFrame(rows, columns=["a", "b", "c", "d"])
        frame["id"] = range(100, 130)
        scored = pandas.concat(score_frames(iter([frame[:20], frame[20:]])))
        self.assertEqual(list(scored.columns), ["id", "y_0", "y_1", "y_2"])
        self.assertEqual(list(scored["id"]), list(frame["id"]))
        numpy.testing.assert_allclose(scored[["y_0", "y_1", "y_2"]].values, expected, rtol=1e-6)

    def ray(self, scorer, rows, expected):
        scored = scorer(self.folder + "/models/m_ctx.onnx", 2)({"id": numpy.arange(30), "x": rows})
        self.assertEqual(list(scored), ["id", "y"])
        numpy.testing.assert_allclose(scored["y"], expected, rtol=1e-6)

    def test_its_job_mounts_what_it_has(self):
        text = next(text for language, _, text in blocks() if language == "yaml")
        pod = yaml.safe_load(text)["spec"]["template"]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        used = {}
        for container in [*pod["initContainers"], *pod["containers"]]:
            for mount in container["volumeMounts"]:
                used[container["name"], mount["name"]] = mount.get("readOnly", False)
        self.assertEqual({name for _, name in used}, volumes)
        self.assertTrue(used["score", "models"])
        self.assertFalse(used["compile", "models"])
        self.assertEqual(pod["initContainers"][0]["args"],
                         ["test -e /models/m_ctx.onnx || "
                          "ortc compile /source/m.onnx -o /models/m_ctx.onnx"])


if __name__ == "__main__":
    unittest.main()
