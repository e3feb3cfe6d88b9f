// SPDX-License-Identifier: MIT
// More families of com.microsoft: apart from families.h, which every file of this folder sees.
#pragma once

#include <span>

#include "core/base/first_load.h"
#include "core/ops/op_list.h"

namespace ortc {

ORTC_FIRST_LOAD std::span<const OpRow> microsoft_plain_rows();
ORTC_FIRST_LOAD std::span<const OpRow> microsoft_kernel_rows();
ORTC_FIRST_LOAD std::span<const OpRow> microsoft_search_rows();
ORTC_FIRST_LOAD std::span<const OpRow> microsoft_recurrent_rows();

}  // namespace ortc
