// SPDX-License-Identifier: MIT
// What the system says of the memory of this process, map by map: the other opinion in tests of our
// own counting.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>

namespace ortc::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kHasShadowMemory = true;
#elif defined(__has_feature)
inline constexpr bool kHasShadowMemory =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kHasShadowMemory = false;
#endif
// Their mlock() does nothing.
inline constexpr bool kIgnoresLocks = kHasShadowMemory;

// In bytes.
struct Smaps {
  uint64_t size = 0, resident = 0, proportional = 0, shared = 0, anonymous = 0, locked = 0;
};

// Of all maps whose name, "" for memory without a file, the function likes.
inline Smaps smaps_of(const std::function<bool(const std::string& name)>& likes) {
  Smaps sums;
  std::ifstream file("/proc/self/smaps");
  bool is_counted = false;
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    const size_t space = line.find(' ');
    if (space < colon) {  // "7f..-7f.. r--p 00000000 fe:00 123   /tmp/a.bin"
      const size_t slash = line.find('/');
      is_counted = likes(slash != std::string::npos ? line.substr(slash) : std::string());
      continue;
    }
    if (!is_counted || line.find(" kB") == std::string::npos) continue;
    const std::string key = line.substr(0, colon);
    const uint64_t bytes = std::stoull(line.substr(colon + 1)) * 1024;
    if (key == "Size") sums.size += bytes;
    if (key == "Rss") sums.resident += bytes;
    if (key == "Pss") sums.proportional += bytes;
    if (key == "Shared_Clean" || key == "Shared_Dirty") sums.shared += bytes;
    if (key == "Anonymous") sums.anonymous += bytes;
    if (key == "Locked") sums.locked += bytes;
  }
  return sums;
}

// Of files beneath a folder, also of those that have lost their names.
inline Smaps smaps_of_folder(const std::string& folder) {
  return smaps_of([&](const std::string& name) { return name.starts_with(folder + "/"); });
}
inline Smaps smaps_of_process() {
  return smaps_of([](const std::string&) { return true; });
}

}  // namespace ortc::test
