// SPDX-License-Identifier: MIT
// An execution provider: says which nodes it can run, compiles them, and hands over the EPContext
// nodes of what it compiled. Files are not its business: it gets data through a ContextView and
// gives data to a ContextSink.
//
// One object serves one session. All calls come from the thread that creates the session, in this
// order: get_capability (outer graph first), compile (once, with everything it claimed),
// get_ep_context_nodes (only when a context model is generated).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/log.h"
#include "core/graph/graph.h"
#include "core/kernel/kernel_registry.h"
#include "core/plan/plan_builder.h"

namespace ortc {

// Nodes that the provider wants to run as one. Must be convex: no path leaves the group and comes
// back.
struct NodeGroup {
  std::vector<NodeId> nodes;
};

// A node that the provider leaves to others, and why ("Scan: no kernel").
struct Refusal {
  NodeId node;
  std::string reason;
};

struct Capability {
  std::vector<NodeGroup> groups;
  std::vector<Refusal> refusals;
};

// A group cut out of the model: what is compiled. Inputs and outputs are the fused node's, in
// order.
struct Claim {
  std::string name;                    // the fused node's name, unique in the session
  std::shared_ptr<Graph> graph;        // constants inside; types known
  const Node* context_node = nullptr;  // the claim is one EPContext node: load, do not compile
};

// What runs in place of a claim when it is not a Plan: for providers with machinery of their own.
class ComputeObject {
 public:
  virtual ~ComputeObject() = default;
  // Gives output i its memory; called from inside compute().
  using AllocateOutput =
      std::function<Status(size_t i, DType dtype, std::span<const int64_t> dims, ValueRef* out)>;
  // May be called by several threads at once.
  virtual Status compute(std::span<const ValueRef> inputs,
                         const AllocateOutput& allocate) const = 0;
};

// The result for one claim: exactly one of the two is set. A plan comes with its constants' bytes;
// they may be views of a mapped context.
struct CompiledClaim {
  Blob plan_image;
  std::vector<Blob> plan_tensors;
  std::shared_ptr<const ComputeObject> object;
  const KernelRegistry* kernels = nullptr;  // of the plan
  Isa isa_max = Isa::kAvx512;               // the target it was compiled for caps what runs it
};

// Where context data go. Implemented by core/context.
class ContextSink {
 public:
  virtual ~ContextSink() = default;
  // A plan and its constants, found again by `graph_name`. Equal constants are stored once.
  virtual Status add_plan(const std::string& graph_name, const PlanImage& plan) = 0;
  // Bytes that only the provider understands.
  virtual Status add_blob(const std::string& graph_name, Blob bytes) = 0;
  // Once everything was added: the contents of `ep_cache_context`: a relative file name, or the
  // embedded bytes.
  virtual Result<Blob> cache_context() = 0;
  virtual bool is_embedded() const = 0;
  virtual const std::string& node_name_prefix() const = 0;
};

// Where context data come from. Implemented by core/context; all bytes are checked before they are
// given out.
class ContextView {
 public:
  struct Graph {
    Blob plan_image;
    std::vector<Blob> tensors;
    Blob blob;
  };
  virtual ~ContextView() = default;
  // INVALID_GRAPH, with the names there are, when the context has no graph of that name.
  virtual Result<Graph> graph(std::string_view name) const = 0;
  virtual std::string_view target() const = 0;  // "x86-64-v4"
};

// Opens the context an EPContext node refers to, by its attributes; nodes with main_context=0 find
// the context of a node with 1 and the same source. Opened once a session. Every fault is
// INVALID_GRAPH.
class ContextSource {
 public:
  virtual ~ContextSource() = default;
  virtual Result<const ContextView*> open(const Node& ep_context_node) = 0;
};

struct CompileContext {
  Logger logger;
  ContextSink* sink = nullptr;      // null: nothing is generated
  ContextSource* source = nullptr;  // null: no EPContext node is among the claims
  std::function<Status(size_t done, size_t total)> progress;
};

enum class Compatibility : int {
  kNotApplicable = 0,
  kOptimal = 1,
  kPreferRecompilation = 2,
  kUnsupported = 3
};

class ExecutionProvider {
 public:
  virtual ~ExecutionProvider() = default;
  virtual std::string_view name() const = 0;        // "AotExecutionProvider"
  virtual std::string_view short_name() const = 0;  // "AOT": begins the names of its partitions
  virtual std::string_view target() const {
    return "";
  }  // what it compiles for, as a context's header says it
  virtual Result<Capability> get_capability(const Graph& graph) = 0;
  virtual Result<std::vector<CompiledClaim>> compile(std::span<const Claim> claims,
                                                     CompileContext& context) = 0;
  // In the order of the compiled claims; owned by the provider. The node's name is the claim's.
  // Inputs and outputs are the framework's business.
  virtual Result<std::vector<const Node*>> get_ep_context_nodes() {
    return std::vector<const Node*>{};
  }
  // Goes into the model's metadata as ep_compatibility_info.<name>; "" writes nothing.
  virtual std::string compatibility_info() const { return {}; }
};

}  // namespace ortc
