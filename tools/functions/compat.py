# SPDX-License-Identifier: MIT
"""Writes what of include/ort-compat follows from the facts of ONNX Runtime's interface.

onnxruntime_ep_c_api.h has the structs, enumerations and function types that ort_c does without.
The folders below include/ort-compat have each header once more, under the other paths by which
programs include it.
"""

import re

from functions.facts import ROOT, read_rows, read_sizes, read_tsv
from functions.ort_header import declared, enum_text, function_type_text, struct_text, words

FOLDER = ROOT / "include" / "ort-compat"
NAME = "onnxruntime_ep_c_api.h"
# Where programs look for the headers besides the folder itself.
PATHS = ["core/session", "onnxruntime", "onnxruntime/core/session"]
# Some lie elsewhere in ONNX Runtime's tree.
OTHER_PATHS = {"cpu_provider_factory.h": ["core/providers/cpu", "onnxruntime",
                                          "onnxruntime/core/providers/cpu"],
               "provider_options.h": ["core/framework", "onnxruntime",
                                      "onnxruntime/core/framework"]}
ABOUT = {
    "OrtResourceCount": "An amount of a resource.",
}

HEAD = """\
// SPDX-License-Identifier: MIT
// What ONNX Runtime's interface has for providers and graphics besides the tables of ort_api.h:
// ortc itself does without, sources written for ONNX Runtime name them.
// Made by tools/generate_functions.py from core/api/abi/ort_tables.tsv, do not edit.
#pragma once

#include "onnxruntime_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off

"""

TAIL = """\
// clang-format on

#ifdef __cplusplus
}
#endif
"""

FORWARD = """\
// SPDX-License-Identifier: MIT
// Made by tools/generate_functions.py, do not edit.
#pragma once

#include "{path}"
"""


def in_order(structs, rows):
    """The structs, those that others contain first."""
    ordered = []

    def add(name):
        for row in rows:
            if row.table == name and row.returns == "(field)":
                for word in words(row.parameters):
                    if word in structs and word != name and f"{word} *" not in row.parameters:
                        add(word)
        if name not in ordered:
            ordered.append(name)

    for name in structs:
        add(name)
    return ordered


def ep_header(texts):
    """The text of onnxruntime_ep_c_api.h; `texts` are those of ort_c, by name."""
    rows, sizes, enums = read_rows(), read_sizes(), read_tsv("ort_enums.tsv")
    ours = declared(texts)
    defined = {name for text in texts.values()
               for name in re.findall(r"^(?:typedef )?struct (\w+) \{", text, re.M)}
    typedefs = {name for text in texts.values()
                for name in re.findall(r"^typedef [^;{]*?\b(\w+);", text, re.M)}
    structs = dict.fromkeys(row.table for row in rows
                            if row.table.startswith("Ort") and row.table not in defined)
    text = HEAD
    text += "".join(f"typedef struct {name} {name};\n" for name in structs if name not in typedefs)
    text += "\n" if not text.endswith("\n\n") else ""
    text += "".join(enum_text(name, enums) for name in dict.fromkeys(row["enum"] for row in enums)
                    if name not in ours)
    text += "".join(function_type_text(row) for row in rows if row.table == "(typedef)"
                    and row.member not in ours and row.member not in typedefs) + "\n"
    for name in in_order(structs, rows):
        mine = [row for row in rows if row.table == name]
        text += struct_text(name, mine, sizes.get(name), ABOUT[name])
    return text + TAIL


def forwarders():
    """{path: text} of the headers under the other paths."""
    files = {}
    for name in sorted({path.name for path in FOLDER.glob("*.h")} | {NAME}):
        for folder in OTHER_PATHS.get(name, PATHS):
            up = "../" * len(folder.split("/"))
            files[FOLDER / folder / name] = FORWARD.format(path=up + name)
    return files


def files(texts):
    return {FOLDER / NAME: ep_header(texts), **forwarders()}
