// SPDX-License-Identifier: MIT
// ort_c/session.h: making sessions, and asking what they take and give. Runs are in run_api.cc.
#include <algorithm>
#include <functional>
#include <list>
#include <mutex>

#include "core/api/env/allocator.h"
#include "core/api/env/device_handles.h"
#include "core/api/env/env_handle.h"
#include "core/api/env/memory_info_handle.h"
#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/session/create_session.h"
#include "core/api/session/ep_assignment_handles.h"
#include "core/api/value/element_type.h"
#include "core/api/value/type_info_handles.h"
#include "ort_c/session.h"

namespace ortc::api {
namespace {

using Ports = const std::vector<Port> ModelPorts::*;

OrtStatus* count_ports(const OrtSession* session, Ports ports, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    *out = (session->model.ports().*ports).size();
    return {};
  });
}

Result<const Port*> port_at(const OrtSession& session, Ports ports, size_t index) {
  const std::vector<Port>& all = session.model.ports().*ports;
  if (index < all.size()) return &all[index];
  return invalid_argument("'index' is ", index, ", expected less than ", all.size());
}

OrtStatus* name_port(const OrtSession* session, Ports ports, size_t index, OrtAllocator* allocator,
                     char** value) {
  return guard([&]() -> Status {
    ORTC_OUT(value);
    ORTC_NEEDED(session);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(const Port* port, port_at(*session, ports, index));
    ASSIGN_OR_RETURN(*value, copy_text(*allocator, port->name));
    return {};
  });
}

OrtStatus* type_port(const OrtSession* session, Ports ports, size_t index,
                     OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_NEEDED(session);
    ASSIGN_OR_RETURN(const Port* port, port_at(*session, ports, index));
    *type_info = new OrtTypeInfo(type_info_of(port->type));
    return {};
  });
}

// One answer for each of `count` ports: `what` names the array.
template <typename T>
OrtStatus* fill_ports(const OrtSession* session, Ports ports, std::string_view what, T* out,
                      size_t room, const std::function<T(const OrtSession&, size_t)>& answer) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    const size_t count = (session->model.ports().*ports).size();
    if (room < count) {
      return invalid_argument("'", what, "' has room for ", room, ", but there are ", count);
    }
    if (count != 0 && out == nullptr) return invalid_argument("'", what, "' must not be NULL");
    for (size_t i = 0; i < count; ++i) out[i] = answer(*session, i);
    return {};
  });
}

std::shared_ptr<Profiler> profiler_of(const OrtSession& session) {
  const ModelFacts* facts = session.model.facts();
  return facts != nullptr ? facts->profiler : nullptr;
}

// Descriptions that live as long as the library. There are as many as kinds of memory.
const OrtMemoryInfo* lasting(const OrtMemoryInfo& info) {
  static std::mutex& mutex = *new std::mutex;
  static std::list<OrtMemoryInfo>& known = *new std::list<OrtMemoryInfo>;
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find(known, info);
  return found != known.end() ? &*found : &known.emplace_back(info);
}

using Places = const std::vector<PortPlace> PortPlaces::*;

// Null: nothing is known of it, or not of a session that runs.
const PortPlace* place_of(const OrtSession& session, Places places, size_t i) {
  if (session.model.session == nullptr) return nullptr;
  const std::vector<PortPlace>& all = session.model.session->places().*places;
  return i < all.size() ? &all[i] : nullptr;
}

// Where port i lies, when not on the host.
const OrtMemoryInfo* device_memory_of(const OrtSession& session, Places places, size_t i) {
  const PortPlace* const place = place_of(session, places, i);
  if (place == nullptr || place->memory == nullptr) return nullptr;
  return lasting(memory_info_of(place->memory->info()));
}

// The first device of the provider; the host's when it has none. Null for an input that nobody
// reads.
const OrtEpDevice* port_device_of(const OrtSession& session, Places places, size_t i) {
  const OrtEpDevice* const host = session.shared->devices.cpu();
  const PortPlace* const place = place_of(session, places, i);
  if (place == nullptr) return host;
  if (place->provider.empty()) return places == &PortPlaces::inputs ? nullptr : host;
  const OrtEpDevice* const* list = nullptr;
  size_t count = 0;
  session.shared->devices.show(&list, &count);
  const auto end = list + count;
  const auto found = std::find_if(
      list, end, [&](const OrtEpDevice* device) { return device->name == place->provider; });
  return found != end ? *found : host;
}

}  // namespace

}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateSession(const OrtEnv* env, const char* model_path,
                            const OrtSessionOptions* options, OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_path);
    ASSIGN_OR_RETURN(const ModelSource source, api::file_source(model_path));
    return api::create_session(*env, source, options, nullptr, out);
  });
}

OrtStatus* OrtCreateSessionFromArray(const OrtEnv* env, const void* model_data,
                                     size_t model_data_length, const OrtSessionOptions* options,
                                     OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ASSIGN_OR_RETURN(const ModelSource source, api::memory_source(model_data, model_data_length));
    return api::create_session(*env, source, options, nullptr, out);
  });
}

void OrtReleaseSession(OrtSession* session) { delete session; }

OrtStatus* OrtSessionGetInputCount(const OrtSession* session, size_t* out) {
  return api::count_ports(session, &ModelPorts::inputs, out);
}

OrtStatus* OrtSessionGetOutputCount(const OrtSession* session, size_t* out) {
  return api::count_ports(session, &ModelPorts::outputs, out);
}

OrtStatus* OrtSessionGetOverridableInitializerCount(const OrtSession* session, size_t* out) {
  return api::count_ports(session, &ModelPorts::overridable, out);
}

OrtStatus* OrtSessionGetInputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                  char** value) {
  return api::name_port(session, &ModelPorts::inputs, index, allocator, value);
}

OrtStatus* OrtSessionGetOutputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                   char** value) {
  return api::name_port(session, &ModelPorts::outputs, index, allocator, value);
}

OrtStatus* OrtSessionGetOverridableInitializerName(const OrtSession* session, size_t index,
                                                   OrtAllocator* allocator, char** value) {
  return api::name_port(session, &ModelPorts::overridable, index, allocator, value);
}

OrtStatus* OrtSessionGetInputTypeInfo(const OrtSession* session, size_t index,
                                      OrtTypeInfo** type_info) {
  return api::type_port(session, &ModelPorts::inputs, index, type_info);
}

OrtStatus* OrtSessionGetOutputTypeInfo(const OrtSession* session, size_t index,
                                       OrtTypeInfo** type_info) {
  return api::type_port(session, &ModelPorts::outputs, index, type_info);
}

OrtStatus* OrtSessionGetOverridableInitializerTypeInfo(const OrtSession* session, size_t index,
                                                       OrtTypeInfo** type_info) {
  return api::type_port(session, &ModelPorts::overridable, index, type_info);
}

OrtStatus* OrtSession_GetReportJson(const OrtSession* session, OrtAllocator* allocator,
                                    char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(*out, api::copy_text(*allocator, session->model.report_json()));
    return {};
  });
}

OrtStatus* OrtSession_GetMemoryReportJson(const OrtSession* session, OrtAllocator* allocator,
                                          char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(const ortc::Session* made, session->model.runnable());
    ASSIGN_OR_RETURN(const std::string report, made->memory_json());
    ASSIGN_OR_RETURN(*out, api::copy_text(*allocator, report));
    return {};
  });
}

OrtStatus* OrtSessionEndProfiling(OrtSession* session, OrtAllocator* allocator, char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    ORTC_NEEDED(allocator);
    std::string name;
    if (const auto profiler = api::profiler_of(*session); profiler != nullptr) {
      ASSIGN_OR_RETURN(name, profiler->end());
    }
    ASSIGN_OR_RETURN(*out, api::copy_text(*allocator, name));
    return {};
  });
}

OrtStatus* OrtSessionGetProfilingStartTimeNs(const OrtSession* session, uint64_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    const auto profiler = api::profiler_of(*session);
    *out = profiler != nullptr ? profiler->start_ns() : 0;
    return {};
  });
}

OrtStatus* OrtSessionGetMemoryInfoForInputs(const OrtSession* session,
                                            const OrtMemoryInfo** inputs_memory_info,
                                            size_t num_inputs) {
  return api::fill_ports<const OrtMemoryInfo*>(
      session, &ModelPorts::inputs, "inputs_memory_info", inputs_memory_info, num_inputs,
      [](const OrtSession& from, size_t i) {
        const auto* const memory = api::device_memory_of(from, &PortPlaces::inputs, i);
        return memory != nullptr ? memory : &api::cpu_memory();
      });
}

OrtStatus* OrtSessionGetMemoryInfoForOutputs(const OrtSession* session,
                                             const OrtMemoryInfo** outputs_memory_info,
                                             size_t num_outputs) {
  return api::fill_ports<const OrtMemoryInfo*>(
      session, &ModelPorts::outputs, "outputs_memory_info", outputs_memory_info, num_outputs,
      [](const OrtSession& from, size_t i) {
        const auto* const memory = api::device_memory_of(from, &PortPlaces::outputs, i);
        return memory != nullptr ? memory : api::lasting(from.result_memory);
      });
}

OrtStatus* OrtSessionGetEpDeviceForInputs(const OrtSession* session,
                                          const OrtEpDevice** inputs_ep_devices,
                                          size_t num_inputs) {
  return api::fill_ports<const OrtEpDevice*>(
      session, &ModelPorts::inputs, "inputs_ep_devices", inputs_ep_devices, num_inputs,
      [](const OrtSession& from, size_t i) {
        return api::port_device_of(from, &PortPlaces::inputs, i);
      });
}

OrtStatus* OrtSessionGetEpDeviceForOutputs(const OrtSession* session,
                                           const OrtEpDevice** outputs_ep_devices,
                                           size_t num_outputs) {
  return api::fill_ports<const OrtEpDevice*>(
      session, &ModelPorts::outputs, "outputs_ep_devices", outputs_ep_devices, num_outputs,
      [](const OrtSession& from, size_t i) {
        return api::port_device_of(from, &PortPlaces::outputs, i);
      });
}

}  // extern "C"
