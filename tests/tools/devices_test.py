#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of `ortc devices` with libraries of execution providers: devices_test.py ORTC FOLDER
[argument ...], where FOLDER has libvirtual_npu.so.
"""

import os
import sys
import unittest

from tool_testing import ToolTestCase

LIBRARIES = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "."
NPU = ("--library", os.path.join(LIBRARIES, "libvirtual_npu.so"), "--name", "npu.virtual")


class DevicesTest(ToolTestCase):
    def test_the_processor__is_served_by_all(self):
        self.assertEqual(self.ortc_json("devices")["not_served"], [])
        self.assertNotIn("not served", self.ortc("devices"))

    def test_a_library__adds_devices_and_others_say_why_they_do_not_serve_them(self):
        report = self.ortc_json("devices", *NPU)
        own = report["devices"][-1]
        self.assertEqual(own["hardware_metadata"]["is_virtual"], "1")
        rows = {row["provider"]: row for row in report["not_served"]
                if row["hardware_metadata"] == own["hardware_metadata"]}
        self.assertEqual(sorted(rows), ["AotExecutionProvider", "CPUExecutionProvider"])
        row = rows["CPUExecutionProvider"]
        self.assertEqual((row["hardware"], row["reasons"], row["error_code"], row["notes"]),
                         ("NPU", ["hardware"], 0, "CPUExecutionProvider serves no such hardware"))
        self.assertIn("\nnot served:\n", self.ortc("devices", *NPU))
        self.assertIn("  NPU by CPUExecutionProvider: hardware: CPUExecutionProvider serves no such "
                      "hardware\n", self.ortc("devices", *NPU))

    def test_a_library_that_is_not_there__is_an_error(self):
        self.ortc("devices", "--library", "nowhere.so", exit_code=1)
        self.assertIn("nowhere.so", self.errors)

    def test_a_name__is_for_a_library(self):
        self.ortc("devices", "--name", "npu.virtual", exit_code=2)
        self.assertIn("--name is for --library", self.errors)
        self.ortc("devices", *NPU[:2])


if __name__ == "__main__":
    unittest.main()
