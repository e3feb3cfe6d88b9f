// SPDX-License-Identifier: MIT
// The values of one run: see the header.
#include "core/api/session/run_values.h"

#include <algorithm>
#include <cstring>

#include "core/api/env/config_entries.h"
#include "core/api/guard.h"

namespace ortc::api {
namespace {

Status collect_names(std::string_view what, const char* const* names, size_t count,
                     std::pmr::vector<std::string_view>& out) {
  if (count != 0 && names == nullptr) return invalid_argument("'", what, "' must not be NULL");
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (names[i] == nullptr) return invalid_argument("'", what, "[", i, "]' must not be NULL");
    out.emplace_back(names[i]);
  }
  return {};
}

}  // namespace

bool overlap(const ValueRef& a, const ValueRef& b) {
  if (a.data == nullptr || b.data == nullptr) return false;
  if (a.dtype == DType::kString || b.dtype == DType::kString) return a.data == b.data;
  const auto bytes_of = [](const ValueRef& ref) {
    return dtype_bytes(ref.dtype, static_cast<uint64_t>(ref.element_count())).value_or(0);
  };
  const uint64_t a_size = bytes_of(a), b_size = bytes_of(b);
  const auto a_begin = reinterpret_cast<uintptr_t>(a.data);
  const auto b_begin = reinterpret_cast<uintptr_t>(b.data);
  return a_begin < b_begin + b_size && b_begin < a_begin + a_size && a_size != 0 && b_size != 0;
}

bool overlap(const OrtValue& a, const OrtValue& b) {
  const bool are_on_host = a.memory.is_host_readable() && b.memory.is_host_readable();
  if (!are_on_host && !is_same_memory(a.memory, b.memory)) return false;
  return overlap(ref_to(a), ref_to(b));
}

ValueRef ref_to(const OrtValue& value) {
  return value.is_tensor() ? ortc::ref_to(value.tensor) : ortc::ref_to(value.other);
}

Status RunValues::collect(const char* const* given_input_names, const OrtValue* const* given_inputs,
                          size_t input_count, const char* const* given_output_names,
                          OrtValue* const* given_outputs, size_t output_count) {
  RETURN_IF_ERROR(collect_names("input_names", given_input_names, input_count, input_names));
  RETURN_IF_ERROR(collect_names("output_names", given_output_names, output_count, output_names));
  if (input_count != 0 && given_inputs == nullptr) {
    return invalid_argument("'inputs' must not be NULL");
  }
  inputs.reserve(input_count);
  for (size_t i = 0; i < input_count; ++i) {
    if (given_inputs[i] == nullptr) {
      return invalid_argument("'inputs[", i, "]' (", input_names[i], ") must not be NULL");
    }
    inputs.push_back(ref_to(*given_inputs[i]));
    places.set_input(i, given_inputs[i]->memory);
  }
  if (output_count == 0) {
    return invalid_argument(
        "At least one output should be requested. 'output_names_len' is 0, expected 1 or more");
  }
  if (given_outputs == nullptr) return invalid_argument("'outputs' must not be NULL");
  outputs.resize(output_count);
  const auto is_provided = [](const OrtValue* value) {
    return value != nullptr && value->is_tensor();
  };
  ranges.reserve(
      static_cast<size_t>(std::count_if(given_outputs, given_outputs + output_count, is_provided)));
  for (size_t i = 0; i < output_count; ++i) {
    // A tensor is filled, any other content replaced.
    const OrtValue* const value = given_outputs[i];
    if (!is_provided(value)) continue;
    outputs[i].provided = ref_to(*value);
    places.set_output(i, value->memory);
    ranges.add(outputs[i].provided, i);
  }
  ranges.sort();
  return check_apart(output_names, outputs, ranges, places);
}

Status check_apart(std::span<const std::string_view> names, std::span<const OutputTarget> outputs,
                   const OutputRanges& ranges, const RunPlaceList& places) {
  Status found;
  ranges.for_each_pair([&](size_t i, size_t k) {
    if (!found.is_ok() || !places.are_outputs_together(i, k) ||
        !overlap(outputs[i].provided, outputs[k].provided)) {
      return;
    }
    found = invalid_argument("the values for outputs '", names[i], "' and '", names[k],
                             "' share memory");
  });
  return found;
}

bool disturbs(const Session& session, const NamedRef& input, const NamedRef& output) {
  if (!overlap(input.ref, output.ref)) return false;
  const bool is_same = input.ref.data == output.ref.data && input.ref.dtype == output.ref.dtype &&
                       std::ranges::equal(input.ref.dims(), output.ref.dims());
  return !is_same || !session.updates_in_place(input.name, output.name);
}

Status separate_inputs(const Session& session, std::span<const std::string_view> names,
                       std::span<ValueRef> inputs, std::span<const std::string_view> output_names,
                       std::span<const OutputTarget> outputs, const OutputRanges& ranges,
                       const RunPlaceList& places, std::pmr::vector<Datum>& copies) {
  if (ranges.is_empty()) return {};
  copies.reserve(inputs.size());  // they are pointed at
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_on_device = places.is_input_on_device(i);
    bool is_shared = false;
    ranges.for_each_meeting(inputs[i], [&](size_t k) {
      is_shared = is_shared || (places.is_output_on_device(k) == is_on_device &&
                                disturbs(session, {names[i], inputs[i]},
                                         {output_names[k], outputs[k].provided}));
    });
    if (!is_shared) continue;
    if (is_on_device) {
      return invalid_argument("input '", names[i], "' shares memory of a device with an output");
    }
    ASSIGN_OR_RETURN(Datum copy, datum_of(inputs[i]));
    copies.push_back(std::move(copy));
    inputs[i] = ortc::ref_to(copies.back());
  }
  return {};
}

Status RunValues::separate_inputs(const OrtSession& session) {
  ASSIGN_OR_RETURN(const Session* runnable, session.model.runnable());
  return api::separate_inputs(*runnable, input_names, inputs, output_names, outputs, ranges, places,
                              copies);
}

Status RunValues::run(const OrtSession& session, const OrtRunOptions* options) {
  if (options != nullptr && !options->options.config.empty()) {
    report_idle_keys(*session.shared, options->options.config,
                     session.shared->environment->providers().factories());
  }
  ASSIGN_OR_RETURN(const Session* runnable, session.model.runnable());
  return runnable->run_in_place({input_names, inputs, output_names, outputs,
                                 options != nullptr ? &options->options : nullptr, nullptr,
                                 places.places()});
}

void RunValues::give(const OrtSession& session, OrtValue** values) {
  const size_t count = outputs.size();
  std::pmr::vector<std::unique_ptr<OrtValue>> fresh(count, &memory_);
  for (size_t i = 0; i < count; ++i) {
    if (values[i] != nullptr) continue;
    fresh[i] = std::make_unique<OrtValue>();
    fresh[i]->set(std::move(outputs[i].made));
    fresh[i]->memory = session.result_memory;
  }
  for (size_t i = 0; i < count; ++i) {
    if (fresh[i] != nullptr) {
      values[i] = fresh[i].release();
    } else if (!values[i]->is_tensor()) {
      values[i]->set(std::move(outputs[i].made));
    }
  }
}

}  // namespace ortc::api
