// SPDX-License-Identifier: MIT
// Packed weights that several sessions share: a session gives the tensors of its plans, and gets
// those that another one has given before when the bytes are equal. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/hash.h"

namespace ortc {

class PackedWeights {
 public:
  // Bytes equal to `fresh`: those held already, else `fresh`, which is held from now on. Equal
  // means compared; the hash only finds candidates.
  Blob share(Blob fresh);
  size_t count() const;
  uint64_t held_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::map<Hash128, std::vector<Blob>> blobs_;
};

}  // namespace ortc
