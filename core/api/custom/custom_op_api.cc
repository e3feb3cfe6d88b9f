// SPDX-License-Identifier: MIT
// ort_c/custom_op.h: domains, and libraries of operators. What inference functions call is in
// shape_inference.cc.
#include "core/api/custom/custom_domain.h"
#include "core/api/custom/op_declaration.h"
#include "core/api/guard.h"
#include "core/api/session/session_options_handle.h"
#include "core/platform/machine/shared_library.h"
#include "ort_c/ort_api.h"

using namespace ortc;
using api::guard;

namespace {

constexpr const char* kRegisterFunction = "RegisterCustomOps";

RegisterCustomOpsFn find_function(const SharedLibrary& library, const char* name) {
  return reinterpret_cast<RegisterCustomOpsFn>(library.find(name));
}

// Lets the library's function add its domains. What it added stays when it fails, as it may have
// more to say; the options keep the library then, too.
Status call_register(OrtSessionOptions& options, RegisterCustomOpsFn function, const char* name) {
  OrtStatus* answer = nullptr;
  Status status = api::take_status(guard([&]() -> Status {
    answer = function(&options, OrtcGetApiBase());
    return {};
  }));
  if (status.is_ok()) status = api::take_status(answer);
  return std::move(status.note(name));
}

Result<std::shared_ptr<SharedLibrary>> register_library(OrtSessionOptions& options,
                                                        const char* path) {
  if (*path == '\0') return invalid_argument("the path of the library must not be empty");
  ASSIGN_OR_RETURN(std::shared_ptr<SharedLibrary> library, SharedLibrary::open_named(path));
  const auto function = find_function(*library, kRegisterFunction);
  if (function == nullptr) {
    return fail("the library '", path, "' has no function ", kRegisterFunction);
  }
  // Whatever of it is in the options must not outlive it.
  options.custom.libraries.push_back(library);
  RETURN_IF_ERROR_WHILE(call_register(options, function, kRegisterFunction),
                        "custom operators of '", path, "'");
  return library;
}

}  // namespace

extern "C" {

OrtStatus* OrtCreateCustomOpDomain(const char* domain, OrtCustomOpDomain** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(domain);
    auto made = std::make_unique<OrtCustomOpDomain>();
    made->content = std::make_shared<api::DomainContent>();
    if (std::string_view(domain) != "ai.onnx") made->content->name = domain;
    *out = made.release();
    return {};
  });
}

OrtStatus* OrtCustomOpDomain_Add(OrtCustomOpDomain* custom_op_domain, const OrtCustomOp* op) {
  return guard([&]() -> Status {
    ORTC_NEEDED(custom_op_domain);
    ORTC_NEEDED(op);
    RETURN_IF_ERROR(api::check_custom_op(*op));
    api::DomainContent& content = *custom_op_domain->content;
    const std::lock_guard lock(content.mutex);
    content.operators.push_back(op);
    return {};
  });
}

OrtStatus* OrtAddCustomOpDomain(OrtSessionOptions* options, OrtCustomOpDomain* custom_op_domain) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(custom_op_domain);
    const auto& content = custom_op_domain->content;
    auto& domains = options->custom.domains;
    // The same one again changes nothing.
    for (const auto& known : domains) {
      if (known == content) return {};
    }
    domains.push_back(content);
    return {};
  });
}

void OrtReleaseCustomOpDomain(OrtCustomOpDomain* custom_op_domain) { delete custom_op_domain; }

OrtStatus* OrtRegisterCustomOpsLibrary_V2(OrtSessionOptions* options, const char* library_name) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(library_name);
    return register_library(*options, library_name).status();
  });
}

OrtStatus* OrtRegisterCustomOpsLibrary(OrtSessionOptions* options, const char* library_path,
                                       void** library_handle) {
  return guard([&]() -> Status {
    ORTC_OUT(library_handle);
    ORTC_NEEDED(options);
    ORTC_NEEDED(library_path);
    ASSIGN_OR_RETURN(auto library, register_library(*options, library_path));
    *library_handle = library->release_handle();
    return {};
  });
}

OrtStatus* OrtRegisterCustomOpsUsingFunction(OrtSessionOptions* options,
                                             const char* registration_func_name) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    ORTC_NEEDED(registration_func_name);
    ASSIGN_OR_RETURN(const auto program, SharedLibrary::open_program());
    const auto function = find_function(*program, registration_func_name);
    if (function == nullptr) {
      // Clients of ONNX Runtime look for its first words.
      return fail("Failed to get symbol ", registration_func_name,
                  ": the loader finds no such function; a program exports its own with -rdynamic");
    }
    return call_register(*options, function, registration_func_name);
  });
}

OrtStatus* OrtEnableOrtCustomOps(OrtSessionOptions* options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    return fail(
        "EnableOrtCustomOps: onnxruntime-extensions is not part of this library; give its own "
        "library to OrtRegisterCustomOpsLibrary_V2()");
  });
}

}  // extern "C"
