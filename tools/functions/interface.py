# SPDX-License-Identifier: MIT
"""The public interface as the bindings see it: functions, enumerations and keys, each with its text.

tools/functions/languages turns it into constants of each language.
"""

import collections
import re

from functions.headers import KEY, comment_above

Interface = collections.namedtuple("Interface", "functions enums keys")
Enum = collections.namedtuple("Enum", "name text enumerators")
Enumerator = collections.namedtuple("Enumerator", "name value text")
# `group` is the heading of the keys that stand together.
Key = collections.namedtuple("Key", "constant key text group")

ENUM = re.compile(r"^typedef enum (\w+) \{\n(.*?)^\} (\w+);", re.M | re.S)
ENUMERATOR = re.compile(r"^\s*(\w+) = ([-\w]+),\s*(?://\s*(.*))?$")


def read_enum(match, text):
    """An enumerator may be another name for one above it: its value is that one's then."""
    values, enumerators = {}, []
    for line in match.group(2).splitlines():
        found = ENUMERATOR.match(line)
        if not found:
            continue
        name, value, comment = found.groups()
        values[name] = values[value] if value in values else int(value, 0)
        enumerators.append(Enumerator(name, values[name], comment or ""))
    return Enum(match.group(1), comment_above(text, match.start()), enumerators)


def read_interface(functions, texts, tables):
    enums = [read_enum(match, text) for _, text in sorted(texts.items())
             for match in ENUM.finditer(text)]
    keys = [Key(row.constant, table.prefix + row.key, row.text, table.heading)
            for table in tables for row in table.rows if row.constant]
    metadata = texts["metadata_keys.h"]
    for match in KEY.finditer(metadata):
        keys.append(Key(*match.groups(), comment_above(metadata, match.start()),
                        "Metadata of execution providers, devices and compiled models."))
    return Interface(functions, enums, keys)
