// SPDX-License-Identifier: MIT
// How providers write and read contexts without touching files. core/context implements both sides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/tensor_memory.h"
#include "core/graph/graph.h"
#include "core/plan/plan_builder.h"

namespace ortc {

// Where the contexts of one provider go. A provider either adds graphs to the runtime's container,
// or stores bytes of its own as they are.
class ContextSink {
 public:
  virtual ~ContextSink() = default;
  // A plan and its constants, found again by `graph_name`. Equal constants are stored once.
  virtual Status add_plan(const std::string& graph_name, const PlanImage& plan) = 0;
  // Bytes that only the provider understands, in the container.
  virtual Status add_blob(const std::string& graph_name, Blob bytes) = 0;
  // Once everything was added: the contents of `ep_cache_context`: a relative file name, or the
  // embedded bytes. NOT_IMPLEMENTED when nothing was added.
  virtual Result<Blob> cache_context() = 0;
  // The provider's own bytes, without a container: a file of their own, named after the model and
  // `label` (or embedded). Gives the contents of `ep_cache_context` for the node that refers to it.
  virtual Result<Blob> store_raw(std::string_view label, Blob bytes) = 0;
  virtual bool is_embedded() const = 0;
  virtual const std::string& node_name_prefix() const = 0;
  // Memory for what is packed, on the disk that the context goes to; null when it goes to none.
  virtual Result<std::shared_ptr<TensorMemory>> scratch() {
    return std::shared_ptr<TensorMemory>();
  }
};

// One container, opened. All bytes are checked before they are given out.
class ContextView {
 public:
  struct Graph {
    Blob plan_image;  // in memory that is never written to, whatever happens to the file
    std::vector<Blob> tensors;
    Blob blob;
  };
  virtual ~ContextView() = default;
  // INVALID_GRAPH, with the names there are, when the context has no graph of that name.
  virtual Result<Graph> graph(std::string_view name) const = 0;
  virtual std::string_view target() const = 0;  // "x86-64-v4"
};

// Opens what an EPContext node refers to, by its attributes. Nodes with main_context=0 find the
// context of a node with 1 and the same source. Each is opened once a session. Every fault is
// INVALID_GRAPH.
class ContextSource {
 public:
  virtual ~ContextSource() = default;
  virtual Result<const ContextView*> open(const Node& ep_context_node) = 0;
  // The bytes as they are, for what store_raw() wrote, or another runtime.
  virtual Result<Blob> open_raw(const Node& ep_context_node) = 0;
};

// The weights of the model that contexts were made from, for contexts that were made without.
class SourceWeights {
 public:
  virtual ~SourceWeights() = default;
  // The initializer of the source's main graph; undefined when there is none of that name.
  virtual Result<Tensor> find(std::string_view name) const = 0;
};

}  // namespace ortc
