// SPDX-License-Identifier: MIT
// The program of the tests: several files share an executable, and the name that it is started by
// says whose tests run. Files that are no tests themselves belong to whichever test they are linked
// with.
#include <cstdio>
#include <set>
#include <string_view>

#include "tests/support/test.h"

namespace {

// "fusions_test" of ".../tests/providers/cpu/fusions/fusions_test.cc".
std::string_view stem_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path.substr(0, path.find('.'));
}

int say_whose_tests_there_are(const char* program) {
  std::set<std::string_view> names;
  for (const auto& registered : ortc::test::registered_tests()) {
    names.insert(stem_of(registered.file));
  }
  std::fprintf(stderr, "%s: start it by a link with one of these names:", program);
  for (const std::string_view name : names) {
    std::fprintf(stderr, " %.*s", static_cast<int>(name.size()), name.data());
  }
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace

int main(int, char** argv) {
  const std::string_view program = stem_of(argv[0]);
  std::vector<CMUnitTest> tests;
  for (const auto& [test, file] : ortc::test::registered_tests()) {
    const std::string_view stem = stem_of(file);
    if (stem == program || !stem.ends_with("_test")) tests.push_back(test);
  }
  if (tests.empty()) return say_whose_tests_there_are(argv[0]);
  return _cmocka_run_group_tests(argv[0], tests.data(), tests.size(), nullptr, nullptr);
}
