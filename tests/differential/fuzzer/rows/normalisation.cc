// SPDX-License-Identifier: MIT
// Normalisations and losses.
#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

const Fill kScale{Fill::kReal, 0.5, 1.5};
const Fill kPositive{Fill::kReal, 0.3, 2};

constexpr TypeMask kReal = mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16);

void batch(Drawing& d) {
  const std::string x = d.any(kReal, 2, 5);
  const DType t = d.type_of(x);
  if (d.dims_of(x).size() < 2) return d.fail();
  const Dims c{d.dims_of(x)[1]};
  d.add("BatchNormalization",
        {x, d.either(t, c, kScale), d.either(t, c), d.either(t, c), d.either(t, c, kPositive)});
}

void instance(Drawing& d) {
  const std::string x = d.any(kReal, 3, 4);
  if (d.dims_of(x).size() < 3) return d.fail();
  const Dims c{d.dims_of(x)[1]};
  const DType t = d.type_of(x);
  d.add("InstanceNormalization", {x, d.either(t, c, kScale), d.either(t, c)},
        {of_float("epsilon", 0.01)});
}

void group(Drawing& d) {
  const int64_t groups = d.chance().between(1, 3);
  const Dims dims{d.chance().between(1, 2), groups * d.chance().between(1, 3),
                  d.chance().between(1, 5), d.chance().between(1, 5)};
  const DType t = d.type(kReal);
  const std::string x = d.like(t, dims);
  d.add("GroupNormalization", {x, d.either(t, {dims[1]}, kScale), d.either(t, {dims[1]})},
        {of_int("num_groups", groups), of_float("epsilon", 0.01)});
}

template <int kind>
void layer(Drawing& d) {
  constexpr const char* kNames[] = {"LayerNormalization", "RMSNormalization",
                                    "SimplifiedLayerNormalization"};
  const std::string x = d.any(kReal, 1, 4);
  const DType t = d.type_of(x);
  const Dims dims = d.dims_of(x);
  if (dims.empty()) return d.fail();
  const int64_t axis = d.chance().one_in(2) ? -1 : d.axis_of(dims);
  const Dims over(dims.begin() + static_cast<long>(Drawing::front(axis, dims)), dims.end());
  Names inputs{x, d.either(t, over, kScale)};
  if (kind == 0 && d.chance().one_in(2)) inputs.push_back(d.either(t, over));
  d.add(kNames[kind], inputs, {of_int("axis", axis), of_float("epsilon", 0.01)});
}

void mean_variance(Drawing& d) { d.add("MeanVarianceNormalization", {d.any(kReal, 4, 4)}); }

std::string reduction(Drawing& d) {
  return d.chance().of(std::vector<std::string>{"mean", "sum", "none"});
}

// Scores, labels, and sometimes a weight of each class.
Names scores(Drawing& d) {
  const int64_t classes = d.chance().between(2, 6);
  const Dims dims = d.chance().one_in(2)
                        ? Dims{d.chance().between(1, 4), classes}
                        : Dims{d.chance().between(1, 3), classes, d.chance().between(1, 3)};
  Dims labels = dims;
  labels.erase(labels.begin() + 1);
  const DType t = d.type(mask_of(DType::kFloat32, DType::kFloat64));
  const std::string weight = d.chance().one_in(2) ? d.either(t, {classes}, kPositive) : "";
  return {d.like(t, dims),
          d.either(DType::kInt64, labels, {Fill::kWhole, 0, static_cast<double>(classes - 1)}),
          weight};
}

void likelihood(Drawing& d) {
  Attributes attributes{of_text("reduction", reduction(d))};
  if (d.chance().one_in(3)) attributes.push_back(of_int("ignore_index", 0));
  d.add("NegativeLogLikelihoodLoss", scores(d), attributes);
}

void entropy(Drawing& d) {
  Attributes attributes{of_text("reduction", reduction(d))};
  if (d.chance().one_in(3)) attributes.push_back(of_int("ignore_index", 0));
  d.add_many("SoftmaxCrossEntropyLoss", scores(d), attributes, 2, "",
             d.chance().one_in(2) ? 3u : 1u);
}

}  // namespace

std::vector<OperatorRow> normalisation_rows() {
  return {
      {"BatchNormalization", "", 15, kPlain, 8, batch},
      {"InstanceNormalization", "", 6, kPlain, 16, instance},
      {"GroupNormalization", "", 21, kPlain, 16, group},
      {"LayerNormalization", "", 17, kPlain, 16, layer<0>},
      {"RMSNormalization", "", 23, kPlain, 16, layer<1>},
      {"SimplifiedLayerNormalization", "", 1, kPlain, 16, layer<2>},
      {"MeanVarianceNormalization", "", 13, kPlain, 16, mean_variance},
      {"NegativeLogLikelihoodLoss", "", 13, kPlain, 8, likelihood},
      {"SoftmaxCrossEntropyLoss", "", 13, kPlain, 8, entropy},
  };
}

}  // namespace ortc::fuzz
