# SPDX-License-Identifier: MIT
"""Reductions, normalisations, softmax, sorting."""

from .case import Case, Node, fed, numbers, weight

REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
              "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp")
POSITIVE = {"low": 0.9, "high": 1.1}


def _reduce(name, axes, shape, type="f32"):
    def build(s):
        x = fed(*[s(n) if n > 4 else n for n in shape], type=type, **POSITIVE)
        if name == "ReduceSum":
            return Node([x, numbers(axes)], {"keepdims": 1})
        return Node([x], {"axes": axes, "keepdims": 1})
    return build


def _reduce_all(name):
    return lambda s: Node([fed(s(256), s(768), **POSITIVE)], {"keepdims": 0})


def _normalised(name, **attributes):
    def build(s):
        c = s(64, 32) if name == "GroupNormalization" else s(64)
        return Node([fed(1, c, s(56), s(56)), weight(c), weight(c)], attributes)
    return build


def _batch_normalised(s):
    c = s(64)
    return Node([fed(1, c, s(56), s(56)), weight(c), weight(c), weight(c),
                 weight(c, low=0.5, high=2.0)])


def _layer_normalised(s):
    n = s(768)
    return Node([fed(1, s(128), n), weight(n), weight(n)], {"axis": -1})


def _skip(s):
    m, n = s(128), s(768)
    return Node([fed(1, m, n), fed(1, m, n), weight(n), weight(n)], {"epsilon": 1e-5})


def _embedded(s):
    m, n = s(128), s(768)
    ids = {"type": "i32", "low": 0}
    return Node([fed(1, m, high=1000, **ids), fed(1, m, high=1, **ids), weight(s(2000) + 1000, n),
                 weight(512, n), weight(2, n), weight(n), weight(n)], {"epsilon": 1e-12}, 2)


def _simplified(name):
    def build(s):
        m, n = s(128), s(768)
        if name == "SkipSimplifiedLayerNormalization":
            return Node([fed(1, m, n), fed(1, m, n), weight(n)], {"epsilon": 1e-5})
        return Node([fed(1, m, n), weight(n)], {"axis": -1, "epsilon": 1e-5})
    return build


def _softmax(shape, axis, type="f32"):
    return lambda s: Node([fed(*[s(n) if n > 12 else n for n in shape], type=type)],
                          {"axis": axis})


def _top_k(rows, columns, k):
    return lambda s: Node([fed(s(rows) if rows > 1 else 1, s(columns)), numbers([k])],
                          {"axis": -1}, 2)


def _arg(name, axis):
    return lambda s: Node([fed(s(128), s(1000))], {"axis": axis})


def _standardised(axes):
    return lambda s: Node([fed(4, s(32), s(56), s(56))], {"axes": axes})


def cases():
    for name in REDUCTIONS:
        yield Case(f"{name}.last", _reduce(name, [-1], (1, 128, 768)))
        yield Case(f"{name}.first", _reduce(name, [0], (64, 128, 96)))
        yield Case(f"{name}.middle", _reduce(name, [1], (16, 128, 256)))
        yield Case(f"{name}.image", _reduce(name, [2, 3], (1, 256, 28, 28)))
        yield Case(f"{name}.all", _reduce_all(name))
    yield Case("ReduceMax.points", _reduce("ReduceMax", [1], (1, 2048, 1024)))
    for name in ("ReduceMean", "ReduceMax", "ReduceL2", "ReduceLogSumExp"):
        for form, axes, shape in (("last", [-1], (128, 768)), ("middle", [1], (16, 128, 256)),
                                  ("image", [2, 3], (1, 256, 28, 28))):
            yield Case(f"{name}.{form}.f16", _reduce(name, axes, shape, "f16"), arithmetic="f16")
    for name in ("ArgMax", "ArgMin"):
        yield Case(f"{name}.last", _arg(name, -1))
        yield Case(f"{name}.first", _arg(name, 0))
    yield Case("ReduceMax.f64", lambda s: Node([fed(s(128), s(768), type="f64")], {"axes": [-1]}))
    yield Case("ReduceMax.middle.f64", lambda s: Node([fed(16, s(30), s(64), type="f64")],
                                                      {"axes": [1]}))
    for name in ("ReduceMax", "ReduceMean"):
        yield Case(f"{name}.ends.f16", _reduce(name, [0, 2], (16, 30, 64), "f16"), arithmetic="f16")
    yield Case("ReduceMax.i64", lambda s: Node([fed(s(128), s(768), type="i64")],
                                               {"axes": [-1], "keepdims": 1}))
    yield Case("Softmax.scores", _softmax((1, 12, 128, 128), -1))
    yield Case("Softmax.classes", _softmax((1, 1000), -1))
    yield Case("Softmax.channels", _softmax((1, 21, 128, 128), 1))
    yield Case("Softmax.scores.f16", _softmax((1, 12, 128, 128), -1, "f16"), arithmetic="f16")
    yield Case("LogSoftmax.last", _softmax((32, 1000), -1))
    yield Case("Hardmax.last", _softmax((32, 1000), -1))
    yield Case("BatchNormalization.map", _batch_normalised)
    yield Case("InstanceNormalization.map", _normalised("InstanceNormalization"))
    yield Case("InstanceNormalization.lines", lambda s: Node([fed(4, 64, s(500)), weight(64),
                                                              weight(64)]))
    yield Case("LayerNormalization.last", _layer_normalised)
    yield Case("SkipLayerNormalization.last", _skip, domain="com.microsoft")
    yield Case("EmbedLayerNormalization.bert", _embedded, domain="com.microsoft")
    yield Case("SimplifiedLayerNormalization.last", _simplified("SimplifiedLayerNormalization"))
    yield Case("SkipSimplifiedLayerNormalization.last",
               _simplified("SkipSimplifiedLayerNormalization"), domain="com.microsoft")
    yield Case("LpNormalization.last", lambda s: Node([fed(s(128), s(768))], {"axis": -1}))
    yield Case("LRN.five", lambda s: Node([fed(1, s(64), s(56), s(56))], {"size": 5}))
    for name, axes in (("map", [0, 2, 3]), ("channels", [1]), ("batch", [0])):
        yield Case(f"MeanVarianceNormalization.{name}", _standardised(axes))
    yield Case("TopK.classes", _top_k(1, 1000, 5))
    yield Case("TopK.boxes", _top_k(1, 20000, 300))
    yield Case("TopK.rows", _top_k(128, 1000, 10))
