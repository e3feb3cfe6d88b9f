// SPDX-License-Identifier: MIT
// Initializers in one block of memory: see the header.
#include "core/api/model/initializers_buffer.h"

#include <cstring>
#include <utility>

#include "core/api/env/allocator.h"
#include "core/api/env/ort_allocators.h"
#include "core/base/checked_math.h"
#include "core/context/external_initializers.h"

namespace ortc::api {

InitializersCollector::~InitializersCollector() {
  if (block_ != nullptr) deallocate(*target_.allocator, block_);
}

InitializerPlaces InitializersCollector::places() {
  InitializerPlaces places;
  places.choose = [this](const std::string&, const Tensor& value, const ExternalLocation*) {
    return choose(value);
  };
  places.all_chosen = [this] { return fill(); };
  return places;
}

Result<std::optional<ExternalLocation>> InitializersCollector::choose(const Tensor& value) {
  const uint64_t bytes = value.byte_size();
  if (value.dtype() == DType::kString || bytes == 0 || bytes < target_.threshold) {
    return std::optional<ExternalLocation>();
  }
  const auto offset = checked_align_up(size_, offset_alignment(alignment_, bytes));
  const auto end = offset ? checked_add<uint64_t>(*offset, bytes) : std::nullopt;
  if (!end) return fail("the external initializers would pass 2^64 bytes");
  pieces_.push_back({value, *offset});
  size_ = *end;
  return std::optional(ExternalLocation{target_.file_name, *offset, bytes});
}

Status InitializersCollector::fill() {
  if (pieces_.empty()) return Status::ok();
  ASSIGN_OR_RETURN(block_, allocate(*target_.allocator, size_));
  auto* const to = static_cast<std::byte*>(block_);
  uint64_t at = 0;
  for (const Piece& piece : pieces_) {
    std::memset(to + at, 0, piece.offset - at);
    const Bytes bytes = piece.value.bytes();
    std::memcpy(to + piece.offset, bytes.data(), bytes.size());
    at = piece.offset + bytes.size();
  }
  pieces_.clear();
  return Status::ok();
}

void InitializersCollector::hand_over() {
  *target_.size = block_ != nullptr ? size_ : 0;
  *target_.block = std::exchange(block_, nullptr);
}

}  // namespace ortc::api
