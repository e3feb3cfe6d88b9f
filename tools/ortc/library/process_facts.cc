// SPDX-License-Identifier: MIT
// Linux tells through /proc; elsewhere most of it is not known, and is_known says so.

#include "tools/ortc/library/process_facts.h"

#include <sys/resource.h>

#include <fstream>
#include <thread>

namespace ortc::tool {
namespace {

// "Anonymous:   1234 kB" in bytes.
bool kilobytes_of(const std::string& line, const std::string& key, uint64_t& bytes) {
  if (line.rfind(key + ":", 0) != 0) return false;
  bytes = std::stoull(line.substr(key.size() + 1)) * 1024;
  return true;
}

double nanoseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const size_t colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return {};
}

}  // namespace

MemoryFacts memory_facts() {
  MemoryFacts facts;
  std::ifstream file("/proc/self/smaps_rollup");
  bool has_anonymous = false;
  uint64_t anonymous = 0, swap = 0;
  for (std::string line; std::getline(file, line);) {
    has_anonymous = kilobytes_of(line, "Anonymous", anonymous) || has_anonymous;
    kilobytes_of(line, "Swap", swap);
    kilobytes_of(line, "Rss", facts.resident_bytes);
  }
  facts.is_known = has_anonymous;
  facts.private_bytes = anonymous + swap;
  return facts;
}

ProcessFacts process_facts() {
  ProcessFacts facts;
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    facts.peak_resident_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    facts.cpu_time_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
  }
  facts.processors = std::thread::hardware_concurrency();
  facts.processor_name = processor_name();
  return facts;
}

}  // namespace ortc::tool
