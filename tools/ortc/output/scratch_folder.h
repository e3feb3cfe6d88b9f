// SPDX-License-Identifier: MIT
// A folder of its own, which goes with all that is in it, also when a signal ends the process.
#pragma once

#include <string>

#include "tools/ortc/signals.h"

namespace ortc::tool {

class ScratchFolder {
 public:
  // In the folder for temporary files.
  ScratchFolder() : ScratchFolder("") {}
  explicit ScratchFolder(const std::string& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  void remove() const;

  std::string path_;
  const CleanScope scope_;
};

}  // namespace ortc::tool
