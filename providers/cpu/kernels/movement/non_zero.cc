// SPDX-License-Identifier: MIT
// NonZero: the coordinates of all elements that are not zero, one column each, in row-major order.
// How many there are is known only after looking, so the run asks for the output's memory itself.
#include <complex>
#include <string>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using NonZeroTypes = Join<NumberTypes, TypeList<Bool8>>;
constexpr TypeMask kTypes =
    NonZeroTypes::kMask | mask_of(DType::kComplex64, DType::kComplex128, DType::kString);

// --- Arithmetic.

// The text without characters is zero among texts.
bool is_zero(const std::string& x) { return x.empty(); }

template <typename T>
bool is_zero(const std::complex<T>& x) {
  return x == std::complex<T>();
}

template <typename T>
bool is_zero(T x) {
  if constexpr (std::is_same_v<T, Bool8>) {
    return !x;
  } else {
    return static_cast<Compute<T>>(x) == Compute<T>{0};
  }
}

// --- Bind.

Status bind_non_zero(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  return check_type(ctx, 0, kTypes);
}

// --- Run.

template <typename T>
Status run_typed(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const T* elements = x.as<T>();
  const int64_t total = x.element_count();
  int64_t count = 0;
  for (int64_t i = 0; i < total; ++i) count += is_zero(elements[i]) ? 0 : 1;
  const int64_t dims[2] = {x.rank, count};
  RETURN_IF_ERROR(ctx.allocate_output(0, DType::kInt64, dims));
  auto* y = ctx.output(0).as_mutable<int64_t>();
  if (count == 0) return Status::ok();
  const size_t outer = x.rank > 0 ? x.rank - 1 : 0;  // axes in front of the last
  const int64_t size = x.rank > 0 ? x.dim(outer) : 1;
  DimList index(outer, 0);
  int64_t column = 0;
  for (const T* row = elements; row < elements + total; row += size) {
    for (int64_t i = 0; i < size; ++i) {
      if (is_zero(row[i])) continue;
      for (size_t d = 0; d < outer; ++d) y[static_cast<int64_t>(d) * count + column] = index[d];
      if (x.rank > 0) y[static_cast<int64_t>(outer) * count + column] = i;
      ++column;
    }
    for (size_t d = outer; d-- > 0 && ++index[d] == x.dim(d);) index[d] = 0;
  }
  return Status::ok();
}

Status run_non_zero(RunContext& ctx) {
  const DType dtype = ctx.input(0).dtype;
  if (dtype == DType::kString) return run_typed<std::string>(ctx);
  if (dtype == DType::kComplex64) return run_typed<std::complex<float>>(ctx);
  if (dtype == DType::kComplex128) return run_typed<std::complex<double>>(ctx);
  Status status;
  with_type(NonZeroTypes{}, dtype,
            [&](auto tag) { status = run_typed<typename decltype(tag)::type>(ctx); });
  return status;
}

}  // namespace

KernelTable non_zero_kernels() {
  static constexpr KernelRow rows[] = {
      {"NonZero", "", 9, kLatestOpset, kTypes, "non_zero", 1, kDataDependent, 0, prepare_nothing,
       bind_non_zero, run_non_zero},
  };
  return rows;
}

}  // namespace ortc::cpu
