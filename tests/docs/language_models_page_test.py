#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commands of docs/language-models.md, in their order, and the programs that it shows.

    language_models_page_test.py BUILD_FOLDER
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "language-models.md").read_text(encoding="utf-8")
SAMPLES = {"c": "bindings/c/samples/generate.c", "python": "bindings/python/samples/generate.py"}


def blocks(word):
    return re.findall(rf"^```{word}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def shown(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.search(r"docs: begin\n(.*?)\n[^\n]*docs: end", text, re.DOTALL).group(1).strip()


def installed(build, folder):
    """The environment of a program that finds the library as if it were installed."""
    (folder / "python3").symlink_to("/usr/bin/python3")
    pkg = folder / "ort_c.pc"
    pkg.write_text(f"Name: ort_c\nDescription: -\nVersion: 1\nCflags: -I{ROOT}/include\n"
                   f"Libs: -L{build}/lib -lort_c\n", encoding="utf-8")
    return {**os.environ, "ORTC": str(ROOT), "PKG_CONFIG_PATH": str(folder),
            "PATH": f"{folder}:{build}/bin:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "bindings" / "python"),
            "LD_LIBRARY_PATH": f"{build}/lib", "ORTC_LIBRARY_PATH": f"{build}/lib"}


def main(build):
    for word, path in SAMPLES.items():
        if [block.strip() for block in blocks(word)] != [shown(path)]:
            sys.exit(f"FAILED: the page does not show {path} as it is")
    with tempfile.TemporaryDirectory() as scratch:
        prefix, work = pathlib.Path(scratch, "prefix"), pathlib.Path(scratch, "work")
        prefix.mkdir()
        work.mkdir()
        script = "set -eux\n" + "".join(blocks("sh"))
        subprocess.run(["sh", "-c", script], cwd=work, check=True,
                       env=installed(build, prefix))
        tokens = (ROOT / "tests" / "bindings" / "tokens.txt").read_text(encoding="ascii")
        if (work / "c.txt").read_text(encoding="ascii") != tokens:
            sys.exit("FAILED: other tokens than those of tests/bindings/tokens.txt")
    print("the commands of the page do what it says")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
