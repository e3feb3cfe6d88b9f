// SPDX-License-Identifier: MIT
// Runs numbered jobs in child processes, so that a crash costs one job and two processors are used.
// The caller has started no threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ortc::test {

// What job `number` prints with its result, some lines of text; runs in a child.
using Job = std::function<std::string(size_t number)>;

// The texts of all jobs in order; nothing where the child ended before its job did. `folder` takes
// files of this call.
std::vector<std::string> run_jobs(size_t job_count, size_t workers, const std::string& folder,
                                  const Job& job);

}  // namespace ortc::test
