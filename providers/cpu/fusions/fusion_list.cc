// SPDX-License-Identifier: MIT
// The list of fusions, in the order in which they run.
#include <algorithm>
#include <array>
#include <type_traits>

#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

struct Row {
  Fusion fusion;
  // True for a node without a kernel of its own that the fusion turns into nodes that have one.
  bool (*handles)(const Node& node) = nullptr;
};

// Constants to where they are read, then operators without kernels, quantised parts before floats,
// products before what hangs on them, then the layout of the whole.
constexpr auto kRows = std::to_array<Row>({
    {{"captured_constants", captured_constants}},
    {{"sparse_constants", sparse_constants}, is_sparse_constant},
    {{"flex_attention", flex_attention}, is_flex_attention},
    {{"microsoft", microsoft}, is_spelled_out},
    {{"mixed_types", mixed_types}, has_mixed_types},
    {{"whole_mish", whole_mish}},
    {{"half_precision", half_precision}},
    {{"quantised_movement", quantised_movement}},
    {{"quantised_elementwise", quantised_elementwise}},
    {{"quantised_windows", quantised_windows}},
    {{"quantised_lines", quantised_lines}},
    {{"quantised_products", quantised_products}},
    {{"quantised_weights", quantised_weights}},
    {{"float_products", float_products}, is_float_product},
    {{"dequantised_constants", dequantised_constants}},
    {{"attention_weights", attention_weights}},
    {{"recurrent_weights", recurrent_weights}},
    {{"constant_matmul", constant_matmul}},
    {{"batched_matmul", batched_matmul}},
    {{"plain_transposed", plain_transposed}},
    {{"lines_as_images", lines_as_images}},
    {{"lone_batch_norms", lone_batch_norms}},
    {{"epilogues", epilogues}},
    {{"requantisation", requantisation}},
    {{"channels_last", channels_last}},
    {{"left_half_weights", left_half_weights}},
});

// What was chosen, with what that adds at the end.
template <bool kRoundsRows, bool kWinograd>
constexpr auto kChosenFusions = [] {
  std::array<Fusion, kRows.size() + (kWinograd ? 1 : 0)> fusions{};
  for (size_t i = 0; i < kRows.size(); ++i) {
    fusions[i] = kRows[i].fusion;
    if (!kRoundsRows && fusions[i].run == quantised_weights) {
      fusions[i].run = quantised_weights_in_float;
    }
  }
  if (kWinograd) fusions.back() = {"winograd", winograd};
  return fusions;
}();

bool is_rewritten(const Node& node) {
  return std::any_of(kRows.begin(), kRows.end(), [&node](const Row& row) {
    return row.handles != nullptr && row.handles(node);
  });
}

}  // namespace

const LoweringRules& lowering_rules(LoweringChoice choice) {
  // Nothing to allocate, so nothing to lose when memory is short, and nothing to destroy: a run may
  // still be under way while the process exits.
  static_assert(std::is_trivially_destructible_v<LoweringRules>);
  const auto rules = [](std::span<const Fusion> fusions) {
    return LoweringRules{kernel_registry(), fusions, is_rewritten};
  };
  static const LoweringRules kRules[2][2] = {
      {rules(kChosenFusions<false, false>), rules(kChosenFusions<false, true>)},
      {rules(kChosenFusions<true, false>), rules(kChosenFusions<true, true>)}};
  return kRules[choice.rounds_rows ? 1 : 0][choice.winograd ? 1 : 0];
}

}  // namespace ortc::cpu
