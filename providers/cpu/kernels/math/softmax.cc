// SPDX-License-Identifier: MIT
// Softmax, LogSoftmax and Hardmax along one axis; ortc.MaskedSoftmax along the last.
//
//   softmax(x)[i] = exp(x[i] - max(x)) / sum_j exp(x[j] - max(x))
//
// Before opset 13 everything from the axis on is one row. Where neighbours belong to different
// rows, many float32 rows are computed at once, as columns of vectors; few are copied together into
// scratch, computed there and copied back. Many short rows are turned to columns, and back.
#include <algorithm>
#include <bit>
#include <cmath>

#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/turned_rows.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

struct SoftmaxParams {
  uint32_t record_bytes;
  uint32_t flattens;  // the row is everything from the axis on
  int64_t axis;
};
static_assert(sizeof(SoftmaxParams) == 16);

struct MaskedParams {
  uint32_t record_bytes;
  float scale;
};
static_assert(sizeof(MaskedParams) == 8);

constexpr int64_t kColumnsAtOnce = 16;        // rows copied together: one cache line of floats
constexpr int64_t kColumnsMin = 32;           // so many neighbouring rows are computed as columns
constexpr int64_t kFew = 8;                   // or so many of so few elements
constexpr int64_t kColumnsMax = kTurnedMost;  // of one work item
constexpr int64_t kRowGrain = 8192;           // elements one thread takes at a time

// --- Arithmetic: `count` rows of n neighbours, one behind the other; or side by side, their
// elements `ld` apart. y may be x.

struct Kernels {
  const VectorF32Kernels& f32;
  const MapsF64Kernels& f64;
};

// top[c] = the largest of column c.
void column_tops(const VectorF32Kernels& vector, const float* x, int64_t n, int64_t ld,
                 size_t count, float* top) {
  std::copy_n(x, count, top);
  for (int64_t i = 1; i < n; ++i) vector.max(top, x + i * ld, top, count);
}

// y = x - the largest of its row.
void below_tops(const double* x, double* y, int64_t n, int64_t count) {
  for (int64_t i = 0; i < n * count; i += n) {
    const double top = *std::max_element(x + i, x + i + n);
    for (int64_t j = i; j < i + n; ++j) y[j] = x[j] - top;
  }
}

constexpr int64_t kDoublesAtOnce = 256;  // exponentials in one call, of several rows where they fit

// f(row, rows that go together) for all rows.
template <typename F>
void for_row_groups(int64_t n, int64_t count, F&& f) {
  const int64_t most = std::max<int64_t>(1, kDoublesAtOnce / n);
  for (int64_t row = 0; row < count; row += most) f(row, std::min(most, count - row));
}

struct Softmax {
  static void rows(const Kernels& kernels, const float* x, float* y, int64_t n, int64_t count) {
    for (int64_t i = 0; i < n * count; i += n) {
      kernels.f32.softmax(x + i, 1.0f, nullptr, y + i, static_cast<size_t>(n));
    }
  }
  static void rows(const Kernels& kernels, const double* x, double* y, int64_t n, int64_t count) {
    for_row_groups(n, count, [&](int64_t row, int64_t together) {
      const int64_t begin = row * n, end = begin + together * n;
      below_tops(x + begin, y + begin, n, together);
      kernels.f64.decay(y + begin, y + begin, static_cast<size_t>(end - begin));
      for (int64_t i = begin; i < end; i += n) {
        double sum = 0;
        for (int64_t j = i; j < i + n; ++j) sum += y[j];
        for (int64_t j = i; j < i + n; ++j) y[j] /= sum;
      }
    });
  }
  static void columns(const VectorF32Kernels& vector, const float* x, float* y, int64_t n,
                      int64_t ld, size_t count) {
    float top[kColumnsMax], sum[kColumnsMax] = {};
    column_tops(vector, x, n, ld, count, top);
    for (int64_t i = 0; i < n; ++i) {
      float* to = y + i * ld;
      vector.sub(x + i * ld, top, to, count);
      vector.exp(to, to, count);
      vector.add(sum, to, sum, count);
    }
    for (int64_t i = 0; i < n; ++i) vector.div(y + i * ld, sum, y + i * ld, count);
  }
};

struct LogSoftmax {
  static void rows(const Kernels& kernels, const float* x, float* y, int64_t n, int64_t count) {
    for (int64_t i = 0; i < n * count; i += n) {
      kernels.f32.log_softmax(x + i, y + i, static_cast<size_t>(n));
    }
  }
  static void rows(const Kernels& kernels, const double* x, double* y, int64_t n, int64_t count) {
    for_row_groups(n, count, [&](int64_t row, int64_t together) {
      const int64_t begin = row * n, end = begin + together * n;
      below_tops(x + begin, y + begin, n, together);
      double powers[kDoublesAtOnce], sum = 0;
      for (int64_t at = begin; at < end; at += kDoublesAtOnce) {
        const int64_t part = std::min(kDoublesAtOnce, end - at);
        kernels.f64.decay(y + at, powers, static_cast<size_t>(part));
        for (int64_t i = 0; together == 1 && i < part; ++i) sum += powers[i];
      }
      for (int64_t i = begin; i < end; i += n) {
        for (int64_t j = i; together > 1 && j < i + n; ++j) sum += powers[j - begin];
        const double log_sum = std::log(std::exchange(sum, 0));
        for (int64_t j = i; j < i + n; ++j) y[j] -= log_sum;
      }
    });
  }
  static void columns(const VectorF32Kernels& vector, const float* x, float* y, int64_t n,
                      int64_t ld, size_t count) {
    float top[kColumnsMax], powers[kColumnsMax], sum[kColumnsMax] = {};
    column_tops(vector, x, n, ld, count, top);
    for (int64_t i = 0; i < n; ++i) {
      vector.sub(x + i * ld, top, powers, count);
      vector.exp(powers, powers, count);
      vector.add(sum, powers, sum, count);
    }
    vector.log(sum, sum, count);
    for (int64_t i = 0; i < n; ++i) {
      vector.sub(x + i * ld, top, y + i * ld, count);
      vector.sub(y + i * ld, sum, y + i * ld, count);
    }
  }
};

struct Hardmax {
  template <typename T>
  static void rows(const Kernels& kernels, const T* x, T* y, int64_t n, int64_t count) {
    for (; count > 0; --count, x += n, y += n) {
      int64_t first = n;
      if constexpr (std::is_same_v<T, float>) {
        first = std::find(x, x + n, kernels.f32.maximum(x, static_cast<size_t>(n))) - x;
      }
      // With NaN in front of all it is the first.
      if (first == n || x[0] != x[0]) first = std::max_element(x, x + n) - x;
      std::fill(y, y + n, T(0));
      y[first] = T(1);
    }
  }
  static void columns(const VectorF32Kernels& vector, const float* x, float* y, int64_t n,
                      int64_t ld, size_t count) {
    float most[kColumnsMax];
    column_tops(vector, x, n, ld, count, most);
    if (std::any_of(most, most + count, [](float v) { return v != v; })) {
      return columns_of_any(x, y, n, ld, count);
    }
    int32_t is_found[kColumnsMax] = {};
    for (int64_t i = 0; i < n; ++i) {
      const float* from = x + i * ld;
      float* to = y + i * ld;
      ORTC_ELEMENTWISE
      for (size_t c = 0; c < count; ++c) {
        const int32_t is_top = from[c] == most[c] ? -1 : 0;
        to[c] = std::bit_cast<float>(is_top & ~is_found[c] & std::bit_cast<int32_t>(1.0f));
        is_found[c] |= is_top;
      }
    }
  }

 private:
  // With NaN among them.
  static void columns_of_any(const float* x, float* y, int64_t n, int64_t ld, size_t count) {
    int32_t top[kColumnsMax], first[kColumnsMax] = {};
    for (size_t c = 0; c < count; ++c) top[c] = order_of(x[c], INT32_MAX);
    for (int64_t i = 1; i < n; ++i) {
      const float* from = x + i * ld;
      const auto place = static_cast<int32_t>(i);
      for (size_t c = 0; c < count; ++c) {
        const int32_t order = order_of(from[c], INT32_MIN);
        const int32_t mask = order > top[c] ? -1 : 0;  // compilers see no branch here
        first[c] ^= (first[c] ^ place) & mask;
        top[c] ^= (top[c] ^ order) & mask;
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      float* to = y + i * ld;
      const auto place = static_cast<int32_t>(i);
      for (size_t c = 0; c < count; ++c) to[c] = first[c] == place ? 1.0f : 0.0f;
    }
  }

  // Integers in the order of floats, which compilers compare many at a time.
  static int32_t order_of(float x, int32_t of_nan) {
    const auto bits = std::bit_cast<int32_t>(x + 0.0f);  // -0 is 0
    const int32_t size = bits & INT32_MAX, sign = bits >> 31;
    return size > 0x7F800000 ? of_nan : (size ^ sign) - sign;
  }
};

// --- Prepare.

Status prepare_softmax(PrepareContext& ctx) {
  const bool flattens = ctx.opset() < 13;
  ctx.set_params(SoftmaxParams{sizeof(SoftmaxParams), flattens ? 1u : 0u,
                               ctx.node().int_attribute("axis", flattens ? 1 : -1)});
  return Status::ok();
}

Status prepare_masked(PrepareContext& ctx) {
  const int64_t axis = ctx.node().int_attribute("axis", -1);
  const Type& x = ctx.input_type(0);
  if (axis != -1 && !(x.has_shape() && axis == static_cast<int64_t>(x.shape->size()) - 1)) {
    return not_implemented("ortc.MaskedSoftmax along axis ", axis, ", which is not the last");
  }
  ctx.set_params(MaskedParams{sizeof(MaskedParams), ctx.node().float_attribute("scale", 1.0f)});
  return Status::ok();
}

// --- Bind.

// x as [outer, n, inner], rows along the middle.
struct RowView {
  int64_t outer, n, inner;
};

Result<RowView> view_rows(const SoftmaxParams& params, std::span<const int64_t> dims) {
  const auto rank = static_cast<int64_t>(dims.size());
  if (params.flattens != 0 && params.axis == rank) {
    return RowView{product(dims), 1, 1};
  }
  // A number alone is a row of one.
  if (rank == 0 && (params.axis == 0 || params.axis == -1)) return RowView{1, 1, 1};
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params.axis, dims.size()));
  if (params.flattens != 0) {
    return RowView{product(dims, 0, axis), product(dims, axis, dims.size()), 1};
  }
  return RowView{product(dims, 0, axis), dims[axis], product(dims, axis + 1, dims.size())};
}

Status bind_softmax(BindContext& ctx) {
  const auto* params = ctx.params<SoftmaxParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFloatTypes));
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const RowView rows, view_rows(*params, x.dims()));
  if (rows.inner > 1 && x.element_count() > 0) {
    const auto bytes = checked_mul(static_cast<uint64_t>(rows.n),
                                   static_cast<uint64_t>(kColumnsAtOnce * dtype_bits(x.dtype) / 8));
    const auto scratch = bytes ? slot_scratch(*bytes, ctx.thread_count()) : std::nullopt;
    if (!scratch) return invalid_argument("rows of ", rows.n, " elements are too long");
    ctx.set_scratch(*scratch);
  }
  return ctx.set_output(0, x.dtype, x.dims());
}

Status bind_masked(BindContext& ctx) {
  if (ctx.params<MaskedParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kFloat32)));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kFloat32)));
  const ValueRef& x = ctx.input(0);
  const ValueRef& mask = ctx.input(1);
  if (x.rank == 0 || mask.rank == 0 || mask.rank > x.rank ||
      mask.dim(mask.rank - 1) != x.dim(x.rank - 1)) {
    return invalid_argument("the mask has shape ", dims_to_string(mask.dims()), ", its rows must ",
                            "be as long as those of ", dims_to_string(x.dims()));
  }
  DimList wide(x.dims());
  RETURN_IF_ERROR(broadcast_into(&wide, mask.dims()));
  if (!std::equal(wide.begin(), wide.end(), x.dims().begin(), x.dims().end())) {
    return invalid_argument("the mask of shape ", dims_to_string(mask.dims()),
                            " does not broadcast to ", dims_to_string(x.dims()));
  }
  return ctx.set_output(0, DType::kFloat32, x.dims());
}

// --- Run.

// The arithmetic of an operator, behind pointers: loops around it exist once.
template <typename T>
using Rows = void (*)(const Kernels& kernels, const T* x, T* y, int64_t n, int64_t count);
using Columns = void (*)(const VectorF32Kernels& vector, const float* x, float* y, int64_t n,
                         int64_t ld, size_t count);

struct Functions {
  Rows<float> rows_f32;
  Rows<double> rows_f64;
  Columns columns;
};

template <typename Op>
constexpr Functions kFunctions = {&Op::rows, &Op::rows, &Op::columns};

template <typename T>
void run_neighbours(const RunContext& ctx, const Kernels& kernels, Rows<T> function,
                    const RowView& rows, const T* x, T* y) {
  const int64_t grain = std::max<int64_t>(1, kRowGrain / rows.n);
  ctx.parallel_for(rows.outer, grain, [&](int64_t begin, int64_t end) {
    function(kernels, x + begin * rows.n, y + begin * rows.n, rows.n, end - begin);
  });
}

void run_columns(const RunContext& ctx, const VectorF32Kernels& vector, Columns function,
                 const RowView& rows, const float* x, float* y) {
  const int64_t groups = (rows.inner + kColumnsMax - 1) / kColumnsMax;
  ctx.parallel_for(rows.outer * groups, 1, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t column = item % groups * kColumnsMax;
      const int64_t start = item / groups * rows.n * rows.inner + column;
      function(vector, x + start, y + start, rows.n, rows.inner,
               static_cast<size_t>(std::min(kColumnsMax, rows.inner - column)));
    }
  });
}

template <typename T>
void run_strided(const RunContext& ctx, const Kernels& kernels, Rows<T> function,
                 const RowView& rows, const T* x, T* y) {
  const int64_t groups = (rows.inner + kColumnsAtOnce - 1) / kColumnsAtOnce;
  const uint64_t slot_bytes =
      align_up(static_cast<uint64_t>(rows.n * kColumnsAtOnce) * sizeof(T), 64);
  parallel_items(ctx, ctx.thread_count(), rows.outer * groups, [&](int64_t slot, int64_t item) {
    T* copies = reinterpret_cast<T*>(ctx.scratch() + static_cast<uint64_t>(slot) * slot_bytes);
    const int64_t column = item % groups * kColumnsAtOnce;
    const int64_t count = std::min(kColumnsAtOnce, rows.inner - column);
    const int64_t start = item / groups * rows.n * rows.inner + column;
    for (int64_t i = 0; i < rows.n; ++i) {
      const T* from = x + start + i * rows.inner;
      for (int64_t c = 0; c < count; ++c) copies[c * rows.n + i] = from[c];
    }
    function(kernels, copies, copies, rows.n, count);
    for (int64_t i = 0; i < rows.n; ++i) {
      T* to = y + start + i * rows.inner;
      for (int64_t c = 0; c < count; ++c) to[c] = copies[c * rows.n + i];
    }
  });
}

template <typename T>
void run_rows(const RunContext& ctx, const Kernels& kernels, Rows<T> function,
              const RowView& rows) {
  const T* x = ctx.input(0).as<T>();
  T* y = ctx.output(0).as_mutable<T>();
  if (rows.inner == 1) return run_neighbours(ctx, kernels, function, rows, x, y);
  run_strided(ctx, kernels, function, rows, x, y);
}

Status run_functions(const RunContext& ctx, const Functions& functions) {
  const ValueRef& x = ctx.input(0);
  if (x.element_count() == 0) return Status::ok();
  ASSIGN_OR_RETURN(const RowView rows, view_rows(ctx.params<SoftmaxParams>(), x.dims()));
  const Kernels kernels{vector_f32_kernels(ctx.isa()), maps_f64_kernels(ctx.isa())};
  if (x.dtype == DType::kFloat64) {
    run_rows(ctx, kernels, functions.rows_f64, rows);
    return Status::ok();
  }
  const auto* from = x.as<float>();
  auto* to = ctx.output(0).as_mutable<float>();
  if (rows.inner > 1 && turns_blocks(rows.outer, rows.n, rows.inner)) {
    const auto turned = [&](float* columns, size_t count, int64_t) {
      const int64_t ld = rows.inner * static_cast<int64_t>(count);
      functions.columns(kernels.f32, columns, columns, rows.n, ld, static_cast<size_t>(ld));
    };
    for_turned_rows(ctx, rows.outer, rows.n * rows.inner, from, to, turned, rows.inner);
  } else if (rows.inner >= (rows.n <= kFew ? kFew : kColumnsMin)) {
    run_columns(ctx, kernels.f32, functions.columns, rows, from, to);
  } else if (rows.inner == 1 && turns_rows(rows.outer, rows.n)) {
    for_turned_rows(ctx, rows.outer, rows.n, from, to, [&](float* columns, size_t count, int64_t) {
      functions.columns(kernels.f32, columns, columns, rows.n, static_cast<int64_t>(count), count);
    });
  } else {
    run_rows(ctx, kernels, functions.rows_f32, rows);
  }
  return Status::ok();
}

template <typename Op>
Status run_softmax(RunContext& ctx) {
  return run_functions(ctx, kFunctions<Op>);
}

Status run_masked(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& mask = ctx.input(1);
  if (x.element_count() == 0) return Status::ok();
  const float scale = ctx.params<MaskedParams>().scale;
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  const DimList strides = broadcast_strides(mask.dims(), x.dims());
  const int64_t n = x.dim(x.rank - 1);
  float* y = ctx.output(0).as_mutable<float>();
  ctx.parallel_for(x.element_count() / n, std::max<int64_t>(1, kRowGrain / n),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t r = begin; r < end; ++r) {
                       int64_t offset = 0, rest = r;
                       for (size_t d = x.rank - 1; d-- > 0; rest /= x.dim(d)) {
                         offset += rest % x.dim(d) * strides[d];
                       }
                       vector.softmax(x.as<float>() + r * n, scale, mask.as<float>() + offset,
                                      y + r * n, static_cast<size_t>(n));
                     }
                   });
  return Status::ok();
}

}  // namespace

KernelTable softmax_kernels() {
  static constexpr KernelRow kSoftmaxRow("Softmax", "", 1, kLatestOpset, kFloatTypes, "softmax", 1,
                                         kInPlace, 0, prepare_softmax, bind_softmax,
                                         run_softmax<Softmax>);
  static constexpr KernelRow kLogSoftmaxRow("LogSoftmax", "", 1, kLatestOpset, kFloatTypes,
                                            "log_softmax", 1, kInPlace, 0, prepare_softmax,
                                            bind_softmax, run_softmax<LogSoftmax>);
  static constexpr KernelRow kHardmaxRow("Hardmax", "", 1, kLatestOpset, kFloatTypes, "hardmax", 1,
                                         kInPlace, 0, prepare_softmax, bind_softmax,
                                         run_softmax<Hardmax>);
  static constexpr KernelRow rows[] = {
      kSoftmaxRow,
      reduced_row<kSoftmaxRow>("Softmax.reduced"),
      kLogSoftmaxRow,
      reduced_row<kLogSoftmaxRow>("LogSoftmax.reduced"),
      kHardmaxRow,
      reduced_row<kHardmaxRow>("Hardmax.reduced"),
      {"MaskedSoftmax", kInternalDomain, 0, kLatestOpset, mask_of(DType::kFloat32),
       "masked_softmax.f32", 1, kInPlace, 0, prepare_masked, bind_masked, run_masked},
  };
  return rows;
}

}  // namespace ortc::cpu
