# SPDX-License-Identifier: MIT
"""Reads the public headers: functions, enumerations, keys of metadata.

`texts` is {file name: text} of all headers, the generated one as it will be.
"""

import collections
import re

from functions.facts import join_type, split_parameters, stub_kind, type_tokens

Function = collections.namedtuple("Function",
                                  "name returns parameters header since table index stub")

DECLARATION = re.compile(r"^ORTC_API\s+([^;()]*?)(Ort\w+)\s*\(([^;]*)\)\s*;", re.M)
ENUM = re.compile(r"typedef enum (\w+) \{(.*?)\} (\w+);", re.S)
KEY = re.compile(r'^static const char\* const (\w+) =\s*"([^"]*)";', re.M)


def comment_above(text, position):
    lines = text[:position].splitlines()
    block = []
    while lines and lines[-1].startswith("///"):
        block.insert(0, lines.pop()[3:].strip())
    return " ".join(block)


def read_functions(texts, entries, problems):
    functions = []
    for header, text in sorted(texts.items()):
        found = list(DECLARATION.finditer(text))
        written = len(re.findall(r"^ORTC_API\b", text, re.M))
        if written != len(found):
            problems.append(f"{header}: {written - len(found)} declarations in another form")
        for match in found:
            name = match.group(2)
            since = re.search(r"Since (\d+\.\d+)\.$", comment_above(text, match.start()))
            if not since:
                problems.append(f"{header}: {name}: the comment does not end in 'Since x.y.'")
                continue
            try:
                parameters = split_parameters(match.group(3))
            except ValueError as error:
                problems.append(f"{header}: {name}: {error}")
                continue
            returns = join_type(type_tokens(match.group(1)))
            entry = entries.get(name[3:])
            functions.append(Function(
                name, returns, parameters, header, since.group(1), entry.table if entry else "-",
                entry.index if entry else "-", stub_kind(returns)))
    for name, count in collections.Counter(f.name for f in functions).items():
        if count > 1:
            problems.append(f"{name} is declared {count} times")
    return functions


def read_enums(texts):
    """{enum: {enumerator: value}}."""
    enums = {}
    for text in texts.values():
        text = re.sub(r"//[^\n]*", "", text)
        for match in ENUM.finditer(text):
            pairs = [row.split("=") for row in match.group(2).split(",") if row.strip()]
            enums[match.group(1)] = {pair[0].strip(): pair[-1].strip() for pair in pairs}
    return enums


def read_keys(text):
    return KEY.findall(text)
