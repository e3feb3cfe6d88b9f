// SPDX-License-Identifier: MIT
// DynamicQuantizeLSTM (com.microsoft): LSTM by the weights that constant integers of 8 bits stand
// for. They lie [directions, inputs, 4 hidden], the other way round than LSTM has them; a scale and
// a zero point for each direction, or for each of its columns.
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

struct Codes {
  const Tensor *weights, *scales, *zeros;
  int64_t directions, rows, columns;
};

bool is_for_columns(const Tensor& x, const Codes& c) {
  return x.dims() == Dims{c.directions, c.columns};
}
bool fits_codes(const Tensor& x, const Codes& c) {
  return x.dims() == Dims{c.directions} || is_for_columns(x, c);
}

// Nothing when one of them is not constant, or does not fit the others.
std::optional<Codes> codes_of(const Node& node, size_t weights, size_t scales, size_t zeros) {
  const Graph& graph = *node.graph();
  Codes c{constant_of(graph, node.input(weights)),
          constant_of(graph, node.input(scales)),
          constant_of(graph, node.input(zeros)),
          0,
          0,
          0};
  if (c.weights == nullptr || c.scales == nullptr || c.zeros == nullptr) return std::nullopt;
  const DType dtype = c.weights->dtype();
  if (c.weights->dims().size() != 3 || (dtype != DType::kUint8 && dtype != DType::kInt8) ||
      c.scales->dtype() != DType::kFloat32 || c.zeros->dtype() != dtype) {
    return std::nullopt;
  }
  c.directions = c.weights->dims()[0], c.rows = c.weights->dims()[1];
  c.columns = c.weights->dims()[2];
  const bool fits = fits_codes(*c.scales, c) && fits_codes(*c.zeros, c);
  return fits ? std::optional(c) : std::nullopt;
}

template <typename T>
void decode(const Codes& c, float* to) {
  const T *codes = c.weights->elements<T>().data(), *zeros = c.zeros->elements<T>().data();
  const float* scales = c.scales->elements<float>().data();
  const bool has_scales = is_for_columns(*c.scales, c), has_zeros = is_for_columns(*c.zeros, c);
  for (int64_t d = 0; d < c.directions; ++d) {
    for (int64_t column = 0; column < c.columns; ++column) {
      const int64_t own = d * c.columns + column;
      const float scale = scales[has_scales ? own : d];
      const int zero = zeros[has_zeros ? own : d];
      for (int64_t row = 0; row < c.rows; ++row) {
        const int code = codes[(d * c.rows + row) * c.columns + column];
        to[own * c.rows + row] = static_cast<float>(code - zero) * scale;
      }
    }
  }
}

// [directions, 4 hidden, inputs]
Result<Tensor> decoded(const Codes& c) {
  ASSIGN_OR_RETURN(Tensor y, Tensor::create(DType::kFloat32, {c.directions, c.columns, c.rows}));
  float* to = y.mutable_elements<float>().data();
  if (c.weights->dtype() == DType::kUint8) {
    decode<uint8_t>(c, to);
  } else {
    decode<int8_t>(c, to);
  }
  return y;
}

bool takes_lstm(const Node& node) {
  return codes_of(node, 1, 8, 9).has_value() && codes_of(node, 2, 10, 11).has_value();
}

Result<bool> spell_lstm(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  auto attributes = attributes_named(
      node, "activation_alpha activation_beta activations clip direction hidden_size input_forget");
  ASSIGN_OR_RETURN(Tensor w, decoded(*codes_of(node, 1, 8, 9)));
  ASSIGN_OR_RETURN(Tensor r, decoded(*codes_of(node, 2, 10, 11)));
  Spelling s(graph, id);
  std::vector<ValueId> inputs = {s.input(0), s.constant(std::move(w)), s.constant(std::move(r))};
  for (size_t i = 3; i < 8; ++i) inputs.push_back(s.input(i));
  std::vector<ValueId> outputs;
  for (size_t i = 0; i < 3; ++i) outputs.push_back(s.output(i));
  while (!outputs.empty() && outputs.back() == kNoValue) outputs.pop_back();
  s.place("LSTM", "", std::move(inputs), std::move(outputs), std::move(attributes));
  return s.done();
}

constexpr Spelled kRecurrent[] = {
    {"DynamicQuantizeLSTM", takes_lstm, spell_lstm},
};

}  // namespace

std::span<const Spelled> recurrent_spellings() { return kRecurrent; }

}  // namespace ortc::cpu
