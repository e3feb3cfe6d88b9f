// SPDX-License-Identifier: MIT
// Scaling and shifting a convolution: see the header. Computed in double, rounded once.
#include "core/optimise/conv_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/float16.h"

namespace ortc {
namespace {

Tensor tensor_of(DType dtype, Dims dims, const std::vector<double>& numbers) {
  Tensor tensor = Tensor::create(dtype, std::move(dims)).value();
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (dtype == DType::kFloat64) {
      tensor.mutable_elements<double>()[i] = numbers[i];
    } else if (dtype == DType::kFloat16) {
      tensor.mutable_elements<uint16_t>()[i] = float_to_half(static_cast<float>(numbers[i]));
    } else {
      tensor.mutable_elements<float>()[i] = static_cast<float>(numbers[i]);
    }
  }
  return tensor;
}

bool is_finite_as(DType dtype, double number) {
  if (dtype == DType::kFloat64) return std::isfinite(number);
  const auto single = static_cast<float>(number);
  if (dtype != DType::kFloat16) return std::isfinite(single);
  return std::isfinite(half_to_float(float_to_half(single)));
}

double smallest_normal(DType dtype) {
  if (dtype == DType::kFloat64) return std::numeric_limits<double>::min();
  return dtype == DType::kFloat16 ? 0x1p-14 : double{std::numeric_limits<float>::min()};
}

// The output channel of each weight element is found by its place among `channels` blocks:
//   Conv           [m, c / group, k...]   m
//   ConvTranspose  [c, m / group, k...]   (row / (c / group)) * (m / group) + column
struct ChannelMap {
  bool is_transposed;
  int64_t rows, columns, block, group;

  size_t operator()(int64_t element) const {
    const int64_t row = element / (columns * block), column = element / block % columns;
    return static_cast<size_t>(is_transposed ? row / (rows / group) * columns + column : row);
  }
};

// The weight times scale[c] for channel c. Nothing when a number becomes too large for the type, or
// all numbers of a channel too small: below the smallest normal number bits are lost. Where one of
// a channel stays above it, its smaller neighbours lose no more than that one is rounded by.
std::optional<Tensor> scaled_weight(const Tensor& weight, std::vector<double> numbers,
                                    const ChannelMap& channel_of,
                                    const std::vector<double>& scale) {
  std::vector<double> largest(scale.size(), 0.0);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t channel = channel_of(static_cast<int64_t>(i));
    const bool is_finite = std::isfinite(numbers[i]);
    numbers[i] *= scale[channel];
    if (is_finite && !is_finite_as(weight.dtype(), numbers[i])) return std::nullopt;
    largest[channel] = std::max(largest[channel], std::fabs(numbers[i]));
  }
  const double least = smallest_normal(weight.dtype());
  const bool is_too_small = std::any_of(largest.begin(), largest.end(), [least](double number) {
    return number > 0 && number < least;
  });
  if (is_too_small) return std::nullopt;
  return tensor_of(weight.dtype(), weight.dims(), numbers);
}

}  // namespace

std::optional<int64_t> constant_conv_channels(const Graph& graph, const Node& node) {
  const bool is_transposed = node.is_op("ConvTranspose");
  if (!is_transposed && !node.is_op("Conv")) return std::nullopt;
  const Tensor* weight = constant_of(graph, node.input(1));
  if (weight == nullptr || weight->dims().size() < 3 || weight->element_count() == 0) {
    return std::nullopt;
  }
  constexpr TypeMask kTypes = mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16);
  if ((mask_of(weight->dtype()) & kTypes) == 0) return std::nullopt;
  const int64_t group = node.int_attribute("group", 1);
  if (group < 1 || weight->dims()[0] % group != 0) return std::nullopt;
  const auto channels = is_transposed ? checked_mul(weight->dims()[1], group)
                                      : std::optional<int64_t>(weight->dims()[0]);
  if (!channels) return std::nullopt;
  if (node.input(2) != kNoValue) {
    const Tensor* bias = constant_of(graph, node.input(2));
    if (bias == nullptr || bias->dtype() != weight->dtype() || bias->element_count() != *channels) {
      return std::nullopt;
    }
  }
  return channels;
}

std::optional<std::vector<double>> per_channel_numbers(const Graph& graph, const Node& conv,
                                                       ValueId constant) {
  const auto channels = constant_conv_channels(graph, conv);
  const auto numbers = constant_numbers(graph, constant);
  if (!channels || !numbers) return std::nullopt;
  const size_t rank = constant_of(graph, conv.input(1))->dims().size();
  const Tensor& tensor = *constant_of(graph, constant);
  const Dims& dims = tensor.dims();
  if (dims.size() > rank || tensor.dtype() != constant_of(graph, conv.input(1))->dtype()) {
    return std::nullopt;
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool is_channel_axis = rank - dims.size() + i == 1;
    if (dims[i] != 1 && !(is_channel_axis && dims[i] == *channels)) return std::nullopt;
  }
  if (numbers->size() == 1)
    return std::vector<double>(static_cast<size_t>(*channels), (*numbers)[0]);
  return numbers;
}

std::optional<ConvConstants> scaled_and_shifted(const Graph& graph, const Node& conv,
                                                const std::vector<double>& scale,
                                                const std::vector<double>& shift) {
  // Infinity times a sum is not a sum of infinities: of both signs they give no number.
  const bool is_finite_scale =
      std::all_of(scale.begin(), scale.end(), [](double factor) { return std::isfinite(factor); });
  if (!is_finite_scale) return std::nullopt;
  const Tensor& weight = *constant_of(graph, conv.input(1));
  ConvConstants constants;
  if (!std::all_of(scale.begin(), scale.end(), [](double factor) { return factor == 1.0; })) {
    const ChannelMap channel_of{conv.is_op("ConvTranspose"), weight.dims()[0], weight.dims()[1],
                                weight.element_count() / (weight.dims()[0] * weight.dims()[1]),
                                conv.int_attribute("group", 1)};
    constants.weight =
        scaled_weight(weight, *constant_numbers(graph, conv.input(1)), channel_of, scale);
    if (!constants.weight) return std::nullopt;
  }
  std::vector<double> biases(scale.size(), 0.0);
  if (conv.input(2) != kNoValue) biases = *constant_numbers(graph, conv.input(2));
  for (size_t i = 0; i < biases.size(); ++i) {
    const bool is_finite = std::isfinite(biases[i]) && std::isfinite(shift[i]);
    biases[i] = biases[i] * scale[i] + shift[i];
    if (is_finite && !is_finite_as(weight.dtype(), biases[i])) return std::nullopt;
  }
  constants.bias = tensor_of(weight.dtype(), {static_cast<int64_t>(biases.size())}, biases);
  return constants;
}

void set_constants(Graph& graph, Node& conv, ConvConstants constants) {
  const std::string weight_name = graph.value(conv.input(1))->name;
  if (constants.weight) {
    graph.set_input(conv.id(), 1, graph.add_constant(weight_name, std::move(*constants.weight)));
  }
  const std::string bias_name =
      conv.input(2) != kNoValue ? graph.value(conv.input(2))->name : str_cat(weight_name, "_bias");
  graph.set_input(conv.id(), 2, graph.add_constant(bias_name, std::move(constants.bias)));
}

}  // namespace ortc
