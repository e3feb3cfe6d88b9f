#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the commands of docs/epcontext.md, block by block in one folder: epcontext_page_test.py ORTC

A block whose first line is "# exits with N" must end with that; all others with 0.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks():
    page = (ROOT / "docs/epcontext.md").read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def expected_exit(block):
    first = re.match(r"# exits with (\d+)\n", block)
    return int(first.group(1)) if first else 0


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    environment = dict(os.environ, PATH=f"{tool.parent}:{os.environ['PATH']}")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "tests/data/matmul.onnx", pathlib.Path(folder, "m.onnx"))
        for block in blocks():
            done = subprocess.run(["sh", "-e", "-c", block], cwd=folder, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != expected_exit(block):
                failures += 1
                print(f"{block}ended with {done.returncode}:\n{done.stdout}")
    print(f"{len(blocks())} blocks, {failures} failed")
    return 1 if failures or not blocks() else 0


if __name__ == "__main__":
    sys.exit(main())
