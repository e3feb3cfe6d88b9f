#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks the numpy evaluator against ONNX's packaged node tests (Debian: libonnx-testdata).

  check_node_tests.py [--data DIR] [--list]

A test whose operators, types or forms the evaluator does not know is skipped and counted; a wrong
result is a failure. Exits 1 on any failure, and when fewer than --least tests passed.

Two kinds of tests have expected values that the model itself gives in float32 arithmetic or
rounded constants only: see tolerances().
"""

import argparse
import collections
import glob
import os
import sys

import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from compare import disagreement
from onnx_numpy import Evaluator, UnsupportedOperator
from op_registry import OPS


def read_tensor(path, value_info):
    if not value_info.type.HasField("tensor_type"):
        raise UnsupportedOperator("sequence or optional value")
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    if tensor.data_type in (onnx.TensorProto.BFLOAT16, onnx.TensorProto.STRING):
        raise UnsupportedOperator("bfloat16 or string value")
    return numpy_helper.to_array(tensor)


def tolerances(name, rtol, atol):
    """The tolerances of one test: (rtol, atol, by how much integers may differ)."""
    if "window" in name and name.endswith("_expanded"):
        # The expanded models hold pi with four digits; their expected values do not.
        return 1e-3, atol, 0
    if name == "test_dynamicquantizelinear_expanded":
        # -2.5 / scale is the tie -127.5; float32 division lands beside it.
        return rtol, atol, 1
    return rtol, atol, 0


def run_test(folder, rtol, atol):
    rtol, atol, integer_atol = tolerances(os.path.basename(folder), rtol, atol)
    model = onnx.load(os.path.join(folder, "model.onnx"))
    for node in model.graph.node:
        if (node.domain or "ai.onnx", node.op_type) not in OPS:
            raise UnsupportedOperator(node.op_type)
    evaluator = Evaluator(model)
    for data in sorted(glob.glob(os.path.join(folder, "test_data_set_*"))):
        inputs = {
            info.name: read_tensor(os.path.join(data, f"input_{i}.pb"), info)
            for i, info in enumerate(model.graph.input)
        }
        expected = [
            read_tensor(os.path.join(data, f"output_{i}.pb"), info)
            for i, info in enumerate(model.graph.output)
        ]
        actual = evaluator.run(inputs)
        for info, want in zip(model.graph.output, expected):
            got = np.asarray(actual[info.name])
            if integer_atol and want.dtype.kind in "iu" and got.dtype == want.dtype:
                got, want = got.astype(np.float64), want.astype(np.float64)
                text, agrees = disagreement(got, want, 0, integer_atol)
            else:
                text, agrees = disagreement(got, want, rtol, atol)
            if not agrees:
                raise AssertionError(f"output '{info.name}': {text}")


def main():
    default = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data/node")
    parser = argparse.ArgumentParser(description="Check the numpy evaluator on ONNX node tests.")
    parser.add_argument("--data", default=default)
    parser.add_argument("--rtol", type=float, default=1e-4)
    parser.add_argument("--atol", type=float, default=1e-6)
    parser.add_argument("--least", type=int, default=1, help="fail when fewer tests passed")
    parser.add_argument("--list", action="store_true", help="name the skipped tests")
    args = parser.parse_args()

    folders = sorted(glob.glob(os.path.join(args.data, "test_*")))
    passed, failed, skipped = [], [], collections.OrderedDict()
    for folder in folders:
        name = os.path.basename(folder)
        try:
            run_test(folder, args.rtol, args.atol)
            passed.append(name)
        except UnsupportedOperator as reason:
            skipped[name] = reason
        except Exception as error:
            failed.append(name)
            print(f"FAILED {name}: {error}")
    if args.list:
        for name, reason in skipped.items():
            print(f"skipped {name}: {reason}")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped of {len(folders)}")
    return 1 if failed or len(passed) < args.least else 0


if __name__ == "__main__":
    sys.exit(main())
