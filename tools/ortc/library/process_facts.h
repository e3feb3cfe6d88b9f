// SPDX-License-Identifier: MIT
// What the operating system says about this process. Private memory is what no other can share
// and no file can give back: anonymous pages, in memory or swapped out.
#pragma once

#include <cstdint>
#include <string>

namespace ortc::tool {

struct MemoryFacts {
  bool is_known = false;  // Linux 4.14 and later
  uint64_t private_bytes = 0;
  uint64_t resident_bytes = 0;
};
MemoryFacts memory_facts();

struct ProcessFacts {
  uint64_t peak_resident_bytes = 0;
  double cpu_time_ns = 0;  // user and system, all threads
  unsigned processors = 0;
  std::string processor_name;  // empty when not known
};
ProcessFacts process_facts();

}  // namespace ortc::tool
