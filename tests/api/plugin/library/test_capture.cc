// SPDX-License-Identifier: MIT
// How the test library captures runs: it keeps where their values lie, and computes there again.
// And what can be wrong with that.
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "test_library.h"

namespace test_library {
namespace {

constexpr int kRunsToCapture = 3;
std::atomic<int> replays{0}, releases{0};

bool is_captured(const OrtEp* self, int id) noexcept(false) {
  const Ep& ep = own(self);
  if (ep.does("capture_answer_throws")) throw std::runtime_error("thrown in place of an answer");
  if (ep.does("capture_at_once")) return true;
  const auto found = ep.recordings.find(id);
  return found != ep.recordings.end() && found->second.runs >= kRunsToCapture;
}

OrtStatus* replay(OrtEp* self, int id) {
  Ep& ep = own(self);
  if (ep.does("capture_replay_error")) return error("cannot do it again");
  const Recording& recording = ep.recordings.at(id);
  std::map<std::string, std::vector<float>> values = recording.info->constants;
  for (size_t i = 0; i < recording.inputs.size(); ++i) {
    const float* data = recording.inputs[i];
    values[recording.info->inputs[i]] = {data, data + recording.count};
  }
  run_steps(*recording.info, values);
  for (size_t i = 0; i < recording.outputs.size(); ++i) {
    const auto& numbers = values[recording.info->outputs[i]];
    std::memcpy(recording.outputs[i], numbers.data(), numbers.size() * sizeof(float));
  }
  ++replays;
  return nullptr;
}

OrtStatus* release(OrtEp* self, int id) {
  if (own(self).does("capture_release_error")) return error("not given back");
  own(self).recordings.erase(id);
  ++releases;
  return nullptr;
}

}  // namespace

void begin_recording(Ep& ep, const OrtRunOptions* options) {
  const char* id = ort->GetRunConfigEntry(options, "gpu_graph_id");
  ep.recording = id != nullptr ? std::atoi(id) : 0;
}

void record(const Info& info, OrtKernelContext* context, const std::vector<int64_t>& dims) {
  Recording& recording = info.ep->recordings[info.ep->recording];
  recording.info = &info;
  recording.inputs.clear();
  recording.outputs.clear();
  recording.count = 1;
  for (int64_t dim : dims) recording.count *= static_cast<size_t>(dim);
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    const OrtValue* value = nullptr;
    const void* data = nullptr;
    must(ort->KernelContext_GetInput(context, i, &value));
    must(ort->GetTensorData(value, &data));
    recording.inputs.push_back(static_cast<const float*>(data));
  }
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    OrtValue* value = nullptr;
    void* data = nullptr;
    must(ort->KernelContext_GetOutput(context, i, dims.data(), dims.size(), &value));
    must(ort->GetTensorMutableData(value, &data));
    recording.outputs.push_back(static_cast<float*>(data));
  }
  if (!info.ep->does("capture_never")) ++recording.runs;
}

void add_capture(Ep& ep) {
  if (ep.fault.rfind("capture", 0) != 0) return;
  ep.captures = true;
  ep.IsGraphCaptureEnabled = [](const OrtEp* self) {
    if (own(self).does("capture_throws")) throw std::runtime_error("thrown in place of yes");
    return true;
  };
  ep.IsGraphCaptured = ep.does("capture_lacks") ? nullptr : is_captured;
  ep.ReplayGraph = replay;
  ep.ReleaseCapturedGraph = ep.does("capture_cannot_release") ? nullptr : release;
  if (ep.does("capture_shapes") || ep.does("capture_policy")) {
    ep.GetGraphCaptureNodeAssignmentPolicy = [](const OrtEp* self) {
      return own(self).does("capture_policy")
                 ? static_cast<OrtGraphCaptureNodeAssignmentPolicy>(7)
                 : OrtGraphCaptureNodeAssignmentPolicy_ALLOW_CPU_FOR_SHAPES;
    };
  }
  if (ep.does("capture_version_25")) ep.ort_version_supported = 25;
}

}  // namespace test_library

extern "C" {

ORT_EXPORT int test_library_replays() { return test_library::replays; }
ORT_EXPORT int test_library_releases() { return test_library::releases; }

}  // extern "C"
