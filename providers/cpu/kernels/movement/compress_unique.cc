// SPDX-License-Identifier: MIT
// Compress: the slices along an axis (or the elements) whose condition holds.
// Unique: the different slices along an axis (or elements), sorted or in order of first appearance,
// with the place of the first, where each input went, and how often each appears.
//
// Slices compare element by element; a NaN is larger than all numbers and equal to itself. How much
// remains is known only after looking.
#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>
#include <span>
#include <string>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/key_sort.h"
#include "providers/cpu/bind/rows/short_rows.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/movement/unique_table.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// A tensor as [outer, count, inner]: `count` slices. Of one without elements no part is looked at,
// however many there are: outer is 0.
struct Slices {
  int64_t outer = 1, count = 1, inner = 1;
};

Result<Slices> slices_of(const ValueRef& x, bool has_axis, int64_t axis) {
  if (!has_axis) return Slices{1, x.element_count(), 1};
  ASSIGN_OR_RETURN(const size_t at, checked_axis(axis, x.rank));
  if (x.element_count() == 0) return Slices{0, x.dim(at), 0};
  return Slices{product(x.dims(), 0, at), x.dim(at), product(x.dims(), at + 1, x.rank)};
}

void copy_texts(const std::string* x, const Slices& slices, std::span<const int64_t> from,
                std::string* to) {
  for (int64_t o = 0; o < slices.outer; ++o) {
    for (const int64_t i : from) {
      to = std::copy_n(x + (o * slices.count + i) * slices.inner, slices.inner, to);
    }
  }
}

// Few slices of few bytes at each of many outer positions: one slice after the other, of as many
// positions as the nearest cache holds.
void copy_columns(const std::byte* x, const Slices& slices, std::span<const int64_t> from,
                  int64_t bytes, std::byte* to) {
  constexpr int64_t kNear = 16384;
  const int64_t x_pitch = slices.count * bytes, pitch = static_cast<int64_t>(from.size()) * bytes;
  const int64_t most = std::max<int64_t>(1, kNear / (x_pitch + pitch));
  for (int64_t o = 0; o < slices.outer; o += most) {
    const int64_t rows = std::min(most, slices.outer - o);
    std::byte* place = to + o * pitch;
    for (const int64_t i : from) {
      copy_short_rows({x + o * x_pitch + i * bytes, x_pitch, place, pitch, bytes, rows});
      place += bytes;
    }
  }
}

// Copies the slices `from` into a tensor of as many slices.
void copy_slices(const ValueRef& x, const Slices& slices, std::span<const int64_t> from, void* to) {
  if (x.dtype == DType::kString) {
    return copy_texts(x.as<std::string>(), slices, from, static_cast<std::string*>(to));
  }
  const size_t bytes = element_bytes(x.dtype) * static_cast<size_t>(slices.inner);
  auto* target = static_cast<std::byte*>(to);
  if (bytes == 0 || from.empty()) return;
  const auto slice_bytes = static_cast<int64_t>(bytes), kept = static_cast<int64_t>(from.size());
  if (slices.outer > kept && is_short_row(slice_bytes)) {
    return copy_columns(x.as<std::byte>(), slices, from, slice_bytes, target);
  }
  for (int64_t o = 0; o < slices.outer; ++o) {
    for (const int64_t i : from) {
      std::memcpy(target, x.as<std::byte>() + static_cast<size_t>(o * slices.count + i) * bytes,
                  bytes);
      target += bytes;
    }
  }
}

// The shape of a tensor with another number of slices.
DimList sliced_dims(const ValueRef& x, bool has_axis, int64_t axis, int64_t count) {
  if (!has_axis) return DimList(1, count);
  DimList dims(x.dims());
  dims[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.rank) : axis)] = count;
  return dims;
}

struct SliceParams {
  uint32_t record_bytes;
  uint32_t has_axis;
  int64_t axis;
  uint32_t sorted;           // Unique
  uint32_t omitted_outputs;  // Unique: bit i is output i, which the node leaves out
};
static_assert(sizeof(SliceParams) == 24);

Status prepare_slices(PrepareContext& ctx) {
  const Attribute* axis = ctx.node().attribute("axis");
  uint32_t omitted_outputs = 0;
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    if (!ctx.has_output(i)) omitted_outputs |= uint32_t{1} << i;
  }
  ctx.set_params(
      SliceParams{sizeof(SliceParams), axis != nullptr ? 1u : 0u, axis != nullptr ? axis->i : 0,
                  ctx.node().int_attribute("sorted", 1) != 0 ? 1u : 0u, omitted_outputs});
  return Status::ok();
}

// --- Compress.

Status bind_compress(BindContext& ctx) {
  const auto* params = ctx.params<SliceParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kBool)));
  if (ctx.input(1).rank != 1) {
    return invalid_argument("the condition has rank ", ctx.input(1).rank, ", expected 1");
  }
  ScratchPlan scratch;
  scratch.add<int64_t>(ctx.input(1).dim(0));
  RETURN_IF_ERROR(scratch.declare(ctx));
  return slices_of(ctx.input(0), params->has_axis != 0, params->axis).status();
}

Status run_compress(RunContext& ctx) {
  const auto& params = ctx.params<SliceParams>();
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const Slices slices, slices_of(x, params.has_axis != 0, params.axis));
  const auto* condition = ctx.input(1).as<Bool8>();
  auto* kept = scratch_at<int64_t>(ctx, 0);
  int64_t count = 0;
  for (int64_t i = 0; i < std::min(slices.count, ctx.input(1).dim(0)); ++i) {
    if (condition[i]) kept[count++] = i;
  }
  RETURN_IF_ERROR(
      ctx.allocate_output(0, x.dtype, sliced_dims(x, params.has_axis != 0, params.axis, count)));
  copy_slices(x, slices, {kept, static_cast<size_t>(count)}, ctx.output(0).data);
  return Status::ok();
}

// --- Unique.

using UniqueTypes = Join<NumberTypes, TypeList<Bool8>>;
constexpr TypeMask kUniqueTypes =
    UniqueTypes::kMask | kStrings | mask_of(DType::kComplex64, DType::kComplex128);

int compare_elements(const std::string& a, const std::string& b) { return a.compare(b); }

template <typename T>
int compare_elements(T a, T b) {
  if constexpr (std::is_same_v<T, Bool8>) {
    return int{a.byte != 0} - int{b.byte != 0};
  } else {
    const auto x = static_cast<Compute<T>>(a), y = static_cast<Compute<T>>(b);
    if (x < y) return -1;
    if (x > y) return 1;
    if (x == y) return 0;
    return int{x != x} - int{y != y};
  }
}

// By the real part, then by the other.
template <typename T>
int compare_elements(const std::complex<T>& a, const std::complex<T>& b) {
  const int order = compare_elements(a.real(), b.real());
  return order != 0 ? order : compare_elements(a.imag(), b.imag());
}

template <typename T>
int compare_slices(const T* x, const Slices& slices, int64_t a, int64_t b) {
  for (int64_t o = 0; o < slices.outer; ++o) {
    const T* row = x + o * slices.count * slices.inner;
    for (int64_t i = 0; i < slices.inner; ++i) {
      const int order = compare_elements(row[a * slices.inner + i], row[b * slices.inner + i]);
      if (order != 0) return order;
    }
  }
  return 0;
}

// What a run works in, by slice. begins[i]: slice order[i] is unlike the one before.
struct UniqueRoom {
  KeyedPlace *elements, *places;
  uint64_t* counters;
  bool* begins;
  int64_t *order, *first, *inverse, *counts, *by_first, *rank;
};

// Adds its arrays; those of `at` begin at this memory.
void add_room(ScratchPlan& scratch, int64_t n, std::byte* at, UniqueRoom* room) {
  const auto add = [&]<typename T>(T*& array, int64_t count) {
    const uint64_t offset = scratch.add<T>(count);
    if (at != nullptr) array = reinterpret_cast<T*>(at + offset);
  };
  add(room->elements, n);
  add(room->places, n);
  add(room->counters, KeySortRoom::kCounters);
  add(room->begins, n);
  for (int64_t** array :
       {&room->order, &room->first, &room->inverse, &room->counts, &room->by_first, &room->rank}) {
    add(*array, n);
  }
}

// Slices in their order, equal ones as they stand.
template <typename T>
void sort_slices(const T* x, const Slices& slices, const UniqueRoom& room) {
  const std::span order(room.order, static_cast<size_t>(slices.count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int by_content = compare_slices(x, slices, a, b);
    return by_content != 0 ? by_content < 0 : a < b;
  });
  for (size_t i = 0; i < order.size(); ++i) {
    room.begins[i] = i == 0 || compare_slices(x, slices, order[i - 1], order[i]) != 0;
  }
}

// Whether elements are numbers that keys can stand for.
template <typename T>
constexpr bool kHasKeys = std::is_arithmetic_v<Compute<T>> || std::is_same_v<T, Bool8>;

// Numbers that stand in the order of the elements; equal elements have equal ones.
template <typename T>
uint64_t order_key(T x) {
  if constexpr (std::is_same_v<T, Bool8>) {
    return x ? 1 : 0;
  } else if constexpr (std::is_integral_v<T>) {
    const uint64_t sign = std::is_signed_v<T> ? uint64_t{1} << 63 : 0;
    return static_cast<uint64_t>(static_cast<int64_t>(x)) ^ sign;
  } else {
    const auto value = static_cast<double>(static_cast<Compute<T>>(x)) + 0.0;  // one zero
    if (value != value) return UINT64_MAX;
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return (bits >> 63) != 0 ? ~bits : bits | uint64_t{1} << 63;
  }
}

// Slices of one number: their keys, in order.
template <typename T>
void take_keys(const T* x, int64_t n, const UniqueRoom& room) {
  for (int64_t i = 0; i < n; ++i) room.elements[i] = {order_key(x[i]), i};
}

// Those in their order.
void sort_keys(int64_t n, const UniqueRoom& room) {
  const std::span elements(room.elements, static_cast<size_t>(n));
  sort_by_key(elements, {room.places, room.counters});
  for (size_t i = 0; i < elements.size(); ++i) {
    room.order[i] = elements[i].place;
    room.begins[i] = i == 0 || elements[i].key != elements[i - 1].key;
  }
}

// How many groups of equal slices there are; sets first, inverse and counts.
int64_t group(int64_t n, const UniqueRoom& room) {
  int64_t groups = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (room.begins[i]) {
      room.first[groups] = room.order[i];
      room.counts[groups++] = 0;
    }
    ++room.counts[groups - 1];
    room.inverse[room.order[i]] = groups - 1;
  }
  return groups;
}

// Numbers the groups by their first appearance: rank[g] is the new number of group g.
void group_by_appearance(int64_t n, int64_t groups, UniqueRoom* room) {
  const std::span by_first(room->by_first, static_cast<size_t>(groups));
  std::iota(by_first.begin(), by_first.end(), 0);
  std::sort(by_first.begin(), by_first.end(),
            [&](int64_t a, int64_t b) { return room->first[a] < room->first[b]; });
  for (int64_t i = 0; i < groups; ++i) room->rank[by_first[static_cast<size_t>(i)]] = i;
  for (int64_t i = 0; i < n; ++i) room->inverse[i] = room->rank[room->inverse[i]];
  // The order of all slices is not asked any more.
  for (int64_t g = 0; g < groups; ++g) room->order[room->rank[g]] = room->first[g];
  std::swap(room->order, room->first);
  for (int64_t g = 0; g < groups; ++g) room->by_first[room->rank[g]] = room->counts[g];
  std::swap(room->by_first, room->counts);
}

// Numbers with such keys in groups by first appearance, without sorting: how many; -1 where that
// would take too long.
int64_t group_keys(int64_t n, const UniqueRoom& room) {
  if (n == 0 || n > UniqueTable::kMost) return n == 0 ? 0 : -1;
  UniqueTable table(n, reinterpret_cast<uint32_t*>(room.places),
                    reinterpret_cast<uint64_t*>(room.by_first));
  int64_t groups = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto g = static_cast<int64_t>(table.find(room.elements[i].key));
    if (g == groups) {
      room.first[groups] = i;
      room.counts[groups++] = 0;
    }
    room.inverse[i] = g;
    ++room.counts[g];
  }
  return table.is_slow() ? -1 : groups;
}

Status bind_unique(BindContext& ctx) {
  const auto* params = ctx.params<SliceParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1, 0));
  RETURN_IF_ERROR(check_type(ctx, 0, kUniqueTypes));
  ASSIGN_OR_RETURN(const Slices slices,
                   slices_of(ctx.input(0), params->has_axis != 0, params->axis));
  ScratchPlan scratch;
  UniqueRoom room{};
  add_room(scratch, slices.count, nullptr, &room);
  return scratch.declare(ctx);
}

bool is_wanted(const RunContext& ctx, size_t i) {
  return i < ctx.output_count() && (ctx.params<SliceParams>().omitted_outputs >> i & 1) == 0;
}

Status give_numbers(RunContext& ctx, size_t i, const int64_t* numbers, int64_t count) {
  if (!is_wanted(ctx, i)) return Status::ok();
  const int64_t dims[1] = {count};
  RETURN_IF_ERROR(ctx.allocate_output(i, DType::kInt64, dims));
  std::copy_n(numbers, count, ctx.output(i).as_mutable<int64_t>());
  return Status::ok();
}

Status run_unique(RunContext& ctx) {
  const auto& params = ctx.params<SliceParams>();
  const ValueRef& x = ctx.input(0);
  const bool has_axis = params.has_axis != 0;
  ASSIGN_OR_RETURN(const Slices slices, slices_of(x, has_axis, params.axis));
  ScratchPlan scratch;
  UniqueRoom room{};
  add_room(scratch, slices.count, ctx.scratch(), &room);
  const bool are_single = slices.outer == 1 && slices.inner == 1;
  bool has_keys = false;
  const auto find = [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kHasKeys<T>) {
      has_keys = are_single;
      if (has_keys) return take_keys(x.as<T>(), slices.count, room);
    }
    sort_slices(x.as<T>(), slices, room);
  };
  if (x.dtype == DType::kString) {
    find(TypeTag<std::string>{});
  } else if (x.dtype == DType::kComplex64) {
    find(TypeTag<std::complex<float>>{});
  } else if (x.dtype == DType::kComplex128) {
    find(TypeTag<std::complex<double>>{});
  } else {
    with_type(UniqueTypes{}, x.dtype, find);
  }
  int64_t groups = has_keys && params.sorted == 0 ? group_keys(slices.count, room) : -1;
  if (groups < 0) {
    if (has_keys) sort_keys(slices.count, room);
    groups = group(slices.count, room);
    if (params.sorted == 0) group_by_appearance(slices.count, groups, &room);
  }
  if (is_wanted(ctx, 0)) {
    RETURN_IF_ERROR(ctx.allocate_output(0, x.dtype, sliced_dims(x, has_axis, params.axis, groups)));
    copy_slices(x, slices, {room.first, static_cast<size_t>(groups)}, ctx.output(0).data);
  }
  RETURN_IF_ERROR(give_numbers(ctx, 1, room.first, groups));
  RETURN_IF_ERROR(give_numbers(ctx, 2, room.inverse, slices.count));
  return give_numbers(ctx, 3, room.counts, groups);
}

}  // namespace

KernelTable compress_unique_kernels() {
  static constexpr KernelRow rows[] = {
      {"Compress", "", 9, kLatestOpset, kByteTypes, "compress", 1, kDataDependent, 0,
       prepare_slices, bind_compress, run_compress},
      {"Compress", "", 9, kLatestOpset, kStrings, "compress.string", 1, kDataDependent, 0,
       prepare_slices, bind_strings<bind_compress, 1>, run_strings<run_compress>},
      {"Unique", "", 11, kLatestOpset, kUniqueTypes, "unique", 1, kDataDependent, 0, prepare_slices,
       bind_unique, run_unique},
  };
  return rows;
}

}  // namespace ortc::cpu
