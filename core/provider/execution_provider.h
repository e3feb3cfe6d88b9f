// SPDX-License-Identifier: MIT
// An execution provider: says which nodes it can run, compiles them, and hands over the EPContext
// nodes of what it compiled. Files are not its business: it gets data through a ContextSource and
// gives data to a ContextSink.
//
// One object serves one session. All calls come from the thread that makes the session, in this
// order: see_model, get_capability (graph by graph, in claim_order()), compile (once, with
// everything it claimed), get_ep_context_nodes (only when a context model is generated),
// finish_session. Then runs begin and end, on any number of threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/key_values.h"
#include "core/base/log.h"
#include "core/graph/model.h"
#include "core/plan/plan.h"
#include "core/platform/work.h"
#include "core/provider/claim.h"
#include "core/provider/compute_object.h"
#include "core/provider/context_io.h"
#include "core/provider/graph_capture.h"
#include "core/provider/provider_profiler.h"

namespace ortc {

// The result for one claim: a plan for the runtime's executor, or an object of the provider's own.
// Neither, when the claim was compiled to be written only.
struct CompiledClaim {
  std::shared_ptr<const Plan> plan;
  Isa isa_max = Isa::kAvx512;  // the target it was compiled for caps what runs the plan
  std::shared_ptr<const ComputeObject> object;
};

class KernelRegistry;
class LayoutWishes;
class ValueMemories;

// Gives equal bytes that another owner holds already, else those it was given.
using ShareBytes = std::function<Blob(Blob fresh)>;

struct CompileContext {
  Logger logger;
  ContextSink* sink = nullptr;      // null: nothing is generated
  ContextSource* source = nullptr;  // null: no EPContext node is among the claims
  bool to_run = true;               // false: nothing of this will run here; check, pack nothing
  ShareBytes share_weights;         // empty: weights are the session's own
  bool weightless = false;          // leave weights out that the source has
  // Rows may be rounded to 8 bits in products by weights that alone are integers.
  bool rounds_rows = true;
  std::vector<std::string> disabled_optimizers;  // names of passes that are not to run
  // The source of the model; opened at the first call. FAIL when it was not said where it is.
  std::function<Result<const SourceWeights*>()> source_weights;
  // For kernels of a provider's own: the operators that they may call, and the session's entries.
  const KernelRegistry* kernels = nullptr;
  const KeyValues* config = nullptr;
  // Where the values of the nodes with a callee lie, for the provider that gets the rest; null: all
  // on the host.
  const ValueMemories* memories = nullptr;
  Work work;  // say what is expected and what was done: it may be watched, and stopped
};

// What EPContext nodes of a provider must say to be loaded; empty texts are not looked at.
struct ContextRequirements {
  std::string sdk_version, hardware_architecture;
};

class ExecutionProvider {
 public:
  virtual ~ExecutionProvider() = default;
  virtual std::string_view name() const = 0;        // "AotExecutionProvider"
  virtual std::string_view short_name() const = 0;  // "AOT": begins the names of its partitions
  // What it compiles for, as a context's header says it.
  virtual std::string_view target() const { return ""; }
  // Asked when the session is to run what is compiled: a failure says why it cannot.
  virtual Status check_runs_here() const { return Status::ok(); }
  virtual ClaimOrder claim_order() const { return ClaimOrder::kOuterFirst; }
  // That the graphs and claims are of; borrowed until compile() has returned.
  virtual void see_model(const Model&) {}
  virtual Result<Capability> get_capability(const Graph& graph) = 0;
  // Null: it takes data as ONNX has them, channels first. Owned by the provider; asked for each
  // graph of which it claimed something.
  virtual Result<LayoutWishes*> wants_channels_last() {
    return static_cast<LayoutWishes*>(nullptr);
  }
  virtual Result<std::vector<CompiledClaim>> compile(std::span<const Claim> claims,
                                                     CompileContext& context) = 0;
  // In the order of the compiled claims; owned by the provider. A node's name is its claim's. With
  // inputs and outputs, they are those of the claim by name, in the order of the provider's choice;
  // without, they become the claim's.
  virtual Result<std::vector<const Node*>> get_ep_context_nodes() {
    return std::vector<const Node*>{};
  }
  // INVALID_GRAPH, with expected and found, for nodes that say something else.
  virtual ContextRequirements context_requirements() const { return {}; }
  // Whether it can leave weights out of its contexts, to find them in the source again. A failure
  // says why not.
  virtual Status check_weightless() const {
    return make_status(Code::kEpFail, name(),
                       " does not implement GetWeightlessSupport: it cannot leave weights out of "
                       "its contexts (ep.enable_weightless)");
  }
  // Whether functions of the program give and take its context data; those of providers that go
  // by the runtime's reader and sink always do. EP_FAIL says which is missing.
  virtual Status check_context_functions(bool /*reads*/, bool /*writes*/) const {
    return Status::ok();
  }
  // Goes into the model's metadata as ep_compatibility_info.<name>; "" writes nothing.
  virtual std::string compatibility_info() const { return {}; }
  // The same for the model that is being written.
  virtual Result<std::string> compatibility_info_of(const Model&) { return compatibility_info(); }

  // The session is ready to run; a failure is the session's.
  virtual Status finish_session() { return Status::ok(); }
  // The memories of its devices, whether or not what it compiled uses them. Asked once, when the
  // session is to run.
  virtual Result<std::vector<std::shared_ptr<const DeviceMemory>>> memories() {
    return std::vector<std::shared_ptr<const DeviceMemory>>();
  }
  // Returns when its devices have done what was given to them.
  virtual Status wait_for_devices() { return Status::ok(); }
  // Whether it wants to be told about runs. Every begin_run() that succeeds is followed by an
  // end_run() on the same thread.
  virtual bool watches_runs() const { return false; }
  virtual Status begin_run(const RunFacts&) { return Status::ok(); }
  virtual Status end_run(const RunFacts&) { return Status::ok(); }
  // Null: it does not capture. Asked once, when the session is made.
  virtual Result<std::unique_ptr<GraphCapture>> make_graph_capture() {
    return std::unique_ptr<GraphCapture>();
  }
  // A new one for each profile, of the session or of one run; null: it has nothing to add. Any
  // thread may call.
  virtual std::unique_ptr<ProviderProfiler> make_profiler() { return nullptr; }
  // Options that change while the session lives, whose names are checked. Any thread may call.
  virtual Status set_dynamic_options(const KeyValues&) { return Status::ok(); }
};

}  // namespace ortc
