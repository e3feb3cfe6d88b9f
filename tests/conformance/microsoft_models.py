#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Operators of com.microsoft against numpy.

  microsoft_models.py ORTC

Makes models of one node, evaluates them with ops_microsoft.py, and runs them with the ortc tool:
from source without and with optimisation, and compiled; under sanitizers (ORTC_SANITIZED) from
source only, by the provider that compiles. All must agree with numpy, and a few with ONNX Runtime's
library, if ORTC_ORT_LIBRARY names it. Exits 77 where python3-onnx is missing.
"""

import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"NOTHING RAN: {missing}; install python3-numpy and python3-onnx", file=sys.stderr)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support/numpy"))

import ops_attn_lstm  # adds its operators
import ops_ordered  # the same
from microsoft_attention_cases import attention_cases
from microsoft_few_bits_cases import few_bits_cases
from microsoft_inputs import R, Constant, floats, integers, scalar
from microsoft_recurrent_cases import recurrent_cases, refused_cases
from onnx_runtime import Library
from ops_microsoft import OPERATORS

# Compared with ONNX Runtime too, when ORTC_ORT_LIBRARY names its library: how far it may be away.
COMPARED = {"MaxpoolWithMask": 0, "DynamicQuantizeLSTM": 0.02, "AttnLSTM": 1e-5}
SANITIZED = bool(os.environ.get("ORTC_SANITIZED"))  # a process takes fifty times as long to start
LIBRARY = Library(os.environ["ORTC_ORT_LIBRARY"]) if "ORTC_ORT_LIBRARY" in os.environ else None


def plain_cases():
    x = floats(2, 3, 4)
    yield "SampleOp", {}, [x]
    for upper in (0, 1):
        yield "Trilu", {"upper": upper}, [x, scalar(1, np.int64)]
    yield "Unique", {}, [R.randint(0, 5, 12).astype(np.float32)]
    yield "ExpandDims", {}, [x, scalar(1, np.int32)]
    yield "ExpandDims", {}, [x, np.array(-1, np.int32)]
    for dtype in (np.int32, np.int64):
        yield "GatherND", {}, [x, np.array([[0, 1], [1, 2]], dtype)]
    yield "Range", {}, [np.array(1, np.float32), np.array(7, np.float32)]
    yield "Range", {}, [np.array([n], np.int32) for n in (1, 9, 3)]
    for mode in ("constant", "reflect", "edge"):
        yield "Pad", {"mode": mode}, [x, np.array([[0, 1, 2, 0, 1, 1]])]
    yield "Pad", {}, [x, np.array([0, 1, 2, 0, 0, 1]), np.array([3], np.float32)]
    yield "TorchEmbedding", {}, [floats(5, 3), np.array([[1, 2], [4, 0]])]
    for dtype in (np.uint8, np.int8):
        a, b = integers(dtype, 3, 4), integers(dtype, 4)
        yield "MulInteger", {}, [a, np.array(3, dtype), b, np.array(7, dtype)]
        yield "ReduceSumInteger", {"axes": [1], "keepdims": 0}, [a]
    for p, q in ((np.int16, np.int16), (np.uint16, np.uint16), (np.uint16, np.int16)):
        yield "MatMulInteger16", {}, [integers(p, 3, 4), integers(q, 4, 2) % 100]
    for op in ("ComplexMul", "ComplexMulConj"):
        yield op, {}, [floats(2, 3, 2), floats(3, 2)]


    for turns in (0, 1):
        a = {"transB": turns, "alpha": 0.5, "activation": "Relu"}
        yield "FusedMatMulActivation", a, [floats(3, 4), floats(*((5, 4) if turns else (4, 5)))]


def gate_cases():
    x = floats(2, 3, 4)
    yield "GatedAdd", {}, [x, floats(2, 3, 4), floats(2, 3, 1)]
    for dtype in (np.float32, np.float16):
        wide = [v.astype(dtype) for v in (floats(2, 3, 8), floats(4), floats(2, 3, 8))]
        yield "GatedRMSNorm", {"epsilon": 1e-3}, wide
    yield "LinearAttentionGate", {}, [x, floats(4), floats(4), floats(2, 3, 4)]
    halves = [floats(2, 2, 3, 4).astype(np.float16) for _ in range(4)]
    yield "GemmaRotaryEmbedding", {}, [floats(2, 3, 4)] + halves
    for axis in (1, 2, 3):
        a = {"axis": axis, "is_inner_broadcast": int(axis == 3)}
        bias = floats(2, 1, 1, 5) if axis == 3 else floats(1, 1, 4, 5)
        yield "BiasSoftmax", a, [floats(2, 3, 4, 5), bias]
    yield "BiasDropout", {}, [x, floats(4), floats(2, 3, 4)]
    yield "BitmaskDropout", {}, [floats(5, 7)]
    yield "BitmaskDropout", {}, [floats(8, 8)]


def image_cases():
    x, gamma, beta = floats(2, 3, 4, 8), Constant(floats(8)), Constant(floats(8))
    for silu in (0, 1):
        for last in (0, 1):
            a = {"groups": 2, "activation": silu, "epsilon": 1e-3, "channels_last": last}
            image = x if last else np.ascontiguousarray(np.moveaxis(x, -1, 1))
            yield "GroupNorm", a, [image, gamma, beta]
    a = {"groups": 4, "activation": 1, "epsilon": 1e-3}
    yield "SkipGroupNorm", a, [x, gamma, beta, floats(2, 8), Constant(floats(8))]
    yield "SkipGroupNorm", a, [x, gamma, beta, floats(2, 3, 4, 8)]
    for n in (1, 2):
        a = {"normalized": 0, "onesided": 1, "signal_ndim": n}
        z = floats(2, 3, 8)
        yield "Rfft", a, [z]
        spectrum = OPERATORS["Rfft"](a, z)[0]
        yield "Irfft", a, [spectrum]
    for dtype in (np.uint8, np.int8):
        a = {"kernel_shape": [2, 3], "strides": [2, 1]}
        yield "NhwcMaxPool", a, [integers(dtype, 1, 6, 5, 4)]
    w, b = Constant(floats(8, 4, 3, 2)), Constant(floats(8))
    yield "NhwcConv", {}, [floats(1, 6, 5, 4), w, b]
    yield "NhwcFusedConv", {"activation": "Relu"}, [floats(1, 6, 5, 4), w, b, floats(1, 4, 4, 8)]
    a = {"align_corners": 1}
    yield "GridSample", a, [floats(2, 2, 5, 4), R.uniform(-1.2, 1.2, (2, 3, 3, 2)).astype("f")]
    yield "ConvTransposeWithDynamicPads", {"strides": [2, 1]}, [
        floats(1, 3, 5, 4), Constant(floats(3, 2, 3, 2)), Constant(np.array([1, 0, 0, 1])),
        Constant(floats(2))]
    a = {"mode": "bilinear", "extrapolation_value": 9.0}
    rois = np.array([[0, 0, 1, 1], [0.2, 0.1, 0.7, 0.9], [0.5, -0.3, 0.8, 1.2]], np.float32)
    for size in ([3, 4], [1, 1]):
        yield "CropAndResize", a, [floats(2, 3, 7, 8), rois, np.array([0, 1, 1], np.int32),
                                   Constant(np.array(size, np.int32))]


def quantised_cases():
    x = integers(np.uint8, 2, 3, 4)
    yield "QLinearReduceMean", {"axes": [1], "keepdims": 0}, [
        x, scalar(0.02), scalar(100, np.uint8), scalar(0.03), scalar(110, np.uint8)]
    for kind in (0, 1):
        for turns in (1, 0):
            a = {"N": 6, "K": 32, "block_size": 16, "quant_type": kind, "transB": turns}
            yield "MatMulBnb4", a, [floats(3, 32 if turns else 6),
                                    Constant(integers(np.uint8, 96)), Constant(abs(floats(12)))]
    for dtype, zero in ((np.int8, 0), (np.uint8, 128)):
        for shape in ((), (24,)):
            scales = Constant(np.full(shape, 0.01, np.float32))
            yield "QAttention", {"num_heads": 2}, [
                integers(np.uint8, 2, 4, 8), Constant(integers(dtype, 8, 24)),
                Constant(floats(24)), scalar(0.02), scales, None, scalar(120, np.uint8),
                Constant(np.full(shape, zero, dtype))]


    scales = [scalar(0.02), scalar(120, np.uint8)], [scalar(0.3), scalar(128, np.uint8)]
    for last in (0, 1):
        x = integers(np.uint8, *((1, 6, 5, 4) if last else (1, 4, 6, 5)))
        yield "QLinearConv", {"channels_last": last}, [
            x, *scales[0], Constant(integers(np.int8, 8, 4, 3, 2)), scalar(0.03),
            scalar(0, np.int8), *scales[1], Constant(integers(np.int32, 8) // 100)]
    yield "QLinearAveragePool", {"channels_last": 1, "kernel_shape": [3, 2]}, [
        integers(np.uint8, 1, 6, 5, 4), *scales[0], scalar(0.017), scales[1][1]]
    tables = [Constant(integers(np.uint8, *shape)) for shape in ((10, 8), (7, 8), (2, 8), (8,),
                                                                 (8,))]
    mask = np.array([[1, 1, 1, 0, 0], [1, 0, 0, 0, 0]], np.int32)
    yield "QEmbedLayerNormalization", {"epsilon": 1e-5}, [
        R.randint(0, 10, (2, 5)).astype(np.int32), R.randint(0, 2, (2, 5)).astype(np.int32),
        *tables, mask, *[scalar(0.02 + 0.01 * i) for i in range(5)],
        *[scalar(120 + i, np.uint8) for i in range(5)]]


def token_cases():
    offsets = np.array([[0, 4, 5, 8], [9, 10, 11, 1], [2, 3, 6, 7]], np.int32)
    starts, rows = np.array([0, 1, 3, 7], np.int32), floats(7, 2)
    yield "RemovePadding", {}, [floats(3, 4, 2), np.array([1, 2, 4], np.int32)]
    yield "RestorePadding", {}, [rows, offsets]
    for axis in (0, 1, -1):
        yield "UnfoldTensor", {"dim": axis, "size": 3, "step": 2}, [floats(6, 7, 5)]
    ids = np.array([[1, 2, 3, 1, 2], [4, 4, 4, 4, 4]])
    for n in (1, 2, 3):
        yield "NGramRepeatBlock", {"ngram_size": n}, [ids, floats(2, 6)]
    for source, start, predicted in (([1, 5, 3, 4], 0, [1, 5, 9, 9, 9]),
                                     ([1, 2, 3, 1, 2, 3, 4], 2, [3, 1, 2, 3, 4, 7]),
                                     ([1, 2], 0, [1, 2, 1])):
        yield "BifurcationDetector", {"min_ngram_size": 1, "max_ngram_size": 3}, [
            np.array(source), np.array([9, 2]), np.array([start]), np.array(predicted)]
    words = np.array([[1, 2, 3, 4, 0], [5, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 6]], np.int32)
    yield "WordConvEmbedding", {}, [words, Constant(floats(4, 1, 2, 3)), Constant(floats(4)),
                                    Constant(floats(7, 3))]
    for function in ("none", "silu"):
        yield "CausalConvWithState", {"activation": function}, [
            floats(2, 3, 6), Constant(floats(3, 1, 4)), Constant(floats(3)), floats(2, 3, 3)]
    for shape in ((5, 7), (8, 3), (1, 4)):
        yield "DynamicTimeWarping", {}, [abs(floats(*shape))]


def other_cases():
    for dtype in (np.float32, np.float64):
        yield "Inverse", {}, [(floats(3, 4, 4) + 4 * np.eye(4)).astype(dtype)]
        for n in (1, 7, 19):  # an order of rows that is not their own
            yield "Inverse", {}, [(floats(2, n, n) / 9 + np.eye(n)[::-1]).astype(dtype)]
        for metric in ("euclidean", "sqeuclidean"):
            yield "CDist", {"metric": metric}, [floats(5, 7).astype(dtype),
                                                floats(4, 7).astype(dtype)]
    for dtype in (np.int32, np.uint32, np.int64, np.float32, np.float64):
        for positive in (0, 1):
            a = {"positive": positive, "seed": 42}
            yield "MurmurHash3", a, [R.randint(0, 1000, 7).astype(dtype)]
    layers = [Constant(floats(*shape)) for shape in ((4, 8, 6), (4, 8), (4, 6, 8), (4, 6))]
    for function in ("relu", "gelu", "silu", "identity"):
        for normalises in (0, 1):
            a = {"activation_type": function, "k": 2, "normalize_routing_weights": normalises}
            yield "MoE", a, [floats(5, 6), floats(5, 4)] + layers
            yield "MoE", a, [floats(61, 6), floats(61, 4)] + layers
    a = {"activation_type": "swiglu", "k": 2, "activation_alpha": 1.702, "activation_beta": 1.0,
         "swiglu_limit": 2.0}
    third = [Constant(floats(4, 8, 6)), Constant(floats(4, 8))]
    yield "MoE", {**a, "swiglu_fusion": 0}, [floats(5, 6), floats(5, 4)] + layers + third
    wide = [Constant(floats(4, 16, 6)), Constant(floats(4, 16))]
    for fusion in (1, 2):
        yield "MoE", {**a, "swiglu_fusion": fusion}, [floats(2, 5, 6), floats(10, 4)] + wide + \
            layers[2:]


def expert_cases():
    for bits, block, has_zeros in ((4, 0, 0), (4, 0, 1), (4, 16, 1), (8, 16, 0), (8, 0, 1),
                                   (2, 0, 0)):
        pack = 8 // bits
        a = {"k": 2, "activation_type": "silu", "expert_weight_bits": bits}
        a.update({"block_size": block} if block else {})
        layers, zeros = [], []
        for _ in range(2):
            blocks = (32 // block,) if block else ()
            layers += [Constant(integers(np.uint8, 3, 32, 32 // pack)),
                       Constant(abs(floats(3, 32, *blocks)) / 20), Constant(floats(3, 32))]
            packed = (32, blocks[0] // pack) if block else (32 // pack,)
            zeros.append(Constant(integers(np.uint8, 3, *packed)))
        extra = [None] * 3 + zeros if has_zeros else []
        yield "QMoE", a, [floats(4, 32), floats(4, 3)] + layers + extra
    # Three blocks and one: their zero points are filled up to whole bytes.
    a = {"k": 2, "activation_type": "relu", "expert_weight_bits": 4, "block_size": 32}
    layers, zeros = [], []
    for rows, columns in ((32, 96), (96, 32)):
        layers += [Constant(integers(np.uint8, 3, rows, columns // 2)),
                   Constant(abs(floats(3, rows, columns // 32)) / 20), Constant(floats(3, rows))]
        zeros.append(Constant(integers(np.uint8, 3, rows, (columns // 32 + 1) // 2)))
    yield "QMoE", a, [floats(4, 96), floats(4, 3)] + layers + [None] * 3 + zeros


def ordered_cases():
    scales = [scalar(0.02), scalar(0.03)]
    for source, target in ((1, 1), (1, 0), (0, 1), (0, 0)):
        a = {"order_input": source, "order_output": target}
        for dtype in (np.float32, np.float16):
            yield "QuantizeWithOrder", a, [floats(2, 3, 5).astype(dtype), scales[0]]
            yield "QuantizeWithOrder", a, [floats(3, 0, 5).astype(dtype), scales[0]]
            to = int(onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(dtype)])
            for shape in ((3, 5), (2, 5, 0)):
                codes = integers(np.int8, *shape)
                yield "DequantizeWithOrder", {**a, "to": to}, [codes, scales[1]]
    x = integers(np.int8, 2, 3, 8)
    for order in (0, 1):
        yield "QOrderedGelu", {"order_X": order, "order_Y": order}, [x] + scales
    a = {"axis": -1, "epsilon": 1e-3, "order_X": 1, "order_Y": 1}
    for bias in (None, Constant(floats(8))):
        yield "QOrderedLayerNormalization", a, [x, scales[0], Constant(floats(8)), bias, scales[1]]
    a = {"order_A": 1, "order_B": 0, "order_Y": 1}
    for scale in (scalar(0.01), Constant(abs(floats(5)) / 50)):
        w = Constant(integers(np.int8, 8, 5))
        yield "QOrderedMatMul", a, [x, scales[0], w, scale, scalar(0.1)]
        yield "QOrderedMatMul", a, [x, scales[0], w, scale, scalar(0.1), None,
                                    integers(np.int8, 1, 3, 5), scales[1]]
    for value in (0, np.inf, -np.inf, np.nan):
        for only in ({}, {"isinf_only": 1}, {"isnan_only": 1}):
            for dtype in (np.float16, np.float32, np.float64):
                y = floats(3, 2).astype(dtype)
                y[1, 1] = value
                yield "IsAllFinite", only, [floats(4).astype(dtype), y]
    for dtype in (np.uint8, np.int8):
        for directions, columns in ((1, (12,)), (2, ()), (2, (12,))):
            middle = int(np.iinfo(dtype).max) // 2 if dtype == np.uint8 else 0
            parts = []
            for rows in (4, 3):
                shape = (directions,) + columns
                parts.append([Constant(integers(dtype, directions, rows, 12)),
                              Constant((abs(R.standard_normal(shape)) / 99).astype("f") + 1e-3),
                              Constant(np.full(shape, middle, dtype))])
            a = {"hidden_size": 3, "direction": ["", "forward", "bidirectional"][directions]}
            yield "DynamicQuantizeLSTM", a, [
                floats(5, 2, 4), parts[0][0], parts[1][0], Constant(floats(directions, 24)), None,
                None, None, None, *parts[0][1:], *parts[1][1:]]


def sparse_cases():
    rows = Constant(np.array([[0, 1, 3, 5, 8], [0, 1, 2, 4, 6]], np.int32))
    columns = Constant(np.array([[0, 0, 1, 0, 2, 1, 2, 3], [0, 1, 1, 2, 0, 3, 0, 0]], np.int32))
    angles = [Constant(floats(20, 3)), Constant(floats(20, 3))]
    for tokens, total, lengths in ((11, 11, [11, 11]), (1, 12, [12, 7]), (3, 9, [9, 6])):
        for joint in (0, 1):
            for rotates in (0, 1):
                a = {"num_heads": 4, "kv_num_heads": 2, "sparse_block_size": 4,
                     "do_rotary": rotates, "rotary_interleaved": joint}
                fed = [floats(2, tokens, 8 * (8 if joint else 4))]
                fed += [None, None] if joint else [floats(2, tokens, 16), floats(2, tokens, 16)]
                yield "SparseAttention", a, fed + [
                    floats(2, 2, 16, 8), floats(2, 2, 16, 8), rows, columns,
                    Constant(np.array([total], np.int32)), np.array(lengths, np.int32)] + (
                        angles if rotates else [])


def masked_cases():
    for shape, a in (((2, 2, 9), {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}),
                     ((2, 2, 6, 7), {"kernel_shape": [2, 3], "pads": [0, 1, 1, 1]}),
                     ((1, 2, 4, 5, 6), {"kernel_shape": [2, 2, 3], "strides": [1, 2, 2]})):
        for planes in ((1, 1), shape[:2]):
            mask = (R.rand(*planes, *shape[2:]) < 0.8).astype(np.int32)
            yield "MaxpoolWithMask", a, [floats(*shape), mask]


def type_of(array):
    return onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype]


def make_model(op, a, inputs, outputs, opset):
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    node = helper.make_node(op, names, [f"y{i}" for i in range(len(outputs))],
                            domain="com.microsoft", **a)
    fed = {n: x for n, x in zip(names, inputs) if isinstance(x, np.ndarray)}
    constants = [numpy_helper.from_array(x.array, n) for n, x in zip(names, inputs)
                 if isinstance(x, Constant)]
    graph = helper.make_graph(
        [node], op, [helper.make_tensor_value_info(n, type_of(x), x.shape) for n, x in fed.items()],
        [helper.make_tensor_value_info(f"y{i}", type_of(y), None) for i, y in enumerate(outputs)],
        constants)
    return helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]), fed


def run(ortc, model, fed, count, folder, extra):
    arguments = [ortc, "run", model, "--output-dir", folder] + extra
    for name in fed:
        arguments += ["--input", f"{name}={folder}/{name}.npy"]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr}")
    return [np.load(f"{folder}/y{i}.npy") for i in range(count)]


def difference(op, found, expected):
    for y, want in zip(found, expected):
        if y.dtype != want.dtype or y.shape != want.shape:
            return f"{y.dtype}{y.shape}, expected {want.dtype}{want.shape}"
        bound = 2e-3 if want.dtype == np.float16 else 2e-4 if want.dtype.kind == "f" else 0
        bound = 1.01 if op.startswith(("QLinear", "QOrdered")) else bound  # a half may be rounded either way
        if not np.allclose(y.astype(np.float64), want.astype(np.float64), rtol=bound, atol=bound):
            return f"{y.ravel()[:4]}.., expected {want.ravel()[:4]}.."
    return ""


def check(ortc, folder, opset, op, a, inputs):
    arrays = [x.array if isinstance(x, Constant) else x for x in inputs]
    expected = [np.asarray(y) for y in OPERATORS[op](a, *arrays)]
    model, fed = make_model(op, a, inputs, expected, opset)
    path, context = f"{folder}/m.onnx", f"{folder}/m_ctx.onnx"
    onnx.save(model, path)
    for name, x in fed.items():
        np.save(f"{folder}/{name}.npy", x)
    is_theirs = arrays[0].dtype != np.float64  # for which AttnLSTM is not theirs
    if LIBRARY is not None and op in COMPARED and is_theirs:
        theirs = LIBRARY.run(path, fed, [f"y{i}" for i in range(len(expected))])
        if any(not np.allclose(y, want, rtol=0, atol=COMPARED[op])
               for y, want in zip(theirs, expected)):
            return "ONNX Runtime has other numbers"
    if SANITIZED:
        return difference(op, run(ortc, path, fed, len(expected), folder, ["--ep", "AOT"]), expected)
    if os.path.exists(context):
        os.remove(context)
    done = subprocess.run([ortc, "compile", path, "-o", context, "--embed"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return f"compile: {done.stderr}"
    for model, extra in ((path, ["--ep", "CPU"]), (context, [])):
        what = difference(op, run(ortc, model, fed, len(expected), folder, extra), expected)
        if what:
            return f"{os.path.basename(model)}: {what}"
    return ""


def check_refusal(ortc, folder, op, a, inputs, text):
    model, fed = make_model(op, a, inputs, [inputs[0]] * 3, 21)
    onnx.save(model, f"{folder}/m.onnx")
    for name, x in fed.items():
        np.save(f"{folder}/{name}.npy", x)
    try:
        run(ortc, f"{folder}/m.onnx", fed, 3, folder, [])
    except RuntimeError as error:
        return "" if text in str(error) else f"{error}, expected: {text}"
    return f"ran, expected: {text}"


def main():
    ortc = os.path.abspath(sys.argv[1])
    if LIBRARY is None:
        print(f"SKIPPED: ORTC_ORT_LIBRARY is not set, {', '.join(COMPARED)} were not compared with "
              "ONNX Runtime", file=sys.stderr)
    count, failures, seen = 0, 0, set()
    with tempfile.TemporaryDirectory() as folder:
        for cases in (plain_cases, gate_cases, image_cases, quantised_cases, token_cases,
                      attention_cases, other_cases, expert_cases, ordered_cases,
                      sparse_cases, masked_cases, few_bits_cases, recurrent_cases):
            for op, a, inputs in cases():
                count += 1
                seen.add(op)
                opset = 17 if op == "Rfft" and count % 2 else 21
                try:
                    what = check(ortc, folder, opset, op, a, inputs)
                except RuntimeError as error:
                    what = str(error)
                if what:
                    failures += 1
                    print(f"FAIL {op} {a}: {what}", flush=True)
        for case, text in refused_cases():
            what = check_refusal(ortc, folder, *case, text)
            if what:
                failures += 1
                print(f"FAIL {case[0]}: {what}", flush=True)
    for op in sorted(set(OPERATORS) - seen):
        failures += 1
        print(f"FAIL {op}: no case")
    print(f"{count} models of {len(seen)} operators, {failures} failures")
    if SANITIZED:
        print("left out under sanitizers: the provider that compiles nothing, and files of contexts")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
