// SPDX-License-Identifier: MIT
// Names of staged files: what is made is known again, and nothing else.
#include "core/platform/staged_name.h"

#include <limits.h>

#include <vector>

#include "tests/support/test.h"

using namespace ortc;

TEST(staged_name, is_known_again_with_its_file) {
  std::string umlauts, stray(NAME_MAX, '\x80');
  while (umlauts.size() + 2 <= NAME_MAX) umlauts += "\xc3\xa4";
  for (const std::string& name :
       {std::string("m"), std::string("m.onnx"), std::string(233, 'n'), std::string(234, 'n'),
        std::string(NAME_MAX, 'n'), umlauts, "n" + umlauts, stray}) {
    const std::string staged = make_staged_name(name).value();
    CHECK(staged.size() <= NAME_MAX);
    CHECK(is_staged_name(staged));
    CHECK(is_staged_name_of(staged, name));
    CHECK(is_staged_name_of(staged, "folder/" + name));
    CHECK(!is_staged_name_of(staged, "other"));
    CHECK(make_staged_name(name).value() != staged);
  }
}

TEST(staged_name, is_nothing_else) {
  const std::vector<std::string> others = {"",
                                           "m.onnx",
                                           ".m.onnx.tmp",
                                           "m.onnx.0123456789abcdef.tmp",
                                           ".m.onnx.0123456789ABCDEF.tmp",
                                           ".m.onnx.123456789abcdef.tmp",
                                           ".m.onnx0123456789abcdef.tmp",
                                           ".0123456789abcdef.tmp",
                                           "..0123456789abcdef.tmp",
                                           ".m.onnx.0123456789abcdef.tmpx"};
  for (const std::string& name : others) CHECK(!is_staged_name(name));
  CHECK(is_staged_name(".m.onnx.0123456789abcdef.tmp"));
}
