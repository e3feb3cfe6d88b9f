# SPDX-License-Identifier: MIT
"""Operators that move elements: no arithmetic, or next to none."""

from .case import Case, Node, fed, numbers


def _transpose(shape, perm, type="f32"):
    return lambda s: Node([fed(*[s(n) if n > 4 else n for n in shape], type=type)], {"perm": perm})


def _concat(count, axis):
    def build(s):
        dims = [1, s(64), s(56), s(56)]
        return Node([fed(*dims) for _ in range(count)], {"axis": axis})
    return build


def _resize(mode, transformation, up, **more):
    def build(s):
        scale = 2.0 if up else 0.5
        return Node([fed(1, s(64), s(40, 2), s(40, 2)), None, numbers([1, 1, scale, scale], "f32")],
                    {"mode": mode, "coordinate_transformation_mode": transformation, **more})
    return build


def _pad(mode, n=1):
    return lambda s: Node([fed(1, s(64), s(56), s(56)), numbers([0, 0, n, n, 0, 0, n, n])],
                          {"mode": mode})


def _gather(axis, count):
    return lambda s: Node([fed(s(1000), s(768)),
                           fed(s(count), type="i64", low=0, high=400)], {"axis": axis})


def _scatter_elements(s):
    n, m = s(256), s(512)
    return Node([fed(n, m), fed(n // 2, m, type="i64", low=0, high=n), fed(n // 2, m)],
                {"axis": 0})


def _gather_elements(axis):
    def build(s):
        n, m = s(512), s(768)
        return Node([fed(n, m), fed(n, m, type="i64", low=0, high=min(n, m))], {"axis": axis})
    return build


def _scatter_nd(s):
    n, m = s(1000), s(256)
    rows = s(300)
    return Node([fed(n, m), fed(rows, 1, type="i64", low=0, high=n), fed(rows, m)])


def _slice(starts, ends, axes, steps):
    return lambda s: Node([fed(1, s(64), s(112), s(112)), numbers(starts), numbers(ends),
                           numbers(axes), numbers(steps)])


def cases():
    for name, shape, perm in (
            ("heads", (1, 128, 12, 64), [0, 2, 1, 3]), ("keys", (1, 128, 12, 64), [0, 2, 3, 1]),
            ("nhwc", (1, 64, 56, 56), [0, 2, 3, 1]), ("nchw", (1, 56, 56, 64), [0, 3, 1, 2]),
            ("matrix", (768, 3072), [1, 0]), ("window", (1, 8, 7, 8, 7, 96), [0, 1, 3, 2, 4, 5])):
        yield Case(f"Transpose.{name}", _transpose(shape, perm))
    for type in ("f32", "u8"):
        yield Case(f"Transpose.to_planes.{type}", _transpose((1, 480, 640, 3), [0, 3, 1, 2], type))
        yield Case(f"Transpose.of_planes.{type}", _transpose((1, 3, 480, 640), [0, 2, 3, 1], type))
    yield Case("Transpose.matrix.f16", _transpose((768, 3072), [1, 0], "f16"), arithmetic="f16")
    yield Case("Transpose.matrix.u8", _transpose((768, 3072), [1, 0], "u8"))
    yield Case("Concat.channels", _concat(4, 1))
    yield Case("Concat.last", _concat(2, 3))
    yield Case("Concat.cache", lambda s: Node([fed(1, 12, s(512), 64), fed(1, 12, 1, 64)],
                                              {"axis": 2}))
    yield Case("Split.channels", lambda s: Node([fed(1, s(64, 2), s(56), s(56))], {"axis": 1}, 2))
    yield Case("Split.last", lambda s: Node([fed(s(128), s(2304, 3))], {"axis": 1}, 3))
    yield Case("Slice.channels", _slice([8], [40], [1], [1]))
    yield Case("Slice.last", _slice([5], [60], [3], [1]))
    yield Case("Slice.steps", _slice([0, 0], [1000, 1000], [2, 3], [2, 2]))
    yield Case("Slice.back", _slice([-1], [-1000], [3], [-1]))
    yield Case("Gather.rows", _gather(0, 128))
    yield Case("Gather.columns", _gather(1, 128))
    yield Case("GatherElements.first", _gather_elements(0))
    yield Case("GatherElements.last", _gather_elements(1))
    yield Case("GatherND.points", lambda s: Node([
        fed(s(64), s(128, 2), 32), fed(s(2000), 2, type="i64", low=0, high=30)]))
    yield Case("GatherND.single", lambda s: Node([
        fed(s(256), s(256)), fed(s(20000), 2, type="i64", low=0, high=120)]))
    yield Case("ScatterND.rows", _scatter_nd)
    yield Case("ScatterElements.first", _scatter_elements)
    yield Case("ScatterElements.last.max", lambda s: Node(
        [fed(n := s(256), m := s(512)), fed(n // 2, m, type="i64", low=0, high=n),
         fed(n // 2, m)], {"axis": 1, "reduction": "max"}), opset=18, size_is_free=False)
    yield Case("Tile.channels", lambda s: Node([fed(1, 1, s(56), s(56)), numbers([1, 64, 1, 1])]))
    yield Case("Tile.last", lambda s: Node([fed(s(512), s(16)), numbers([1, 16])]))
    for name, shape, repeats in (("pairs", (4096, 2), [1, 3]), ("triples", (512, 3), [1, 20]),
                                 ("around", (20, 30, 4), [2, 3, 2])):
        yield Case(f"Tile.{name}", lambda s, n=shape, r=repeats: Node(
            [fed(s(n[0]), *n[1:]), numbers(r)]))
    yield Case("Expand.channel", lambda s: Node([fed(1, c := s(64), 1, 1),
                                                 numbers([1, c, s(56), s(56)])]))
    yield Case("Expand.short.u8", lambda s: Node([fed(n := s(64), 1, 48, type="u8"),
                                                  numbers([n, 30, 48])]))
    yield Case("Expand.row", lambda s: Node([fed(1, 1, m := s(768)), numbers([1, s(512), m])]))
    for mode in ("constant", "reflect", "edge"):
        yield Case(f"Pad.{mode}", _pad(mode))
        yield Case(f"Pad.{mode}.3", _pad(mode, 3))
    yield Case("Pad.last_channels", lambda s: Node([fed(1, s(56), s(56), 64),
                                                    numbers([0, 1, 1, 0, 0, 1, 1, 0])]))
    yield Case("DepthToSpace.dcr", lambda s: Node([fed(1, s(64, 4), s(56), s(56))],
                                                  {"blocksize": 2}))
    yield Case("DepthToSpace.crd", lambda s: Node([fed(1, s(64, 4), s(56), s(56))],
                                                  {"blocksize": 2, "mode": "CRD"}))
    yield Case("SpaceToDepth.two", lambda s: Node([fed(1, s(16), s(112, 2), s(112, 2))],
                                                  {"blocksize": 2}))
    for name, mode, transformation, up, more in (
            ("nearest", "nearest", "asymmetric", True, {"nearest_mode": "floor"}),
            ("nearest_down", "nearest", "asymmetric", False, {"nearest_mode": "floor"}),
            ("linear", "linear", "half_pixel", True, {}),
            ("linear_down", "linear", "half_pixel", False, {}),
            ("linear_corners", "linear", "align_corners", True, {}),
            ("cubic", "cubic", "half_pixel", True, {})):
        yield Case(f"Resize.{name}", _resize(mode, transformation, up, **more))
    yield Case("OneHot.classes", lambda s: Node([
        fed(s(512), type="i64", low=0, high=50), numbers([1000]), numbers([0.0, 1.0], "f32")]))
    yield Case("OneHot.first", lambda s: Node([
        fed(s(1000), type="i64", low=0, high=50), numbers([50]), numbers([0.0, 1.0], "f32")],
        {"axis": 0}))
    yield Case("Trilu.upper", lambda s: Node([fed(12, n := s(256), n)], {"upper": 1}))
    yield Case("Trilu.small", lambda s: Node([fed(s(500), 8, 8)], {"upper": 1}))
    for name, axis in (("last", 1), ("first", 0)):
        yield Case(f"CumSum.{name}.i32", lambda s, a=axis: Node([
            fed(s(300), s(400), type="i32", low=0, high=50), numbers(a)]))
    yield Case("CumSum.last", lambda s: Node([fed(s(256), s(1024)), numbers(1)]))
    yield Case("CumSum.first", lambda s: Node([fed(s(256), s(1024)), numbers(0)]))
    yield Case("ReverseSequence.time", lambda s: Node([
        fed(t := s(100), s(8), s(256)), numbers([t] * 8)], {"time_axis": 0, "batch_axis": 1}),
        size_is_free=False)
    yield Case("Compress.rows", lambda s: Node([fed(n := s(512), s(512)),
                                                fed(n, type="bool")], {"axis": 0}))
    yield Case("NonZero.map", lambda s: Node([fed(s(512), s(512), type="bool")]))
    yield Case("Unique.sorted", lambda s: Node([fed(s(20000), type="i64")], {"sorted": 1}))
    yield Case("Reshape.flat", lambda s: Node([fed(1, s(64), s(56), s(56)), numbers([1, -1])]))
    yield Case("Unsqueeze.first", lambda s: Node([fed(s(128), s(768)), numbers([0])]))
    yield Case("Flatten.map", lambda s: Node([fed(1, s(64), s(56), s(56))]))
    yield Case("Range.long", lambda s: Node([numbers(0), fed(type="i64", data=10000), numbers(1)]),
               size_is_free=False)
    yield Case("Range.i32", lambda s: Node([numbers(0, "i32"), fed(type="i32", data=10000),
                                            numbers(1, "i32")]), size_is_free=False)
    yield Case("ConstantOfShape.map", lambda s: Node([fed(4, type="i64", data=[1, 64, 56, 56])]),
               size_is_free=False)
    yield Case("EyeLike.square", lambda s: Node([fed(s(512), s(512))]))
