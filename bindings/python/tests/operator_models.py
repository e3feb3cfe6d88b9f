# SPDX-License-Identifier: MIT
"""Models with operators of the domain "mine", and sessions that know some."""

import ortc
from onnx import TensorProto, helper


def tensor(name, kind="FLOAT", shape=("n",)):
    return helper.make_tensor_value_info(name, getattr(TensorProto, kind), shape)


def node(op_type, inputs="x", outputs="y", **attributes):
    """Names are written with blanks between; "_" is one that is left out."""
    sides = [["" if name == "_" else name for name in side.split()] for side in (inputs, outputs)]
    return helper.make_node(op_type, *sides, domain="mine", **attributes)


def model_of(nodes, inputs=None, outputs=None, initializers=(), mine=1):
    """The bytes of a model; by default of floats x and y."""
    nodes = nodes if isinstance(nodes, list) else [nodes]
    graph = helper.make_graph(nodes, "test", inputs or [tensor("x")], outputs or [tensor("y")],
                              list(initializers))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("mine", mine)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def knowing(*operators):
    options = ortc.SessionOptions()
    options.register_custom_ops(*operators)
    return options


def session_of(model, *operators):
    return ortc.InferenceSession(model, knowing(*operators))


def run(operators, model, **feed):
    """The outputs of one run."""
    operators = operators if isinstance(operators, (list, tuple)) else [operators]
    return session_of(model, *operators).run(None, feed)


def op(op_type, inputs=("float",), outputs=("float",), attrs=None, **more):
    """onnx_op of the domain "mine"."""
    return ortc.onnx_op(op_type, list(inputs), list(outputs), attrs, domain="mine", **more)
