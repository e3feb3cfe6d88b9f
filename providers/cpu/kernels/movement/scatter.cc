// SPDX-License-Identifier: MIT
// Scatter, ScatterElements and ScatterND: a copy of the data into which updates are written, or
// joined by add, mul, min or max. Indices are checked before anything is written.
//
//   ScatterElements   y[indices[i, j, k], j, k] = updates[i, j, k]    (axis 0)
//   ScatterND         y[indices[i, 0 .. width), n] = updates[i, n]
//
// Updates of one place happen in their order; only places that cannot meet run at the same time.
#include <algorithm>
#include <cstring>

#include "core/graph/one_of.h"
#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/arith/number_rows/number_rows.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/index_input.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

enum class Reduction : uint32_t { kNone = 0, kAdd = 1, kMul = 2, kMin = 3, kMax = 4 };

struct Replace {
  template <typename T>
  static T join(T, T update) {
    return update;
  }
};
struct AddUp {
  static constexpr auto kRowF32 = &VectorF32Kernels::add;
  template <typename T>
  static auto row_of(const NumberRowsKernels::Arithmetic<T>& rows) {
    return rows.add;
  }
  template <typename T>
  static T join(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
};
struct Multiply {
  static constexpr auto kRowF32 = &VectorF32Kernels::mul;
  template <typename T>
  static auto row_of(const NumberRowsKernels::Arithmetic<T>& rows) {
    return rows.multiply;
  }
  template <typename T>
  static T join(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};
struct Smaller {
  static constexpr auto kRowF32 = &VectorF32Kernels::min;
  static constexpr auto kExtremeF64 = &MapsF64Kernels::smallest;
  template <typename T>
  static auto extreme_of(const NumberRowsKernels::Extremes<T>& rows) {
    return rows.smaller;
  }
  template <typename T>
  static T join(T a, T b) {
    const T least = a < b ? a : b;  // choices, no branches
    return a != a ? a : least;
  }
};
struct Larger {
  static constexpr auto kRowF32 = &VectorF32Kernels::max;
  static constexpr auto kExtremeF64 = &MapsF64Kernels::largest;
  template <typename T>
  static auto extreme_of(const NumberRowsKernels::Extremes<T>& rows) {
    return rows.larger;
  }
  template <typename T>
  static T join(T a, T b) {
    const T most = a > b ? a : b;
    return a != a ? a : most;
  }
};

// Sum and maximum, product and minimum of truth values.
struct Either {
  template <typename T>
  static T join(T a, T b) {
    return a ? a : b;
  }
};
struct Both {
  template <typename T>
  static T join(T a, T b) {
    return a ? b : a;
  }
};

template <typename Join, typename T>
T joined(T a, T b) {
  if constexpr (std::is_same_v<Join, Replace>) {
    return b;
  } else {
    using C = Compute<T>;
    return static_cast<T>(Join::template join<C>(static_cast<C>(a), static_cast<C>(b)));
  }
}

// What there is of integers of 32 and 64 bits: sums and products by their bits, extremes of signed
// ones.
template <typename T>
constexpr bool kIsWideInteger = std::is_integral_v<T> && sizeof(T) >= 4;

// Sums and products of doubles, which every processor has vectors for. Says how many are done.
template <typename Join>
int64_t join_pairs(double* to, const double* from, int64_t n) {
  typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));
  constexpr int64_t kAtOnce = 8;
  int64_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce) {
    // Not auto, which would forget how they are aligned.
    Pair* y = reinterpret_cast<Pair*>(to + i);
    const Pair* x = reinterpret_cast<const Pair*>(from + i);
    for (int64_t k = 0; k < kAtOnce / 2; ++k) {
      if constexpr (std::is_same_v<Join, AddUp>) {
        y[k] += x[k];
      } else {
        y[k] *= x[k];
      }
    }
  }
  return i;
}

template <typename Join, typename T>
void join_row(Isa isa, T* to, const T* from, int64_t n) {
  const auto size = static_cast<size_t>(n);
  if constexpr (std::is_same_v<T, float> && requires { Join::kRowF32; }) {
    return (vector_f32_kernels(isa).*Join::kRowF32)(to, from, to, size);
  }
  if constexpr (std::is_same_v<T, double> && requires { Join::kExtremeF64; }) {
    return (maps_f64_kernels(isa).*Join::kExtremeF64).columns(from, size, 1, to, size);
  }
  constexpr int64_t kFew = 16;  // for which a call is too much
  if (std::is_integral_v<T> && n < kFew) {
    for (int64_t i = 0; i < n; ++i) to[i] = joined<Join, T>(to[i], from[i]);
    return;
  }
  [[maybe_unused]] const NumberRowsKernels& rows = number_rows_kernels(isa);
  if constexpr (kIsWideInteger<T> && std::is_signed_v<T> && requires { Join::kExtremeF64; }) {
    if constexpr (sizeof(T) == 4) return Join::extreme_of(rows.i32)(to, true, from, true, to, size);
    if constexpr (sizeof(T) == 8) return Join::extreme_of(rows.i64)(to, true, from, true, to, size);
  } else if constexpr (kIsWideInteger<T> && requires { Join::row_of(rows.u32); }) {
    using Bits = std::make_unsigned_t<T>;
    auto* sums = reinterpret_cast<Bits*>(to);
    const auto* more = reinterpret_cast<const Bits*>(from);
    if constexpr (sizeof(T) == 4) return Join::row_of(rows.u32)(sums, true, more, true, sums, size);
    if constexpr (sizeof(T) == 8) return Join::row_of(rows.u64)(sums, true, more, true, sums, size);
  } else {
    int64_t i = 0;
    if constexpr (std::is_same_v<T, double> && requires { Join::row_of(rows.u32); }) {
      i = join_pairs<Join>(to, from, n);
    }
    for (; i < n; ++i) to[i] = joined<Join, T>(to[i], from[i]);
  }
}

// Updates meet a piece of the output that stays in the second cache.
constexpr int64_t kPieceBytes = 131072;

// Calls f(join, TypeTag<T>{}): T by size when updates replace, else the element type.
template <typename F>
void with_join(Reduction reduction, DType dtype, F&& f) {
  const auto typed = [&](auto join) {
    with_type(NumberTypes{}, dtype, [&](auto tag) { f(join, tag); });
  };
  if (dtype == DType::kBool && reduction != Reduction::kNone) {
    const bool either = reduction == Reduction::kAdd || reduction == Reduction::kMax;
    return either ? f(Either{}, TypeTag<Bool8>{}) : f(Both{}, TypeTag<Bool8>{});
  }
  switch (reduction) {
    case Reduction::kNone:
      with_chunk(element_bytes(dtype), [&](auto tag) { f(Replace{}, tag); });
      break;
    case Reduction::kAdd:
      return typed(AddUp{});
    case Reduction::kMul:
      return typed(Multiply{});
    case Reduction::kMin:
      return typed(Smaller{});
    case Reduction::kMax:
      return typed(Larger{});
  }
}

// join_row() of a reduction and a type; null where updates replace.
using JoinRow = void (*)(Isa isa, std::byte* to, const std::byte* from, int64_t n);
JoinRow join_row_of(Reduction reduction, DType dtype) {
  JoinRow row = nullptr;
  if (reduction == Reduction::kNone) return row;
  with_join(reduction, dtype, [&row](auto join, auto tag) {
    using Join = decltype(join);
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<Join, Replace>) {
      row = [](Isa isa, std::byte* to, const std::byte* from, int64_t n) {
        join_row<Join, T>(isa, reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), n);
      };
    }
  });
  return row;
}

// --- Prepare.

struct ScatterParams {
  uint32_t record_bytes;
  uint32_t reduction;
  int64_t axis;
};
static_assert(sizeof(ScatterParams) == 16);

Status prepare_scatter(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t reduction,
                   one_of(ctx.node(), "reduction", "none", {"none", "add", "mul", "min", "max"}));
  ctx.set_params(
      ScatterParams{sizeof(ScatterParams), reduction, ctx.node().int_attribute("axis", 0)});
  return Status::ok();
}

Status prepare_scatter_strings(PrepareContext& ctx) {
  if (ctx.node().string_attribute("reduction", "none") != "none") {
    return not_implemented("a reduction of strings");
  }
  return prepare_scatter(ctx);
}

// --- Bind.

Status check_scatter(BindContext& ctx) {
  const auto* params = ctx.params<ScatterParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 3, 3));
  if (params->reduction > static_cast<uint32_t>(Reduction::kMax)) {
    return invalid_graph("its params record names reduction ", params->reduction);
  }
  constexpr TypeMask kJoined = NumberTypes::kMask | mask_of(DType::kBool);
  RETURN_IF_ERROR(check_type(ctx, 0, params->reduction == 0 ? kByteTypes : kJoined));
  RETURN_IF_ERROR(check_type(ctx, 1, kIndexTypes));
  return check_same_type(ctx, 2, 0);
}

Status shapes_do_not_fit(const BindContext& ctx) {
  return invalid_argument("data of shape ", dims_to_string(ctx.input(0).dims()), ", indices of ",
                          dims_to_string(ctx.input(1).dims()), " and updates of ",
                          dims_to_string(ctx.input(2).dims()), " do not fit");
}

Status bind_scatter_elements(BindContext& ctx) {
  RETURN_IF_ERROR(check_scatter(ctx));
  const ValueRef& x = ctx.input(0);
  const ValueRef& indices = ctx.input(1);
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(ctx.params<ScatterParams>()->axis, x.rank));
  bool fits = indices.rank == x.rank && std::ranges::equal(indices.dims(), ctx.input(2).dims());
  for (size_t d = 0; fits && d < x.rank; ++d) fits = d == axis || indices.dim(d) <= x.dim(d);
  if (!fits) return shapes_do_not_fit(ctx);
  return ctx.set_output(0, x.dtype, x.dims());
}

Status bind_scatter_nd(BindContext& ctx) {
  RETURN_IF_ERROR(check_scatter(ctx));
  const ValueRef& x = ctx.input(0);
  const ValueRef& indices = ctx.input(1);
  const int64_t width = indices.rank > 0 ? indices.dim(indices.rank - 1) : -1;
  if (width < 1 || width > int64_t{x.rank}) return shapes_do_not_fit(ctx);
  const auto batch = indices.dims().first(indices.rank - 1);
  const auto slice = x.dims().subspan(static_cast<size_t>(width));
  const auto updates = ctx.input(2).dims();
  const bool fits = updates.size() == batch.size() + slice.size() &&
                    std::ranges::equal(updates.first(batch.size()), batch) &&
                    std::ranges::equal(updates.subspan(batch.size()), slice);
  if (!fits) return shapes_do_not_fit(ctx);
  return ctx.set_output(0, x.dtype, x.dims());
}

// --- Run.

void copy_data(const RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const int64_t bytes = x.element_count() * static_cast<int64_t>(element_bytes(x.dtype));
  if (x.data == ctx.output(0).data) return;
  copy_rows(ctx,
            {x.as<std::byte>(), bytes, ctx.output(0).as_mutable<std::byte>(), bytes, bytes, 1});
}

Status run_scatter_elements(RunContext& ctx) {
  const auto& params = ctx.params<ScatterParams>();
  const ValueRef& y = ctx.output(0);
  const ValueRef& updates = ctx.input(2);
  const auto axis = static_cast<size_t>(params.axis < 0 ? params.axis + y.rank : params.axis);
  const IndexInput indices(ctx.input(1));
  RETURN_IF_ERROR(indices.check(y.dim(axis)));
  copy_data(ctx);
  if (updates.element_count() == 0) return Status::ok();
  const DimList strides = row_major_strides(y.dims());
  NdLoop<1> loop;
  for (size_t d = 0; d < y.rank; ++d) loop.append(updates.dim(d), {d == axis ? 0 : strides[d]});
  loop.finish();
  // Two updates can meet only when all their coordinates before the axis are the same.
  const int64_t part_count = product(updates.dims(), 0, axis);
  const int64_t part = loop.count / part_count;
  const int64_t size = y.dim(axis), along = strides[axis], stride = loop.inner_stride(0);
  with_join(static_cast<Reduction>(params.reduction), y.dtype, [&](auto join, auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t grain = std::max<int64_t>(1, kElementGrain / part);
    ctx.parallel_for(part_count, grain, [&](int64_t begin, int64_t end) {
      for_each_row(loop, begin * part, end * part, [&](int64_t at, const auto& offsets, int64_t n) {
        T* to = y.as_mutable<T>() + offsets[0];
        const T* from = updates.as<T>() + at;
        for (int64_t i = 0; i < n; ++i) {
          T& place = to[i * stride + indices.at(at + i, size) * along];
          place = joined<decltype(join), T>(place, from[i]);
        }
      });
    });
  });
  return Status::ok();
}

Status run_scatter_nd(RunContext& ctx) {
  const ValueRef& y = ctx.output(0);
  const ValueRef& updates = ctx.input(2);
  const IndexTuples tuples(y, 0, ctx.input(1));
  if (updates.element_count() > 0) RETURN_IF_ERROR(tuples.check());
  copy_data(ctx);
  if (updates.element_count() == 0) return Status::ok();
  const int64_t slice = product(y.dims(), tuples.width, y.rank);
  const auto bytes = static_cast<int64_t>(element_bytes(y.dtype));
  const JoinRow join =
      join_row_of(static_cast<Reduction>(ctx.params<ScatterParams>().reduction), y.dtype);
  // Threads share the elements of a slice, never the slices.
  const int64_t grain = std::max<int64_t>(256, kElementGrain / tuples.tuple_count);
  const int64_t most = join != nullptr ? kPieceBytes / bytes : slice;
  ctx.parallel_for(slice, grain, [&](int64_t first, int64_t last) {
    for (int64_t begin = first; begin < last; begin += most) {
      const int64_t n = std::min(last - begin, most);
      for (int64_t tuple = 0; tuple < tuples.tuple_count; ++tuple) {
        std::byte* to = y.as_mutable<std::byte>() + (tuples.offset(tuple) + begin) * bytes;
        const std::byte* from = updates.as<std::byte>() + (tuple * slice + begin) * bytes;
        if (join != nullptr) {
          join(ctx.isa(), to, from, n);
        } else {
          std::memcpy(to, from, static_cast<size_t>(n * bytes));
        }
      }
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable scatter_kernels() {
  static constexpr KernelRow rows[] = {
      {"ScatterElements", "", 11, kLatestOpset, kByteTypes, "scatter_elements", 1, kNoFlags, 0,
       prepare_scatter, bind_scatter_elements, run_scatter_elements},
      {"Scatter", "", 9, kLatestOpset, kByteTypes, "scatter_elements", 1, kNoFlags, 0,
       prepare_scatter, bind_scatter_elements, run_scatter_elements},
      {"ScatterND", "", 11, kLatestOpset, kByteTypes, "scatter_nd", 1, kNoFlags, 0, prepare_scatter,
       bind_scatter_nd, run_scatter_nd},
      {"ScatterElements", "", 11, kLatestOpset, kStrings, "scatter_elements.string", 1, kNoFlags, 0,
       prepare_scatter_strings, bind_strings<bind_scatter_elements, 5>,
       run_strings<run_scatter_elements>},
      {"Scatter", "", 9, kLatestOpset, kStrings, "scatter_elements.string", 1, kNoFlags, 0,
       prepare_scatter_strings, bind_strings<bind_scatter_elements, 5>,
       run_strings<run_scatter_elements>},
      {"ScatterND", "", 11, kLatestOpset, kStrings, "scatter_nd.string", 1, kNoFlags, 0,
       prepare_scatter_strings, bind_strings<bind_scatter_nd, 5>, run_strings<run_scatter_nd>},
  };
  return rows;
}

}  // namespace ortc::cpu
