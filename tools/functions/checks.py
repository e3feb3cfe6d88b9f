# SPDX-License-Identifier: MIT
"""Compares what the public headers say with the facts of ONNX Runtime's interface."""

import collections

from functions.facts import join_type, read_tsv, split_parameters, type_tokens
from functions.headers import read_enums


def check_signatures(functions, entries, problems):
    for function in functions:
        entry = entries.get(function.name[3:])
        if entry is None:
            continue
        where = f"{function.header}: {function.name} and {entry.table}::{entry.member}"
        returns = join_type(type_tokens(entry.returns))
        if returns != function.returns:
            problems.append(f"{where}: returns {function.returns}, table has {returns}")
        ours = [kind for kind, _ in function.parameters]
        theirs = [kind for kind, _ in split_parameters(entry.parameters)]
        if ours != theirs:
            problems.append(f"{where}: takes ({', '.join(ours)}), table has ({', '.join(theirs)})")


def check_enums(texts, problems):
    facts = collections.defaultdict(dict)
    for row in read_tsv("ort_enums.tsv"):
        facts[row["enum"]][row["name"]] = row["value"]
    for name, values in read_enums(texts).items():
        if name in facts and values != facts[name]:
            wrong = sorted(dict(set(values.items()) ^ set(facts[name].items())))
            problems.append(f"enum {name} differs in {', '.join(wrong)}")


def check_keys(keys, problems):
    ours = dict(keys)
    for row in read_tsv("ort_config_keys.tsv"):
        if ours.get(row["constant"]) != row["key"]:
            problems.append(f"key {row['constant']} is not \"{row['key']}\"")
