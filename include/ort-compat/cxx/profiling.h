// SPDX-License-Identifier: MIT
// Events of a profile, which providers read and add.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "../onnxruntime_ep_c_api.h"
#include "ort_c/ort_cxx.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

template <typename T>
struct ConstProfilingEventImpl : Base<T> {
  using Base<T>::Base;

  OrtProfilingEventCategory GetCategory() const {
    return get<OrtProfilingEventCategory>(GetEpApi().ProfilingEvent_GetCategory);
  }
  /// Lives as long as the event.
  const char* GetName() const { return get<const char*>(GetEpApi().ProfilingEvent_GetName); }
  int64_t GetTimestampUs() const { return get<int64_t>(GetEpApi().ProfilingEvent_GetTimestampUs); }
  int64_t GetDurationUs() const { return get<int64_t>(GetEpApi().ProfilingEvent_GetDurationUs); }
  /// NULL when the event has no such argument.
  const char* GetArgValue(const char* key) const {
    const char* value = nullptr;
    ThrowOnError(GetEpApi().ProfilingEvent_GetArgValue(this->p_, key, &value));
    return value;
  }

 private:
  template <typename Answer, typename Call>
  Answer get(Call call) const {
    Answer answer{};
    ThrowOnError(call(this->p_, &answer));
    return answer;
  }
};

}  // namespace detail

/// An event that somebody else owns.
using ConstProfilingEvent =
    detail::ConstProfilingEventImpl<detail::Unowned<const OrtProfilingEvent>>;

/// An event.
struct ProfilingEvent : detail::ConstProfilingEventImpl<OrtProfilingEvent> {
  explicit ProfilingEvent(std::nullptr_t) {}
  explicit ProfilingEvent(OrtProfilingEvent* p) : ConstProfilingEventImpl(p) {}
  ProfilingEvent(OrtProfilingEventCategory category, int32_t process_id, int32_t thread_id,
                 const char* event_name, int64_t timestamp_us, int64_t duration_us,
                 const char* const* arg_keys, const char* const* arg_values, size_t num_args) {
    ThrowOnError(GetEpApi().CreateProfilingEvent(category, process_id, thread_id, event_name,
                                                 timestamp_us, duration_us, arg_keys, arg_values,
                                                 num_args, &p_));
  }
  ProfilingEvent(OrtProfilingEventCategory category, int32_t process_id, int32_t thread_id,
                 const char* event_name, int64_t timestamp_us, int64_t duration_us,
                 const std::unordered_map<std::string, std::string>& args = {})
      : ProfilingEvent(category, process_id, thread_id, event_name, timestamp_us, duration_us,
                       detail::KeysAndValues(args)) {}

  ConstProfilingEvent GetConst() const { return ConstProfilingEvent(p_); }

 private:
  ProfilingEvent(OrtProfilingEventCategory category, int32_t process_id, int32_t thread_id,
                 const char* event_name, int64_t timestamp_us, int64_t duration_us,
                 const detail::KeysAndValues& args)
      : ProfilingEvent(category, process_id, thread_id, event_name, timestamp_us, duration_us,
                       args.keys.data(), args.values.data(), args.keys.size()) {}
};

namespace detail {

template <typename T>
struct ProfilingEventsContainerImpl : Base<T> {
  using Base<T>::Base;

  /// Copies the events.
  Status AddEvents(const OrtProfilingEvent* const* events, size_t num_events) {
    return Status(GetEpApi().ProfilingEventsContainer_AddEvents(this->p_, events, num_events));
  }
  Status AddEvents(const std::vector<ProfilingEvent>& events) {
    return AddEvents(c_array(events.data()), events.size());
  }
};

}  // namespace detail

/// Where OrtEpProfilerImpl::EndProfiling puts a provider's events.
using UnownedProfilingEventsContainer =
    detail::ProfilingEventsContainerImpl<detail::Unowned<OrtProfilingEventsContainer>>;

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
