# SPDX-License-Identifier: MIT
"""Which entries of ONNX Runtime's tables are stubs, and which programs would notice.

tests/api/ort_clients.tsv says who calls what: go, csharp (bindings), core (what both and Rust's
call), plugins (the example execution providers), qnn (a provider of a vendor). Entries of core must
not be stubs unless tests/api/ort_core_stubs.tsv names them, a list that only gets shorter.
"""

from functions.facts import TESTS, read_tsv

CLIENTS = ["core", "go", "csharp", "plugins", "qnn"]
STUBS = ("NONE", "VENDOR", "NOTHING")
ALLOWED = "ort_core_stubs.tsv"


def read_clients():
    """{(table, entry): [clients]}"""
    return {(row["table"], row["entry"]): row["clients"].split()
            for row in read_tsv("ort_clients.tsv", TESTS)}


def stubs(slots):
    return [(row, kind) for row, kind in slots if kind in STUBS]


def coverage(slots):
    """Every stub with the programs that call it."""
    clients = read_clients()
    lines = ["table\tindex\tentry\tanswer\tclients"]
    for row, kind in stubs(slots):
        answer = "nothing" if kind == "NOTHING" else "NOT_IMPLEMENTED"
        names = " ".join(clients.get((row.table, row.member), ["-"]))
        lines.append("\t".join([row.table, row.index, row.member, answer, names]))
    return "\n".join(lines) + "\n"


def summary(slots):
    """'core 3 of 94, ...': how many of the entries that each client calls are stubs."""
    clients, missing = read_clients(), {(row.table, row.member) for row, _ in stubs(slots)}
    parts = []
    for client in CLIENTS:
        called = [entry for entry, names in clients.items() if client in names]
        parts.append(f"{client} {sum(entry in missing for entry in called)} of {len(called)}")
    return ", ".join(parts)


def check_core(slots, problems):
    """The shrunk list; entries of core that are stubs without standing in it are problems."""
    clients = read_clients()
    core = {row.member for row, _ in stubs(slots)
            if "core" in clients.get((row.table, row.member), [])}
    allowed = read_tsv(ALLOWED, TESTS)
    for name in sorted(core - {row["entry"] for row in allowed}):
        problems.append(f"{name} is called by every client and is a stub: tests/api/{ALLOWED}")
    kept = [f"{row['entry']}\t{row['reason']}\n" for row in allowed if row["entry"] in core]
    return "entry\treason\n" + "".join(kept)
