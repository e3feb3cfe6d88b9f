#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every behaviour in a table (behaviour, file, test) has a test of that name, in that file.

    check_rows.py TABLE
"""
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def definition_of(test):
    """The text that begins a test: in C a function, in C++ a macro with suite and name."""
    if "." not in test:
        return "static void %s(void** state)" % test
    return "TEST(%s, %s)" % tuple(test.split("."))


def fault_of(row):
    if len(row) != 3 or not all(row):
        return "expected behaviour, file and test"
    path = os.path.join(ROOT, row[1])
    if not os.path.exists(path):
        return "%s does not exist" % row[1]
    with open(path, encoding="utf-8") as source:
        if definition_of(row[2]) not in source.read():
            return "%s has no test %s" % (row[1], row[2])
    return ""


def main():
    with open(sys.argv[1], encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table][1:]
    faults = [(row[0], fault_of(row)) for row in rows]
    behaviours = [row[0] for row in rows]
    faults += [(b, "it stands there twice") for b in set(behaviours) if behaviours.count(b) > 1]
    for behaviour, fault in faults:
        if fault:
            print("%s: %s" % (behaviour, fault))
    print("%d behaviours, %d without a test" % (len(rows), sum(1 for _, fault in faults if fault)))
    return 1 if not rows or any(fault for _, fault in faults) else 0


if __name__ == "__main__":
    sys.exit(main())
