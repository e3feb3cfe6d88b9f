# SPDX-License-Identifier: MIT
"""Writes the trained digits network as ONNX (IR 8, opset 17). Needs python3-onnx."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from network import BN_EPSILON


def _weights(network):
    tensors = {}
    for name, layer, key in network.parameters():
        tensors[name.replace("/", ".")] = layer.params[key]
    for name in ("stem/bn", "block/bn2"):
        layer = network.layers[name]
        tensors[name.replace("/", ".") + ".running_mean"] = layer.mean
        tensors[name.replace("/", ".") + ".running_var"] = layer.var
    return tensors


def _nodes(tensors):
    def conv(name, x):
        inputs = [x, f"{name}.weight"] + ([f"{name}.bias"] if f"{name}.bias" in tensors else [])
        return node("Conv", name, inputs, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1],
                    dilations=[1, 1], group=1)

    def norm(name, x):
        inputs = [x] + [f"{name}.{k}" for k in ("scale", "bias", "running_mean", "running_var")]
        return node("BatchNormalization", name, inputs, epsilon=float(BN_EPSILON))

    def pool(name, x):
        return node("MaxPool", name, [x], kernel_shape=[2, 2], strides=[2, 2])

    nodes = []

    def node(op, name, inputs, output=None, **attributes):
        output = output or name.replace(".", "_")
        nodes.append(helper.make_node(op, inputs, [output], name=name.replace(".", "/"),
                                      **attributes))
        return output

    stem = node("Relu", "stem.relu", [norm("stem.bn", conv("stem.conv", "images"))])
    inner = node("Relu", "block.relu1", [conv("block.conv1", stem)])
    inner = norm("block.bn2", conv("block.conv2", inner))
    block = node("Relu", "block.relu", [node("Add", "block.add", [inner, stem])])
    wide = conv("wide.conv", pool("block.pool", block))
    wide = pool("wide.pool", node("Relu", "wide.relu", [wide]))
    flat = node("Flatten", "flatten", [wide], axis=1)
    node("Gemm", "classifier", [flat, "classifier.weight", "classifier.bias"], "logits", transB=1)
    node("Softmax", "softmax", ["logits"], "probabilities", axis=-1)
    return nodes


def make_model(tensors):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        _nodes(tensors), "digits",
        [info("images", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [info("logits", TensorProto.FLOAT, ["batch", 10]),
         info("probabilities", TensorProto.FLOAT, ["batch", 10])],
        [numpy_helper.from_array(array, name) for name, array in tensors.items()])
    model = helper.make_model(graph, producer_name="digits/train.py", ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])
    onnx.checker.check_model(model, full_check=True)
    return model


def save_models(network, path, shuffled_path, seed):
    """Saves the network, and beside it the same network with the elements of every tensor
    shuffled: same sizes, same values, nothing learned."""
    tensors = _weights(network)
    onnx.save(make_model(tensors), path)
    rng = np.random.default_rng(seed)
    shuffled = {name: rng.permutation(array.reshape(-1)).reshape(array.shape)
                for name, array in tensors.items()}
    onnx.save(make_model(shuffled), shuffled_path)
