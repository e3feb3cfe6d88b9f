// SPDX-License-Identifier: MIT
// ort_c/session.h: making sessions, running them, asking what they take and give.
#include <algorithm>
#include <cstring>

#include "core/api/allocator.h"
#include "core/api/config_entries.h"
#include "core/api/element_type.h"
#include "core/api/guard.h"
#include "core/api/handles.h"
#include "core/api/session_settings.h"
#include "ort_c/session.h"

namespace ortc::api {
namespace {

Status make_session(const OrtEnv& env, const ModelSource& source, const OrtSessionOptions* options,
                    OrtSession** out) {
  ASSIGN_OR_RETURN(const ortc::SessionOptions resolved, resolve_options(options, *env.shared));
  auto session = std::make_unique<OrtSession>();
  session->shared = env.shared;
  ASSIGN_OR_RETURN(session->session, Session::create(env.shared->environment, source, resolved));
  *out = session.release();
  return {};
}

using Ports = const std::vector<Port>& (Session::*)() const;

OrtStatus* count_ports(const OrtSession* session, Ports ports, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    *out = ((*session->session).*ports)().size();
    return {};
  });
}

Result<const Port*> port_at(const OrtSession& session, Ports ports, size_t index) {
  const std::vector<Port>& all = ((*session.session).*ports)();
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

bool overlap(const Tensor& a, const Tensor& b) {
  if (a.dtype() == DType::kString) return a.data() == b.data() && b.dtype() == DType::kString;
  const auto a_begin = reinterpret_cast<uintptr_t>(a.data());
  const auto b_begin = reinterpret_cast<uintptr_t>(b.data());
  return a_begin < b_begin + b.byte_size() && b_begin < a_begin + a.byte_size() &&
         a.byte_size() != 0 && b.byte_size() != 0;
}

// The values of one run, as the session takes them.
struct RunValues {
  std::vector<std::string_view> input_names, output_names;
  std::vector<Datum> inputs, outputs;
};

Status collect_names(std::string_view what, const char* const* names, size_t count,
                     std::vector<std::string_view>& out) {
  if (count != 0 && names == nullptr) return invalid_argument("'", what, "' must not be NULL");
  for (size_t i = 0; i < count; ++i) {
    if (names[i] == nullptr) return invalid_argument("'", what, "[", i, "]' must not be NULL");
    out.emplace_back(names[i]);
  }
  return {};
}

Status collect_inputs(const OrtValue* const* inputs, size_t count, RunValues& values) {
  if (count != 0) ORTC_NEEDED(inputs);
  for (size_t i = 0; i < count; ++i) {
    if (inputs[i] == nullptr) {
      return invalid_argument("'inputs[", i, "]' (", values.input_names[i], ") must not be NULL");
    }
    values.inputs.push_back(inputs[i]->datum());
  }
  return {};
}

Status collect_outputs(OrtValue* const* outputs, size_t count, RunValues& values) {
  if (count == 0) return invalid_argument("'output_names_len' is 0, expected 1 or more");
  ORTC_NEEDED(outputs);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (values.output_names[i] == values.output_names[j]) {
        return invalid_argument("output '", values.output_names[i], "' is asked for twice");
      }
      if (outputs[i] != nullptr && outputs[j] != nullptr &&
          overlap(outputs[i]->tensor, outputs[j]->tensor)) {
        return invalid_argument("the values for outputs '", values.output_names[j], "' and '",
                                values.output_names[i], "' share memory");
      }
    }
    // A tensor is filled, any other content replaced.
    values.outputs.push_back(outputs[i] != nullptr ? Datum(outputs[i]->tensor) : Datum());
  }
  return {};
}

// Results are written while inputs are still read: an input that shares memory with an output is
// read from a copy.
Status separate_inputs(RunValues& values) {
  for (Datum& input : values.inputs) {
    const bool is_shared = std::ranges::any_of(values.outputs, [&](const Datum& output) {
      return input.is_tensor() && output.is_tensor() && overlap(*input.tensor(), *output.tensor());
    });
    if (!is_shared) continue;
    ASSIGN_OR_RETURN(input, copy_of(*input.tensor()));
  }
  return {};
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
    if (*model_path == '\0') return invalid_argument("'model_path' must not be empty");
    ModelSource source;
    source.path = model_path;
    return api::make_session(*env, source, options, out);
  });
}

OrtStatus* OrtCreateSessionFromArray(const OrtEnv* env, const void* model_data,
                                     size_t model_data_length, const OrtSessionOptions* options,
                                     OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_data);
    if (model_data_length == 0 || model_data_length > INT32_MAX) {
      return invalid_argument("'model_data_length' is ", model_data_length, ", expected 1 to ",
                              INT32_MAX);
    }
    ModelSource source;
    source.from_memory = true;
    source.bytes = Blob::copy_of({static_cast<const std::byte*>(model_data), model_data_length});
    return api::make_session(*env, source, options, out);
  });
}

void OrtReleaseSession(OrtSession* session) { delete session; }

OrtStatus* OrtRun(OrtSession* session, const OrtRunOptions* run_options,
                  const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
                  const char* const* output_names, size_t output_names_len, OrtValue** outputs) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    api::RunValues values;
    RETURN_IF_ERROR(api::collect_names("input_names", input_names, input_len, values.input_names));
    RETURN_IF_ERROR(
        api::collect_names("output_names", output_names, output_names_len, values.output_names));
    RETURN_IF_ERROR(api::collect_inputs(inputs, input_len, values));
    RETURN_IF_ERROR(api::collect_outputs(outputs, output_names_len, values));
    RETURN_IF_ERROR(api::separate_inputs(values));
    if (run_options != nullptr)
      api::report_idle_keys(*session->shared, run_options->options.config);
    RETURN_IF_ERROR(session->session->run_values(
        values.input_names, values.inputs, values.output_names, values.outputs,
        run_options != nullptr ? &run_options->options : nullptr));
    // All values are made before the first is given away.
    std::vector<std::unique_ptr<OrtValue>> made(output_names_len);
    for (size_t i = 0; i < output_names_len; ++i) {
      if (outputs[i] != nullptr) continue;
      made[i] = std::make_unique<OrtValue>();
      made[i]->set(std::move(values.outputs[i]));
    }
    for (size_t i = 0; i < output_names_len; ++i) {
      if (made[i] != nullptr) {
        outputs[i] = made[i].release();
      } else if (!outputs[i]->is_tensor()) {
        outputs[i]->set(std::move(values.outputs[i]));
      }
    }
    return {};
  });
}

OrtStatus* OrtSessionGetInputCount(const OrtSession* session, size_t* out) {
  return api::count_ports(session, &Session::inputs, out);
}

OrtStatus* OrtSessionGetOutputCount(const OrtSession* session, size_t* out) {
  return api::count_ports(session, &Session::outputs, out);
}

OrtStatus* OrtSessionGetOverridableInitializerCount(const OrtSession* session, size_t* out) {
  return api::count_ports(session, &Session::overridable, out);
}

OrtStatus* OrtSessionGetInputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                  char** value) {
  return api::name_port(session, &Session::inputs, index, allocator, value);
}

OrtStatus* OrtSessionGetOutputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                   char** value) {
  return api::name_port(session, &Session::outputs, index, allocator, value);
}

OrtStatus* OrtSessionGetOverridableInitializerName(const OrtSession* session, size_t index,
                                                   OrtAllocator* allocator, char** value) {
  return api::name_port(session, &Session::overridable, index, allocator, value);
}

OrtStatus* OrtSessionGetInputTypeInfo(const OrtSession* session, size_t index,
                                      OrtTypeInfo** type_info) {
  return api::type_port(session, &Session::inputs, index, type_info);
}

OrtStatus* OrtSessionGetOutputTypeInfo(const OrtSession* session, size_t index,
                                       OrtTypeInfo** type_info) {
  return api::type_port(session, &Session::outputs, index, type_info);
}

OrtStatus* OrtSessionGetOverridableInitializerTypeInfo(const OrtSession* session, size_t index,
                                                       OrtTypeInfo** type_info) {
  return api::type_port(session, &Session::overridable, index, type_info);
}

OrtStatus* OrtSession_GetReportJson(const OrtSession* session, OrtAllocator* allocator,
                                    char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(*out, api::copy_text(*allocator, session->session->report_json()));
    return {};
  });
}

}  // extern "C"
