#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints a C file that asserts where each member of ONNX Runtime's tables and structs lies.

The expected offsets follow from core/api/abi/ort_tables.tsv alone: a member lies behind the one
before it, aligned to its own size.
"""

import csv
import pathlib

FACTS = pathlib.Path(__file__).resolve().parents[2] / "core/api/abi/ort_tables.tsv"
# Fields that are not as large as a pointer, and structs within structs.
SMALL = {"uint32_t": 4, "int32_t": 4, "bool": 1, "OrtExternalMemoryHandleType": 4, "OrtGraphicsApi": 4,
         "OrtExternalSemaphoreType": 4, "ONNXTensorElementDataType": 4}
LARGE = {"OrtExternalMemoryDescriptor": 32, "OrtExternalSemaphoreDescriptor": 16, "union": 48}


def size_of(row):
    declaration = row["parameters"].split()
    if row["returns"] != "(field)" or "*" in row["parameters"]:
        return 8, 8
    if declaration[0] in SMALL:
        return (SMALL[declaration[0]],) * 2
    return LARGE.get(declaration[0], 8), 8


def main():
    print('#include <stddef.h>\n#include "onnxruntime_ep_c_api.h"\n')
    table, offset = None, 0
    with open(FACTS, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if not row["table"].startswith("Ort"):
                continue
            if row["table"] != table:
                table, offset = row["table"], 0
            size, align = size_of(row)
            offset = (offset + align - 1) // align * align
            print(f'_Static_assert(offsetof({table}, {row["member"]}) == {offset}, "{row["member"]}");')
            offset += size


if __name__ == "__main__":
    main()
