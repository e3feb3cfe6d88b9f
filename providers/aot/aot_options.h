// SPDX-License-Identifier: MIT
// Options of the AOT provider: ep.aot.<option>, or given with the provider.
#pragma once

#include <string>
#include <vector>

#include "core/base/key_values.h"
#include "core/base/result.h"
#include "core/options/option_row.h"

namespace ortc::aot {

struct AotOptions {
  std::string target = "host";
  std::vector<std::string> excluded_operators;
  int weights = 0;          // a WeightType
  bool low_memory = false;  // what is packed lies on the disk until it is written
  bool winograd = false;    // see winograd() of the CPU's fusions
};

std::span<const OptionRow> aot_option_rows();
// INVALID_ARGUMENT for an option that is not in the rows, or a value it does not take.
Result<AotOptions> read_aot_options(const KeyValues& given);

}  // namespace ortc::aot
