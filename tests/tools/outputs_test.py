#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of files that options of the command line name: outputs_test.py ORTC [argument ...]

A file appears whole or not at all; a device or a pipe is written into and stays what it is.
"""
import json
import os
import signal
import stat
import subprocess
import threading
import time
import unittest

from tool_testing import ORTC, ToolTestCase

BENCH = ("bench", "m.onnx", "--shape", "x=2x8", "--iterations", "3")


class OutputsTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        self.save_network()

    def read_pipe(self, name, *arguments):
        os.mkfifo(self.path(name))
        found = []

        def read():
            with open(self.path(name), encoding="utf-8") as pipe:
                found.append(pipe.read())
        reader = threading.Thread(target=read)
        reader.start()
        self.ortc(*arguments)
        reader.join(timeout=20)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path(name)).st_mode))
        return found[0]

    def test_pipes__are_written_into(self):
        self.assertIn("layer,operator", self.read_pipe("csv", *BENCH, "--csv", "csv"))
        trace = json.loads(self.read_pipe("trace", *BENCH, "--profile", "trace"))
        self.assertIn("model_run", [event["name"] for event in trace])
        self.assertIn("<svg", self.read_pipe("svg.svg", "inspect", "m.onnx", "--picture",
                                             "svg.svg"))

    def test_pipes_of_a_shell__are_written_into(self):
        read, write = os.pipe()
        done = subprocess.run([ORTC, *BENCH, "--export-times", f"/dev/fd/{write}"],
                              cwd=self.folder, capture_output=True, pass_fds=[write])
        os.close(write)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(read, encoding="utf-8") as pipe:
            self.assertEqual(json.load(pipe)["schema"], "ortc.times/1")

    def test_what_is_open__is_written_on(self):
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with open(self.path("all.txt"), "w", encoding="utf-8") as file:
                file.write("before\n")
                file.flush()
                subprocess.run([ORTC, *BENCH, "--csv", name], cwd=self.folder, stdout=file,
                               check=True)
            with open(self.path("all.txt"), encoding="utf-8") as file:
                self.assertRegex(file.read(), r"(?s)^before\nlayer,operator.*\nload .*latency")

    @unittest.skipUnless(os.geteuid() == 0, "only root makes devices")
    def test_devices__stay_devices(self):
        try:
            os.mknod(self.path("nul"), 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            self.skipTest("this root makes none")
        for option in ("--csv", "--export-times", "--profile"):
            done = subprocess.run([ORTC, *BENCH, option, "nul"], cwd=self.folder,
                                  capture_output=True)
            self.assertTrue(stat.S_ISCHR(os.stat(self.path("nul")).st_mode), done.stderr)

    def test_links__lead_to_what_is_replaced(self):
        os.mkdir(self.path("far"))
        for target in ("far/there", "far/new"):
            os.symlink(target, self.path("link"))
            for option in ("--csv", "--profile"):
                with open(self.path("far/there"), "w", encoding="utf-8") as file:
                    file.write("old")
                os.chmod(self.path("far/there"), 0o640)
                self.ortc(*BENCH, option, "link")
                self.assertTrue(os.path.islink(self.path("link")))
                self.assertGreater(os.path.getsize(self.path(target)), 3)
            os.remove(self.path("link"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["far", "m.onnx"])
        self.assertEqual(sorted(os.listdir(self.path("far"))), ["new", "there"])

    def test_a_file__keeps_its_permissions_and_what_stands_beside_it(self):
        for name in ("l.csv", "l.csv.part"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("old")
            os.chmod(self.path(name), 0o640)
        self.ortc(*BENCH, "--csv", "l.csv")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("l.csv")).st_mode), 0o640)
        with open(self.path("l.csv.part"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_a_profile__is_the_only_file_whatever_else_was_loaded(self):
        for more in (("--loads", "3"), ("--cold",), ("--layers",)):
            self.ortc(*BENCH, *more, "--profile", "p.json")
            self.assertEqual(sorted(os.listdir(self.folder)), ["m.onnx", "p.json"])

    def test_outputs__replace_no_model_and_not_each_other(self):
        with open(self.path("m.onnx"), "rb") as file:
            model = file.read()
        os.symlink("m.onnx", self.path("link"))
        for option in ("--csv", "--export-times", "--profile"):
            for name in ("m.onnx", "./m.onnx", "link"):
                self.ortc(*BENCH, option, name, exit_code=1)
                self.assertIn(option, self.errors)
        self.ortc("run", "m.onnx", "--profile", "m.onnx", exit_code=1)
        self.ortc(*BENCH, "--csv", "one", "--profile", "./one", exit_code=2)
        self.assertIn("--csv and --profile name one file", self.errors)
        with open(self.path("m.onnx"), "rb") as file:
            self.assertEqual(file.read(), model)

    def test_outputs__replace_no_file_that_a_model_refers_to(self):
        self.ortc("compile", "m.onnx")
        with open(self.path("m_aot.bin"), "rb") as file:
            binary = file.read()
        for option in ("--csv", "--export-times", "--profile"):
            self.ortc("bench", "m_ctx.onnx", "--shape", "x=2x8", option, "./m_aot.bin", exit_code=1)
            self.assertIn("is one of the files that are read", self.errors)
        self.ortc("run", "m_ctx.onnx", "--input", "x=random", "--dim", "batch=1", "--profile",
                  "m_aot.bin", exit_code=1)
        with open(self.path("m_aot.bin"), "rb") as file:
            self.assertEqual(file.read(), binary)

    def test_a_failure__leaves_no_profile(self):
        self.ortc("run", "m.onnx", "--profile", "p.json", exit_code=2)
        self.ortc("run", "m.onnx", "--profile", "none/p.json", exit_code=1)
        self.assertIn("none/p.json: could not be written", self.errors)
        self.assertEqual(os.listdir(self.folder), ["m.onnx"])

    def test_a_signal__leaves_nothing(self):
        """While the runs go on, and while it waits for a value and cannot be cancelled."""
        os.mkfifo(self.path("pipe"))
        options = ("--csv", "l.csv", "--export-times", "t.json", "--profile", "p.json", "-v")
        for value in ("zeros", "pipe"):
            process = subprocess.Popen(
                [ORTC, "bench", "m.onnx", "--input", f"x={value}", "--shape", "x=2x8",
                 "--duration", "60", *options],
                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while "provider" not in process.stderr.readline():
                pass
            time.sleep(0.3)
            self.assertGreater(len(os.listdir(self.folder)), 2)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)
            self.assertEqual(process.returncode, 130)
            self.assertEqual(sorted(os.listdir(self.folder)), ["m.onnx", "pipe"])


if __name__ == "__main__":
    unittest.main()
