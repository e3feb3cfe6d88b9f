// SPDX-License-Identifier: MIT
// A first result whose files are on the disk and not in memory: drops them from the system's cache
// before the measurement, and says how far the system did so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/ortc/library/api.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/values/inputs.h"

namespace ortc::tool {

// The files of one model: itself, its external data and its context binaries.
class ColdStart {
 public:
  // Reads the files once, one after the other, to know what the disk takes for them; then drops
  // them. Nothing else in the system's cache is touched. Writes what is not written yet.
  explicit ColdStart(const std::string& model);

  // Beside the cold first result: what the disk alone took, and the same load and first run again,
  // now that the files are in memory.
  Json report(const OrtEnv* env, OrtSessionOptions* options, const std::vector<Input>& inputs,
              int64_t cold_ns) const;

 private:
  struct File {
    std::string path;
    uint64_t bytes = 0;
    uint64_t kept_bytes = 0;  // that the system did not drop
  };
  std::string model_;
  std::vector<File> files_;
  int64_t read_ns_ = 0;
};

std::string cold_text(const Json& report);

}  // namespace ortc::tool
