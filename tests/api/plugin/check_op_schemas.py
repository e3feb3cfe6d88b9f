#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the schemas that libort_c gives libraries of providers with those of Python's onnx.

  check_op_schemas.py LIBRARY ORT_TABLES

Every version of every operator that this onnx knows, with what it says of inputs, outputs and
types. Exit code 77 (skipped) when there is no onnx.
"""

import csv
import ctypes
import sys

try:
    import onnx.defs
except ImportError:
    print("needs Python's onnx")
    sys.exit(77)

VERSION = 30
# ONNX has corrected these since, without a new version.
CORRECTED = {("GridSample", 16): "the grid has a type of its own", ("Erf", 13): "floats only"}

c_text, c_handle, c_size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t


class Table:
    """A table of functions, called by the names of its entries."""

    def __init__(self, address, name, path):
        with open(path, encoding="utf-8") as rows:
            self.slots = {row["member"]: int(row["index"])
                          for row in csv.DictReader(rows, delimiter="\t") if row["table"] == name}
        self.entries = ctypes.cast(address, ctypes.POINTER(c_handle))

    def call(self, member, *arguments, result=c_handle):
        kinds = [c_text if isinstance(one, bytes) else ctypes.c_int if isinstance(one, int)
                 else c_handle if one is None else type(one) for one in arguments]
        return ctypes.CFUNCTYPE(result, *kinds)(self.entries[self.slots[member]])(*arguments)

    def get(self, member, *arguments, kind=c_handle, count=0):
        """What the last parameters of a function receive."""
        outs = [kind()] + [c_size() for _ in range(count)]
        status = self.call(member, *arguments, *[ctypes.pointer(out) for out in outs])
        assert not status, member
        return outs[0].value if not count else [out if i == 0 else out.value
                                                for i, out in enumerate(outs)]


def ep_api(library, path):
    base_of = ctypes.CDLL(library).OrtcGetApiBase
    base_of.restype = c_handle
    base = Table(base_of(), "OrtApiBase", path)
    api = Table(base.call("GetApi", VERSION), "OrtApi", path)
    return Table(api.call("GetEpApi"), "OrtEpApi", path)


def shown(api, schema):
    """[(name, type)] of inputs and of outputs, {constraint: types}; a type is None without one."""
    handle = c_handle(schema)

    def constraint_name(constraint):
        return constraint and api.get("OpSchemaTypeConstraint_GetTypeParamName",
                                      c_handle(constraint), kind=c_text).decode()

    sides = []
    for side in ("Input", "Output"):
        sides.append([
            (api.get(f"OpSchema_Get{side}Name", handle, c_size(i), kind=c_text).decode(),
             constraint_name(api.get(f"OpSchema_Get{side}TypeConstraint", handle, c_size(i))))
            for i in range(api.get(f"OpSchema_GetNum{side}s", handle, kind=c_size))])
    types = {}
    for i in range(api.get("OpSchema_GetTypeConstraintCount", handle, kind=c_size)):
        constraint = api.get("OpSchema_GetTypeConstraint", handle, c_size(i))
        texts, count = api.get("OpSchemaTypeConstraint_GetAllowedTypes", c_handle(constraint),
                               kind=ctypes.POINTER(c_text), count=1)
        types[constraint_name(constraint)] = {texts[k].decode() for k in range(count)}
    return sides[0], sides[1], types


def expected(schema):
    types = {one.type_param_str: set(one.allowed_type_strs) for one in schema.type_constraints}
    return ([(one.name, one.typeStr if one.typeStr in types else None) for one in schema.inputs],
            [(one.name, one.typeStr if one.typeStr in types else None) for one in schema.outputs],
            types)


def main():
    api = ep_api(*sys.argv[1:])
    problems, count = 0, 0
    for schema in onnx.defs.get_all_schemas_with_history():
        if (schema.name, schema.since_version) in CORRECTED:
            continue
        count += 1
        handle = api.get("GetOpSchema", schema.name.encode(), schema.since_version,
                         schema.domain.encode())
        found = handle and shown(api, handle)
        since = handle and api.get("OpSchema_GetSinceVersion", c_handle(handle), kind=ctypes.c_int)
        if since != schema.since_version or found != expected(schema):
            problems += 1
            print(schema.domain, schema.name, schema.since_version, "expected", expected(schema),
                  "found", since, found)
        api.call("ReleaseOpSchema", c_handle(handle), result=None)
    print(f"{count} schemas, {problems} differ")
    return 1 if problems or count < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
