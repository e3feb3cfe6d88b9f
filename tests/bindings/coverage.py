#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which functions of the C interface a language has, and whether its tests call them.

    coverage.py --calls FOLDER   checks: every function is wrapped, but for those that the language's
                                 left_out.tsv names and those of bindings/not_yet.tsv; tests that ran called every wrapped function
                                 (FOLDER/<language>/calls.txt, written by the recording library); the
                                 table in docs/languages.md is fresh
    coverage.py --write          writes that table

A function is wrapped when the sources of the idiomatic layer name it; the low level, which has them
all, does not count, nor do tests.
"""
import argparse
import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "languages.md"
BEGIN, END = "<!-- coverage: begin -->", "<!-- coverage: end -->"
BINDINGS = ROOT / "bindings"
NOT_YET = BINDINGS / "not_yet.tsv"

# Language: its name, and where its idiomatic layer is.
LANGUAGES = {
    "cxx": ("C++", [("include/ort_c/cxx", "*.h")], []),
    "csharp": ("C#", [("bindings/csharp/src", "*.cs")], ["Generated"]),
    "rust": ("Rust", [("bindings/rust/ortc/src", "*.rs")], []),
    "go": ("Go", [("bindings/go", "*.go"), ("bindings/go", "*.h"), ("bindings/go", "*.c")],
           ["samples"]),
    "python": ("Python", [("bindings/python/ortc", "*.py")], ["_native"]),
}
WORD = re.compile(r"\w+")
CXX_RELEASE = re.compile(r"ORT_CXX_RELEASE\((\w+), ORT")


def functions():
    with open(ROOT / "core" / "api" / "functions.tsv", encoding="utf-8", newline="") as file:
        return [(row["name"], row["header"]) for row in
                csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def words_of(language):
    _, folders, without = LANGUAGES[language]
    words = set()
    for folder, pattern in folders:
        for path in (ROOT / folder).rglob(pattern):
            inner = path.relative_to(ROOT / folder).parts
            if not any(part in without for part in inner) and not path.stem.endswith("_test"):
                text = path.read_text(encoding="utf-8")
                words.update(WORD.findall(text))
                words.update("Release" + noun for noun in CXX_RELEASE.findall(text))
    return words


def wrapped(language, names):
    """C# and C++ have the names without Ort: from SWIG, and as ONNX Runtime's table has them."""
    words = words_of(language)
    short = language in ("csharp", "cxx")
    return {name for name in names if name in words or (short and name[3:] in words)}


def reasons(path):
    """{function or header: reason}."""
    if not path.exists():
        return {}
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("#")]
    return {row[0]: row[1] for row in rows}


def left_out(language):
    return reasons(BINDINGS / language / "left_out.tsv")


def check_language(language, names, calls, problems):
    has, without = wrapped(language, names), left_out(language)
    for name in names:
        if name not in has and name not in without:
            problems.append(f"{language}: {name} is not wrapped")
    for name in without:
        if name not in names or name in has:
            problems.append(f"{language}: left_out.tsv names {name}, which is "
                            f"{'wrapped' if name in has else 'not a function'}")
    if not calls or not calls.exists():
        return f"{LANGUAGES[language][0]} {len(has)} wrapped, calls not recorded"
    called = set(calls.read_text(encoding="utf-8").split())
    for name in sorted(has - called):
        problems.append(f"{language}: no test calls {name}")
    return f"{LANGUAGES[language][0]} {len(has)} wrapped, {len(has & called)} of them tested"


def table(rows):
    """A row for each header: how many of its functions a language has."""
    languages = [name for name in LANGUAGES if name == "cxx" or (BINDINGS / name).exists()]
    names = [name for name, _ in rows]
    have = {language: wrapped(language, names) for language in languages}
    headers = sorted({header for _, header in rows})
    titles = ["C"] + [LANGUAGES[language][0] for language in languages]
    lines = ["| header | " + " | ".join(titles) + " |", "|---|" + "---:|" * len(titles)]
    for header in headers + [None]:
        chosen = [name for name, of in rows if header in (None, of)]
        counts = [len(chosen)] + [len(have[language] & set(chosen)) for language in languages]
        first = f"`{header}`" if header else "all"
        lines.append(f"| {first} | " + " | ".join(map(str, counts)) + " |")
    for header, reason in reasons(NOT_YET).items():
        lines.append(f"\nNot yet: `{header}`, {reason}.")
    for language in languages:
        for name, reason in left_out(language).items():
            lines.append(f"\n{LANGUAGES[language][0]} leaves out `{name}`: {reason}.")
    return "\n".join(lines)


def page_with(text):
    page = PAGE.read_text(encoding="utf-8")
    head, rest = page.split(BEGIN)
    return head + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--calls", type=pathlib.Path, help="where the recorded calls are")
    parser.add_argument("--write", action="store_true", help="write the table of docs/languages.md")
    arguments = parser.parse_args()
    rows = functions()
    page = page_with(table(rows))
    if arguments.write:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    problems = []
    if page != PAGE.read_text(encoding="utf-8"):
        problems.append("the table of docs/languages.md is stale: tests/bindings/coverage.py --write")
    not_yet = reasons(NOT_YET)
    wanted = [name for name, header in rows if header not in not_yet]
    for language in LANGUAGES:
        if language == "cxx" or (BINDINGS / language).exists():
            # C++ has functions through ONNX Runtime's table, where nothing stands between.
            calls = None if language == "cxx" else arguments.calls / language / "calls.txt"
            print(check_language(language, wanted, calls, problems))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(rows)} functions, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
