// SPDX-License-Identifier: MIT
// Frames in external files: see the header.
#include "core/proto/external_frames.h"

#include <numeric>
#include <set>
#include <vector>

#include "core/base/tensor.h"
#include "core/platform/parallel_work.h"
#include "core/platform/zstd.h"
#include "core/proto/external_data.h"

namespace ortc {
namespace {

// A zstd block of four bytes gives at most 128 KiB. For frames that do not say what they hold.
constexpr uint64_t kExpansionMax = 32 * 1024;

}  // namespace

ExternalFrames::Place ExternalFrames::place_of(const ExternalReference& reference, uint64_t size) {
  return {reference.location, reference.offset, reference.length.value_or(0), size};
}

Blob ExternalFrames::find(const ExternalReference& reference, uint64_t size) const {
  const auto known = decoded_.find(place_of(reference, size));
  return known != decoded_.end() ? known->second : Blob();
}

void ExternalFrames::keep(const ExternalReference& reference, const Blob& decoded) {
  decoded_.emplace(place_of(reference, decoded.size()), decoded);
}

Result<Blob> decode_external_frame(Bytes frame, uint64_t size) {
  RETURN_IF_ERROR(zstd_check_size(frame, size));
  if (size / kExpansionMax > frame.size()) {
    return invalid_graph("zstd: a frame of ", frame.size(), " bytes cannot hold ", size);
  }
  ASSIGN_OR_RETURN(Tensor bytes, Tensor::create(DType::kUint8, {static_cast<int64_t>(size)}));
  RETURN_IF_ERROR(zstd_decompress(frame, {static_cast<std::byte*>(bytes.mutable_data()), size}));
  return Blob(bytes.bytes(), bytes.owner());
}

Status decode_ahead(ExternalFiles& files, std::span<const NeededFrame> frames, ThreadPool* pool,
                    Work& work) {
  std::vector<const NeededFrame*> needed;
  std::vector<Blob> stored, decoded;
  std::vector<uint64_t> units;
  std::set<ExternalFrames::Place> places;
  for (const NeededFrame& frame : frames) {
    if (!places.insert(ExternalFrames::place_of(frame.reference, frame.size)).second) continue;
    auto bytes = stored_external_data(files, frame.reference, frame.size);
    if (!bytes.is_ok()) continue;
    needed.push_back(&frame);
    stored.push_back(std::move(bytes).value());
    units.push_back(frame.size);
  }
  decoded.resize(needed.size());
  work.expect(std::accumulate(units.begin(), units.end(), uint64_t{0}));
  RETURN_IF_ERROR(run_pieces(pool, work, units, [&](size_t i) {
    auto bytes = decode_external_frame(stored[i].bytes(), needed[i]->size);
    if (bytes.is_ok()) decoded[i] = std::move(bytes).value();
    return Status::ok();
  }));
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!decoded[i].empty()) files.frames().keep(needed[i]->reference, decoded[i]);
  }
  return Status::ok();
}

}  // namespace ortc
