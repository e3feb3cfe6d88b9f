# SPDX-License-Identifier: MIT
"""The predictors and feature operators of ai.onnx.ml in numpy, one plain function each.

Attributes come as a dictionary. Everything is computed in float64; outputs have the operators' types.
"""

import math

import numpy as np


# --- Transforms of a row of scores.

def logistic(x):
    return 1 / (1 + np.exp(-x))


def probit(x):
    """The approximation by Winitzki that ONNX's reference has."""
    z = 2 * x - 1
    log = np.log((1 - z) * (1 + z))
    half = 2 / (math.pi * 0.147) + log / 2
    return 1.41421356 * np.sign(z) * np.sqrt(np.sqrt(half ** 2 - log / 0.147) - half)


def transform(name, row):
    row = np.asarray(row, np.float64)
    if name == "LOGISTIC":
        return logistic(row)
    if name == "PROBIT":
        return probit(row)
    if name in ("SOFTMAX", "SOFTMAX_ZERO"):
        e = np.exp(row - row.max())
        if name == "SOFTMAX_ZERO":
            e = np.where(np.abs(row) <= 1e-7, row * np.exp(-row.max()), e)
        return e / e.sum() if e.sum() != 0 else np.full(len(row), 0.5)
    return row


# --- Trees.

COMPARE = {
    "BRANCH_LEQ": lambda x, v: x <= v, "BRANCH_LT": lambda x, v: x < v,
    "BRANCH_GTE": lambda x, v: x >= v, "BRANCH_GT": lambda x, v: x > v,
    "BRANCH_EQ": lambda x, v: x == v, "BRANCH_NEQ": lambda x, v: x != v,
}


def list_of(a, name):
    tensor = a.get(name + "_as_tensor")
    return list(tensor) if tensor is not None else list(a.get(name, []))


def votes_of_row(a, kind, x):
    """The votes (target, weight) that each tree casts for a row."""
    values = list_of(a, "nodes_values")
    tracks = a.get("nodes_missing_value_tracks_true") or [0] * len(values)
    index = {key: i for i, key in enumerate(zip(a["nodes_treeids"], a["nodes_nodeids"]))}
    weights = list_of(a, kind + "_weights")
    trees = []
    for tree in dict.fromkeys(a["nodes_treeids"]):
        i = a["nodes_treeids"].index(tree)
        while a["nodes_modes"][i] != "LEAF":
            value = x[a["nodes_featureids"][i]]
            goes = bool(tracks[i]) if np.isnan(value) else COMPARE[a["nodes_modes"][i]](
                value, values[i])
            child = a["nodes_truenodeids"] if goes else a["nodes_falsenodeids"]
            i = index[tree, child[i]]
        node = a["nodes_nodeids"][i]
        trees.append([(a[kind + "_ids"][k], weights[k]) for k in range(len(weights))
                      if a[kind + "_treeids"][k] == tree and a[kind + "_nodeids"][k] == node])
    return trees


def aggregate(name, trees, targets):
    result = []
    for target in range(targets):
        votes = [w for tree in trees for t, w in tree if t == target]
        if name in ("SUM", "AVERAGE"):
            result.append(sum(votes) / (len(trees) if name == "AVERAGE" else 1))
        else:
            result.append((min if name == "MIN" else max)(votes) if votes else 0.0)
    return np.array(result, np.float64)


def tree_regressor(a, x):
    rows = []
    for row in np.atleast_2d(x):
        scores = aggregate(a.get("aggregate_function", "SUM"), votes_of_row(a, "target", row),
                           a["n_targets"])
        base = list_of(a, "base_values")
        rows.append(transform(a.get("post_transform"), scores + (base if base else 0)))
    return [np.array(rows, np.float32)]


def tree_classifier(a, x):
    labels, rows = [], []
    names = a["classlabels_int64s"]
    base, post = list_of(a, "base_values"), a.get("post_transform", "NONE")
    is_single = len(names) == 2 and len(set(a["class_ids"])) == 1
    for row in np.atleast_2d(x):
        trees = votes_of_row(a, "class", row)
        if is_single:
            s = sum(w for tree in trees for _, w in tree) + (base[-1] if base else 0)
            positive = min(list_of(a, "class_weights")) >= 0
            if post == "PROBIT" or (post == "NONE" and positive):
                scores, best = [1 - s, s], int(s > 0.5)
            else:
                scores, best = [-s, s], int(s > 0)
        else:
            scores = aggregate("SUM", trees, len(names)) + (base if base else 0)
            best = int(np.argmax(scores))
        labels.append(names[best])
        rows.append(transform(post, scores))
    return [np.array(labels, np.int64), np.array(rows, np.float32)]


MODES_5 = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
TRANSFORMS_5 = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
AGGREGATES_5 = ["AVERAGE", "SUM", "MIN", "MAX"]


def tree_ensemble(a, x):
    sets, current = [], []
    for value in a.get("membership_values", []):
        if np.isnan(value):
            sets.append(current)
            current = []
        else:
            current.append(value)
    set_of, count = {}, 0
    for i, mode in enumerate(a["nodes_modes"]):
        if mode == 6:
            set_of[i] = sets[count]
            count += 1
    tracks = a.get("nodes_missing_value_tracks_true") or [0] * len(a["nodes_modes"])
    rows = []
    for row in x:
        trees = []
        for i in a["tree_roots"]:
            is_leaf = False
            while not is_leaf:
                value = row[a["nodes_featureids"][i]]
                if np.isnan(value):
                    goes = bool(tracks[i])
                elif a["nodes_modes"][i] == 6:
                    goes = value in set_of[i]
                else:
                    goes = COMPARE[MODES_5[a["nodes_modes"][i]]](value, a["nodes_splits"][i])
                side = "true" if goes else "false"
                is_leaf = a[f"nodes_{side}leafs"][i]
                i = a[f"nodes_{side}nodeids"][i]
            trees.append([(a["leaf_targetids"][i], float(a["leaf_weights"][i]))])
        scores = aggregate(AGGREGATES_5[a.get("aggregate_function", 1)], trees, a["n_targets"])
        rows.append(transform(TRANSFORMS_5[a.get("post_transform", 0)], scores))
    return [np.array(rows).astype(x.dtype)]


# --- Support vectors and linear models.

def kernel(a, x, v):
    gamma, coef0, degree = a.get("kernel_params") or (0, 0, 0)
    name = a.get("kernel_type", "LINEAR")
    if name == "POLY":
        return (gamma * (x @ v) + coef0) ** degree
    if name == "RBF":
        return np.exp(-gamma * ((x - v) ** 2).sum())
    if name == "SIGMOID":
        return np.tanh(gamma * (x @ v) + coef0)
    return x @ v


def svm_regressor(a, x):
    rows = []
    coefficients = np.array(a["coefficients"], np.float64)
    for row in np.atleast_2d(x).astype(np.float64):
        if a.get("n_supports", 0) > 0:
            vectors = np.array(a["support_vectors"], np.float64).reshape(a["n_supports"], -1)
            s = sum(c * kernel(a, row, v) for c, v in zip(coefficients, vectors))
        else:
            s = row @ coefficients
        s += a["rho"][0]
        if a.get("one_class"):
            s = 1.0 if s > 0 else -1.0
        rows.append(transform(a.get("post_transform"), [s]))
    return [np.array(rows, np.float32)]


def coupled(r):
    """Probabilities p that are least in sum over pairs (r[j,i] p[i] - r[i,j] p[j])^2, by solving."""
    n = len(r)
    q = -r.T * r
    np.fill_diagonal(q, [(r[:, i] ** 2).sum() - r[i, i] ** 2 for i in range(n)])
    system = np.block([[q, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    return np.linalg.solve(system, np.append(np.zeros(n), 1))[:n]


def svm_classifier(a, x):
    names, post = a["classlabels_ints"], a.get("post_transform", "NONE")
    n = len(names)
    labels, rows = [], []
    for row in np.atleast_2d(x).astype(np.float64):
        if not a.get("vectors_per_class"):
            scores = np.array(a["coefficients"], np.float64).reshape(n, -1) @ row + a["rho"][0]
            best = int(np.argmax(scores))
        else:
            starts = np.cumsum([0] + a["vectors_per_class"])
            vectors = np.array(a["support_vectors"], np.float64).reshape(starts[-1], -1)
            c = np.array(a["coefficients"], np.float64).reshape(n - 1, starts[-1])
            k = np.array([kernel(a, row, v) for v in vectors])
            votes, scores, r, pair = np.zeros(n), [], np.zeros((n, n)), 0
            for i in range(n):
                for j in range(i + 1, n):
                    of_i, of_j = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
                    s = c[j - 1, of_i] @ k[of_i] + c[i, of_j] @ k[of_j] + a["rho"][pair]
                    votes[i if s > 0 else j] += 1
                    scores.append(s)
                    if a.get("prob_a"):
                        p = logistic(-(s * a["prob_a"][pair] + a["prob_b"][pair]))
                        r[i, j] = np.clip(p, 1e-7, 1 - 1e-7)
                        r[j, i] = 1 - r[i, j]
                    pair += 1
            best = int(np.argmax(votes))
            if a.get("prob_a"):
                scores = coupled(r)
            elif n == 2:
                scores = [-scores[0], scores[0]]
        labels.append(names[best])
        rows.append(transform(post, scores))
    return [np.array(labels, np.int64), np.array(rows, np.float32)]


def linear_scores(a, x, targets):
    c = np.array(a["coefficients"], np.float64).reshape(targets, -1)
    return np.atleast_2d(x).astype(np.float64) @ c.T + np.array(a.get("intercepts") or [0])


def linear_regressor(a, x):
    scores = linear_scores(a, x, a.get("targets", 1))
    return [np.array([transform(a.get("post_transform"), row) for row in scores], np.float32)]


def linear_classifier(a, x):
    names = a["classlabels_ints"]
    scores = linear_scores(a, x, len(a.get("intercepts") or names))
    if scores.shape[1] == 1:
        scores = np.concatenate([-scores, scores], axis=1)
    labels = np.array([names[i] for i in scores.argmax(axis=1)], np.int64)
    rows = [transform(a.get("post_transform"), row) for row in scores]
    return [labels, np.array(rows, np.float32)]


# --- Features.

def scaler(a, x):
    return [((x.astype(np.float64) - np.array(a["offset"])) * np.array(a["scale"])).astype(
        np.float32)]


def normalizer(a, x):
    rows = []
    for row in np.atleast_2d(x).astype(np.float64):
        divisor = {"MAX": row.max(), "L1": np.abs(row).sum(), "L2": np.sqrt((row ** 2).sum())}[
            a.get("norm", "MAX")]
        rows.append(row if divisor == 0 else row / divisor)
    return [np.array(rows, np.float32).reshape(x.shape)]


def binarizer(a, x):
    return [(x > a.get("threshold", 0.0)).astype(x.dtype)]


def imputer(a, x):
    is_float = x.dtype.kind == "f"
    values = a["imputed_value_floats" if is_float else "imputed_value_int64s"]
    missing = a.get("replaced_value_float" if is_float else "replaced_value_int64", 0)
    where = np.isnan(x) if is_float and np.isnan(missing) else x == missing
    return [np.where(where, np.broadcast_to(np.array(values), x.shape), x).astype(x.dtype)]


def one_hot_encoder(a, x):
    places = np.array(a["cats_int64s"])
    return [(x.astype(np.int64)[..., None] == places).astype(np.float32)]


def array_feature_extractor(a, x, indices):
    y = x[..., indices.ravel()]
    return [y.reshape(1, -1) if x.ndim == 1 else y]


def feature_vectorizer(a, *xs):
    columns = []
    for x, width in zip(xs, a["inputdimensions"]):
        x = np.atleast_2d(x)[:, :width]
        columns.append(np.pad(x, ((0, 0), (0, width - x.shape[1]))))
    return [np.concatenate(columns, axis=1).astype(np.float32)]


def label_encoder(a, x):
    table = dict(zip(a["keys_int64s"], a["values_floats"]))
    find = np.vectorize(lambda key: table.get(key, a.get("default_float", -0.0)))
    return [find(x).astype(np.float32)]


OPERATORS = {
    "TreeEnsembleRegressor": tree_regressor, "TreeEnsembleClassifier": tree_classifier,
    "TreeEnsemble": tree_ensemble, "SVMRegressor": svm_regressor, "SVMClassifier": svm_classifier,
    "LinearRegressor": linear_regressor, "LinearClassifier": linear_classifier, "Scaler": scaler,
    "Normalizer": normalizer, "Binarizer": binarizer, "Imputer": imputer,
    "OneHotEncoder": one_hot_encoder, "ArrayFeatureExtractor": array_feature_extractor,
    "FeatureVectorizer": feature_vectorizer, "LabelEncoder": label_encoder,
}
