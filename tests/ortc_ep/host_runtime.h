// SPDX-License-Identifier: MIT
// A runtime that loads libortc_ep.so, seen through ONNX Runtime's tables alone: ortc itself, and
// the real one that ORTC_ORT_LIBRARY names. What is tested is the same for both.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/key_values.h"
#include "core/base/tensor.h"
#include "ort_c/onnxruntime_c_api.h"

namespace ortc::test {

// Code and message of a status; ends it.
struct Told {
  int code = ORT_OK;
  std::string text;
  bool is_ok() const;  // says what it is otherwise
  bool has(int expected, const std::string& part) const;
};

class HostRuntime {
 public:
  // Registers the library and finds its device. `name`: that it is registered under.
  HostRuntime(const OrtApiBase& base, std::string label, std::string name,
              const std::string& library = ORTC_EP_LIBRARY);
  ~HostRuntime();
  HostRuntime(const HostRuntime&) = delete;
  HostRuntime& operator=(const HostRuntime&) = delete;

  const OrtApi& api() const { return *api_; }
  OrtEnv* env() const { return env_; }
  const std::string& label() const { return label_; }
  const std::string& ep() const { return ep_; }
  // Of the context binary of a model that is called `stem`.
  std::string binary(const std::string& stem) const {
    return stem + (is_ort_ ? "_aot.bin" : "_secondaot.bin");
  }
  bool is_ort() const { return is_ort_; }
  const OrtEpDevice* device() const { return device_; }
  Told told(OrtStatus* status) const;

  using Options = std::shared_ptr<OrtSessionOptions>;
  // With the provider and these config entries; what does not begin with "ep." or "session." is an
  // option of the provider. The host's CPU provider may take no node unless it is said so.
  Options options(const KeyValues& entries = {}, bool whole = true) const;

  struct Session {
    std::shared_ptr<OrtSession> handle;
    Told told;
  };
  Session load(const std::string& path, const Options& options) const;
  Session load_bytes(const std::string& model, const Options& options) const;
  // All outputs, for inputs in the model's order. The test fails when the run does.
  std::vector<Tensor> run(const Session& session, const std::vector<Tensor>& inputs) const;
  Told try_run(const Session& session, const std::vector<Tensor>& inputs,
               std::vector<Tensor>* outputs) const;
  // By the Compile API, to a file or, with `bytes`, to memory.
  Told compile(const std::string& source, const std::string& output, bool embed,
               const KeyValues& entries = {}, std::string* bytes = nullptr) const;

 private:
  std::vector<std::string> names(const OrtSession& session, bool of_inputs) const;

  std::string label_, registration_, ep_;
  bool is_ort_;
  const OrtApi* api_ = nullptr;
  OrtEnv* env_ = nullptr;
  const OrtEpDevice* device_ = nullptr;
};

// ortc as a host, and ONNX Runtime when there is one; it says so when there is none.
const std::vector<std::unique_ptr<HostRuntime>>& host_runtimes();
const HostRuntime* real_onnx_runtime();  // null when there is none

}  // namespace ortc::test
