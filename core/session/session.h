// SPDX-License-Identifier: MIT
// A session: a model made ready to run, from source or from a context. run() may be called by any
// number of threads at the same time; nothing else changes a session.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/context/compile_report.h"
#include "core/graph/model.h"
#include "core/partition/partitioner.h"
#include "core/run/executor.h"
#include "core/session/environment.h"
#include "core/session/profiler.h"
#include "core/session/session_options.h"

namespace ortc {

// Progress of making a session or compiling; a failure returned stops the work and comes back
// unchanged.
using Progress = std::function<Status(std::string_view stage, std::string_view detail, size_t done,
                                      size_t total)>;

// A model to read: from a file, or from bytes that stay valid (the Blob keeps them).
struct ModelSource {
  std::string path;
  Blob bytes;
  bool from_memory = false;
  // Set: gives the model instead, not inferred, a new one at each call. Then `path` only says where
  // it came from.
  std::function<Result<std::unique_ptr<Model>>()> make_model;
};

// One input, output or overridable initializer.
struct Port {
  std::string name;
  Type type;
};

// Inputs that run options bring along: the parameters of a LoRA adapter.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

struct RunOptions {
  std::string tag;
  int log_severity = -1;
  int log_verbosity = 0;
  RunSettings settings;
  KeyValues config;  // entries as they were set
  std::atomic<bool> terminate{false};
  bool profiling = false;  // a profile of each run, in a file of its own
  std::string profile_prefix;
  std::vector<std::shared_ptr<const NamedTensors>> adapters;
};

// A part of the model that one provider runs.
struct AssignedPart {
  struct Node {
    std::string name, domain, op_type;
  };
  std::string provider;
  std::vector<Node> nodes;
};

class Session {
 public:
  // Loads, optimises, partitions, compiles, and writes the context model when the options ask for
  // it.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Environment> environment,
                                                 const ModelSource& source,
                                                 const SessionOptions& options,
                                                 const Progress& progress = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<Port>& inputs() const { return inputs_; }  // without overridable initializers
  const std::vector<Port>& outputs() const { return outputs_; }
  const std::vector<Port>& overridable() const { return overridable_; }

  // `names` and `values` go together. Names may be inputs or overridable initializers; all inputs
  // must be there. `outputs[i]`: a defined tensor is written in place when its type and shape are
  // the result's (else INVALID_ARGUMENT); an undefined one becomes the result. INVALID_ARGUMENT
  // names what is wrong: name, expected and found type or shape.
  Status run(std::span<const std::string_view> input_names, std::span<const Tensor> input_values,
             std::span<const std::string_view> output_names, std::span<Tensor> outputs,
             const RunOptions* options = nullptr, const StepObserver* observer = nullptr) const;
  // The same with values of any kind. An optional input without content is given as none; an output
  // that is none becomes the result.
  Status run_values(std::span<const std::string_view> input_names, std::span<const Datum> inputs,
                    std::span<const std::string_view> output_names, std::span<Datum> outputs,
                    const RunOptions* options = nullptr,
                    const StepObserver* observer = nullptr) const;
  // The same over values where they are; `targets` go with `output_names`. With outputs provided,
  // and shapes that some run has had before, nothing is allocated from the system.
  Status run_in_place(std::span<const std::string_view> input_names,
                      std::span<const TensorRef> inputs,
                      std::span<const std::string_view> output_names,
                      std::span<OutputTarget> targets, const RunOptions* options = nullptr,
                      const StepObserver* observer = nullptr) const;
  // Begins a run on another thread. `work` shall call run(); INVALID_ARGUMENT when the pool has no
  // thread for it.
  Status submit(std::function<void()> work) const;

  const std::shared_ptr<Profiler>& profiler() const { return profiler_; }  // null: none was asked
  // Of the model: producer, description, version, metadata, the graph's name and description; no
  // nodes.
  const Model& model() const { return *model_; }
  const std::vector<Assignment>& assignments() const { return report_.assignments; }
  const CompileReport& report() const { return report_; }
  // Null unless session.record_ep_graph_assignment_info=1.
  const std::vector<AssignedPart>* assigned_parts() const { return assigned_parts_.get(); }
  // Set while the session is a draft (core/session/session_draft.h): it was read, and cannot run.
  struct Draft {
    std::shared_ptr<const Environment> environment;
    ModelSource source;
    SessionOptions options;
    std::shared_ptr<const Model> model;  // as it was read
  };
  const Draft* draft() const { return draft_.get(); }
  // {"schema":"ortc.session/1","load_ms":..,"stages":[..],"providers":[..],"memory":{..}}
  std::string report_json() const;

 private:
  friend class SessionBuilder;
  Session() = default;
  struct Frame;
  Status run_in_frame(Frame& frame, std::span<const std::string_view> input_names,
                      std::span<const TensorRef> inputs,
                      std::span<const std::string_view> output_names,
                      std::span<OutputTarget> targets, const RunOptions* options,
                      const StepObserver* observer) const;
  Status take_input(Frame& frame, std::string_view name, const TensorRef& value,
                    bool replaces = false) const;
  static Status check_input(Frame& frame, const Port& port, const TensorRef& value);
  static Status check_tensor(Frame& frame, const Port& port, const Type& type,
                             const TensorRef& value);
  Status take_adapters(Frame& frame, const RunOptions& options) const;
  Status take_outputs(Frame& frame, std::span<const std::string_view> names,
                      std::span<const OutputTarget> targets) const;
  Status run_frame(Frame& frame, const RunOptions* options, const StepObserver* observer) const;
  Status run_profiled(Frame& frame, const RunOptions* options, const StepObserver* observer) const;
  Status finish_run(const RunOptions& options) const;

  std::shared_ptr<const Environment> environment_;
  std::unique_ptr<Model> model_;
  std::vector<Port> inputs_, outputs_, overridable_;
  struct GraphInput {
    size_t port = 0;  // index in inputs_ or overridable_
    bool is_overridable = false;
    Tensor otherwise;  // an overridable initializer's own value
  };
  std::vector<GraphInput> graph_inputs_;  // of the plan, in order
  CompileReport report_;
  std::unique_ptr<std::vector<AssignedPart>> assigned_parts_;
  bool compile_only_ = false;
  Logger logger_;
  std::shared_ptr<Profiler> profiler_;
  std::shared_ptr<ThreadPool> pool_;  // its own, or the environment's
  std::unique_ptr<const Draft> draft_;
  std::unique_ptr<ArenaPool> arenas_;
  std::shared_ptr<const TensorMaker> tensor_maker_;
  std::shared_ptr<PackedWeights> packed_weights_;
  std::vector<std::unique_ptr<ExecutionProvider>> providers_;
  std::shared_ptr<const Runner> runner_;
};

// Providers of this library, in the order of their devices: AOT, CPU.
std::vector<ProviderFactory> built_in_providers();

}  // namespace ortc
