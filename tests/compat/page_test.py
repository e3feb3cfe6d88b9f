#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Follows docs/onnxruntime-applications.md: installs ortc, compiles and runs the page's program.

  page_test.py CMAKE BUILD_FOLDER

The page's commands are run as they are, but for the place of the installation.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREFIX = "/usr/local"


def block(page, kind):
    return re.search(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE).group(1)


def main():
    cmake, build = sys.argv[1:3]
    page = (ROOT / "docs/onnxruntime-applications.md").read_text(encoding="utf-8")
    commands = [line[4:] for line in page.splitlines() if line.startswith("    ")]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for component in ("runtime", "development"):
            subprocess.run([cmake, "--install", build, "--prefix", work / "prefix", "--component",
                            component], check=True, stdout=subprocess.DEVNULL)
        # Systems differ in the folder of libraries.
        library = next((work / "prefix").glob("lib*/**/pkgconfig")).parent
        (work / "program.cc").write_text(block(page, "cpp"), encoding="utf-8")
        shutil.copy(ROOT / "tests/data/matmul.onnx", work / "m.onnx")
        script = "\n".join(commands).replace(f"{PREFIX}/lib", str(library))
        done = subprocess.run(["sh", "-ec", script], cwd=work, text=True, capture_output=True,
                              check=False)
        if done.returncode != 0 or done.stdout != block(page, "text"):
            print(f"{script}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
            return 1
    print("the page's program compiles and runs with an installation as the page says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
