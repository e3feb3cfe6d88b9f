// SPDX-License-Identifier: MIT
// Processors that threads of a pool stay on, in ONNX Runtime's form: "1,2;3-6;7" has groups for
// three threads, of processors counted from 1.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ortc {

using ProcessorNumbers = std::vector<int>;               // from 0, as the system counts
using ThreadAffinities = std::vector<ProcessorNumbers>;  // one for each worker

// No groups for an empty text. INVALID_ARGUMENT: "expected ..., found ...".
Result<ThreadAffinities> parse_affinities(std::string_view text);
// The same as the judgement of a config row.
Status judge_affinities(std::string_view text);
// Each worker needs a group, and there are `thread_count` - 1: the thread that calls is the
// program's. A single thread has no workers, and any number of groups will do.
Status check_affinity_count(const ThreadAffinities& affinities, int thread_count);

// False where threads cannot be told where to run.
bool can_pin_threads();
// The calling thread runs on these from now on. FAIL with the system's reason when it has none of
// them; those that it does not have are passed over.
Status pin_this_thread(const ProcessorNumbers& processors);

}  // namespace ortc
