// SPDX-License-Identifier: MIT
// Tensors that stand in external files as zstd frames. A frame is decoded once for each import,
// however many refer to it, so that a file cannot ask for more memory than its frames hold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/platform/threads.h"
#include "core/platform/work.h"

namespace ortc {

// What external_data says, checked for form only.
struct ExternalReference {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;  // none: as many bytes as the tensor takes
  bool is_zstd = false;            // the bytes are one zstd frame
};

class ExternalFrames {
 public:
  // One that was decoded already; an empty blob when there is none.
  Blob find(const ExternalReference& reference, uint64_t size) const;
  void keep(const ExternalReference& reference, const Blob& decoded);

  // What tells frames apart.
  using Place = std::tuple<std::string, uint64_t, uint64_t, uint64_t>;
  static Place place_of(const ExternalReference& reference, uint64_t size);

 private:
  std::map<Place, Blob> decoded_;
};

// Memory of its own with exactly `size` bytes. INVALID_GRAPH, before memory is taken, when the
// frame says that it holds another number.
Result<Blob> decode_external_frame(Bytes frame, uint64_t size);

// A frame that is going to be needed, with the size of its tensor.
struct NeededFrame {
  ExternalReference reference;
  uint64_t size = 0;
};

class ExternalFiles;
// Decodes several at once, for read_external_data() to find. What is wrong with one is left for it
// to tell; only those who watch `work` can make this fail.
Status decode_ahead(ExternalFiles& files, std::span<const NeededFrame> frames, ThreadPool* pool,
                    Work& work);

}  // namespace ortc
