// SPDX-License-Identifier: MIT
// ort_c/ort_api.h: entries without a function behind them answer for themselves. Each is called by
// its own type, with zeros.
#include <fstream>
#include <map>
#include <string>

#include "ort_c/ort_c.h"
#include "tests/support/test.h"

namespace {

const OrtApi* ort_api() { return OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION); }

int called = 0;

// The list of these entries has a row for each, and a header.
int rows_of_coverage() {
  std::ifstream list(ORTC_SOURCE_DIR "/tests/api/ort_coverage.tsv");
  int lines = 0;
  for (std::string line; std::getline(list, line);) ++lines;
  return lines - 1;
}

// The provider that the entry is for, as programs call it.
std::string provider_of(const std::string& entry) {
  const std::map<std::string, std::string> providers = {
      {"TensorRT", "TensorrtExecutionProvider"},
      {"CUDA", "CUDAExecutionProvider"},
      {"ROCM", "ROCMExecutionProvider"},
      {"CANN", "CANNExecutionProvider"},
      {"Dnnl", "DnnlExecutionProvider"},
      {"MIGraphX", "MIGraphXExecutionProvider"},
      {"OpenVINO", "OpenVINOExecutionProvider"},
      {"VitisAI", "VitisAIExecutionProvider"},
      {"GpuDeviceId", "CUDAExecutionProvider or ROCMExecutionProvider"}};
  for (const auto& [word, provider] : providers) {
    if (entry.find(word) != std::string::npos) return provider + ";";
  }
  return "a name for " + entry;
}

template <typename... Arguments>
void check_refuses(const std::string& text, OrtStatus* (*entry)(Arguments...)) {
  OrtStatus* status = entry(Arguments{}...);
  CHECK(status != nullptr);
  CHECK_EQ(static_cast<int>(OrtGetErrorCode(status)), static_cast<int>(ORT_NOT_IMPLEMENTED));
  const std::string message = OrtGetErrorMessage(status);
  CHECK(message.find(text) != std::string::npos);
  OrtReleaseStatus(status);
  ++called;
}

template <typename Result, typename... Arguments>
void check_does_nothing(Result (*entry)(Arguments...)) {
  if constexpr (std::is_void_v<Result>) {
    entry(Arguments{}...);
  } else {
    CHECK(entry(Arguments{}...) == Result{});
  }
  ++called;
}

}  // namespace

#define ORTC_OWN(table, member)
#define ORTC_FLAT(table, member)
#define ORTC_ENV(table, member)
#define ORTC_VENDOR(table, member)                                                    \
  check_refuses(#table "::" #member                                                   \
                       ": ortc 1.0.0 has no such execution provider: this build has " \
                       "no " +                                                        \
                    provider_of(#member),                                             \
                entries->member);
#define ORTC_NOTHING(table, member) check_does_nothing(entries->member);

TEST(tables, stubs_name_themselves_or_do_nothing) {
  {
    [[maybe_unused]] const OrtApi* entries = ort_api();
#define ORTC_FILL_OrtApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtApi
  }
  {
    [[maybe_unused]] const OrtEpApi* entries = ort_api()->GetEpApi();
#define ORTC_FILL_OrtEpApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtEpApi
  }
  {
    [[maybe_unused]] const OrtModelEditorApi* entries = ort_api()->GetModelEditorApi();
#define ORTC_FILL_OrtModelEditorApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtModelEditorApi
  }
  {
    [[maybe_unused]] const OrtCompileApi* entries = ort_api()->GetCompileApi();
#define ORTC_FILL_OrtCompileApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtCompileApi
  }
  {
    [[maybe_unused]] const OrtInteropApi* entries = ort_api()->GetInteropApi();
#define ORTC_FILL_OrtInteropApi
#include "core/api/abi/ort_table_entries.inc"
#undef ORTC_FILL_OrtInteropApi
  }
  CHECK_EQ(called, rows_of_coverage());
}

#undef ORTC_OWN
#undef ORTC_FLAT
#undef ORTC_ENV
#undef ORTC_VENDOR
#undef ORTC_NOTHING

TEST(tables, what_there_is_none_of_is_null) {
  CHECK(ort_api()->GetTrainingApi(1) == nullptr);
  CHECK(ort_api()->GetExperimentalFunction("OrtApi_Something_SinceV28") == nullptr);
  CHECK(ort_api()->GetExperimentalFunction(nullptr) == nullptr);
}
