// SPDX-License-Identifier: MIT
// Models that are ready but for the generation: see the header.
#include "core/context/generate/prepared_model.h"

#include <algorithm>
#include <cstring>

#include "core/context/context_source.h"
#include "core/context/format.h"
#include "core/context/generate/read_files.h"
#include "core/context/model_hash.h"
#include "core/graph/export.h"
#include "core/graph/walk.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

template <typename Visit>
Status each_node(Graph& graph, const Visit& visit) {
  for (Node& node : nodes_of(graph)) {
    for (Graph* body : node.subgraphs()) RETURN_IF_ERROR(each_node(*body, visit));
    RETURN_IF_ERROR(visit(node));
  }
  return Status::ok();
}

template <typename Visit>
Status each_initializer(Graph& graph, const Visit& visit) {
  RETURN_IF_ERROR(each_node(graph, [&](Node& node) -> Status {
    for (Graph* body : node.subgraphs()) {
      for (const ValueId id : body->initializers()) RETURN_IF_ERROR(visit(*body, *body->value(id)));
    }
    return Status::ok();
  }));
  for (const ValueId id : graph.initializers()) RETURN_IF_ERROR(visit(graph, *graph.value(id)));
  return Status::ok();
}

// Those that the generator has tied to what is written now. A node that says a generation already
// is of contexts that were written before, or by a provider itself.
std::vector<Node*> nodes_to_tie(Graph& graph) {
  std::vector<Node*> nodes;
  (void)each_node(graph, [&](Node& node) {
    const bool is_tied = node.attribute(kGenerationAttribute) != nullptr;
    if (is_tied && node.string_attribute(kGenerationAttribute, "").empty()) nodes.push_back(&node);
    return Status::ok();
  }).is_ok();
  return nodes;
}

// What is copied of files of one model, so that they may be written to before it is.
constexpr uint64_t kCopiedMax = uint64_t{64} << 20;

Result<std::shared_ptr<const Constant>> copy_of(const Constant& constant) {
  const Tensor& tensor = constant.tensor;
  Constant copy = constant;
  const Blob bytes = Blob::copy_of(tensor.bytes());
  ASSIGN_OR_RETURN(copy.tensor,
                   Tensor::view(tensor.dtype(), tensor.dims(), bytes.bytes(), bytes.owner()));
  return std::make_shared<const Constant>(std::move(copy));
}

}  // namespace

PreparedModel::PreparedModel(Model model, size_t number, const ContextSettings& settings,
                             InitializerPlaces initializers)
    : model_(std::move(model)),
      number_(number),
      initializers_file_(settings.external_initializers),
      aligns_contexts_(settings.embed),
      external_(settings.external_initializers, settings.external_threshold,
                settings.initializers_compression.zstd_level(), initializers.alignment),
      all_chosen_(std::move(initializers.all_chosen)),
      may_stay_in_context_(initializers.may_stay_in_context),
      chooses_(initializers.choose != nullptr),
      chosen_(std::move(initializers.choose)) {}

// Each constant once, though several values share it. Sparse ones stay as they are.
Status PreparedModel::replace_constants(const Replace& replace) {
  std::map<std::shared_ptr<const Constant>, std::shared_ptr<const Constant>> known;
  return each_initializer(*model_.graph, [&](Graph& graph, Value& value) -> Status {
    if (value.sparse_initializer != nullptr) return Status::ok();
    auto& fresh = known[value.initializer];
    if (fresh == nullptr) {
      ASSIGN_OR_RETURN(fresh, replace(value.initializer));
    }
    if (fresh != value.initializer) graph.set_initializer(value.id, fresh);
    return Status::ok();
  });
}

Status PreparedModel::place_initializers(std::shared_ptr<ContextBinaryWriter> container,
                                         bool is_shared) {
  const bool has_container = container != nullptr && !container->is_embedded();
  // A file that was asked for is made; a group has its initializers once, for all its models.
  const bool may_stay = is_shared || may_stay_in_context_ || initializers_file_.empty();
  if (has_container && may_stay && !chooses_) {
    container_ = std::move(container);
    RETURN_IF_ERROR(leave_in_container(/*adds=*/is_shared));
  }
  if (is_shared) RETURN_IF_ERROR(outlast_program());
  if (initializers_file_.empty() || chooses_) return Status::ok();  // the program's choice counts
  external_.collect(*model_.graph,
                    [&](const Constant& constant) { return !in_container_.contains(&constant); });
  return Status::ok();
}

Status PreparedModel::leave_in_container(bool adds) {
  return replace_constants([&](const ConstantPtr& constant) -> Result<ConstantPtr> {
    const Tensor& tensor = constant->tensor;
    if (tensor.dtype() == DType::kString || tensor.byte_size() < kLargeTensor) return constant;
    std::optional<uint32_t> number;
    if (adds) {
      ASSIGN_OR_RETURN(number, container_->add_external(tensor.bytes(), tensor.owner()));
    } else {
      ASSIGN_OR_RETURN(number, container_->find_plain(tensor.bytes()));
    }
    if (!number) return constant;
    const Blob stored = container_->stored(*number);
    Constant moved = *constant;
    ASSIGN_OR_RETURN(moved.tensor,
                     Tensor::view(tensor.dtype(), tensor.dims(), stored.bytes(), stored.owner()));
    const auto fresh = std::make_shared<const Constant>(std::move(moved));
    in_container_.emplace(fresh.get(), *number);
    return fresh;
  });
}

Status PreparedModel::finish(const std::optional<SourceIdentity>& source, Work& work,
                             ThreadPool* pool) {
  ExternalInitializersRecord::remove_from(model_);
  SourceIdentity::remove_from(model_);
  if (source) source->write_to(model_);
  RETURN_IF_ERROR(external_.encode(work, pool));
  ASSIGN_OR_RETURN(record_, external_.record(work));
  tied_ = nodes_to_tie(*model_.graph);
  set_generation(Hash128{});
  clear_model_hash(model_);
  return Status::ok();
}

void PreparedModel::note_view(Bytes bytes) {
  auto file = FileMap::mapped_around(bytes);
  if (!file) return;
  const bool is_known = std::any_of(still_read_.begin(), still_read_.end(), [&](const auto& known) {
    return known.identity == file->identity && known.path == file->path;
  });
  if (!is_known) still_read_.push_back(std::move(*file));
}

// Memory that somebody else owns may go; small views of files are copied, and large ones noted.
Result<PreparedModel::ConstantPtr> PreparedModel::lasting(const ConstantPtr& constant) {
  const Tensor& tensor = constant->tensor;
  if (tensor.dtype() == DType::kString) return constant;
  if (tensor.owner() == nullptr) return copy_of(*constant);
  if (!FileMap::mapped_around(tensor.bytes())) return constant;
  const uint64_t size = tensor.byte_size();
  if (size < kLargeTensor && size <= kCopiedMax - copied_bytes_) {
    copied_bytes_ += size;
    return copy_of(*constant);
  }
  note_view(tensor.bytes());
  return constant;
}

// Texts and sparse tensors of nodes stay where they are: there are few large ones.
Status PreparedModel::outlast_program() {
  RETURN_IF_ERROR(exported_size(model_, exporting()).status());
  RETURN_IF_ERROR(replace_constants([this](const ConstantPtr& one) { return lasting(one); }));
  const auto note_sparse = [this](const std::shared_ptr<const SparseConstant>& sparse) {
    if (sparse == nullptr) return;
    note_view(sparse->values.tensor.bytes());
    note_view(sparse->indices.tensor.bytes());
  };
  RETURN_IF_ERROR(each_initializer(*model_.graph, [&](Graph&, Value& value) {
    note_sparse(value.sparse_initializer);
    return Status::ok();
  }));
  return each_node(*model_.graph, [&](Node& node) -> Status {
    for (Attribute attribute : node.attributes()) {
      note_view(attribute.s.bytes());
      for (const Blob& text : attribute.strings) note_view(text.bytes());
      for (const auto& one : attribute.tensors) note_view(one->tensor.bytes());
      note_sparse(attribute.sparse);
      for (const auto& one : attribute.sparses) note_sparse(one);
      if (attribute.tensor == nullptr) continue;
      const ConstantPtr before = attribute.tensor;
      ASSIGN_OR_RETURN(attribute.tensor, lasting(before));
      if (attribute.tensor != before) node.set_attribute(std::move(attribute));
    }
    return Status::ok();
  });
}

Status PreparedModel::check_files() const { return check_not_written(still_read_); }

Result<std::optional<ExternalLocation>> PreparedModel::place(const Value& value) {
  if (chooses_) return chosen_.place(value);
  const auto known = in_container_.find(value.initializer.get());
  if (known == in_container_.end()) return external_.place(value);
  ExternalLocation location;
  location.location = container_->file_name();
  location.offset = container_->offset_of(known->second);
  location.length = value.initializer->tensor.byte_size();
  return std::optional(std::move(location));
}

ExportOptions PreparedModel::exporting() {
  ExportOptions options;
  if (aligns_contexts_) options.aligned_attribute = "ep_cache_context";
  options.place_initializer = [this](const Graph&, const Value& value) { return place(value); };
  return options;
}

void PreparedModel::set_generation(const Hash128& generation) {
  for (Node* node : tied_) {
    node->set_attribute(Attribute::of_string(std::string(kGenerationAttribute), generation.hex()));
  }
  record_.generation = generation.hex();
  if (!external_.is_empty()) record_.write_to(model_);
}

Status PreparedModel::seal(Hasher& hasher, Work& work) {
  size_ = 0;
  RETURN_IF_ERROR(export_model(model_, exporting(), [&](Bytes bytes) {
    size_ += bytes.size();
    hasher.add_number(bytes.size());
    return append(hasher, bytes, work);
  }));
  return all_chosen_ ? all_chosen_() : Status::ok();
}

Status PreparedModel::write_initializers(OutputSet& output, const Hash128& generation) const {
  if (external_.is_empty()) return Status::ok();
  ASSIGN_OR_RETURN(StagedFile * file, output.stage(initializers_file_));
  RETURN_IF_ERROR_WHILE(external_.write_to(*file, generation), "writing '",
                        path_join(output.place().folder, initializers_file_), "'");
  return Status::ok();
}

Status PreparedModel::write(OutputSet& output, Work& work) {
  const ExportOptions options = exporting();
  RETURN_IF_ERROR(stamp_model_hash(model_, options, work));
  return output.write_model(
      number_, size_, [&](const ByteSink& sink) { return export_model(model_, options, sink); });
}

}  // namespace ortc
