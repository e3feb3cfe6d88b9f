// SPDX-License-Identifier: MIT
// Registers, chooses, runs, compares: see the header.
#include "tools/ortc/ep_test/probe.h"

#include <algorithm>

#include "tools/ortc/ep_test/fixed_run.h"
#include "tools/ortc/ep_test/probe_model.h"
#include "tools/ortc/library/run.h"
#include "tools/ortc/values/elements.h"
#include "tools/ortc/values/inputs.h"

namespace ortc::tool {
namespace {

std::vector<const OrtEpDevice*> all_devices(const OrtEnv* env) {
  const OrtEpDevice* const* list = nullptr;
  size_t count = 0;
  check(OrtGetEpDevices(env, &list, &count));
  return {list, list + count};
}

const std::string& model_bytes() {
  static const std::string bytes = probe_model();
  return bytes;
}

ONNXTensorElementDataType type_of(const OrtValue* value) {
  int is_tensor = 0;
  check(OrtIsTensor(value, &is_tensor));
  if (is_tensor == 0) return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const auto info = make<ShapeInfo>(OrtGetTensorTypeAndShape, value);
  check(OrtGetTensorElementType(info.get(), &type));
  return type;
}

}  // namespace

Probe::Probe(const EpTestArguments& arguments, const std::string& library)
    : arguments_(arguments), registration_(arguments.registration), env_(make_env(false)) {
  others_ = all_devices(env_.get());
  const std::string& path = library.empty() ? arguments.library : library;
  check(OrtRegisterExecutionProviderLibrary(env_.get(), registration_.c_str(), path.c_str()));
}

std::vector<const OrtEpDevice*> Probe::devices(const std::string& provider) const {
  std::vector<const OrtEpDevice*> found;
  for (const OrtEpDevice* device : all_devices(env_.get())) {
    if (std::find(others_.begin(), others_.end(), device) != others_.end()) continue;
    if (provider.empty() || provider == OrtEpDevice_EpName(device)) found.push_back(device);
  }
  return found;
}

std::vector<std::string> Probe::providers() const {
  std::vector<std::string> names;
  for (const OrtEpDevice* device : devices()) {
    const std::string name = OrtEpDevice_EpName(device);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

SessionOptions Probe::plain_options() const {
  SessionOptions options = make<SessionOptions>(OrtCreateSessionOptions);
  check(
      OrtAddSessionConfigEntry(options.get(), kOrtSessionOptionsRecordEpGraphAssignmentInfo, "1"));
  return options;
}

SessionOptions Probe::options() const {
  SessionOptions options = plain_options();
  const auto names = providers();
  if (names.empty()) throw failure("the library offers no device on this machine");
  const auto chosen = devices(names.front());
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : arguments_.provider_options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  check(OrtSessionOptionsAppendExecutionProvider_V2(options.get(), env_.get(), chosen.data(),
                                                    chosen.size(), keys.data(), values.data(),
                                                    keys.size()));
  return options;
}

Session Probe::session(const OrtSessionOptions* options) const {
  if (!arguments_.model.empty()) return session_of(arguments_.model, options);
  return make<Session>(OrtCreateSessionFromArray, env(), model_bytes().data(), model_bytes().size(),
                       options);
}

Session Probe::session_of(const std::string& path, const OrtSessionOptions* options) const {
  return make<Session>(OrtCreateSession, env(), path.c_str(), options);
}

size_t Probe::claimed(const OrtSession* session) const {
  const OrtEpAssignedSubgraph* const* parts = nullptr;
  size_t count = 0, claimed = 0;
  check(OrtSession_GetEpGraphAssignmentInfo(session, &parts, &count));
  const std::string provider = providers().front();
  for (size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    const OrtEpAssignedNode* const* nodes = nullptr;
    size_t node_count = 0;
    check(OrtEpAssignedSubgraph_GetEpName(parts[i], &name));
    check(OrtEpAssignedSubgraph_GetNodes(parts[i], &nodes, &node_count));
    if (provider == name) claimed += node_count;
  }
  return claimed;
}

std::vector<Value> Probe::run(OrtSession* session) const {
  const auto inputs = make_inputs(session, {}, WhenMissing::kRandom);
  const auto ports = session_outputs(session);
  Runs runs(session, inputs, ports);
  runs.add_config(kOrtRunOptionsConfigCudaGraphAnnotation, "-1");  // is not captured
  return runs.run();
}

std::string Probe::difference(OrtSession* session) const {
  if (expected_.empty()) {
    const SessionOptions options = plain_options();
    const Session reference = this->session(options.get());
    expected_ = run(reference.get());
  }
  return compare(session, run(session), expected_);
}

std::string Probe::difference_in_place(OrtSession* session) const {
  const SessionOptions options = plain_options();
  const Session reference = this->session(options.get());
  const auto first = make_inputs(session, {}, WhenMissing::kRandom);
  const auto ports = session_outputs(session);
  const std::vector<Value> like = Runs(reference.get(), first, ports).run();
  const bool are_tensors =
      std::all_of(first.begin(), first.end(),
                  [](const Input& input) { return is_tensor(input.value.get()); }) &&
      std::all_of(like.begin(), like.end(),
                  [](const Value& value) { return is_tensor(value.get()); });
  if (!are_tensors) return "";
  const FixedRun fixed(env(), session, first, like);
  InputArguments others;
  for (const Input& input : first) others.inputs.push_back(input.name + "=random:7");
  const auto second = make_inputs(session, others, WhenMissing::kRandom);
  // The second run finds what the first may have captured, the third other numbers there.
  for (const auto* inputs : {&first, &first, &second, &first}) {
    const std::vector<Value> expected = Runs(reference.get(), *inputs, ports).run();
    std::string text = compare(session, fixed.run(*inputs), expected);
    if (!text.empty()) return text;
  }
  return "";
}

std::string Probe::compare(OrtSession* session, const std::vector<Value>& found,
                           const std::vector<Value>& expected) const {
  const auto ports = session_outputs(session);
  for (size_t i = 0; i < found.size() && i < expected.size(); ++i) {
    const auto type = type_of(found[i].get());
    const std::string where = "output '" + ports[i].name + "': ";
    if (type != type_of(expected[i].get())) return where + "another type than on the CPU";
    if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) continue;
    const Difference difference =
        difference_of(array_from_value(found[i].get()), array_from_value(expected[i].get()), type,
                      {arguments_.relative, arguments_.absolute});
    if (!difference.reason.empty()) return where + difference.reason;
    if (difference.count > 0) {
      return where + std::to_string(difference.count) + " of " +
             std::to_string(difference.element_count) +
             " numbers are not the CPU's, the largest difference is " +
             std::to_string(difference.largest);
    }
  }
  return found.size() == expected.size() ? "" : "another number of outputs than on the CPU";
}

void Probe::unregister() {
  check(OrtUnregisterExecutionProviderLibrary(env_.get(), registration_.c_str()));
}

void set_model(OrtModelCompilationOptions* options, const EpTestArguments& arguments) {
  if (!arguments.model.empty()) {
    check(OrtModelCompilationOptions_SetInputModelPath(options, arguments.model.c_str()));
  } else {
    check(OrtModelCompilationOptions_SetInputModelFromBuffer(options, model_bytes().data(),
                                                             model_bytes().size()));
  }
}

}  // namespace ortc::tool
