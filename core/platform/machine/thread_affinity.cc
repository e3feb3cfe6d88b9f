// SPDX-License-Identifier: MIT
// Affinities of threads: see the header.
#include "core/platform/machine/thread_affinity.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace ortc {
namespace {

constexpr int kProcessorMax = 8192;  // what Linux can be built for

// The parts of "a;b;": three, of which the last is empty.
std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<int> parse_number(std::string_view text, std::string_view group) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 1 || number > kProcessorMax) {
    return invalid_argument("expected the number of a processor, 1 to ", kProcessorMax, ", found '",
                            text, "' in the group '", group, "'");
  }
  return number;
}

// "3" or "3-6".
Status parse_range(std::string_view text, std::string_view group, ProcessorNumbers* processors) {
  const size_t dash = text.find('-');
  ASSIGN_OR_RETURN(const int first, parse_number(text.substr(0, dash), group));
  int last = first;
  if (dash != std::string_view::npos) {
    ASSIGN_OR_RETURN(last, parse_number(text.substr(dash + 1), group));
  }
  if (last < first) {
    return invalid_argument("expected a range of processors that ends at ", first,
                            " or later, found '", text, "'");
  }
  for (int number = first; number <= last; ++number) processors->push_back(number - 1);
  return {};
}

}  // namespace

Result<ThreadAffinities> parse_affinities(std::string_view text) {
  ThreadAffinities affinities;
  if (text.empty()) return affinities;
  for (const std::string_view group : parts_of(text, ';')) {
    ProcessorNumbers& processors = affinities.emplace_back();
    for (const std::string_view part : parts_of(group, ',')) {
      RETURN_IF_ERROR(parse_range(part, group, &processors));
      if (processors.size() > kProcessorMax) {
        return invalid_argument("expected a group of at most ", kProcessorMax,
                                " processors, found '", group, "'");
      }
    }
    std::ranges::sort(processors);
    const auto repeated = std::ranges::unique(processors);
    processors.erase(repeated.begin(), repeated.end());
  }
  return affinities;
}

Status judge_affinities(std::string_view text) { return parse_affinities(text).status(); }

Status check_affinity_count(const ThreadAffinities& affinities, int thread_count) {
  const auto expected = static_cast<size_t>(thread_count - 1);
  if (affinities.empty() || thread_count == 1 || affinities.size() == expected) return {};
  return invalid_argument("processors for ", affinities.size(), " threads, expected ", expected,
                          ": one group for each of ", thread_count,
                          " threads but the caller's, separated by semicolons");
}

#if defined(__linux__)
bool can_pin_threads() { return true; }

Status pin_this_thread(const ProcessorNumbers& processors) {
  if (processors.empty()) return {};
  const int capacity = std::ranges::max(processors) + 1;
  cpu_set_t* set = CPU_ALLOC(capacity);
  if (set == nullptr) return fail("memory ran out");
  const size_t size = CPU_ALLOC_SIZE(capacity);
  CPU_ZERO_S(size, set);
  for (const int number : processors) CPU_SET_S(static_cast<size_t>(number), size, set);
  const int error = pthread_setaffinity_np(pthread_self(), size, set);
  CPU_FREE(set);
  return error == 0 ? Status::ok() : fail(strerror(error));
}
#else
bool can_pin_threads() { return false; }

Status pin_this_thread(const ProcessorNumbers&) {
  return not_implemented("threads that stay on processors, on this system");
}
#endif

}  // namespace ortc
