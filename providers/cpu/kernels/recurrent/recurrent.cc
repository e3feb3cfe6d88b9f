// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM over whole sequences, in both directions and layouts.
//
//   LSTM  i, o, f = f(x Wiof + h Riof + P c + b)   c~ = g(x Wc + h Rc + b)
//         c = f c + i c~   (o sees this c)         h = o h(c)
//   GRU   z, r = f(x Wzr + h Rzr + b)   h~ = g(x Wh + (r h) Rh + b)   h = (1 - z) h~ + z h
//         linear_before_reset: h~ = g(x Wh + r (h Rh + Rbh) + Wbh)
//   RNN   h = f(x W + h R + b)
//
// A run is one pass for each direction: providers/cpu/products/recurrent_pass.h.
#include <algorithm>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_row.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/products/recurrent_pass.h"

namespace ortc::cpu {
namespace {

using RecurrentTypes = TypeList<float, double>;

// --- Prepare.

Status read_functions(const Node& node, Cell cell, size_t directions, RecurrentParams* params) {
  constexpr std::string_view kDefaults[3][3] = {
      {"Tanh"}, {"Sigmoid", "Tanh"}, {"Sigmoid", "Tanh", "Tanh"}};
  const size_t per_direction = cell_functions(cell), count = per_direction * directions;
  const Attribute* names = node.attribute("activations");
  const Attribute* alphas = node.attribute("activation_alpha");
  const Attribute* betas = node.attribute("activation_beta");
  if (names != nullptr && names->strings.size() != count) {
    return invalid_graph("attribute 'activations' has ", names->strings.size(), " names, expected ",
                         count);
  }
  size_t alpha_at = 0, beta_at = 0;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view name = names != nullptr
                                      ? names->strings[i].text()
                                      : kDefaults[static_cast<size_t>(cell)][i % per_direction];
    bool takes_alpha = false, takes_beta = false;
    ASSIGN_OR_RETURN(GateFunction function, gate_function(name, &takes_alpha, &takes_beta));
    if (takes_alpha && alphas != nullptr && alpha_at < alphas->floats.size()) {
      function.alpha = alphas->floats[alpha_at++];
    }
    if (takes_beta && betas != nullptr && beta_at < betas->floats.size()) {
      function.beta = betas->floats[beta_at++];
    }
    params->functions[i] = function;
  }
  return Status::ok();
}

template <Cell kCell>
Status prepare_recurrent(PrepareContext& ctx) {
  const Node& node = ctx.node();
  constexpr std::string_view kDirections[] = {"forward", "reverse", "bidirectional"};
  const std::string_view direction = node.string_attribute("direction", "forward");
  const auto* found = std::find(std::begin(kDirections), std::end(kDirections), direction);
  if (found == std::end(kDirections)) {
    return invalid_graph("attribute 'direction' is '", direction, "'");
  }
  RecurrentParams params{};
  params.record_bytes = sizeof params;
  params.cell = static_cast<uint32_t>(kCell);
  params.direction = static_cast<uint32_t>(found - std::begin(kDirections));
  params.batch_first = node.int_attribute("layout", 0) != 0 ? 1 : 0;
  params.linear_before_reset = node.int_attribute("linear_before_reset", 0) != 0 ? 1 : 0;
  params.input_forget = node.int_attribute("input_forget", 0) != 0 ? 1 : 0;
  params.clip = node.float_attribute("clip", 0.0f);
  if (!(params.clip >= 0)) return invalid_graph("attribute 'clip' is ", params.clip);
  RETURN_IF_ERROR(read_functions(node, kCell, direction == "bidirectional" ? 2 : 1, &params));
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Status check_shape(const BindContext& ctx, size_t i, std::initializer_list<int64_t> dims) {
  if (!ctx.has_input(i) || std::ranges::equal(ctx.input(i).dims(), dims)) return Status::ok();
  return invalid_argument("input ", i, " has shape ", dims_to_string(ctx.input(i).dims()),
                          ", expected ",
                          dims_to_string(std::span<const int64_t>(dims.begin(), dims.size())));
}

Status check_record(const RecurrentParams& params, Cell cell) {
  bool is_sound = params.cell == static_cast<uint32_t>(cell) &&
                  params.direction <= static_cast<uint32_t>(RecurrentDirection::kBoth) &&
                  params.clip >= 0;
  for (const GateFunction& function : params.functions) {
    is_sound = is_sound && function.kind < kGateKinds;
  }
  return is_sound ? Status::ok() : invalid_graph("its params record names no such cell");
}

template <Cell kCell>
Status bind_recurrent(BindContext& ctx) {
  const auto* params = ctx.params<RecurrentParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_record(*params, kCell));
  RETURN_IF_ERROR(check_arity(ctx, 3, kCell == Cell::kLstm ? 8 : 6, 0));
  RETURN_IF_ERROR(check_type(ctx, 0, RecurrentTypes::kMask));
  for (const size_t i : {1, 2, 3, 5, 6, 7}) RETURN_IF_ERROR(check_same_type(ctx, i, 0));
  RETURN_IF_ERROR(check_type(ctx, 4, mask_of(DType::kInt32)));
  const ValueRef& x = ctx.input(0);
  const ValueRef& r = ctx.input(2);
  if (x.rank != 3 || r.rank != 3) return invalid_argument("x and R must have rank 3");
  const RecurrentSizes s = recurrent_sizes(*params, x, r);
  const auto wide = checked_mul(s.gates, s.hidden);
  if (!wide || *wide > INT32_MAX || s.in > INT32_MAX) return invalid_argument("a cell too large");
  RETURN_IF_ERROR(check_shape(ctx, 1, {s.directions, *wide, s.in}));
  RETURN_IF_ERROR(check_shape(ctx, 2, {s.directions, *wide, s.hidden}));
  RETURN_IF_ERROR(check_shape(ctx, 3, {s.directions, 2 * *wide}));
  RETURN_IF_ERROR(check_shape(ctx, 4, {s.batch}));
  const bool batch_first = params->batch_first != 0;
  const DimList state = batch_first ? DimList(std::array{s.batch, s.directions, s.hidden})
                                    : DimList(std::array{s.directions, s.batch, s.hidden});
  for (const size_t i : {5, 6}) {
    RETURN_IF_ERROR(check_shape(ctx, i, {state[0], state[1], state[2]}));
  }
  RETURN_IF_ERROR(check_shape(ctx, 7, {s.directions, 3 * s.hidden}));
  ScratchPlan plan;
  RETURN_IF_ERROR(lay_out_recurrent(s, x.dtype, ctx.thread_count(), &plan).status());
  RETURN_IF_ERROR(plan.declare(ctx));
  if (ctx.has_output(0)) {
    RETURN_IF_ERROR(batch_first
                        ? ctx.set_output(0, x.dtype, {s.batch, s.steps, s.directions, s.hidden})
                        : ctx.set_output(0, x.dtype, {s.steps, s.directions, s.batch, s.hidden}));
  }
  for (const size_t i : {1, 2}) {
    if (ctx.has_output(i)) RETURN_IF_ERROR(ctx.set_output(i, x.dtype, state));
  }
  return Status::ok();
}

Status run_recurrent(RunContext& ctx) {
  const auto& params = ctx.params<RecurrentParams>();
  const ValueRef& x = ctx.input(0);
  const RecurrentSizes s = recurrent_sizes(params, x, ctx.input(2));
  if (ctx.has_input(4)) {
    for (int64_t b = 0; b < s.batch; ++b) {
      const int64_t length = ctx.input(4).as<int32_t>()[b];
      if (length < 0 || length > s.steps) {
        return invalid_argument("a length of ", length, " in sequences of ", s.steps);
      }
    }
  }
  // Cells without numbers: every output is empty, however long the sequences.
  if (s.hidden == 0) return Status::ok();
  ScratchPlan plan;
  ASSIGN_OR_RETURN(const RecurrentScratch scratch,
                   lay_out_recurrent(s, x.dtype, ctx.thread_count(), &plan));
  with_type(RecurrentTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (ctx.has_output(0) && ctx.has_input(4)) {
      std::fill_n(ctx.output(0).as_mutable<T>(), ctx.output(0).element_count(), T(0));
    }
    for (int64_t d = 0; d < s.directions; ++d) RecurrentPass<T>(ctx, params, s, scratch, d).run();
  });
  return Status::ok();
}

}  // namespace

KernelTable recurrent_kernels() {
  constexpr TypeMask kTypes = RecurrentTypes::kMask;
  static constexpr KernelRow kRNNRow("RNN", "", 1, kLatestOpset, kTypes, "rnn", 1, kNoFlags, 0,
                                     prepare_recurrent<Cell::kRnn>, bind_recurrent<Cell::kRnn>,
                                     run_recurrent);
  static constexpr KernelRow kGRURow("GRU", "", 1, kLatestOpset, kTypes, "gru", 1, kNoFlags, 0,
                                     prepare_recurrent<Cell::kGru>, bind_recurrent<Cell::kGru>,
                                     run_recurrent);
  static constexpr KernelRow kLSTMRow("LSTM", "", 1, kLatestOpset, kTypes, "lstm", 1, kNoFlags, 0,
                                      prepare_recurrent<Cell::kLstm>, bind_recurrent<Cell::kLstm>,
                                      run_recurrent);
  static constexpr KernelRow rows[] = {
      kRNNRow,  reduced_row<kRNNRow>("RNN.reduced"),   kGRURow, reduced_row<kGRURow>("GRU.reduced"),
      kLSTMRow, reduced_row<kLSTMRow>("LSTM.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
