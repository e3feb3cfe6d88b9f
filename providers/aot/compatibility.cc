// SPDX-License-Identifier: MIT
// "ortc-aot;format=1.0;library=1.0.0;target=x86-64-v4;kernels=gemm.f32:1:1,..." and its judgement.
#include <algorithm>
#include <charconv>

#include "core/base/version.h"
#include "core/provider/context_version.h"
#include "providers/aot/aot_provider.h"
#include "providers/aot/target.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/layouts.h"

namespace ortc::aot {
namespace {

std::string_view field(std::string_view text, std::string_view name) {
  const std::string key = str_cat(";", name, "=");
  const size_t begin = text.find(key);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + key.size());
  return text.substr(0, text.find(';'));
}

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
  std::string text = str_cat("ortc-aot;format=", kContextMajor, ".", kContextMinor,
                             ";library=", kLibraryVersion, ";target=", target, ";kernels=");
  for (size_t i = 0; i < kernels.size(); ++i) text += str_cat(i == 0 ? "" : ",", kernels[i]);
  return text;
}

Compatibility judge_compatibility(std::string_view text, std::string* reason) {
  std::string unused;
  if (reason == nullptr) reason = &unused;
  if (text.substr(0, text.find(';')) != "ortc-aot") {
    *reason = "it was not made by the AOT provider";
    return Compatibility::kNotApplicable;
  }
  const std::string_view format = field(text, "format");
  if (number(format.substr(0, format.find('.'))) != uint32_t{kContextMajor}) {
    *reason = str_cat("context format ", format, ", this library reads ", kContextMajor, ".x");
    return Compatibility::kUnsupported;
  }
  std::string_view kernels = field(text, "kernels");
  while (!kernels.empty()) {
    const size_t comma = std::min(kernels.find(','), kernels.size());
    if (!is_known_kernel(kernels.substr(0, comma), reason)) return Compatibility::kUnsupported;
    kernels.remove_prefix(std::min(comma + 1, kernels.size()));
  }
  const std::string_view target = field(text, "target");
  if (target != host_target()) {
    *reason = str_cat("compiled for ", target, ", this machine is ", host_target());
    return Compatibility::kPreferRecompilation;
  }
  return Compatibility::kOptimal;
}

}  // namespace ortc::aot
