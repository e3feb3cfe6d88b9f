// SPDX-License-Identifier: MIT
// Drawing: see the header.
#include "tests/differential/fuzzer/drawing.h"

#include <algorithm>

#include "core/base/str_cat.h"

namespace ortc::fuzz {
namespace {

constexpr TypeMask kCommon =
    mask_of(DType::kFloat32, DType::kInt64, DType::kInt32, DType::kBool, DType::kString);
constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);

Fill fitting(DType dtype, Fill fill) {
  if (is_float(dtype)) return fill;
  fill.kind = Fill::kWhole;
  if (dtype == DType::kBool) return {Fill::kWhole, 0, 1};
  if ((mask_of(dtype) & mask_of(DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64)) !=
      0) {
    fill.low = std::max(fill.low, 0.0);
    fill.high = std::max(fill.high, 1.0);
  }
  return fill;
}

}  // namespace

std::string Drawing::new_name() { return str_cat("v", next_name_++); }

std::string Drawing::take(const std::string& name, DrawnValue value) {
  if (value.datum.is_tensor() && !value.is_optional) order_.push_back(name);
  graph_.values[name] = std::move(value);
  return name;
}

std::string Drawing::fresh(DType dtype, const Dims& dims, const Fill& fill, Role role) {
  if (has_failed_) return "";
  if (count_of(dims) > 4000) {
    fail();
    return "";
  }
  const Fill fits = fitting(dtype, fill);
  const std::string name = new_name();
  (role == Role::kConstant ? graph_.constants : graph_.inputs).push_back(name);
  return take(name, {filled(chance_, dtype, dims, fits), 0, role, fits});
}

std::string Drawing::input(DType dtype, const Dims& dims, const Fill& fill) {
  return fresh(dtype, dims, fill, Role::kInput);
}

std::string Drawing::constant(DType dtype, const Dims& dims, const Fill& fill) {
  return fresh(dtype, dims, fill, Role::kConstant);
}

std::string Drawing::either(DType dtype, const Dims& dims, const Fill& fill) {
  return fresh(dtype, dims, fill, chance_.percent(65) ? Role::kConstant : Role::kInput);
}

std::string Drawing::constant(const Tensor& tensor) {
  if (has_failed_) return "";
  const std::string name = new_name();
  graph_.constants.push_back(name);
  return take(name, {Datum(tensor), 0, Role::kConstant, {}});
}

std::string Drawing::ints(const std::vector<int64_t>& values) {
  return constant(Tensor::from<int64_t>({static_cast<int64_t>(values.size())}, values));
}

std::string Drawing::scalar(DType dtype, double value) {
  return constant(tensor_of(dtype, {}, {value}));
}

DType Drawing::type(TypeMask types) {
  const TypeMask common = types & (kCommon | kBytes);
  if (is_common_ && common != 0) types = common;
  if ((types & kFloat) != 0 && chance_.percent(is_common_ ? 80 : 40)) return DType::kFloat32;
  std::vector<DType> choices;
  for (int i = 1; i < kDTypeCount; ++i) {
    if ((types & mask_of(static_cast<DType>(i))) != 0) choices.push_back(static_cast<DType>(i));
  }
  return chance_.of(choices);
}

Dims Drawing::dims(int rank_min, int rank_max) {
  Dims dims(static_cast<size_t>(chance_.between(rank_min, rank_max)));
  for (int64_t& dim : dims) {
    dim = chance_.one_in(60)  ? 0
          : chance_.one_in(4) ? chance_.between(6, 19)
                              : chance_.between(1, 5);
  }
  if (!dims.empty() && graph_.symbolic_size > 0 && chance_.one_in(2)) {
    dims[0] = graph_.symbolic_size;
  }
  if (count_of(dims) > 2000) dims.back() = 3;
  return dims;
}

std::string Drawing::any(TypeMask types, int rank_min, int rank_max, const Fill& fill) {
  if (has_failed_) return "";
  if (!takes_new_ && chance_.percent(85)) {
    Names found;
    for (const std::string& name : order_) {
      const DrawnValue& value = graph_.values.at(name);
      const int rank = static_cast<int>(dims_of(name).size());
      const bool fits = (types & mask_of(type_of(name))) != 0 && rank >= rank_min &&
                        rank <= rank_max && value.role != Role::kConstant;
      if (fits) found.push_back(name);
    }
    // Mostly one of the last: so graphs grow deep.
    if (!found.empty()) {
      const auto count = static_cast<int64_t>(found.size());
      const int64_t first = chance_.one_in(3) ? 0 : std::max<int64_t>(0, count - 3);
      return found[static_cast<size_t>(chance_.between(first, count - 1))];
    }
  }
  return input(type(types), dims(rank_min, rank_max), fill);
}

std::string Drawing::like(DType dtype, const Dims& dims, const Fill& fill) {
  if (has_failed_) return "";
  if (!takes_new_ && chance_.percent(60)) {
    Names found;
    for (const std::string& name : order_) {
      if (type_of(name) == dtype && dims_of(name) == dims) found.push_back(name);
    }
    if (!found.empty()) return chance_.of(found);
  }
  return chance_.one_in(3) ? constant(dtype, dims, fill) : input(dtype, dims, fill);
}

std::string Drawing::broadcasting(DType dtype, const Dims& dims, const Fill& fill) {
  Dims other = dims;
  if (chance_.one_in(2)) {
    if (!other.empty() && chance_.one_in(2)) {
      other.erase(other.begin(),
                  other.begin() + chance_.between(0, static_cast<int64_t>(other.size())));
    }
    for (int64_t& dim : other) {
      if (chance_.one_in(4)) dim = 1;
    }
  }
  return like(dtype, other, fill);
}

int64_t Drawing::axis_of(const Dims& dims) {
  const auto rank = static_cast<int64_t>(dims.size());
  return rank == 0 ? 0 : chance_.between(-rank, rank - 1);
}

size_t Drawing::front(int64_t axis, const Dims& dims) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(dims.size()) : axis);
}

const Tensor& Drawing::tensor(const std::string& name) const {
  static const Tensor kNone = Tensor::create(DType::kFloat32, {1, 1, 1, 1}).value();
  const auto found = graph_.values.find(name);
  return found != graph_.values.end() && found->second.datum.is_tensor()
             ? *found->second.datum.tensor()
             : kNone;
}

const Dims& Drawing::dims_of(const std::string& name) const { return tensor(name).dims(); }
DType Drawing::type_of(const std::string& name) const { return tensor(name).dtype(); }

std::string Drawing::add(std::string_view op, Names inputs, Attributes attributes,
                         std::string_view domain) {
  return add_many(op, std::move(inputs), std::move(attributes), 1, domain)[0];
}

Names Drawing::add_many(std::string_view op, Names inputs, Attributes attributes, size_t outputs,
                        std::string_view domain, unsigned keep, Names captured) {
  if (has_failed_) return Names(outputs);
  const size_t row = row_of(op, domain);
  const OperatorRow& rules = operator_rows()[row];
  if ((domain.empty() && rules.since > graph_.opset) ||
      (is_common_ && (rules.flags & kOwnRules) != 0)) {
    fail();
    return Names(outputs);
  }
  DrawnNode node{std::string(op),
                 std::string(domain),
                 std::move(inputs),
                 {},
                 std::move(attributes),
                 std::move(captured),
                 row};
  while (!node.inputs.empty() && node.inputs.back().empty()) node.inputs.pop_back();
  for (size_t i = 0; i < outputs; ++i) {
    node.outputs.push_back((keep >> i & 1) != 0 ? new_name() : "");
  }
  Measured measured = reference_.measure(graph_, node, rules, chance_);
  if (!measured.refused.empty()) {
    auto& [count, text] = refusals[node.op];
    ++count;
    text = measured.refused;
  }
  if (!measured.is_good()) {
    fail();
    return Names(outputs);
  }
  size_t next = 0;
  for (const std::string& name : node.outputs) {
    if (name.empty()) continue;
    DrawnValue& value = measured.outputs[next++];
    value.is_optional = op == "Optional";
    take(name, std::move(value));
  }
  const Names names = node.outputs;
  graph_.nodes.push_back(std::move(node));
  return names;
}

}  // namespace ortc::fuzz
