// SPDX-License-Identifier: MIT
// The list of fusions, in the order in which they run.
#include <algorithm>
#include <array>
#include <type_traits>

#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

// Constants to where they are read, then operators without kernels, quantised parts before floats,
// products before what hangs on them, then the layout of the whole.
constexpr auto kFusions = std::to_array<Fusion>({
    {"captured_constants", localise_captured_constants},
    {"sparse_constants", make_sparse_constants},
    {"flex_attention", spell_out_flex_attention},
    {"microsoft", spell_out_microsoft},
    {"mixed_types", spell_out_mixed_types},
    {"half_precision", compute_halves_in_float},
    {"quantised_movement", move_quantised},
    {"quantised_elementwise", fuse_quantised_elementwise},
    {"quantised_windows", fuse_quantised_windows},
    {"quantised_lines", show_quantised_lines_as_images},
    {"quantised_products", fuse_quantised_products},
    {"quantised_weights", keep_small_weights},
    {"float_products", spell_out_float_products},
    {"dequantised_constants", fold_dequantised_constants},
    {"attention_weights", pack_attention_weights},
    {"recurrent_weights", pack_recurrent_weights},
    {"constant_matmul", fuse_constant_matmul},
    {"batched_matmul", fuse_batched_matmul},
    {"lines_as_images", show_lines_as_images},
    {"lone_batch_norms", show_batch_norms_as_windows},
    {"epilogues", fuse_epilogues},
    {"requantisation", fuse_requantisation},
    {"channels_last", assign_channels_last},
    {"left_half_weights", widen_left_weights},
});

// What was chosen, with what that adds at the end.
template <bool kRoundsRows, bool kWinograd>
constexpr auto kChosenFusions = [] {
  std::array<Fusion, kFusions.size() + (kWinograd ? 1 : 0)> fusions{};
  std::copy(kFusions.begin(), kFusions.end(), fusions.begin());
  for (Fusion& fusion : fusions) {
    if (!kRoundsRows && fusion.run == keep_small_weights) fusion.run = keep_small_weights_in_float;
  }
  if (kWinograd) fusions.back() = {"winograd", use_winograd};
  return fusions;
}();

bool is_rewritten(const Node& node) {
  const Graph& graph = *node.graph();
  return is_float_product(graph, node) || is_flex_attention(graph, node) ||
         is_spelled_out(graph, node) || is_sparse_constant(graph, node) || has_mixed_types(node);
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
