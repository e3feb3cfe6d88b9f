// SPDX-License-Identifier: MIT
// Entries of OrtEpApi for libraries that add to profiles. The form is that of
// core/api/abi/ort_table_overrides.h.
#pragma once

#include "ort_c/ort_api.h"

namespace ortc::api::table {

OrtStatus* CreateProfilingEvent(OrtProfilingEventCategory category, int32_t process_id,
                                int32_t thread_id, const char* event_name, int64_t timestamp_us,
                                int64_t duration_us, const char* const* arg_keys,
                                const char* const* arg_values, size_t num_args,
                                OrtProfilingEvent** out) noexcept;
void ReleaseProfilingEvent(OrtProfilingEvent* input) noexcept;
OrtStatus* ProfilingEvent_GetCategory(const OrtProfilingEvent* event,
                                      OrtProfilingEventCategory* out) noexcept;
OrtStatus* ProfilingEvent_GetName(const OrtProfilingEvent* event, const char** out) noexcept;
OrtStatus* ProfilingEvent_GetTimestampUs(const OrtProfilingEvent* event, int64_t* out) noexcept;
OrtStatus* ProfilingEvent_GetDurationUs(const OrtProfilingEvent* event, int64_t* out) noexcept;
// NULL for a key that the event does not have.
OrtStatus* ProfilingEvent_GetArgValue(const OrtProfilingEvent* event, const char* key,
                                      const char** out) noexcept;
OrtStatus* ProfilingEventsContainer_AddEvents(OrtProfilingEventsContainer* events_container,
                                              const OrtProfilingEvent* const* events,
                                              size_t num_events) noexcept;

}  // namespace ortc::api::table
