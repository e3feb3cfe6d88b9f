# SPDX-License-Identifier: MIT
"""Forms of operators that move, select, count or make elements."""


import numpy as np

import elements
import wire
from forms import TYPES, WIDENED, any_, distinct, form, i, nonzero, scalar, word


def _number(kind):
    return wire.NUMBERS[word(kind)]


def _tensor(kind, values):
    """A tensor of sample numbers as an attribute."""
    name = word(kind)
    array = elements.wide(name, values)
    if name == "string":
        return wire.Tensor(name, array.shape, texts=array.reshape(-1).tolist())
    return wire.Tensor(name, array.shape, elements.bits_of(name, array).tobytes())


def _numbers(kind, values):
    return elements.wide(word(kind), values)


form("Identity", any_(2, 3), where=lambda t: t.get("V", t.get("T", "")).startswith("tensor"))
form("Identity", [any_(2), any_(3, start=1)], since=14, where=lambda t: t["V"].startswith("seq"),
     expected=lambda n, x: [x])
form("Identity", any_(2), since=14, where=lambda t: t["V"].startswith("optional(tensor"),
     expected=lambda n, x: x)
form("Identity", [any_(2), any_(3)], since=14, where=lambda t: t["V"].startswith("optional(seq"),
     expected=lambda n, x: [x])

# Shapes.
form("Reshape", any_(2, 3), shape=[3, -1], until=4, expected=lambda n, x: x.reshape(3, 2))
form("Reshape", any_(2, 3), shape=[3, -1], until=4, consumed_inputs=[0],
     expected=lambda n, x: x.reshape(3, 2))
form("Reshape", any_(2, 3), i(3, -1), since=5)
form("Flatten", any_(2, 3, 2))
form("Flatten", any_(2, 3, 2), axis=2)
form("Squeeze", any_(1, 3, 1), axes=[0], until=12)
form("Squeeze", any_(1, 3, 1))
form("Squeeze", any_(1, 3, 1), i(-1), since=13)
form("Unsqueeze", any_(2, 3), axes=[0, 2], until=12)
form("Unsqueeze", any_(2, 3), i(0, -1), since=13)
form("Shape", any_(2, 3))
form("Shape", any_(2, 3), start=1, since=15)
form("Size", any_(2, 3))
form("Transpose", any_(2, 3, 2))
form("Transpose", any_(2, 3, 2), perm=[1, 2, 0])
form("Expand", any_(3, 1), i(2, 1, 2))

# Joining and cutting.
form("Concat", any_(2, 3), any_(2, 2, start=1), axis=1, since=4)
form("Concat", any_(2, 3), any_(1, 3, start=1), axis=0)
form("Concat", any_(2, 3), any_(2, 2), until=3, expected=lambda n, a, b: np.concatenate([a, b], 1))
form("Split", any_(5, 2), split=[2, 3], axis=0, until=12, outputs=2)
form("Split", any_(4, 2), until=1, split=[2, 2], axis=0, outputs=2)
form("Split", any_(4, 2), i(1, 3), until=1, axis=0, outputs=2,
     expected=lambda n, x, s: [x[:1], x[1:]])
form("Split", any_(4, 3), until=17, outputs=2)
form("Split", any_(5, 3), i(2, 3), since=13, outputs=2)
form("Split", any_(2, 5), num_outputs=2, axis=1, since=18, outputs=2)
form("Slice", any_(3, 4), starts=[1, -3], ends=[9, -1], until=9)
form("Slice", any_(3, 4), starts=[1], ends=[3], axes=[1], until=9)
form("Slice", any_(3, 4), i(1, -1), i(3, -4), i(0, 1), i(1, -2), since=10)
form("Slice", any_(3, 4), i(1), i(3), since=10)
form("Tile", any_(2, 3), i(2, 1), since=6)
form("Tile", any_(2, 3), scalar(2), scalar(1), until=5, where=lambda t: True,
     expected=lambda n, x, tiles, axis: np.concatenate([x] * 2, 1))
form("Pad", any_(2, 3), paddings=[0, 1, 1, 0], value=1.5, until=1,
     expected=lambda n, x: np.pad(x, ((0, 1), (1, 0)), constant_values=1.5))
form("Pad", any_(2, 3), paddings=[0, 1, 1, 0], mode="edge", until=1,
     expected=lambda n, x: np.pad(x, ((0, 1), (1, 0)), mode="edge"))
form("Pad", any_(2, 3), pads=[0, 1, 1, 0], value=1.5, since=2, until=10)
form("Pad", any_(2, 3), pads=[0, 1, 1, 0], mode="reflect", since=2, until=10)


def _pad_filled(n, x, pads, value=None, axes=None):
    from op_registry import OPS
    if value is None:
        value = np.asarray({"O": "", "b": False}.get(x.dtype.kind, 0), x.dtype)
    pads, axes = np.asarray(pads, int), None if axes is None else np.asarray(axes, int)
    node = _without_words(n)
    if x.dtype.kind == "O":
        at = np.arange(x.size).reshape(x.shape)
        flat = np.append(x.reshape(-1), value.reshape(-1))
        if n.attr("mode", "constant") == "constant":
            return flat[OPS[("ai.onnx", "Pad")](node, at, pads, np.asarray(x.size), axes)]
        return flat[OPS[("ai.onnx", "Pad")](node, at, pads, None, axes)]
    return OPS[("ai.onnx", "Pad")](node, x, pads, value, axes)


def _without_words(node):
    return node


form("Pad", any_(2, 3), i(0, 1, 1, 0), scalar(2), since=11, expected=_pad_filled)
form("Pad", any_(2, 3), i(0, 1, 1, -1), since=11, expected=_pad_filled)
form("Pad", any_(2, 3), i(1, 1, 1, 1), since=11, mode="reflect", expected=_pad_filled)
form("Pad", any_(2, 3), i(0, 1, 1, 0), since=11, mode="edge", expected=_pad_filled)
form("Pad", any_(2, 3), i(2, 1), scalar(2), i(1), since=18, expected=_pad_filled)
form("Pad", any_(2, 3), i(1, 1, 1, 1), since=19, mode="wrap", expected=_pad_filled)
form("Trilu", any_(3, 3), expected=lambda n, x: _masked(x, np.triu(np.ones(x.shape, bool))))
form("Trilu", any_(2, 3, 3), scalar(1), upper=0,
     expected=lambda n, x, k: _masked(x, np.tril(np.ones(x.shape, bool), 1)))


def _masked(x, keep):
    return np.where(keep, x, "" if x.dtype.kind == "O" else x.dtype.type(0))


def _center(n, x, shape):
    axes = n.attr("axes", list(range(x.ndim)))
    for axis, size in zip(axes, shape):
        have, size = x.shape[axis], int(size)
        if size < have:
            first = (have - size) // 2
            x = np.take(x, range(first, first + size), axis)
        else:
            pads = [(0, 0)] * x.ndim
            pads[axis] = ((size - have) // 2, size - have - (size - have) // 2)
            x = np.pad(x, pads, constant_values="" if x.dtype.kind == "O" else 0)
    return x


form("CenterCropPad", any_(4, 3), i(2, 5), expected=_center)
form("CenterCropPad", any_(4, 3), i(4), axes=[1], expected=_center)


def _depth_to_space(n, x):
    b = n.attr("blocksize")
    m, c, h, w = x.shape
    if n.attr("mode", "DCR") == "DCR":
        return x.reshape(m, b, b, c // b // b, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(
            m, c // b // b, h * b, w * b)
    return x.reshape(m, c // b // b, b, b, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(
        m, c // b // b, h * b, w * b)


form("DepthToSpace", any_(1, 8, 2, 1), blocksize=2, expected=_depth_to_space)
form("DepthToSpace", any_(1, 8, 2, 1), blocksize=2, mode="CRD", since=11,
     expected=_depth_to_space)
form("SpaceToDepth", any_(1, 2, 2, 4), blocksize=2, expected=lambda n, x: x.reshape(
    1, 2, 1, 2, 2, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 8, 1, 2))


def _reverse(n, x, lengths):
    y = x.copy()
    batch, time = n.attr("batch_axis", 1), n.attr("time_axis", 0)
    for b, length in enumerate(np.asarray(lengths, int)):
        at = [slice(None)] * x.ndim
        at[batch] = b
        row = np.moveaxis(y[tuple(at)], time - (batch < time), 0)
        row[:length] = row[:length][::-1].copy()
    return y


form("ReverseSequence", any_(3, 2, 2), i(2, 3), expected=_reverse)
form("ReverseSequence", any_(2, 3), i(2, 3), batch_axis=0, time_axis=1, expected=_reverse)

# Gathering and scattering.
form("Gather", any_(3, 2), np.asarray([[0, 2], [1, 1]]))
form("Gather", any_(3, 2), scalar(1), axis=1)
form("Gather", any_(3, 2), i(-1), since=11)
form("GatherElements", any_(3, 2), np.asarray([[0, -1], [1, 0]]), axis=0)
form("GatherND", any_(2, 3), np.asarray([[0, 1], [1, -1]]))
form("GatherND", any_(2, 3), np.asarray([[1], [0]]), batch_dims=1, since=12)


def _reduced(n, old, new):
    """What is written where `old` stands."""
    how = n.attr("reduction", "none")
    if how == "none":
        return new
    if old.dtype.kind == "b":
        return {"add": old | new, "mul": old & new, "max": old | new, "min": old & new}[how]
    with np.errstate(all="ignore"):
        return {"add": lambda: old + new, "mul": lambda: old * new,
                "max": lambda: np.maximum(old, new), "min": lambda: np.minimum(old, new)}[how]()


def _scatter(n, x, indices, updates):
    y, axis = x.copy(), n.attr("axis", 0)
    for at in np.ndindex(indices.shape):
        place = list(at)
        place[axis] = int(indices[at])
        place = tuple(place)
        y[place] = _reduced(n, y[place], updates[at])
    return y


def _scatter_nd(n, x, indices, updates):
    y = x.copy()
    for at in np.ndindex(indices.shape[:-1]):
        place = tuple(int(v) for v in indices[at])
        y[place] = _reduced(n, y[place], updates[at])
    return y


_AT = np.asarray([[1, 0], [2, -1]])
_NUMERIC = lambda t: word(t["T"]) not in ("string", "complex64", "complex128")
form("Scatter ScatterElements", any_(3, 2), np.asarray([[1, 0], [2, 1]]), any_(2, 2, start=3),
     expected=_scatter)
form("ScatterElements", any_(3, 2), _AT, any_(2, 2, start=3), axis=-2, expected=_scatter)
form("ScatterND", any_(3, 2), np.asarray([[1], [0]]), any_(2, 2, start=3), expected=_scatter_nd)
for _reduction, _since in (("add", 16), ("mul", 16), ("max", 18), ("min", 18)):
    form("ScatterElements", any_(3, 2), np.asarray([[1, 1]]), nonzero(1, 2, start=3), since=_since,
         reduction=_reduction, expected=_scatter, where=_NUMERIC)
    form("ScatterND", any_(3, 2), np.asarray([[1], [1]]), nonzero(2, 2, start=3), since=_since,
         reduction=_reduction, expected=_scatter_nd, where=_NUMERIC)


def _tensor_scatter(n, past, update, at=None):
    y, axis = past.copy(), n.attr("axis", -2)
    for b in range(past.shape[0]):
        first = 0 if at is None else int(at[b])
        for k in range(update.shape[axis]):
            place = (first + k) % past.shape[axis] if n.attr("mode") == "circular" else first + k
            y[b, :, place] = update[b, :, k]
    return y


form("TensorScatter", any_(2, 1, 4, 2), any_(2, 1, 2, 2, start=3), i(1, 2),
     expected=_tensor_scatter)
form("TensorScatter", any_(2, 1, 4, 2), any_(2, 1, 2, 2, start=3), i(1, 3), mode="circular",
     expected=_tensor_scatter)
form("Compress", any_(3, 2), i(1, 0, 1), axis=0, expected=lambda n, x, c: np.compress(c, x, 0))
form("Compress", any_(3, 2), i(1, 0, 0, 1), expected=lambda n, x, c: np.compress(c, x))
form("NonZero", any_(2, 3), expected=lambda n, x: np.stack(np.nonzero(
    x != "" if x.dtype.kind == "O" else x)))


def _unique(n, x):
    axis, is_sorted = n.attr("axis"), n.attr("sorted", 1)
    rows = [(v,) for v in x.reshape(-1)] if axis is None else [
        tuple(row.reshape(-1)) for row in np.moveaxis(x, axis, 0)]
    kept = list(dict.fromkeys(rows))
    if is_sorted:
        kept.sort(key=lambda row: [(v.real, v.imag) if isinstance(v, complex) else v for v in row])
    first = [rows.index(row) for row in kept]
    y = np.take(x.reshape(-1) if axis is None else x, first, 0 if axis is None else axis)
    return [y, np.asarray(first), np.asarray([kept.index(row) for row in rows]),
            np.asarray([rows.count(row) for row in kept])]


form("Unique", i(2, 1, 1, 3, 2), outputs=4, expected=_unique)
form("Unique", i(2, 1, 1, 3, 2), outputs=4, sorted=0, expected=_unique)
form("Unique", np.asarray([[1, 2], [3, 0], [1, 2]]), outputs=4, axis=0, expected=_unique)


def _top(n, x, k=None):
    k = int(np.reshape(k, -1)[0]) if k is not None else n.attr("k")
    axis = n.attr("axis", -1)
    order = np.argsort(-x.astype(np.float64) if n.attr("largest", 1) else x, axis=axis,
                       kind="stable")
    at = np.take(order, range(k), axis)
    return [np.take_along_axis(x, at, axis), at]


form("TopK", distinct(2, 4), k=2, until=9, outputs=2, expected=_top)
form("TopK", distinct(4, 2), i(3), axis=0, since=10, outputs=2, expected=_top)
form("TopK", distinct(2, 4), i(2), largest=0, since=11, outputs=2, expected=_top)


def _one_hot(n, indices, depth, values):
    depth, axis = int(np.reshape(depth, -1)[0]), n.attr("axis", -1)
    at = np.asarray(indices, np.float64)
    at = np.where(at < 0, at + depth, at)[..., None] == np.arange(depth)
    return np.moveaxis(np.where(at, values[1], values[0]), -1, axis)


form("OneHot", i(1, 0, 2), scalar(3), i(1, 2), expected=_one_hot)
form("OneHot", i(1, 0), i(2), i(0, 1), axis=0, expected=_one_hot, where=lambda t:
     "int64" in (word(t["T1"]), word(t["T2"]), word(t["T3"])))

# Making elements.
form("Constant", attrs=lambda t: {"value": _tensor(t["T"], any_(2, 3))}, extra=("T",),
     expected=lambda n: elements.wide(n.out_words[0], any_(2, 3)))
for _name, _value, _kind in (("value_float", 1.5, "float"), ("value_floats", [1.5, 2.0], "float"),
                             ("value_int", 3, "int64"), ("value_ints", [3, 4], "int64"),
                             ("value_string", "a", "string"), ("value_strings", ["a", "b"],
                                                               "string")):
    form("Constant", attrs={_name: _value}, since=12, extra=("T",),
         where=lambda t, _kind=_kind: word(t["T"]) == _kind,
         expected=lambda n, _value=_value: np.asarray(
             _value, object if isinstance(np.ravel(_value)[0], str) else None))
form("ConstantOfShape", i(2, 3), attrs=lambda t: {"value": _tensor(t["T2"], i(2))}, extra=("T2",),
     expected=lambda n, s: np.full((2, 3), elements.wide(n.out_words[0], i(2))[0]))
form("ConstantOfShape", i(2, 3), expected=lambda n, s: np.zeros((2, 3)))
form("EyeLike", any_(2, 3), k=1, attrs=lambda t: {"dtype": _number(t["T2"]), "k": 1},
     extra=("T2",), expected=lambda n, x: np.eye(2, 3, 1))
form("EyeLike", any_(3, 3), expected=lambda n, x: np.eye(3))
form("Range", scalar(1), scalar(9), scalar(3))
form("Range", scalar(9), scalar(1), scalar(-2))
for _name in ("RandomNormal", "RandomUniform"):
    form(_name, attrs=lambda t: {"dtype": _number(t["T"]), "shape": [2, 3], "seed": 1.0},
         extra=("T",), expected=TYPES)
    form(_name + "Like", any_(2, 3), attrs=lambda t: {"dtype": _number(t["T2"]), "seed": 1.0},
         extra=("T2",), expected=TYPES)
    form(_name + "Like", any_(2, 3), seed=1.0, where=lambda t: word(t["T1"]) in (
        "float", "double", "float16"), expected=TYPES)
form("Bernoulli", np.full((2, 3), 0.5), attrs=lambda t: {"dtype": _number(t["T2"])},
     extra=("T2",), expected=TYPES)
form("Bernoulli", i(0, 1, 1), expected=lambda n, x: x)
form("Multinomial", any_(2, 3), attrs=lambda t: {"dtype": _number(t["T2"]), "sample_size": 4},
     extra=("T2",), expected=TYPES)

# Windows and transforms of signals.


def _window(n, size):
    count = int(size)
    terms = {"HannWindow": (0.5, 0.5), "HammingWindow": (25 / 46, 21 / 46),
             "BlackmanWindow": (0.42, 0.5, 0.08)}[n.op_type]
    turn = 2 * np.pi * np.arange(count) / (count if n.attr("periodic", 1) else count - 1)
    y = sum((-1) ** k * term * np.cos(k * turn) for k, term in enumerate(terms))
    return np.trunc(y) if "int" in n.out_words[0] else y


for _periodic in (0, 1):
    form("HannWindow HammingWindow BlackmanWindow", scalar(6), extra=("T2",), expected=_window,
         attrs=lambda t, p=_periodic: {"output_datatype": _number(t["T2"]), "periodic": p},
         where=lambda t: "float" in t["T2"] or "double" in t["T2"])
    form("HannWindow HammingWindow BlackmanWindow", scalar(6), extra=("T2",), expected=TYPES,
         attrs=lambda t, p=_periodic: {"output_datatype": _number(t["T2"]), "periodic": p},
         where=lambda t: "int" in t["T2"])
form("MelWeightMatrix", scalar(2), scalar(8), scalar(16), scalar(0), scalar(8), extra=("T3",),
     attrs=lambda t: {"output_datatype": _number(t["T3"])}, expected=WIDENED)


def _dft(n, x, length=None, axis=None):
    x = x[..., 0] + 1j * (x[..., 1] if x.shape[-1] == 2 else 0)
    axis = int(axis) if axis is not None else n.attr("axis", 1 if n.opset < 20 else -2)
    axis = axis + x.ndim + 1 if axis < 0 else axis
    count = None if length is None else int(length)
    y = (np.fft.ifft if n.attr("inverse", 0) else np.fft.fft)(x, count, axis)
    if n.attr("onesided", 0):
        y = np.take(y, range(y.shape[axis] // 2 + 1), axis)
    return np.stack([y.real, y.imag], -1)


form("DFT", any_(2, 4, 1), scalar(6), until=19, axis=1, expected=_dft, steps=32)
form("DFT", any_(2, 4, 1), onesided=1, expected=_dft, steps=32)
form("DFT", any_(2, 4, 2), inverse=1, expected=_dft, steps=32)
form("DFT", any_(2, 4, 1), scalar(3), scalar(0), since=20, expected=_dft, steps=32)


def _stft(n, x, step, window=None, length=None):
    length = int(length) if length is not None else len(window)
    window = np.ones(length) if window is None else window
    step = int(step)
    frames = [x[:, k:k + length, 0] * window for k in range(0, x.shape[1] - length + 1, step)]
    y = np.fft.fft(np.stack(frames, 1))[..., :length // 2 + 1 if n.attr("onesided", 1) else None]
    return np.stack([y.real, y.imag], -1)


form("STFT", any_(1, 10, 1), scalar(2), np.asarray([1, 2, 2, 1]), scalar(4),
     expected=_stft, steps=32)
form("STFT", any_(1, 10, 1), scalar(2), None, scalar(4), onesided=0, expected=_stft, steps=32)

# Texts.
form("StringConcat", i(1, 2), i(3, 4), expected=lambda n, a, b: a + b)
form("StringSplit", np.asarray(["a b", "c"], object), outputs=2, delimiter=" ",
     expected=lambda n, x: [np.asarray([["a", "b"], ["c", ""]], object), np.asarray([2, 1])])
form("StringNormalizer", np.asarray(["Ab", "cD"], object), case_change_action="UPPER",
     expected=lambda n, x: np.asarray(["AB", "CD"], object))
form("RegexFullMatch", np.asarray(["ab", "b"], object), pattern="a.",
     expected=lambda n, x: np.asarray([True, False]))
form("ImageDecoder", i(66, 77, 0), expected=TYPES)
form("TfIdfVectorizer", i(1, 2, 1, 3), expected=lambda n, x: np.asarray([2.0, 1, 1]),
     where=lambda t: "int" in t["T"], mode="TF", min_gram_length=1, max_gram_length=1,
     max_skip_count=0, ngram_counts=[0], ngram_indexes=[0, 1, 2], pool_int64s=[1, 2, 3])
form("TfIdfVectorizer", i(1, 2, 1, 3), expected=lambda n, x: np.asarray([2.0, 1, 1]),
     where=lambda t: "string" in t["T"], mode="TF", min_gram_length=1, max_gram_length=1,
     max_skip_count=0, ngram_counts=[0], ngram_indexes=[0, 1, 2], pool_strings=["1", "2", "3"])
