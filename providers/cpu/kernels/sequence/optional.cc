// SPDX-License-Identifier: MIT
// Optionals, and Identity of values that are not tensors. An optional is its content, or none.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

// --- Bind.

template <size_t kLow>
Status bind_value(BindContext& ctx) {
  return check_arity(ctx, kLow, 1, 1);
}

// --- Run.

bool is_there(const RunContext& ctx) {
  if (!ctx.has_input(0)) return false;
  const Datum* datum = ctx.input(0).datum;
  return datum == nullptr || !datum->is_none();
}

Status run_pass(RunContext& ctx) {
  if (ctx.input_count() == 0) return ctx.give_output(0, Datum());
  ASSIGN_OR_RETURN(Datum value, datum_of(ctx.input(0)));
  return ctx.give_output(0, std::move(value));
}

Status run_get(RunContext& ctx) {
  if (!is_there(ctx)) return invalid_argument("the optional has no content");
  return run_pass(ctx);
}

Status run_has(RunContext& ctx) { return ctx.give_output(0, Tensor::scalar(is_there(ctx))); }

}  // namespace

KernelTable optional_kernels() {
  constexpr int kEnd = kLatestOpset;
  constexpr uint32_t kFlags = kDataDependent;
  static constexpr KernelRow rows[] = {
      {"Optional", "", 15, kEnd, kAnyType | kNotTensor, "optional", 1, kFlags, 0, prepare_nothing,
       bind_value<0>, run_pass},
      {"OptionalGetElement", "", 15, kEnd, kAnyType | kNotTensor, "optional_get", 1, kFlags, 0,
       prepare_nothing, bind_value<1>, run_get},
      {"OptionalHasElement", "", 15, kEnd, kAnyType | kNotTensor, "optional_has", 1, kFlags, 0,
       prepare_nothing, bind_value<0>, run_has},
      {"Identity", "", 1, kEnd, kAnyType | kNotTensor, "identity.value", 1, kFlags, 0,
       prepare_nothing, bind_value<1>, run_pass},
  };
  return rows;
}

}  // namespace ortc::cpu
