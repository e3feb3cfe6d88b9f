# SPDX-License-Identifier: MIT
"""Usage: print_coverage.py NAME LEAST <llvm-cov's summary. Fails below LEAST per cent of lines."""
import json
import sys


def main(name, least):
    summary = json.load(sys.stdin)["data"][0]
    print_lines(name, summary["totals"])
    for file in summary["files"]:
        if len(summary["files"]) > 1:
            print_lines("  " + file["filename"].rpartition("/")[2], file["summary"])
    return int(summary["totals"]["lines"]["percent"] < float(least))


def print_lines(name, totals):
    lines = totals["lines"]
    print(f"coverage: {name}: {lines['covered']} of {lines['count']} lines, "
          f"{lines['percent']:.1f} %")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
