#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles and runs the programs of docs/cpp.md.

  cpp_page_test.py CXX LIBRARY_FOLDER

Flags are those of each program's first line; the output must be the text that the page shows.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = re.compile(r"^```cpp\n(// c\+\+ (.*?) (\w+)\.cc .*?)^```\n\nprints\n\n^```text\n(.*?)^```",
                     re.DOTALL | re.MULTILINE)


def main():
    cxx, library = sys.argv[1:3]
    page = (ROOT / "docs/cpp.md").read_text(encoding="utf-8")
    programs = PROGRAM.findall(page)
    if len(programs) != page.count("```cpp"):
        sys.exit("docs/cpp.md: a program lacks its first line or what it prints")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copy(ROOT / "tests/data/matmul.onnx", work / "m.onnx")
        for text, flags, name, expected in programs:
            (work / f"{name}.cc").write_text(text, encoding="utf-8")
            subprocess.run([cxx, *flags.split(), "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include",
                            f"{name}.cc", f"-L{library}", "-lort_c", f"-Wl,-rpath,{library}",
                            "-o", name], cwd=work, check=True)
            done = subprocess.run([work / name], cwd=work, text=True, capture_output=True,
                                  check=False)
            found = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
            if done.returncode != 0 or found != expected:
                print(f"{name}: exit code {done.returncode}\nexpected:\n{expected}found:\n{found}"
                      f"{done.stderr}")
                wrong += 1
            else:
                print(f"{name}: compiles with {flags}, and prints what the page says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
