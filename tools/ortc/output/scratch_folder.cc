// SPDX-License-Identifier: MIT
// Folders for a while: see the header.

#include "tools/ortc/output/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace ortc::tool {
namespace {

namespace fs = std::filesystem;

std::string make_folder(const std::string& parent) {
  std::error_code error;
  const fs::path place = parent.empty() ? fs::temp_directory_path(error) : fs::path(parent);
  std::string path = (place / ".ortc-XXXXXX").string();
  if (!error && mkdtemp(path.data()) != nullptr) return path;
  const std::string why = error ? error.message() : std::strerror(errno);
  throw failure("no folder could be made in '" + place.string() + "': " + why +
                (parent.empty() ? "; TMPDIR says where" : ""));
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& parent)
    : path_(make_folder(parent)), scope_([this] { remove(); }) {}

ScratchFolder::~ScratchFolder() { remove(); }

// Threads that a signal did not stop may write on: what they added is removed again. Without the
// folder they can add nothing.
void ScratchFolder::remove() const {
  constexpr int kTries = 100;
  std::error_code error;
  for (int i = 0; i < kTries; i++) {
    fs::remove_all(path_, error);
    if (!error) return;
  }
}

}  // namespace ortc::tool
