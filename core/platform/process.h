// SPDX-License-Identifier: MIT
// Which process and which thread this is, as the system numbers them: for traces.
#pragma once

#include <cstdint>

namespace ortc {

int64_t process_number();
int64_t thread_number();

}  // namespace ortc
