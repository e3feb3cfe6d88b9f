# SPDX-License-Identifier: MIT
"""ai.onnx.ml and CDist: what scikit-learn's models become, on tables of thousands of rows."""

import random

from .case import Case, Node, fed, weight

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


def _regressed(s):
    return Node([fed(s(3000), 50)], {"coefficients": _numbers(50, 4), "intercepts": [0.3],
                                     "targets": 1})


def _labels(rows, keys):
    return lambda s: Node([fed(s(rows), type="i64", low=0, high=keys + 100)], {
        "keys_int64s": list(range(keys)), "values_floats": [float(i) for i in range(keys)],
        "default_float": -1.0})


def _distances(metric, type="f32"):
    return lambda s: Node([fed(s(300), 20, type=type), weight(s(500), 20, type=type)],
                          {"metric": metric})


def cases():
    for kernel in ("POLY", "LINEAR", "RBF"):
        yield Case(f"SVMRegressor.{kernel.lower()}", _support_vectors(kernel, 300, 400, 20), **ML)
    yield Case("LinearClassifier.ten", _classified(2000, 50, 10, "SOFTMAX"), **ML)
    yield Case("LinearRegressor.one", _regressed, **ML)
    yield Case("LabelEncoder.i64", _labels(20000, 400), **ML)
    yield Case("OneHotEncoder.i64", lambda s: Node(
        [fed(s(2000), 8, type="i64", low=0, high=20)],
        {"cats_int64s": list(range(20)), "zeros": 1}), **ML)
    yield Case("Scaler.rows", lambda s: Node([fed(s(3000), 30)], {
        "offset": [0.1] * 30, "scale": [1.1] * 30}), **ML)
    yield Case("Normalizer.max", lambda s: Node([fed(s(3000), 30)], {"norm": "MAX"}), **ML)
    yield Case("Normalizer.l2", lambda s: Node([fed(s(3000), 30)], {"norm": "L2"}), **ML)
    yield Case("Imputer.nan", lambda s: Node([fed(s(3000), 30)], {
        "imputed_value_floats": [0.1] * 30, "replaced_value_float": float("nan")}), **ML)
    yield Case("FeatureVectorizer.two", lambda s: Node(
        [fed(n := s(3000), 3), fed(n, 4)], {"inputdimensions": [3, 4]}), **ML)
    for name, type in (("sqeuclidean", "f32"), ("euclidean", "f64")):
        yield Case(f"CDist.{name}.{type}", _distances(name, type), domain="com.microsoft")
