// SPDX-License-Identifier: MIT
// The provider that a session of the host gets: shows the AOT provider the host's graph, and hands
// the host what comes of it.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/context/sharing/loaded_contexts.h"
#include "core/provider/provider_factory.h"
#include "providers/ortc_ep/compute.h"
#include "providers/ortc_ep/context_input.h"
#include "providers/ortc_ep/context_output.h"

namespace ortc::ort_ep {

// What the sessions of one factory have in common.
struct Shared {
  std::string ep_name;
  std::shared_ptr<const ProviderFactory> aot;
  std::shared_ptr<const ProviderRegistry> registry;  // to tell sources of contexts apart
  ContextGroup group;
  LoadedContexts loaded;
};

struct EpSettings {
  SessionSettings session;
  KeyValues options;     // of the provider, without prefix
  int thread_count = 0;  // 0: one per processor
  ContextDataWriter write;
  ContextDataReader read;
};
// INVALID_ARGUMENT for options that the AOT provider does not know.
Result<EpSettings> read_settings(const Host& host, const OrtSessionOptions& options,
                                 const Shared& shared);

struct Ep : OrtEp {
  Ep(const Host& host, std::shared_ptr<Shared> shared, EpSettings settings,
     std::shared_ptr<Machine> machine, Logger logger);
  ~Ep();
  Ep(const Ep&) = delete;
  Ep& operator=(const Ep&) = delete;

  // Asked for the bodies of a node before the graph that it stands in.
  Status claim(const OrtGraph& graph, OrtEpGraphSupportInfo& info);
  Status compile(const OrtGraph* const* graphs, const OrtNode* const* fused, size_t count,
                 OrtNodeComputeInfo** infos, OrtNode** context_nodes);
  // The last model of a group had nothing to compile.
  Status finish();
  const char* compatibility();

  const Host host;
  const std::string name;

 private:
  struct Part;
  class HostNodes;
  bool is_last_of_group() const;
  Status give_up();
  // Null: of the outermost graph.
  Result<bool> is_taken_with_owner(const OrtNode* owner);
  Status check_uncompiled(const std::vector<Part>& parts) const;
  Result<Part> read_part(const OrtGraph& graph, const OrtNode& fused);
  Status compile_parts(std::vector<Part>& parts, const OrtGraph& graph, OrtNodeComputeInfo** infos,
                       OrtNode** context_nodes);
  Status name_parts(std::vector<Part>& parts);
  std::string made_with() const;
  Result<std::shared_ptr<ContextFile>> output_of(const OrtGraph& graph, std::string_view target);
  Result<OrtNode*> context_node(const Part& part, const Node& made, const std::string& generation);
  Status make_context_nodes(const std::vector<Part>& parts, ExecutionProvider& provider,
                            ContextFile& file, HostNodes& nodes);
  Status publish(ContextFile& file);
  Result<std::vector<CompiledClaim>> compile_claims(const std::vector<Part>& parts,
                                                    ExecutionProvider& provider,
                                                    CompileContext& context);
  Result<std::vector<std::unique_ptr<ComputeInfo>>> make_infos(
      const std::vector<Part>& parts, std::vector<CompiledClaim>& compiled) const;
  Result<Tensor> own(const Tensor& tensor) const;

  std::shared_ptr<Shared> shared_;
  EpSettings settings_;
  std::shared_ptr<Machine> machine_;
  Logger logger_;
  std::shared_ptr<const void> borrowed_;  // owns the bytes that are the host's
  ContextNodes contexts_;
  std::set<std::string> kernels_;
  std::string target_, compatibility_;
  int part_count_ = 0, file_count_ = 0;
  bool was_asked_ = false, has_claimed_ = false;  // what is not compiled yet
  bool is_published_ = false, has_failed_ = false;
};

}  // namespace ortc::ort_ep
