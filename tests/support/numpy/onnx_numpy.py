#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Evaluates an ONNX model with numpy: the independent oracle of the tests.

Floating-point arithmetic is done in float64 whatever the model's element type is; each value keeps
its declared ("nominal") element type beside it, and only a Cast to another type and the graph
outputs round to it. Integers and booleans are computed in their own type.

  onnx_numpy.py MODEL --input NAME=FILE.npy ... --out DIR [--value NAME ...]

writes one DIR/<output>.npy per graph output (characters other than letters, digits, '.', '_' and
'-' become '_'). An operator that is not known is an error, never skipped.
"""

import argparse
import os
import re
import sys

import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import ops_math
import ops_nn
import ops_quant
import ops_shape
from op_registry import MOVERS, OPS, UnsupportedOperator

__all__ = ["Evaluator", "evaluate", "UnsupportedOperator"]


class Node:
    """What an operator sees of its node: attributes, opset, nominal types of its inputs."""

    def __init__(self, proto, opset, in_types):
        self.op_type = proto.op_type
        self.name = proto.name
        self.opset = opset
        self.in_types = in_types
        self.output_count = len(proto.output)
        self._attrs = {a.name: onnx.helper.get_attribute_value(a) for a in proto.attribute}
        # Set by operators whose result is not of the default type (see Evaluator._nominal).
        self.out_types = None

    def attr(self, name, default=None):
        value = self._attrs.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def has(self, name):
        return name in self._attrs


def _wide(array):
    return array.astype(np.float64) if array is not None and array.dtype.kind == "f" else array


class Evaluator:
    """Runs a ModelProto node by node. Values are numpy arrays."""

    def __init__(self, model):
        self.graph = model.graph
        self.opsets = {o.domain or "ai.onnx": o.version for o in model.opset_import}
        self.constants = {t.name: numpy_helper.to_array(t) for t in self.graph.initializer}

    def run(self, inputs, extra=()):
        """Returns {name: array} of the graph outputs and of the values named in `extra`."""
        values = {name: (array, array.dtype) for name, array in self.constants.items()}
        for info in self.graph.input:
            if info.name in inputs:
                array = np.asarray(inputs[info.name])
                _check_input(info, array)
                values[info.name] = (array, array.dtype)
            elif info.name not in values:
                raise ValueError(f"input '{info.name}' is missing")
        unknown = set(inputs) - {info.name for info in self.graph.input}
        if unknown:
            raise ValueError(f"no such input: {', '.join(sorted(unknown))}")

        wanted = [info.name for info in self.graph.output] + list(extra)
        last_use = {n: i for i, p in enumerate(self.graph.node) for n in p.input}
        for index, proto in enumerate(self.graph.node):
            self._run_node(proto, values)
            for name in set(proto.input):
                if name and last_use[name] == index and name not in wanted:
                    values.pop(name, None)
        return {name: _rounded(*values[name]) for name in wanted}

    def _run_node(self, proto, values):
        domain = proto.domain or "ai.onnx"
        function = OPS.get((domain, proto.op_type))
        if function is None:
            raise UnsupportedOperator(f"{domain}.{proto.op_type} (node '{proto.name}')")
        pairs = [values[name] if name else (None, None) for name in proto.input]
        node = Node(proto, self.opsets.get(domain, 1), [t for _, t in pairs])
        arrays = [a for a, _ in pairs]
        if (domain, proto.op_type) not in MOVERS:
            arrays = [_wide(a) for a in arrays]
        try:
            with np.errstate(all="ignore"):
                results = function(node, *arrays)
        except UnsupportedOperator:
            raise
        except Exception as error:
            raise RuntimeError(f"{proto.op_type} '{proto.name}': {error}") from error
        if not isinstance(results, (tuple, list)):
            results = (results,)
        for i, (name, result) in enumerate(zip(proto.output, results)):
            if name:
                result = np.asarray(result)
                values[name] = (result, self._nominal(node, result, i))

    @staticmethod
    def _nominal(node, result, index):
        """A float result has the type of the first float input unless the operator says so."""
        if node.out_types is not None:
            return np.dtype(node.out_types[index])
        if result.dtype.kind == "f":
            for dtype in node.in_types:
                if dtype is not None and dtype.kind == "f":
                    return dtype
        return result.dtype


def _check_input(info, array):
    tensor = info.type.tensor_type
    if tensor.elem_type in (onnx.TensorProto.BFLOAT16, onnx.TensorProto.STRING):
        raise UnsupportedOperator(f"input '{info.name}' of bfloat16 or strings")
    dtype = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[tensor.elem_type]
    if array.dtype != dtype:
        raise ValueError(f"input '{info.name}' is {array.dtype}, expected {dtype}")
    if tensor.HasField("shape"):
        dims = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
        if len(dims) != array.ndim or any(
            d is not None and d != n for d, n in zip(dims, array.shape)
        ):
            raise ValueError(f"input '{info.name}' has shape {array.shape}, expected {dims}")


def _rounded(array, nominal):
    with np.errstate(all="ignore"):
        return array if array.dtype == nominal else array.astype(nominal)


def evaluate(model, inputs, extra=()):
    """Evaluates a ModelProto or the model file of this path."""
    if not isinstance(model, onnx.ModelProto):
        model = onnx.load(model)
    return Evaluator(model).run(inputs, extra)


def main():
    parser = argparse.ArgumentParser(description="Evaluate an ONNX model with numpy.")
    parser.add_argument("model")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--value", action="append", default=[], metavar="NAME",
                        help="also write this inner value")
    args = parser.parse_args()

    inputs = {}
    for item in args.input:
        name, separator, path = item.partition("=")
        if not separator:
            parser.error(f"--input {item}: expected NAME=FILE.npy")
        inputs[name] = np.load(path)
    os.makedirs(args.out, exist_ok=True)
    for name, array in evaluate(args.model, inputs, args.value).items():
        path = os.path.join(args.out, re.sub(r"[^A-Za-z0-9._-]", "_", name) + ".npy")
        np.save(path, array)
        print(f"{path}: {array.dtype} {list(array.shape)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
