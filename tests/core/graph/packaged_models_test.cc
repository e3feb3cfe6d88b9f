// SPDX-License-Identifier: MIT
// The models of the packaged ONNX test suite, where it is installed: all are read, verified,
// written and read again.
#include <cstdio>
#include <filesystem>

#include "core/graph/text/print.h"
#include "core/platform/path.h"
#include "tests/core/graph/wire_model.h"

using namespace ortc;

namespace {

constexpr const char* kFolder = "/usr/lib/python3/dist-packages/onnx/backend/test/data";

void check_round_trip(const std::string& path) {
  auto first = import_model_file(path, {});
  CHECK_OK(first);
  CHECK_OK(verify_graph(*(*first)->graph));
  auto text = wire::export_text(**first);
  CHECK_OK(text);
  auto second = import_model_bytes(Blob::from_string(*text), {});
  CHECK_OK(second);
  CHECK_EQ(print_graph(*(*second)->graph), print_graph(*(*first)->graph));
  CHECK_EQ(*wire::export_text(**second), *text);
}

}  // namespace

TEST(packaged_models, make_the_round_trip) {
  if (!path_is_directory(kFolder)) {
    std::fprintf(stderr, "%s is not installed, nothing to read\n", kFolder);
    skip();
  }
  size_t count = 0;
  const auto follow = std::filesystem::directory_options::follow_directory_symlink;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder, follow)) {
    if (entry.path().filename() != "model.onnx") continue;
    check_round_trip(entry.path().string());
    ++count;
  }
  CHECK(count > 1000);
}
