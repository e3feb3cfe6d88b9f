#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of `ortc ep-test`: ep_test_test.py ORTC FOLDER [argument ...], where FOLDER has libvirtual_npu.so
and libtest_library.so.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import onnx
from onnx import TensorProto, helper

from tool_testing import ORTC, ToolTestCase

LIBRARIES = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "."
NPU = os.path.join(LIBRARIES, "libvirtual_npu.so")
FAULTY = os.path.join(LIBRARIES, "libtest_library.so")


class EpTest(ToolTestCase):
    # A failed check is an answer: there is no error then.
    def ortc(self, *arguments, exit_code=0):
        done = subprocess.run([ORTC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, cwd=self.folder)
        bad = [line for line in done.stdout.splitlines() if "failed" in line or "crashed" in line]
        self.assertEqual(done.returncode, exit_code, f"{arguments}\n{bad}{done.stderr}")
        self.errors = done.stderr
        return done.stdout

    def checks(self, *arguments, exit_code=0):
        report = self.ortc_json("ep-test", *arguments, exit_code=exit_code)
        self.assertEqual(report["schema"], "ortc.ep-test/1")
        verdicts = [check["verdict"] for check in report["checks"]]
        self.assertEqual(report["passed"], verdicts.count("passed"))
        self.assertEqual(report["not_applicable"], verdicts.count("not applicable"))
        self.assertEqual(sum(report[key] for key in ("passed", "failed", "not_applicable")),
                         len(verdicts))
        return {check["name"]: (check["verdict"], check["text"]) for check in report["checks"]}

    def library(self, body):
        """A library whose CreateEpFactories has this body."""
        source = self.path("library.c")
        with open(source, "w") as file:
            file.write("#include <stdlib.h>\n#include <unistd.h>\n"
                       "void* CreateEpFactories(void) { " + body + " }\n"
                       "void* ReleaseEpFactory(void) { return 0; }\n")
        subprocess.run([shutil.which("cc"), "-shared", "-fPIC", source, "-o",
                        self.path("library.so")], check=True)
        return self.path("library.so")

    def test_a_model_that_is_not_there__is_said_before_anything_is_asked(self):
        self.assertEqual(self.ortc("ep-test", NPU, "--model", "none.onnx", exit_code=1), "")
        self.assertIn("NO_SUCHFILE: the model 'none.onnx' does not exist", self.errors)

    def test_a_good_library__passes(self):
        checks = self.checks(NPU, "--name", "npu.virtual")
        self.assertEqual({verdict for verdict, _ in checks.values()}, {"passed", "not applicable"})
        self.assertEqual(checks["claims nodes"], ("passed", "4 nodes"))
        self.assertEqual(checks["compiles to files that load"], ("passed", "2 files"))
        self.assertEqual(checks["compiles to one file that loads"], ("passed", "1 file"))
        self.assertIn("made to fail", checks["OrtNodeComputeInfo.Compute is failing"][1])
        self.assertIn("GetName is missing", checks["OrtEpFactory.GetName is absent"][1])
        self.assertEqual(checks["OrtEp.OnRunStart is absent"][0], "not applicable")
        self.assertEqual(checks["OrtEp.GetEpContextDataCallbackSupport is absent"][0], "passed")

    def test_the_text__leaves_out_functions_that_are_not_there(self):
        text = self.ortc("ep-test", NPU, "--name", "npu.virtual", "--html", "report.html")
        self.assertNotIn("OnRunStart", text)
        self.assertRegex(text, r"\n\d\d passed, 0 failed, \d\d not applicable\n$")
        with open(self.path("report.html")) as file:
            page = file.read()
        self.assertIn("OnRunStart", page)
        self.assertIn("libvirtual_npu.so", page)
        self.assertTrue(page.startswith("<!doctype html>") and page.endswith("</html>\n"))

    def test_a_provider_without_devices__has_little_to_be_asked(self):
        checks = self.checks(NPU)
        self.assertIn("--name NAME.virtual", checks["offers devices"][1])
        self.assertEqual(checks["claims nodes"][0], "not applicable")

    def test_other_libraries_of_this_project__pass(self):
        checks = self.checks(os.path.join(LIBRARIES, "libdevice_memory.so"), "--name", "d.virtual")
        self.assertEqual({verdict for verdict, _ in checks.values()}, {"passed", "not applicable"})
        self.assertIn("made to fail", checks["OrtEpFactory.CreateAllocator is failing"][1])
        self.assertIn("made to fail", checks["OrtEpFactory.CreateDataTransfer is failing"][1])
        checks = self.checks(os.path.join(LIBRARIES, "libortc_ep.so"),
                             "--name", "SecondExecutionProvider")
        self.assertEqual({verdict for verdict, _ in checks.values()}, {"passed", "not applicable"})
        self.assertEqual(checks["comes and goes"], ("passed", "20 times; it was linked to stay"))
        self.assertEqual(checks["compiles to files that load"][0], "passed")

    def test_results_that_are_not_the_cpus__are_found(self):
        checks = self.checks(FAULTY, "--ep-opt", "fault=wrong_shape", exit_code=1)
        self.assertEqual(checks["computes what the CPU provider computes"][0], "failed")
        self.assertEqual(checks["comes and goes"][0], "passed")

    def test_functions_that_are_there__are_masked_in_each_way(self):
        checks = self.checks(FAULTY, exit_code=1)
        # It makes contexts that it does not take.
        bad = [name for name, (verdict, _) in checks.items()
               if verdict not in ("passed", "not applicable")]
        self.assertEqual(bad, ["compiles to files that load", "compiles to one file that loads",
                               "finds its files in another folder"])
        self.assertEqual(checks["OrtEp.OnRunStart is absent"],
                         ("passed", "sessions work all the same"))
        self.assertIn("made to fail", checks["OrtEp.OnRunStart is failing"][1])
        self.assertEqual(checks["OrtEp.IsConcurrentRunSupported is newer"],
                         ("passed", "sessions work all the same"))
        self.assertIn("made to fail", checks["OrtEp.OnSessionInitializationEnd is failing"][1])

    def test_kernels_of_a_registry__are_masked(self):
        checks = self.checks(os.path.join(LIBRARIES, "libkernel_library.so"))
        self.assertEqual({verdict for verdict, _ in checks.values()}, {"passed", "not applicable"})
        self.assertIn("made to fail", checks["OrtKernelImpl.Compute is failing"][1])
        self.assertEqual(checks["OrtKernelImpl.Compute is absent"][0], "passed")

    def muls(self):
        """y = (x * x) * x, which the test library takes as one."""
        nodes = [helper.make_node("Mul", ["x", "x"], ["a"]),
                 helper.make_node("Mul", ["a", "x"], ["y"])]
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xy"]
        graph = helper.make_graph(nodes, "muls", values[:1], values[1:])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                    ir_version=8), self.path("muls.onnx"))
        return self.path("muls.onnx")

    def test_runs_that_are_captured__are_replayed_with_other_numbers(self):
        arguments = [FAULTY, "--model", self.muls(), "--ep-opt", "groups=all"]
        checks = self.checks(*arguments, "--ep-opt", "fault=capture", exit_code=1)
        self.assertEqual(checks["computes in the same memory again"][0], "passed")
        self.assertEqual(checks["computes what the CPU provider computes"][0], "passed")
        self.assertIn("made to fail", checks["OrtEp.ReplayGraph is failing"][1])
        checks = self.checks(*arguments, "--ep-opt", "fault=capture_replay_error", exit_code=1)
        verdict, text = checks["computes in the same memory again"]
        self.assertEqual(verdict, "failed")
        self.assertIn("cannot do it again", text)

    def test_a_library_that_crashes__ends_its_own_answers_only(self):
        checks = self.checks(self.library("abort();"), exit_code=1)
        self.assertEqual(checks["exports what the runtime calls"][0], "passed")
        self.assertEqual(checks["offers devices"][0], "crashed")
        self.assertIn("Aborted", checks["comes and goes"][1])

    def test_a_library_that_ends_the_process__gave_no_answer(self):
        checks = self.checks(self.library("_exit(0);"), exit_code=1)
        self.assertEqual(checks["offers devices"],
                         ("crashed", "the process ended without an answer, with code 0"))

    def test_a_library_that_hangs__is_late(self):
        checks = self.checks(self.library("for (;;) pause();"), "--seconds", "1", exit_code=1)
        self.assertEqual(checks["offers devices"], ("late", "there was no answer in 1 s"))
        self.assertEqual(checks["claims nodes"][0], "not applicable")

    def test_a_signal__ends_the_asked_process_too(self):
        library = self.library('symlink("x", "asked"); for (;;) pause();')
        os.mkdir(self.path("tmp"))
        for number, exit_code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
            process = subprocess.Popen([ORTC, "ep-test", library, "--json"],
                                       env=dict(os.environ, TMPDIR=self.path("tmp")),
                                       cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            child = self.hanging_child(process.pid)
            process.send_signal(number)
            process.communicate(timeout=20)
            self.assertEqual(process.returncode, exit_code)
            self.wait_until(lambda: not os.path.exists(f"/proc/{child}"))
            if number != signal.SIGKILL:
                self.assertEqual(os.listdir(self.path("tmp")), [])

    def hanging_child(self, parent):
        """The process that pauses in the library, which says so by a file."""
        self.wait_until(lambda: os.path.islink(self.path("asked")))
        os.remove(self.path("asked"))
        with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
            return file.read().split()[0]

    def wait_until(self, condition):
        end = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_a_plain_name__is_a_file_of_the_current_folder(self):
        self.library("abort();")
        checks = self.checks("library.so", exit_code=1)
        self.assertEqual(checks["exports what the runtime calls"][0], "passed")

    def test_mistakes__are_said(self):
        self.ortc("ep-test", "nothing.so", exit_code=1)
        self.assertIn("nothing.so", self.errors)
        self.ortc("ep-test", exit_code=2)
        self.assertIn("LIBRARY.so", self.errors)
        with open(self.path("no_library.so"), "w") as file:
            file.write("no library")
        checks = self.checks("no_library.so", exit_code=1)
        self.assertEqual(checks["exports what the runtime calls"][0], "failed")


if __name__ == "__main__":
    unittest.main()
