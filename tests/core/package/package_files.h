// SPDX-License-Identifier: MIT
// Packages on the disk, for tests: a folder of its own for each, and files in it.
#pragma once

#include <sys/stat.h>

#include <fstream>
#include <string>

#include "core/platform/path.h"
#include "core/platform/shared_folder/folder_tree.h"
#include "tests/support/test.h"

namespace ortc::test {

class PackageFiles {
 public:
  explicit PackageFiles(const std::string& name) : root_(path_join(temp_dir(), name)) {
    CHECK(make_folders(root_).is_ok());
    root_ = real_path(root_);
  }

  const std::string& root() const { return root_; }
  std::string path(const std::string& name) const { return path_join(root_, name); }
  PackageFiles& folder(const std::string& name) {
    CHECK(make_folders(path(name)).is_ok());
    return *this;
  }
  PackageFiles& file(const std::string& name, const std::string& text) {
    if (!path_folder(name).empty()) folder(path_folder(name));
    std::ofstream out(path(name), std::ios::binary);
    out << text;
    CHECK(out.good());
    return *this;
  }
  PackageFiles& manifest(const std::string& text) { return file("manifest.json", text); }

 private:
  std::string root_;
};

// A manifest with one component "m" that has these variants.
inline std::string manifest_of(const std::string& variants, const std::string& more = {}) {
  return R"({"schema_version":"1.0",)" + more + R"("components":{"m":{"variants":{)" + variants +
         "}}}}";
}

}  // namespace ortc::test
