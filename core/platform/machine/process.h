// SPDX-License-Identifier: MIT
// Which process and which thread this is, as the system numbers them: for traces. Which build of a
// library some code or data belongs to.
#pragma once

#include <cstdint>
#include <string>

namespace ortc {

int64_t process_number();
int64_t thread_number();

// What the linker has stamped on the library or program that `address` lies in, as hexadecimal
// digits; "" when it has stamped nothing.
std::string build_id_at(const void* address);

}  // namespace ortc
