// SPDX-License-Identifier: MIT
// MurmurHash3 (com.microsoft): 32 bits for each text or number, by the published algorithm
// MurmurHash3_x86_32 over its bytes.
#include <bit>
#include <cstring>
#include <string>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kHashed = mask_of(DType::kUint32, DType::kInt32, DType::kUint64, DType::kInt64,
                                     DType::kFloat32, DType::kFloat64, DType::kString);

struct HashParams {
  uint32_t record_bytes;
  uint32_t seed;
  uint32_t is_signed;
  uint32_t reserved;
};
static_assert(sizeof(HashParams) == 16);

// --- Arithmetic.

uint32_t scrambled(uint32_t block) { return std::rotl(block * 0xcc9e2d51u, 15) * 0x1b873593u; }

uint32_t murmur_hash(std::string_view bytes, uint32_t seed) {
  uint32_t hash = seed;
  size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    uint32_t block;
    std::memcpy(&block, bytes.data() + at, 4);
    hash = std::rotl(hash ^ scrambled(block), 13) * 5 + 0xe6546b64u;
  }
  uint32_t rest = 0;
  for (size_t i = bytes.size(); i > at; --i) {
    rest = rest << 8 | static_cast<uint8_t>(bytes[i - 1]);
  }
  if (at < bytes.size()) hash ^= scrambled(rest);
  hash ^= static_cast<uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  return hash ^ hash >> 16;
}

// --- Prepare, bind, run.

Status prepare_hash(PrepareContext& ctx) {
  const Node& node = ctx.node();
  const bool is_signed = node.int_attribute("positive", 1) == 0;
  ctx.set_params(HashParams{sizeof(HashParams),
                            static_cast<uint32_t>(node.int_attribute("seed", 0)),
                            is_signed ? 1u : 0u, 0});
  return Status::ok();
}

Status bind_hash(BindContext& ctx) {
  const auto* params = ctx.params<HashParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kHashed));
  return ctx.set_output(0, params->is_signed != 0 ? DType::kInt32 : DType::kUint32,
                        ctx.input(0).dims());
}

Status run_hash(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const uint32_t seed = ctx.params<HashParams>().seed;
  auto* y = ctx.output(0).as_mutable<uint32_t>();  // int32 has the same bits
  const bool is_text = x.dtype == DType::kString;
  const size_t size = is_text ? 0 : element_bytes(x.dtype);
  for (int64_t i = 0; i < x.element_count(); ++i) {
    y[i] =
        murmur_hash(is_text ? std::string_view(x.as<std::string>()[i])
                            : std::string_view(x.as<char>() + static_cast<size_t>(i) * size, size),
                    seed);
  }
  return Status::ok();
}

}  // namespace

KernelTable murmur_hash_kernels() {
  static constexpr KernelRow rows[] = {
      {"MurmurHash3", kMicrosoftDomain, 1, kLatestOpset, kHashed, "murmur_hash3", 1, kNoFlags, 0,
       prepare_hash, bind_hash, run_hash},
  };
  return rows;
}

}  // namespace ortc::cpu
