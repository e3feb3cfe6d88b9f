// SPDX-License-Identifier: MIT
// The values of one run, as a session takes them. Lists lie in the object itself as long as they
// are short, so that a run allocates nothing for them.
#pragma once

#include <array>
#include <memory_resource>
#include <vector>

#include "core/api/session/output_ranges.h"
#include "core/api/session/run_options_handle.h"
#include "core/api/session/run_place_list.h"
#include "core/api/session/session_handle.h"
#include "core/api/value/value_handle.h"

namespace ortc::api {

// False for values that are not tensors: those do not change. Both are in one memory.
bool overlap(const ValueRef& a, const ValueRef& b);
bool overlap(const OrtValue& a, const OrtValue& b);
// The value as a run takes it; `value` must keep its place.
ValueRef ref_to(const OrtValue& value);

// A value that a run takes, and the name under which.
struct NamedRef {
  std::string_view name;
  const ValueRef& ref;
};

// Whether results that go to `output` would change `input` before it is read: they share memory,
// and are not a cache that the model appends to in place.
bool disturbs(const Session& session, const NamedRef& input, const NamedRef& output);

// Results are written while inputs are still read: an input that an output disturbs is read from
// one of `copies`; INVALID_ARGUMENT for memory of a device.
Status separate_inputs(const Session& session, std::span<const std::string_view> names,
                       std::span<ValueRef> inputs, std::span<const std::string_view> output_names,
                       std::span<const OutputTarget> outputs, const OutputRanges& ranges,
                       const RunPlaceList& places, std::pmr::vector<Datum>& copies);

// INVALID_ARGUMENT names two outputs that are to be written to the same memory.
Status check_apart(std::span<const std::string_view> names, std::span<const OutputTarget> outputs,
                   const OutputRanges& ranges, const RunPlaceList& places);

class RunValues {
 public:
  RunValues() = default;
  RunValues(const RunValues&) = delete;
  RunValues& operator=(const RunValues&) = delete;

  // What the program passed, checked; nothing is copied but pointers.
  Status collect(const char* const* input_names, const OrtValue* const* inputs, size_t input_count,
                 const char* const* output_names, OrtValue* const* outputs, size_t output_count);
  Status separate_inputs(const OrtSession& session);
  Status run(const OrtSession& session, const OrtRunOptions* options);
  // All values are made before the first is given away.
  void give(const OrtSession& session, OrtValue** outputs);

 private:
  static constexpr size_t kRoom = 8192;
  std::array<std::byte, kRoom> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};

 public:
  std::pmr::vector<std::string_view> input_names{&memory_}, output_names{&memory_};
  std::pmr::vector<ValueRef> inputs{&memory_};
  std::pmr::vector<OutputTarget> outputs{&memory_};
  std::pmr::vector<Datum> copies{&memory_};
  OutputRanges ranges{&memory_};  // of `outputs`
  RunPlaceList places;
};

}  // namespace ortc::api
