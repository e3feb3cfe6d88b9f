// SPDX-License-Identifier: MIT
// What libraries make events of profiles with: see the header.
#include "core/api/plugin/profiling/profiling_table.h"

#include <memory>

#include "core/api/guard.h"
#include "core/api/plugin/profiling/profiling_handles.h"
#include "core/base/result.h"

namespace ortc::api::table {
namespace {

Result<KeyValues> args_of(const char* const* keys, const char* const* values, size_t count) {
  KeyValues args;
  if (count == 0) return args;
  if (keys == nullptr || values == nullptr) {
    return invalid_argument("'arg_keys' and 'arg_values' must not be NULL when 'num_args' is ",
                            count);
  }
  for (size_t i = 0; i < count; ++i) {
    if (keys[i] == nullptr) return invalid_argument("'arg_keys[", i, "]' must not be NULL");
    if (values[i] == nullptr) return invalid_argument("'arg_values[", i, "]' must not be NULL");
    args.emplace(keys[i], values[i]);
  }
  return args;
}

}  // namespace

OrtStatus* CreateProfilingEvent(OrtProfilingEventCategory category, int32_t process_id,
                                int32_t thread_id, const char* event_name, int64_t timestamp_us,
                                int64_t duration_us, const char* const* arg_keys,
                                const char* const* arg_values, size_t num_args,
                                OrtProfilingEvent** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(event_name);
    const int32_t number = number_of(category);
    if (number < 0 || number > static_cast<int32_t>(ProfileCategory::kApi)) {
      return invalid_argument("'category' is ", number,
                              ", expected a value of OrtProfilingEventCategory");
    }
    auto made = std::make_unique<OrtProfilingEvent>();
    ASSIGN_OR_RETURN(made->event.args, args_of(arg_keys, arg_values, num_args));
    made->event.category = static_cast<ProfileCategory>(number);
    made->event.process = process_id;
    made->event.thread = thread_id;
    made->event.name = event_name;
    made->event.begin_us = timestamp_us;
    made->event.duration_us = duration_us;
    *out = made.release();
    return {};
  });
}

void ReleaseProfilingEvent(OrtProfilingEvent* input) noexcept { delete input; }

OrtStatus* ProfilingEvent_GetCategory(const OrtProfilingEvent* event,
                                      OrtProfilingEventCategory* out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(event);
    *out = static_cast<OrtProfilingEventCategory>(event->event.category);
    return {};
  });
}

OrtStatus* ProfilingEvent_GetName(const OrtProfilingEvent* event, const char** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(event);
    *out = event->event.name.c_str();
    return {};
  });
}

OrtStatus* ProfilingEvent_GetTimestampUs(const OrtProfilingEvent* event, int64_t* out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(event);
    *out = event->event.begin_us;
    return {};
  });
}

OrtStatus* ProfilingEvent_GetDurationUs(const OrtProfilingEvent* event, int64_t* out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(event);
    *out = event->event.duration_us;
    return {};
  });
}

OrtStatus* ProfilingEvent_GetArgValue(const OrtProfilingEvent* event, const char* key,
                                      const char** out) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(event);
    ORTC_NEEDED(key);
    const auto found = event->event.args.find(key);
    if (found != event->event.args.end()) *out = found->second.c_str();
    return {};
  });
}

OrtStatus* ProfilingEventsContainer_AddEvents(OrtProfilingEventsContainer* events_container,
                                              const OrtProfilingEvent* const* events,
                                              size_t num_events) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(events_container);
    ORTC_NEEDED(events);
    if (num_events == 0) return invalid_argument("'num_events' is 0, expected 1 or more");
    for (size_t i = 0; i < num_events; ++i) {
      if (events[i] == nullptr) return invalid_argument("'events[", i, "]' must not be NULL");
    }
    for (size_t i = 0; i < num_events; ++i) {
      events_container->events.push_back(events[i]->event);
    }
    return {};
  });
}

}  // namespace ortc::api::table
