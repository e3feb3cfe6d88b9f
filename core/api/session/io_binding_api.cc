// SPDX-License-Identifier: MIT
// ort_c/io_binding.h: values tied to inputs and outputs for many runs.
#include <algorithm>
#include <list>

#include "core/api/env/allocator.h"
#include "core/api/env/config_entries.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/guard.h"
#include "core/api/session/run_options_handle.h"
#include "core/api/session/run_values.h"
#include "core/api/session/session_handle.h"
#include "core/api/value/value_handle.h"
#include "ort_c/io_binding.h"

namespace ortc::api {

// What was bound, in its order; items keep their places.
template <typename Item>
struct BoundItems {
  using Place = typename std::list<Item>::iterator;
  std::list<Item> items;
  Place next = items.end();

  // Programs bind in the same order again and again: looks behind the last one first.
  Place find(std::string_view name) {
    const auto is_it = [&](const Item& item) { return item.name == name; };
    Place found = std::find_if(next, items.end(), is_it);
    if (found == items.end()) {
      found = std::find_if(items.begin(), next, is_it);
      if (found == next) return items.end();
    }
    next = std::next(found);
    return found;
  }
  void clear() {
    items.clear();
    next = items.end();
  }
};

}  // namespace ortc::api

struct OrtIoBinding {
  struct Input {
    std::string name;
    OrtValue value;
  };
  struct Output {
    std::string name;
    OrtValue value;             // undefined: no run has made it yet
    bool is_given = false;      // the program's, to be filled; else each run makes one
    OrtMemoryInfo memory = {};  // where a run makes it; that of the host stands for the session's
  };

  std::shared_ptr<ortc::api::SharedEnvironment> shared;
  std::shared_ptr<const ortc::Session> session;
  OrtMemoryInfo result_memory;  // of the session
  ortc::api::BoundItems<Input> inputs;
  ortc::api::BoundItems<Output> outputs;
  // The same as lists for the session, kept so that the next run need not make them.
  std::vector<std::string_view> input_names, output_names;
  std::vector<ortc::ValueRef> input_list;
  std::vector<ortc::OutputTarget> output_list;
  ortc::api::RunPlaceList places;
  ortc::api::OutputRanges ranges;
  ortc::Status outputs_apart;
  bool inputs_overlap = false;
  bool is_listed = false;  // nothing was bound since the lists were made

  void list();

 private:
  void list_outputs();
};

void OrtIoBinding::list_outputs() {
  output_names.clear();
  output_list.clear();
  ranges.clear();
  for (const Output& output : outputs.items) {
    const size_t i = output_names.size();
    places.set_output(i, output.is_given ? output.value.memory : output.memory);
    output_names.push_back(output.name);
    output_list.emplace_back();
    if (!output.is_given) continue;
    output_list.back().provided = ortc::api::ref_to(output.value);
    ranges.add(output_list.back().provided, i);
  }
  ranges.sort();
  outputs_apart = ortc::api::check_apart(output_names, output_list, ranges, places);
}

// Once for all that was bound between two runs: programs bind each value of a model anew in each
// step.
void OrtIoBinding::list() {
  if (is_listed) return;
  places.clear();
  list_outputs();
  input_names.clear();
  input_list.clear();
  inputs_overlap = false;
  for (const Input& input : inputs.items) {
    places.set_input(input_names.size(), input.value.memory);
    input_names.push_back(input.name);
    input_list.push_back(ortc::api::ref_to(input.value));
    ranges.for_each_meeting(input_list.back(), [&](size_t k) {
      inputs_overlap =
          inputs_overlap || ortc::api::disturbs(*session, {input.name, input_list.back()},
                                                {output_names[k], output_list[k].provided});
    });
  }
  is_listed = true;
}

namespace ortc::api {
namespace {

// In place of the item of that name, which keeps its place.
template <typename Item>
void put(OrtIoBinding& binding, BoundItems<Item>& bound, Item item) {
  std::list<Item> made;
  made.push_back(std::move(item));
  binding.is_listed = false;
  const auto known = bound.find(made.front().name);
  if (known != bound.items.end()) {
    std::swap(*known, made.front());
  } else {
    bound.items.splice(bound.items.end(), made);
  }
}

// A tensor in place of one of as many dimensions, as when tokens come one by one: that needs no
// memory.
template <typename Item>
bool replace_tensor(OrtIoBinding& binding, BoundItems<Item>& bound, std::string_view name,
                    const OrtValue& value) {
  const auto known = bound.find(name);
  if (known == bound.items.end() || !value.is_tensor() || !known->value.is_tensor() ||
      value.tensor.dims().size() != known->value.tensor.dims().size()) {
    return false;
  }
  if constexpr (requires { known->is_given; }) {
    if (!known->is_given) return false;
  }
  known->value = value;
  binding.is_listed = false;
  return true;
}

Status run_with_copies(OrtIoBinding& binding, const ortc::RunOptions* options) {
  std::pmr::vector<Datum> copies;
  std::vector<ValueRef> inputs = binding.input_list;
  RETURN_IF_ERROR(separate_inputs(*binding.session, binding.input_names, inputs,
                                  binding.output_names, binding.output_list, binding.ranges,
                                  binding.places, copies));
  return binding.session->run_in_place({binding.input_names, inputs, binding.output_names,
                                        binding.output_list, options, nullptr,
                                        binding.places.places()});
}

Status run_bound(OrtIoBinding& binding, const ortc::RunOptions* options) {
  binding.list();
  RETURN_IF_ERROR(binding.outputs_apart);
  if (binding.output_names.empty()) {
    return invalid_argument("At least one output should be requested. None is bound");
  }
  RETURN_IF_ERROR(binding.inputs_overlap
                      ? run_with_copies(binding, options)
                      : binding.session->run_in_place({binding.input_names, binding.input_list,
                                                       binding.output_names, binding.output_list,
                                                       options, nullptr, binding.places.places()}));
  size_t i = 0;
  for (OrtIoBinding::Output& output : binding.outputs.items) {
    if (!output.is_given) {
      output.value.set(std::move(binding.output_list[i].made));
      output.value.memory =
          output.memory.is_host_readable() ? binding.result_memory : output.memory;
    }
    ++i;
  }
  return {};
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateIoBinding(OrtSession* session, OrtIoBinding** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    RETURN_IF_ERROR(session->model.runnable().status());
    auto made = std::make_unique<OrtIoBinding>();
    made->shared = session->shared;
    made->session = session->model.session;
    made->result_memory = session->result_memory;
    *out = made.release();
    return {};
  });
}

void OrtReleaseIoBinding(OrtIoBinding* input) { delete input; }

OrtStatus* OrtBindInput(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr) {
  return guard([&]() -> Status {
    ORTC_NEEDED(binding_ptr);
    ORTC_NEEDED(name);
    ORTC_NEEDED(val_ptr);
    if (!binding_ptr->session->has_input(name)) {
      return fail("the model has no input '", name, "' that could be bound");
    }
    if (api::replace_tensor(*binding_ptr, binding_ptr->inputs, name, *val_ptr)) return {};
    api::put(*binding_ptr, binding_ptr->inputs, {name, *val_ptr});
    return {};
  });
}

OrtStatus* OrtBindOutput(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr) {
  return guard([&]() -> Status {
    ORTC_NEEDED(binding_ptr);
    ORTC_NEEDED(name);
    ORTC_NEEDED(val_ptr);
    if (!val_ptr->tensor.is_defined()) {
      return invalid_argument("the value for output '", name, "' is not a tensor to fill");
    }
    if (api::replace_tensor(*binding_ptr, binding_ptr->outputs, name, *val_ptr)) return {};
    api::put(*binding_ptr, binding_ptr->outputs, {name, *val_ptr, /*is_given=*/true});
    return {};
  });
}

OrtStatus* OrtBindOutputToDevice(OrtIoBinding* binding_ptr, const char* name,
                                 const OrtMemoryInfo* mem_info_ptr) {
  return guard([&]() -> Status {
    ORTC_NEEDED(binding_ptr);
    ORTC_NEEDED(name);
    ORTC_NEEDED(mem_info_ptr);
    const bool is_on_host = mem_info_ptr->is_host_readable();
    if (!is_on_host &&
        binding_ptr->session->device_memory(api::core_memory_of(*mem_info_ptr)) == nullptr) {
      return not_implemented("output '", name, "' in memory '", mem_info_ptr->name,
                             "': no device of the session has it");
    }
    api::put(*binding_ptr, binding_ptr->outputs,
             {name, {}, /*is_given=*/false, is_on_host ? api::cpu_memory() : *mem_info_ptr});
    return {};
  });
}

OrtStatus* OrtRunWithBinding(OrtSession* session, const OrtRunOptions* run_options,
                             const OrtIoBinding* binding_ptr) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    ORTC_NEEDED(binding_ptr);
    if (binding_ptr->session != session->model.session) {
      return invalid_argument("the binding was made for another session");
    }
    if (run_options != nullptr && !run_options->options.config.empty()) {
      api::report_idle_keys(*session->shared, run_options->options.config,
                            session->shared->environment->providers().factories());
    }
    return api::run_bound(const_cast<OrtIoBinding&>(*binding_ptr),
                          run_options != nullptr ? &run_options->options : nullptr);
  });
}

OrtStatus* OrtGetBoundOutputNames(const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
                                  char** buffer, size_t** lengths, size_t* count) {
  return guard([&]() -> Status {
    api::empty_outs(buffer, lengths, count);
    ORTC_NEEDED(binding_ptr);
    ORTC_NEEDED(allocator);
    ORTC_NEEDED(buffer);
    ORTC_NEEDED(lengths);
    ORTC_NEEDED(count);
    if (binding_ptr->outputs.items.empty()) return {};
    std::string names;
    for (const auto& output : binding_ptr->outputs.items) names += output.name;
    ASSIGN_OR_RETURN(char* copy, api::copy_text(*allocator, names));
    api::OwnedBlock text(copy, {allocator});
    ASSIGN_OR_RETURN(void* sizes,
                     api::allocate(*allocator, binding_ptr->outputs.items.size() * sizeof(size_t)));
    *buffer = static_cast<char*>(text.release());
    *lengths = static_cast<size_t*>(sizes);
    for (const auto& output : binding_ptr->outputs.items)
      (*lengths)[(*count)++] = output.name.size();
    return {};
  });
}

OrtStatus* OrtGetBoundOutputValues(const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
                                   OrtValue*** output, size_t* output_count) {
  return guard([&]() -> Status {
    api::empty_outs(output, output_count);
    ORTC_NEEDED(binding_ptr);
    ORTC_NEEDED(allocator);
    ORTC_NEEDED(output);
    ORTC_NEEDED(output_count);
    if (binding_ptr->outputs.items.empty()) return {};
    std::vector<std::unique_ptr<OrtValue>> values;
    for (const auto& bound : binding_ptr->outputs.items) {
      values.push_back(std::make_unique<OrtValue>(bound.value));
    }
    ASSIGN_OR_RETURN(void* list, api::allocate(*allocator, values.size() * sizeof(OrtValue*)));
    *output = static_cast<OrtValue**>(list);
    for (auto& value : values) (*output)[(*output_count)++] = value.release();
    return {};
  });
}

void OrtClearBoundInputs(OrtIoBinding* binding_ptr) {
  if (binding_ptr == nullptr) return;
  binding_ptr->inputs.clear();
  binding_ptr->is_listed = false;
}

void OrtClearBoundOutputs(OrtIoBinding* binding_ptr) {
  if (binding_ptr == nullptr) return;
  binding_ptr->outputs.clear();
  binding_ptr->is_listed = false;
}

OrtStatus* OrtSynchronizeBoundInputs(OrtIoBinding* binding_ptr) {
  return guard([&]() -> Status {
    ORTC_NEEDED(binding_ptr);
    return binding_ptr->session->wait_for_devices();
  });
}

OrtStatus* OrtSynchronizeBoundOutputs(OrtIoBinding* binding_ptr) {
  return guard([&]() -> Status {
    ORTC_NEEDED(binding_ptr);
    return binding_ptr->session->wait_for_devices();
  });
}

}  // extern "C"
