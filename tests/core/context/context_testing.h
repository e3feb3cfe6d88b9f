// SPDX-License-Identifier: MIT
// What the tests of contexts have in common: folders, loads, what texts and errors say.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/core/platform/platform_files.h"
#include "tests/support/session_support.h"

namespace ortc::test {

// A fresh, empty folder, another one each time.
inline std::string next_folder() {
  static int number = 0;
  return fresh_folder(str_cat("r", number++));
}

inline Result<std::unique_ptr<Session>> load(const std::string& path,
                                             const KeyValues& config = {}) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, {"AOT"});
  for (const auto& [key, value] : config) RETURN_IF_ERROR(options.set(key, value));
  return Session::create(environment, file_source(path), options);
}

// A session that is to write a context of its model.
inline Result<std::unique_ptr<Session>> generate(const ModelSource& source, const KeyValues& config,
                                                 std::vector<std::string> providers = {"AOT"}) {
  const auto environment = quiet_environment();
  SessionOptions options = options_with(*environment, std::move(providers));
  for (const auto& [key, value] : config) RETURN_IF_ERROR(options.set(key, value));
  options.context.enable = true;
  return Session::create(environment, source, options);
}

// A model of one file, which has a network with random weights.
inline std::string write_network(const std::string& folder, const std::string& name = "m.onnx",
                                 unsigned seed = 1) {
  const std::string path = path_join(folder, name);
  write_whole_file(path, small_network(40, seed));
  return path;
}

// An input of that network.
inline Tensor fixed_batch() { return Tensor::from<float>({5, 40}, random_numbers(200, 77)); }

inline void check_refused(const Status& status, const std::string& text) {
  CHECK_CODE(status, Code::kFail);
  CHECK(has_text(status.message(), text));
}

inline void check_says(const std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos) {
    check_failed(__FILE__, __LINE__, str_cat("'", part, "' in ", text));
  }
}

}  // namespace ortc::test
