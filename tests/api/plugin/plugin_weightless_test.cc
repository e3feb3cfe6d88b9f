// SPDX-License-Identifier: MIT
// Contexts without weights: libraries are asked whether they can, once they are of a version that
// knows the question.
#include "tests/api/plugin/npu_testing.h"

using namespace ortc;
using namespace ortc::test;

TEST(plugin_weightless, is_what_the_library_says_of_itself) {
  const Fault kAnswers[] = {
      {"weightless_28", ORT_OK, ""},
      {"weightless_missing", ORT_NOT_IMPLEMENTED, "does not implement GetWeightlessSupport"},
      {"weightless_none", ORT_EP_FAIL, "GetWeightlessSupport gave 0"},
      {"weightless_error", ORT_NOT_FOUND, "TestLibraryEp: GetWeightlessSupport: no licence"},
      {"weightless_all", ORT_OK, ""},
  };
  const LibrarySetting setting;
  const std::string folder = folder_of("weightless");
  for (const Fault& row : kAnswers) {
    const std::string output = folder + row.name + ".onnx";
    const Options options = setting.options(row.name);
    set_entry(options, "ep.context_enable", "1");
    set_entry(options, "ep.context_file_path", output.c_str());
    set_entry(options, "ep.enable_weightless", "1");
    OwnSession session;
    CHECK(make_session(setting.env, two_muls(), options, &session).has(row.code, row.text));
    struct stat found = {};
    CHECK_EQ(stat(output.c_str(), &found) == 0, row.code == ORT_OK);
  }
}
