// SPDX-License-Identifier: MIT
// The native tests' support: registration, failures, places.
#include "tests/support/test.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace ortc::test {

std::vector<Registered>& registered_tests() {
  static std::vector<Registered> tests;
  return tests;
}

Registration::Registration(const char* name, CMUnitTestFunction function, const char* file) {
  registered_tests().push_back({{name, function, nullptr, nullptr, nullptr}, file});
}

void check_failed(const char* file, int line, const std::string& what) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what.c_str());
  std::fflush(nullptr);
  abort();
}

bool nearly_equal(double a, double b, double rtol, double atol) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= atol + rtol * std::fabs(b);
}

bool is_emulated() { return getenv("ORTC_TEST_TARGET") != nullptr; }

std::string source_dir() { return ORTC_SOURCE_DIR; }

namespace {
struct TempDir {
  std::string path;
  pid_t owner = getpid();
  TempDir() {
    const char* base = getenv("TMPDIR");
    path = std::string(base != nullptr ? base : "/tmp") + "/ortc_test_XXXXXX";
    if (mkdtemp(path.data()) == nullptr) abort();
  }
  ~TempDir() {
    std::error_code ignored;
    if (getpid() == owner) std::filesystem::remove_all(path, ignored);
  }
};
}  // namespace

std::string temp_dir() {
  static const TempDir dir;
  return dir.path;
}

}  // namespace ortc::test
