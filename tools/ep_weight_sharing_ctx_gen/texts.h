// SPDX-License-Identifier: MIT
// Help and the man page, made from one table.
#pragma once

#include <string>

namespace ortc::sharing_tool {

std::string help_text();
std::string man_text();

}  // namespace ortc::sharing_tool
