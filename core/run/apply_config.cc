// SPDX-License-Identifier: MIT
// Config keys that are string forms of setters.
#include <charconv>

#include "core/run/session_options.h"

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

Status read_flag(const SessionOptions& options, const char* key, bool* out) {
  const auto it = options.config.find(key);
  if (it == options.config.end()) return Status::ok();
  if (it->second != "0" && it->second != "1") return bad_value(key, it->second, "0 or 1");
  *out = it->second == "1";
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
  RETURN_IF_ERROR(read_flag(options, "session.enable_profiling", &options.profiling));
  RETURN_IF_ERROR(read_flag(options, "session.use_per_session_threads", &options.own_threads));
  RETURN_IF_ERROR(read_flag(options, "session.use_deterministic_compute", &options.deterministic));
  if (auto it = options.config.find("session.optimized_model_filepath");
      it != options.config.end()) {
    options.optimised_model_path = it->second;
  }
  if (auto it = options.config.find("session.log_id"); it != options.config.end())
    options.log_id = it->second;
  int level = static_cast<int>(options.level);
  RETURN_IF_ERROR(read_int(options, "session.graph_optimization_level", 0, 99, &level));
  if (level > 3 && level != 99) {
    return bad_value("session.graph_optimization_level", str_cat(level), "0, 1, 2, 3 or 99");
  }
  options.level = static_cast<OptimisationLevel>(level);
  return Status::ok();
}

}  // namespace ortc
