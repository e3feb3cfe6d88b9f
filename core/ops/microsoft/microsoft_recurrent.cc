// SPDX-License-Identifier: MIT
// The domain com.microsoft: cells over sequences.
#include <array>

#include "core/ops/microsoft/microsoft_families.h"
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// [times, directions, batch, hidden], and the last states.
Status infer_quantised_lstm(InferContext& ctx) {
  for (const size_t i : {0, 1, 2}) RETURN_IF_ERROR(expect_rank(ctx, i, 3));
  const Shape *x = input_shape(ctx, 0), *r = input_shape(ctx, 2);
  Shape last = unknown_shape(3);
  if (r != nullptr) last[0] = (*r)[0], last[2] = (*r)[1];
  if (x != nullptr) last[1] = (*x)[1];
  Shape all = last;
  all.insert(all.begin(), x != nullptr ? (*x)[0] : Dim::unknown());
  set_tensor(ctx, 0, input_dtype(ctx, 0), std::move(all));
  for (const size_t i : {1, 2}) set_tensor(ctx, i, input_dtype(ctx, 0), last);
  return Status::ok();
}

// --- AttnLSTM. Its inputs share sizes, each known by a letter.

enum Size : size_t {
  kSteps,
  kBatch,
  kIn,
  kDirections,
  kHidden,
  kGates,   // four of the hidden
  kBiases,  // eight
  kPeeps,   // three
  kJoined,  // in, and what was seen
  kDepth,   // of a query
  kPlaces,  // of the memory
  kMemory,  // numbers of a place
  kSeen,    // what a step sees there
  kBoth,    // memory and hidden
  kSizeCount
};
using Sizes = std::array<Dim, kSizeCount>;

struct AttnInput {
  size_t index;
  std::initializer_list<Size> dims;
};

Status take_sizes(const InferContext& ctx, Sizes& sizes) {
  const AttnInput inputs[] = {{0, {kSteps, kBatch, kIn}},
                              {1, {kDirections, kGates, kJoined}},
                              {2, {kDirections, kGates, kHidden}},
                              {3, {kDirections, kBiases}},
                              {4, {kBatch}},
                              {5, {kDirections, kBatch, kHidden}},
                              {6, {kDirections, kBatch, kHidden}},
                              {7, {kDirections, kPeeps}},
                              {8, {kDirections, kHidden, kDepth}},
                              {9, {kDirections, kMemory, kDepth}},
                              {10, {kDirections, kDepth}},
                              {11, {kBatch, kPlaces, kMemory}},
                              {12, {kBatch}},
                              {13, {kDirections, kBoth, kSeen}}};
  for (const AttnInput& input : inputs) {
    if (!ctx.has_input(input.index)) continue;
    RETURN_IF_ERROR(expect_rank(ctx, input.index, input.dims.size()));
    const Shape* shape = input_shape(ctx, input.index);
    for (size_t i = 0; shape != nullptr && i < shape->size(); ++i) {
      Dim& size = sizes[input.dims.begin()[i]];
      auto same = equal_dims(size, plain_dim((*shape)[i]));
      if (!same.is_ok()) {
        return invalid_graph("axis ", i, " of input ", input.index, " has ", (*shape)[i].value,
                             " elements, other inputs say ", size.value);
      }
      size = *same;
    }
  }
  return Status::ok();
}

// `whole` is a sum or a product of others.
Status check_size(const char* what, const Dim& whole, const Dim& expected) {
  if (!whole.is_known() || !expected.is_known() || whole.value == expected.value) {
    return Status::ok();
  }
  return invalid_graph(what, " is for ", whole.value, " numbers, expected ", expected.value);
}

Status infer_attn_lstm(InferContext& ctx) {
  for (const size_t i : {8, 9, 10, 11}) {
    if (!ctx.has_input(i)) return invalid_graph("input ", i, " of its attention is missing");
  }
  Sizes sizes{};
  const std::string_view direction = ctx.node().string_attribute("direction", "forward");
  sizes[kDirections] = Dim::known(direction == "bidirectional" ? 2 : 1);
  if (const int64_t size = ctx.node().int_attribute("hidden_size", 0); size > 0) {
    sizes[kHidden] = Dim::known(size);
  }
  RETURN_IF_ERROR(take_sizes(ctx, sizes));
  const Dim& hidden = sizes[kHidden];
  const Dim& seen = ctx.has_input(13) ? sizes[kSeen] : sizes[kMemory];
  RETURN_IF_ERROR(check_size("W", sizes[kGates], mul_dims(hidden, Dim::known(4))));
  RETURN_IF_ERROR(check_size("B", sizes[kBiases], mul_dims(hidden, Dim::known(8))));
  RETURN_IF_ERROR(check_size("P", sizes[kPeeps], mul_dims(hidden, Dim::known(3))));
  RETURN_IF_ERROR(check_size("W", sizes[kJoined], add_dims(sizes[kIn], seen)));
  RETURN_IF_ERROR(check_size("AW", sizes[kBoth], add_dims(sizes[kMemory], hidden)));
  const DType dtype = input_dtype(ctx, 0);
  const Shape last = {sizes[kDirections], sizes[kBatch], hidden};
  set_tensor(ctx, 0, dtype, Shape{sizes[kSteps], sizes[kDirections], sizes[kBatch], hidden});
  for (const size_t i : {1, 2}) set_tensor(ctx, i, dtype, last);
  return Status::ok();
}

}  // namespace

std::span<const OpRow> microsoft_recurrent_rows() {
  constexpr std::string_view kMs = kMicrosoftDomain;
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {kMs, "AttnLSTM", 1, 3, 14, 0, 3, infer_attn_lstm},
      {kMs, "DynamicQuantizeLSTM", 1, 12, 12, 0, 3, infer_quantised_lstm},
  };
  return kRows;
}

}  // namespace ortc
