#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the public headers, which are the list of functions, and writes what follows from them.

    tools/generate_functions.py           writes functions.tsv, exports.map and
                                          ort_table_entries.inc in core/api, the table structs in
                                          include/ort_c/ort_api.h, the structs beside them and
                                          the other paths of headers in include/ort-compat, and
                                          in tests/api the stubs in those tables
                                          (ort_coverage.tsv); it shortens the list of stubs that
                                          programs miss (ort_core_stubs.tsv).
                                          From the tables of core/options it writes
                                          include/ort_c/config_keys.h and docs/config-keys.md,
                                          and in bindings/ the constants of each language
    tools/generate_functions.py --check   writes nothing; says which of them are stale

It compares the headers with the facts of ONNX Runtime's interface in core/api: parameters of
functions that are entries of its tables (ort_tables.tsv), values of enumerators (ort_enums.tsv)
and texts of config keys (ort_config_keys.tsv). Any difference ends with exit code 1. A declaration
has one form: a block of `///` lines that ends in "Since 1.0.", then
`ORTC_API <type> Ort<Name>(<parameters>);`. The parts are in tools/functions.
"""

import argparse
import sys

from functions import (checks, compat, config_keys, headers, interface, languages, lists,
                       option_rows, ort_coverage, ort_header, ort_slots)
from functions.facts import ABI, API, HEADERS, ROOT, TESTS, read_entries


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say what is stale")
    arguments = parser.parse_args()

    problems = []
    entries = read_entries()
    texts = {path.name: path.read_text(encoding="utf-8") for path in HEADERS.glob("*.h")}
    texts.pop(ort_header.NAME, None)
    texts[ort_header.NAME] = ort_header.ort_header(texts)
    functions = headers.read_functions(texts, entries, problems)
    tables = option_rows.read_tables(problems)
    keys = config_keys.constants(tables)
    checks.check_signatures(functions, entries, problems)
    checks.check_enums(texts, problems)
    checks.check_keys(keys + headers.read_keys(texts["metadata_keys.h"]), problems)
    ort_slots.check_own(problems)
    slots = ort_slots.slots(functions)
    ort_slots.check_slots(slots, problems)

    outputs = {HEADERS / ort_header.NAME: texts[ort_header.NAME],
               API / "functions.tsv": lists.functions_tsv(functions),
               API / "exports.map": lists.exports_map(functions),
               HEADERS / "config_keys.h": config_keys.config_keys_header(tables),
               ROOT / "docs" / "config-keys.md": config_keys.config_keys_page(tables),
               ABI / "ort_table_entries.inc": ort_slots.table_entries(slots),
               TESTS / "ort_coverage.tsv": ort_coverage.coverage(slots),
               TESTS / ort_coverage.ALLOWED: ort_coverage.check_core(slots, problems)}
    outputs.update(compat.files(texts))
    public = interface.read_interface(functions, texts, tables)
    outputs.update({ROOT / path: text for path, text in languages.files(public).items()})
    for path, text in outputs.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if arguments.check:
            problems.append(f"{path.relative_to(ROOT)} is stale: run tools/generate_functions.py")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    for problem in problems:
        print(problem, file=sys.stderr)
    in_tables = sum(f.table != "-" for f in functions)
    print(f"{len(functions)} functions, {in_tables} of them in ONNX Runtime's tables; "
          f"{len(keys)} config keys; {len(problems)} problems")
    print(f"stubs among the entries that clients call: {ort_coverage.summary(slots)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
