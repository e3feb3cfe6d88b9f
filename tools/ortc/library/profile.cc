// SPDX-License-Identifier: MIT
// A profile is renamed, and only copied into what cannot be replaced.

#include "tools/ortc/library/profile.h"

#include <array>
#include <filesystem>
#include <fstream>

#include "tools/ortc/output/staged_file.h"

namespace ortc::tool {
namespace {

namespace fs = std::filesystem;

void copy_into(const std::string& target, const std::string& profile) {
  StagedFile file(target);
  std::ifstream stream(profile, std::ios::binary);
  std::array<char, 1 << 16> buffer;
  do {
    stream.read(buffer.data(), buffer.size());
    file.write(buffer.data(), static_cast<size_t>(stream.gcount()));
  } while (stream);
  file.finish();
}

}  // namespace

std::string end_profile(OrtSession* session) {
  OrtAllocator* allocator = nullptr;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  char* name = nullptr;
  check(OrtSessionEndProfiling(session, allocator, &name));
  return take_text(name);
}

ProfileFile::ProfileFile(SessionArguments& arguments) : path_(arguments.profile) {
  if (path_.empty()) return;
  std::error_code error;
  if (fs::is_directory(path_, error)) throw not_written(path_, "it is a folder");
  try {
    folder_.emplace(is_written_into(path_) ? "" : folder_of(behind_links(path_)));
  } catch (const ToolError& why) {
    throw not_written(path_, why.what());
  }
  arguments.profile = folder_->path() + "/profile";
}

void ProfileFile::finish(OrtSession* session) const {
  if (path_.empty()) return;
  const std::string profile = end_profile(session);
  if (is_written_into(path_)) return copy_into(path_, profile);
  std::error_code error;
  fs::rename(profile, behind_links(path_), error);
  if (error) throw not_written(path_, error.message());
}

}  // namespace ortc::tool
