// SPDX-License-Identifier: MIT
// GroupQueryAttention of com.microsoft: attention over a cache of keys and values, several query
// heads to a key head.
//
// Batch entry b has seqlens_k[b] + 1 keys with the new ones, of which as many as there are queries
// are new, at the end; of a first prompt (as many queries as total_sequence_length) all are. Keys
// without rows add nothing: another node has filled the cache. The cache [B, key heads, P, H]
// becomes [B, key heads, max(P, total_sequence_length), H], or stays as long as it was where it
// slides: what lies behind an entry's keys is 0, or stays where the program has bound one buffer as
// past and present.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/attention/group_attend.h"
#include "providers/cpu/kernels/attention/group_cache.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

Result<bool> has_channel_scales(const Node& node, std::string_view name) {
  const std::string type(node.string_attribute(name, "NONE"));
  if (type == "PER_CHANNEL") return true;
  if (type == "PER_TENSOR" || type == "NONE" || type.empty()) return false;
  return invalid_graph("attribute '", name, "' is ", type,
                       ", expected NONE, PER_TENSOR or PER_CHANNEL");
}

bool is_quantised(const Node& node, std::string_view name) {
  const auto type = node.string_attribute(name, "NONE");
  return type != "NONE" && !type.empty();
}

Status take_cache_type(const Node& node, GroupParams* params) {
  ASSIGN_OR_RETURN(const bool k_channels, has_channel_scales(node, "k_quant_type"));
  ASSIGN_OR_RETURN(const bool v_channels, has_channel_scales(node, "v_quant_type"));
  params->channels = (k_channels ? 1u : 0u) | (v_channels ? 2u : 0u);
  if (is_quantised(node, "k_quant_type") != is_quantised(node, "v_quant_type")) {
    return invalid_graph("attributes 'k_quant_type' and 'v_quant_type' give the cache two types");
  }
  const int64_t bits = node.int_attribute("kv_cache_bit_width", 0);
  if (!is_quantised(node, "k_quant_type")) {
    if (bits != 0) {
      return invalid_graph("attribute 'kv_cache_bit_width' is ", bits, " without 'k_quant_type'");
    }
    params->bits = 32;
    return Status::ok();
  }
  if (bits != 8 && bits != 4) {
    return invalid_graph("attribute 'kv_cache_bit_width' is ", bits, ", expected 8 or 4");
  }
  params->bits = static_cast<uint32_t>(bits);
  return Status::ok();
}

Status take_scores(const PrepareContext& ctx, GroupParams* params) {
  const int64_t wanted = ctx.node().int_attribute("qk_output", 0);
  if (wanted < 0 || wanted > static_cast<int64_t>(GroupScores::kAfterSoftmax)) {
    return invalid_graph("attribute 'qk_output' is ", wanted, ", expected 0, 1 or 2");
  }
  if ((wanted != 0) != ctx.has_output(kGroupScores)) {
    return invalid_graph("attribute 'qk_output' is ", wanted,
                         wanted != 0 ? " without output 3" : " beside output 3");
  }
  params->scores = static_cast<uint32_t>(wanted);
  return Status::ok();
}

Status take_window(const Node& node, GroupParams* params) {
  params->window = node.int_attribute("local_window_size", -1);
  params->slides = node.int_attribute("sliding_window_cache", 0) != 0 ? 1 : 0;
  if (params->is_causal == 0 && params->window != -1) {
    return invalid_graph("attribute 'local_window_size' is ", params->window, " without 'causal'");
  }
  if (params->slides != 0 && params->window < 1) {
    return invalid_graph("attribute 'sliding_window_cache' beside a 'local_window_size' of ",
                         params->window);
  }
  return Status::ok();
}

Status prepare_group(PrepareContext& ctx) {
  const Node& node = ctx.node();
  const auto flag = [&node](std::string_view name, int64_t otherwise) {
    return node.int_attribute(name, otherwise) != 0 ? 1u : 0u;
  };
  GroupParams params{};
  params.record_bytes = sizeof params;
  params.is_causal = flag("causal", 1);
  params.do_rotary = flag("do_rotary", 0);
  params.interleaved = flag("rotary_interleaved", 0);
  params.smooth = node.int_attribute("smooth_softmax", 0) == 1 ? 1 : 0;
  params.scale = node.float_attribute("scale", 0.0f);
  params.softcap = node.float_attribute("softcap", 0.0f);
  params.epsilon = node.float_attribute("qk_norm_epsilon", 1e-6f);
  params.q_heads = node.int_attribute("num_heads", 0);
  params.kv_heads = node.int_attribute("kv_num_heads", 0);
  if (params.q_heads < 1 || params.kv_heads < 1 || params.q_heads % params.kv_heads != 0) {
    return invalid_graph("attribute 'num_heads' is ", params.q_heads, ", 'kv_num_heads' ",
                         params.kv_heads);
  }
  RETURN_IF_ERROR(take_window(node, &params));
  RETURN_IF_ERROR(take_cache_type(node, &params));
  RETURN_IF_ERROR(take_scores(ctx, &params));
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct GroupScratch {
  uint64_t q, keys, values, added;
  GroupAttendScratch attend;
};

template <typename Context>
GroupScratch lay_out(const Context& ctx, const GroupShape& s, ScratchPlan* plan) {
  const auto count = [](std::initializer_list<int64_t> dims) {
    const auto product = checked_element_count(std::span<const int64_t>(dims.begin(), dims.size()));
    return product ? *product : int64_t{-1};
  };
  const auto elsewhere = [&](size_t output) {
    return s.is_staged() || !ctx.has_output(output) ? s.rows() : int64_t{0};
  };
  GroupScratch scratch{};
  scratch.q = plan->add<float>(count({s.batch, s.q_heads, s.queries, s.size}));
  scratch.keys = plan->add<std::byte>(
      count({s.batch, s.kv_heads, elsewhere(kGroupPresentKey), s.row_bytes()}));
  scratch.values = plan->add<std::byte>(
      count({s.batch, s.kv_heads, elsewhere(kGroupPresentValue), s.row_bytes()}));
  const int64_t added = s.is_float() ? 0 : s.added;
  scratch.added = plan->add<float>(count({s.batch, s.kv_heads, added, s.size}));
  scratch.attend = lay_out_group_attend(s, ctx.thread_count(), plan);
  return scratch;
}

Status bind_group(BindContext& ctx) {
  const auto* params = ctx.params<GroupParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_group_params(*params));
  RETURN_IF_ERROR(check_arity(ctx, 0, kGroupInputs));
  RETURN_IF_ERROR(check_group_types(ctx, *params));
  ASSIGN_OR_RETURN(const GroupShape s, group_shape(ctx, *params));
  RETURN_IF_ERROR(check_group_rest(ctx, *params, s));
  RETURN_IF_ERROR(
      ctx.set_output(kGroupY, DType::kFloat32, {s.batch, s.queries, s.q_heads * s.size}));
  for (const size_t i : {kGroupPresentKey, kGroupPresentValue}) {
    if (!ctx.has_output(i)) continue;
    RETURN_IF_ERROR(ctx.set_output(i, s.cache_type(), {s.batch, s.kv_heads, s.present, s.width()}));
  }
  if (ctx.has_output(kGroupScores)) {
    RETURN_IF_ERROR(
        ctx.set_output(kGroupScores, DType::kFloat32, {s.batch, s.q_heads, s.queries, s.total}));
  }
  ScratchPlan plan;
  lay_out(ctx, s, &plan);
  return plan.declare(ctx);
}

// --- Run.

// The cache of keys or values as it will be, without its contents.
GroupCache present_cache(const RunContext& ctx, const GroupShape& s, size_t input, size_t output,
                         uint64_t scratch) {
  GroupCache cache{};
  if (ctx.has_input(input)) cache.past = static_cast<const std::byte*>(ctx.input(input).data);
  cache.data = ctx.has_output(output) && !s.is_staged()
                   ? static_cast<std::byte*>(ctx.output(output).data)
                   : scratch_at<std::byte>(ctx, scratch);
  cache.rows = s.rows();
  return cache;
}

// Staged rows go to the present when all queries have seen them.
void unstage(const RunContext& ctx, const GroupShape& s, const GroupCache& staged, size_t output) {
  if (!s.is_staged() || !ctx.has_output(output)) return;
  auto* present = static_cast<std::byte*>(ctx.output(output).data);
  keep_window(ctx, s, staged.data, {staged.past, present, s.present});
}

Status run_group(RunContext& ctx) {
  const auto& params = ctx.params<GroupParams>();
  ASSIGN_OR_RETURN(const GroupShape s, group_shape(ctx, params));
  ScratchPlan plan;
  const GroupScratch scratch = lay_out(ctx, s, &plan);
  RETURN_IF_ERROR(check_group_lengths(ctx, params, s));
  float* q = scratch_at<float>(ctx, scratch.q);
  take_group_queries(ctx, params, s, q);
  const GroupCache keys = present_cache(ctx, s, kGroupPastKey, kGroupPresentKey, scratch.keys);
  const GroupCache values =
      present_cache(ctx, s, kGroupPastValue, kGroupPresentValue, scratch.values);
  fill_group_keys(ctx, params, s, keys, scratch_at<float>(ctx, scratch.added));
  fill_group_values(ctx, params, s, values);
  if (ctx.output(kGroupY).element_count() > 0) {
    run_group_attend(ctx, params, s, scratch.attend, {q, keys.data, values.data});
  } else if (ctx.has_output(kGroupScores)) {  // heads without columns
    const ValueRef& scores = ctx.output(kGroupScores);
    std::fill_n(scores.as_mutable<float>(), scores.element_count(), 0.0f);
  }
  unstage(ctx, s, keys, kGroupPresentKey);
  unstage(ctx, s, values, kGroupPresentValue);
  return Status::ok();
}

}  // namespace

KernelTable group_query_attention_kernels() {
  static constexpr KernelRow kGroupRow("GroupQueryAttention", "com.microsoft", 1, kLatestOpset,
                                       mask_of(DType::kFloat32), "group_query_attention.f32", 1,
                                       kNoFlags, 1u << kGroupTotal, prepare_group, bind_group,
                                       run_group);
  static constexpr KernelRow rows[] = {
      kGroupRow,
      reduced_row<kGroupRow>("GroupQueryAttention.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
