// SPDX-License-Identifier: MIT
// DynamicQuantizeLSTM (com.microsoft): ortc.LSTM of constant integers of 8 bits and their scales;
// where less their zero points they do not fit into int8, LSTM by what they stand for. They lie
// [directions, inputs, 4 hidden], the other way round than LSTM has them; a scale and a zero point
// for each direction, or for each of its columns.
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

// The weights less their zero points, as ortc.LSTM has them: integers [directions, 4 hidden,
// inputs], scales [directions, 4 hidden]. Nothing where one does not fit.
struct Int8Weights {
  Tensor numbers, scales;
};

template <typename T>
bool less_zeros(const Codes& c, int8_t* to) {
  const T *codes = c.weights->elements<T>().data(), *zeros = c.zeros->elements<T>().data();
  const bool has_zeros = is_for_columns(*c.zeros, c);
  for (int64_t own = 0; own < c.directions * c.columns; ++own) {
    const int64_t d = own / c.columns, column = own % c.columns;
    const int zero = zeros[has_zeros ? own : d];
    for (int64_t row = 0; row < c.rows; ++row) {
      const int number = codes[(d * c.rows + row) * c.columns + column] - zero;
      if (number < INT8_MIN || number > INT8_MAX) return false;
      to[own * c.rows + row] = static_cast<int8_t>(number);
    }
  }
  return true;
}

Result<std::optional<Int8Weights>> int8_weights(const Codes& c) {
  Int8Weights w;
  ASSIGN_OR_RETURN(w.numbers, Tensor::create(DType::kInt8, {c.directions, c.columns, c.rows}));
  ASSIGN_OR_RETURN(w.scales, Tensor::create(DType::kFloat32, {c.directions, c.columns}));
  int8_t* to = w.numbers.mutable_elements<int8_t>().data();
  const bool fits =
      c.weights->dtype() == DType::kUint8 ? less_zeros<uint8_t>(c, to) : less_zeros<int8_t>(c, to);
  if (!fits) return std::optional<Int8Weights>();
  const bool has_scales = is_for_columns(*c.scales, c);
  const auto scales = c.scales->elements<float>();
  for (int64_t own = 0; own < c.directions * c.columns; ++own) {
    const auto at = static_cast<size_t>(has_scales ? own : own / c.columns);
    w.scales.mutable_elements<float>()[static_cast<size_t>(own)] = scales[at];
  }
  return std::optional(std::move(w));
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

// What does not is told by the operator's own name.
bool is_sound_cell(const Node& node, const Codes& w, const Codes& r) {
  const int64_t directions = node.string_attribute("direction", "") == "bidirectional" ? 2 : 1;
  return w.directions == directions && r.directions == directions && w.rows > 0 && r.rows > 0 &&
         r.columns == 4 * r.rows && w.columns == r.columns;
}

// LSTM of W and R, and of their scales where they are integers.
Result<bool> place_lstm(Graph& graph, NodeId id, Tensor w, Tensor r, std::vector<Tensor> scales) {
  auto attributes = attributes_named(
      *graph.node(id),
      "activation_alpha activation_beta activations clip direction hidden_size input_forget");
  Spelling s(graph, id);
  std::vector<ValueId> inputs = {s.input(0), s.constant(std::move(w)), s.constant(std::move(r))};
  for (size_t i = 3; i < 8; ++i) inputs.push_back(s.input(i));
  const std::string domain(scales.empty() ? "" : kInternalDomain);
  for (Tensor& scale : scales) inputs.push_back(s.constant(std::move(scale)));
  std::vector<ValueId> outputs;
  for (size_t i = 0; i < 3; ++i) outputs.push_back(s.output(i));
  while (!outputs.empty() && outputs.back() == kNoValue) outputs.pop_back();
  s.place("LSTM", domain, std::move(inputs), std::move(outputs), std::move(attributes));
  return s.done();
}

Result<bool> spell_lstm(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const Codes w = *codes_of(node, 1, 8, 9), r = *codes_of(node, 2, 10, 11);
  if (is_sound_cell(node, w, r) && dtype_of(graph, node.input(0)) == DType::kFloat32) {
    ASSIGN_OR_RETURN(auto w8, int8_weights(w));
    ASSIGN_OR_RETURN(auto r8, int8_weights(r));
    if (w8 && r8) {
      return place_lstm(graph, id, std::move(w8->numbers), std::move(r8->numbers),
                        {std::move(w8->scales), std::move(r8->scales)});
    }
  }
  ASSIGN_OR_RETURN(Tensor w32, decoded(w));
  ASSIGN_OR_RETURN(Tensor r32, decoded(r));
  return place_lstm(graph, id, std::move(w32), std::move(r32), {});
}

constexpr Spelled kRecurrent[] = {
    {"DynamicQuantizeLSTM", takes_lstm, spell_lstm},
};

}  // namespace

std::span<const Spelled> recurrent_spellings() { return kRecurrent; }

}  // namespace ortc::cpu
