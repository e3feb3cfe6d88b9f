// SPDX-License-Identifier: MIT
// Config keys that are string forms of setters. Words and flags are ONNX Runtime's, in any case of
// letters; the numbers of the enumerators do as well.
#include <algorithm>
#include <charconv>
#include <span>

#include "core/session/session_options.h"

namespace ortc {
namespace {

Status bad_value(std::string_view key, std::string_view value, std::string_view expected) {
  return invalid_argument("config '", key, "' is '", value, "', expected ", expected);
}

Status read_int(const SessionOptions& options, const char* key, int low, int high, int* out) {
  const auto it = options.config.find(key);
  if (it == options.config.end()) return Status::ok();
  const std::string& text = it->second;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return bad_value(key, text, str_cat("a number from ", low, " to ", high));
  }
  *out = value;
  return Status::ok();
}

struct Word {
  std::string_view text;
  int number;
};
constexpr Word kFlags[] = {{"0", 0}, {"1", 1}, {"false", 0}, {"true", 1}};
constexpr Word kModes[] = {{"sequential", 0},   {"parallel", 1}, {"ort_sequential", 0},
                           {"ort_parallel", 1}, {"0", 0},        {"1", 1}};
constexpr Word kLevels[] = {{"disable_all", 0},
                            {"enable_basic", 1},
                            {"enable_extended", 2},
                            {"enable_layout", 3},
                            {"enable_all", 99},
                            {"0", 0},
                            {"1", 1},
                            {"2", 2},
                            {"3", 3},
                            {"99", 99}};

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

Status read_word(const SessionOptions& options, const char* key, std::span<const Word> words,
                 int* out) {
  const auto it = options.config.find(key);
  if (it == options.config.end()) return Status::ok();
  std::string expected;
  for (const Word& word : words) {
    if (same_word(word.text, it->second)) {
      *out = word.number;
      return Status::ok();
    }
    expected += str_cat(expected.empty() ? "" : ", ", word.text);
  }
  return bad_value(key, it->second, str_cat("one of ", expected));
}

Status read_flag(const SessionOptions& options, const char* key, bool* out) {
  int number = *out ? 1 : 0;
  RETURN_IF_ERROR(read_word(options, key, kFlags, &number));
  *out = number == 1;
  return Status::ok();
}

}  // namespace

Status apply_config(SessionOptions& options) {
  RETURN_IF_ERROR(
      read_int(options, "session.intra_op_num_threads", 0, 4096, &options.intra_op_threads));
  RETURN_IF_ERROR(
      read_int(options, "session.inter_op_num_threads", 0, 4096, &options.inter_op_threads));
  RETURN_IF_ERROR(read_flag(options, "session.enable_mem_pattern", &options.memory_pattern));
  RETURN_IF_ERROR(read_flag(options, "session.enable_cpu_mem_arena", &options.memory_arena));
  RETURN_IF_ERROR(read_int(options, "session.log_severity_level", -1, 4, &options.log_severity));
  RETURN_IF_ERROR(
      read_int(options, "session.log_verbosity_level", 0, 1000, &options.log_verbosity));
  RETURN_IF_ERROR(read_flag(options, "session.use_per_session_threads", &options.own_threads));
  RETURN_IF_ERROR(read_flag(options, "session.use_deterministic_compute", &options.deterministic));
  if (auto it = options.config.find("session.optimized_model_filepath");
      it != options.config.end()) {
    options.optimised_model_path = it->second;
  }
  if (auto it = options.config.find("session.enable_profiling"); it != options.config.end()) {
    options.profiling = !it->second.empty();
    if (options.profiling) options.profile_prefix = it->second;
  }
  if (auto it = options.config.find("session.log_id"); it != options.config.end())
    options.log_id = it->second;
  int mode = options.parallel_execution ? 1 : 0;
  RETURN_IF_ERROR(read_word(options, "session.execution_mode", kModes, &mode));
  options.parallel_execution = mode == 1;
  int level = static_cast<int>(options.level);
  RETURN_IF_ERROR(read_word(options, "session.graph_optimization_level", kLevels, &level));
  options.level = static_cast<OptimisationLevel>(level);
  return Status::ok();
}

}  // namespace ortc
