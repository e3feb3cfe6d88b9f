// SPDX-License-Identifier: MIT
// Operators along axes: reductions, running sums, softmax, the largest and their places.
#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

constexpr TypeMask kReducible = kFloats | mask_of(DType::kInt32, DType::kInt64);
constexpr TypeMask kReal = kFloats;

// `kind` of the operators in the order of their names below.
constexpr const char* kReductions[] = {
    "ReduceSum", "ReduceMean", "ReduceMax",    "ReduceMin",       "ReduceProd",
    "ReduceL1",  "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"};

template <int kind>
void reduce(Drawing& d) {
  const bool wants_positive = kind == 7;
  const TypeMask types = kind == 4 || kind >= 6 ? kReal : kReducible;
  const std::string x = wants_positive && !d.chance().one_in(4)
                            ? d.input(d.type(kReal), d.dims(1, 4), {Fill::kReal, 0.2, 2})
                            : d.any(types, 0, 4);
  Attributes attributes{of_int("keepdims", d.chance().between(0, 1))};
  std::vector<int64_t> axes;
  for (size_t i = 0; i < d.dims_of(x).size(); ++i) {
    const auto rank = static_cast<int64_t>(d.dims_of(x).size());
    const auto axis = static_cast<int64_t>(i);
    if (d.chance().one_in(2)) axes.push_back(d.chance().one_in(2) ? axis : axis - rank);
  }
  if (d.chance().one_in(6)) axes.clear();
  if (axes.empty() && d.chance().one_in(3)) attributes.push_back(of_int("noop_with_empty_axes", 1));
  d.add(kReductions[kind], {x, axes.empty() ? "" : d.ints(axes)}, attributes);
}

template <bool is_max>
void arg(Drawing& d) {
  const std::string x = d.any(kNumbers, 1, 4);
  d.add(is_max ? "ArgMax" : "ArgMin", {x},
        {of_int("axis", d.axis_of(d.dims_of(x))), of_int("keepdims", d.chance().between(0, 1)),
         of_int("select_last_index", d.chance().between(0, 1))});
}

template <bool is_sum>
void running(Drawing& d) {
  const std::string x = d.any(kReducible, 1, 4);
  const std::string axis = d.scalar(DType::kInt64, static_cast<double>(d.axis_of(d.dims_of(x))));
  d.add(
      is_sum ? "CumSum" : "CumProd", {x, axis},
      {of_int("exclusive", d.chance().between(0, 1)), of_int("reverse", d.chance().between(0, 1))});
}

template <int kind>
void softmax(Drawing& d) {
  constexpr const char* kNames[] = {"Softmax", "LogSoftmax", "Hardmax"};
  const std::string x = d.any(kReal, 1, 4);
  d.add(kNames[kind], {x}, {of_int("axis", d.axis_of(d.dims_of(x)))});
}

void top_k(Drawing& d) {
  // Equal numbers have no order: all are different.
  const Dims dims{d.chance().between(1, 3), d.chance().between(1, 20)};
  const DType dtype =
      d.type(mask_of(DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kInt32));
  const std::string x =
      d.chance().one_in(3) ? d.any(kReal, 1, 4) : d.input(dtype, dims, {Fill::kReal, -90, 90});
  const int64_t axis = d.axis_of(d.dims_of(x));
  if (d.dims_of(x).empty()) return;
  const int64_t most = d.dims_of(x)[Drawing::front(axis, d.dims_of(x))];
  d.add_many("TopK", {x, d.ints({d.chance().between(0, most)})},
             {of_int("axis", axis), of_int("largest", d.chance().between(0, 1))}, 2);
}

void lp_normalise(Drawing& d) {
  const std::string x = d.any(kReal, 1, 4);
  d.add("LpNormalization", {x},
        {of_int("axis", d.axis_of(d.dims_of(x))), of_int("p", d.chance().between(1, 2))});
}

}  // namespace

std::vector<OperatorRow> reduction_rows() {
  return {
      {"ReduceSum", "", 13, kPlain, 4, reduce<0>},
      {"ReduceMean", "", 18, kPlain, 4, reduce<1>},
      {"ReduceMax", "", 20, kExact, 0, reduce<2>},
      {"ReduceMin", "", 20, kExact, 0, reduce<3>},
      {"ReduceProd", "", 18, kPlain, 16, reduce<4>},
      {"ReduceL1", "", 18, kPlain, 16, reduce<5>},
      {"ReduceL2", "", 18, kPlain, 16, reduce<6>},
      {"ReduceLogSum", "", 18, kPlain, 8, reduce<7>},
      {"ReduceLogSumExp", "", 18, kPlain, 8, reduce<8>},
      {"ReduceSumSquare", "", 18, kPlain, 16, reduce<9>},
      {"ArgMax", "", 13, kExact, 0, arg<true>},
      {"ArgMin", "", 13, kExact, 0, arg<false>},
      {"CumSum", "", 14, kPlain, 4, running<true>},
      {"CumProd", "", 26, kPlain | kOwnRules, 8, running<false>},
      {"Softmax", "", 13, kPlain, 8, softmax<0>},
      {"LogSoftmax", "", 13, kPlain, 8, softmax<1>},
      {"Hardmax", "", 13, kExact, 0, softmax<2>},
      {"TopK", "", 11, kExact, 0, top_k},
      {"LpNormalization", "", 22, kPlain, 8, lp_normalise},
  };
}

}  // namespace ortc::fuzz
