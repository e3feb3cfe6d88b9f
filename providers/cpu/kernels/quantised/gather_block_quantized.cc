// SPDX-License-Identifier: MIT
// GatherBlockQuantized of com.microsoft: Gather of numbers of 8, 4 or 2 bits that are floats again
// afterwards.
//
//   y = (data[..., index, ...] - zero_point) * scale
//
// Scale and zero point hold for block_size numbers along quantize_axis. uint8 holds 8 / bits
// numbers along the last axis, low bits first; its zero point is 2^(bits - 1) unless one is given,
// those are packed likewise. An index outside the axis gives zeros.
#include <algorithm>
#include <cstring>

#include "providers/cpu/arith/nbits/nbits.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/elements/small_integers.h"
#include "providers/cpu/products/nbits_product.h"

namespace ortc::cpu {
namespace {

using ScaleTypes = TypeList<float, Float16, Bfloat16>;
enum Input : size_t { kData, kIndices, kScales, kZeros };

struct BlockGatherParams {
  uint32_t record_bytes;
  uint32_t bits;  // of numbers in uint8
  int64_t gather_axis, quantize_axis, block_size;
};
static_assert(sizeof(BlockGatherParams) == 32);

// Rows of constant numbers of 4 or 8 bits with float32 scales are packed as weights of MatMulNBits
// are: the embedding of a model whose head has the same numbers is stored with it, once.
struct PackedGatherParams {
  BlockGatherParams params;
  int64_t k, n;       // numbers of a row; rows
  uint64_t has_half;  // scales are packed as float16
};
static_assert(sizeof(PackedGatherParams) == 56);

bool is_packed(const BlockGatherParams& params) {
  return params.record_bytes == sizeof(PackedGatherParams);
}

bool is_power_of_two(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

// --- Prepare.

NBitsShape shape_of(const PackedGatherParams& p) {
  return {static_cast<size_t>(p.k),
          static_cast<size_t>(p.n),
          static_cast<size_t>(p.params.block_size),
          false,
          p.params.bits,
          p.has_half != 0};
}

// Bytes of the packed rows, which are whole blocks; nothing when they are impossible.
std::optional<int64_t> packed_bytes(const PackedGatherParams& p) {
  const bool is_possible = can_pack_nbits(p.k, p.n, p.params.block_size, p.params.bits) &&
                           p.k % p.params.block_size == 0;
  return is_possible ? nbits_packed_bytes(shape_of(p)) : std::nullopt;
}

// True when it has packed the rows.
Result<bool> pack_rows(PrepareContext& ctx, const BlockGatherParams& params) {
  const Tensor *data = ctx.constant(kData), *scales = ctx.constant(kScales);
  if (data == nullptr || scales == nullptr || ctx.has_input(kZeros) || params.bits == 2 ||
      data->dtype() != DType::kUint8 || scales->dtype() != DType::kFloat32 ||
      data->dims().size() != 2 || scales->dims().size() != 2 || params.gather_axis != 0 ||
      params.quantize_axis != 1) {
    return false;
  }
  const auto numbers = scales->elements<float>();
  PackedGatherParams packed{params, data->dims()[1] * (8 / params.bits), data->dims()[0],
                            nbits_fit_half(numbers.data(), numbers.size()) ? 1u : 0u};
  packed.params.record_bytes = sizeof packed;
  const auto size = packed_bytes(packed);
  if (!size || scales->dims()[0] != packed.n || scales->dims()[1] != packed.k / params.block_size) {
    return false;
  }
  ASSIGN_OR_RETURN(Tensor rows, Tensor::create(DType::kUint8, {*size}));
  nbits_pack(shape_of(packed), data->elements<uint8_t>().data(), numbers.data(), nullptr,
             static_cast<std::byte*>(rows.mutable_data()));
  ctx.replace_input(kData, std::move(rows), nbits_layout(shape_of(packed)));
  ctx.replace_input(kScales, Tensor::from<float>({1}, std::vector<float>{1.0f}), Layout::kRowMajor);
  ctx.set_params(packed);
  return true;
}

Status prepare_block_gather(PrepareContext& ctx) {
  const Node& node = ctx.node();
  BlockGatherParams params{sizeof(BlockGatherParams), 0, node.int_attribute("gather_axis", 0),
                           node.int_attribute("quantize_axis", 1),
                           node.int_attribute("block_size", 128)};
  const int64_t bits = node.int_attribute("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8) {
    return invalid_graph("attribute 'bits' is ", bits, ", expected 2, 4 or 8");
  }
  if (params.block_size < 16 || !is_power_of_two(params.block_size)) {
    return invalid_graph("attribute 'block_size' is ", params.block_size,
                         ", expected a power of two from 16");
  }
  params.bits = static_cast<uint32_t>(bits);
  ASSIGN_OR_RETURN(const bool has_packed, pack_rows(ctx, params));
  if (!has_packed) ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct BlockGather {
  DimList dims;      // of the numbers
  size_t axis;       // that is gathered
  DType numbers;     // uint2, uint4, int4 or uint8
  int64_t size;      // of the axis
  int64_t inner;     // numbers behind it
  int64_t length;    // of the quantised axis
  int64_t stride;    // numbers behind that
  int64_t blocks;    // along it
  int64_t last;      // of the scales' last dim
  int64_t zero_row;  // bytes of a row of zero points in uint8
};

Status refuse(std::string_view name, const ValueRef& found) {
  return invalid_argument(name, " has shape ", dims_to_string(found.dims()),
                          ", which does not fit");
}

// The type of the numbers that are in `data`.
DType numbers_in(DType data, uint32_t bits) {
  if (data != DType::kUint8 || bits == 8) return data;
  return bits == 4 ? DType::kUint4 : DType::kUint2;
}

template <typename Context>
Result<BlockGather> block_gather(const Context& ctx, const BlockGatherParams& params) {
  const ValueRef &data = ctx.input(kData), &scales = ctx.input(kScales);
  if (data.rank == 0) return refuse("data", data);
  BlockGather g{};
  g.dims = DimList(data.dims());
  g.numbers = numbers_in(data.dtype, params.bits);
  const size_t last = data.rank - 1;
  if (data.dtype == DType::kUint8) {
    const auto wide = checked_mul(data.dim(last), int64_t{8} / params.bits);
    if (!wide) return refuse("data", data);
    g.dims[last] = *wide;
  }
  ASSIGN_OR_RETURN(g.axis, checked_axis(params.gather_axis, data.rank));
  ASSIGN_OR_RETURN(const size_t quantised, checked_axis(params.quantize_axis, data.rank));
  if (data.dtype == DType::kUint8 && g.axis != 0) {
    return not_implemented("uint8 data that are gathered along axis ", g.axis);
  }
  if (!checked_element_count(g.dims)) return refuse("data", data);
  g.size = g.dims[g.axis];
  g.inner = product(g.dims, g.axis + 1, data.rank);
  g.length = g.dims[quantised];
  g.stride = product(g.dims, quantised + 1, data.rank);
  g.blocks = g.length / params.block_size + (g.length % params.block_size != 0 ? 1 : 0);
  DimList expected = g.dims;
  expected[quantised] = g.blocks;
  g.last = expected[last];
  if (!std::ranges::equal(scales.dims(), expected.span())) return refuse("scales", scales);
  if (!ctx.has_input(kZeros)) return g;
  if (data.dtype == DType::kUint8) {
    const int64_t each = 8 / params.bits;
    g.zero_row = expected[last] = expected[last] / each + (expected[last] % each != 0 ? 1 : 0);
  }
  if (!std::ranges::equal(ctx.input(kZeros).dims(), expected.span())) {
    return refuse("zero_points", ctx.input(kZeros));
  }
  return g;
}

Status bind_packed_gather(BindContext& ctx, const PackedGatherParams& params) {
  RETURN_IF_ERROR(check_arity(ctx, 3, 4));
  if (ctx.has_input(kZeros)) return invalid_graph("packed rows have no zero points");
  RETURN_IF_ERROR(check_type(ctx, kIndices, mask_of(DType::kInt32, DType::kInt64)));
  const ValueRef &data = ctx.input(kData), &indices = ctx.input(kIndices);
  const auto size = packed_bytes(params);
  if (!size || data.dtype != DType::kUint8 || data.rank != 1 || data.dim(0) != *size) {
    return invalid_graph("packed input 0 is ", dtype_name(data.dtype), dims_to_string(data.dims()),
                         ", the record needs uint8[", size.value_or(-1), "]");
  }
  if (indices.rank + 1u > kMaxRank) return refuse("indices", indices);
  DimList y(indices.dims());
  y.push_back(params.k);
  return ctx.set_output(0, DType::kFloat32, y);
}

Status bind_block_gather(BindContext& ctx) {
  const auto* params = ctx.params<BlockGatherParams>();
  if (params == nullptr) return ctx.bad_params();
  if (is_packed(*params)) {
    const auto* packed = ctx.params<PackedGatherParams>();
    return packed != nullptr ? bind_packed_gather(ctx, *packed) : ctx.bad_params();
  }
  const bool has_bits = params->bits == 2 || params->bits == 4 || params->bits == 8;
  if (!has_bits || params->block_size < 1) {
    return damaged_params("blocks of ", params->block_size, " numbers of ", params->bits, " bits");
  }
  RETURN_IF_ERROR(check_arity(ctx, 3, 4));
  RETURN_IF_ERROR(check_type(ctx, kData, mask_of(DType::kUint8, DType::kUint4, DType::kInt4)));
  RETURN_IF_ERROR(check_type(ctx, kIndices, mask_of(DType::kInt32, DType::kInt64)));
  RETURN_IF_ERROR(check_type(ctx, kScales, ScaleTypes::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, kZeros, kData));
  ASSIGN_OR_RETURN(const BlockGather g, block_gather(ctx, *params));
  const ValueRef& indices = ctx.input(kIndices);
  if (indices.rank + g.dims.size() - 1 > kMaxRank) return refuse("indices", indices);
  DimList y;
  for (size_t d = 0; d < g.axis; ++d) y.push_back(g.dims[d]);
  for (const int64_t dim : indices.dims()) y.push_back(dim);
  for (size_t d = g.axis + 1; d < g.dims.size(); ++d) y.push_back(g.dims[d]);
  return ctx.set_output(0, ctx.input(kScales).dtype, y);
}

// --- Run.

int32_t zero_of(const RunContext& ctx, const BlockGather& g, int64_t scale) {
  const bool is_byte = ctx.input(kData).dtype == DType::kUint8;
  if (!ctx.has_input(kZeros)) return is_byte ? 1 << (dtype_bits(g.numbers) - 1) : 0;
  const ValueRef& zeros = ctx.input(kZeros);
  if (!is_byte) return integer_at(g.numbers, zeros.data, scale);
  const auto* row = zeros.as<uint8_t>() + scale / g.last * g.zero_row;
  return integer_at(g.numbers, row, scale % g.last);
}

float scale_at(const ValueRef& scales, int64_t i) {
  float scale = 0;
  with_type(ScaleTypes{}, scales.dtype, [&](auto tag) {
    scale = static_cast<float>(scales.as<typename decltype(tag)::type>()[i]);
  });
  return scale;
}

// n numbers from number `at` on, less `zero`, times `scale`.
[[gnu::noinline]] void decode_run(DType type, const void* data, int64_t at, int64_t n, int32_t zero,
                                  float scale, float* y) {
  const auto value = [=](int32_t number) { return static_cast<float>(number - zero) * scale; };
  const auto* bytes = static_cast<const uint8_t*>(data);
  int64_t i = 0;
  if (type == DType::kUint8) {
    for (; i < n; ++i) y[i] = value(bytes[at + i]);
  } else if (dtype_bits(type) == 4) {
    const int32_t sign = type == DType::kInt4 ? 8 : 0;  // (x ^ 8) - 8 brings it to the front
    if (at % 2 != 0 && n > 0) y[i++] = value(integer_at(type, data, at));
    const uint8_t* pairs = bytes + (at + i) / 2;
    for (; i + 2 <= n; i += 2) {
      const int32_t both = *pairs++;
      y[i] = value(((both & 15) ^ sign) - sign);
      y[i + 1] = value(((both >> 4) ^ sign) - sign);
    }
  }
  for (; i < n; ++i) y[i] = value(integer_at(type, data, at + i));
}

// So many numbers from `first` on, as floats; those of a block have one scale when it lies along
// the last axis.
void gather_floats(const RunContext& ctx, const BlockGatherParams& params, const BlockGather& g,
                   int64_t first, int64_t count, float* y) {
  for (int64_t j = 0, n = 1; j < count; j += n) {
    const int64_t at = first + j, along = at / g.stride % g.length;
    const int64_t block = along / params.block_size;
    const int64_t place = (at / g.stride / g.length * g.blocks + block) * g.stride + at % g.stride;
    if (g.stride == 1) {
      const int64_t end = std::min(g.length, (block + 1) * params.block_size);
      n = std::min(count - j, end - along);
    }
    decode_run(g.numbers, ctx.input(kData).data, at, n, zero_of(ctx, g, place),
               scale_at(ctx.input(kScales), place), y + j);
  }
}

template <typename T>
void gather_row(const RunContext& ctx, const BlockGatherParams& params, const BlockGather& g,
                int64_t first, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    gather_floats(ctx, params, g, first, g.inner, y);
  } else {
    float row[kFloatRow];
    for (int64_t j = 0; j < g.inner; j += kFloatRow) {
      const int64_t n = std::min(kFloatRow, g.inner - j);
      gather_floats(ctx, params, g, first + j, n, row);
      narrow(row, n, y + j);
    }
  }
}

// Row n of the panels (nbits.h has their form).
void gather_packed_row(const NBitsShape& shape, const std::byte* panels, size_t n, float* y) {
  const size_t column = n % kNBitsColumns;
  const std::byte* block = panels + n / kNBitsColumns * shape.panel_bytes();
  for (size_t b = 0; b < shape.blocks(); ++b, block += shape.block_bytes()) {
    float scale = 0;
    if (shape.has_half) {
      Float16 half;
      std::memcpy(&half, block + column * 2, 2);
      scale = static_cast<float>(half);
    } else {
      std::memcpy(&scale, block + column * 4, 4);
    }
    const std::byte* words = block + shape.header_bytes() + column * 4;
    for (size_t k = 0; k < shape.block; k += 32 / shape.bits, words += 64) {
      for (size_t i = 0; i < 4; ++i) {
        const int32_t both = std::to_integer<int32_t>(words[i]);
        if (shape.bits == 8) {
          y[k + i] = static_cast<float>(both - 128) * scale;
          continue;
        }
        y[k + i] = static_cast<float>((both & 15) - 8) * scale;
        y[k + 4 + i] = static_cast<float>((both >> 4) - 8) * scale;
      }
    }
    y += shape.block;
  }
}

Status run_packed_gather(RunContext& ctx, const PackedGatherParams& params) {
  const ValueRef& indices = ctx.input(kIndices);
  const NBitsShape shape = shape_of(params);
  const int64_t grain = std::max<int64_t>(1, kElementGrain / 4 / params.k);
  ctx.parallel_for(indices.element_count(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t index =
          indices.dtype == DType::kInt64 ? indices.as<int64_t>()[i] : indices.as<int32_t>()[i];
      if (index < 0) index += params.n;
      float* y = ctx.output(0).as_mutable<float>() + i * params.k;
      if (index < 0 || index >= params.n) {
        std::fill_n(y, params.k, 0.0f);
      } else {
        gather_packed_row(shape, ctx.input(kData).as<std::byte>(), static_cast<size_t>(index), y);
      }
    }
  });
  return Status::ok();
}

Status run_block_gather(RunContext& ctx) {
  if (is_packed(ctx.params<BlockGatherParams>())) {
    return run_packed_gather(ctx, ctx.params<PackedGatherParams>());
  }
  const auto& params = ctx.params<BlockGatherParams>();
  ASSIGN_OR_RETURN(const BlockGather g, block_gather(ctx, params));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const ValueRef& indices = ctx.input(kIndices);
  const int64_t count = indices.element_count(), outer = product(g.dims, 0, g.axis);
  const int64_t grain = std::max<int64_t>(1, kElementGrain / 4 / g.inner);
  with_type(ScaleTypes{}, ctx.input(kScales).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(outer * count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t index = indices.dtype == DType::kInt64 ? indices.as<int64_t>()[i % count]
                                                       : indices.as<int32_t>()[i % count];
        if (index < 0) index += g.size;
        T* y = ctx.output(0).as_mutable<T>() + i * g.inner;
        if (index < 0 || index >= g.size) {
          std::fill_n(y, g.inner, static_cast<T>(0.0f));
        } else {
          gather_row<T>(ctx, params, g, (i / count * g.size + index) * g.inner, y);
        }
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable gather_block_quantized_kernels() {
  static constexpr KernelRow rows[] = {
      {"GatherBlockQuantized", "com.microsoft", 1, kLatestOpset, ScaleTypes::kMask,
       "gather_block_quantized", 1, kNoFlags, 0, prepare_block_gather, bind_block_gather,
       run_block_gather, kScales},
  };
  return rows;
}

}  // namespace ortc::cpu
