// SPDX-License-Identifier: MIT
// Small files and folders for the tests of this folder, made by the C++ library's own means.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/platform/path.h"
#include "tests/support/test.h"

namespace ortc::test {

// A fresh, empty folder "<temporary>/<name>".
inline std::string fresh_folder(const std::string& name) {
  const std::string path = temp_dir() + "/" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

inline void put_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  CHECK(std::filesystem::exists(path));
}

inline std::string get_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Names = std::vector<std::string>;

// What is in a folder, in order.
inline Names names_in(const std::string& folder) {
  auto names = list_folder(folder);
  CHECK_OK(names);
  return std::move(names).value();
}

inline size_t entry_count(const std::string& folder) {
  using Entries = std::filesystem::directory_iterator;
  return static_cast<size_t>(std::distance(Entries(folder), Entries()));
}

inline bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ortc::test
