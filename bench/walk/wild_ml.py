# SPDX-License-Identifier: MIT
"""Cases of chance of ai.onnx.ml: forests, linear models, support vectors, tables of features."""

from .case import Node, fed, numbers
from .wild_case import ML, a_case


def _rows(d):
    return d.pick((1, d.size(2, 3000)))


def _numbers(d, count):
    return [d.random.gauss(0, 1) for _ in range(count)]


def _grown(d, tree, depth, columns, modes, nodes):
    """The nodes of one tree of `depth` at most, whose leaves end at any depth; the leaves' ids."""
    leaves, waiting, count = [], [(0, 0)], 1
    while waiting:
        node, level = waiting.pop()
        is_leaf = level == depth or (level > 0 and d.chance() < 0.15)
        first, count = count, count if is_leaf else count + 2
        nodes.append((tree, node, d.random.randrange(columns), d.random.uniform(-1.5, 1.5),
                      "LEAF" if is_leaf else d.pick(modes), first if not is_leaf else 0,
                      first + 1 if not is_leaf else 0))
        if is_leaf:
            leaves.append(node)
        else:
            waiting += [(first, level + 1), (first + 1, level + 1)]
    return leaves


def forest(d):
    is_classifier, rows, columns = d.pick((0, 1)), _rows(d), d.size(2, 60)
    trees, depth, outputs = d.size(1, 200), d.random.randint(1, 9), d.pick((1, 2, 3, 10))
    while trees * 2**depth > 20000:
        trees = trees // 2 + 1
    modes = d.pick((("BRANCH_LEQ",), ("BRANCH_LEQ",), ("BRANCH_LT",), (
        "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT", "BRANCH_GTE")))
    nodes, ends = [], []
    for tree in range(trees):
        ends += [(tree, leaf) for leaf in _grown(d, tree, depth, columns, modes, nodes)]
    keys = ("treeids nodeids featureids values modes truenodeids falsenodeids").split()
    attributes = {f"nodes_{key}": list(column) for key, column in zip(keys, zip(*nodes))}
    prefix = "class" if is_classifier else "target"
    classes = max(outputs, 2)
    ids = [d.random.randrange(outputs) if outputs > 2 else 0 for _ in ends]
    attributes.update({
        f"{prefix}_treeids": [tree for tree, _ in ends], f"{prefix}_ids": ids,
        f"{prefix}_nodeids": [leaf for _, leaf in ends],
        f"{prefix}_weights": [abs(n) for n in _numbers(d, len(ends))]})
    # Where one number is the result, ONNX Runtime does not transform it.
    transform = d.pick(("NONE", "NONE", "LOGISTIC", "SOFTMAX")) if outputs > 2 else "NONE"
    attributes["post_transform"] = transform
    label = f"{rows}x{columns}.{trees}trees.depth{depth}.to{outputs}.{len(modes)}.{transform}"
    if is_classifier:
        attributes["classlabels_int64s"] = list(range(classes))
        return a_case("TreeEnsembleClassifier", label, Node([fed(rows, columns)], attributes, 2),
                      domain=ML)
    attributes["n_targets"] = outputs
    attributes["aggregate_function"] = d.pick(("SUM", "SUM", "AVERAGE", "MAX", "MIN"))
    return a_case("TreeEnsembleRegressor", f"{label}.{attributes['aggregate_function']}",
                  Node([fed(rows, columns)], attributes), domain=ML)


def linear(d):
    rows, columns, classes = _rows(d), d.size(1, 200), d.pick((2, 3, 10, 40))
    if d.chance() < 0.5:
        targets = d.pick((1, 1, 2, 10))
        return a_case("LinearRegressor", f"{rows}x{columns}.{targets}", Node(
            [fed(rows, columns)], {"coefficients": _numbers(d, columns * targets),
                                   "intercepts": [0.3] * targets, "targets": targets}), domain=ML)
    transform = d.pick(("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"))
    return a_case("LinearClassifier", f"{rows}x{columns}.{classes}.{transform}", Node(
        [fed(rows, columns)], {"coefficients": _numbers(d, classes * columns),
                               "intercepts": [0.1] * classes, "post_transform": transform,
                               "classlabels_ints": list(range(classes))}, 2), domain=ML)


def vectors(d):
    rows, columns, count = d.pick((1, d.size(2, 300))), d.size(1, 60), d.size(2, 400)
    kernel = d.pick(("LINEAR", "POLY", "RBF", "SIGMOID"))
    attributes = {"kernel_type": kernel, "kernel_params": [0.05, 0.1, 3.0]}
    if d.chance() < 0.5:
        attributes.update(coefficients=_numbers(d, count), n_supports=count, rho=[0.1],
                          support_vectors=_numbers(d, count * columns))
        return a_case("SVMRegressor", f"{rows}x{columns}.{count}.{kernel}", Node(
            [fed(rows, columns)], attributes), "loose", domain=ML)
    classes = d.pick((2, 3, 5))
    each, pairs = count // classes + 1, classes * (classes - 1) // 2
    attributes.update(
        coefficients=_numbers(d, each * classes * (classes - 1)), rho=_numbers(d, pairs),
        vectors_per_class=[each] * classes, classlabels_ints=list(range(classes)),
        support_vectors=_numbers(d, each * classes * columns))
    if d.chance() < 0.4:
        attributes.update(prob_a=[-0.5] * pairs, prob_b=[0.1] * pairs)
    return a_case("SVMClassifier", f"{rows}x{columns}.{each}x{classes}.{kernel}." +
                  ("chances" if "prob_a" in attributes else "votes"), Node(
                      [fed(rows, columns)], attributes, 2), "loose", domain=ML)


def features(d):
    name = d.pick(("Scaler", "Normalizer", "Imputer", "Binarizer", "ArrayFeatureExtractor",
                   "FeatureVectorizer"))
    rows, columns = _rows(d), d.size(1, 200)
    x, label = fed(rows, columns), f"{rows}x{columns}"
    if name == "Scaler":
        type, count = d.pick(("f32", "f32", "f64", "i64", "i32")), d.pick((1, columns))
        return a_case(name, f"{label}.{count}.{type}", Node([fed(rows, columns, type=type)], {
            "offset": _numbers(d, count), "scale": _numbers(d, count)}), domain=ML)
    if name == "Normalizer":
        norm, type = d.pick(("MAX", "L1", "L2")), d.pick(("f32", "f32", "f64", "i64", "i32"))
        return a_case(name, f"{label}.{norm}.{type}", Node(
            [fed(rows, columns, type=type)], {"norm": norm}), domain=ML)
    if name == "Imputer":
        if d.chance() < 0.3:
            return a_case(name, f"{label}.i64", Node(
                [fed(rows, columns, type="i64", low=0, high=5)],
                {"imputed_value_int64s": [7] * d.pick((1, columns)), "replaced_value_int64": 3}),
                          domain=ML)
        return a_case(name, label, Node([x], {
            "imputed_value_floats": _numbers(d, d.pick((1, columns))),
            "replaced_value_float": float("nan")}), domain=ML)
    if name == "Binarizer":
        return a_case(name, label, Node([x], {"threshold": 0.1}), domain=ML)
    if name == "ArrayFeatureExtractor":
        chosen, type = d.size(1, columns), d.pick(("f32", "f64", "i64", "i32"))
        return a_case(name, f"{label}.{chosen}.{type}", Node(
            [fed(rows, columns, type=type), numbers([sorted(
                d.random.sample(range(columns), chosen))])]), domain=ML)
    widths = [d.size(1, 60) for _ in range(d.size(1, 5))]
    type = d.pick(("f32", "f64", "i64", "i32"))
    return a_case(name, f"{rows}.{'x'.join(map(str, widths))}.{type}", Node(
        [fed(rows, width, type=type) for width in widths], {"inputdimensions": widths}), domain=ML)


def labels(d):
    rows, keys = (_rows(d), d.pick((1, 1, 8))), d.size(2, 2000)
    if d.chance() < 0.4:
        type, keys = d.pick(("i64", "i64", "f32", "i32")), min(keys, 60)
        x = fed(*rows, type=type, data=[d.random.randrange(keys) for _ in range(rows[0] * rows[1])])
        return a_case("OneHotEncoder", f"{rows[0]}x{rows[1]}.{keys}.{type}", Node(
            [x], {"cats_int64s": list(range(keys)), "zeros": 1}), domain=ML)
    spread = d.pick((1, 1, 7919))  # near each other, or far apart
    keyed = [spread * n for n in range(keys)]
    x = fed(*rows, type="i64", data=[d.random.randrange(keys + keys // 4) * spread
                                     for _ in range(rows[0] * rows[1])])
    to = d.pick(({"values_floats": [float(n) for n in range(keys)], "default_float": -1.0},
                 {"values_int64s": list(range(keys)), "default_int64": -1}))
    type = "f32" if "default_float" in to else "i64"
    return a_case("LabelEncoder", f"{rows[0]}x{rows[1]}.{keys}.by{spread}.{type}", Node(
        [x], {"keys_int64s": keyed, **to}), domain=ML)


FAMILIES = {forest: 4, linear: 2, vectors: 2, features: 3, labels: 2}
