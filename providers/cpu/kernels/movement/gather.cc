// SPDX-License-Identifier: MIT
// Gather, GatherElements and GatherND, by element size. Every index is checked before it is used.
//
//   Gather           y[o, i, n] = x[o, indices[i], n]                 along one axis
//   GatherElements   y[i, j, k] = x[indices[i, j, k], j, k]           (axis 0)
//   GatherND         y[b, i, n] = x[b, indices[b, i, 0 .. width), n]
#include <algorithm>
#include <atomic>

#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/index_input.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

struct GatherParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t axis;  // GatherND: batch_dims
};
static_assert(sizeof(GatherParams) == 16);

Status prepare_gather(PrepareContext& ctx) {
  ctx.set_params(GatherParams{sizeof(GatherParams), 0, ctx.node().int_attribute("axis", 0)});
  return Status::ok();
}

Status prepare_gather_nd(PrepareContext& ctx) {
  ctx.set_params(GatherParams{sizeof(GatherParams), 0, ctx.node().int_attribute("batch_dims", 0)});
  return Status::ok();
}

// --- Bind.

Status check_gather(const BindContext& ctx) {
  if (ctx.params<GatherParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  return check_type(ctx, 1, kIndexTypes);
}

Status append_dims(DimList* dims, std::span<const int64_t> more) {
  if (dims->size() + more.size() > kMaxRank) {
    return not_implemented("a result of rank above ", kMaxRank);
  }
  for (const int64_t dim : more) dims->push_back(dim);
  return Status::ok();
}

Status bind_gather(BindContext& ctx) {
  RETURN_IF_ERROR(check_gather(ctx));
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(ctx.params<GatherParams>()->axis, x.rank));
  DimList dims(x.dims().first(axis));
  RETURN_IF_ERROR(append_dims(&dims, ctx.input(1).dims()));
  RETURN_IF_ERROR(append_dims(&dims, x.dims().subspan(axis + 1)));
  return ctx.set_output(0, x.dtype, dims);
}

Status bind_gather_elements(BindContext& ctx) {
  RETURN_IF_ERROR(check_gather(ctx));
  const ValueRef& x = ctx.input(0);
  const ValueRef& indices = ctx.input(1);
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(ctx.params<GatherParams>()->axis, x.rank));
  bool fits = indices.rank == x.rank;
  for (size_t d = 0; fits && d < x.rank; ++d) fits = d == axis || indices.dim(d) <= x.dim(d);
  if (!fits) {
    return invalid_argument("indices of shape ", dims_to_string(indices.dims()),
                            " do not fit data of shape ", dims_to_string(x.dims()));
  }
  return ctx.set_output(0, x.dtype, indices.dims());
}

Status bind_gather_nd(BindContext& ctx) {
  RETURN_IF_ERROR(check_gather(ctx));
  const ValueRef& x = ctx.input(0);
  const ValueRef& indices = ctx.input(1);
  const int64_t batch_dims = ctx.params<GatherParams>()->axis;
  const int64_t width = indices.rank > 0 ? indices.dim(indices.rank - 1) : -1;
  const int64_t batch_dims_max = std::min<int64_t>(x.rank, int64_t{indices.rank} - 1);
  bool fits = batch_dims >= 0 && batch_dims <= batch_dims_max && width >= 1 &&
              width <= int64_t{x.rank} - batch_dims;
  for (int64_t d = 0; fits && d < batch_dims; ++d) {
    fits = x.dim(static_cast<size_t>(d)) == indices.dim(static_cast<size_t>(d));
  }
  if (!fits) {
    return invalid_argument("indices of shape ", dims_to_string(indices.dims()),
                            " do not fit data of shape ", dims_to_string(x.dims()), " with ",
                            batch_dims, " batch dimensions");
  }
  DimList dims(indices.dims().first(indices.rank - 1));
  RETURN_IF_ERROR(append_dims(&dims, x.dims().subspan(static_cast<size_t>(batch_dims + width))));
  return ctx.set_output(0, x.dtype, dims);
}

// --- Run.

// f(copy), which copies `bytes` bytes: in one move where they are as many as a number has.
template <typename F>
void with_copy(int64_t bytes, F&& f) {
  const auto size = static_cast<size_t>(bytes);
  const bool is_short = with_chunk(size, [&](auto tag) {
    using T = typename decltype(tag)::type;
    f([](std::byte* to, const std::byte* from) { std::memcpy(to, from, sizeof(T)); });
  });
  if (!is_short) f([size](std::byte* to, const std::byte* from) { std::memcpy(to, from, size); });
}

// Slices of `bytes` bytes: `size` of them lie at each outer position of x, of y as many as there
// are indices.
struct Slices {
  const IndexInput& indices;
  int64_t size, bytes;
  const std::byte* from;
  std::byte* to;
};

// Slices [begin, end) of y, counted over all outer positions.
template <typename Copy>
void gather_slices(const Slices& slices, int64_t begin, int64_t end, Copy copy) {
  const int64_t count = slices.indices.count(), size = slices.size, bytes = slices.bytes;
  const std::byte* from = slices.from + begin / count * size * bytes;
  std::byte* to = slices.to + begin * bytes;
  for (int64_t i = begin % count, left = end - begin; left > 0; i = 0, from += size * bytes) {
    const int64_t stop = std::min(count, i + left);
    left -= stop - i;
    for (; i < stop; ++i, to += bytes) copy(to, from + slices.indices.at(i, size) * bytes);
  }
}

constexpr int64_t kFewIndices = 16;

// Outer positions [begin, end), where each has few slices: an index at a time, for blocks of
// positions that stay in a near cache.
template <typename Copy>
void gather_columns(const Slices& slices, int64_t begin, int64_t end, Copy copy) {
  constexpr int64_t kBlock = 128;
  const int64_t count = slices.indices.count();
  const int64_t from_pitch = slices.size * slices.bytes, to_pitch = count * slices.bytes;
  for (int64_t next; begin < end; begin = next) {
    next = std::min(end, begin + kBlock);
    for (int64_t i = 0; i < count; ++i) {
      const std::byte* from =
          slices.from + begin * from_pitch + slices.indices.at(i, slices.size) * slices.bytes;
      std::byte* to = slices.to + begin * to_pitch + i * slices.bytes;
      for (int64_t k = begin; k < next; ++k, from += from_pitch, to += to_pitch) copy(to, from);
    }
  }
}

Status run_gather(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const int64_t given = ctx.params<GatherParams>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + x.rank : given);
  const IndexInput indices(ctx.input(1));
  const int64_t outer = product(x.dims(), 0, axis);
  const auto inner_bytes =
      product(x.dims(), axis + 1, x.rank) * static_cast<int64_t>(element_bytes(x.dtype));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  RETURN_IF_ERROR(indices.check(x.dim(axis)));
  const Slices slices{indices, x.dim(axis), inner_bytes, x.as<std::byte>(),
                      ctx.output(0).as_mutable<std::byte>()};
  const bool by_columns = indices.count() <= kFewIndices && outer > 1 && inner_bytes <= 16;
  const int64_t grain = std::max<int64_t>(1, 65536 / inner_bytes);
  with_copy(inner_bytes, [&](auto copy) {
    if (by_columns) {
      ctx.parallel_for(outer, grain / indices.count(), [&](int64_t begin, int64_t end) {
        gather_columns(slices, begin, end, copy);
      });
    } else {
      ctx.parallel_for(outer * indices.count(), grain, [&](int64_t begin, int64_t end) {
        gather_slices(slices, begin, end, copy);
      });
    }
  });
  return Status::ok();
}

// to[i] = from[i * stride + index[i] * along], where no index is below 0.
template <typename T, typename I>
void gather_row(const T* from, int64_t stride, const I* index, int64_t along, T* to, int64_t n) {
  if (along == 1 && stride == 0) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[index[i]];
  } else if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i + index[i] * along];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride + index[i] * along];
  }
}

// The same with indices that count from `size` where they are below 0.
template <typename T, typename I>
void gather_counted(const T* from, int64_t stride, const I* index, int64_t size, int64_t along,
                    T* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t counted = index[i] + (index[i] < 0 ? size : 0);
    to[i] = from[i * stride + counted * along];
  }
}

PlainRowsKernels::Range range_of(const PlainRowsKernels& plain, const int64_t* x, int64_t n) {
  return plain.range_i64(x, static_cast<size_t>(n));
}
PlainRowsKernels::Range range_of(const PlainRowsKernels& plain, const int32_t* x, int64_t n) {
  return plain.range_i32(x, static_cast<size_t>(n));
}

Status run_gather_elements(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  const int64_t given = ctx.params<GatherParams>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + x.rank : given);
  const IndexInput indices(ctx.input(1));
  const DimList strides = row_major_strides(x.dims());
  NdLoop<1> loop;
  for (size_t d = 0; d < y.rank; ++d) loop.append(y.dim(d), {d == axis ? 0 : strides[d]});
  loop.finish();
  const int64_t size = x.dim(axis), along = strides[axis], stride = loop.inner_stride(0);
  // Row by row, as an index is read again then from a near cache.
  std::atomic<bool> fit = true;
  const PlainRowsKernels& plain = plain_rows_kernels(ctx.isa());
  const auto gather = [&](auto tag, const auto* index) {
    using T = typename decltype(tag)::type;
    parallel_rows(ctx, loop, 4, [&](int64_t at, const auto& offsets, int64_t n) {
      const auto [least, most] = range_of(plain, index + at, n);
      if (least < -size || most >= size) return fit.store(false, std::memory_order_relaxed);
      const T* from = x.as<T>() + offsets[0];
      T* to = y.as_mutable<T>() + at;
      if (least < 0) return gather_counted(from, stride, index + at, size, along, to, n);
      gather_row(from, stride, index + at, along, to, n);
    });
  };
  with_chunk(element_bytes(x.dtype), [&](auto tag) {
    if (ctx.input(1).dtype == DType::kInt64) return gather(tag, ctx.input(1).as<int64_t>());
    return gather(tag, ctx.input(1).as<int32_t>());
  });
  return fit.load(std::memory_order_relaxed) ? Status::ok() : indices.check(size);
}

Status run_gather_nd(RunContext& ctx) {
  constexpr int64_t kTuplesAtOnce = 256;
  const ValueRef& x = ctx.input(0);
  const auto batch_dims = static_cast<size_t>(ctx.params<GatherParams>().axis);
  const IndexTuples tuples(x, batch_dims, ctx.input(1));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const auto bytes = static_cast<int64_t>(element_bytes(x.dtype));
  const int64_t slice_bytes = product(x.dims(), batch_dims + tuples.width, x.rank) * bytes;
  const int64_t per_batch = tuples.tuple_count / product(x.dims(), 0, batch_dims);
  const int64_t batch_bytes = product(x.dims(), batch_dims, x.rank) * bytes;
  const int64_t grain = std::max<int64_t>(1, 65536 / (slice_bytes + 16));
  std::atomic<bool> fit = true;
  ctx.parallel_for(tuples.tuple_count, grain, [&](int64_t begin, int64_t end) {
    int64_t offsets[kTuplesAtOnce];
    for (int64_t at = begin; at < end;) {
      const int64_t batch = at / per_batch;
      const int64_t stop = std::min({end, at + kTuplesAtOnce, (batch + 1) * per_batch});
      if (!tuples.offsets(at, stop, offsets)) return fit.store(false, std::memory_order_relaxed);
      const auto* from = x.as<std::byte>() + batch * batch_bytes;
      auto* to = ctx.output(0).as_mutable<std::byte>() + at * slice_bytes;
      with_copy(slice_bytes, [&](auto copy) {
        for (int64_t i = 0; i < stop - at; ++i)
          copy(to + i * slice_bytes, from + offsets[i] * bytes);
      });
      at = stop;
    }
  });
  return fit.load(std::memory_order_relaxed) ? Status::ok() : tuples.check();
}

}  // namespace

KernelTable gather_kernels() {
  static constexpr KernelRow rows[] = {
      {"Gather", "", 1, kLatestOpset, kByteTypes, "gather", 1, kShapeArithmetic, 0, prepare_gather,
       bind_gather, run_gather},
      {"GatherElements", "", 11, kLatestOpset, kByteTypes, "gather_elements", 1, kNoFlags, 0,
       prepare_gather, bind_gather_elements, run_gather_elements},
      {"GatherND", "", 11, kLatestOpset, kByteTypes, "gather_nd", 1, kNoFlags, 0, prepare_gather_nd,
       bind_gather_nd, run_gather_nd},
      {"Gather", "", 1, kLatestOpset, kStrings, "gather.string", 1, kNoFlags, 0, prepare_gather,
       bind_strings<bind_gather, 1>, run_strings<run_gather>},
      {"GatherElements", "", 11, kLatestOpset, kStrings, "gather_elements.string", 1, kNoFlags, 0,
       prepare_gather, bind_strings<bind_gather_elements, 1>, run_strings<run_gather_elements>},
      {"GatherND", "", 11, kLatestOpset, kStrings, "gather_nd.string", 1, kNoFlags, 0,
       prepare_gather_nd, bind_strings<bind_gather_nd, 1>, run_strings<run_gather_nd>},
      {"Gather", "", 1, kLatestOpset, kPackedTypes, "gather.packed", 1, kNoFlags, 0, prepare_gather,
       bind_packed<bind_gather>, run_packed<run_gather>},
      {"GatherElements", "", 11, kLatestOpset, kPackedTypes, "gather_elements.packed", 1, kNoFlags,
       0, prepare_gather, bind_packed<bind_gather_elements>, run_packed<run_gather_elements>},
      {"GatherND", "", 11, kLatestOpset, kPackedTypes, "gather_nd.packed", 1, kNoFlags, 0,
       prepare_gather_nd, bind_packed<bind_gather_nd>, run_packed<run_gather_nd>},
  };
  return rows;
}

}  // namespace ortc::cpu
