// SPDX-License-Identifier: MIT
// What the provider's contexts say that they need: the kernels decide whether a context runs, the
// target whether it runs at its best.
#include "providers/aot/compatibility.h"

#include <algorithm>
#include <charconv>

#include "core/base/version.h"
#include "core/provider/compatibility_info.h"
#include "core/provider/context_version.h"
#include "providers/aot/aot_provider.h"
#include "providers/aot/target.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/layouts.h"

namespace ortc::aot {
namespace {

std::optional<uint32_t> number(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "gemm.f32:1:1": false with a reason when this library has no such kernel or layout.
bool is_known_kernel(std::string_view triple, std::string* reason) {
  const size_t second = triple.rfind(':');
  const size_t first = second == std::string_view::npos || second == 0
                           ? std::string_view::npos
                           : triple.rfind(':', second - 1);
  if (first == std::string_view::npos) {
    *reason = str_cat("'", triple, "' is not kernel:contract:layout");
    return false;
  }
  const auto contract = number(triple.substr(first + 1, second - first - 1));
  const auto layout = number(triple.substr(second + 1));
  const bool known = contract && *contract <= UINT16_MAX && layout &&
                     !cpu::layout_name(Layout{*layout}).empty() &&
                     cpu::kernel_registry().find_by_id(triple.substr(0, first),
                                                       static_cast<uint16_t>(*contract)) != nullptr;
  if (!known) *reason = str_cat("this library has no kernel ", triple, " (kernel:contract:layout)");
  return known;
}

}  // namespace

std::string compatibility_text(std::string_view target, std::span<const std::string> kernels) {
  CompatibilityInfo info;
  info.provider = kProviderName;
  info.format_major = kContextMajor;
  info.format_minor = kContextMinor;
  info.library_version = kLibraryVersion;
  info.target = target;
  for (const std::string& kernel : kernels) {
    info.kernels += str_cat(info.kernels.empty() ? "" : ",", kernel);
  }
  return print_compatibility_info(info);
}

Compatibility judge_compatibility(std::string_view text, const Target* there, std::string* reason) {
  std::string unused;
  if (reason == nullptr) reason = &unused;
  const auto info = parse_compatibility_info(text);
  if (!info || info->provider != kProviderName) {
    *reason = "it was not made by the AOT provider";
    return Compatibility::kNotApplicable;
  }
  if (info->format_major != kContextMajor) {
    *reason = str_cat("context format ", info->format_major, ".", info->format_minor,
                      ", this library reads ", kContextMajor, ".x");
    return Compatibility::kUnsupported;
  }
  std::string_view kernels = info->kernels;
  while (!kernels.empty()) {
    const size_t comma = std::min(kernels.find(','), kernels.size());
    if (!is_known_kernel(kernels.substr(0, comma), reason)) return Compatibility::kUnsupported;
    kernels.remove_prefix(std::min(comma + 1, kernels.size()));
  }
  return judge_target(info->target, there, reason);
}

size_t best_of(std::span<const std::string> texts, const Target* there) {
  std::string targets;
  for (const std::string& text : texts) {
    const auto info = parse_compatibility_info(text);
    if (!info) continue;
    if (!targets.empty()) targets += kTargetSeparator;
    targets += info->target;
  }
  const std::string_view best = best_target(targets, there);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto info = parse_compatibility_info(texts[i]);
    if (!info) continue;
    const auto names = target_names(info->target);
    if (std::find(names.begin(), names.end(), best) != names.end()) return i;
  }
  return 0;
}

}  // namespace ortc::aot
