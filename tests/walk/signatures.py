# SPDX-License-Identifier: MIT
"""The operators' published signatures, read from the table that the library is built with."""

import ast
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(ROOT, "core", "ops", "signatures", "op_signatures.inc")
DOMAINS = {"kOnnx": "", "kAiOnnxMl": "ai.onnx.ml", "kAiOnnxPreview": "ai.onnx.preview",
           "kAiOnnxPreviewTraining": "ai.onnx.preview.training", "kComMicrosoft": "com.microsoft"}


class Parameter:
    """An input or output: its name, its constraint or type, and whether it may be absent or many."""

    def __init__(self, text):
        name, self.type = text.split(":", 1)
        self.is_optional, self.is_variadic = name.endswith("?"), name.endswith("*")
        self.name = name.rstrip("?*")


class Signature:
    """One version of an operator."""

    def __init__(self, domain, line, sets):
        self.domain = domain
        name, since, rest = line.split(" ", 2)
        self.name, self.since = name, int(since)
        inputs, outputs, constraints = _fields(rest)
        self.inputs = [Parameter(text) for text in inputs]
        self.outputs = [Parameter(text) for text in outputs]
        self.constraints = {}
        for text in constraints:
            constraint, number = text.rsplit("=", 1)
            self.constraints[constraint] = sets[int(number)]

    def input(self, index):
        """The parameter at a place; a variadic one stands for all that follow."""
        if index < len(self.inputs):
            return self.inputs[index]
        if self.inputs and self.inputs[-1].is_variadic:
            return self.inputs[-1]
        raise IndexError(f"{self.name}-{self.since} has no input {index}")

    def output(self, index):
        return self.outputs[min(index, len(self.outputs) - 1)]


def _fields(rest):
    # "map(int64, string)" has a blank; it only stands in sets, so three fields are left here.
    fields = rest.split(" ")
    assert len(fields) == 3, rest
    return [[part for part in field.split(",") if part] for field in fields]


def read(path=TABLE):
    """Every version of every operator, in the table's order."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    texts = {match[1]: "".join(ast.literal_eval(line) for line in match[2].splitlines())
             for match in re.finditer(r"constexpr char (k\w+)\[\] =\n(.*?);\n", text, re.S)}
    sets = [line.split("|") for line in texts["kTypeSets"].split("\n")]
    return [Signature(domain, line, sets) for table, domain in DOMAINS.items()
            for line in texts[table].splitlines()]
