// SPDX-License-Identifier: MIT
// What the fuzzer found, made small and saved as ONNX's test cases in found/: every route gives
// what is expected now, in sessions, from contexts and, where each operator has a kernel of its
// own, node by node.
#include <filesystem>

#include "tests/conformance/runner.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

void check(const test::TestCase& found, const test::RouteResult& result) {
  if (result.outcome == test::Outcome::kPass) return;
  std::printf("%s, %s: %s\n", found.name.c_str(), result.route.c_str(), result.message.c_str());
  CHECK(result.outcome == test::Outcome::kPass);
}

TEST(found_models, agree_by_every_route) {
  const auto cases = test::find_cases(test::source_dir() + "/tests/differential/found");
  CHECK(!cases.empty());
  const std::string folder = std::filesystem::temp_directory_path() / "ortc_found_models";
  std::filesystem::create_directories(folder);
  for (const test::TestCase& found : cases) {
    const test::RouteResult nodes = test::run_nodes(found);
    if (nodes.outcome != test::Outcome::kUnsupported) check(found, nodes);
    for (const test::RouteResult& result : test::run_sessions(found, folder)) check(found, result);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
