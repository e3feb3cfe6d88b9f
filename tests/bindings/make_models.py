#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the models that the tests of all bindings share.

    make_models.py ORTC FOLDER

`trivial` adds 1; no node of `unread` reads its input `nobody`; `first` and `second` share a weight; `slow` runs as many steps as it is told;
`half`, `brain` and `texts` have other element types. `digits` is the network of the demo. `attributes`
has a node of the domain "mine" with an attribute of each kind; `language_ctx` is a small decoder, of
which `tokens.txt` beside this program has the likeliest tokens after 1 2 3 4 5. The folder `service` has the models
that the sample services serve.
"""
import pathlib
import shutil
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "demo" / "digits" / "digits.onnx"


def save(folder, name, nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name="ortc tests")
    onnx.checker.check_model(model)
    onnx.save(model, folder / f"{name}.onnx")


def value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def elementwise(folder):
    one = numpy_helper.from_array(numpy.ones(4, numpy.float32), "one")
    save(folder, "trivial", [helper.make_node("Add", ["x", "one"], ["y"])],
         [value("x", TensorProto.FLOAT, [1, 4])], [value("y", TensorProto.FLOAT, [1, 4])], [one])
    save(folder, "unread", [helper.make_node("Neg", ["x"], ["y"])],
         [value("x", TensorProto.FLOAT, [4]), value("nobody", TensorProto.FLOAT, [4])],
         [value("y", TensorProto.FLOAT, [4])])
    for name, kind in (("half", TensorProto.FLOAT16), ("brain", TensorProto.BFLOAT16)):
        save(folder, name, [helper.make_node("Add", ["x", "x"], ["y"])],
             [value("x", kind, ["N"])], [value("y", kind, ["N"])])
    save(folder, "texts", [helper.make_node("Identity", ["x"], ["y"])],
         [value("x", TensorProto.STRING, ["N"])], [value("y", TensorProto.STRING, ["N"])])


def pair(folder):
    """y = relu(x W) V: W is the weight of both, V each model's own."""
    random = numpy.random.RandomState(7)
    shared = random.uniform(-0.1, 0.1, (256, 256)).astype(numpy.float32)
    for name in ("first", "second"):
        own = random.uniform(0, 0.1, (256, 4)).astype(numpy.float32)
        save(folder, name,
             [helper.make_node("MatMul", ["x", "W"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
              helper.make_node("MatMul", ["b", "V"], ["y"])],
             [value("x", TensorProto.FLOAT, [1, 256])], [value("y", TensorProto.FLOAT, [1, 4])],
             [numpy_helper.from_array(shared, "W"), numpy_helper.from_array(own, "V")])


def slow(folder):
    """y = 0 + 1 + 1 + ...: a Loop of `steps` iterations, to be stopped."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["go_on"]),
         helper.make_node("Add", ["sum", "one"], ["next"])], "body",
        [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []),
         value("sum", TensorProto.FLOAT, [1, 4])],
        [value("go_on", TensorProto.BOOL, []), value("next", TensorProto.FLOAT, [1, 4])])
    constants = [numpy_helper.from_array(numpy.ones((1, 4), numpy.float32), "one"),
                 numpy_helper.from_array(numpy.zeros((1, 4), numpy.float32), "zero"),
                 numpy_helper.from_array(numpy.array(True), "yes")]
    save(folder, "slow", [helper.make_node("Loop", ["steps", "yes", "zero"], ["y"], body=body)],
         [value("steps", TensorProto.INT64, [])], [value("y", TensorProto.FLOAT, [1, 4])],
         constants)


def attributes(folder):
    """y = mine.Attributes(x), an operator that the tests bring along."""
    tensor = numpy_helper.from_array(numpy.array([[1, 2, 3], [4, 5, 6]], numpy.int64))
    node = helper.make_node("Attributes", ["x"], ["y"], "attributes", domain="mine", whole=7,
                            number=0.5, text="\u00fcber", wholes=[1, 2, 3], numbers=[0.25, 4.0],
                            texts=["one", "", "three"], tensor=tensor)
    graph = helper.make_graph([node], "attributes", [value("x", TensorProto.FLOAT, ["N"])],
                              [value("y", TensorProto.FLOAT, ["N"])])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8,
                                producer_name="ortc tests"), folder / "attributes.onnx")


def compiled(ortc, folder):
    def run(*arguments):
        subprocess.run([ortc, "compile", "--progress", "none", *arguments], check=True,
                       stdout=subprocess.DEVNULL)

    service = folder / "service"
    service.mkdir()
    for target in (folder, service):
        run(folder / "digits.onnx", "-o", target / "digits_ctx.onnx")
    run("--share", folder / "first.onnx", folder / "second.onnx", "--out-dir", service)
    served(service)


def served(folder):
    """Models whose values the protocol of the services has to write: each is its input, for `parts`
    also as a sequence."""
    for name, kind in (("flags", TensorProto.BOOL), ("numbers", TensorProto.FLOAT)):
        save(folder, name, [helper.make_node("Identity", ["x"], ["y"])],
             [value("x", kind, ["M", "N"])], [value("y", kind, ["M", "N"])])
    save(folder, "parts", [helper.make_node("Identity", ["x"], ["y"]),
                           helper.make_node("SequenceConstruct", ["x", "x"], ["list"])],
         [value("x", TensorProto.FLOAT, ["N"])],
         [value("y", TensorProto.FLOAT, ["N"]),
          helper.make_tensor_sequence_value_info("list", TensorProto.FLOAT, ["N"])])


def language(ortc, folder):
    """A small decoder with its cache as inputs and outputs, compiled."""
    subprocess.run([sys.executable, ROOT / "tools" / "generate_models.py", "genai", "--small",
                    "--out", folder], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([ortc, "compile", "--progress", "none", folder / "genai.onnx", "-o",
                    folder / "language_ctx.onnx"], check=True, stdout=subprocess.DEVNULL)


def main(ortc, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(DIGITS, folder / "digits.onnx")
    elementwise(folder)
    pair(folder)
    slow(folder)
    attributes(folder)
    compiled(ortc, folder)
    language(ortc, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
