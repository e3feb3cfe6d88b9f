// SPDX-License-Identifier: MIT
// ONNX's packaged node cases over the CPU kernels. Cases in expected_pass.txt must pass; what
// happened to each case goes to conformance.tsv beside the folder of the test programs.
// ORTC_CONFORMANCE_CASES names another folder of cases, ORTC_CONFORMANCE_TSV another report.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/conformance/runner.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

constexpr const char* kPackagedCases = "/usr/lib/python3/dist-packages/onnx/backend/test/data/node";

std::string setting(const char* name, const std::string& otherwise) {
  const char* value = getenv(name);
  return value != nullptr ? value : otherwise;
}

std::set<std::string> expected_passes() {
  std::set<std::string> names;
  std::ifstream file(source_dir() + "/tests/conformance/expected_pass.txt");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') names.insert(line);
  }
  return names;
}

std::string default_report() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return program.parent_path().parent_path() / "conformance.tsv";
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return text;
}

TEST(conformance, packaged_node_cases_that_must_pass_do) {
  const auto cases = find_cases(setting("ORTC_CONFORMANCE_CASES", kPackagedCases));
  if (cases.empty()) {
    std::printf("NO CASES: ONNX's test data (libonnx-testdata) are not installed; NOTHING RAN\n");
    skip();
  }
  const auto must_pass = expected_passes();
  std::ofstream report(setting("ORTC_CONFORMANCE_TSV", default_report()));
  size_t passes = 0, failures = 0, broken = 0;
  for (const TestCase& test_case : cases) {
    const CaseResult result = run_case(test_case);
    report << test_case.name << '\t' << outcome_name(result.outcome) << '\t'
           << one_line(result.message) << '\n';
    const bool passed = result.outcome == Outcome::kPass;
    passes += passed ? 1 : 0;
    failures += result.outcome == Outcome::kFail ? 1 : 0;
    if (must_pass.contains(test_case.name) && !passed) {
      ++broken;
      std::printf("%s must pass: %s\n", test_case.name.c_str(), result.message.c_str());
    } else if (passed && !must_pass.contains(test_case.name)) {
      std::printf("%s passes and may join expected_pass.txt\n", test_case.name.c_str());
    }
  }
  std::printf("%zu cases: %zu pass, %zu fail, %zu unsupported\n", cases.size(), passes, failures,
              cases.size() - passes - failures);
  CHECK_EQ(broken, size_t{0});
}

}  // namespace
}  // namespace ortc::test

ORTC_TEST_MAIN()
