// SPDX-License-Identifier: MIT
// TopK: the k largest or smallest elements along one axis, in order, with their indices.
//
// Of equal elements the one with the lower index comes first; a NaN counts as larger than all.
// The best of one row are a heap in scratch memory, or in order if they are few; it is divided
// among a fixed number of blocks of rows. Rows that are sorted instead are in top_keys.h.
#include <algorithm>
#include <cstring>

#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/kernels/movement/top_keys.h"

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

// What is worth code of its own.
template <typename T>
constexpr bool kIsFrequent = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                             std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;

// What numbers are kept as: others as one of those.
template <typename T>
using Kept =
    std::conditional_t<kIsReduced<T>, float,
                       std::conditional_t<kIsFrequent<T> || std::is_same_v<T, uint64_t>, T,
                                          std::conditional_t<(sizeof(T) < 4), int32_t, int64_t>>>;

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
int64_t find_better(const PlainRowsKernels& plain, const T* x, int64_t stride, int64_t begin,
                    int64_t size, Kept<T> value) {
  constexpr int64_t kBlock = 16, kWidened = 128;
  const auto find = kLargest ? plain.find_above : plain.find_below;
  const auto is_better = [&](int64_t i) {
    return beats<kLargest>(static_cast<Kept<T>>(x[i * stride]), value);
  };
  int64_t i = begin;
  if constexpr (std::is_same_v<T, float>) {
    while (stride == 1 && i < size) {
      i += static_cast<int64_t>(find(x + i, static_cast<size_t>(size - i), value));
      if (i == size || is_better(i)) return i;
      ++i;
    }
  }
  if constexpr (kIsReduced<T>) {
    float row[kWidened];
    while (stride == 1 && i < size) {
      const int64_t n = std::min(kWidened, size - i);
      widen(x + i, n, row);
      const auto found = static_cast<int64_t>(find(row, static_cast<size_t>(n), value));
      i += found;
      if (found == n) continue;
      if (is_better(i)) return i;
      ++i;
    }
  } else {
    for (; stride == 1 && i + kBlock <= size; i += kBlock) {
      int any = 0;
      for (int64_t j = 0; j < kBlock; ++j)
        any |= may_beat<kLargest>(static_cast<Kept<T>>(x[i + j]), value);
      if (any != 0) break;
    }
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

// kFewKept are kept in order, the best in front: each that is better than the last finds its place,
// behind its equals.
template <bool kLargest, typename C>
void keep_in_order(Entry<C>* kept, int64_t count, const Entry<C>& entry) {
  int64_t at = count;
  for (; at > 0 && beats<kLargest>(entry.value, kept[at - 1].value); --at) kept[at] = kept[at - 1];
  kept[at] = entry;
}

template <bool kLargest, typename T>
void keep_few(const PlainRowsKernels& plain, const T* x, int64_t stride, int64_t size, int64_t k,
              Entry<Kept<T>>* kept) {
  using C = Kept<T>;
  for (int64_t i = 0; i < k; ++i) {
    keep_in_order<kLargest>(kept, i, {static_cast<C>(x[i * stride]), i});
  }
  // At the beginning of a row better ones are too near each other to be looked for.
  constexpr int64_t kNear = std::is_same_v<T, float> ? 8 : 32;
  const int64_t begin = stride == 1 ? std::min(kNear * k, size) : size;
  for (int64_t i = k; i < begin; ++i) {
    const auto value = static_cast<C>(x[i * stride]);
    if (beats<kLargest>(value, kept[k - 1].value)) keep_in_order<kLargest>(kept, k - 1, {value, i});
  }
  for (int64_t i = std::max(begin, k);; ++i) {
    i = find_better<kLargest>(plain, x, stride, i, size, kept[k - 1].value);
    if (i == size) return;
    keep_in_order<kLargest>(kept, k - 1, {static_cast<C>(x[i * stride]), i});
  }
}

template <bool kLargest, typename T>
void keep_heap(const PlainRowsKernels& plain, const T* x, int64_t stride, int64_t size, int64_t k,
               Entry<Kept<T>>* heap) {
  using C = Kept<T>;
  const auto own_order = [](const Entry<C>& a, const Entry<C>& b) {
    return comes_first<kLargest>(a, b);
  };
  using Order = bool (*)(const Entry<C>&, const Entry<C>&);
  const std::conditional_t<kIsFrequent<T>, decltype(own_order), Order> order = own_order;
  for (int64_t i = 0; i < k; ++i) heap[i] = {static_cast<C>(x[i * stride]), i};
  std::make_heap(heap, heap + k, order);
  for (int64_t i = k;; ++i) {
    i = find_better<kLargest>(plain, x, stride, i, size, heap[0].value);
    if (i == size) break;
    replace_top<kLargest>(heap, k, {static_cast<C>(x[i * stride]), i});
  }
  std::sort_heap(heap, heap + k, order);
}

// One row of `size` elements that lie `stride` apart; so do the k results. `heap` has room for k,
// the one that goes first on top. Values or indices may be null.
template <bool kLargest, typename T>
void top_row(const PlainRowsKernels& plain, const T* x, int64_t stride, int64_t size, int64_t k,
             Entry<Kept<T>>* heap, T* values, int64_t* indices) {
  auto keep = keep_heap<kLargest, T>;
  if constexpr (kIsFrequent<T>) {
    if (k <= kFewKept) keep = keep_few<kLargest, T>;
  }
  keep(plain, x, stride, size, k, heap);
  for (int64_t i = 0; i < k; ++i) {
    if (values != nullptr) values[i * stride] = x[heap[i].index * stride];
    if (indices != nullptr) indices[i * stride] = heap[i].index;
  }
}

// The first of n rows one behind the other, without a branch on what they hold.
template <bool kLargest, typename T>
void first_of_each(const T* x, int64_t size, int64_t n, T* values, int64_t* indices) {
  for (int64_t row = 0; row < n; ++row, x += size) {
    int64_t index = 0;
    for (int64_t i = 1; i < size; ++i) {
      const T value = x[i], best = x[index];
      const bool takes = kLargest ? (value > best) | ((value != value) & (best == best))
                                  : (value < best) | ((best != best) & (value == value));
      int64_t mask = -int64_t{takes};
      __asm__("" : "+r"(mask));  // what compilers cannot see is no branch
      index ^= (index ^ i) & mask;
    }
    if (values != nullptr) values[row] = x[index];
    if (indices != nullptr) indices[row] = index;
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

// Of scratch; one is also two of the numbers that are sorted.
int64_t entries_of_row(int64_t size, int64_t k) {
  return is_sorted_whole(size, k) ? std::max(size, kCounted) : k;
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
  const int64_t entries = entries_of_row(x.dim(axis), k);
  const auto scratch = checked_mul<uint64_t>(
      static_cast<uint64_t>(entries), sizeof(Entry<int64_t>) * static_cast<uint64_t>(blocks));
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

// The tensor as [outer, size, inner].
struct TopShape {
  int64_t size, k, inner;
  int64_t row(int64_t at, int64_t length) const { return at / inner * length * inner + at % inner; }
  bool wants_first_of_columns() const { return k == 1 && inner > 1 && size <= INT32_MAX; }
  bool wants_first_of_rows() const { return k == 1 && inner == 1 && size <= kTurnedSize; }
};

// Rows [begin, end) of floats, where a way of their own is faster than a heap; values or indices
// may be null.
bool top_floats(Isa isa, const TopShape& shape, int32_t turn, const float* x, int64_t begin,
                int64_t end, float* values, int64_t* indices) {
  const auto [size, k, inner] = shape;
  const bool is_first = shape.wants_first_of_columns();
  const bool is_turned = shape.wants_first_of_rows();
  if (!is_first && !is_turned && size > kShort) return false;
  for (int64_t row = begin, rows = 1; row < end; row += rows) {
    const float* from = x + shape.row(row, size);
    float* own_values = values != nullptr ? values + shape.row(row, k) : nullptr;
    int64_t* own_indices = indices != nullptr ? indices + shape.row(row, k) : nullptr;
    if (is_first) {
      rows = std::min({end - row, inner - row % inner, kColumns});
      const auto first = turn != 0 ? first_of_columns<true> : first_of_columns<false>;
      first(from, inner, size, rows, own_values, own_indices);
    } else if (is_turned) {
      rows = std::min(end - row, kTurnedRows);
      first_of_rows(isa, from, size, rows, turn != 0, own_values, own_indices);
    } else {
      top_short(plain_rows_kernels(isa), from, inner, size, k, turn, own_values, own_indices);
    }
  }
  return true;
}

Status run_top_k(RunContext& ctx) {
  const auto& params = ctx.params<TopKParams>();
  const ValueRef& x = ctx.input(0);
  const auto axis = static_cast<size_t>(params.axis < 0 ? params.axis + x.rank : params.axis);
  const bool has_values = ctx.has_output(0), has_indices = ctx.has_output(1);
  if (!has_values && !has_indices) return Status::ok();
  // Without a result there may still be more rows than anyone could count.
  if (ctx.output(has_values ? 0 : 1).element_count() == 0) return Status::ok();
  const TopShape shape{x.dim(axis), ctx.output(has_values ? 0 : 1).dim(axis),
                       product(x.dims(), axis + 1, x.rank)};
  if (shape.size == 1) {  // all elements are the first of their own
    const auto bytes = static_cast<int64_t>(element_bytes(x.dtype)) * x.element_count();
    const auto zeros = static_cast<size_t>(x.element_count()) * sizeof(int64_t);
    if (has_values) {
      auto* to = ctx.output(0).as_mutable<std::byte>();
      copy_rows(ctx, {x.as<std::byte>(), bytes, to, bytes, bytes, 1});
    }
    if (has_indices) std::memset(ctx.output(1).data, 0, zeros);
    return Status::ok();
  }
  const int64_t row_count = rows_of(x, axis);
  int64_t grain = rows_per_block(row_count);
  // These go side by side, and need no scratch.
  if (x.dtype == DType::kFloat32) {
    if (shape.wants_first_of_columns()) grain = std::max(grain, std::min(shape.inner, kColumns));
    if (shape.wants_first_of_rows()) grain = std::max(grain, kTurnedRows);
  }
  const int64_t room =
      entries_of_row(shape.size, shape.k) * static_cast<int64_t>(sizeof(Entry<int64_t>));
  const int32_t turn = params.largest != 0 ? -1 : 0;
  const PlainRowsKernels& plain = plain_rows_kernels(ctx.isa());
  with_type(NumberTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    auto* values = has_values ? ctx.output(0).as_mutable<T>() : nullptr;
    auto* indices = has_indices ? ctx.output(1).as_mutable<int64_t>() : nullptr;
    using Heap = Entry<Kept<T>>;
    static_assert(sizeof(Heap) <= sizeof(Entry<int64_t>));
    const auto top = params.largest != 0 ? top_row<true, T> : top_row<false, T>;
    ctx.parallel_for(row_count, grain, [&](int64_t begin, int64_t end) {
      std::byte* scratch = ctx.scratch() + begin / grain * room;
      if constexpr (std::is_same_v<T, float>) {
        if (top_floats(ctx.isa(), shape, turn, x.as<float>(), begin, end, values, indices)) return;
      }
      if constexpr (kIsFrequent<T> && !std::is_same_v<T, float>) {
        if (shape.wants_first_of_rows()) {
          const auto first = params.largest != 0 ? first_of_each<true, T> : first_of_each<false, T>;
          first(x.as<T>() + begin * shape.size, shape.size, end - begin,
                has_values ? values + begin : nullptr, has_indices ? indices + begin : nullptr);
          return;
        }
      }
      [[maybe_unused]] const bool is_sorted = is_sorted_whole(shape.size, shape.k);
      for (int64_t row = begin; row < end; ++row) {
        const int64_t to = shape.row(row, shape.k);
        if constexpr (kIsFrequent<T>) {
          if (is_sorted) {
            top_sorted(plain, x.as<T>() + shape.row(row, shape.size), shape.inner, shape.size,
                       shape.k, turn, reinterpret_cast<uint64_t*>(scratch),
                       has_values ? values + to : nullptr, has_indices ? indices + to : nullptr);
            continue;
          }
        }
        top(plain, x.as<T>() + shape.row(row, shape.size), shape.inner, shape.size, shape.k,
            reinterpret_cast<Heap*>(scratch), has_values ? values + to : nullptr,
            has_indices ? indices + to : nullptr);
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
