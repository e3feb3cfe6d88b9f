# SPDX-License-Identifier: MIT
"""Short rows, columns of single elements, few channels: what models do with boxes, points, angles
and pairs, beside the large operators that their time is told by."""

from .case import Case, Node, fed, numbers, weight

SHORT = (("ReduceSum", 12), ("ReduceMean", 20), ("ReduceMean", 3), ("ReduceMax", 3),
         ("ReduceL2", 3), ("ReduceLogSumExp", 3))


def _reduced(name, size, type="f32"):
    def build(s):
        x = fed(8, s(16), s(200), size, type=type, low=0.5)
        if name == "ReduceSum":
            return Node([x, numbers([-1])], {"keepdims": 1})
        return Node([x], {"axes": [-1], "keepdims": 1})
    return build


def _arg(size):
    return lambda s: Node([fed(s(3000), size)], {"axis": -1})


def _joined(s):
    n = s(20000)
    return Node([fed(n, 1) for _ in range(4)], {"axis": -1})


def _turned(channels, kernel, stride, pad, image):
    """A transposed convolution with a filter for each channel."""
    def build(s):
        c = s(channels)
        return Node([fed(1, c, s(image), s(image)), weight(c, 1, kernel, kernel)],
                    {"strides": [stride] * 2, "pads": [pad] * 4, "group": c})
    return build


def _turned_by_computed(s):
    c = s(64)
    return Node([fed(1, c, s(32), s(32)), fed(c, 32, 3, 3)], {"strides": [2, 2]})


def _turned_volume(s):
    c = s(64)
    return Node([fed(1, c, 12, s(12), s(12)), weight(c, 32, 2, 2, 2)], {"strides": [2] * 3})


def _folded(s):
    blocks = s(32)
    return Node([fed(1, 288, blocks * 32), numbers([blocks + 2, 34]), numbers([3, 3])])


def _filters(channels, filters, image):
    def build(s):
        c = s(channels)
        return Node([fed(1, c, s(image), s(image)), weight(c * filters, 1, 3, 3)],
                    {"pads": [1] * 4, "group": c})
    return build


def _rows(size, type="f32", **attributes):
    return lambda s: Node([fed(s(5000), size, type=type)], {"axis": -1, **attributes})


def _reduced_rows(size, type):
    return lambda s: Node([fed(s(5000), size, type=type)], {"axes": [-1], "keepdims": 1})


def _reduced_columns(name, blocks, rows, columns, type):
    def build(s):
        x = fed(s(blocks), rows, columns, type=type, low=0.5 if type != "i32" else -2)
        if name == "ReduceSum":
            return Node([x, numbers([1])])
        return Node([x], {"axes": [1]})
    return build


def _normalised(n, channels, size):
    """Planes of a few elements."""
    def build(s):
        c = s(channels)
        return Node([fed(n, c, size, size), weight(c), weight(c)])
    return build


def _first(size):
    return lambda s: Node([fed(s(5000), size), numbers([1])], {"axis": -1}, 2)


def cases():
    for name, size in SHORT:
        yield Case(f"{name}.of{size}", _reduced(name, size))
    for type, size in (("f16", 32), ("f16", 8), ("f64", 8), ("i64", 2)):
        yield Case(f"ReduceMean.{type}.of{size}", _reduced_rows(size, type),
                   arithmetic="f16" if type == "f16" else "f32")
    for name in ("Softmax", "LogSoftmax", "Hardmax"):
        yield Case(f"{name}.of5", _rows(5))
    yield Case("ReduceMax.f64.of8", _reduced_rows(8, "f64"))
    yield Case("ReduceMax.columns.of4", _reduced_columns("ReduceMax", 400, 5, 4, "f32"))
    yield Case("ReduceMean.columns.of7", _reduced_columns("ReduceMean", 500, 30, 7, "f32"))
    yield Case("ReduceMax.f16.columns.of7", _reduced_columns("ReduceMax", 500, 30, 7, "f16"),
               arithmetic="f16")
    yield Case("ReduceMax.f16.columns.of4", _reduced_columns("ReduceMax", 200, 30, 4, "f16"),
               arithmetic="f16")
    yield Case("ReduceMax.f64.columns.of4", _reduced_columns("ReduceMax", 200, 30, 4, "f64"))
    yield Case("Add.f16.of4", lambda s: Node([fed(s(5000), 4, type="f16"), fed(4, type="f16")]),
               arithmetic="f16")
    yield Case("ReduceSum.i32.columns.of7", _reduced_columns("ReduceSum", 500, 30, 7, "i32"))
    yield Case("Einsum.rows", lambda s: Node([fed(16, s(128), s(64))], {"equation": "bij->bi"}))
    for n, c, size in ((64, 256, 2), (8, 512, 4)):
        yield Case(f"InstanceNormalization.{size}x{size}", _normalised(n, c, size))
    yield Case("LogSoftmax.f64.of8", _rows(8, "f64"))
    yield Case("Hardmax.pixels", lambda s: Node([fed(4, 3, s(4096))], {"axis": 1}))
    yield Case("LpNormalization.of8", _rows(8, p=2))
    yield Case("ArgMax.last.of8", _rows(8, select_last_index=1))
    yield Case("ArgMax.of32", _rows(32))
    for size in (2, 32):
        yield Case(f"TopK.first.of{size}", _first(size))
    for size in (2, 16):
        yield Case(f"ArgMax.of{size}", _arg(size))
    yield Case("CumSum.of4", lambda s: Node([fed(s(5000), 4), numbers(-1)]))
    yield Case("TopK.of8", lambda s: Node([fed(s(3000), 8), numbers([2])], {"axis": -1}, 2))
    yield Case("Softmax.of2", lambda s: Node([fed(s(20000), 2)], {"axis": -1}))
    for name in ("Softmax", "LogSoftmax"):
        yield Case(f"{name}.columns.of10", lambda s: Node([fed(s(100), 10, 10)], {"axis": 1}))
    yield Case("ReduceLogSumExp.ends", lambda s: Node([fed(s(1024), 12, 4)], {"axes": [0, 2]}))
    yield Case("ArgMax.columns.of3", lambda s: Node([fed(s(2000), 8, 3)], {"axis": 1}))
    yield Case("TopK.first.columns", lambda s: Node([fed(1, s(2000), 80), numbers([1])],
                                                    {"axis": 1}, 2))
    yield Case("CumSum.columns.of4", lambda s: Node([fed(s(1000), 12, 4), numbers(1)]))
    yield Case("BatchNormalization.of7", lambda s: Node([
        fed(8, c := s(256), 7), weight(c), weight(c), weight(c), weight(c, low=0.5)]))
    yield Case("Pad.reflect.first", lambda s: Node(
        [fed(s(1000), 4, 20, type="u8"), numbers([2, 0, 0, 2, 0, 0])], {"mode": "reflect"}))
    yield Case("Where.rows.of16", lambda s: Node([
        fed(n := s(100), m := s(30), 16, type="bool"), fed(n, 1, 16, type="i64"),
        fed(1, m, 16, type="i64")]))
    yield Case("Concat.by1", _joined)
    yield Case("Split.by1", lambda s: Node([fed(s(20000), 4)], {"axis": -1}, 4))
    yield Case("Gather.by1", lambda s: Node([fed(s(20000), 4), numbers([2, 0, 3])], {"axis": 1}))
    yield Case("ConvTranspose.computed", _turned_by_computed)
    yield Case("ConvTranspose.2x2x2.s2", _turned_volume)
    yield Case("ConvTranspose.depthwise.3x3.s2", _turned(128, 3, 2, 1, 32))
    yield Case("ConvTranspose.depthwise.4x4.s2", _turned(64, 4, 2, 1, 40))
    yield Case("Conv.depthwise.x2@14", _filters(256, 2, 14))
    yield Case("Conv.depthwise.x4@21", _filters(96, 4, 21))
    yield Case("Col2Im.3x3", _folded, opset=18)
