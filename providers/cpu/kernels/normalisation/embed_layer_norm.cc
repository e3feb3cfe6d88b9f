// SPDX-License-Identifier: MIT
// EmbedLayerNormalization of com.microsoft: a row of each table, their sum normalised.
//
//   t[b][s] = word[input_ids[b][s]] + position[p] + segment[segment_ids[b][s]]
//   y[b][s] = (t - mean(t)) / sqrt(var(t) + epsilon) * gamma + beta
//
// p is position_ids[b][s], or s where there are none. A segment table without ids gives its first
// row. The second result counts the ones in each row of the mask, 0 without a mask; the third is t.
#include <algorithm>

#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

enum Input : size_t {
  kIds,
  kSegmentIds,
  kWord,
  kPosition,
  kSegment,
  kGamma,
  kBeta,
  kMask,
  kPositionIds
};
enum Output : size_t { kY, kMaskIndex, kSum };

struct EmbedParams {
  uint32_t record_bytes;
  float epsilon;
};
static_assert(sizeof(EmbedParams) == 8);

constexpr int64_t kRowGrain = 8192;  // elements one thread takes at a time

// --- Prepare.

Status prepare_embed(PrepareContext& ctx) {
  const float epsilon = ctx.node().float_attribute("epsilon", 1e-12f);
  if (!(epsilon >= 0)) {
    return invalid_graph("attribute 'epsilon' is ", epsilon, ", expected 0 or more");
  }
  ctx.set_params(EmbedParams{sizeof(EmbedParams), epsilon});
  return Status::ok();
}

// --- Bind.

Status check_table(const BindContext& ctx, size_t i, std::string_view name, int64_t hidden) {
  if (!ctx.has_input(i)) return Status::ok();
  const ValueRef& table = ctx.input(i);
  if (table.rank == 2 && table.dim(1) == hidden) return Status::ok();
  return invalid_argument(name, " has shape ", dims_to_string(table.dims()), ", expected [?,",
                          hidden, "]");
}

Status check_vector(const BindContext& ctx, size_t i, std::string_view name, int64_t hidden) {
  const ValueRef& vector = ctx.input(i);
  if (vector.rank == 1 && vector.dim(0) == hidden) return Status::ok();
  return invalid_argument(name, " has shape ", dims_to_string(vector.dims()), ", expected [",
                          hidden, "]");
}

// Like input_ids; position_ids may be one row for the whole batch.
Status check_ids(const BindContext& ctx, size_t i, std::string_view name, bool may_repeat) {
  if (!ctx.has_input(i)) return Status::ok();
  const auto ids = ctx.input(kIds).dims(), found = ctx.input(i).dims();
  const bool fits = found.size() == 2 && found[1] == ids[1] &&
                    (found[0] == ids[0] || (may_repeat && found[0] == 1));
  if (fits) return Status::ok();
  return invalid_argument(name, " has shape ", dims_to_string(found), ", input_ids have ",
                          dims_to_string(ids));
}

Status check_types(const BindContext& ctx) {
  for (const size_t i : {kWord, kPosition, kSegment, kGamma, kBeta}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kFloat32)));
  }
  for (const size_t i : {kIds, kSegmentIds, kMask, kPositionIds}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kInt32)));
  }
  return Status::ok();
}

Status bind_embed(BindContext& ctx) {
  if (ctx.params<EmbedParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 0, 9));
  for (const size_t i : {kIds, kWord, kPosition, kGamma, kBeta}) {
    if (!ctx.has_input(i)) return invalid_graph("input ", i, " is missing");
  }
  RETURN_IF_ERROR(check_types(ctx));
  const ValueRef &ids = ctx.input(kIds), &word = ctx.input(kWord);
  if (ids.rank != 2) {
    return invalid_argument("input_ids have shape ", dims_to_string(ids.dims()),
                            ", expected [batch, sequence]");
  }
  if (word.rank != 2) {
    return invalid_argument("word_embedding has shape ", dims_to_string(word.dims()),
                            ", expected a matrix");
  }
  if (ctx.has_input(kSegmentIds) && !ctx.has_input(kSegment)) {
    return invalid_argument("segment_ids without segment_embedding");
  }
  const int64_t hidden = word.dim(1);
  RETURN_IF_ERROR(check_table(ctx, kPosition, "position_embedding", hidden));
  RETURN_IF_ERROR(check_table(ctx, kSegment, "segment_embedding", hidden));
  RETURN_IF_ERROR(check_vector(ctx, kGamma, "gamma", hidden));
  RETURN_IF_ERROR(check_vector(ctx, kBeta, "beta", hidden));
  RETURN_IF_ERROR(check_ids(ctx, kSegmentIds, "segment_ids", false));
  RETURN_IF_ERROR(check_ids(ctx, kMask, "mask", false));
  RETURN_IF_ERROR(check_ids(ctx, kPositionIds, "position_ids", true));
  if (ctx.has_output(kMaskIndex)) {
    RETURN_IF_ERROR(ctx.set_output(kMaskIndex, DType::kInt32, {ids.dim(0)}));
  }
  if (ctx.has_output(kSum)) {
    RETURN_IF_ERROR(ctx.set_output(kSum, DType::kFloat32, {ids.dim(0), ids.dim(1), hidden}));
  }
  return ctx.set_output(kY, DType::kFloat32, {ids.dim(0), ids.dim(1), hidden});
}

// --- Run.

const int32_t* ids_or_null(const RunContext& ctx, size_t i) {
  return ctx.has_input(i) ? ctx.input(i).as<int32_t>() : nullptr;
}

// Every one of the ids, if there are any, is a row of the table.
Status check_rows(const RunContext& ctx, size_t ids_input, size_t table_input,
                  std::string_view name) {
  const int32_t* ids = ids_or_null(ctx, ids_input);
  if (ids == nullptr) return Status::ok();
  const int64_t rows = ctx.input(table_input).dim(0), count = ctx.input(ids_input).element_count();
  for (int64_t i = 0; i < count; ++i) {
    if (ids[i] < 0 || ids[i] >= rows) {
      return invalid_argument(name, " has ", rows, " rows, found id ", ids[i]);
    }
  }
  return Status::ok();
}

Status check_all_rows(const RunContext& ctx) {
  RETURN_IF_ERROR(check_rows(ctx, kIds, kWord, "word_embedding"));
  RETURN_IF_ERROR(check_rows(ctx, kSegmentIds, kSegment, "segment_embedding"));
  RETURN_IF_ERROR(check_rows(ctx, kPositionIds, kPosition, "position_embedding"));
  const int64_t places = ctx.input(kPosition).dim(0), sequence = ctx.input(kIds).dim(1);
  const bool has_tokens = ctx.input(kIds).element_count() > 0;
  if (has_tokens && !ctx.has_input(kPositionIds) && sequence > places) {
    return invalid_argument("position_embedding has ", places, " rows, the sequence ", sequence,
                            " places");
  }
  const bool uses_first = has_tokens && ctx.has_input(kSegment) && !ctx.has_input(kSegmentIds);
  if (uses_first && ctx.input(kSegment).dim(0) == 0) {
    return invalid_argument("segment_embedding has no rows");
  }
  return Status::ok();
}

void count_mask(const RunContext& ctx) {
  const int64_t batch = ctx.input(kIds).dim(0), sequence = ctx.input(kIds).dim(1);
  const int32_t* mask = ids_or_null(ctx, kMask);
  auto* counts = ctx.output(kMaskIndex).as_mutable<int32_t>();
  if (mask == nullptr) {
    std::fill_n(counts, batch, 0);
    return;
  }
  for (int64_t b = 0; b < batch; ++b) {
    const int32_t* row = mask + b * sequence;
    counts[b] = static_cast<int32_t>(std::count(row, row + sequence, 1));
  }
}

// The tables' rows for token i of the batch.
NormRowF32 row_of(const RunContext& ctx, int64_t i) {
  const int64_t sequence = ctx.input(kIds).dim(1), n = ctx.input(kWord).dim(1);
  const int32_t *segment_ids = ids_or_null(ctx, kSegmentIds),
                *position_ids = ids_or_null(ctx, kPositionIds);
  int64_t place = i % sequence;
  if (position_ids != nullptr) {
    place = position_ids[ctx.input(kPositionIds).dim(0) == 1 ? place : i];
  }
  NormRowF32 row;
  row.x = ctx.input(kWord).as<float>() + ctx.input(kIds).as<int32_t>()[i] * n;
  row.skip = ctx.input(kPosition).as<float>() + place * n;
  if (ctx.has_input(kSegment)) {
    row.skip_bias =
        ctx.input(kSegment).as<float>() + (segment_ids != nullptr ? segment_ids[i] * n : 0);
  }
  row.scale = ctx.input(kGamma).as<float>();
  row.bias = ctx.input(kBeta).as<float>();
  row.sum = ctx.has_output(kSum) ? ctx.output(kSum).as_mutable<float>() + i * n : nullptr;
  row.y = ctx.output(kY).as_mutable<float>() + i * n;
  row.n = static_cast<size_t>(n);
  row.epsilon = ctx.params<EmbedParams>().epsilon;
  return row;
}

Status run_embed(RunContext& ctx) {
  RETURN_IF_ERROR(check_all_rows(ctx));
  if (ctx.has_output(kMaskIndex)) count_mask(ctx);
  if (ctx.output(kY).element_count() == 0) return Status::ok();
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  const int64_t grain = std::max<int64_t>(1, kRowGrain / ctx.input(kWord).dim(1));
  ctx.parallel_for(ctx.input(kIds).element_count(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) vector.layer_norm(row_of(ctx, i));
  });
  return Status::ok();
}

}  // namespace

KernelTable embed_layer_norm_kernels() {
  // Typed by gamma: of the tables, those that are constant are widened once.
  static constexpr KernelRow kEmbedRow("EmbedLayerNormalization", "com.microsoft", 1, kLatestOpset,
                                       mask_of(DType::kFloat32), "embed_layer_norm.f32", 1,
                                       kNoFlags, 0, prepare_embed, bind_embed, run_embed, kGamma);
  static constexpr KernelRow rows[] = {
      kEmbedRow,
      reduced_row<kEmbedRow>("EmbedLayerNormalization.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
