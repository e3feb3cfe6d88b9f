// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM over whole sequences, in both directions and layouts.
//
//   LSTM  i, o, f = f(x Wiof + h Riof + P c + b)   c~ = g(x Wc + h Rc + b)
//         c = f c + i c~   (o sees this c)         h = o h(c)
//   GRU   z, r = f(x Wzr + h Rzr + b)   h~ = g(x Wh + (r h) Rh + b)   h = (1 - z) h~ + z h
//         linear_before_reset: h~ = g(x Wh + r (h Rh + Rbh) + Wbh)
//   RNN   h = f(x W + h R + b)
//
// A run is one pass for each direction: recurrent_pass.h. ortc.RNN, GRU and LSTM have constant W
// and R, packed when the plan is made; their elements may have 16 bits, those of LSTM 8: then
// inputs 8 and 9 are scales, for each direction and column of W and R.
#include <algorithm>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/recurrent/recurrent_pass.h"
#include "providers/cpu/layouts.h"

namespace ortc::cpu {
namespace {

using RecurrentTypes = TypeList<float, double>;
constexpr TypeMask kF32 = mask_of(DType::kFloat32), kI8 = mask_of(DType::kInt8);

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

Result<RecurrentParams> read_record(const Node& node, Cell cell) {
  RecurrentParams params{};
  params.record_bytes = sizeof params;
  params.cell = static_cast<uint32_t>(cell);
  ASSIGN_OR_RETURN(params.direction,
                   one_of(node, "direction", "forward", {"forward", "reverse", "bidirectional"}));
  const int64_t layout = node.int_attribute("layout", 0);
  if (layout != 0 && layout != 1) {
    return invalid_graph("attribute 'layout' is ", layout, ", expected 0 or 1");
  }
  params.batch_first = layout == 1 ? 1 : 0;
  params.linear_before_reset = node.int_attribute("linear_before_reset", 0) != 0 ? 1 : 0;
  params.input_forget = node.int_attribute("input_forget", 0) != 0 ? 1 : 0;
  params.clip = node.float_attribute("clip", 0.0f);
  if (!(params.clip >= 0)) {
    return invalid_graph("attribute 'clip' is ", params.clip, ", expected 0 or more");
  }
  const bool has_two = params.direction == static_cast<uint32_t>(RecurrentDirection::kBoth);
  RETURN_IF_ERROR(read_functions(node, cell, has_two ? 2 : 1, &params));
  return params;
}

template <Cell kCell>
Status prepare_recurrent(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const RecurrentParams params, read_record(ctx.node(), kCell));
  ctx.set_params(params);
  return Status::ok();
}

// Where W and R are panels (recurrent_panels), they no longer tell their sizes.
struct PackedRecurrentParams {
  RecurrentParams cell;
  uint32_t reserved;
  int64_t in, hidden;
};
static_assert(sizeof(PackedRecurrentParams) == 120);

template <typename T>
void pack_rows(const T* rows, int64_t k, int64_t n, T* packed) {
  const auto depth = static_cast<size_t>(k), width = static_cast<size_t>(n);
  if constexpr (std::is_same_v<T, float>) {
    gemm_f32_kernels(host_isa())
        .pack_b(rows, depth, true, depth, width, 0, panel_count(width), packed);
  } else {
    pack_narrow_panels(rows, depth, true, depth, width, 0, panel_count(width), packed);
  }
}

// W [directions, gates hidden, in] and R [directions, gates hidden, hidden], one direction after
// the other.
template <typename T>
void pack_weights(const RecurrentPanels& panels, const Dims& dims, int64_t hidden, int64_t gates,
                  const T* w, const T* r, T* to_w, T* to_r) {
  const int64_t wide = dims[1], in = dims[2], first = gates == 3 ? 2 * hidden : wide;
  for (int64_t d = 0; d < dims[0]; ++d) {
    pack_rows(w + d * wide * in, in, wide, to_w + d * panels.w);
    T* to = to_r + d * (panels.r + panels.r_last);
    pack_rows(r + d * wide * hidden, hidden, first, to);
    if (gates == 3) pack_rows(r + (d * wide + first) * hidden, hidden, hidden, to + panels.r);
  }
}

// The same as panels of gemm_i8.h.
void pack_bytes(const Tensor& weights, int64_t panels, std::byte* to) {
  const auto wide = static_cast<size_t>(weights.dims()[1]);
  const auto depth = static_cast<size_t>(weights.dims()[2]);
  const auto* from = static_cast<const uint8_t*>(weights.data());
  for (int64_t d = 0; d < weights.dims()[0]; ++d, from += wide * depth, to += panels) {
    pack_b_i8(from, 1, depth, depth, wide, 0, nullptr, 0, to);
  }
}

template <Cell kCell>
Status prepare_packed(PrepareContext& ctx) {
  PackedRecurrentParams params{};
  ASSIGN_OR_RETURN(params.cell, read_record(ctx.node(), kCell));
  params.cell.record_bytes = sizeof params;
  const Tensor *w = ctx.constant(1), *r = ctx.constant(2);
  if (w == nullptr || r == nullptr) return not_implemented("weights that are not constant");
  const auto gates = static_cast<int64_t>(cell_gates(kCell));
  const int64_t directions = params.cell.direction == 2 ? 2 : 1;
  const bool are_matrices = w->dims().size() == 3 && r->dims().size() == 3;
  const int64_t hidden = are_matrices ? r->dims()[2] : 0, in = are_matrices ? w->dims()[2] : 0;
  const auto wide = checked_mul(gates, hidden);
  const bool are_bytes = w->dtype() == DType::kInt8;
  const auto panels = (are_bytes ? recurrent_byte_panels : recurrent_panels)(gates, in, hidden);
  if (!wide || !panels || w->dtype() != r->dtype() || in < 1 || hidden < 1 ||
      w->dims() != Dims{directions, *wide, in} || r->dims() != Dims{directions, *wide, hidden}) {
    return invalid_graph("weights ", dtype_name(w->dtype()), dims_to_string(w->dims()), " and ",
                         dtype_name(r->dtype()), dims_to_string(r->dims()), " of no such cell");
  }
  params.in = in;
  params.hidden = hidden;
  ASSIGN_OR_RETURN(Tensor to_w, Tensor::create(w->dtype(), {directions * panels->w}));
  ASSIGN_OR_RETURN(Tensor to_r,
                   Tensor::create(w->dtype(), {directions * (panels->r + panels->r_last)}));
  if (are_bytes) {
    pack_bytes(*w, panels->w, static_cast<std::byte*>(to_w.mutable_data()));
    pack_bytes(*r, panels->r, static_cast<std::byte*>(to_r.mutable_data()));
  } else if (is_half(w->dtype())) {
    pack_weights(*panels, w->dims(), hidden, gates, half_bits(*w), half_bits(*r),
                 static_cast<uint16_t*>(to_w.mutable_data()),
                 static_cast<uint16_t*>(to_r.mutable_data()));
  } else {
    pack_weights(*panels, w->dims(), hidden, gates, w->elements<float>().data(),
                 r->elements<float>().data(), to_w.mutable_elements<float>().data(),
                 to_r.mutable_elements<float>().data());
  }
  const Layout layout = are_bytes             ? kRecurrentPanels32I8
                        : is_half(w->dtype()) ? kRecurrentPanels32Half
                                              : kRecurrentPanels32F32;
  ctx.replace_input(1, std::move(to_w), layout);
  ctx.replace_input(2, std::move(to_r), layout);
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

// The record, and all operands but the weights and their scales.
Status check_operands(const BindContext& ctx, const RecurrentParams& params, Cell cell,
                      bool has_scales = false) {
  RETURN_IF_ERROR(check_record(params, cell));
  RETURN_IF_ERROR(check_arity(ctx, 3, has_scales ? 10 : cell == Cell::kLstm ? 8 : 6, 0));
  RETURN_IF_ERROR(check_type(ctx, 0, RecurrentTypes::kMask));
  for (const size_t i : {3, 5, 6, 7}) RETURN_IF_ERROR(check_same_type(ctx, i, 0));
  return check_type(ctx, 4, mask_of(DType::kInt32));
}

Status check_sizes(const RecurrentSizes& s) {
  const auto wide = checked_mul(s.gates, s.hidden);
  if (wide && *wide <= INT32_MAX && s.in <= INT32_MAX) return Status::ok();
  return invalid_argument("a cell too large");
}

Status set_results(BindContext& ctx, const RecurrentParams& params, const RecurrentSizes& s) {
  const DType dtype = ctx.input(0).dtype;
  const int64_t wide = s.gates * s.hidden;
  RETURN_IF_ERROR(check_shape(ctx, 3, {s.directions, 2 * wide}));
  RETURN_IF_ERROR(check_shape(ctx, 4, {s.batch}));
  const bool batch_first = params.batch_first != 0;
  const DimList state = batch_first ? DimList(std::array{s.batch, s.directions, s.hidden})
                                    : DimList(std::array{s.directions, s.batch, s.hidden});
  for (const size_t i : {5, 6}) {
    RETURN_IF_ERROR(check_shape(ctx, i, {state[0], state[1], state[2]}));
  }
  RETURN_IF_ERROR(check_shape(ctx, 7, {s.directions, 3 * s.hidden}));
  ScratchPlan plan;
  const RecurrentWeights weights = recurrent_weights(ctx.input(1));
  RETURN_IF_ERROR(lay_out_recurrent(s, dtype, ctx.thread_count(), weights, &plan).status());
  RETURN_IF_ERROR(plan.declare(ctx));
  if (ctx.has_output(0)) {
    RETURN_IF_ERROR(batch_first
                        ? ctx.set_output(0, dtype, {s.batch, s.steps, s.directions, s.hidden})
                        : ctx.set_output(0, dtype, {s.steps, s.directions, s.batch, s.hidden}));
  }
  for (const size_t i : {1, 2}) {
    if (ctx.has_output(i)) RETURN_IF_ERROR(ctx.set_output(i, dtype, state));
  }
  return Status::ok();
}

template <Cell kCell>
Status bind_recurrent(BindContext& ctx) {
  const auto* params = ctx.params<RecurrentParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_operands(ctx, *params, kCell));
  for (const size_t i : {1, 2}) RETURN_IF_ERROR(check_same_type(ctx, i, 0));
  const ValueRef& x = ctx.input(0);
  const ValueRef& r = ctx.input(2);
  if (x.rank != 3 || r.rank != 3) return invalid_argument("x and R must have rank 3");
  const RecurrentSizes s = recurrent_sizes(*params, x, r.dim(2));
  RETURN_IF_ERROR(check_sizes(s));
  RETURN_IF_ERROR(check_shape(ctx, 1, {s.directions, s.gates * s.hidden, s.in}));
  RETURN_IF_ERROR(check_shape(ctx, 2, {s.directions, s.gates * s.hidden, s.hidden}));
  return set_results(ctx, *params, s);
}

template <Cell kCell, TypeMask kWeights>
Status bind_packed(BindContext& ctx) {
  const auto* params = ctx.params<PackedRecurrentParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_operands(ctx, params->cell, kCell, kWeights == kI8));
  RETURN_IF_ERROR(check_type(ctx, 0, kF32));
  const ValueRef& x = ctx.input(0);
  if (x.rank != 3 || x.dim(2) != params->in || params->in < 1) {
    return invalid_argument("x has shape ", dims_to_string(x.dims()), ", expected [?,?,",
                            params->in, "]");
  }
  if (params->hidden < 1 || params->hidden > INT32_MAX) {
    return invalid_graph("its params record has ", params->hidden, " hidden numbers");
  }
  const RecurrentSizes s = recurrent_sizes(params->cell, x, params->hidden);
  RETURN_IF_ERROR(check_sizes(s));
  const auto panels =
      (kWeights == kI8 ? recurrent_byte_panels : recurrent_panels)(s.gates, s.in, s.hidden);
  if (!panels) return invalid_graph("its params record describes a cell too large");
  RETURN_IF_ERROR(check_packed(ctx, 1, checked_mul(s.directions, panels->w), kWeights));
  const auto r = checked_add(panels->r, panels->r_last);
  RETURN_IF_ERROR(check_packed(ctx, 2, r ? checked_mul(s.directions, *r) : std::nullopt, kWeights));
  if (ctx.input(1).dtype != ctx.input(2).dtype) return invalid_graph("W and R differ in type");
  if (kWeights == kI8) {
    for (const size_t i : {scales_input(1), scales_input(2)}) {
      if (!ctx.has_input(i)) return invalid_graph("weights of 8 bits without scales");
      RETURN_IF_ERROR(check_type(ctx, i, kF32));
      RETURN_IF_ERROR(check_shape(ctx, i, {s.directions, s.gates * s.hidden}));
    }
  }
  return set_results(ctx, params->cell, s);
}

// --- Run.

Status run_passes(RunContext& ctx, const RecurrentParams& params, int64_t hidden) {
  const ValueRef& x = ctx.input(0);
  const RecurrentSizes s = recurrent_sizes(params, x, hidden);
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
  ASSIGN_OR_RETURN(
      const RecurrentScratch scratch,
      lay_out_recurrent(s, x.dtype, ctx.thread_count(), recurrent_weights(ctx.input(1)), &plan));
  with_type(RecurrentTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (ctx.has_output(0) && ctx.has_input(4)) {
      std::fill_n(ctx.output(0).as_mutable<T>(), ctx.output(0).element_count(), T(0));
    }
    for (int64_t d = 0; d < s.directions; ++d) RecurrentPass<T>(ctx, params, s, scratch, d).run();
  });
  return Status::ok();
}

Status run_recurrent(RunContext& ctx) {
  return run_passes(ctx, ctx.params<RecurrentParams>(), ctx.input(2).dim(2));
}

Status run_packed(RunContext& ctx) {
  const auto& params = ctx.params<PackedRecurrentParams>();
  return run_passes(ctx, params.cell, params.hidden);
}

template <Cell kCell, TypeMask kWeights>
constexpr KernelRow packed_row(std::string_view op, std::string_view id) {
  return {op,
          kInternalDomain,
          0,
          kLatestOpset,
          kWeights,
          id,
          1,
          kNoFlags,
          0,
          prepare_packed<kCell>,
          bind_packed<kCell, kWeights>,
          run_packed,
          1};
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
      kRNNRow,
      reduced_row<kRNNRow>("RNN.reduced"),
      kGRURow,
      reduced_row<kGRURow>("GRU.reduced"),
      kLSTMRow,
      reduced_row<kLSTMRow>("LSTM.reduced"),
      packed_row<Cell::kRnn, kF32>("RNN", "rnn_packed.f32"),
      packed_row<Cell::kRnn, kHalfTypes>("RNN", "rnn_packed.half"),
      packed_row<Cell::kGru, kF32>("GRU", "gru_packed.f32"),
      packed_row<Cell::kGru, kHalfTypes>("GRU", "gru_packed.half"),
      packed_row<Cell::kLstm, kF32>("LSTM", "lstm_packed.f32"),
      packed_row<Cell::kLstm, kHalfTypes>("LSTM", "lstm_packed.half"),
      packed_row<Cell::kLstm, kI8>("LSTM", "lstm_packed.i8"),
  };
  return rows;
}

}  // namespace ortc::cpu
