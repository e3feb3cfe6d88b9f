// SPDX-License-Identifier: MIT
// More families of com.microsoft: apart from families.h, which every file of this folder sees.
#pragma once

#include <span>

#include "core/ops/op_list.h"

namespace ortc {

std::span<const OpRow> microsoft_plain_rows();
std::span<const OpRow> microsoft_kernel_rows();
std::span<const OpRow> microsoft_search_rows();
std::span<const OpRow> microsoft_recurrent_rows();

}  // namespace ortc
