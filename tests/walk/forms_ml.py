# SPDX-License-Identifier: MIT
"""Forms of ai.onnx.ml. Numbers of larger models are compared by tests/conformance/ml_models.py."""

import numpy as np

import elements
import wire
from forms import any_, form, i, nonzero, word

ML = "ai.onnx.ml"
_X = any_(2, 3)

form("ArrayFeatureExtractor", _X, i(2, 0), domain=ML, expected=lambda n, x, at: x[:, [2, 0]])
form("Binarizer", _X, threshold=1.0, domain=ML,
     expected=lambda n, x: (x.astype(np.float64) > 1) * 1.0)
form("FeatureVectorizer", _X, any_(2, 2, start=1), inputdimensions=[3, 2], domain=ML,
     expected=lambda n, a, b: np.concatenate([a, b], 1).astype(np.float64))
form("Imputer", _X, domain=ML, imputed_value_floats=[7.0], replaced_value_float=2.0,
     where=lambda t: "int" not in t["T"], expected=lambda n, x: np.where(x == 2, 7, x))
form("Imputer", _X, domain=ML, imputed_value_int64s=[7], replaced_value_int64=2,
     where=lambda t: "int" in t["T"], expected=lambda n, x: np.where(x == 2, 7, x))
form("Normalizer", nonzero(2, 3), domain=ML, norm="L1",
     expected=lambda n, x: x / np.abs(x.astype(float)).sum(1, keepdims=True))
form("Scaler", _X, domain=ML, offset=[1.0, 0.5, 0.0], scale=[2.0, 1.0, 0.5],
     expected=lambda n, x: (x - np.asarray([1, 0.5, 0])) * [2, 1, 0.5])
form("OneHotEncoder", i(1, 2, 3), domain=ML, cats_int64s=[1, 3], where=lambda t:
     "string" not in t["T"], expected=lambda n, x: np.asarray([[1.0, 0], [0, 0], [0, 1]]))
form("OneHotEncoder", i(1, 2, 3), domain=ML, cats_strings=["1", "3"], where=lambda t:
     "string" in t["T"], expected=lambda n, x: np.asarray([[1.0, 0], [0, 0], [0, 1]]))
form("LinearRegressor", _X, domain=ML, coefficients=[1.0, 2.0, 0.5], intercepts=[1.0],
     expected=lambda n, x: (x @ np.asarray([1, 2, 0.5]) + 1)[:, None])
form("SVMRegressor", _X, domain=ML, kernel_type="LINEAR", coefficients=[1.0, 2.0, 0.5],
     rho=[1.0], expected=lambda n, x: (x @ np.asarray([1, 2, 0.5]) + 1)[:, None])


def _labels(n, at):
    return np.asarray(["a", "b", "c"], object)[at] if n.out_words[0] == "string" else at


def _named(t, integers="classlabels_ints"):
    return ({"classlabels_strings": ["a", "b", "c"]} if word(t["T2"]) == "string" else
            {integers: [0, 1, 2]})


def _linear(n, x):
    scores = x @ np.asarray([[1.0, 0, 2], [0, 1, 0], [0.5, 0, 1]]).T + [0, 0.25, 0.5]
    return [_labels(n, scores.argmax(1)), scores]


form("LinearClassifier", _X, domain=ML, outputs=2, extra=("T2",), expected=_linear, attrs=lambda t: {
    "coefficients": [1.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0],
    "intercepts": [0.0, 0.25, 0.5],
    **_named(t)})


def _svm(n, x):
    scores = x @ np.asarray([[1.0, 0, 2], [0, 1, 0], [0.5, 0, 1]]).T + 0.25
    return [_labels(n, scores.argmax(1)), scores]


form("SVMClassifier", _X, domain=ML, outputs=2, extra=("T2",), expected=_svm, attrs=lambda t: {
    "coefficients": [1.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0], "rho": [0.25],
    "kernel_type": "LINEAR", **_named(t)}, where=lambda t: True)

_TREE = {"nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [1, 0, 0],
         "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_truenodeids": [1, 0, 0],
         "nodes_falsenodeids": [2, 0, 0]}


def _tree_values(double):
    values = i(1.5, 0, 0)
    return ({"nodes_values_as_tensor": wire.Tensor("double", (3,), values.tobytes())} if double else
            {"nodes_values": [1.5, 0.0, 0.0]})


def _targets(double, kind):
    weights = i(2, 0.5)
    return {f"{kind}_treeids": [0, 0], f"{kind}_nodeids": [1, 2], f"{kind}_ids": [0, 1],
            **({f"{kind}_weights_as_tensor": wire.Tensor("double", (2,), weights.tobytes())}
               if double else {f"{kind}_weights": [2.0, 0.5]})}


def _tree(n, x):
    return np.where((x[:, 1] <= 1.5)[:, None], [2.0, 0], [0, 0.5])


for _double, _since in ((False, 1), (True, 3)):
    form("TreeEnsembleRegressor", _X, domain=ML, since=_since, until=99, n_targets=2,
         **_TREE, **_tree_values(_double), **_targets(_double, "target"), expected=_tree,
         where=lambda t, d=_double: not d or "double" in t["T"])
    form("TreeEnsembleClassifier", _X, domain=ML, since=_since, outputs=2, extra=("T2",),
         attrs=lambda t, d=_double: {**_TREE, **_tree_values(d), **_targets(d, "class"), "class_ids": [0, 2],
                               **_named(t, "classlabels_int64s")},
         where=lambda t, d=_double: not d or "double" in t["T1"],
         expected=lambda n, x: [_labels(n, np.where(x[:, 1] <= 1.5, 0, 2)), np.where(
             (x[:, 1] <= 1.5)[:, None], [2.0, 0, 0], [0, 0, 0.5])])


def _plain(name, values):
    array = elements.wide(name, values)
    return wire.Tensor(name, array.shape, elements.bits_of(name, array).tobytes())


form("TreeEnsemble", _X, domain=ML, expected=_tree, attrs=lambda t: {
    "tree_roots": [0], "n_targets": 2, "nodes_featureids": [1],
    "nodes_splits": _plain(word(t["T"]), i(1.5)), "nodes_modes": wire.Tensor("uint8", (1,), b"\0"),
    "nodes_truenodeids": [0], "nodes_trueleafs": [1], "nodes_falsenodeids": [1],
    "nodes_falseleafs": [1], "leaf_targetids": [0, 1],
    "leaf_weights": _plain(word(t["T"]), i(2, 0.5))})

# Labels.
form("CategoryMapper", i(1, 2, 9), domain=ML, cats_int64s=[1, 2], cats_strings=["a", "2"],
     default_int64=-1, default_string="?", where=lambda t: (
         word(t["T1"]) == "int64" and word(t["T2"]) == "string"), extra=("T2",),
     expected=lambda n, x: np.asarray(["a", "2", "?"], object))
form("CategoryMapper", i(1, 2, 9), domain=ML, cats_int64s=[1, 2], cats_strings=["1", "b"],
     default_int64=-1, default_string="?", where=lambda t: (
         word(t["T1"]) == "string" and word(t["T2"]) == "int64"), extra=("T2",),
     expected=lambda n, x: np.asarray([1, -1, -1]))
form("LabelEncoder", i(0, 1, 9), domain=ML, until=1, classes_strings=["a", "b"], default_int64=-1,
     default_string="?", where=lambda t: (
         word(t["T1"]) == "int64" and word(t["T2"]) == "string"), extra=("T2",),
     expected=lambda n, x: np.asarray(["a", "b", "?"], object))
form("LabelEncoder", i(0, 1, 9), domain=ML, until=1, classes_strings=["1", "0"], default_int64=-1,
     default_string="?", where=lambda t: (
         word(t["T1"]) == "string" and word(t["T2"]) == "int64"), extra=("T2",),
     expected=lambda n, x: np.asarray([1, 0, -1]))
_LISTS = {"string": "strings", "int64": "int64s", "float": "floats"}


def _listed(name, values):
    return ([f"{v:g}" for v in values] if name == "string" else
            [int(v) for v in values] if name == "int64" else [float(v) for v in values])


def _encoder(t):
    key, value = word(t["T1"]), word(t["T2"])
    default = {"string": "default_string", "int64": "default_int64", "float": "default_float"}
    return {f"keys_{_LISTS[key]}": _listed(key, [1, 2]),
            f"values_{_LISTS[value]}": _listed(value, [4, 5]),
            default[value]: _listed(value, [7])[0]}


def _encoded(n, x):
    return elements.wide(n.out_words[0], i(4, 5, 7))


form("LabelEncoder", i(1, 2, 3), domain=ML, since=2, until=3, attrs=_encoder, extra=("T2",),
     expected=_encoded)
form("LabelEncoder", i(1, 2, 3), domain=ML, since=4, attrs=_encoder, extra=("T2",),
     expected=_encoded,
     where=lambda t: word(t["T1"]) in _LISTS and word(t["T2"]) in _LISTS)


def _tensor(name, values):
    array = elements.wide(name, values)
    if name == "string":
        return wire.Tensor(name, array.shape, texts=array.tolist())
    return wire.Tensor(name, array.shape, elements.bits_of(name, array).tobytes())


form("LabelEncoder", i(1, 2, 3), domain=ML, since=4, extra=("T2",), expected=_encoded,
     attrs=lambda t: {"keys_tensor": _tensor(word(t["T1"]), i(1, 2)),
                      "values_tensor": _tensor(word(t["T2"]), i(4, 5)),
                      "default_tensor": _tensor(word(t["T2"]), i(7))})

# Maps: sample numbers of keys and values.
form("CastMap", {0: 1, 2: 3}, domain=ML, extra=("T2",), attrs=lambda t: {"cast_to": {
    "string": "TO_STRING", "float": "TO_FLOAT", "int64": "TO_INT64"}[word(t["T2"])]},
    expected=lambda n, x: elements.wide(n.out_words[0], i(1, 3))[None])
form("CastMap", {0: 1, 2: 3}, domain=ML, extra=("T2",), attrs=lambda t: {
    "cast_to": {"string": "TO_STRING", "float": "TO_FLOAT", "int64": "TO_INT64"}[word(t["T2"])],
    "map_form": "SPARSE", "max_map": 4}, where=lambda t: word(t["T2"]) != "string",
    expected=lambda n, x: elements.wide(n.out_words[0], i(1, 0, 3, 0))[None])
form("DictVectorizer", {1: 2, 3: 4}, domain=ML, attrs=lambda t: (
    {"string_vocabulary": ["3", "1", "2"]} if "map(string" in t["T1"] else
    {"int64_vocabulary": [3, 1, 2]}),
    expected=lambda n, x: np.asarray(["4", "2", ""], object)[None]
    if n.out_words[0] == "string" else np.asarray([[4.0, 2, 0]]))
form("ZipMap", np.asarray([[0.5, 0.25], [1, 2]]), domain=ML, extra=("T",), attrs=lambda t: (
    {"classlabels_strings": ["a", "b"]} if "string" in t["T"] else {"classlabels_int64s": [3, 4]}),
    expected=lambda n, x: [[dict(zip(["a", "b"] if "string" in n.out_kinds[0] else [3, 4], row))
                            for row in x]])
