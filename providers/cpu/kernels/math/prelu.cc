// SPDX-License-Identifier: MIT
// PRelu: y = x < 0 ? slope x : x, the slope broadcasting to x.
#include <algorithm>

#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/bind/legacy_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/float_rows.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

template <typename T>
T prelu(T x, T slope) {
  if constexpr (std::is_unsigned_v<T>) return x;
  if constexpr (std::is_integral_v<T>) {
    return x < 0 ? static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(slope)) : x;
  }
  const T factors[] = {T{1}, slope};  // a branch would be guessed
  return static_cast<T>(x * factors[x < 0 ? 1 : 0]);
}

// A row of float: with one slope, or with as many as it has elements.
void prelu_row(const VectorF32Kernels& vector, const PlainRowsKernels& plain, const float* x,
               const float* slopes, bool is_one, float* y, int64_t n) {
  if (!is_one) return plain.prelu(x, slopes, y, static_cast<size_t>(n));
  ActivationF32 leaky{.kind = Activation::kLeakyRelu};
  leaky.slope = *slopes;
  vector.activate(leaky, x, y, static_cast<size_t>(n));
}

// --- Bind.

using PReluTypes = Join<FloatTypes, TypeList<int32_t, int64_t, uint32_t, uint64_t>>;

// Input 1 broadcasts to input 0, never the other way round.
Status check_one_way(const BindContext& ctx) {
  ASSIGN_OR_RETURN(const DimList dims, broadcast_inputs(ctx, 2));
  if (std::ranges::equal(dims.span(), ctx.input(0).dims())) return Status::ok();
  return invalid_argument("shape ", dims_to_string(ctx.input(1).dims()), " does not broadcast to ",
                          dims_to_string(ctx.input(0).dims()));
}

Status bind_prelu(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, PReluTypes::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  RETURN_IF_ERROR(check_one_way(ctx));
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

// --- Run.

// Rows of float, and of 16-bit floats by way of them.
template <typename T>
void run_rows(RunContext& ctx, const NdLoop<2>& loop) {
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  const PlainRowsKernels& plain = plain_rows_kernels(ctx.isa());
  const bool is_one = loop.inner_stride(1) == 0;
  parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& offsets, int64_t n) {
    const T* x = ctx.input(0).as<T>() + offsets[0];
    const T* slopes = ctx.input(1).as<T>() + offsets[1];
    T* y = ctx.output(0).as_mutable<T>() + at;
    if constexpr (std::is_same_v<T, float>) {
      prelu_row(vector, plain, x, slopes, is_one, y, n);
    } else {
      float row[kFloatRow], wide[kFloatRow];
      for (int64_t i = 0; i < n; i += kFloatRow) {
        const int64_t size = std::min(kFloatRow, n - i);
        widen(x + i, size, row);
        widen(is_one ? slopes : slopes + i, is_one ? 1 : size, wide);
        prelu_row(vector, plain, row, wide, is_one, row, size);
        narrow(row, size, y + i);
      }
    }
  });
}

Status run_prelu(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& slope = ctx.input(1);
  const ValueRef& y = ctx.output(0);
  const auto loop = broadcast_loop<2>(y.dims(), {x.dims(), slope.dims()});
  with_type(PReluTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<Compute<T>, float>) return run_rows<T>(ctx, loop);
    parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& offsets, int64_t n) {
      const T* from = x.as<T>() + offsets[0];
      const T* slopes = slope.as<T>() + offsets[1];
      T* to = y.as_mutable<T>() + at;
      const int64_t step = loop.inner_stride(0), stride = loop.inner_stride(1);
      for (int64_t i = 0; i < n; ++i) to[i] = prelu<T>(from[i * step], slopes[i * stride]);
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable prelu_kernels() {
  static constexpr KernelRow kPReluRow("PRelu", "", 7, kLatestOpset, PReluTypes::kMask, "prelu", 1,
                                       kInPlace, 0, prepare_nothing, bind_prelu, run_prelu);
  static constexpr KernelRow rows[] = {
      kPReluRow,
      legacy_row<kPReluRow>("prelu.legacy"),
  };
  return rows;
}

}  // namespace ortc::cpu
