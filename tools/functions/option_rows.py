# SPDX-License-Identifier: MIT
"""Reads the tables of options in core/options and of the providers, as core/options/option_row.h
describes their form.

Of a table the comment above it counts as its heading; a row's text is what C makes of its string
literals. Whatever does not have the form of a row is a problem, so that no row is lost.
"""

import collections
import re

from functions.facts import ROOT

Table = collections.namedtuple("Table", "path heading prefix rows")
Row = collections.namedtuple("Row", "key constant form otherwise text has_effect")

FOLDERS = ["core/options", "providers"]
# Tables in the order of readers; a file that is not named comes last.
ORDER = ["context_rows.cc", "session_rows.cc", "other_rows.cc", "idle_rows.cc"]

STRING = r'"(?:[^"\\]|\\.)*"'
TABLE = re.compile(r"((?:^//[^\n]*\n)+)^constexpr OptionRow \w+\[\] = \{\n(.*?)^\};", re.M | re.S)
ROW = re.compile(rf"\{{\s*({STRING}),\s*({STRING}),\s*(\w+\([^()]*\)),\s*({STRING}),"
                 rf"\s*({STRING}(?:\s*{STRING})*)(?:,\s*(FIELD\([\w.]+\))(?:,\s*\w+)?)?\s*\}},?")
WORDS = re.compile(r"constexpr OptionWord (\w+)\[\] = \{(.*?)\};", re.S)
COMMENT = re.compile(r"^\s*//[^\n]*\n", re.M)


def literal(text):
    """What C makes of string literals that stand one after the other."""
    joined = "".join(part[1:-1] for part in re.findall(STRING, text))
    return joined.replace('\\"', '"').replace("\\\\", "\\")


def describe(form, words, where, problems):
    """What a value may be, in words."""
    kind, argument = re.fullmatch(r"(\w+)\((.*)\)", form, re.S).groups()
    if kind == "flag":
        return "0 or 1"
    if kind == "number":
        low, high = (part.strip() for part in argument.split(","))
        return f"a number from {low} to {high}"
    if kind == "bytes":
        return "a number of bytes"
    if kind == "list":
        return f"names separated by `{argument.strip()[1:-1]}`"
    if kind == "compression":
        return "`none`, `zstd`, or `zstd:LEVEL` with a level from 1 to 19"
    if kind == "word":
        if argument in words:
            return "one of " + ", ".join(words[argument])
        problems.append(f"{where}: there are no words {argument}")
    elif kind != "text":
        problems.append(f"{where}: there is no form {form}")
    return "a text"


def read_table(path, text, match, problems):
    words = {name: [literal(word) for word in re.findall(STRING, body)]
             for name, body in WORDS.findall(text)}
    where = path.relative_to(ROOT)
    rows = []
    for row in ROW.finditer(match.group(2)):
        key, constant, form, otherwise, line, field = row.groups()
        rows.append(Row(literal(key), literal(constant),
                        describe(form, words, f"{where}: {literal(key)}", problems),
                        literal(otherwise), literal(line), field is not None))
    rest = COMMENT.sub("", ROW.sub("", match.group(2))).split()
    if rest:
        problems.append(f"{where}: not the form of a row: {' '.join(rest)[:60]}")
    comment = [line[2:].strip() for line in match.group(1).splitlines()]
    prefix = f"ep.{path.parent.name}." if path.parts[-3] == "providers" else ""
    return Table(path, " ".join(comment), prefix, rows)


def read_tables(problems):
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.cc"))]
    paths.sort(key=lambda path: ORDER.index(path.name) if path.name in ORDER else len(ORDER))
    tables = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        found = [read_table(path, text, match, problems) for match in TABLE.finditer(text)]
        if len(found) != len(re.findall(r"^constexpr OptionRow\b", text, re.M)):
            problems.append(f"{path.relative_to(ROOT)}: a table without a heading above it")
        tables += found
    keys = collections.Counter(table.prefix + row.key for table in tables for row in table.rows)
    problems += [f"config key {key} has {count} rows" for key, count in keys.items() if count > 1]
    return tables
