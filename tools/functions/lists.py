# SPDX-License-Identifier: MIT
"""The lists that follow from the headers: functions, exported symbols."""

from functions.facts import GENERATED


def functions_tsv(functions):
    lines = ["name\treturn\tparameters\theader\tsince\ttable\tindex\tstub"]
    for f in functions:
        parameters = ", ".join(f"{kind} {name}" for kind, name in f.parameters) or "void"
        lines.append("\t".join([f.name, f.returns, parameters, f.header, f.since, f.table, f.index,
                                f.stub]))
    return "\n".join(lines) + "\n"


def exports_map(functions):
    names = "".join(f"    {name};\n" for name in sorted(f.name for f in functions))
    return f"# {GENERATED}\nORTC_1 {{\n  global:\n{names}  local:\n    *;\n}};\n"
