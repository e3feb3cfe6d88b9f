#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the golden contexts of the format that this tree writes, tests/golden/<version>/.

    make_golden.py build/bin/ortc build/test/bin/golden_test

Small models, what they are compiled to (external and embedded), an input and the output that numpy
gives for it. golden_test then adds the compressed and the broken ones. Needs python3-onnx. Goldens
of a released version are never written again: later libraries have to read them as they are.
"""
import os
import pathlib
import subprocess
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support" / "numpy"))
import onnx_numpy

VERSION = "1.0"
OPSETS = [helper.make_opsetid("", 15), helper.make_opsetid("com.microsoft", 1)]
random = np.random.default_rng(20)


def floats(name, shape, scale=0.3):
    numbers = random.uniform(-scale, scale, shape).astype(np.float32)
    return numpy_helper.from_array(numbers, name)


def array(name, values, dtype):
    return numpy_helper.from_array(np.array(values, dtype), name)


def model(name, nodes, tensors, x_shape):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, x_shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, name, [x], [y], tensors)
    return helper.make_model(graph, opset_imports=OPSETS, ir_version=8, producer_name="golden")


def image():
    """Convolutions, dense and by channel; normalisation, pools, a product, probabilities."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1, 1, 1, 1]),
        node("Relu", ["c1"], ["r1"]),
        node("Conv", ["r1", "w2"], ["c2"], pads=[1, 1, 1, 1], group=8),
        node("BatchNormalization", ["c2", "scale", "shift", "mean", "variance"], ["n2"]),
        node("MaxPool", ["n2"], ["p2"], kernel_shape=[2, 2], strides=[2, 2]),
        node("GlobalAveragePool", ["p2"], ["g"]),
        node("Flatten", ["g"], ["f"]),
        node("Gemm", ["f", "w3", "b3"], ["d"], transB=1),
        node("Softmax", ["d"], ["y"], axis=-1),
    ]
    tensors = [floats("w1", [8, 3, 3, 3]), floats("b1", [8]), floats("w2", [8, 1, 3, 3]),
               floats("scale", [8]), floats("shift", [8]), floats("mean", [8]),
               array("variance", [1, 2, 3, 4, 5, 6, 7, 8], np.float32),
               floats("w3", [5, 8], 2.0), floats("b3", [5])]
    return model("image", nodes, tensors, ["n", 3, 8, 8])


def text():
    """A layer of a transformer in small: normalisation by hand, products, Gelu's parts, 4 bits."""
    node = helper.make_node
    nodes = [
        node("ReduceMean", ["x"], ["m"], axes=[-1]), node("Sub", ["x", "m"], ["z"]),
        node("Mul", ["z", "z"], ["zz"]), node("ReduceMean", ["zz"], ["v"], axes=[-1]),
        node("Add", ["v", "epsilon"], ["ve"]), node("Sqrt", ["ve"], ["s"]),
        node("Div", ["z", "s"], ["n"]), node("MatMul", ["n", "w1"], ["h"]),
        node("Sigmoid", ["h"], ["gate"]), node("Mul", ["h", "gate"], ["a"]),
        node("MatMulNBits", ["a", "w4", "s4"], ["q"], domain="com.microsoft", K=32, N=16, bits=4,
             block_size=32),
        node("Add", ["q", "x"], ["r"]), node("Transpose", ["r"], ["t"], perm=[1, 0]),
        node("Softmax", ["t"], ["y"], axis=-1),
    ]
    tensors = [array("epsilon", 1e-5, np.float32), floats("w1", [16, 32]),
               numpy_helper.from_array(random.integers(0, 256, (16, 1, 16)).astype(np.uint8), "w4"),
               numpy_helper.from_array(random.uniform(0.01, 0.05, 16).astype(np.float32), "s4")]
    return model("text", nodes, tensors, ["rows", 16])


def bytes_():
    """8-bit products: quantised at run time, and between QuantizeLinear and DequantizeLinear."""
    node = helper.make_node
    nodes = [
        node("QuantizeLinear", ["x", "sx", "zx"], ["xq"]),
        node("QLinearMatMul", ["xq", "sx", "zx", "wq", "sw", "zw", "sy", "zy"], ["yq"]),
        node("DequantizeLinear", ["yq", "sy", "zy"], ["yd"]),
        node("QuantizeLinear", ["yd", "sy", "zy"], ["q2"]),
        node("MatMulInteger", ["q2", "wq2", "zy", "zw"], ["i2"]),
        node("Cast", ["i2"], ["f2"], to=TensorProto.FLOAT),
        node("Mul", ["f2", "s2"], ["y"]),
    ]
    whole = lambda name, shape: numpy_helper.from_array(
        random.integers(-100, 100, shape).astype(np.int8), name)
    tensors = [array("sx", 0.02, np.float32), array("zx", 120, np.uint8),
               array("sw", 0.01, np.float32), array("zw", 0, np.int8),
               array("sy", 0.05, np.float32), array("zy", 128, np.uint8),
               array("s2", 0.0005, np.float32), whole("wq", [24, 40]), whole("wq2", [40, 8])]
    return model("bytes", nodes, tensors, ["rows", 24])


def branches():
    """An If whose bodies use a value and a constant from outside."""
    node = helper.make_node
    out = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
    then = helper.make_graph([node("MatMul", ["x", "w"], ["a"])], "then", [], [out("a")])
    otherwise = helper.make_graph([node("Neg", ["x"], ["b"])], "else", [], [out("b")])
    nodes = [node("ReduceSum", ["x"], ["sum"], keepdims=0),
             node("Greater", ["sum", "zero"], ["positive"]),
             node("If", ["positive"], ["y"], then_branch=then, else_branch=otherwise)]
    tensors = [array("zero", 0, np.float32), floats("w", [16, 16])]
    return model("branches", nodes, tensors, ["rows", 16])


def branches_by_hand(made, x):
    weights = numpy_helper.to_array(made.graph.initializer[1])
    return x @ weights if x.sum() > 0 else -x


CASES = [
    (image, (2, 3, 8, 8), "x86-64-v3"),
    (text, (3, 16), "generic"),
    (bytes_, (3, 24), "x86-64-v4+avx512vnni"),
    (branches, (2, 16), "x86-64"),
]


def main():
    ortc, golden_test = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    folder = HERE / VERSION
    folder.mkdir(exist_ok=True)
    for make, shape, target in CASES:
        made = make()
        name = made.graph.name
        x = random.uniform(0, 1, shape).astype(np.float32)
        if make is branches:
            y = branches_by_hand(made, x)
        else:
            y = onnx_numpy.evaluate(made, {"x": x})["y"]
        source = folder / f"{name}.onnx"
        source.write_bytes(made.SerializeToString(deterministic=True))
        np.save(folder / f"{name}.x.npy", x)
        np.save(folder / f"{name}.y.npy", np.ascontiguousarray(y, np.float32))
        for form, options in (("external", []), ("embedded", ["--embed"])):
            subprocess.run([ortc, "compile", source.name, "-o", f"{name}_{form}.onnx", "--ep", "AOT",
                            "--ep-opt", f"target={target}", "--progress", "none", *options],
                           check=True, cwd=folder, stdout=subprocess.DEVNULL)
    subprocess.run([golden_test], check=True, env={**os.environ, "ORTC_WRITE_GOLDENS": VERSION})


if __name__ == "__main__":
    main()
