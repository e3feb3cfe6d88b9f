// SPDX-License-Identifier: MIT
// LSTM, GRU and RNN: directions, lengths, states given and omitted, outputs omitted.
#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

template <int kind>
void recurrent(Drawing& d) {
  constexpr const char* kNames[] = {"RNN", "GRU", "LSTM"};
  constexpr int64_t kGates[] = {1, 3, 4};
  const int64_t steps = d.chance().between(1, 5), batch = d.chance().between(1, 3),
                size = d.chance().between(1, 7), hidden = d.chance().between(1, 9);
  static const std::vector<std::string> kDirections = {"forward", "reverse", "bidirectional"};
  const std::string direction = d.chance().of(kDirections);
  const int64_t ways = direction == "bidirectional" ? 2 : 1;
  const Fill small{Fill::kReal, -0.6, 0.6};
  const DType t = DType::kFloat32;
  const std::string x = d.like(t, {steps, batch, size});
  const std::string w = d.either(t, {ways, kGates[kind] * hidden, size}, small),
                    r = d.either(t, {ways, kGates[kind] * hidden, hidden}, small);
  const std::string b =
      d.chance().one_in(2) ? d.either(t, {ways, 2 * kGates[kind] * hidden}, small) : "";
  const std::string lengths =
      d.chance().one_in(3)
          ? d.either(DType::kInt32, {batch}, {Fill::kWhole, 1, static_cast<double>(steps)})
          : "";
  Names inputs{x, w,       r,
               b, lengths, d.chance().one_in(2) ? d.either(t, {ways, batch, hidden}, small) : ""};
  if (kind == 2) {
    inputs.push_back(d.chance().one_in(2) ? d.either(t, {ways, batch, hidden}, small) : "");
    inputs.push_back(d.chance().one_in(3) ? d.either(t, {ways, 3 * hidden}, small) : "");
  }
  Attributes attributes{of_int("hidden_size", hidden), of_text("direction", direction)};
  if (kind == 1) attributes.push_back(of_int("linear_before_reset", d.chance().between(0, 1)));
  const unsigned most = kind == 2 ? 7 : 3;
  d.add_many(kNames[kind], inputs, attributes, kind == 2 ? 3 : 2, "",
             static_cast<unsigned>(d.chance().between(1, most)));
}

}  // namespace

std::vector<OperatorRow> recurrent_rows() {
  return {
      {"RNN", "", 14, kPlain, 16, recurrent<0>},
      {"GRU", "", 14, kPlain, 16, recurrent<1>},
      {"LSTM", "", 14, kPlain, 16, recurrent<2>},
  };
}

}  // namespace ortc::fuzz
