// SPDX-License-Identifier: MIT
// The one list of targets: levels of instruction sets and features that go with them. What a
// compiler may be asked for, what this machine is called and what `devices` shows follow from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/platform/cpu.h"

namespace ortc {

enum class Architecture : uint8_t { kAny, kX86, kAarch64 };

struct TargetRow {
  std::string_view name;
  bool is_feature;  // follows a level: "x86-64-v4+avx512vnni"
  Architecture architecture;
  Isa isa;            // level: whose kernels run at most; feature: what it needs at least
  bool (*is_here)();  // asks this processor and its operating system
  std::string_view text;
};

// Levels of an architecture in rising order, then its features.
std::span<const TargetRow> target_rows();
Architecture host_architecture();
// The best level that is here, of this machine's architecture.
const TargetRow& host_level();
// Between the targets of one file: "x86-64-v3;x86-64-v4;aarch64".
inline constexpr char kTargetSeparator = ';';
// Of a text with one target or more.
std::vector<std::string_view> target_names(std::string_view targets);
// The lowest level of them; this machine's when none is in the list.
Isa lowest_isa(std::string_view targets);
// For people: one line a row, with a note at those that this machine has.
std::string target_list();

}  // namespace ortc
