// SPDX-License-Identifier: MIT
// Where the memory of a session is, and who else has it: as the system sees it at this moment.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/run/arena_pool.h"
#include "core/session/memory/session_memory.h"

namespace ortc {

// In bytes. docs/design/residency.md says how each is counted.
struct MemoryReport {
  struct File {
    std::string path;       // as it was opened
    uint64_t mapped = 0;    // of addresses; 0 when the file was read
    uint64_t copied = 0;    // the same, when it was read
    uint64_t resident = 0;  // of these
    uint64_t used = 0;      // by the session
    uint64_t sessions = 0;  // of this process that use it, this one included
  };
  uint64_t mapped = 0;                 // files, in whole
  uint64_t resident = 0;               // of files, own memory and arena
  uint64_t shared_with_sessions = 0;   // of these: other sessions of this process use it too
  uint64_t shared_with_processes = 0;  // of these: pages of files that other processes have too
  uint64_t private_bytes = 0;          // of these: own memory, no file behind it; not the arena
  uint64_t arena = 0;                  // held for runs and their results, in use or not
  uint64_t weights = 0;                // what the session's plans name, wherever it lies
  std::vector<File> files;             // that weights lie in

  // NOT_IMPLEMENTED where the system does not tell.
  static Result<MemoryReport> make(const SessionMemory& memory,
                                   std::span<const ArenaPool* const> pools);
  std::string json(const SessionMemory& memory) const;
};

}  // namespace ortc
