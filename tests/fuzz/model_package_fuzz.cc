// SPDX-License-Identifier: MIT
// Fuzzes the reader of model packages: the bytes are the manifest, and a component and a runtime's
// part that a manifest may name. A package that is taken can be described, and all that it names
// lies beneath its folder.
#include <stdlib.h>

#include <cstdio>

#include "core/package/describe_package.h"
#include "core/platform/path.h"

using namespace ortc;

static std::string make_root() {
  char name[] = "/tmp/ortc_package_fuzz_XXXXXX";
  const char* made = mkdtemp(name);
  if (made == nullptr) abort();
  static const std::string root = real_path(made);
  atexit([] {
    for (const char* file : {"manifest.json", "component.json", "info.json"}) {
      remove(path_join(root, file).c_str());
    }
    remove(root.c_str());
  });
  return root;
}

static void write(const std::string& path, const uint8_t* data, size_t size) {
  FILE* file = fopen(path.c_str(), "wb");
  if (file == nullptr || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

static void check_inside(const Package& package, const std::string& path) {
  if (path.empty() || package.paths.layout == PackageLayout::kInstalled) return;
  if (path != package.paths.root && !path.starts_with(package.paths.root + "/")) abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string root = make_root();
  for (const char* file : {"manifest.json", "component.json", "info.json"}) {
    write(path_join(root, file), data, size);
  }
  const auto read = read_package(root);
  if (!read.is_ok()) return 0;
  const Package& package = **read;
  for (const PackageComponent& component : package.components) {
    for (const PackageVariant& variant : component.variants) {
      check_inside(package, variant.folder);
      check_inside(package, variant.model_path);
    }
  }
  for (const SharedAsset& asset : package.assets) check_inside(package, asset.path);
  if (describe_package(package, {}, nullptr).empty()) abort();
  return 0;
}
