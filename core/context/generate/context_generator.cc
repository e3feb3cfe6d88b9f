// SPDX-License-Identifier: MIT
// Generating context models: see the header.
#include "core/context/generate/context_generator.h"

#include <algorithm>

#include "core/context/context_source.h"
#include "core/context/generate/model_size.h"
#include "core/context/model_hash.h"
#include "core/context/source_identity.h"
#include "core/graph/export.h"
#include "core/platform/path.h"
#include "core/provider/registry.h"

namespace ortc {
namespace {

// What only removed nodes read goes; every type is written, so that a reader knows the values
// between EPContext nodes.
void tidy_values(Graph& graph) {
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    Value* value = graph.value(id);
    if (value == nullptr) continue;
    const bool is_unread = value->uses.empty() && !value->is_input && !value->is_output;
    if (is_unread && value->producer == kNoNode) {
      graph.remove_value(id);
      continue;
    }
    value->has_value_info = value->has_value_info || value->type.kind != TypeKind::kNone;
  }
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    if (graph.node(id) == nullptr) continue;
    for (Graph* body : graph.node(id)->subgraphs()) tidy_values(*body);
  }
}

void import_opset(Model& model, std::string_view domain, int64_t version) {
  auto opsets = std::make_shared<OpsetImports>(*model.opsets);
  for (const auto& [known, unused] : *opsets) {
    if (known == domain) return;
  }
  opsets->emplace_back(std::string(domain), version);
  model.opsets = opsets;
  model.graph->set_opsets(opsets);
}

void set_generation(Graph& graph, const std::string& generation) {
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    Node* node = graph.node(id);
    if (node == nullptr) continue;
    if (node->attribute(kGenerationAttribute) != nullptr) {
      node->set_attribute(Attribute::of_string(std::string(kGenerationAttribute), generation));
    }
    for (Graph* body : node->subgraphs()) set_generation(*body, generation);
  }
}

Model copy_of(const Model& model) {
  Model copy = shell_of(model);
  copy.graph = model.graph->clone();
  return copy;
}

}  // namespace

ContextGenerator::ContextGenerator(const ContextSettings& options, ProgramFiles program,
                                   std::unique_ptr<OutputSet> output, Work& work, ThreadPool* pool,
                                   Logger logger)
    : options_(options),
      program_(std::move(program)),
      output_(std::move(output)),
      work_(work),
      pool_(pool),
      logger_(std::move(logger)) {}

ContextSink& ContextGenerator::sink(const ExecutionProvider& provider) {
  auto& sink = sinks_[std::string(provider.name())];
  if (sink == nullptr) {
    std::string suffix(provider.short_name());
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    ContextBinaryWriter::Options options;
    options.file_name = context_binary_name(output_->place().model_path(), suffix);
    options.embed = options_.embed;
    options.node_name_prefix = options_.node_name_prefix;
    options.provider = provider.name();
    options.target = provider.target();
    options.zstd_level = options_.compression.zstd_level();
    options.pool = pool_;
    sink = std::make_unique<ProviderSink>(output_->place().model_path(), std::move(suffix),
                                          std::move(options));
  }
  return *sink;
}

void ContextGenerator::watch(const ExecutionProvider& provider, Work* work) {
  const auto sink = sinks_.find(std::string(provider.name()));
  if (sink != sinks_.end()) sink->second->container().watch(work);
}

// A unit for each byte that is hashed, written and brought to the device. The model itself is small
// beside them, unless contexts are in it.
void ContextGenerator::expect_writing(const ExternalInitializers& external) {
  uint64_t bytes = external.expected_units();
  for (const auto& [provider, sink] : sinks_) {
    bytes += (sink->is_embedded() ? 3 : 2) * sink->byte_size();
  }
  work_.expect(bytes);
}

Result<Model> ContextGenerator::context_model(const Model& model,
                                              std::span<const Partition> partitions,
                                              std::span<ExecutionProvider* const> providers) {
  Model output = copy_of(model);
  MadeNodes made(providers.size());
  for (size_t p = 0; p < providers.size(); ++p) {
    const bool has_claims =
        std::any_of(partitions.begin(), partitions.end(),
                    [&](const Partition& partition) { return partition.provider == p; });
    if (!has_claims) continue;
    ASSIGN_OR_RETURN(const auto nodes, providers[p]->get_ep_context_nodes());
    const auto own_sink = sinks_.find(std::string(providers[p]->name()));
    if (own_sink == sinks_.end()) continue;
    for (const Node* node : nodes) {
      if (node != nullptr) made[p].emplace(node->name(), MadeNode{node, own_sink->second.get()});
    }
    const std::string info = providers[p]->compatibility_info();
    if (!info.empty())
      output.set_metadata(str_cat("ep_compatibility_info.", providers[p]->name()), info);
  }
  RETURN_IF_ERROR(place_context_nodes(*output.graph, partitions, providers, made));
  import_opset(output, kMicrosoftDomain, 1);
  tidy_values(*output.graph);
  return output;
}

Status ContextGenerator::write(const Model& model, std::span<const Partition> partitions,
                               std::span<ExecutionProvider* const> providers,
                               CompileReport& report) {
  ASSIGN_OR_RETURN(Model output, context_model(model, partitions, providers));
  return publish(output, report);
}

Status ContextGenerator::write_plain(const Model& model, CompileReport& report) {
  sinks_.clear();
  Model output = copy_of(model);
  tidy_values(*output.graph);
  return publish(output, report);
}

Status ContextGenerator::expect_files() {
  if (std::exchange(expects_files_, true)) return Status::ok();
  for (auto& [provider, sink] : sinks_) {
    if (sink->is_embedded() || program_.write_context_data) continue;
    RETURN_IF_ERROR(output_->expect(sink->container().file_name()));
  }
  if (options_.external_initializers.empty()) return Status::ok();
  return output_->expect(options_.external_initializers);
}

Status ContextGenerator::check_output(const Model& model, std::span<const Partition> partitions) {
  RETURN_IF_ERROR(expect_files());
  std::vector<const Graph*> inside = {model.graph.get()};
  // How far compressing will get is not known.
  const bool is_whole_inside = options_.embed && options_.compression.zstd_level() == 0;
  for (const Partition& partition : partitions) {
    const bool is_compiled = partition.claim.context_node == nullptr;
    if (is_whole_inside && is_compiled) inside.push_back(partition.claim.graph.get());
  }
  // What a context holds stays in it, however large. Of initializers whose place the program
  // chooses nothing is known yet.
  const bool has_external = !options_.external_initializers.empty() || program_.choose_location;
  if (!has_external || !options_.embed) {
    const uint64_t threshold = program_.choose_location ? 0 : options_.external_threshold;
    RETURN_IF_ERROR(check_model_size(inside, has_external ? threshold : UINT64_MAX));
  } else {
    RETURN_IF_ERROR(check_model_size(std::span(inside).subspan(1), UINT64_MAX));
  }
  return output_->check();
}

// Everything that is written, the generation aside, gives the generation.
Result<Hash128> ContextGenerator::seal(Model& model, const ExportOptions& exporting,
                                       uint64_t& out_size) {
  Hasher hasher;
  for (auto& [provider, sink] : sinks_) {
    for (const ProviderSink::Raw& raw : sink->raws()) {
      hasher.add_number(raw.hash.low).add_number(raw.hash.high);
    }
    ASSIGN_OR_RETURN(const Hash128 hash, sink->container().seal());
    hasher.add_number(hash.low).add_number(hash.high);
  }
  out_size = 0;
  RETURN_IF_ERROR(export_model(model, exporting, [&](Bytes bytes) {
    out_size += bytes.size();
    hasher.add_number(bytes.size());
    return append(hasher, bytes, work_);
  }));
  return hasher.finish();
}

Status ContextGenerator::stage_files(const ExternalInitializers& external,
                                     const Hash128& generation) {
  for (auto& [provider, sink] : sinks_) {
    ContextBinaryWriter& container = sink->container();
    container.set_generation(generation);
    if (sink->is_embedded()) continue;
    for (const ProviderSink::Raw& raw : sink->raws()) {
      RETURN_IF_ERROR(give_context(raw.file_name, raw.bytes.bytes()));
    }
    if (!container.is_empty()) RETURN_IF_ERROR(give_context(container.file_name(), container));
  }
  if (external.is_empty()) return Status::ok();
  ASSIGN_OR_RETURN(StagedFile * file, output_->stage(options_.external_initializers));
  RETURN_IF_ERROR_WHILE(external.write_to(*file, generation), "writing '",
                        path_join(output_->place().folder, options_.external_initializers), "'");
  return Status::ok();
}

Status ContextGenerator::give_context(const std::string& name, Bytes bytes) {
  if (program_.write_context_data) {
    RETURN_IF_ERROR(work_.go_on());
    return program_.write_context_data(name, bytes);
  }
  ASSIGN_OR_RETURN(StagedFile * file, output_->stage(name));
  RETURN_IF_ERROR_WHILE(file->write(bytes), "writing '", path_join(output_->place().folder, name),
                        "'");
  return Status::ok();
}

Status ContextGenerator::give_context(const std::string& name, ContextBinaryWriter& container) {
  if (program_.write_context_data) {
    ASSIGN_OR_RETURN(const Tensor whole, container.assemble());
    return give_context(name, whole.bytes());
  }
  ASSIGN_OR_RETURN(StagedFile * file, output_->stage(name));
  RETURN_IF_ERROR_WHILE(container.write_to(*file), "writing '",
                        path_join(output_->place().folder, name), "'");
  return Status::ok();
}

Status ContextGenerator::publish(Model& model, CompileReport& report) {
  RETURN_IF_ERROR(expect_files());
  for (auto& [provider, sink] : sinks_) {
    for (const ProviderSink::Raw& raw : sink->raws()) {
      // One may have the place of a container that stayed empty, which is expected already.
      const bool is_expected = raw.file_name == sink->container().file_name();
      if (!sink->is_embedded() && !is_expected && !program_.write_context_data) {
        RETURN_IF_ERROR(output_->expect(raw.file_name));
      }
    }
  }
  ExternalInitializers external(options_.external_initializers, options_.external_threshold,
                                options_.initializers_compression.zstd_level());
  if (!options_.external_initializers.empty()) external.collect(*model.graph);
  ExportOptions exporting;
  if (options_.embed) exporting.aligned_attribute = "ep_cache_context";
  ChosenLocations chosen(program_.choose_location);
  exporting.place_initializer = [&](const Graph&, const Value& value) {
    return program_.choose_location ? chosen.place(value) : external.place(value);
  };

  ExternalInitializersRecord::remove_from(model);
  SourceIdentity::remove_from(model);
  ASSIGN_OR_RETURN(const auto source, output_->source_identity());
  if (source) source->write_to(model);
  expect_writing(external);
  RETURN_IF_ERROR(external.encode(work_, pool_));
  ASSIGN_OR_RETURN(ExternalInitializersRecord record, external.record(work_));
  if (!external.is_empty()) record.write_to(model);
  set_generation(*model.graph, Hash128{}.hex());
  clear_model_hash(model);
  uint64_t size = 0;
  ASSIGN_OR_RETURN(const Hash128 generation, seal(model, exporting, size));
  set_generation(*model.graph, generation.hex());
  record.generation = generation.hex();
  if (!external.is_empty()) record.write_to(model);

  RETURN_IF_ERROR(output_->begin(limits_of(work_)));
  RETURN_IF_ERROR(stage_files(external, generation));
  RETURN_IF_ERROR(stamp_model_hash(model, exporting, work_));
  RETURN_IF_ERROR(output_->write_model(
      size, [&](const ByteSink& sink) { return export_model(model, exporting, sink); }));
  RETURN_IF_ERROR(output_->commit(generation.hex()));
  for (const OutputSet::File& file : output_->files()) {
    report.files.push_back({file.path, file.bytes});
  }
  return Status::ok();
}

}  // namespace ortc
