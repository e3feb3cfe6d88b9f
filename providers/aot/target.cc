// SPDX-License-Identifier: MIT
// Targets: see the header.
#include "providers/aot/target.h"

#include <algorithm>

#include "core/provider/registry.h"

namespace ortc::aot {
namespace {

// Rows that can follow: all levels, or the features of a level's architecture.
std::vector<std::string_view> names_of(bool features, Architecture architecture) {
  std::vector<std::string_view> names;
  for (const TargetRow& row : target_rows()) {
    if (row.is_feature != features) continue;
    if (!features || row.architecture == architecture) names.push_back(row.name);
  }
  return names;
}

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::string_view name : names) text += str_cat(text.empty() ? "" : ", ", name);
  return text;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? std::string() : str_cat("did you mean '", near, "'? ");
}

const TargetRow* find_row(std::string_view name, bool is_feature) {
  for (const TargetRow& row : target_rows()) {
    if (row.name == name && row.is_feature == is_feature) return &row;
  }
  return nullptr;
}

Result<const TargetRow*> parse_feature(std::string_view name, const TargetRow& level,
                                       std::string_view target) {
  const auto known = names_of(true, level.architecture);
  const TargetRow* row = find_row(name, true);
  if (row == nullptr || row->architecture != level.architecture) {
    return invalid_argument("target '", target, "': unknown feature '", name, "'; ",
                            did_you_mean(name, known), level.name, " may be followed by ",
                            known.empty() ? std::string("none") : joined(known));
  }
  if (row->isa > level.isa) {
    return invalid_argument("target '", target, "': the feature '", name, "' does not exist on ",
                            level.name, "; choose a higher level");
  }
  return row;
}

}  // namespace

Result<Target> parse_target(std::string_view text) {
  if (text.empty() || text == "host") return parse_target(host_target());
  size_t end = std::min(text.find('+'), text.size());
  Target target;
  target.level = find_row(text.substr(0, end), false);
  if (target.level == nullptr) {
    auto known = names_of(false, Architecture::kAny);
    known.insert(known.begin(), "host");
    return invalid_argument("unknown target '", text, "'; ",
                            did_you_mean(text.substr(0, end), known), "expected ", joined(known),
                            ", optionally followed by +feature");
  }
  while (end < text.size()) {
    const size_t begin = end + 1;
    end = std::min(text.find('+', begin), text.size());
    ASSIGN_OR_RETURN(const TargetRow* feature,
                     parse_feature(text.substr(begin, end - begin), *target.level, text));
    target.features.push_back(feature);
  }
  std::sort(target.features.begin(), target.features.end());
  target.features.erase(std::unique(target.features.begin(), target.features.end()),
                        target.features.end());
  target.name = target.level->name;
  for (const TargetRow* feature : target.features) target.name += str_cat("+", feature->name);
  return target;
}

Isa isa_cap(std::string_view target) {
  const TargetRow* level = find_row(target.substr(0, target.find('+')), false);
  return level != nullptr ? level->isa : Isa::kAvx512;
}

Status check_runs_here(const Target& target) {
  const Architecture architecture = target.level->architecture;
  if (architecture == Architecture::kAny || architecture == host_architecture()) {
    return Status::ok();
  }
  return invalid_argument("a session for the target '", target.name,
                          "' cannot run on this machine, which is ", host_target(),
                          "; compile for it without running (ortc compile, OrtCompileModel)");
}

Compatibility judge_target(std::string_view text, std::string* reason) {
  const std::string here = host_target();
  const auto target = parse_target(text.empty() ? "generic" : text);
  if (!target.is_ok()) {
    *reason = str_cat("compiled for '", text, "', a target that this library does not know");
    return Compatibility::kPreferRecompilation;
  }
  const TargetRow& level = *target->level;
  if (level.architecture != host_architecture()) {
    *reason = str_cat("compiled for ", text, ", this machine is ", here);
    return Compatibility::kPreferRecompilation;
  }
  if (!level.is_here()) {
    *reason = str_cat("compiled for ", text, ", more than this machine has (", here, ")");
    return Compatibility::kPreferRecompilation;
  }
  for (const TargetRow* feature : target->features) {
    if (feature->is_here()) continue;
    *reason = str_cat("compiled for ", text, "; this machine (", here, ") lacks ", feature->name);
    return Compatibility::kPreferRecompilation;
  }
  if (level.isa < host_isa()) {
    *reason =
        str_cat("compiled for ", text, ", which leaves unused what this machine has (", here, ")");
    return Compatibility::kPreferRecompilation;
  }
  return Compatibility::kOptimal;
}

}  // namespace ortc::aot
