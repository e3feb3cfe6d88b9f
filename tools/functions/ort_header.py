# SPDX-License-Identifier: MIT
"""Writes include/ort_c/ort_api.h: ONNX Runtime's tables as structs, and the types they speak of."""

import re

from functions.facts import read_rows, read_sizes, read_tsv, split_texts

NAME = "ort_api.h"
# Base last: it speaks of the others.
ORDER = ["OrtApi", "OrtEpApi", "OrtModelEditorApi", "OrtCompileApi", "OrtInteropApi",
         "OrtModelPackageApi", "OrtApiBase"]
# What a library of an execution provider fills in and hands over.
CALLBACKS = ["OrtNodeFusionOptions", "OrtNodeComputeInfo", "OrtDataTransferImpl",
             "OrtSyncNotificationImpl", "OrtSyncStreamImpl", "OrtExternalResourceImporterImpl",
             "OrtKernelImpl", "OrtLoopKernelHelper", "OrtScanKernelHelper", "OrtEpProfilerImpl",
             "OrtEp", "OrtEpFactory"]
ABOUT = {
    "OrtNodeFusionOptions": "How nodes become one.",
    "OrtNodeComputeInfo": "What runs in place of fused nodes.",
    "OrtDataTransferImpl": "Copies between memories of a device and the host's.",
    "OrtSyncNotificationImpl": "A point in the work of a stream that others wait for.",
    "OrtSyncStreamImpl": "Work that a device does in order.",
    "OrtKernelImpl": "A kernel of a provider's own.",
    "OrtLoopKernelHelper": "What a provider gives a Loop kernel.",
    "OrtScanKernelHelper": "What a provider gives a Scan kernel.",
    "OrtEpProfilerImpl": "What is told about a profile, and adds to it.",
    "OrtExternalResourceImporterImpl": "What imports memory and semaphores for a device.",
    "OrtEp": "An execution provider, made for one session.",
    "OrtEpFactory": "What a provider's library offers.",
    "OrtApi": "The main table.",
    "OrtEpApi": "What execution providers call.",
    "OrtModelEditorApi": "Building and changing models.",
    "OrtCompileApi": "Compiling models to models with contexts.",
    "OrtInteropApi": "Memory and semaphores shared with graphics interfaces.",
    "OrtModelPackageApi": "Model packages: what they have, what runs here, and sessions of it.",
    "OrtApiBase": "Where everything begins: the tables by version.",
}

HEAD = """\
// SPDX-License-Identifier: MIT
// ONNX Runtime's binary interface as this library offers it: the tables of functions in their
// binary order, for programs and provider libraries that were compiled for them. An entry X does
// what the function OrtX of the other headers does, if there is one, and otherwise fails with
// NOT_IMPLEMENTED; no entry is NULL. New programs need none of this: they call OrtX().
// Made by tools/generate_functions.py from core/api/abi/ort_tables.tsv, do not edit.
#pragma once

{includes}

/// The newest version of the interface that the tables below have entries for.
#define ORTC_ORT_API_VERSION {version}

#ifdef __cplusplus
extern "C" {{
#endif

// clang-format off

"""

TAIL = """\
// clang-format on

/// Gives what ONNX Runtime's OrtGetApiBase gives: the way to all tables. GetApi answers each
/// version up to ORTC_ORT_API_VERSION with the same table, others with NULL and a line on stderr;
/// GetVersionString tells the release of ONNX Runtime that the tables correspond to.
///
/// Where the tables differ from the functions: environments are one counted object per process,
/// and config keys that are unknown are warnings.
///
/// Borrowed: one constant object for the whole process. Thread-safe. Since 1.0.
ORTC_API const OrtApiBase* OrtcGetApiBase(void);

#ifdef __cplusplus
}
#endif
"""


def spell(text):
    """A type or parameter of the facts in our spelling."""
    text = re.sub(r"\b(?:struct|enum) (?=Ort|ONNX)", "", " ".join(text.split()))
    text = text.replace("OrtStatusPtr", "OrtStatus*").replace("_Bool", "bool")
    if "(" in text:
        return re.sub(r"\s*\*", "*", text).replace("(*", " (*").replace("  (", " (")
    return re.sub(r"\*(?=\w)", "* ", re.sub(r"\s*\*", "*", text))


def wrap(begin, parameters, end):
    """One declaration in lines of at most 100 columns."""
    lines, line = [], begin
    texts = [spell(text) for text in parameters] or ["void"]
    for i, text in enumerate(texts):
        text += end if i + 1 == len(texts) else ","
        space = "" if line.endswith("(") else " "
        if len(line + space + text) > 100:
            lines.append(line)
            line, space = " " * 6, ""
        line += space + text
    return "\n".join(lines + [line]) + "\n"


def struct_text(table, rows, sizes, about):
    """One struct; `sizes` says how many entries each version has, where that is known."""
    lines = f"/// {about}\nstruct {table} {{\n"
    versions = {0: sizes[0][0]} if sizes else {}
    if sizes:
        versions.update({entries: version for (_, entries), (version, _) in zip(sizes, sizes[1:])})
    for row in rows:
        if int(row.index) in versions:
            lines += f"  // Since version {versions[int(row.index)]}.\n"
        if row.returns == "(field)":
            lines += f"  {spell(row.parameters)};\n"
            continue
        lines += wrap(f"  {spell(row.returns)} (*{row.member})(", split_texts(row.parameters), ");")
    return lines + "};\n\n"


def enum_text(name, facts):
    rows = "".join(f"  {row['name']} = {row['value']},\n" for row in facts if row["enum"] == name)
    return f"typedef enum {name} {{\n{rows}}} {name};\n\n"


def function_type_text(row):
    text = spell(row.returns)
    if "(*)(" not in text:
        return f"typedef {text} {row.member};\n"
    begin, parameters = re.fullmatch(r"(.*\(\*)\)\((.*)\)", text).groups()
    return wrap(f"typedef {begin}{row.member})(", split_texts(parameters), ");")


def declared(texts):
    """{name: header} of the enumerations and function types that our own headers declare."""
    names = {}
    for header, text in texts.items():
        for name in re.findall(r"^typedef enum (\w+) \{|^typedef [^;{]*\(\*(\w+)\)\(", text, re.M):
            names[name[0] or name[1]] = header
    return names


def words(text):
    return re.findall(r"\b(?:Ort|ONNX|[A-Z])\w*", text)


def ort_header(texts):
    """The text of the header; `texts` are those of the others."""
    rows, sizes, enum_facts = read_rows(), read_sizes(), read_tsv("ort_enums.tsv")
    typedefs = {row.member: row for row in rows if row.table == "(typedef)"}
    enums = {row["enum"] for row in enum_facts}
    used = {}
    for row in rows:
        if row.table in ORDER + CALLBACKS:
            used.update(dict.fromkeys(words(row.returns)))
            used.update(dict.fromkeys(word for text in split_texts(row.parameters)
                                      for word in words(re.sub(r"\w+$", "", text))))
    pending = [name for name in used if name in typedefs]
    while pending:
        more = [word for word in words(typedefs[pending.pop()].returns) if word not in used]
        used.update(dict.fromkeys(more))
        pending += [word for word in more if word in typedefs]
    used.pop("OrtStatusPtr")

    ours = declared(texts)
    opaque = re.findall(r"^typedef struct (\w+) \1;", texts["types.h"], re.M)
    includes = {"types.h"} | {ours[name] for name in used if name in ours}
    text = HEAD.format(includes="\n".join(f'#include "ort_c/{name}"' for name in sorted(includes)),
                       version=max(version for rows in sizes.values() for version, _ in rows))
    structs = sorted({name for name in used if name not in enums and name not in typedefs}
                     | set(ORDER + CALLBACKS))
    text += "// Handles, tables, and structs that their own headers define.\n\n"
    text += "".join(f"typedef struct {name} {name};\n" for name in structs if name not in opaque)
    text += "\n// Enumerations with ONNX Runtime's names and values.\n\n"
    text += "".join(enum_text(name, enum_facts) for name in sorted(used)
                    if name in enums and name not in ours)
    text += "// Callbacks.\n\n"
    text += "".join(function_type_text(row) for name, row in typedefs.items()
                    if name in used and name not in ours)
    text += "\n// The tables.\n\n"
    for table in ORDER:
        text += struct_text(table, [row for row in rows if row.table == table], sizes[table],
                            ABOUT[table])
    text += ("// What libraries of execution providers fill in. Members that are younger than the\n"
             "// version that such a struct names are never read.\n\n")
    for table in CALLBACKS:
        text += struct_text(table, [row for row in rows if row.table == table], sizes[table],
                            ABOUT[table])
    return text + TAIL
