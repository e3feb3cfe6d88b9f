#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes ONNX models of well-known architectures with seeded random weights (IR 8, opset 17).

  generate_models.py NAME [NAME ...] --out DIR [--small] [--inputs] [--check]
                     [--batch N] [--sequence N] [--past N] [--type f32|f16]

Writes DIR/<model>.onnx under the same name with and without --small. With --inputs also
DIR/<model>.<input>.npy for each input, of the shape that --batch, --sequence and --past give;
names take the characters letters, digits, '.', '_' and '-' only. With --type f16 weights, values,
inputs and outputs are float16 where the model says float32, and files are called <model>_f16. The same call writes the same bytes. Needs numpy and python3-onnx.
"""

import argparse
import importlib
import os
import re
import sys

import numpy as np
import onnx

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from models.builder import Builder  # noqa: E402

NAMES = {
    "tour": "the three nodes that docs/tour.md follows",
    "matmul": "one MatMul with a constant weight",
    "transformer": "a BERT-like encoder of 106 MB",
    "bert": "BERT-base: 110 million parameters",
    "bert128": "the same with a batch of one and 128 tokens",
    "bert512": "the same with a batch of one and 512 tokens",
    "resnet50": "ResNet-50 with its BatchNormalization nodes",
    "mobilenetv2": "MobileNetV2 with its BatchNormalization nodes",
    "vit": "ViT-B/16 at 224x224",
    "gpt2-pair": "GPT-2 prefill and decode with key/value cache, sharing gpt2.bin",
    "decoder-pair": "a Llama-like decoder of 1.3 GB, prefill and decode, sharing decoder.bin",
    "yolo": "a detector in the manner of YOLOv8s at 640x640, with NonMaxSuppression",
    "whisper": "Whisper-base: encoder, and decoder with cross attention",
    "resnet50-qdq": "ResNet-50 quantised to 8 bits, QDQ form",
    "bert-qdq": "BERT-base with its matrix products quantised to 8 bits, QDQ form",
    "nbits-decoder": "one decoding step with 4-bit weights, two accuracy levels",
    "genai": "a decoder of 500 MB as ONNX Runtime GenAI's model builder writes it, 4-bit weights",
    "matmul-u8": "MatMulInteger and QLinearMatMul with uint8 weights",
}


def write_inputs(path, inputs):
    stem = path[: -len(".onnx")]
    for name, array in inputs.items():
        file = f"{stem}.{re.sub(r'[^A-Za-z0-9._-]', '_', name)}.npy"
        np.save(file, array)
        print(f"{file}: {array.dtype} {list(array.shape)}")


def halved(array):
    is_half = Builder.half and array.dtype == np.float32
    return array.astype(np.float16) if is_half else array


def check(path):
    """The checker and strict shape inference; both read external weights beside the model.

    Behind operators of com.microsoft, which they do not know, values may stay without a type.
    """
    model = onnx.load(path, load_external_data=False)
    foreign = [node for node in model.graph.node if node.op_type == "SimplifiedLayerNormalization"]
    for node in foreign:  # ONNX Runtime's, yet exporters write it without a domain
        node.domain = "com.microsoft"
    if not foreign:
        onnx.checker.check_model(path)
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    typed = {info.name for info in inferred.graph.value_info}
    typed.update(info.name for info in inferred.graph.output)
    untyped = [name for node in inferred.graph.node for name in node.output
               if name and name not in typed]
    if untyped and all(node.domain == "" for node in inferred.graph.node):
        raise ValueError(f"{path}: no type was inferred for {untyped[:5]}")
    print(f"{path}: checked, {len(inferred.graph.node)} nodes")


def main():
    listing = "\n".join(f"  {name:12} {text}" for name, text in NAMES.items())
    parser = argparse.ArgumentParser(
        description="Write ONNX models with seeded random weights.",
        formatter_class=argparse.RawDescriptionHelpFormatter, epilog="models:\n" + listing)
    parser.add_argument("names", nargs="+", choices=[*NAMES, "all"], metavar="NAME",
                        help="a model of the list below, or all")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--small", action="store_true", help="tiny variants for tests")
    parser.add_argument("--inputs", action="store_true", help="also write inputs as .npy files")
    parser.add_argument("--check", action="store_true", help="run the checker and shape inference")
    parser.add_argument("--batch", type=int, help="batch size of the inputs")
    parser.add_argument("--sequence", type=int, help="tokens of the inputs")
    parser.add_argument("--past", type=int, help="tokens already in the key/value cache")
    parser.add_argument("--type", choices=["f32", "f16"], default="f32", help="of all floats")
    args = parser.parse_args()

    Builder.half = args.type == "f16"
    os.makedirs(args.out, exist_ok=True)
    for name in NAMES if "all" in args.names else args.names:
        module = importlib.import_module("models." + name.replace("-", "_"))
        for path, inputs in module.build(args.out, args.small, args):
            print(f"{path}: {os.path.getsize(path):,} bytes")
            if args.check:
                check(path)
            if args.inputs:
                write_inputs(path, {name: halved(array) for name, array in inputs.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
