#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every family of kernels has tests of its numerics: families.tsv, the sources and bounds.h agree.

  families_test.py

One line per problem: a folder without a row, a kernel that no test of its family calls, a bound that
the family's header does not name, a test that leaves out levels, sizes or special numbers.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, *[".."] * 4))
ARITH = os.path.join(ROOT, "providers", "cpu", "arith")
NO_KERNELS = {"simd"}  # registers for the bodies of all families
# What each family's tests must use, in one of them at least.
USED = {"runnable_isas": "levels", "kLargestSize": "sizes", "special|at an end": "special numbers"}


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def rows():
    for line in read(HERE, "families.tsv").splitlines():
        if line and not line.startswith(("#", "family\t")):
            family, tests, bounds = line.split("\t")
            yield family, tests.split(), bounds.split()


def kernels_of(header):
    """Names of the functions in the header's tables of kernels."""
    text = re.sub(r"//[^\n]*", "", header)
    for name, body in re.findall(r"struct (\w*(?:Kernels|Lines)\w*) \{(.*?)\n\};", text, re.S):
        yield from re.findall(r"\(\*(\w+)\)\(", re.sub(r"using [^;]*;", "", body))
        for names in re.findall(r"^  [\w<>]+ (\w+(?:, \w+)*);", body, re.M):
            yield from names.split(", ")


def check_family(family, tests, bounds):
    header = read(ARITH, family, f"{family}.h")
    missing = [name for name in tests if not os.path.exists(os.path.join(HERE, name))]
    if missing:
        yield f"{family}: there is no {' '.join(missing)}"
        return
    text = "\n".join(read(HERE, name) for name in tests)
    if f"arith/{family}/{family}.h" not in text:
        yield f"{family}: its tests do not include its header"
    for kernel in sorted(set(kernels_of(header))):
        if not re.search(rf"(\.|->|::){kernel}\b", text):
            yield f"{family}: no test of its numerics calls {kernel}"
    for pattern, what in USED.items():
        if not re.search(pattern, text, re.I):
            yield f"{family}: its tests have no {what}"
    for bound in bounds:
        if bound == "exact":
            continue
        if not re.search(rf"\b{bound}\b", read(ARITH, "bounds.h")):
            yield f"{family}: bounds.h has no {bound}"
        for where, seen in (("header", header), ("tests", text)):
            if not re.search(rf"\b{bound}\b", seen):
                yield f"{family}: its {where} do not name {bound}".replace("header do", "header does")


def problems():
    table = list(rows())
    families = {name for name in os.listdir(ARITH)
                if os.path.isdir(os.path.join(ARITH, name))} - NO_KERNELS
    listed = {family for family, _, _ in table}
    for family in sorted(families - listed):
        yield f"{family}: families.tsv has no row, and so no test of its numerics"
    for family in sorted(listed - families):
        yield f"{family}: families.tsv names it, providers/cpu/arith has no such folder"
    for family, tests, bounds in table:
        if family in families:
            yield from check_family(family, tests, bounds)


def main():
    found = list(problems())
    for problem in found:
        print(problem)
    print(f"families of kernels: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
