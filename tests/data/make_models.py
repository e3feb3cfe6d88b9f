#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the small models of the API tests: tests/data/make_models.py (needs python3-onnx).

The numbers are small integers, so that expected results are exact.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
OPSETS = [helper.make_opsetid("", 17)]


def floats(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def constant(name, values):
    return numpy_helper.from_array(np.array(values, dtype=np.float32), name)


def save(name, nodes, inputs, outputs, initializers=(), opsets=OPSETS, **fields):
    graph = helper.make_graph(nodes, fields.pop("graph_name", name), inputs, outputs, initializers)
    graph.doc_string = fields.pop("graph_doc", "")
    entries = fields.pop("entries", {})
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, **fields)
    helper.set_model_props(model, entries)
    onnx.save(model, HERE / f"{name}.onnx")


# y = x * weight, where weight[i][j] = 3 i + j.
save(
    "matmul",
    [helper.make_node("MatMul", ["x", "weight"], ["y"], name="product")],
    [floats("x", ["rows", 4])],
    [floats("y", ["rows", 3])],
    [constant("weight", np.arange(12).reshape(4, 3))],
)

# Says everything about itself; `bias` has a default that a run may override.
save(
    "described",
    [helper.make_node("Add", ["x", "bias"], ["y"])],
    [floats("x", [2]), floats("bias", [2])],
    [floats("y", [2])],
    [constant("bias", [10, 20])],
    graph_name="the graph",
    graph_doc="adds a bias",
    producer_name="a maker",
    producer_version="3",
    domain="example.org",
    model_version=7,
    doc_string="a described model",
    entries={"colour": "blue", "form": "round"},
)

# Two inputs that share a dimension, and one of unknown rank.
save(
    "sums",
    [
        helper.make_node("Add", ["a", "b"], ["ab"]),
        helper.make_node("Add", ["ab", "c"], ["sum"]),
    ],
    [floats("a", ["n"]), floats("b", ["n"]), floats("c", None)],
    [floats("sum", None)],
)

# Outputs that are not results of arithmetic: an input, a constant, a copy of each.
save(
    "passing",
    [
        helper.make_node("Identity", ["x"], ["same"]),
        helper.make_node("Identity", ["numbers"], ["copied"]),
    ],
    [floats("x", [3])],
    [floats("same", [3]), floats("copied", [3]), floats("numbers", [3])],
    [constant("numbers", [7, 8, 9])],
)

# Strings, and the output is the input itself.
save(
    "texts",
    [],
    [helper.make_tensor_value_info("words", TensorProto.STRING, ["n"])],
    [helper.make_tensor_value_info("words", TensorProto.STRING, ["n"])],
)

# Values that are not tensors. `first` is an element of a sequence, `rest` what follows it; `there`
# says whether an optional has content.
sequence_of_floats = helper.make_sequence_type_proto(
    helper.make_tensor_type_proto(TensorProto.FLOAT, None)
)
optional_floats = helper.make_optional_type_proto(
    helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
)
save(
    "containers",
    [
        helper.make_node("Constant", [], ["zero"], value_int=0),
        helper.make_node("SequenceAt", ["many", "zero"], ["first"]),
        helper.make_node("SequenceErase", ["many", "zero"], ["rest"]),
        helper.make_node("OptionalHasElement", ["maybe"], ["there"]),
    ],
    [
        helper.make_value_info("many", sequence_of_floats),
        helper.make_value_info("maybe", optional_floats),
    ],
    [
        floats("first", None),
        helper.make_value_info("rest", sequence_of_floats),
        helper.make_tensor_value_info("there", TensorProto.BOOL, []),
    ],
    opsets=[helper.make_opsetid("", 17)],
)

# A map of each row of scores.
map_of_scores = onnx.TypeProto()
map_of_scores.map_type.key_type = TensorProto.STRING
map_of_scores.map_type.value_type.CopyFrom(helper.make_tensor_type_proto(TensorProto.FLOAT, None))
save(
    "labels",
    [
        helper.make_node(
            "ZipMap", ["scores"], ["maps"], domain="ai.onnx.ml", classlabels_strings=["dog", "cat"]
        )
    ],
    [floats("scores", ["n", 2])],
    [helper.make_value_info("maps", helper.make_sequence_type_proto(map_of_scores))],
    opsets=[*OPSETS, helper.make_opsetid("ai.onnx.ml", 1)],
)

# Nobody has this operator.
save(
    "unknown_operator",
    [helper.make_node("Mystery", ["x"], ["y"], name="riddle", domain="example.org")],
    [floats("x", [1])],
    [floats("y", [1])],
    opsets=[*OPSETS, helper.make_opsetid("example.org", 1)],
)

# A context that another library's provider made.
save(
    "foreign_context",
    [
        helper.make_node(
            "EPContext",
            ["x"],
            ["y"],
            name="foreign",
            domain="com.microsoft",
            main_context=1,
            embed_mode=1,
            ep_cache_context=b"not for us",
            source="QNN",
            partition_name="foreign",
        )
    ],
    [floats("x", [1])],
    [floats("y", [1])],
    opsets=[*OPSETS, helper.make_opsetid("com.microsoft", 1)],
    entries={"ep_compatibility_info.QNNExecutionProvider": "htp v73"},
)
