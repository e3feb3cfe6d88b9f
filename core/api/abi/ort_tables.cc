// SPDX-License-Identifier: MIT
// ort_c/ort_api.h: ONNX Runtime's tables. An entry X is OrtX when there is such a function; the
// others answer for themselves, so that no entry is NULL. What stands where is generated.
#include <cstdio>

#include "core/api/abi/ort_table_overrides.h"
#include "core/api/abi/vendor_names.h"
#include "core/api/guard.h"
#include "core/api/model/model_package_table.h"
#include "core/api/plugin/context_config_table.h"
#include "core/api/plugin/kernels/kernels_table.h"
#include "core/api/plugin/plugin_table.h"
#include "core/api/plugin/profiling/profiling_table.h"
#include "core/api/plugin/schema/op_schema_table.h"
#include "core/base/version.h"
#include "ort_c/ort_c.h"

namespace ortc::api::table {
namespace {

// The release that has the tables of ORTC_ORT_API_VERSION; programs parse it.
#define ORTC_ORT_VERSION "1.31.0"

OrtStatus* no_vendor(const char* entry) noexcept {
  return guard([&]() -> Status {
    return not_implemented(entry, ": ortc ", kLibraryVersion,
                           " has no such execution provider: this build has no ", vendor_of(entry),
                           "; GetAvailableProviders lists those there are");
  });
}

// Any entry that has no status: does nothing, gives NULL, 0 or false.
template <typename Result, typename... Arguments>
Result nothing(Arguments...) noexcept {
  return Result();
}

// The words of the generated list.
#define ORTC_OWN(table_name, member) .member = table::member,
#define ORTC_PACKAGE(table_name, member) .member = package::member,
#define ORTC_FLAT(table_name, member) .member = Ort##member,
#define ORTC_ENV(table_name, member)                                    \
  .member = [](auto... arguments) -> OrtStatus* {                       \
    return join_env<decltype(arguments)...>(Ort##member, arguments...); \
  },
#define ORTC_VENDOR(table_name, member)         \
  .member = [](auto...) -> OrtStatus* {         \
    static_assert(!vendor_of(#member).empty()); \
    return no_vendor(#table_name "::" #member); \
  },
#define ORTC_NOTHING(table_name, member) .member = nothing,

constexpr OrtApi kApi = {
#define ORTC_FILL_OrtApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtApi
};

constexpr OrtEpApi kEpApi = {
#define ORTC_FILL_OrtEpApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtEpApi
};

constexpr OrtModelEditorApi kModelEditorApi = {
#define ORTC_FILL_OrtModelEditorApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtModelEditorApi
};

constexpr OrtCompileApi kCompileApi = {
#define ORTC_FILL_OrtCompileApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtCompileApi
};

constexpr OrtInteropApi kInteropApi = {
#define ORTC_FILL_OrtInteropApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtInteropApi
};

constexpr OrtModelPackageApi kModelPackageApi = {
#define ORTC_FILL_OrtModelPackageApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtModelPackageApi
};

constexpr OrtApiBase kApiBase = {
#define ORTC_FILL_OrtApiBase
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtApiBase
};

}  // namespace

const OrtApi* GetApi(uint32_t version) noexcept {
  if (version >= 1 && version <= ORTC_ORT_API_VERSION) return &kApi;
  std::fprintf(stderr,
               "ortc %.*s has the versions 1 to %d of the interface, but %u was asked for\n",
               static_cast<int>(kLibraryVersion.size()), kLibraryVersion.data(),
               ORTC_ORT_API_VERSION, static_cast<unsigned>(version));
  return nullptr;
}

const char* GetVersionString() noexcept { return ORTC_ORT_VERSION; }
const OrtEpApi* GetEpApi() noexcept { return &kEpApi; }
const OrtModelEditorApi* GetModelEditorApi() noexcept { return &kModelEditorApi; }
const OrtCompileApi* GetCompileApi() noexcept { return &kCompileApi; }
const OrtInteropApi* GetInteropApi() noexcept { return &kInteropApi; }
const OrtModelPackageApi* GetModelPackageApi() noexcept { return &kModelPackageApi; }

}  // namespace ortc::api::table

extern "C" const OrtApiBase* OrtcGetApiBase(void) { return &ortc::api::table::kApiBase; }
