// SPDX-License-Identifier: MIT
// What the test library does wrong with what is lent to it: too late, twice, or not its own.
#include <cstring>
#include <stdexcept>
#include <thread>

#include "test_library.h"

namespace test_library {
namespace {

// What was kept; the last one of each kind.
struct Kept {
  const OrtGraph* graph = nullptr;
  OrtGraph* view = nullptr;  // that was made of it
  const OrtNode* node = nullptr;
  const OrtValueInfo* value_info = nullptr;
  OrtEpGraphSupportInfo* support = nullptr;
  const OrtLogger* logger = nullptr;
  const OrtNodeComputeContext* compute_context = nullptr;
  OrtKernelContext* context = nullptr;
  const OrtValue* input = nullptr;
  OrtStatus* status = nullptr;
} kept;

OrtStatus* use_context(const std::string& what) {
  size_t count = 0;
  const OrtValue* input = nullptr;
  OrtValue* output = nullptr;
  const int64_t dims[] = {4};
  const OrtLogger* logger = nullptr;
  void* stream = nullptr;
  OrtSyncStream* sync_stream = nullptr;
  if (what == "input_count") return ort->KernelContext_GetInputCount(kept.context, &count);
  if (what == "output_count") return ort->KernelContext_GetOutputCount(kept.context, &count);
  if (what == "input") return ort->KernelContext_GetInput(kept.context, 0, &input);
  if (what == "output") return ort->KernelContext_GetOutput(kept.context, 0, dims, 1, &output);
  if (what == "context_logger") return ort->KernelContext_GetLogger(kept.context, &logger);
  if (what == "gpu_stream") return ort->KernelContext_GetGPUComputeStream(kept.context, &stream);
  if (what == "sync_stream") return ort->KernelContext_GetSyncStream(kept.context, &sync_stream);
  return ort->KernelContext_ParallelFor(
      kept.context, [](void*, size_t) {}, 10, 0, nullptr);
}

OrtStatus* use(const std::string& what) {
  size_t count = 0;
  const char* text = nullptr;
  const OrtKernelDef* def = nullptr;
  if (what == "graph") return ort->Graph_GetNumNodes(kept.graph, &count);
  if (what == "node") return ort->Node_GetName(kept.node, &text);
  if (what == "view") return ort->Graph_GetNumNodes(kept.view, &count);
  if (what == "view_of_view") {
    OrtGraph* made = nullptr;
    return ort->Graph_GetGraphView(kept.view, &kept.node, 1, &made);
  }
  if (what == "view_release") {
    ort->ReleaseGraph(kept.view);
    return nullptr;
  }
  if (what == "value_info") return ort->GetValueInfoName(kept.value_info, &text);
  if (what == "add_nodes") {
    return ep_api->EpGraphSupportInfo_AddNodesToFuse(kept.support, &kept.node, 1, nullptr);
  }
  if (what == "add_single") {
    return ep_api->EpGraphSupportInfo_AddSingleNode(kept.support, kept.node);
  }
  if (what == "look_up") {
    return ep_api->EpGraphSupportInfo_LookUpKernel(kept.support, kept.node, &def);
  }
  if (what == "logger") {
    return ort->Logger_LogMessage(kept.logger, ORT_LOGGING_LEVEL_ERROR, "late", "file", 1, "here");
  }
  if (what == "compute_context") {
    text = ep_api->NodeComputeContext_NodeName(kept.compute_context);
    return text == nullptr ? error("the context has no name") : nullptr;
  }
  if (what == "input_value") {
    const void* data = nullptr;
    return ort->GetTensorData(kept.input, &data);
  }
  return use_context(what);
}

// Inputs, outputs and a failure, all from threads of the library.
OrtStatus* compute_on_threads(const Info& info, OrtKernelContext* context) {
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const OrtValue *left = nullptr, *right = nullptr;
      OrtValue* output = nullptr;
      const int64_t dims[] = {4};
      const void *a = nullptr, *b = nullptr;
      void* y = nullptr;
      try {
        must(ort->KernelContext_GetInput(context, 0, &left));
        must(ort->KernelContext_GetInput(context, info.inputs.size() - 1, &right));
        must(ort->KernelContext_GetOutput(context, 0, dims, 1, &output));
        must(ort->GetTensorData(left, &a));
        must(ort->GetTensorData(right, &b));
        must(ort->GetTensorMutableData(output, &y));
      } catch (const std::exception&) {
        ++failures;
      }
      OrtStatus* refused = ort->KernelContext_GetInput(context, 77, &left);
      if (refused == nullptr) ++failures;
      ort->ReleaseStatus(refused);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures == 0 ? nullptr : error("a thread failed");
}

}  // namespace

void keep_graph(const Ep& ep, const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  if (ep.does("releases_graph")) ort->ReleaseGraph(const_cast<OrtGraph*>(graph));
  if (!ep.does("keeps") && !ep.does("keeps_view")) return;
  size_t count = 0;
  must(ort->Graph_GetNumNodes(graph, &count));
  std::vector<const OrtNode*> nodes(count);
  must(ort->Graph_GetNodes(graph, nodes.data(), count));
  must(ort->Graph_GetNumInputs(graph, &count));
  std::vector<const OrtValueInfo*> inputs(count);
  must(ort->Graph_GetInputs(graph, inputs.data(), count));
  kept.graph = graph;
  kept.node = nodes.at(0);
  kept.value_info = inputs.at(0);
  kept.support = support;
  if (!ep.does("keeps_view")) return;
  must(ort->Graph_GetGraphView(graph, nodes.data(), nodes.size(), &kept.view));
  must(ort->Graph_GetNumNodes(kept.view, &count));
  if (count != nodes.size()) throw std::runtime_error("a view of all nodes has others");
  must(ort->Graph_GetNodes(kept.view, nodes.data(), count));
  kept.node = nodes.at(0);
}

void keep_logger(const Ep& ep, const OrtLogger* logger) {
  if (ep.does("keeps")) kept.logger = logger;
}

void keep_compute_context(const Info& info, OrtNodeComputeContext* context) {
  if (info.fault == "keeps") kept.compute_context = context;
}

bool misuses_compute(const Info& info, OrtKernelContext* context, OrtStatus** answer) {
  const std::string& fault = info.fault;
  if (fault == "keeps") {
    kept.context = context;
    must(ort->KernelContext_GetInput(context, 0, &kept.input));
    return false;
  }
  if (fault == "asks_on_threads") {
    *answer = compute_on_threads(info, context);
    return *answer != nullptr;
  }
  if (fault == "leaks_statuses") {
    for (int i = 0; i < 3; ++i) kept.status = error("nobody releases this");
    return false;
  }
  if (fault == "status_released") {
    *answer = error("released");
    ort->ReleaseStatus(*answer);
    return true;
  }
  if (fault == "status_twice") {
    if (kept.status == nullptr) kept.status = error("the same again");
    *answer = kept.status;
    return true;
  }
  if (fault == "releases_values") {
    const OrtValue* input = nullptr;
    OrtValue* output = nullptr;
    const int64_t dims[] = {4};
    must(ort->KernelContext_GetInput(context, 0, &input));
    must(ort->KernelContext_GetOutput(context, 0, dims, 1, &output));
    ort->ReleaseValue(const_cast<OrtValue*>(input));
    ort->ReleaseValue(output);
    return false;
  }
  if (fault == "texts_in_floats") {
    OrtValue* output = nullptr;
    const int64_t dims[] = {4};
    const char* texts[] = {"a", "b", "c", "d"};
    must(ort->KernelContext_GetOutput(context, 0, dims, 1, &output));
    *answer = ort->FillStringTensor(output, texts, 4);
    return true;
  }
  if (fault == "not_utf8") {
    *answer = error("not \xff utf-8");
    return true;
  }
  return false;
}

}  // namespace test_library

using namespace test_library;

extern "C" {

// Uses what was kept, on another thread; gives code and text of the answer.
ORT_EXPORT int test_library_late(const char* what, char* text, size_t size) {
  int code = 0;
  std::thread([&] {
    OrtStatus* answer = use(what);
    if (answer == nullptr) return;
    code = ort->GetErrorCode(answer);
    std::strncpy(text, ort->GetErrorMessage(answer), size - 1);
    ort->ReleaseStatus(answer);
  }).join();
  return code;
}

ORT_EXPORT void test_library_forget_status() { kept.status = nullptr; }

// What ONNX Runtime's table does with a status that is used after its end.
ORT_EXPORT int test_library_status_too_late() {
  OrtStatus* status = error("once");
  ort->ReleaseStatus(status);
  ort->ReleaseStatus(status);
  const bool is_told = std::strstr(ort->GetErrorMessage(status), "released") != nullptr;
  return is_told && ort->GetErrorCode(status) == ORT_FAIL ? 1 : 0;
}

}  // extern "C"
