// SPDX-License-Identifier: MIT
// Initializers of a written model that go to a file of their own.
#pragma once

#include <map>
#include <string>

#include "core/base/hash.h"
#include "core/graph/export.h"
#include "core/platform/staged_write.h"

namespace ortc {

// Chooses the initializers of `size >= threshold` bytes and gives them places in `file_name`: 4
// KiB-aligned from 64 KiB on, 64 B-aligned below. Strings and sparse tensors stay in the model.
class ExternalInitializers {
 public:
  ExternalInitializers(std::string file_name, uint64_t threshold)
      : file_name_(std::move(file_name)), threshold_(threshold) {}

  void collect(const Graph& graph);
  bool is_empty() const { return items_.empty(); }
  Status write_to(StagedFile& file) const;
  void add_to(Hasher& hasher) const;  // everything that write_to() writes
  uint64_t file_size() const { return size_; }
  // For ExportOptions::place_initializer; without a file everything stays inside.
  Result<std::optional<ExternalLocation>> place(const Value& value) const;

 private:
  std::string file_name_;
  uint64_t threshold_;
  uint64_t size_ = 0;
  std::vector<std::pair<const Constant*, uint64_t>> items_;  // with offsets
  std::map<const Constant*, ExternalLocation> places_;
};

}  // namespace ortc
