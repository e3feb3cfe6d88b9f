// SPDX-License-Identifier: MIT
// What the files of the test library share. The library is one provider, built against the public
// headers only. It claims Mul of float32 and computes it, and does one thing wrong when it is told
// to: by what stands behind "?" in the name that it is registered under, or by the option "fault"
// of the provider.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "onnxruntime_c_api.h"

namespace test_library {

inline constexpr char kName[] = "TestLibraryEp";

inline const OrtApi* ort = nullptr;
inline const OrtEpApi* ep_api = nullptr;

// Objects that the runtime has not given back.
inline std::atomic<int> alive{0};

inline OrtStatus* error(const char* text) { return ort->CreateStatus(ORT_NOT_FOUND, text); }

struct Info;

// A run that is captured: where its values lie.
struct Recording {
  const Info* info = nullptr;
  std::vector<const float*> inputs;
  std::vector<float*> outputs;
  size_t count = 0;  // of each value
  int runs = 0;
};

struct Ep : OrtEp {
  Ep() : OrtEp{} { ++alive; }
  ~Ep() { --alive; }
  bool does(const char* what) const { return fault == what; }
  std::string fault, name = kName;
  const OrtSessionOptions* options = nullptr;  // of the session, as long as this
  bool groups_all = false, drops = false, makes_contexts = false, captures = false;
  int recording = 0;  // that the run is for
  std::map<int, Recording> recordings;
};

struct Step {
  std::string left, right, result;
};

struct Info : OrtNodeComputeInfo {
  Info() : OrtNodeComputeInfo{} { ++alive; }
  ~Info() { --alive; }
  std::string fault;
  Ep* ep = nullptr;
  std::vector<Step> steps;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, std::vector<float>> constants;
};

inline Ep& own(OrtEp* ep) { return *static_cast<Ep*>(ep); }
inline const Ep& own(const OrtEp* ep) { return *static_cast<const Ep*>(ep); }
inline Info& own(OrtNodeComputeInfo* info) { return *static_cast<Info*>(info); }

// Of the calls below only those that are meant to fail do; throws what they say.
void must(OrtStatus* status);
std::vector<std::string> inputs_of(const OrtNode* node);
std::vector<std::string> outputs_of(const OrtNode* node);

// The computing part: what a claimed graph becomes.
std::unique_ptr<Info> compile_one(Ep& ep, const OrtGraph* graph, const OrtNode* fused);

void run_steps(const Info& info, std::map<std::string, std::vector<float>>& values);

// What a library must not do with what is lent to it, for faults that say so. Each remembers what
// test_library_late() then uses too late.
void keep_graph(const Ep& ep, const OrtGraph* graph, OrtEpGraphSupportInfo* support);
void keep_logger(const Ep& ep, const OrtLogger* logger);
void keep_compute_context(const Info& info, OrtNodeComputeContext* context);
// What Compute does in place of computing; null: it computes.
bool misuses_compute(const Info& info, OrtKernelContext* context, OrtStatus** answer);

// Functions of other files for a provider whose fault names them.
void add_profiler(Ep& ep);
void add_capture(Ep& ep);

// At the beginning of a run, and when it has computed values of the shape `dims`.
void begin_recording(Ep& ep, const OrtRunOptions* options);
void record(const Info& info, OrtKernelContext* context, const std::vector<int64_t>& dims);

}  // namespace test_library
