// SPDX-License-Identifier: MIT
// What a provider adds to a profile: events of its own, which it may tie to those of the runtime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/key_values.h"

namespace ortc {

enum class ProfileCategory : int32_t { kSession, kNode, kKernel, kApi };

struct ProfileEvent {
  ProfileCategory category = ProfileCategory::kKernel;
  int64_t process = -1, thread = -1;  // -1: of none
  std::string name;
  int64_t begin_us = 0;  // since the profile began
  int64_t duration_us = 0;
  KeyValues args;
};

// Of one profile. What fails in it is for the log: a profile changes no run.
class ProviderProfiler {
 public:
  virtual ~ProviderProfiler() = default;
  // Called first, `offset_ns` after the profile began. False: it takes no part.
  virtual bool start(int64_t offset_ns) = 0;
  // Around a run or a step, both on its thread; inner events end first. Any number of threads call.
  // `id` tells when the event began, in microseconds since 1970.
  virtual void begin_event(uint64_t id) = 0;
  virtual void end_event(uint64_t id, const ProfileEvent& event) = 0;
  // Called last, once. In the order in which they are to stand.
  virtual std::vector<ProfileEvent> end() = 0;
};

}  // namespace ortc
