#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the fenced blocks of one language out of a page, in order, as a source file that says which
lines of the page its errors are about.

    extract_code.py PAGE LANGUAGE OUTPUT
"""
import sys


def blocks(page, language):
    """(number of its first line, text) of each block."""
    first, lines = None, []
    for number, line in enumerate(page.splitlines(keepends=True), 1):
        if first is None and line.rstrip() == "```" + language:
            first, lines = number + 1, []
        elif first is not None and line.rstrip() == "```":
            yield first, "".join(lines)
            first = None
        else:
            lines.append(line)


def main(page, language, output):
    with open(page, encoding="utf-8") as file:
        found = list(blocks(file.read(), language))
    if not found:
        sys.exit(f"{page}: there is no block of {language}")
    with open(output, "w", encoding="utf-8") as file:
        for first, text in found:
            file.write(f'#line {first} "{page}"\n{text}')


if __name__ == "__main__":
    main(*sys.argv[1:])
