// SPDX-License-Identifier: MIT
// What a compiled model's metadata say about a context, so that it can be judged without its
// binary:
//
//   ortc-context;provider=AotExecutionProvider;format=1.0;library=1.0.0;target=x86-64-v4;
//   kernels=add.f32:1:0,gemm.f32:1:0,gemm.f32:1:1
//
// on one line. The header of a context binary has the same fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ortc {

struct CompatibilityInfo {
  std::string provider;
  int format_major = 0, format_minor = 0;
  std::string library_version;
  std::string target;   // of several all, with ';' between; the text has ',' there
  std::string kernels;  // kernel:contract:layout, separated by commas
};

std::string print_compatibility_info(const CompatibilityInfo& info);
// Nothing when the text is not of this form; fields it does not know are stepped over.
std::optional<CompatibilityInfo> parse_compatibility_info(std::string_view text);

}  // namespace ortc
