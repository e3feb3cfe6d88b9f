#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sample programs of docs/languages.md, out of the files that the tests run.

    languages_page.py --write   puts them into the page
    languages_page.py --check   says whether the page has them as they are

Of each file the lines between `docs: begin` and `docs: end` are shown.
"""
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "languages.md"

# The parts of the page, between marks with their names. Title, word for the highlighter, file.
PARTS = {"samples": [
    ("C", "c", "bindings/c/samples/share.c"),
    ("C++", "cpp", "bindings/c/samples/share.cc"),
    ("C#", "csharp", "bindings/csharp/samples/share/Program.cs"),
    ("Rust", "rust", "bindings/rust/ortc/examples/share.rs"),
    ("Go", "go", "bindings/go/samples/share/main.go"),
    ("Python", "python", "bindings/python/samples/share.py"),
], "operators": [
    ("C#", "csharp", "bindings/csharp/samples/operators/Program.cs"),
    ("Rust", "rust", "bindings/rust/ortc/examples/operators.rs"),
    ("Go", "go", "bindings/go/samples/operators/main.go"),
    ("Python", "python", "bindings/python/samples/operators.py"),
]}


def shown(path):
    """The lines between the marks, without the indentation they share."""
    lines = path.read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if "docs: begin" in line)
    last = next(i for i, line in enumerate(lines) if "docs: end" in line)
    return textwrap.dedent("\n".join(lines[first + 1:last])).strip("\n")


def samples(part, level):
    texts = []
    for title, word, name in PARTS[part]:
        path = ROOT / name
        texts.append(f"{level} {title}\n\n`{name}`\n\n```{word}\n{shown(path)}\n```\n")
    return "\n".join(texts)


def with_samples(page, part, level):
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    head, rest = page.split(begin)
    return f"{head}{begin}\n{samples(part, level)}{end}{rest.split(end)[1]}"


def main():
    if sys.argv[1:] not in (["--write"], ["--check"]):
        sys.exit(__doc__)
    page = PAGE.read_text(encoding="utf-8")
    fresh = with_samples(with_samples(page, "samples", "##"), "operators", "###")
    if sys.argv[1] == "--write":
        PAGE.write_text(fresh, encoding="utf-8")
    elif fresh != page:
        sys.exit("the samples of docs/languages.md are stale: "
                 "tests/bindings/languages_page.py --write")


if __name__ == "__main__":
    main()
