// SPDX-License-Identifier: MIT
// ReverseSequence: the first sequence_lens[b] time steps of batch entry b in reverse order.
#include <algorithm>
#include <cstring>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

struct ReverseParams {
  uint32_t record_bytes;
  uint32_t time_first;  // axes are (time, batch), else (batch, time)
};
static_assert(sizeof(ReverseParams) == 8);

// --- Prepare.

Status prepare_reverse(PrepareContext& ctx) {
  const int64_t batch = ctx.node().int_attribute("batch_axis", 1);
  const int64_t time = ctx.node().int_attribute("time_axis", 0);
  if (batch < 0 || batch > 1 || time < 0 || time > 1 || batch == time) {
    return invalid_graph("batch_axis is ", batch, " and time_axis ", time,
                         ", expected 0 and 1 or 1 and 0");
  }
  ctx.set_params(ReverseParams{sizeof(ReverseParams), time == 0 ? 1u : 0u});
  return Status::ok();
}

// --- Bind.

Status bind_reverse(BindContext& ctx) {
  const auto* params = ctx.params<ReverseParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt64)));
  const ValueRef& x = ctx.input(0);
  const ValueRef& lengths = ctx.input(1);
  if (x.rank < 2 || lengths.rank != 1 || lengths.dim(0) != x.dim(params->time_first != 0 ? 1 : 0)) {
    return invalid_argument("an input of shape ", dims_to_string(x.dims()), " and lengths of ",
                            dims_to_string(lengths.dims()), " do not fit");
  }
  return ctx.set_output(0, x.dtype, x.dims());
}

// --- Run.

Status run_reverse(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const bool time_first = ctx.params<ReverseParams>().time_first != 0;
  const int64_t times = x.dim(time_first ? 0 : 1), batches = x.dim(time_first ? 1 : 0);
  const auto* lengths = ctx.input(1).as<int64_t>();
  for (int64_t b = 0; b < batches; ++b) {
    if (lengths[b] < 0 || lengths[b] > times) {
      return invalid_argument("a length of ", lengths[b], " in a sequence of ", times);
    }
  }
  const int64_t bytes = product(x.dims(), 2, x.rank) * static_cast<int64_t>(element_bytes(x.dtype));
  if (bytes == 0) return Status::ok();
  const int64_t grain = std::max<int64_t>(1, kElementGrain / bytes);
  ctx.parallel_for(times * batches, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = time_first ? i % batches : i / times;
      const int64_t t = time_first ? i / batches : i % times;
      const int64_t from = t < lengths[b] ? lengths[b] - 1 - t : t;
      const int64_t at = time_first ? from * batches + b : b * times + from;
      std::memcpy(ctx.output(0).as_mutable<std::byte>() + i * bytes, x.as<std::byte>() + at * bytes,
                  static_cast<size_t>(bytes));
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable reverse_sequence_kernels() {
  static constexpr KernelRow rows[] = {
      {"ReverseSequence", "", 10, kLatestOpset, kByteTypes, "reverse_sequence", 1, kNoFlags, 0,
       prepare_reverse, bind_reverse, run_reverse},
      {"ReverseSequence", "", 10, kLatestOpset, kStrings, "reverse_sequence.string", 1, kNoFlags, 0,
       prepare_reverse, bind_strings<bind_reverse, 1>, run_strings<run_reverse>},
  };
  return rows;
}

}  // namespace ortc::cpu
