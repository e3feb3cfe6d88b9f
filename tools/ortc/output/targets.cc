// SPDX-License-Identifier: MIT
// Files that are there are compared as files, others by their paths without links and dots.

#include "tools/ortc/output/targets.h"

#include <filesystem>

#include "tools/ortc/library/model_files.h"
#include "tools/ortc/output/staged_file.h"

namespace ortc::tool {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) return fs::equivalent(a, b, error);
  const auto real = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(behind_links(path), error), error);
  };
  return real(a) == real(b) && !error;
}

}  // namespace

std::vector<std::string> read_with(const std::string& model, const std::vector<Target>& targets) {
  std::error_code error;
  for (const Target& target : targets) {
    if (target.path.empty() || !fs::is_regular_file(target.path, error)) continue;
    try {
      return files_of(model);
    } catch (const ToolError&) {
      return {model};  // what is wrong with it is said when it is loaded
    }
  }
  return {model};
}

void check_targets(const std::vector<Target>& targets, const std::vector<std::string>& read) {
  for (size_t i = 0; i < targets.size(); i++) {
    const std::string& path = targets[i].path;
    if (path.empty() || is_written_into(path)) continue;
    for (const std::string& file : read) {
      if (!is_same_file(path, file)) continue;
      throw failure(
          std::string(targets[i].option) + ": '" + path + "' is " +
          (read.size() == 1 ? "'" + file + "' itself" : "one of the files that are read"));
    }
    for (size_t j = 0; j < i; j++) {
      if (targets[j].path.empty() || !is_same_file(path, targets[j].path)) continue;
      throw usage_error(std::string(targets[j].option) + " and " + targets[i].option +
                        " name one file, '" + path + "'");
    }
  }
}

}  // namespace ortc::tool
