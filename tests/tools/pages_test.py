#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the commands of pages in docs/, block by block in one folder for each page: pages_test.py ORTC

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


# Blocks with pictures need libort_c_extra.so beside the library.
PICTURE = ".pgm"

PAGES = ("docs/epcontext.md", "docs/command-line.md", "docs/cross-compiling.md")


def blocks(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def expected_exit(block):
    first = re.match(r"# exits with (\d+)\n", block)
    return int(first.group(1)) if first else 0


def failures_of(page, environment, has_extra):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "tests/data/matmul.onnx", pathlib.Path(folder, "m.onnx"))
        shutil.copy(ROOT / "demo/digits/digits.onnx", folder)
        for block in blocks(page):
            if PICTURE in block and not has_extra:
                print(f"SKIPPED without libort_c_extra.so:\n{block}")
                continue
            done = subprocess.run(["bash", "-e", "-c", block], cwd=folder, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != expected_exit(block):
                failures += 1
                print(f"{page}:\n{block}ended with {done.returncode}:\n{done.stdout}")
    print(f"{page}: {len(blocks(page))} blocks, {failures} failed")
    return failures + (not blocks(page))


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    environment = dict(os.environ, PATH=f"{tool.parent}:/usr/bin:{os.environ['PATH']}")
    has_extra = (tool.parent.parent / "lib/libort_c_extra.so").exists()
    return 1 if sum(failures_of(page, environment, has_extra) for page in PAGES) else 0


if __name__ == "__main__":
    sys.exit(main())
