#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes cases that pass now off the list of expected failures.

    update_expected.py build/test/conformance.tsv [LIST]

LIST is tests/conformance/expected_failures.txt unless given. A case that has to be added means that
something broke: it is printed, nothing is written, and the exit code is 1. With --first, for a list
that is not there yet, whatever does not pass is listed.
"""
import collections
import pathlib
import sys

HEAD = """# ONNX cases, as set/case, that do not pass. With "nodes" after it: by the route that runs
# node by node only, which has no sub-graphs and nothing else that takes a session (runner.h).
# With "sessions": by the others, as the packaged data contradict the model. The list only
# shrinks: update_expected.py takes off what passes.
"""


def wanted_lines(report):
    routes = collections.defaultdict(set)
    for line in pathlib.Path(report).read_text(encoding="utf-8").splitlines():
        group, case, route, outcome, _ = line.split("\t")
        name = f"{group}/{case}"
        routes[name]
        if outcome != "pass":
            routes[name].add("nodes" if route == "nodes" else "sessions")
    return {name: name + (f" {next(iter(kinds))}" if len(kinds) == 1 else "")
            for name, kinds in routes.items() if kinds}


def main():
    arguments = [a for a in sys.argv[1:] if a != "--first"]
    path = pathlib.Path(arguments[1] if len(arguments) > 1 else
                        pathlib.Path(__file__).parent / "expected_failures.txt")
    wanted = wanted_lines(arguments[0])
    if "--first" not in sys.argv:
        listed = {line.split()[0]: line for line in path.read_text(encoding="utf-8").splitlines()
                  if line and not line.startswith("#")}
        worse = [line for name, line in wanted.items()
                 if name not in listed or (listed[name] != line and listed[name] != name)]
        if worse:
            print("no longer passes:", *worse, sep="\n  ")
            return 1
    path.write_text(HEAD + "".join(f"{line}\n" for line in sorted(wanted.values())),
                    encoding="utf-8")
    print(f"{path.name}: {len(wanted)} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
