#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Operators of ai.onnx.ml against numpy: trees, support vectors, linear models, features.

  ml_models.py ORTC

Makes models of one node with random attributes, evaluates them with ops_ml.py, and runs them with
the ortc tool: from source with one and two threads, and compiled; under sanitizers (ORTC_SANITIZED)
with two threads only. All must give the same bits, and agree with numpy. Labels must be equal.
Exits 77 where python3-onnx is missing.
"""

import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper
except ImportError as missing:
    print(f"NOTHING RAN: {missing}; install python3-numpy and python3-onnx", file=sys.stderr)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support/numpy"))

from ops_ml import OPERATORS

SANITIZED = bool(os.environ.get("ORTC_SANITIZED"))  # a process takes fifty times as long to start
POSTS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
TYPES = {np.dtype(t): p for t, p in [
    (np.float32, TensorProto.FLOAT), (np.float64, TensorProto.DOUBLE),
    (np.float16, TensorProto.FLOAT16), (np.int32, TensorProto.INT32),
    (np.int64, TensorProto.INT64), (np.uint8, TensorProto.UINT8)]}


def f32(values):
    """As a float attribute stores them."""
    return [float(np.float32(v)) for v in values]


class Random:
    def __init__(self, seed):
        self.r = np.random.RandomState(seed)

    def floats(self, n, low=-1.0, high=1.0):
        return f32(self.r.uniform(low, high, n))

    def features(self, rows, width, dtype, nans):
        """Small numbers that often hit thresholds exactly."""
        x = self.r.randint(-4, 5, (rows, width)).astype(np.float64)
        if np.dtype(dtype).kind == "f":
            x = x / 2
            if nans:
                x[self.r.rand(rows, width) < 0.1] = np.nan
        return x.astype(dtype)

    def tree(self, depth, width, modes, add_node):
        """A random tree in preorder; gives the number of its root."""
        number = add_node()
        if depth == 0 or self.r.rand() < 0.15:
            return number, None
        node = {"mode": modes[self.r.randint(len(modes))], "feature": self.r.randint(width),
                "value": self.r.randint(-4, 5) / 2, "track": int(self.r.rand() < 0.5)}
        node["true"] = self.tree(depth - 1, width, modes, add_node)
        node["false"] = self.tree(depth - 1, width, modes, add_node)
        return number, node

    def trees(self, kind, count, depth, width, targets, modes, weights=(-1.0, 1.0)):
        """Attributes of an ensemble whose leaves vote for some of the targets."""
        a = {f"nodes_{name}": [] for name in (
            "treeids nodeids featureids modes values truenodeids falsenodeids "
            "missing_value_tracks_true").split()}
        a.update({f"{kind}_{name}": [] for name in "treeids nodeids ids weights".split()})

        def emit(tree_id, number, node):
            a["nodes_treeids"].append(tree_id)
            a["nodes_nodeids"].append(number)
            inner = node or {"mode": "LEAF", "feature": 0, "value": 0.0, "track": 0}
            a["nodes_modes"].append(inner["mode"])
            a["nodes_featureids"].append(int(inner["feature"]))
            a["nodes_values"].append(float(inner["value"]))
            a["nodes_missing_value_tracks_true"].append(inner["track"])
            a["nodes_truenodeids"].append(node["true"][0] if node else 0)
            a["nodes_falsenodeids"].append(node["false"][0] if node else 0)
            if node:
                emit(tree_id, *node["true"])
                emit(tree_id, *node["false"])
                return
            for target in targets:
                if self.r.rand() < 0.7 or len(targets) == 1:
                    a[f"{kind}_treeids"].append(tree_id)
                    a[f"{kind}_nodeids"].append(number)
                    a[f"{kind}_ids"].append(target)
                    a[f"{kind}_weights"].append(self.floats(1, *weights)[0])

        for tree_id in range(count):
            numbers = iter(range(10 ** 6))
            emit(tree_id, *self.tree(depth, width, modes, lambda: next(numbers)))
        return a


def tree_cases(random):
    shapes = [(1, 1), (7, 3), (70, 4)]
    for i, post in enumerate(POSTS):
        for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
            rows, width = shapes[i % 3]
            targets = 1 + i % 3
            dtype = [np.float32, np.float64, np.int64, np.int32][i % 4]
            modes = MODES[:1] if i % 2 else MODES
            a = random.trees("target", 1 + 9 * (i % 3), 4, width, range(targets), modes, (0.01, 0.2))
            a.update(n_targets=targets, post_transform=post, aggregate_function=aggregate)
            if i % 2:
                a["base_values"] = random.floats(targets, 0.1, 0.3)
            yield "TreeEnsembleRegressor", 3, a, [random.features(rows, width, dtype, True)]
    for mode in MODES:
        a = random.trees("target", 12, 5, 3, range(1), [mode])
        a["n_targets"] = 1
        yield "TreeEnsembleRegressor", 1, a, [random.features(33, 3, np.float32, True)]
    a = random.trees("target", 3, 5, 2, range(2), MODES)
    a["n_targets"] = 2
    for name in ("nodes_values", "target_weights"):
        a[name + "_as_tensor"] = np.array(a.pop(name)) + 0.1
    yield "TreeEnsembleRegressor", 3, a, [random.features(20, 2, np.float64, True)]
    for i, post in enumerate(POSTS):
        for classes, weights in ((3, (0.01, 0.2)), (2, (0.01, 0.1)), (2, (-1.0, 1.0)), (5, (-1, 1))):
            is_single = classes == 2
            if post == "PROBIT" and weights[0] < 0:
                continue
            targets = [i % 2] if is_single else range(classes)
            a = random.trees("class", 6, 4, 3, targets, MODES, weights)
            a.update(post_transform=post, classlabels_int64s=list(range(10, 10 + classes)))
            if i % 2:
                a["base_values"] = random.floats(1 if is_single else classes, 0.01, 0.1)
            yield "TreeEnsembleClassifier", 3, a, [random.features(41, 3, np.float32, True)]
    a = random.trees("class", 4, 3, 3, range(2), MODES[:1], (0, 1))
    a["classlabels_int64s"] = [0, 1]
    yield "TreeEnsembleClassifier", 1, a, [random.features(9, 3, np.float32, False)]


def ensemble_5(random, dtype, targets, count, post, aggregate):
    a = {f"nodes_{name}": [] for name in (
        "modes featureids splits truenodeids trueleafs falsenodeids falseleafs "
        "missing_value_tracks_true").split()}
    a.update(leaf_targetids=[], leaf_weights=[], tree_roots=[], membership_values=[],
             n_targets=targets, post_transform=post, aggregate_function=aggregate)

    def leaf():
        a["leaf_targetids"].append(int(random.r.randint(targets)))
        a["leaf_weights"].append(random.r.randint(1, 9) / 64)
        return len(a["leaf_weights"]) - 1

    def inner(depth):
        i = len(a["nodes_modes"])
        a["nodes_modes"].append(int(random.r.randint(7)))
        a["nodes_featureids"].append(int(random.r.randint(3)))
        a["nodes_splits"].append(random.r.randint(-4, 5) / 2)
        a["nodes_missing_value_tracks_true"].append(int(random.r.rand() < 0.5))
        for side in ("true", "false"):
            a[f"nodes_{side}leafs"].append(0)
            a[f"nodes_{side}nodeids"].append(0)
        for side in ("true", "false"):
            is_leaf = depth == 0 or random.r.rand() < 0.2
            a[f"nodes_{side}leafs"][i] = int(is_leaf)
            a[f"nodes_{side}nodeids"][i] = leaf() if is_leaf else inner(depth - 1)
        return i

    for _ in range(count):
        a["tree_roots"].append(inner(4))
    for mode in a["nodes_modes"]:
        if mode == 6:
            a["membership_values"] += list(random.r.randint(-4, 5, 3) / 2) + [np.nan]
    for name in ("nodes_splits", "leaf_weights", "membership_values"):
        a[name] = np.array(a[name], dtype)
    a["nodes_modes"] = np.array(a["nodes_modes"], np.uint8)
    return "TreeEnsemble", 5, a, [random.features(50, 3, dtype, True)]


def model_cases(random):
    for i, (dtype, targets) in enumerate([(np.float32, 1), (np.float64, 3), (np.float16, 2)]):
        for aggregate in range(4):
            yield ensemble_5(random, dtype, targets, 1 + 8 * i, i, aggregate)
    for i, name in enumerate(["LINEAR", "POLY", "RBF", "SIGMOID"]):
        params = [0.3, 0.5, 2.0 + i]
        dtype = [np.float32, np.float64, np.int64, np.int32][i]
        a = {"kernel_type": name, "kernel_params": f32(params), "n_supports": 5,
             "support_vectors": random.floats(15), "coefficients": random.floats(5),
             "rho": random.floats(1), "one_class": i % 2}
        yield "SVMRegressor", 1, a, [random.features(17, 3, dtype, False)]
        for classes in (2, 3, 4):
            per_class = [2 + k for k in range(classes)]
            pairs = classes * (classes - 1) // 2
            a = {"kernel_type": name, "kernel_params": f32(params),
                 "classlabels_ints": list(range(5, 5 + classes)), "vectors_per_class": per_class,
                 "support_vectors": random.floats(3 * sum(per_class)),
                 "coefficients": random.floats((classes - 1) * sum(per_class)),
                 "rho": random.floats(pairs), "post_transform": POSTS[i % 4]}
            yield "SVMClassifier", 1, dict(a), [random.features(17, 3, dtype, False)]
            a.update(prob_a=random.floats(pairs, -2, -1), prob_b=random.floats(pairs),
                     post_transform="NONE")
            yield "SVMClassifier", 1, a, [random.features(17, 3, dtype, False)]
    a = {"coefficients": random.floats(3), "rho": random.floats(1)}
    yield "SVMRegressor", 1, a, [random.features(4, 3, np.float32, False)]
    a = {"coefficients": random.floats(9), "rho": random.floats(1), "classlabels_ints": [4, 2, 7]}
    yield "SVMClassifier", 1, a, [random.features(4, 3, np.float32, False)]
    for i, post in enumerate(POSTS):
        dtype = [np.float32, np.float64, np.int64, np.int32][i % 4]
        targets = 1 + i % 3
        a = {"coefficients": random.floats(4 * targets, 0.01, 0.02), "targets": targets,
             "intercepts": f32([0.5] * targets), "post_transform": post}
        yield "LinearRegressor", 1, a, [random.features(9, 4, dtype, False)]
        for classes, rows in ((2, 1), (2, 2), (3, 3)):
            if post == "PROBIT" and rows == 1:
                continue
            a = {"coefficients": random.floats(4 * rows, 0.01, 0.02), "post_transform": post,
                 "intercepts": f32([0.5] * rows), "classlabels_ints": list(range(3, 3 + classes))}
            yield "LinearClassifier", 1, a, [random.features(9, 4, dtype, False)]


def feature_cases(random):
    for dtype in (np.float32, np.float64, np.int64, np.int32):
        x = random.features(9, 4, dtype, False)
        x[3] = 0
        for count in (1, 4):
            a = {"offset": random.floats(count), "scale": random.floats(count)}
            yield "Scaler", 1, a, [x]
        for norm in ("MAX", "L1", "L2"):
            yield "Normalizer", 1, {"norm": norm}, [x]
        yield "Binarizer", 1, {"threshold": 0.5}, [x]
        a = {"imputed_value_floats": [7.5], "replaced_value_float": 1.0}
        if np.dtype(dtype).kind == "i":
            a = {"imputed_value_int64s": [1, 2, 3, 4], "replaced_value_int64": 2}
        yield "Imputer", 1, a, [x]
        yield "OneHotEncoder", 1, {"cats_int64s": [3, -1, 0, 100, 2]}, [x]
        indices = np.array([[2, 0, 0]], np.int64)
        yield "ArrayFeatureExtractor", 1, {}, [x, indices]
        yield "ArrayFeatureExtractor", 1, {}, [x[0], indices]
        a = {"inputdimensions": [2, 6, 4]}
        yield "FeatureVectorizer", 1, a, [x, x + 1, x - 1]
    x = random.features(9, 4, np.float32, True)
    a = {"imputed_value_floats": f32([1, 2, 3, 4]), "replaced_value_float": float("nan")}
    yield "Imputer", 1, a, [x]
    a = {"keys_int64s": [1, 2, 1], "values_floats": [5.0, 6.0, 7.0], "default_float": 0.5}
    yield "LabelEncoder", 4, a, [random.features(5, 5, np.int64, False)]


def attribute(value):
    if isinstance(value, np.ndarray):
        return helper.make_tensor("t", TYPES[value.dtype], value.shape, value.ravel())
    return value


def make_model(op, opset, a, inputs, outputs):
    names = [f"x{i}" for i in range(len(inputs))]
    results = [f"y{i}" for i in range(len(outputs))]
    a = {k: v for k, v in a.items() if not isinstance(v, list) or v}
    node = helper.make_node(op, names, results, domain="ai.onnx.ml",
                            **{k: attribute(v) for k, v in a.items()})
    graph = helper.make_graph(
        [node], op,
        [helper.make_tensor_value_info(n, TYPES[x.dtype], x.shape) for n, x in zip(names, inputs)],
        [helper.make_tensor_value_info(n, TYPES[y.dtype], y.shape)
         for n, y in zip(results, outputs)])
    return helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", opset)])


def run(ortc, model, inputs, count, folder, threads, providers):
    arguments = [ortc, "run", model, "--output-dir", folder, "--threads", str(threads)]
    for provider in providers:
        arguments += ["--ep", provider]
    for i in range(inputs):
        arguments += ["--input", f"x{i}={folder}/x{i}.npy"]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr}")
    return [np.load(f"{folder}/y{i}.npy") for i in range(count)]


def difference(found, expected, a):
    for y, want in zip(found, expected):
        if y.dtype != want.dtype or y.shape != want.shape:
            return f"{y.dtype}{y.shape}, expected {want.dtype}{want.shape}"
        if want.dtype.kind == "i":
            if (y != want).any():
                return f"{int((y != want).sum())} labels differ"
            continue
        # The iteration that couples probabilities of pairs ends early by definition.
        tolerance = {"rtol": 2e-3 if want.dtype == np.float16 else 1e-5,
                     "atol": 1e-2 if a.get("prob_a") else 1e-6}
        if not np.allclose(y.astype(np.float64), want.astype(np.float64), equal_nan=True,
                           **tolerance):
            return f"differ by {np.nanmax(np.abs(y - want))}"
    return ""


def check(ortc, folder, op, opset, a, inputs):
    with np.errstate(all="ignore"):
        expected = OPERATORS[op](a, *inputs)
    onnx.save(make_model(op, opset, a, inputs, expected), f"{folder}/m.onnx")
    for i, x in enumerate(inputs):
        np.save(f"{folder}/x{i}.npy", x)
    threads = 2 if SANITIZED else 1
    first = run(ortc, f"{folder}/m.onnx", len(inputs), len(expected), folder, threads, ["CPU"])
    what = difference(first, expected, a)
    if SANITIZED:
        return what
    context = f"{folder}/m_ctx.onnx"
    if os.path.exists(context):
        os.remove(context)
    done = subprocess.run([ortc, "compile", f"{folder}/m.onnx", "-o", context, "--embed"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return f"compile: {done.stderr}"
    for model, providers in ((f"{folder}/m.onnx", ["CPU"]), (context, ["AOT", "CPU"])):
        other = run(ortc, model, len(inputs), len(expected), folder, 2, providers)
        if any(x.tobytes() != y.tobytes() for x, y in zip(first, other)):
            what = what or f"{os.path.basename(model)} gives other bits"
    return what


def main():
    ortc = os.path.abspath(sys.argv[1])
    count, failures = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for cases in (tree_cases, model_cases, feature_cases):
            for case in cases(Random(11)):
                count += 1
                try:
                    what = check(ortc, folder, *case)
                except RuntimeError as error:
                    what = str(error)
                if what:
                    failures += 1
                    brief = {k: v for k, v in case[2].items() if not hasattr(v, "__len__") or
                             isinstance(v, str)}
                    print(f"FAIL {case[0]} {brief} on {case[3][0].dtype}: {what}", flush=True)
    print(f"{count} models, {failures} failures")
    if SANITIZED:
        print("left out under sanitizers: one thread, and compiled models")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
