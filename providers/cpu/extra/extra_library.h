// SPDX-License-Identifier: MIT
// libort_c_extra.so: what operators do by libraries that the core does without. It is loaded when
// the first of them asks, from beside this library, else from where the system looks.
#pragma once

#include <string>

#include "core/base/result.h"
#include "extra/extra_table.h"

namespace ortc::cpu {

// Loaded once in a process, and never unloaded. NOT_IMPLEMENTED, naming the file and the package
// that has it, as long as it is not there; any thread may ask.
Result<const OrtcExtraTable*> extra_library();

// What a function of the table answered. `subject` begins the message.
Status extra_status(OrtcExtraCode code, const OrtcExtraMessage& message, std::string_view subject);

}  // namespace ortc::cpu
