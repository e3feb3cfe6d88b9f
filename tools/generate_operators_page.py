#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the table of docs/operators.md from the lists that the library and the walk have.

  generate_operators_page.py [--check]

What an operator takes stands in its published signatures (core/ops/signatures); what of that does
not run, in tests/walk/not_run.tsv, which the walk proves; how it is computed, in the tables of
providers/cpu. The text around the table is written by hand. --check writes nothing and fails when
the page is not what it would be.
"""

import argparse
import collections
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "walk"))

import signatures

PAGE = os.path.join(ROOT, "docs", "operators.md")
BEGIN = "<!-- The table: written by tools/generate_operators_page.py -->\n"
END = "<!-- The end of the table -->\n"
KERNELS = os.path.join(ROOT, "providers", "cpu", "kernels")
FUSIONS = os.path.join(ROOT, "providers", "cpu", "fusions")
MICROSOFT = "com.microsoft"
MICROSOFT_HERE = r'"([A-Z]\w+)",\s*(?:kMicrosoftDomain|"com\.microsoft")'
# A row of the tables in fusions/microsoft/: operator, when it is taken, what it is spelled in.
SPELLED_HERE = r'\{"([A-Z]\w+)", \w+, spell_\w+'

# Types that often stand together, the largest group first.
GROUPS = [
    ("integers", "int8 int16 int32 int64 uint8 uint16 uint32 uint64"),
    ("floats", "float16 bfloat16 float double"),
    ("complex", "complex64 complex128"),
    ("float8", "float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz"),
    ("4 and 2 bits", "int4 uint4 int2 uint2"),
    ("4 bits", "int4 uint4"),
]
# Run by the provider that its attribute names.
EP_CONTEXT = "EPContext"
# Bodies run in the executor, without a kernel.
BODIES = ("If", "Loop", "Scan", "SequenceMap")


def words(types):
    """Types in few words."""
    kinds = collections.OrderedDict()
    for text in types:
        head, inner = text.split("(", 1)
        if head == "map":
            kinds.setdefault("", []).append(text)
            continue
        if head == "optional" and inner.startswith("seq"):
            head, inner = "optional(seq", inner.split("(", 1)[1]
        elif head == "seq" and inner.startswith("map"):
            kinds.setdefault("", []).append(text)
            continue
        kinds.setdefault(head, []).append(inner.replace("tensor(", "").rstrip(")"))
    parts = []
    for head, names in kinds.items():
        text = _grouped(names) if head else ", ".join(names)
        name = {"seq": "sequences", "optional": "optionals", "optional(seq": "optional sequences",
                "sparse_tensor": "sparse"}.get(head)
        parts.append(f"{name} of {text}" if name else text)
    return "; ".join(parts)


def _grouped(names):
    left, found = list(dict.fromkeys(names)), []
    for group, members in GROUPS:
        members = members.split()
        if all(member in left for member in members):
            found.append(group)
            left = [name for name in left if name not in members]
    return ", ".join(found + left)


def sources():
    """operator -> paths of kernels and rewrites that name it; (com.microsoft, operator) likewise."""
    named = collections.defaultdict(set)
    for folder in (KERNELS, FUSIONS):
        for path, _, files in os.walk(folder):
            for file in files:
                if file.endswith(".cc"):
                    full = os.path.join(path, file)
                    with open(full, encoding="utf-8") as source:
                        text = source.read()
                    for name in re.findall(r'"([A-Z]\w+)"', text):
                        named[name].add(os.path.relpath(full, ROOT))
                    for name in (re.findall(MICROSOFT_HERE, text)
                                 + re.findall(SPELLED_HERE, text)):
                        named[MICROSOFT, name].add(os.path.relpath(full, ROOT))
    return named


def how(name, named):
    """fast: with instructions of the processor; general: plain loops; spelled out: other operators."""
    if name in BODIES or name == "Constant":
        return "executor" if name in BODIES else "when it is loaded"
    paths = named.get(name, ())
    kernels = [path for path in paths if "/kernels/" in path]
    if not kernels:
        return "spelled out" if paths else "-"
    return "fast" if any(reaches_instructions(path) for path in kernels) else "general"


def reaches_instructions(path):
    """Whether a kernel, or a header that kernels share, includes what is written for processors."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    if re.search(r'#include "providers/cpu/((arith|products|windows)/|bind/rows/copy_permuted)', text):
        return True
    shared = re.findall(r'#include "(providers/cpu/kernels/[^"]+)"', text)
    return any(reaches_instructions(header) for header in shared)


def not_run():
    lines = collections.defaultdict(list)
    with open(os.path.join(ROOT, "tests", "walk", "not_run.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                domain, name, _, types, reason = line.rstrip("\n").split("\t")
                text = reason if types == "*" else f"{types.strip('*')}: {reason}"
                lines["" if domain == "ai.onnx" else domain, name].append(text)
    return lines


def row(versions, named, missing):
    newest = versions[-1]
    domain, name = newest.domain, newest.name
    used = {parameter.type for parameter in newest.inputs + newest.outputs}
    types = "; ".join(f"{constraint}: {words(kinds)}"
                      for constraint, kinds in newest.constraints.items() if constraint in used)
    if not types:
        types = words(sorted({parameter.type for parameter in newest.inputs + newest.outputs}))
    faults = missing.get((domain, name), [])
    is_missing = any(not text.count("=") or text.startswith("No ") for text in faults)
    computed = how(name, named)
    if is_missing and computed == "-":
        runs = "not there"
    else:
        runs = computed
    return [name, ", ".join(str(version.since) for version in versions), types or "-", runs,
            " ".join(faults) or ""]


def microsoft(named):
    """Which of its operators have kernels, are spelled out in others, or are not taken."""
    kinds = {"With kernels of their own": [], "Not taken": [],
             "Spelled out in other operators when the plan is made, and fused like those": []}
    kernels, missing, spelled = kinds.values()
    for name in sorted({signature.name for signature in signatures.read()
                        if signature.domain == MICROSOFT} - {EP_CONTEXT}):
        paths = named.get((MICROSOFT, name), ())
        is_kernel = any("/kernels/" in path for path in paths)
        (kernels if is_kernel else spelled if paths else missing).append(name)
    ordered = sorted(kinds.items(), key=lambda kind: kind[0] == "Not taken")
    text = [f"{kind} ({len(names)}): " + ", ".join(names) + "." for kind, names in ordered]
    return "\n\n".join(text + [f"{EP_CONTEXT} runs in the provider that it names."])


def table():
    named, missing = sources(), not_run()
    operators = collections.OrderedDict()
    for signature in signatures.read():
        if signature.domain != MICROSOFT:
            operators.setdefault((signature.domain, signature.name), []).append(signature)
    text, domain_before = [], None
    for (domain, _), versions in operators.items():
        if domain != domain_before:
            text += [f"\n### {domain or 'ai.onnx'}\n", "| operator | versions | types of the newest | "
                     "computed | not |", "|---|---|---|---|---|"]
            domain_before = domain
        text.append("| " + " | ".join(row(versions, named, missing)).rstrip() + " |")
    text += ["\n### com.microsoft\n", microsoft(named)]
    return "\n".join(text).lstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    made = before + BEGIN + "\n" + table() + "\n" + END + rest.split(END)[1]
    if made == page:
        return 0
    if arguments.check:
        print("docs/operators.md is not up to date: run tools/generate_operators_page.py")
        return 1
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
