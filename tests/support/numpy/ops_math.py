# SPDX-License-Identifier: MIT
"""Element-wise arithmetic, comparison, reduction and cast for the numpy evaluator."""

import math

import numpy as np
import onnx

from op_registry import UnsupportedOperator, axes_of, operator

_erf = np.frompyfunc(math.erf, 1, 1)


def _unary(name, function):
    operator(name)(lambda node, x: function(x))


def _binary(name, function):
    operator(name)(lambda node, a, b: function(a, b))


def erf(x):
    return _erf(x).astype(np.float64) if x.size else x


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e))


for _name, _function in {
    "Abs": np.abs, "Neg": np.negative, "Sqrt": np.sqrt, "Exp": np.exp, "Log": np.log,
    "Floor": np.floor, "Ceil": np.ceil, "Round": np.rint, "Sign": np.sign, "Sin": np.sin,
    "Cos": np.cos, "Tan": np.tan, "Sinh": np.sinh, "Cosh": np.cosh, "Asin": np.arcsin,
    "Acos": np.arccos, "Atan": np.arctan, "Asinh": np.arcsinh, "Acosh": np.arccosh,
    "Atanh": np.arctanh, "Tanh": np.tanh, "Not": np.logical_not, "IsNaN": np.isnan, "Erf": erf,
    "Reciprocal": lambda x: 1 / x, "Sigmoid": sigmoid,
    "Relu": lambda x: np.maximum(x, x.dtype.type(0)),
    "Softplus": lambda x: np.logaddexp(0, x), "Softsign": lambda x: x / (1 + np.abs(x)),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "Mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
}.items():
    _unary(_name, _function)


def _divide(a, b):
    """Integers are divided towards zero."""
    if a.dtype.kind == "f":
        return a / b
    quotient = np.abs(a) // np.abs(b)
    return np.where((a < 0) != (b < 0), -quotient, quotient).astype(a.dtype)


for _name, _function in {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": _divide, "Equal": np.equal,
    "Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal, "And": np.logical_and, "Or": np.logical_or,
    "Xor": np.logical_xor, "PRelu": lambda x, slope: np.where(x < 0, x * slope, x),
}.items():
    _binary(_name, _function)


@operator("Pow")
def _pow(node, base, exponent):
    result = np.power(base.astype(np.float64), exponent.astype(np.float64))
    node.out_types = [node.in_types[0]]
    return result if base.dtype.kind == "f" else result.astype(base.dtype)


@operator("Mod")
def _mod(node, a, b):
    return np.fmod(a, b) if node.attr("fmod", 0) else np.mod(a, b)


@operator("Min", "Max", "Sum", "Mean")
def _variadic(node, *inputs):
    combine = {"Min": np.minimum, "Max": np.maximum}.get(node.op_type, np.add)
    result = inputs[0]
    for other in inputs[1:]:
        result = combine(result, other)
    return result / len(inputs) if node.op_type == "Mean" else result


@operator("Clip")
def _clip(node, x, low=None, high=None):
    low = node.attr("min") if low is None else low
    high = node.attr("max") if high is None else high
    if low is not None:
        x = np.maximum(x, np.asarray(low, dtype=x.dtype))
    if high is not None:
        x = np.minimum(x, np.asarray(high, dtype=x.dtype))
    return x


@operator("LeakyRelu")
def _leaky_relu(node, x):
    return np.where(x < 0, x * node.attr("alpha", 0.01), x)


@operator("Elu")
def _elu(node, x):
    return np.where(x < 0, node.attr("alpha", 1.0) * np.expm1(x), x)


@operator("Selu")
def _selu(node, x):
    alpha = node.attr("alpha", 1.67326319217681884765625)
    gamma = node.attr("gamma", 1.05070102214813232421875)
    return gamma * np.where(x <= 0, alpha * np.expm1(x), x)


@operator("HardSigmoid")
def _hard_sigmoid(node, x):
    return np.clip(node.attr("alpha", 0.2) * x + node.attr("beta", 0.5), 0, 1)


@operator("Gelu")
def _gelu(node, x):
    if node.attr("approximate", "none") == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


@operator("Cast")
def _cast(node, x):
    target = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE.get(node.attr("to"))
    source = node.in_types[0]
    strange = (onnx.TensorProto.BFLOAT16, onnx.TensorProto.STRING)
    if target is None or node.attr("to") in strange or source.kind not in "fiub":
        raise UnsupportedOperator(f"Cast to element type {node.attr('to')} from {source}")
    node.out_types = [target]
    if target == source:
        return x
    # A wide float is first rounded to the type it stands for, then converted.
    return x.astype(source).astype(target)


# Reductions.


def _log_sum_exp(x, axis, keepdims):
    peak = np.max(x, axis=axis, keepdims=True)
    peak = np.where(np.isfinite(peak), peak, 0)
    total = np.log(np.sum(np.exp(x - peak), axis=axis, keepdims=True)) + peak
    return total if keepdims else np.squeeze(total, axis=axis)


_REDUCTIONS = {
    "ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min,
    "ReduceProd": np.prod, "ReduceLogSumExp": _log_sum_exp,
    "ReduceL1": lambda x, **how: np.sum(np.abs(x), **how),
    "ReduceL2": lambda x, **how: np.sqrt(np.sum(x * x, **how)),
    "ReduceSumSquare": lambda x, **how: np.sum(x * x, **how),
    "ReduceLogSum": lambda x, **how: np.log(np.sum(x, **how)),
}


@operator(*_REDUCTIONS)
def _reduce(node, x, axes=None):
    axes = axes_of(node, axes, x.ndim)
    if not axes:
        if node.attr("noop_with_empty_axes", 0):
            return x
        axes = tuple(range(x.ndim))
    keepdims = bool(node.attr("keepdims", 1))
    return np.asarray(_REDUCTIONS[node.op_type](x, axis=axes, keepdims=keepdims)).astype(x.dtype)


@operator("ArgMax", "ArgMin")
def _arg_extreme(node, x):
    axis = node.attr("axis", 0) % x.ndim
    search = np.argmax if node.op_type == "ArgMax" else np.argmin
    if node.attr("select_last_index", 0):
        index = x.shape[axis] - 1 - search(np.flip(x, axis), axis=axis)
    else:
        index = search(x, axis=axis)
    return np.expand_dims(index, axis) if node.attr("keepdims", 1) else index


@operator("CumSum")
def _cum_sum(node, x, axis):
    axis = int(axis) % x.ndim
    if node.attr("reverse", 0):
        x = np.flip(x, axis)
    result = np.cumsum(x, axis=axis, dtype=x.dtype)
    if node.attr("exclusive", 0):
        result = result - x
    return np.flip(result, axis) if node.attr("reverse", 0) else result
