// SPDX-License-Identifier: MIT
// Options of the CPU provider: ep.cpu.<option>, or given with the provider.
#pragma once

#include "core/base/key_values.h"
#include "core/options/option_row.h"

namespace ortc::cpu {

// INVALID_ARGUMENT for an option that is not in the rows, or a value it does not take.
Status check_cpu_options(const KeyValues& given);

}  // namespace ortc::cpu
