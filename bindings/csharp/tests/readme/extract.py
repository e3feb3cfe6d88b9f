#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes one program of the C# code of a page: extract.py README.md Program.cs

The first block has the usings and makes `env`, which the others use; each is a function of its own.
"""
import pathlib
import re
import sys

page, program = map(pathlib.Path, sys.argv[1:])
blocks = re.findall(r"^```csharp\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
usings, _, blocks[0] = blocks[0].rpartition(";\n\nusing var env")
blocks[0] = "using var env" + blocks[0]
text = f"{usings};\nusing System.Threading.Tasks;\n\ninternal static class Readme\n{{\n"
for number, block in enumerate(blocks):
    env = 'using var env = new Env("readme");\n' if number else ""
    text += (f"private static async Task Block{number}()\n{{\nawait Task.CompletedTask;\n"
             f"{env}{block}}}\n")
calls = "".join(f"await Block{number}();\n" for number in range(len(blocks)))
text += f"private static async Task Main()\n{{\n{calls}}}\n}}\n"
program.parent.mkdir(parents=True, exist_ok=True)
program.write_text(text, encoding="utf-8")
