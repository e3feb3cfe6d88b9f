// SPDX-License-Identifier: MIT
// Finds and opens the contexts that a model's EPContext nodes refer to.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/context/binary_reader.h"
#include "core/context/context_data.h"
#include "core/context/output/journal_view.h"
#include "core/context/sharing/loaded_contexts.h"
#include "core/graph/model.h"
#include "core/platform/file_map.h"
#include "core/platform/folder.h"
#include "core/provider/registry.h"

namespace ortc {

// Attributes besides ONNX Runtime's. The first ties a model to the container written with it, the
// second to bytes that a provider stores without one.
inline constexpr std::string_view kGenerationAttribute = "ortc_generation";
inline constexpr std::string_view kContextHashAttribute = "ortc_context_hash";

class ModelContextSource final : public ContextSource {
 public:
  // `folder`: what names in nodes are relative to. `journal` may redirect names. All outlive the
  // source.
  ModelContextSource(const Model& model, const ProviderRegistry& providers, std::string folder,
                     const JournalView* journal, Access access = Access::kMap)
      : model_(model),
        providers_(providers),
        folder_(std::move(folder)),
        journal_(journal),
        access_(access) {}

  // Files are asked of the program instead, by the names in nodes, which may be any texts then.
  void read_with(ContextDataReader reader) { reader_ = std::move(reader); }

  // From here on.
  void decode_with(FrameDecoding decoding) { decoding_ = std::move(decoding); }

  // Binaries in files are left there, and found there. It outlives the source.
  void share_with(LoadedContexts* loaded) { loaded_ = loaded; }

  // INVALID_GRAPH, with node and file, for every fault: absolute names, names that leave the
  // folder, missing and damaged files, a binary of another generation. FAIL when the file cannot be
  // opened for want of descriptors, memory or permission.
  Result<const ContextView*> open(const Node& ep_context_node) override;
  // The same, for those who look at more of it than a provider does.
  Result<std::shared_ptr<const ContextBinary>> open_container_of(const Node& ep_context_node);
  Result<Blob> open_raw(const Node& ep_context_node) override;

 private:
  // A container for the provider, whose graphs are decoded as this source's work.
  struct Container final : ContextView {
    std::shared_ptr<const ContextBinary> binary;
    ModelContextSource* source = nullptr;
    std::optional<FileIdentity> file;  // of a shared one

    Result<Graph> graph(std::string_view name) const override;
    std::string_view target() const override { return binary->target(); }
  };
  using ContainerPtr = std::shared_ptr<const Container>;
  Result<ContainerPtr> open_any(const Node& node);
  Result<ContainerPtr> open_container(const Node& node);
  Result<ContainerPtr> find_container(const Node& node);
  Result<ContainerPtr> open_binary(const Node& node, Blob contents, const std::string& name);
  Result<const Node*> find_raw_primary(const Node& node);
  Result<Blob> read_contents(const Node& node);
  Result<std::shared_ptr<const FileMap>> read_file(const Node& node, std::string_view name);
  struct Source;
  std::string source_key(const Node& node) const;
  Source& source_of(const Node& node);
  void find_primaries();
  ContainerPtr find_opened(Source& source, std::string_view generation);

  const Model& model_;
  const ProviderRegistry& providers_;
  std::string folder_;
  const JournalView* journal_;
  Access access_;
  ContextDataReader reader_;
  FrameDecoding decoding_;
  LoadedContexts* loaded_ = nullptr;
  // The second one is where the model is, when its path is a link.
  std::shared_ptr<const Folder> opened_folder_, real_folder_;
  std::map<std::string, Blob, std::less<>> by_file_;
  struct File {
    FileIdentity identity;
    std::string path;
  };
  std::map<std::string, File> files_;                        // of those that were opened here
  std::map<const Node*, ContainerPtr> containers_;           // by primary node
  std::map<std::string, ContainerPtr> containers_of_files_;  // the same, of those that have files
  // The nodes with main_context=1 of one source, in order. Each is opened once for all the nodes
  // that have no container themselves, and no earlier than one of them asks so far.
  struct Source {
    std::vector<const Node*> primaries;
    std::map<std::string_view, const Node*> by_hash;  // the first of each
    size_t opened_count = 0;
    std::map<std::string, ContainerPtr, std::less<>> by_generation;  // the first of each
    ContainerPtr last_opened;
    Status first_fault;
  };
  std::map<std::string, Source> sources_;
  bool knows_primaries_ = false;
};

// EPContext nodes, of sub-graphs too, in order.
std::vector<const Node*> ep_context_nodes(const Graph& graph);

}  // namespace ortc
