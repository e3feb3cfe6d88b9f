// SPDX-License-Identifier: MIT
// What the tests of a factory's answers share: an environment with the library that gives them.
#pragma once

#include "tests/api/plugin/device_testing.h"

namespace ortc::test {

inline Env env_with_answers(const std::string& fault) {
  Env env = quiet_env();
  CHECK(add_library(env, "answers?" + fault + ".virtual", ORTC_ANSWERS_LIBRARY).is_ok());
  return env;
}

// While the library is loaded.
inline void set_answers(const char* fault) {
  void* library = dlopen(ORTC_ANSWERS_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  CHECK(library != nullptr);
  reinterpret_cast<void (*)(const char*)>(dlsym(library, "faulty_answers_set"))(fault);
  dlclose(library);
}

inline int answers_number(const char* name) {
  void* library = dlopen(ORTC_ANSWERS_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  CHECK(library != nullptr);
  const int number = reinterpret_cast<int (*)()>(dlsym(library, name))();
  dlclose(library);
  return number;
}

}  // namespace ortc::test
