# SPDX-License-Identifier: MIT
"""Operators of the numpy evaluator that move, select or make elements, and shape arithmetic."""

import numpy as np
from onnx import numpy_helper

from op_registry import UnsupportedOperator, axes_of, ints, mover


@mover("Identity")
def _identity(node, x):
    return x


@mover("Dropout")
def _dropout(node, x, ratio=None, training=None):
    if training is not None and bool(training):
        raise UnsupportedOperator("Dropout in training mode")
    node.out_types = [node.in_types[0], np.bool_]
    return x, np.ones(x.shape, dtype=np.bool_)


@mover("Constant")
def _constant(node):
    for name, dtype in (("value_float", np.float32), ("value_floats", np.float32),
                        ("value_int", np.int64), ("value_ints", np.int64)):
        if node.has(name):
            return np.asarray(node.attr(name), dtype=dtype)
    if not node.has("value"):
        raise UnsupportedOperator("Constant without a tensor, float or integer value")
    return numpy_helper.to_array(node.attr("value"))


@mover("ConstantOfShape")
def _constant_of_shape(node, shape):
    value = numpy_helper.to_array(node.attr("value")) if node.has("value") else np.zeros(1, "f4")
    return np.full(ints(shape), value.reshape(-1)[0], dtype=value.dtype)


@mover("Shape")
def _shape(node, x):
    return np.asarray(x.shape[slice(node.attr("start", 0), node.attr("end"))], dtype=np.int64)


@mover("Size")
def _size(node, x):
    return np.asarray(x.size, dtype=np.int64)


@mover("Range")
def _range(node, start, limit, delta):
    # Element i is start + i * delta, rounded once.
    wide = np.float64 if start.dtype.kind == "f" else np.int64
    first, last, step = (v.astype(wide).reshape(()) for v in (start, limit, delta))
    count = max(int(np.ceil((last - first) / step)), 0)
    return (first + np.arange(count, dtype=wide) * step).astype(start.dtype)


@mover("Reshape")
def _reshape(node, x, shape):
    target = ints(shape)
    if not node.attr("allowzero", 0):
        target = [x.shape[i] if n == 0 else n for i, n in enumerate(target)]
    return x.reshape(target)


@mover("Flatten")
def _flatten(node, x):
    axis = node.attr("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    rows = int(np.prod(x.shape[:axis], dtype=np.int64))
    return x.reshape(rows, int(np.prod(x.shape[axis:], dtype=np.int64)))


@mover("Transpose")
def _transpose(node, x):
    return np.transpose(x, node.attr("perm"))


@mover("Squeeze")
def _squeeze(node, x, axes=None):
    return np.squeeze(x, axis=axes_of(node, axes, x.ndim))


@mover("Unsqueeze")
def _unsqueeze(node, x, axes=None):
    count = len(node.attr("axes")) if axes is None else axes.size
    return np.expand_dims(x, axes_of(node, axes, x.ndim + count))


@mover("Concat")
def _concat(node, *inputs):
    return np.concatenate(inputs, axis=node.attr("axis"))


@mover("Split")
def _split(node, x, sizes=None):
    axis = node.attr("axis", 0)
    sizes = node.attr("split") if sizes is None else ints(sizes)
    if sizes is None:
        chunk = -(-x.shape[axis] // node.output_count)
        sizes = [chunk] * (node.output_count - 1)
        sizes.append(x.shape[axis] - sum(sizes))
    if sum(sizes) != x.shape[axis]:
        raise ValueError(f"split sizes {sizes} do not add up to {x.shape[axis]}")
    return np.split(x, np.cumsum(sizes)[:-1], axis=axis)


@mover("Slice")
def _slice(node, x, starts=None, ends=None, axes=None, steps=None):
    starts = node.attr("starts") if starts is None else ints(starts)
    ends = node.attr("ends") if ends is None else ints(ends)
    axes = axes_of(node, axes, x.ndim) or range(len(starts))
    steps = [1] * len(starts) if steps is None else ints(steps)
    index = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        size = x.shape[axis]
        start = start + size if start < 0 else start
        end = end + size if end < 0 else end
        if step > 0:
            start, end = min(max(start, 0), size), min(max(end, 0), size)
        else:
            start, end = min(max(start, 0), size - 1), min(max(end, -1), size - 1)
            end = None if end < 0 else end
        index[axis] = slice(start, end, step)
    return x[tuple(index)]


@mover("Gather")
def _gather(node, x, indices):
    axis = node.attr("axis", 0)
    size = x.shape[axis]
    if indices.size and not (-size <= indices.min() and indices.max() < size):
        raise ValueError(f"index outside of [-{size}, {size})")
    return np.take(x, indices, axis=axis)


@mover("GatherElements")
def _gather_elements(node, x, indices):
    axis = node.attr("axis", 0)
    return np.take_along_axis(x, np.where(indices < 0, indices + x.shape[axis], indices), axis)


@mover("GatherND")
def _gather_nd(node, x, indices):
    batch = node.attr("batch_dims", 0)
    lead = indices.shape[:batch]
    x = x.reshape((-1,) + x.shape[batch:])
    flat = indices.reshape((x.shape[0],) + indices.shape[batch:])
    picked = [row[tuple(np.moveaxis(index, -1, 0))] for row, index in zip(x, flat)]
    result = np.stack(picked)
    return result.reshape(lead + result.shape[1:])


@mover("ScatterND")
def _scatter_nd(node, x, indices, updates):
    if node.attr("reduction", "none") != "none":
        raise UnsupportedOperator("ScatterND with a reduction")
    result = x.copy()
    for at in np.ndindex(indices.shape[:-1]):
        result[tuple(indices[at])] = updates[at]
    return result


@mover("Where")
def _where(node, condition, a, b):
    return np.where(condition, a, b)


@mover("Expand")
def _expand(node, x, shape):
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(ints(shape))))


@mover("Tile")
def _tile(node, x, repeats):
    return np.tile(x, ints(repeats))


@mover("Pad")
def _pad(node, x, pads=None, value=None, axes=None):
    pads = node.attr("pads") if pads is None else ints(pads)
    axes = axes_of(node, axes, x.ndim) or range(x.ndim)
    fill = node.attr("value", 0.0) if value is None else value.reshape(-1)[0]
    half = len(pads) // 2
    mode = node.attr("mode", "constant")
    for axis, before, after in zip(axes, pads[:half], pads[half:]):
        size = x.shape[axis]
        x = np.take(x, range(max(-before, 0), size - max(-after, 0)), axis=axis)
        widths = [(0, 0)] * x.ndim
        widths[axis] = (max(before, 0), max(after, 0))
        how = {"constant_values": fill} if mode == "constant" else {}
        x = np.pad(x, widths, mode={"constant": "constant", "edge": "edge",
                                    "reflect": "reflect", "wrap": "wrap"}[mode], **how)
    return x


@mover("NonZero")
def _non_zero(node, x):
    return np.stack(np.nonzero(x)).astype(np.int64)


@mover("Trilu")
def _trilu(node, x, k=None):
    keep = np.triu if node.attr("upper", 1) else np.tril
    return keep(x, 0 if k is None else int(k))
