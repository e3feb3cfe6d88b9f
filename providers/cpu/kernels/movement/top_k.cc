// SPDX-License-Identifier: MIT
// TopK: the k largest or smallest elements along one axis, in order, with their indices.
//
// Of equal elements the one with the lower index comes first; a NaN counts as larger than all.
// The best of one row are a heap in scratch memory, which is divided among a fixed number of blocks
// of rows.
#include <algorithm>

#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

template <typename C>
bool is_larger(C a, C b) {
  return a > b || (a != a && b == b);
}

template <typename C>
struct Entry {
  C value;
  int64_t index;
};

template <bool kLargest, typename C>
bool beats(C a, C b) {
  return kLargest ? is_larger(a, b) : is_larger(b, a);
}
template <bool kLargest, typename C>
bool comes_first(const Entry<C>& a, const Entry<C>& b) {
  if (beats<kLargest>(a.value, b.value)) return true;
  return !beats<kLargest>(b.value, a.value) && a.index < b.index;
}

// Beats it, or one of the two is NaN: one comparison, which compilers make vectors of.
template <bool kLargest, typename C>
int may_beat(C a, C b) {
  return (kLargest ? a <= b : b <= a) ? 0 : 1;
}

// The first element from `begin` on that beats `value`. Most rows have few: blocks are looked at as
// a whole.
template <bool kLargest, typename T>
int64_t find_better([[maybe_unused]] const PlainRowsKernels& plain, const T* x, int64_t stride,
                    int64_t begin, int64_t size, Compute<T> value) {
  constexpr int64_t kBlock = 16;
  const auto is_better = [&](int64_t i) {
    return beats<kLargest>(static_cast<Compute<T>>(x[i * stride]), value);
  };
  int64_t i = begin;
  if constexpr (std::is_same_v<T, float>) {
    const auto find = kLargest ? plain.find_above : plain.find_below;
    while (stride == 1 && i < size) {
      i += static_cast<int64_t>(find(x + i, static_cast<size_t>(size - i), value));
      if (i == size || is_better(i)) return i;
      ++i;
    }
  }
  for (; stride == 1 && i + kBlock <= size; i += kBlock) {
    int any = 0;
    for (int64_t j = 0; j < kBlock; ++j) {
      any |= may_beat<kLargest>(static_cast<Compute<T>>(x[i + j]), value);
    }
    if (any != 0) break;
  }
  while (i < size && !is_better(i)) ++i;
  return i;
}

// Puts `entry` in the place of the top, which goes.
template <bool kLargest, typename C>
void replace_top(Entry<C>* heap, int64_t k, const Entry<C>& entry) {
  int64_t at = 0;
  for (int64_t child = 1; child < k; child = 2 * at + 1) {
    if (child + 1 < k && comes_first<kLargest>(heap[child], heap[child + 1])) ++child;
    if (!comes_first<kLargest>(entry, heap[child])) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = entry;
}

// One row of `size` elements that lie `stride` apart; so do the k results. `heap` has room for k,
// the one that goes first on top. Values or indices may be null.
template <bool kLargest, typename T>
void top_row(const PlainRowsKernels& plain, const T* x, int64_t stride, int64_t size, int64_t k,
             Entry<Compute<T>>* heap, T* values, int64_t* indices) {
  using C = Compute<T>;
  const auto order = comes_first<kLargest, C>;
  for (int64_t i = 0; i < k; ++i) heap[i] = {static_cast<C>(x[i * stride]), i};
  std::make_heap(heap, heap + k, order);
  for (int64_t i = k;; ++i) {
    i = find_better<kLargest>(plain, x, stride, i, size, heap[0].value);
    if (i == size) break;
    replace_top<kLargest>(heap, k, {static_cast<C>(x[i * stride]), i});
  }
  std::sort_heap(heap, heap + k, order);
  for (int64_t i = 0; i < k; ++i) {
    if (values != nullptr) values[i * stride] = x[heap[i].index * stride];
    if (indices != nullptr) indices[i * stride] = heap[i].index;
  }
}

// --- Prepare.

struct TopKParams {
  uint32_t record_bytes;
  uint32_t largest;
  int64_t axis;
  int64_t k;  // where it is an attribute
};
static_assert(sizeof(TopKParams) == 24);

Status prepare_top_k(PrepareContext& ctx) {
  const bool largest = ctx.node().int_attribute("largest", 1) != 0;
  ctx.set_params(TopKParams{sizeof(TopKParams), largest ? 1u : 0u,
                            ctx.node().int_attribute("axis", -1),
                            ctx.node().int_attribute("k", -1)});
  return Status::ok();
}

// --- Bind.

constexpr int64_t kBlocks = 32;

int64_t rows_of(const ValueRef& x, size_t axis) {
  return product(x.dims(), 0, axis) * product(x.dims(), axis + 1, x.rank);
}
int64_t rows_per_block(int64_t row_count) {
  return std::max<int64_t>(1, (row_count + kBlocks - 1) / kBlocks);
}

Status set_top(BindContext& ctx, int64_t k) {
  RETURN_IF_ERROR(check_type(ctx, 0, NumberTypes::kMask));
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(ctx.params<TopKParams>()->axis, x.rank));
  if (k < 0 || k > x.dim(axis)) {
    return invalid_argument("k is ", k, ", the axis has ", x.dim(axis), " elements");
  }
  DimList dims(x.dims());
  dims[axis] = k;
  const int64_t blocks = product(dims) == 0 ? 0 : std::min(kBlocks, rows_of(x, axis));
  const auto scratch = checked_mul<uint64_t>(
      static_cast<uint64_t>(k), sizeof(Entry<int64_t>) * static_cast<uint64_t>(blocks));
  if (!scratch) return invalid_argument("a k of ", k);
  ctx.set_scratch(*scratch);
  if (ctx.has_output(0)) RETURN_IF_ERROR(ctx.set_output(0, x.dtype, dims));
  if (ctx.has_output(1)) RETURN_IF_ERROR(ctx.set_output(1, DType::kInt64, dims));
  return Status::ok();
}

Status bind_top_k(BindContext& ctx) {
  if (ctx.params<TopKParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2, 0));
  ASSIGN_OR_RETURN(const int64_t k, read_int(ctx.input(1), "k"));
  return set_top(ctx, k);
}

Status bind_top_k_attribute(BindContext& ctx) {
  const auto* params = ctx.params<TopKParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1, 0));
  return set_top(ctx, params->k);
}

// --- Run.

Status run_top_k(RunContext& ctx) {
  const auto& params = ctx.params<TopKParams>();
  const ValueRef& x = ctx.input(0);
  const auto axis = static_cast<size_t>(params.axis < 0 ? params.axis + x.rank : params.axis);
  const int64_t size = x.dim(axis);
  const bool has_values = ctx.has_output(0), has_indices = ctx.has_output(1);
  if (!has_values && !has_indices) return Status::ok();
  // Without a result there may still be more rows than anyone could count.
  if (ctx.output(has_values ? 0 : 1).element_count() == 0) return Status::ok();
  const int64_t k = ctx.output(has_values ? 0 : 1).dim(axis);
  const int64_t inner = product(x.dims(), axis + 1, x.rank);
  const int64_t row_count = rows_of(x, axis);
  const int64_t grain = rows_per_block(row_count);
  const PlainRowsKernels& plain = plain_rows_kernels(ctx.isa());
  with_type(NumberTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* values = has_values ? ctx.output(0).as_mutable<T>() : nullptr;
    auto* indices = has_indices ? ctx.output(1).as_mutable<int64_t>() : nullptr;
    using Heap = Entry<Compute<T>>;
    static_assert(sizeof(Heap) <= sizeof(Entry<int64_t>));
    const auto top = params.largest != 0 ? top_row<true, T> : top_row<false, T>;
    ctx.parallel_for(row_count, grain, [&](int64_t begin, int64_t end) {
      auto* heap = reinterpret_cast<Heap*>(ctx.scratch()) + begin / grain * k;
      for (int64_t row = begin; row < end; ++row) {
        const int64_t outer = row / inner, column = row % inner;
        const int64_t to = outer * k * inner + column;
        top(plain, x.as<T>() + outer * size * inner + column, inner, size, k, heap,
            has_values ? values + to : nullptr, has_indices ? indices + to : nullptr);
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable top_k_kernels() {
  static constexpr KernelRow rows[] = {
      {"TopK", "", 10, kLatestOpset, NumberTypes::kMask, "top_k", 1, kNoFlags, 2, prepare_top_k,
       bind_top_k, run_top_k},
      {"TopK", "", 1, 9, NumberTypes::kMask, "top_k.attribute", 1, kNoFlags, 0, prepare_top_k,
       bind_top_k_attribute, run_top_k},
  };
  return rows;
}

}  // namespace ortc::cpu
