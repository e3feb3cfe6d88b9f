// SPDX-License-Identifier: MIT
// Targets: see the header.
#include "providers/aot/target.h"

#include <algorithm>
#include <set>

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

// What shall run it: this machine, or one that is exactly of a target.
class Machine {
 public:
  explicit Machine(const Target* target) : target_(target) {}
  bool has(const TargetRow& row) const {
    if (row.architecture == Architecture::kAny) return true;
    if (target_ == nullptr) return row.architecture == host_architecture() && row.is_here();
    if (row.architecture != target_->level->architecture) return false;
    if (!row.is_feature) return &row <= target_->level;
    return std::find(target_->features.begin(), target_->features.end(), &row) !=
           target_->features.end();
  }
  // Whether its kernels may stand in for those of a level: layouts are one for all.
  bool is_kin(const TargetRow& row) const {
    return row.architecture ==
           (target_ == nullptr ? host_architecture() : target_->level->architecture);
  }
  Isa isa() const { return target_ == nullptr ? host_isa() : target_->isa(); }
  std::string name() const {
    return target_ == nullptr ? str_cat("this machine (", host_target(), ")") : target_->name;
  }

 private:
  const Target* target_;
};

// Of a target's features, that the machine has. Kernels ask for features themselves, so that one
// which is missing keeps nothing from running.
size_t features_there(std::string_view target, const Machine& machine) {
  size_t count = 0;
  for (const TargetRow& row : target_rows()) {
    const size_t at = row.is_feature ? target.find(str_cat("+", row.name)) : std::string::npos;
    if (at != std::string_view::npos && machine.has(row)) ++count;
  }
  return count;
}

// The best of several targets that runs there; of those that are all more than the machine has, the
// least.
struct Choice {
  std::string_view name;
  const TargetRow* level = nullptr;  // null: none runs
  bool is_beyond = false;            // more than the machine has: lesser kernels stand in
  bool has_unknown = false;          // the level of one of them
};
Choice choose(std::string_view targets, const Machine& machine) {
  Choice choice;
  for (std::string_view name : target_names(targets)) {
    if (name.empty()) name = "generic";
    const TargetRow* level = find_row(name.substr(0, name.find('+')), false);
    choice.has_unknown = choice.has_unknown || level == nullptr;
    if (level == nullptr) continue;
    const bool is_beyond = !machine.has(*level);
    if (is_beyond && !machine.is_kin(*level)) continue;
    bool is_better = choice.level == nullptr || (choice.is_beyond && !is_beyond);
    if (!is_better && is_beyond == choice.is_beyond) {
      is_better = is_beyond ? level < choice.level : level > choice.level;
      is_better = is_better || (level == choice.level && features_there(name, machine) >
                                                             features_there(choice.name, machine));
    }
    if (!is_better) continue;
    choice.level = level;
    choice.name = name;
    choice.is_beyond = is_beyond;
  }
  return choice;
}

std::string why_none_runs(std::string_view targets, const Machine& machine) {
  return str_cat("compiled for ", targets, ", which ", machine.name(), " does not run");
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

Result<std::string> parse_targets(std::string_view text) {
  std::set<std::pair<const TargetRow*, std::string>> targets;  // sorted by level
  for (const std::string_view name : target_names(text)) {
    if (name.empty() && !text.empty()) {
      return invalid_argument("expected targets with ';' between, found '", text, "'");
    }
    ASSIGN_OR_RETURN(Target target, parse_target(name));
    targets.emplace(target.level, std::move(target.name));
  }
  std::string names;
  for (const auto& [level, name] : targets)
    names += str_cat(names.empty() ? "" : std::string(1, kTargetSeparator), name);
  return names;
}

Result<Isa> isa_of_context(std::string_view targets) {
  const Machine here(nullptr);
  const Choice choice = choose(targets, here);
  if (choice.level != nullptr) return choice.level->isa;
  if (choice.has_unknown) return Isa::kAvx512;
  return invalid_graph(why_none_runs(targets, here), "; compile the model for this one");
}

Status check_runs_here(std::string_view targets) {
  if (choose(targets, Machine(nullptr)).level != nullptr) return Status::ok();
  return invalid_argument("a session for the target '", targets,
                          "' cannot run on this machine, which is ", host_target(),
                          "; compile for it without running (ortc compile, OrtCompileModel)");
}

Compatibility judge_target(std::string_view targets, const Target* there, std::string* reason) {
  const Machine machine(there);
  const Choice choice = choose(targets, machine);
  if (choice.level == nullptr && choice.has_unknown) {
    *reason = str_cat("compiled for '", targets, "', a target that this library does not know");
    return Compatibility::kPreferRecompilation;
  }
  if (choice.level == nullptr) {
    *reason = why_none_runs(targets, machine);
    return Compatibility::kUnsupported;
  }
  if (choice.is_beyond) {
    *reason = str_cat("compiled for ", targets, ", more than ", machine.name(), " has");
    return Compatibility::kPreferRecompilation;
  }
  const auto target = parse_target(choice.name);
  if (!target.is_ok()) {
    *reason = str_cat("compiled for '", choice.name, "', a target that this library does not know");
    return Compatibility::kPreferRecompilation;
  }
  for (const TargetRow* feature : target->features) {
    if (machine.has(*feature)) continue;
    *reason = str_cat("compiled for ", choice.name, "; ", machine.name(), " lacks ", feature->name);
    return Compatibility::kPreferRecompilation;
  }
  if (choice.level->isa < machine.isa()) {
    *reason =
        str_cat("compiled for ", targets, ", which leaves unused what ", machine.name(), " has");
    return Compatibility::kPreferRecompilation;
  }
  return Compatibility::kOptimal;
}

std::string_view best_target(std::string_view targets, const Target* there) {
  return choose(targets, Machine(there)).name;
}

}  // namespace ortc::aot
