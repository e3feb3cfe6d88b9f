// SPDX-License-Identifier: MIT
// Config entries to ContextOptions, one row per key. Keys that are not in the table belong to
// others.
#include "core/context/context_options.h"

#include <algorithm>

namespace ortc {
namespace {

struct FlagRow {
  const char* key;
  bool ContextOptions::*field;
};
constexpr FlagRow kFlags[] = {
    {"ep.context_enable", &ContextOptions::enable},
    {"ep.context_embed_mode", &ContextOptions::embed},
    {"session.disable_model_compile", &ContextOptions::disable_compile},
    {"session.fail_on_suboptimal_compiled_model", &ContextOptions::fail_on_suboptimal},
    {"session.compile_only", &ContextOptions::compile_only},
};

constexpr const char* kExternalInitializersKey = "ep.context_model_external_initializers_file_name";

struct TextRow {
  const char* key;
  std::string ContextOptions::*field;
};
constexpr TextRow kTexts[] = {
    {"ep.context_file_path", &ContextOptions::file_path},
    {"ep.context_node_name_prefix", &ContextOptions::node_name_prefix},
    {kExternalInitializersKey, &ContextOptions::external_initializers},
    {"session.model_external_initializers_file_folder_path", &ContextOptions::external_folder},
};

Result<bool> flag_of(std::string_view key, std::string_view value) {
  if (value == "0") return false;
  if (value == "1") return true;
  return invalid_argument("expected \"0\" or \"1\" for config entry '", key, "', found \"", value,
                          "\"");
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Also in the forms of other systems, so that a model means the same everywhere.
bool is_absolute(std::string_view path) {
  if (path.empty()) return false;
  if (path.front() == '/' || path.front() == '\\') return true;
  return path.size() >= 2 && is_letter(path[0]) && path[1] == ':';
}

// Every component is the name of something below: not "", "." or "..".
bool stays_below(std::string_view path) {
  while (true) {
    const size_t size = std::min(path.find_first_of("/\\"), path.size());
    const std::string_view component = path.substr(0, size);
    if (component.empty() || component == "." || component == "..") return false;
    if (size == path.size()) return true;
    path.remove_prefix(size + 1);
  }
}

Status check_external_name(const std::string& name) {
  if (name.empty()) return Status::ok();
  if (is_absolute(name)) {
    return make_status(Code::kRuntimeException, "expected a path relative to the output model for ",
                       "config entry '", kExternalInitializersKey, "', found the absolute path \"",
                       name, "\"");
  }
  if (stays_below(name)) return Status::ok();
  return invalid_argument("expected a file name without empty, \".\" or \"..\" components for ",
                          "config entry '", kExternalInitializersKey, "', found \"", name, "\"");
}

}  // namespace

Result<ContextOptions> context_options_from(const std::map<std::string, std::string>& config) {
  ContextOptions options;
  for (const FlagRow& row : kFlags) {
    const auto entry = config.find(row.key);
    if (entry == config.end()) continue;
    ASSIGN_OR_RETURN(options.*row.field, flag_of(row.key, entry->second));
  }
  for (const TextRow& row : kTexts) {
    const auto entry = config.find(row.key);
    if (entry != config.end()) options.*row.field = entry->second;
  }
  RETURN_IF_ERROR(check_external_name(options.external_initializers));
  return options;
}

}  // namespace ortc
