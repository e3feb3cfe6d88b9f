// SPDX-License-Identifier: MIT
// Pow with broadcasting: y[i] = a[i] ^ b[i], of the base's type whatever the exponent's.
//
// Float bases are raised in float, double in double, integers to a float exponent in double. An
// integer raised to an integer is exact and wraps around; to a negative integer it is what is left
// after truncation (0, or 1 and -1 for those bases). Zero to a negative integer is infinity, which
// as an integer is the least number: what Cast makes of it, too. The exponents are brought to the
// type that is computed in row by row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/bind/legacy_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/float_rows.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kRow = 256;
using BaseTypes = Join<FloatTypes, TypeList<int32_t, int64_t>>;

// --- Arithmetic.

template <typename T>
T integer_power(T base, int64_t exponent) {
  using U = std::make_unsigned_t<T>;
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? T{1} : T{-1};
    return base == 0 ? std::numeric_limits<T>::min() : T{0};
  }
  U result = 1;
  U factor = static_cast<U>(base);
  for (auto rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

// The same where exponents change, so that no branch can be foretold from them: most are below 4.
template <typename T>
T varied_power(T base, int64_t exponent) {
  using U = std::make_unsigned_t<T>;
  if (static_cast<uint64_t>(exponent) >= 4) return integer_power(base, exponent);
  const U x = static_cast<U>(base), one = 1;
  const auto mask = [&](int bit) { return U{0} - (static_cast<U>(exponent >> bit) & 1); };
  return static_cast<T>((one ^ ((one ^ x) & mask(0))) * (one ^ ((one ^ (x * x)) & mask(1))));
}

template <typename Base, typename Exponent>
Base power(Base base, Exponent exponent) {
  if constexpr (std::is_integral_v<Base> && std::is_integral_v<Exponent>) {
    return integer_power(base, exponent);
  } else {
    return convert<Base>(std::pow(static_cast<Exponent>(base), exponent));
  }
}

template <typename Base, typename Exponent>
void power_row(const Base* a, int64_t a_stride, const Exponent* b, int64_t b_stride, Base* y,
               int64_t n) {
  if constexpr (!std::is_integral_v<Base>) {
    using C = Base;
    const auto each = [&](auto f) {
      if (a_stride != 1) return std::fill(y, y + n, f(*a));
      for (int64_t i = 0; i < n; ++i) y[i] = f(a[i]);
    };
    if (b_stride == 0 && *b == Exponent(1)) return each([](C x) { return x; });
    if (b_stride == 0 && *b == Exponent(2)) return each([](C x) { return x * x; });
    if (b_stride == 0 && *b == Exponent(3)) return each([](C x) { return x * x * x; });
    if (b_stride == 0 && *b == Exponent(0.5)) {
      // pow(-0, 0.5) is +0 and pow(-inf, 0.5) is +inf.
      constexpr C kInfinity = std::numeric_limits<C>::infinity();
      return each([](C x) { return x == -kInfinity ? kInfinity : std::sqrt(x + C{0}); });
    }
  }
  if constexpr (std::is_integral_v<Base> && std::is_integral_v<Exponent>) {
    using U = std::make_unsigned_t<Base>;
    if (a_stride == 1 && b_stride == 0 && *b == 2) {
      for (int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<Base>(static_cast<U>(a[i]) * static_cast<U>(a[i]));
      }
      return;
    }
    if (b_stride != 0) {
      for (int64_t i = 0; i < n; ++i) y[i] = varied_power(a[i * a_stride], b[i]);
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) y[i] = power<Base>(a[i * a_stride], b[i * b_stride]);
}

// Of 16-bit floats: through rows of float.
template <typename Base>
requires kIsReduced<Base>
void power_row(const Base* a, int64_t a_stride, const float* b, int64_t b_stride, Base* y,
               int64_t n) {
  float bases[kRow], powers[kRow];
  for (int64_t at = 0; at < n; at += kRow) {
    const int64_t size = std::min(kRow, n - at);
    widen(a + at * a_stride, a_stride != 0 ? size : 1, bases);
    power_row<float, float>(bases, a_stride, b + at * b_stride, b_stride, powers, size);
    narrow(powers, size, y + at);
  }
}

// One row whose exponents may have to be converted first (`converter` is not null then). Strides
// are 0 or 1.
template <typename Base, typename Exponent>
void convert_and_power(const Base* a, int64_t a_stride, const std::byte* b, int64_t b_stride,
                       size_t b_bytes, ConvertRow converter, Base* y, int64_t n) {
  if (converter == nullptr) {
    const auto* exponents = reinterpret_cast<const Exponent*>(b);
    return power_row(a, a_stride, exponents, b_stride, y, n);
  }
  Exponent row[kRow];
  for (int64_t at = 0; at < n; at += kRow) {
    const int64_t size = std::min(kRow, n - at);
    converter(b + static_cast<size_t>(at * b_stride) * b_bytes, row, b_stride != 0 ? size : 1);
    power_row(a + at * a_stride, a_stride, row, b_stride, y + at, size);
  }
}

// --- Bind.

Status bind_pow(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, BaseTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 1, NumberTypes::kMask));
  ASSIGN_OR_RETURN(const DimList dims, broadcast_inputs(ctx, 2));
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

// --- Run.

template <typename Base, typename Exponent>
void run_typed(RunContext& ctx) {
  const ValueRef& a = ctx.input(0);
  const ValueRef& b = ctx.input(1);
  const ValueRef& y = ctx.output(0);
  const auto loop = broadcast_loop<2>(y.dims(), {a.dims(), b.dims()});
  const size_t b_bytes = element_bytes(b.dtype);
  const ConvertRow converter =
      b.dtype == kDTypeOf<Exponent> ? nullptr : convert_row(b.dtype, kDTypeOf<Exponent>);
  parallel_rows(ctx, loop, 16, [&](int64_t at, const auto& offsets, int64_t n) {
    convert_and_power<Base, Exponent>(a.as<Base>() + offsets[0], loop.inner_stride(0),
                                      b.as<std::byte>() + static_cast<size_t>(offsets[1]) * b_bytes,
                                      loop.inner_stride(1), b_bytes, converter,
                                      y.as_mutable<Base>() + at, n);
  });
}

Status run_pow(RunContext& ctx) {
  const bool integer_exponent = (mask_of(ctx.input(1).dtype) & IntegerTypes::kMask) != 0;
  with_type(BaseTypes{}, ctx.input(0).dtype, [&](auto tag) {
    using Base = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<Base>) {
      integer_exponent ? run_typed<Base, int64_t>(ctx) : run_typed<Base, double>(ctx);
    } else {
      run_typed<Base, Compute<Base>>(ctx);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable pow_kernels() {
  static constexpr KernelRow kPowRow("Pow", "", 7, kLatestOpset, BaseTypes::kMask, "pow", 1,
                                     kShapeArithmetic, 0, prepare_nothing, bind_pow, run_pow);
  static constexpr KernelRow rows[] = {
      kPowRow,
      legacy_row<kPowRow>("pow.legacy"),
  };
  return rows;
}

}  // namespace ortc::cpu
