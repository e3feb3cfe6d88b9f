// SPDX-License-Identifier: MIT
// Transpose of any rank, by element size.
//
//   y[i0, ..., in] = x[i_perm^-1(0), ..., i_perm^-1(n)]
//
// Neighbouring axes that stay together are merged first. If the innermost axis stays where it is,
// rows are copied (short ones as one larger element); else the two axes that are innermost in x and
// in y span squares that are turned in L1, all other axes count those squares.
#include <algorithm>

#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// What is turned together. Rows are read for some lines of the cache; as many of them as the nearer
// caches hold with what is written. Small elements take long to fill a line that is written: then
// it is better to stay there.
struct Block {
  int64_t rows, columns;
  Block(int64_t bytes, bool is_pixels)
      : rows(is_pixels   ? 2048
             : bytes < 4 ? 256
                         : 64),
        columns(is_pixels   ? 2048
                : bytes < 4 ? 32
                            : 256) {}
};
constexpr int64_t kPixelChannels = 4;  // so few of either are taken apart or put together

// --- Prepare.

struct TransposeParams {
  uint32_t record_bytes;
  uint32_t rank;  // 0: all axes reversed
  uint8_t perm[kMaxRank];
};
static_assert(sizeof(TransposeParams) == 72);

Status prepare_transpose(PrepareContext& ctx) {
  TransposeParams params{};
  params.record_bytes = sizeof params;
  const auto perm = ctx.node().ints_attribute("perm");
  if (perm.size() > kMaxRank) {
    return not_implemented("perm of ", perm.size(), " axes, at most ", kMaxRank, " can be handled");
  }
  for (const int64_t axis : perm) {
    if (axis < 0 || axis >= static_cast<int64_t>(perm.size())) {
      return invalid_graph("perm holds ", axis, ", which is outside its ", perm.size(), " axes");
    }
    params.perm[params.rank++] = static_cast<uint8_t>(axis);
  }
  ctx.set_params(params);
  return Status::ok();
}

size_t source_axis(const TransposeParams& params, size_t axis, size_t rank) {
  return params.rank == 0 ? rank - 1 - axis : params.perm[axis];
}

// --- Bind.

Status bind_transpose(BindContext& ctx) {
  const auto* params = ctx.params<TransposeParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  const ValueRef& x = ctx.input(0);
  if (params->rank != 0 && params->rank != x.rank) {
    return invalid_argument("the input has shape ", dims_to_string(x.dims()), " of rank ", x.rank,
                            ", expected rank ", params->rank);
  }
  DimList dims;
  bool seen[kMaxRank] = {};
  for (size_t i = 0; i < x.rank; ++i) {
    const size_t from = source_axis(*params, i, x.rank);
    if (from >= x.rank || seen[from]) return invalid_graph("perm is not a permutation");
    seen[from] = true;
    dims.push_back(x.dim(from));
  }
  return ctx.set_output(0, x.dtype, dims);
}

// --- Run.

// The loop over y with the strides of x, in elements.
NdLoop<1> transpose_loop(const TransposeParams& params, const ValueRef& x) {
  const DimList strides = row_major_strides(x.dims());
  NdLoop<1> loop;
  for (size_t i = 0; i < x.rank; ++i) {
    const size_t from = source_axis(params, i, x.rank);
    loop.append(x.dim(from), {strides[from]});
  }
  loop.finish();
  return loop;
}

// Rows of 2, 4, 8 or 16 bytes become one element.
void merge_short_rows(NdLoop<1>* loop, size_t* bytes) {
  const int64_t n = loop->inner_size();
  const auto merged = static_cast<uint64_t>(n) * *bytes;
  if (loop->rank == 1 || loop->inner_stride(0) != 1 || merged > 16 || (merged & (merged - 1))) {
    return;
  }
  for (size_t d = 0; d + 1 < loop->rank; ++d) loop->strides[0][d] /= n;
  --loop->rank;
  loop->count /= n;
  *bytes = static_cast<size_t>(merged);
}

// Axis `inner` (innermost in y) and axis `across` (stride 1 in x) turned block by block.
void run_turned(const RunContext& ctx, const NdLoop<1>& loop, size_t across, TurnKernels::Turn turn,
                int64_t bytes, const std::byte* x, std::byte* y) {
  const size_t inner = loop.rank - 1;
  const int64_t rows = loop.dims[inner], columns = loop.dims[across];
  const int64_t from_ld = loop.strides[0][inner];
  const int64_t to_ld = product({loop.dims.data(), loop.rank}, across + 1, loop.rank);
  const Block block(bytes, std::min(rows, columns) <= kPixelChannels);
  const int64_t down = (rows + block.rows - 1) / block.rows;
  const int64_t wide = (columns + block.columns - 1) / block.columns;
  const int64_t blocks = wide * down;
  // Threads divide the longer axis, which most often is an image's pixels: then each finds in its
  // cache what it wrote as pixels, and leaves there what it will read so.
  const bool goes_down = rows > columns;
  const int64_t others = loop.count / rows / columns;
  const int64_t size = std::min(rows, block.rows) * std::min(columns, block.columns);
  ctx.parallel_for(
      others * blocks, std::max<int64_t>(1, kElementGrain / size), [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; ++unit) {
          int64_t rest = unit / blocks;
          int64_t from = 0, to = 0, to_stride = 1;
          for (size_t d = loop.rank; d-- > 0; to_stride *= loop.dims[d]) {
            if (d == inner || d == across) continue;
            from += rest % loop.dims[d] * loop.strides[0][d];
            to += rest % loop.dims[d] * to_stride;
            rest /= loop.dims[d];
          }
          const int64_t at = unit % blocks;
          const int64_t i = (goes_down ? at / wide : at % down) * block.rows;
          const int64_t j = (goes_down ? at % wide : at / down) * block.columns;
          from += i * from_ld + j;
          to += j * to_ld + i;
          turn(x + from * bytes, static_cast<size_t>(from_ld), y + to * bytes,
               static_cast<size_t>(to_ld), static_cast<size_t>(std::min(block.rows, rows - i)),
               static_cast<size_t>(std::min(block.columns, columns - j)));
        }
      });
}

Status run_transpose(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  size_t bytes = element_bytes(x.dtype);
  NdLoop<1> loop = transpose_loop(ctx.params<TransposeParams>(), x);
  if (loop.count == 0) return Status::ok();
  merge_short_rows(&loop, &bytes);
  size_t across = 0;
  while (across + 1 < loop.rank && loop.strides[0][across] != 1) ++across;
  if (across + 1 == loop.rank) {
    copy_strided(ctx, loop, bytes, x.data, y.data);
    return Status::ok();
  }
  run_turned(ctx, loop, across, turn_of(ctx.isa(), bytes), static_cast<int64_t>(bytes),
             x.as<std::byte>(), y.as_mutable<std::byte>());
  return Status::ok();
}

}  // namespace

KernelTable transpose_kernels() {
  static constexpr KernelRow rows[] = {
      {"Transpose", "", 1, kLatestOpset, kByteTypes, "transpose", 1, kNoFlags, 0, prepare_transpose,
       bind_transpose, run_transpose},
      {"Transpose", "", 1, kLatestOpset, kStrings, "transpose.string", 1, kNoFlags, 0,
       prepare_transpose, bind_strings<bind_transpose, 1>, run_strings<run_transpose>},
      {"Transpose", "", 1, kLatestOpset, kPackedTypes, "transpose.packed", 1, kNoFlags, 0,
       prepare_transpose, bind_packed<bind_transpose>, run_packed<run_transpose>},
  };
  return rows;
}

}  // namespace ortc::cpu
