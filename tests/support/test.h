// SPDX-License-Identifier: MIT
// The native tests' way into cmocka, and the only includer of its header.
//
//   TEST(wire_scanner, refuses_nesting_beyond_64) { CHECK(...); }
//
// One process per file: cmocka leaves a failed test by longjmp, which skips destructors, so the
// first failure ends the process (CMOCKA_TEST_ABORT=1 under ctest).
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <string>
#include <vector>
extern "C" {
#include <cmocka.h>
}
#undef fail  // cmocka's macro; ortc::fail makes a Status

namespace ortc::test {

struct Registered {
  CMUnitTest test;
  const char* file;
};
std::vector<Registered>& registered_tests();
struct Registration {
  Registration(const char* name, CMUnitTestFunction function, const char* file);
};
[[noreturn]] void check_failed(const char* file, int line, const std::string& what);
bool nearly_equal(double a, double b, double rtol, double atol);
// Where the source tree is (tests read data from it) and a fresh temporary directory of this
// process.
std::string source_dir();
std::string temp_dir();
// True under an emulator of processors (tools/check.sh cpus): slow, and /proc shows the machine
// outside.
bool is_emulated();

}  // namespace ortc::test

#define TEST(suite, sentence)                                                 \
  static void suite##__##sentence(void**);                                    \
  static const ::ortc::test::Registration registration_##suite##__##sentence( \
      "test_" #suite "__" #sentence, suite##__##sentence, __FILE__);          \
  static void suite##__##sentence(void**)

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) ::ortc::test::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)
#define CHECK_EQ(a, b)                                                               \
  do {                                                                               \
    if (!((a) == (b))) ::ortc::test::check_failed(__FILE__, __LINE__, #a " == " #b); \
  } while (false)
#define CHECK_NEAR(a, b, rtol, atol)                                                \
  do {                                                                              \
    const double a_ = (a), b_ = (b);                                                \
    if (!::ortc::test::nearly_equal(a_, b_, rtol, atol)) {                          \
      ::ortc::test::check_failed(                                                   \
          __FILE__, __LINE__,                                                       \
          #a " near " #b ": " + std::to_string(a_) + " and " + std::to_string(b_)); \
    }                                                                               \
  } while (false)
// For ortc::Status and ortc::Result: prints the message when it is not success.
#define CHECK_OK(expr)                                                                 \
  do {                                                                                 \
    const auto& checked_ = (expr);                                                     \
    if (!checked_.is_ok()) {                                                           \
      ::ortc::test::check_failed(__FILE__, __LINE__,                                   \
                                 #expr " failed: " + ::ortc::test::text_of(checked_)); \
    }                                                                                  \
  } while (false)
#define CHECK_CODE(expr, expected)                                                  \
  do {                                                                              \
    const auto& checked_ = (expr);                                                  \
    if (::ortc::test::code_of(checked_) != (expected)) {                            \
      ::ortc::test::check_failed(__FILE__, __LINE__,                                \
                                 #expr " gave " + ::ortc::test::text_of(checked_)); \
    }                                                                               \
  } while (false)

namespace ortc::test {
template <typename T>
const auto& status_of(const T& x) {
  if constexpr (requires { x.status(); }) {
    return x.status();
  } else {
    return x;
  }
}
template <typename T>
std::string text_of(const T& x) {
  return status_of(x).to_string();
}
template <typename T>
auto code_of(const T& x) {
  return status_of(x).code();
}
}  // namespace ortc::test
