# SPDX-License-Identifier: MIT
"""ai.onnx.ml and CDist: what scikit-learn's models become, on tables of thousands of rows."""

import random

from onnx import helper

from .case import Case, Chain, Node, fed, numbers, weight

ML = {"domain": "ai.onnx.ml"}


def _numbers(count, seed):
    chance = random.Random(seed)
    return [chance.gauss(0, 1) for _ in range(count)]


def _support_vectors(kernel, rows, vectors, columns):
    return lambda s: Node([fed(s(rows), columns)], {
        "coefficients": _numbers(vectors, 1), "kernel_type": kernel, "n_supports": vectors,
        "kernel_params": [0.05, 0.1, 3.0], "rho": [0.1],
        "support_vectors": _numbers(vectors * columns, 2)})


def _classified(rows, columns, classes, transform):
    return lambda s: Node([fed(s(rows), columns)], {
        "coefficients": _numbers(classes * columns, 3), "intercepts": [0.1] * classes,
        "classlabels_ints": list(range(classes)), "post_transform": transform}, 2)


def _votes(kernel, rows, classes):
    pairs = classes * (classes - 1) // 2
    return lambda s: Node([fed(s(rows), 20)], {
        "coefficients": _numbers(100 * classes * (classes - 1), 1), "kernel_type": kernel,
        "vectors_per_class": [100] * classes, "kernel_params": [0.05, 0.1, 3.0],
        "rho": _numbers(pairs, 5), "support_vectors": _numbers(100 * classes * 20, 2),
        "classlabels_ints": list(range(classes))}, 2)


def _regressed(rows, targets):
    return lambda s: Node([fed(s(rows), 50)], {
        "coefficients": _numbers(50 * targets, 4), "intercepts": [0.3] * targets,
        "targets": targets})


def _tree(rows, depth):
    """One full tree, whose nodes are numbered from the root down."""
    chance, inner = random.Random(6), 2**depth - 1
    nodes, leaves = range(2 * inner + 1), range(inner, 2 * inner + 1)
    return lambda s: Node([fed(s(rows), 20)], {
        "nodes_treeids": [0] * len(nodes), "nodes_nodeids": list(nodes),
        "nodes_featureids": [chance.randrange(20) for _ in nodes],
        "nodes_values": [chance.uniform(-1.5, 1.5) for _ in nodes],
        "nodes_modes": ["BRANCH_LEQ" if i < inner else "LEAF" for i in nodes],
        "nodes_truenodeids": [2 * i + 1 if i < inner else 0 for i in nodes],
        "nodes_falsenodeids": [2 * i + 2 if i < inner else 0 for i in nodes],
        "target_treeids": [0] * len(leaves), "target_nodeids": list(leaves),
        "target_ids": [0] * len(leaves), "target_weights": _numbers(len(leaves), 7),
        "n_targets": 1})


def _labels(rows, keys):
    return lambda s: Node([fed(s(rows), type="i64", low=0, high=keys + 100)], {
        "keys_int64s": list(range(keys)), "values_floats": [float(i) for i in range(keys)],
        "default_float": -1.0})


def _counted(rows):
    """Single tokens of a vocabulary, and pairs of them that follow each other."""
    chance = random.Random(8)
    pairs = sorted({(chance.randrange(500), chance.randrange(500)) for _ in range(500)})
    return lambda s: Node(
        [fed(s(rows) if rows > 1 else 1, 60, type="i64", low=0, high=700)],
        {"mode": "TF", "max_gram_length": 2, "min_gram_length": 1, "max_skip_count": 0,
         "ngram_counts": [0, 500], "ngram_indexes": list(range(500 + len(pairs))),
         "pool_int64s": [*range(500), *(token for pair in pairs for token in pair)]})


def _texts_and_back(s):
    texts, keys = [f"key{i}" for i in range(300)], list(range(300))
    nodes = [helper.make_node("LabelEncoder", ["x"], ["t"], domain="ai.onnx.ml",
                              keys_int64s=keys, values_strings=texts),
             helper.make_node("LabelEncoder", ["t"], ["y"], domain="ai.onnx.ml",
                              keys_strings=texts, values_int64s=keys)]
    return Chain({"x": fed(s(5000), type="i64", low=0, high=300)}, nodes)


def _distances(metric, type="f32"):
    return lambda s: Node([fed(s(300), 20, type=type), weight(s(500), 20, type=type)],
                          {"metric": metric})


def cases():
    for kernel in ("POLY", "LINEAR", "RBF"):
        yield Case(f"SVMRegressor.{kernel.lower()}", _support_vectors(kernel, 300, 400, 20), **ML)
    yield Case("LinearClassifier.ten", _classified(2000, 50, 10, "SOFTMAX"), **ML)
    for kernel in ("POLY", "LINEAR", "RBF"):
        yield Case(f"SVMRegressor.{kernel.lower()}.row", _support_vectors(kernel, 1, 400, 20),
                   size_is_free=False, **ML)
    for kernel in ("LINEAR", "RBF"):
        yield Case(f"SVMClassifier.{kernel.lower()}", _votes(kernel, 300, 3), **ML)
    for name, classes in (("two", 2), ("three", 3)):
        yield Case(f"LinearClassifier.{name}", _classified(2000, 50, classes, "LOGISTIC"), **ML)
    yield Case("LinearClassifier.hundred", _classified(500, 50, 100, "NONE"), **ML)
    yield Case("LinearRegressor.one", _regressed(3000, 1), **ML)
    yield Case("LinearRegressor.ten", _regressed(2000, 10), **ML)
    yield Case("TreeEnsembleRegressor.one", _tree(1000, 8), **ML)
    yield Case("LabelEncoder.i64", _labels(20000, 400), **ML)
    for name, rows in (("rows", 200), ("row", 1)):
        yield Case(f"TfIdfVectorizer.{name}", _counted(rows))
    yield Case("LabelEncoder.texts", _texts_and_back, **ML)
    yield Case("OneHotEncoder.i64", lambda s: Node(
        [fed(s(2000), 8, type="i64", low=0, high=20)],
        {"cats_int64s": list(range(20)), "zeros": 1}), **ML)
    yield Case("Scaler.rows", lambda s: Node([fed(s(3000), 30)], {
        "offset": [0.1] * 30, "scale": [1.1] * 30}), **ML)
    yield Case("Normalizer.max", lambda s: Node([fed(s(3000), 30)], {"norm": "MAX"}), **ML)
    yield Case("Normalizer.l2", lambda s: Node([fed(s(3000), 30)], {"norm": "L2"}), **ML)
    yield Case("Normalizer.l1", lambda s: Node([fed(s(3000), 30)], {"norm": "L1"}), **ML)
    yield Case("ArrayFeatureExtractor.columns", lambda s: Node(
        [fed(s(3000), 30), numbers([[3, 7, 11]])]), **ML)
    yield Case("Scaler.one", lambda s: Node([fed(s(3000), 30)], {
        "offset": [0.1], "scale": [1.1]}), **ML)
    yield Case("Binarizer.rows", lambda s: Node([fed(s(3000), 30)], {"threshold": 0.1}), **ML)
    yield Case("Normalizer.l1.of4", lambda s: Node([fed(s(3000), 4)], {"norm": "L1"}), **ML)
    yield Case("Imputer.of4", lambda s: Node([fed(s(3000), 4)], {
        "imputed_value_floats": [0.1] * 4, "replaced_value_float": float("nan")}), **ML)
    yield Case("Imputer.nan", lambda s: Node([fed(s(3000), 30)], {
        "imputed_value_floats": [0.1] * 30, "replaced_value_float": float("nan")}), **ML)
    yield Case("FeatureVectorizer.two", lambda s: Node(
        [fed(n := s(3000), 3), fed(n, 4)], {"inputdimensions": [3, 4]}), **ML)
    for name, type in (("sqeuclidean", "f32"), ("euclidean", "f64")):
        yield Case(f"CDist.{name}.{type}", _distances(name, type), domain="com.microsoft")
