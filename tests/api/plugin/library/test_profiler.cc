// SPDX-License-Identifier: MIT
// The test library's profiler: one event for each step of the runtime that was its own, and what a
// profiler can do wrong.
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "test_library.h"

namespace test_library {
namespace {

std::atomic<int> started{0}, events_begun{0}, events_ended{0}, ended{0}, mispaired{0};

struct Seen {
  std::string name;
  int64_t begin_us, duration_us;
};

struct Profiler : OrtEpProfilerImpl {
  Profiler() : OrtEpProfilerImpl{} { ++alive; }
  ~Profiler() { --alive; }
  bool does(const char* what) const { return fault == what; }
  std::string fault;
  std::mutex mutex;
  std::vector<Seen> seen;
  std::map<std::thread::id, std::vector<uint64_t>> open_events;
};

Profiler& own(OrtEpProfilerImpl* profiler) { return *static_cast<Profiler*>(profiler); }

OrtStatus* start(OrtEpProfilerImpl* self, int64_t offset_ns) {
  if (own(self).does("profiler_start_error")) return error("no profile today");
  if (offset_ns < 0) return error("before the profile began");
  ++started;
  return nullptr;
}

OrtStatus* begin_event(OrtEpProfilerImpl* self, uint64_t id) {
  if (own(self).does("profiler_event_error")) return error("not this event");
  if (own(self).does("profiler_event_throws")) throw std::runtime_error("thrown at an event");
  ++events_begun;
  const std::lock_guard<std::mutex> lock(own(self).mutex);
  own(self).open_events[std::this_thread::get_id()].push_back(id);
  return nullptr;
}

OrtStatus* end_event(OrtEpProfilerImpl* self, uint64_t id, const OrtProfilingEvent* event) {
  Profiler& profiler = own(self);
  if (profiler.does("profiler_event_error")) return error("nor its end");
  if (profiler.does("profiler_event_throws")) throw std::runtime_error("thrown at its end");
  ++events_ended;
  const std::lock_guard<std::mutex> lock(profiler.mutex);
  std::vector<uint64_t>& open = profiler.open_events[std::this_thread::get_id()];
  if (open.empty() || open.back() != id) {
    ++mispaired;
  } else {
    open.pop_back();
  }
  OrtProfilingEventCategory category{};
  const char *name = nullptr, *provider = nullptr;
  Seen seen{};
  must(ep_api->ProfilingEvent_GetCategory(event, &category));
  must(ep_api->ProfilingEvent_GetName(event, &name));
  must(ep_api->ProfilingEvent_GetTimestampUs(event, &seen.begin_us));
  must(ep_api->ProfilingEvent_GetDurationUs(event, &seen.duration_us));
  must(ep_api->ProfilingEvent_GetArgValue(event, "provider", &provider));
  if (category != OrtProfilingEventCategory_NODE || provider == nullptr) return nullptr;
  if (std::strcmp(provider, kName) != 0) return nullptr;
  seen.name = name;
  profiler.seen.push_back(std::move(seen));
  return nullptr;
}

OrtStatus* end(OrtEpProfilerImpl* self, OrtProfilingEventsContainer* container) {
  Profiler& profiler = own(self);
  ++ended;
  if (profiler.does("profiler_end_throws")) throw std::runtime_error("thrown at the end");
  for (const Seen& seen : profiler.seen) {
    const char* keys[] = {"parent", "colour"};
    const char* values[] = {seen.name.c_str(), "\"green\""};
    OrtProfilingEvent* event = nullptr;
    must(ep_api->CreateProfilingEvent(OrtProfilingEventCategory_KERNEL, -1, 5, "multiply",
                                      seen.begin_us, seen.duration_us, keys, values, 2, &event));
    OrtStatus* added = ep_api->ProfilingEventsContainer_AddEvents(container, &event, 1);
    ep_api->ReleaseProfilingEvent(event);
    must(added);
  }
  if (profiler.does("profiler_null_event")) {
    const OrtProfilingEvent* none = nullptr;
    return ep_api->ProfilingEventsContainer_AddEvents(container, &none, 1);
  }
  return profiler.does("profiler_end_error") ? error("no events") : nullptr;
}

OrtStatus* create(OrtEp* self, OrtEpProfilerImpl** out) {
  const Ep& ep = test_library::own(self);
  if (ep.does("profiler_error")) return error("no profiler");
  if (ep.does("profiler_throws")) throw std::runtime_error("thrown in place of a profiler");
  if (ep.does("profiler_null")) return nullptr;
  static OrtEpProfilerImpl too_old{};
  if (ep.does("profiler_old")) {
    too_old.ort_version_supported = 24;
    std::memset(&too_old.Release, 0x10, sizeof too_old.Release);
    *out = &too_old;
    return nullptr;
  }
  auto profiler = std::make_unique<Profiler>();
  profiler->fault = ep.fault;
  profiler->ort_version_supported = ep.does("profiler_new") ? 99 : ORT_API_VERSION;
  profiler->Release = [](OrtEpProfilerImpl* one) { delete &own(one); };
  profiler->StartProfiling = start;
  profiler->EndProfiling = ep.does("profiler_lacks_end") ? nullptr : end;
  if (!ep.does("profiler_without_events")) {
    profiler->StartEvent = begin_event;
    profiler->StopEvent = end_event;
  }
  *out = profiler.release();
  return nullptr;
}

}  // namespace

void add_profiler(Ep& ep) {
  if (ep.fault.rfind("profiler", 0) == 0) ep.CreateProfiler = create;
}

}  // namespace test_library

extern "C" {

ORT_EXPORT int test_library_profiles_started() { return test_library::started; }
ORT_EXPORT int test_library_profiles_ended() { return test_library::ended; }
ORT_EXPORT int test_library_events_begun() { return test_library::events_begun; }
ORT_EXPORT int test_library_events_ended() { return test_library::events_ended; }
ORT_EXPORT int test_library_events_mispaired() { return test_library::mispaired; }

}  // extern "C"
