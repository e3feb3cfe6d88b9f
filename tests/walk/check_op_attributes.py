#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the attributes that the library refuses by with those of Python's onnx.

Every version of every operator that this onnx knows. Exit code 77 (skipped) when there is no onnx.
"""

import os
import re
import sys

try:
    import onnx.defs
except ImportError:
    print("needs Python's onnx")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(ROOT, "core", "ops", "signatures", "op_attributes.inc")
ROW = re.compile(r'\{"([^"]*)", "([^"]*)",\n(.*?)\}', re.S)
WORD = re.compile(r"(\w+):(\w)(?:@(\d+)(?:-(\d+))?)?")
LETTERS = {1: "f", 2: "i", 3: "s", 4: "t", 5: "g", 6: "F", 7: "I", 8: "S", 11: "p", 13: "y"}


def read():
    """{(domain, operator): [(name, kind, first version, last version)]}"""
    with open(TABLE, encoding="utf-8") as file:
        rows = ROW.findall(file.read())
    return {(domain, name): [(word, kind, int(first or 0), int(last or 1000)) for
                             word, kind, first, last in WORD.findall("".join(
                                 re.findall('"([^"]*)"', texts)))]
            for domain, name, texts in rows}


def main():
    table, problems, count = read(), 0, 0
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.deprecated:  # says nothing of them
            continue
        count += 1
        found = {(name, kind) for name, kind, first, last in
                 table.get((schema.domain, schema.name), [])
                 if first <= schema.since_version <= last}
        expected = {(name, LETTERS[int(one.type)]) for name, one in schema.attributes.items()}
        if found != expected:
            problems += 1
            print(schema.domain, schema.name, schema.since_version, "expected", expected,
                  "found", found)
    print(f"{count} schemas, {problems} differ")
    return 1 if problems or count < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
