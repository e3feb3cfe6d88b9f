// SPDX-License-Identifier: MIT
// Writing a gradient's nodes: see the header. Axes are an input or an attribute of ReduceSum and
// Unsqueeze, by the opset.
#include "core/optimise/gradient/tape.h"

#include <algorithm>

#include "core/rewrite/facts.h"

namespace ortc {

void Tape::fail(Status status) {
  if (status_.is_ok()) status_ = std::move(status);
}

ValueId Tape::add(std::string op, std::vector<ValueId> inputs, Type type,
                  std::vector<Attribute> attributes) {
  if (!status_.is_ok()) return kNoValue;
  auto value = graph_.add_value(graph_.unique_name(name_), std::move(type));
  if (!value.is_ok()) {
    fail(std::move(value).status());
    return kNoValue;
  }
  fail(graph_.add_node(std::move(op), "", name_, std::move(inputs), {*value}, std::move(attributes))
           .status());
  return *value;
}

ValueId Tape::add(std::string op, std::vector<ValueId> inputs) {
  if (!status_.is_ok()) return kNoValue;
  Type same = type(inputs[0]);
  return add(std::move(op), std::move(inputs), std::move(same));
}

ValueId Tape::number(double value, ValueId like) {
  if (!status_.is_ok()) return kNoValue;
  const DType dtype = type(like).dtype;
  if (dtype == DType::kFloat64) return graph_.add_constant(name_, Tensor::scalar(value));
  const ValueId plain = graph_.add_constant(name_, Tensor::scalar(static_cast<float>(value)));
  if (dtype == DType::kFloat32) return plain;
  return add("Cast", {plain}, Type::tensor(dtype, Shape{}),
             {Attribute::of_int("to", static_cast<int64_t>(dtype))});
}

ValueId Tape::integers(std::vector<int64_t> values) {
  if (!status_.is_ok()) return kNoValue;
  const Dims dims = {static_cast<int64_t>(values.size())};
  return graph_.add_constant(name_, Tensor::from<int64_t>(dims, values));
}

ValueId Tape::shape_of(ValueId id) {
  if (!status_.is_ok()) return kNoValue;
  const auto rank = rank_of(graph_, id);
  const Dim count = rank ? Dim::known(static_cast<int64_t>(*rank)) : Dim::unknown();
  return add("Shape", {id}, Type::tensor(DType::kInt64, Shape{count}));
}

ValueId Tape::filled(double value, ValueId like) {
  const ValueId scalar = number(value, like);
  const ValueId shape = shape_of(like);
  return status_.is_ok() ? add("Expand", {scalar, shape}, type(like)) : kNoValue;
}

namespace {

bool takes_axes_as_input(const Tape& tape) { return tape.opset() >= 13; }

bool contains(const std::vector<int64_t>& axes, size_t axis) {
  return std::find(axes.begin(), axes.end(), static_cast<int64_t>(axis)) != axes.end();
}

}  // namespace

ValueId Tape::sum_over(ValueId x, std::vector<int64_t> axes, bool keeps) {
  if (!status_.is_ok() || axes.empty()) return x;
  Type summed = type(x);
  if (summed.shape) {
    Shape left;
    for (size_t d = 0; d < summed.shape->size(); ++d) {
      if (!contains(axes, d)) left.push_back((*summed.shape)[d]);
      if (contains(axes, d) && keeps) left.push_back(Dim::known(1));
    }
    summed.shape = std::move(left);
  }
  std::vector<Attribute> attributes = {Attribute::of_int("keepdims", keeps ? 1 : 0)};
  if (takes_axes_as_input(*this)) {
    const ValueId list = integers(std::move(axes));
    return add("ReduceSum", {x, list}, std::move(summed), std::move(attributes));
  }
  attributes.push_back(Attribute::of_ints("axes", std::move(axes)));
  return add("ReduceSum", {x}, std::move(summed), std::move(attributes));
}

ValueId Tape::unsqueezed(ValueId x, std::vector<int64_t> axes) {
  if (!status_.is_ok() || axes.empty()) return x;
  Type wide = type(x);
  if (wide.shape) {
    Shape dims;
    auto next = wide.shape->begin();
    for (size_t d = 0; d < wide.shape->size() + axes.size(); ++d) {
      dims.push_back(contains(axes, d) ? Dim::known(1) : *next++);
    }
    wide.shape = std::move(dims);
  }
  if (takes_axes_as_input(*this)) {
    const ValueId list = integers(std::move(axes));
    return add("Unsqueeze", {x, list}, std::move(wide));
  }
  return add("Unsqueeze", {x}, std::move(wide), {Attribute::of_ints("axes", std::move(axes))});
}

ValueId Tape::transposed(ValueId x, std::vector<int64_t> order) {
  if (!status_.is_ok()) return kNoValue;
  Type turned = type(x);
  if (turned.shape) {
    for (size_t d = 0; d < order.size(); ++d) {
      (*turned.shape)[d] = (*type(x).shape)[static_cast<size_t>(order[d])];
    }
  }
  return add("Transpose", {x}, std::move(turned), {Attribute::of_ints("perm", std::move(order))});
}

ValueId Tape::reshaped(ValueId x, ValueId like) {
  const ValueId shape = shape_of(like);
  if (!status_.is_ok()) return kNoValue;
  std::vector<Attribute> attributes;
  if (opset() >= 14) attributes.push_back(Attribute::of_int("allowzero", 1));
  return add("Reshape", {x, shape}, type(like), std::move(attributes));
}

ValueId Tape::summed_to(ValueId x, ValueId like) {
  if (!status_.is_ok() || same_shape(graph_, x, like)) return x;
  const auto from = dims_of(graph_, x), to = dims_of(graph_, like);
  if (!from || !to || from->size() < to->size()) {
    fail(not_implemented("a gradient through a broadcast of shapes that are not known"));
    return kNoValue;
  }
  const size_t more = from->size() - to->size();
  std::vector<int64_t> axes;
  for (size_t d = 0; d < from->size(); ++d) {
    const bool is_wider = d < more || ((*to)[d - more] == 1 && (*from)[d] != 1);
    if (is_wider) axes.push_back(static_cast<int64_t>(d));
  }
  return reshaped(sum_over(x, std::move(axes), true), like);
}

void Tape::give(ValueId id, ValueId gradient) {
  if (!status_.is_ok() || id == kNoValue || !is_watched(id)) return;
  const auto found = gradients_.find(id);
  gradients_[id] =
      found == gradients_.end() ? gradient : add("Add", {found->second, gradient}, type(id));
}

ValueId Tape::gradient(ValueId id) const {
  const auto found = gradients_.find(id);
  return found == gradients_.end() ? kNoValue : found->second;
}

}  // namespace ortc
