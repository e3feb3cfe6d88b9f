// SPDX-License-Identifier: MIT
// The rules of differentiation: one function for each operator, that gives the node's inputs their
// part of the gradient of its output.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/ops/shape_rules.h"
#include "core/optimise/gradient/tape.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// What a rule sees: x and y of y = f(x), and g, the gradient of y.
struct Step {
  Tape& t;
  const Node& node;
  ValueId g, y;

  ValueId x(size_t i = 0) const { return node.input(i); }
  bool wants(size_t i) const { return x(i) != kNoValue && t.is_watched(x(i)); }
  ValueId mul(ValueId a, ValueId b) const { return binary("Mul", a, b); }
  ValueId div(ValueId a, ValueId b) const { return binary("Div", a, b); }
  ValueId scaled(ValueId a, double factor) const { return mul(a, t.number(factor, y)); }
  ValueId neg(ValueId a) const { return t.add("Neg", {a}); }
  // The gradient of input i of an operator that broadcasts.
  void give_summed(size_t i, ValueId gradient) const { t.give(x(i), t.summed_to(gradient, x(i))); }
  ValueId binary(std::string op, ValueId a, ValueId b) const {
    return t.add(std::move(op), {a, b}, t.type(y));
  }
  ValueId zero() const { return t.number(0, y); }
};

Status fixed_shape(const Step& s, ValueId id, Dims& dims) {
  const auto found = dims_of(s.t.graph(), id);
  if (!found) return not_implemented("the gradient of ", s.node.label(), ": shapes are not known");
  dims = *found;
  return Status::ok();
}

// --- Of one number each.

Status add(const Step& s) {
  for (size_t i = 0; i < s.node.inputs().size(); ++i) {
    if (s.wants(i)) s.give_summed(i, s.g);
  }
  return Status::ok();
}
Status sub(const Step& s) {
  if (s.wants(0)) s.give_summed(0, s.g);
  if (s.wants(1)) s.give_summed(1, s.neg(s.g));
  return Status::ok();
}
Status mul(const Step& s) {
  if (s.wants(0)) s.give_summed(0, s.mul(s.g, s.x(1)));
  if (s.wants(1)) s.give_summed(1, s.mul(s.g, s.x(0)));
  return Status::ok();
}
Status div(const Step& s) {
  if (s.wants(0)) s.give_summed(0, s.div(s.g, s.x(1)));
  if (s.wants(1)) s.give_summed(1, s.neg(s.div(s.mul(s.g, s.y), s.x(1))));
  return Status::ok();
}
Status pow(const Step& s) {
  const DType dtype = s.t.type(s.y).dtype;
  if (s.t.type(s.x(1)).dtype != dtype) {
    return not_implemented("the gradient of ", s.node.label(), " with an exponent of another type");
  }
  if (s.wants(0)) {
    const ValueId less = s.t.add("Sub", {s.x(1), s.t.number(1, s.y)});
    const ValueId slope = s.mul(s.x(1), s.binary("Pow", s.x(0), less));
    s.give_summed(0, s.mul(s.g, slope));
  }
  if (s.wants(1)) s.give_summed(1, s.mul(s.g, s.mul(s.y, s.t.add("Log", {s.x(0)}))));
  return Status::ok();
}
Status neg(const Step& s) { return s.t.give(s.x(), s.neg(s.g)), Status::ok(); }
Status exp(const Step& s) { return s.t.give(s.x(), s.mul(s.g, s.y)), Status::ok(); }
Status log(const Step& s) { return s.t.give(s.x(), s.div(s.g, s.x())), Status::ok(); }
Status identity(const Step& s) { return s.t.give(s.x(), s.g), Status::ok(); }
Status sqrt(const Step& s) { return s.t.give(s.x(), s.div(s.scaled(s.g, 0.5), s.y)), Status::ok(); }
Status reciprocal(const Step& s) {
  return s.t.give(s.x(), s.neg(s.mul(s.g, s.mul(s.y, s.y)))), Status::ok();
}
Status abs(const Step& s) {
  return s.t.give(s.x(), s.mul(s.g, s.t.add("Sign", {s.x()}))), Status::ok();
}
Status sin(const Step& s) {
  return s.t.give(s.x(), s.mul(s.g, s.t.add("Cos", {s.x()}))), Status::ok();
}
Status cos(const Step& s) {
  return s.t.give(s.x(), s.neg(s.mul(s.g, s.t.add("Sin", {s.x()})))), Status::ok();
}
Status sigmoid(const Step& s) {
  const ValueId rest = s.t.add("Sub", {s.t.number(1, s.y), s.y}, s.t.type(s.y));
  return s.t.give(s.x(), s.mul(s.g, s.mul(s.y, rest))), Status::ok();
}
Status tanh(const Step& s) {
  const ValueId rest = s.t.add("Sub", {s.t.number(1, s.y), s.mul(s.y, s.y)}, s.t.type(s.y));
  return s.t.give(s.x(), s.mul(s.g, rest)), Status::ok();
}
Status softplus(const Step& s) {
  return s.t.give(s.x(), s.mul(s.g, s.t.add("Sigmoid", {s.x()}))), Status::ok();
}
Status erf(const Step& s) {
  const ValueId bell = s.t.add("Exp", {s.neg(s.mul(s.x(), s.x()))});
  return s.t.give(s.x(), s.scaled(s.mul(s.g, bell), 2 / std::sqrt(M_PI))), Status::ok();
}
Status relu(const Step& s) {
  Type flags = s.t.type(s.y);
  flags.dtype = DType::kBool;
  const ValueId is_positive = s.t.add("Greater", {s.x(), s.zero()}, flags);
  s.t.give(s.x(), s.t.add("Where", {is_positive, s.g, s.zero()}, s.t.type(s.y)));
  return Status::ok();
}
Status where(const Step& s) {
  const Type type = s.t.type(s.y);
  if (s.wants(1)) s.give_summed(1, s.t.add("Where", {s.x(0), s.g, s.zero()}, type));
  if (s.wants(2)) s.give_summed(2, s.t.add("Where", {s.x(0), s.zero(), s.g}, type));
  return Status::ok();
}
Status cast(const Step& s) {
  constexpr TypeMask kSmooth = kFloatTypes | mask_of(DType::kFloat16, DType::kBfloat16);
  const DType dtype = s.t.type(s.x()).dtype;
  // Through whole numbers and flags goes no gradient: they are steps, flat where they have a slope.
  if ((mask_of(dtype) & kSmooth) == 0 || (mask_of(s.t.type(s.y).dtype) & kSmooth) == 0) {
    return Status::ok();
  }
  s.t.give(s.x(), s.t.add("Cast", {s.g}, s.t.type(s.x()),
                          {Attribute::of_int("to", static_cast<int64_t>(dtype))}));
  return Status::ok();
}

// --- Products.

ValueId turned(const Step& s, ValueId id) {
  const auto rank = rank_of(s.t.graph(), id);
  std::vector<int64_t> order(rank.value_or(2));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return s.t.transposed(id, order);
}

// A MatMul whose result has these dims.
ValueId product(const Step& s, ValueId a, ValueId b, const Dims& dims) {
  Shape shape;
  for (const int64_t dim : dims) shape.push_back(Dim::known(dim));
  return s.t.add("MatMul", {a, b}, Type::tensor(s.t.type(s.y).dtype, std::move(shape)));
}

Status matmul(const Step& s) {
  Dims a, b, y;
  RETURN_IF_ERROR(fixed_shape(s, s.x(0), a));
  RETURN_IF_ERROR(fixed_shape(s, s.x(1), b));
  RETURN_IF_ERROR(fixed_shape(s, s.y, y));
  if (a.size() < 2 || b.size() < 2) {
    return not_implemented("the gradient of ", s.node.label(), " with a vector");
  }
  Dims wide = y;  // the batches of the result, and the two dims of an operand
  if (s.wants(0)) {
    wide[y.size() - 2] = a[a.size() - 2], wide[y.size() - 1] = a[a.size() - 1];
    s.give_summed(0, product(s, s.g, turned(s, s.x(1)), wide));
  }
  if (s.wants(1)) {
    wide[y.size() - 2] = b[b.size() - 2], wide[y.size() - 1] = b[b.size() - 1];
    s.give_summed(1, product(s, turned(s, s.x(0)), s.g, wide));
  }
  return Status::ok();
}

Status gemm(const Step& s) {
  Dims a, b;
  RETURN_IF_ERROR(fixed_shape(s, s.x(0), a));
  RETURN_IF_ERROR(fixed_shape(s, s.x(1), b));
  const bool turns_a = s.node.int_attribute("transA", 0) != 0;
  const bool turns_b = s.node.int_attribute("transB", 0) != 0;
  const double alpha = static_cast<double>(s.node.float_attribute("alpha", 1));
  const double beta = static_cast<double>(s.node.float_attribute("beta", 1));
  const auto scaled = [&s](ValueId id, double factor) {
    return factor == 1 ? id : s.t.add("Mul", {id, s.t.number(factor, s.y)});
  };
  if (s.wants(0)) {
    const ValueId other = turns_b ? s.x(1) : turned(s, s.x(1));  // [n, k]
    const ValueId result =
        turns_a ? product(s, turned(s, other), turned(s, s.g), a) : product(s, s.g, other, a);
    s.t.give(s.x(0), scaled(result, alpha));
  }
  if (s.wants(1)) {
    const ValueId other = turns_a ? s.x(0) : turned(s, s.x(0));  // [k, m]
    const ValueId result =
        turns_b ? product(s, turned(s, s.g), turned(s, other), b) : product(s, other, s.g, b);
    s.t.give(s.x(1), scaled(result, alpha));
  }
  if (s.wants(2)) s.give_summed(2, scaled(s.g, beta));
  return Status::ok();
}

// --- Reductions.

Status reduced(const Step& s, bool is_mean) {
  const auto rank = rank_of(s.t.graph(), s.x());
  auto axes = axes_of(s.node);
  const bool is_noop = s.node.int_attribute("noop_with_empty_axes", 0) != 0;
  const bool is_all = !axes && s.x(1) == kNoValue;
  if (!rank || (!axes && !is_all) || is_noop) {
    return not_implemented("the gradient of ", s.node.label(), ": its axes are not known");
  }
  std::vector<int64_t> list = axes.value_or(std::vector<int64_t>());
  if (list.empty()) {
    list.resize(*rank);
    std::iota(list.begin(), list.end(), int64_t{0});
  }
  ASSIGN_OR_RETURN(const auto checked, checked_axes(list, *rank));
  list.assign(checked.begin(), checked.end());
  ValueId g = s.g;
  if (s.node.int_attribute("keepdims", 1) == 0) g = s.t.unsqueezed(g, list);
  if (is_mean) {
    Dims x, y;
    RETURN_IF_ERROR(fixed_shape(s, s.x(), x));
    double count = 1;
    for (const int64_t axis : list) count *= static_cast<double>(x[static_cast<size_t>(axis)]);
    g = s.t.add("Div", {g, s.t.number(count, s.y)});
  }
  s.t.give(s.x(), s.t.add("Expand", {g, s.t.shape_of(s.x())}, s.t.type(s.x())));
  return Status::ok();
}
Status reduce_sum(const Step& s) { return reduced(s, false); }
Status reduce_mean(const Step& s) { return reduced(s, true); }

Status softmax(const Step& s) {
  const auto rank = static_cast<int64_t>(rank_of(s.t.graph(), s.y).value_or(0));
  int64_t axis = s.node.int_attribute("axis", s.t.opset() < 13 ? 1 : -1);
  axis += axis < 0 ? rank : 0;
  if (rank == 0 || (s.t.opset() < 13 && axis != rank - 1)) {
    return not_implemented("the gradient of ", s.node.label(), " over several axes");
  }
  const ValueId sum = s.t.sum_over(s.mul(s.g, s.y), {axis}, true);
  return s.t.give(s.x(), s.mul(s.y, s.binary("Sub", s.g, sum))), Status::ok();
}

// --- Movement.

Status reshape(const Step& s) { return s.t.give(s.x(), s.t.reshaped(s.g, s.x())), Status::ok(); }
Status expand(const Step& s) {
  if (s.wants(0)) s.give_summed(0, s.g);
  return Status::ok();
}

Status transpose(const Step& s) {
  const auto rank = rank_of(s.t.graph(), s.x());
  if (!rank) return not_implemented("the gradient of ", s.node.label(), " of unknown rank");
  std::vector<int64_t> reversed(*rank);
  std::iota(reversed.rbegin(), reversed.rend(), int64_t{0});
  ASSIGN_OR_RETURN(const auto order, checked_axes(s.node.ints_attribute("perm", reversed), *rank));
  if (order.size() != *rank) {
    return invalid_graph(s.node.label(), ": attribute 'perm' has ", order.size(),
                         " axes, expected ", *rank);
  }
  std::vector<int64_t> back(*rank);
  for (size_t d = 0; d < order.size(); ++d) back[order[d]] = static_cast<int64_t>(d);
  return s.t.give(s.x(), s.t.transposed(s.g, back)), Status::ok();
}

ValueId sliced(const Step& s, int64_t axis, int64_t begin, int64_t end, ValueId like) {
  return s.t.add("Slice", {s.g, s.t.integers({begin}), s.t.integers({end}), s.t.integers({axis})},
                 s.t.type(like));
}

Status concat(const Step& s) {
  Dims dims;
  RETURN_IF_ERROR(fixed_shape(s, s.y, dims));
  if (s.t.opset() < 10)
    return not_implemented("the gradient of ", s.node.label(), " before opset 10");
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(s.node.int_attribute("axis", 0), dims.size()));
  const size_t rank = dims.size();
  int64_t begin = 0;
  for (size_t i = 0; i < s.node.inputs().size(); ++i) {
    RETURN_IF_ERROR(fixed_shape(s, s.x(i), dims));
    if (dims.size() != rank) return invalid_graph(s.node.label(), ": inputs differ in rank");
    const int64_t end = begin + dims[axis];
    const auto along = static_cast<int64_t>(axis);
    if (s.wants(i)) s.t.give(s.x(i), sliced(s, along, begin, end, s.x(i)));
    begin = end;
  }
  return Status::ok();
}

// Of steps 1: zeros come back where elements were left out.
Status slice(const Step& s) {
  Dims x;
  RETURN_IF_ERROR(fixed_shape(s, s.x(), x));
  const auto starts = constant_integers(s.t.graph(), s.x(1));
  const auto ends = constant_integers(s.t.graph(), s.x(2));
  std::vector<int64_t> axes(starts ? starts->size() : 0);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  bool is_known = starts && ends && s.t.opset() >= 11;
  if (s.x(3) != kNoValue) {
    const auto given = constant_integers(s.t.graph(), s.x(3));
    is_known = is_known && given.has_value();
    if (given) axes = *given;
  }
  if (s.x(4) != kNoValue) {
    const auto steps = constant_integers(s.t.graph(), s.x(4));
    is_known = is_known && steps &&
               std::all_of(steps->begin(), steps->end(), [](int64_t step) { return step == 1; });
  }
  if (!is_known) return not_implemented("the gradient of ", s.node.label(), " with such steps");
  ASSIGN_OR_RETURN(const auto checked, checked_axes(axes, x.size()));
  if (starts->size() != axes.size() || ends->size() != axes.size()) {
    return invalid_graph(s.node.label(), ": starts, ends and axes have ", starts->size(), ", ",
                         ends->size(), " and ", axes.size(), " numbers");
  }
  std::vector<int64_t> pads(2 * x.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = checked[i];
    const auto bounded = [&](int64_t place) {
      return std::clamp<int64_t>(place < 0 ? place + x[axis] : place, 0, x[axis]);
    };
    const int64_t begin = bounded((*starts)[i]);
    pads[axis] = begin;
    pads[x.size() + axis] = x[axis] - std::max(begin, bounded((*ends)[i]));
  }
  s.t.give(s.x(), s.t.add("Pad", {s.g, s.t.integers(pads)}, s.t.type(s.x())));
  return Status::ok();
}

// --- The list.

struct Rule {
  std::string_view op;
  Status (*run)(const Step& step);
};
constexpr Rule kRules[] = {
    {"Abs", abs},
    {"Add", add},
    {"Cast", cast},
    {"Concat", concat},
    {"Cos", cos},
    {"Div", div},
    {"Erf", erf},
    {"Exp", exp},
    {"Expand", expand},
    {"Flatten", reshape},
    {"Gemm", gemm},
    {"Identity", identity},
    {"Log", log},
    {"MatMul", matmul},
    {"Mul", mul},
    {"Neg", neg},
    {"Pow", pow},
    {"Reciprocal", reciprocal},
    {"ReduceMean", reduce_mean},
    {"ReduceSum", reduce_sum},
    {"Relu", relu},
    {"Reshape", reshape},
    {"Sigmoid", sigmoid},
    {"Sin", sin},
    {"Slice", slice},
    {"Softmax", softmax},
    {"Softplus", softplus},
    {"Sqrt", sqrt},
    {"Squeeze", reshape},
    {"Sub", sub},
    {"Sum", add},
    {"Tanh", tanh},
    {"Transpose", transpose},
    {"Unsqueeze", reshape},
    {"Where", where},
};

}  // namespace

Status differentiate(Tape& tape, const Node& node) {
  for (const Rule& rule : kRules) {
    if (!node.is_op(rule.op)) continue;
    RETURN_IF_ERROR(rule.run(Step{tape, node, tape.gradient(node.output(0)), node.output(0)}));
    return tape.status();
  }
  return not_implemented("the gradient of ", node.label());
}

}  // namespace ortc
