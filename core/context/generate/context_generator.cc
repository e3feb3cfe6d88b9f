// SPDX-License-Identifier: MIT
// Generating context models: see the header.
#include "core/context/generate/context_generator.h"

#include <algorithm>

#include "core/base/ascii.h"
#include "core/context/format.h"
#include "core/context/generate/model_size.h"
#include "core/context/generate/read_files.h"
#include "core/context/output/journal.h"
#include "core/graph/walk.h"
#include "core/options/relative_name.h"
#include "core/partition/layout/standard_form.h"
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
  for (Node& node : nodes_of(graph)) {
    for (Graph* body : node.subgraphs()) tidy_values(*body);
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

Model copy_of(const Model& model) {
  Model copy = shell_of(model);
  copy.graph = model.graph->clone();
  return copy;
}

}  // namespace

ContextGenerator::ContextGenerator(const ContextSettings& options, ProgramFiles program,
                                   Place place, Work& work, ThreadPool* pool, Logger logger)
    : options_(options),
      program_(std::move(program)),
      place_(std::move(place)),
      work_(work),
      pool_(pool),
      logger_(std::move(logger)) {
  options_.external_initializers = plain_relative_name(options.external_initializers);
  const auto locked = lock();
  model_is_file_ = place_.set->output().place(place_.model).is_file();
}

Result<ContextSink*> ContextGenerator::sink(const ExecutionProvider& provider) {
  auto& sink = sinks_[std::string(provider.name())];
  if (sink == nullptr) {
    const std::string suffix = ascii_lower(provider.short_name());
    ContextBinaryWriter::Options options;
    options.file_name = context_binary_name(place_.binary_path, suffix);
    options.embed = options_.embed;
    options.provider = provider.name();
    options.target = provider.target();
    options.zstd_level = options_.compression.zstd_level();
    const auto locked = lock();
    ASSIGN_OR_RETURN(auto container, place_.set->container(options, goes_to_files()));
    std::optional<std::string> folder;
    if (goes_to_files()) folder = place_.set->output().place().folder;
    sink = std::make_unique<ProviderSink>(place_.model_path, std::move(suffix),
                                          options_.node_name_prefix, std::move(container),
                                          place_.turn, std::move(folder));
  }
  return sink.get();
}

void ContextGenerator::watch(const ExecutionProvider& provider, Work* work) {
  const auto sink = sinks_.find(std::string(provider.name()));
  if (sink != sinks_.end()) sink->second->watch(work, pool_);
}

// A provider that writes its file itself has written it by now. What has the same name would take
// its place, or has lost its own.
Status ContextGenerator::check_own_file(const Node& node, const ProviderSink& sink) const {
  const Attribute* content = node.attribute("ep_cache_context");
  if (content == nullptr || node.int_attribute("embed_mode", 1) != 0) return Status::ok();
  const std::string name(content->s.text());
  if (sink.find_raw(content->s) != nullptr) return Status::ok();
  if (sink.has_added() && name == sink.container()->file_name()) return Status::ok();
  std::vector<std::string> others = {options_.external_initializers};
  for (const auto& [provider, other] : sinks_) {
    if (other.get() == &sink || other->is_embedded()) continue;
    if (other->has_added()) others.push_back(other->container()->file_name());
    for (const ProviderSink::Raw& raw : other->raws()) others.push_back(raw.file_name);
  }
  for (const std::string& other : others) {
    if (other.empty() || !paths_collide(name, other)) continue;
    return fail("the provider wrote its context as '", name,
                "', a file that this model has already; register the library under another name");
  }
  return Status::ok();
}

Result<Model> ContextGenerator::context_model(const Model& model,
                                              std::span<const Partition> partitions,
                                              std::span<ExecutionProvider* const> providers) {
  Model output = copy_of(model);
  MadeNodes made(providers.size());
  for (size_t p = 0; p < providers.size(); ++p) {
    const bool has_claims =
        std::any_of(partitions.begin(), partitions.end(), [&](const Partition& partition) {
          return partition.provider == p && partition.claim.single_node == nullptr;
        });
    if (!has_claims) continue;
    ASSIGN_OR_RETURN(const auto nodes, providers[p]->get_ep_context_nodes());
    const auto own_sink = sinks_.find(std::string(providers[p]->name()));
    if (own_sink == sinks_.end()) continue;
    for (const Node* node : nodes) {
      if (node == nullptr) continue;
      RETURN_IF_ERROR_WHILE(check_own_file(*node, *own_sink->second), providers[p]->name());
      made[p].emplace(node->name(), MadeNode{node, own_sink->second.get()});
    }
  }
  RETURN_IF_ERROR(place_context_nodes(*output.graph, partitions, providers, made));
  RETURN_IF_ERROR(become_standard(*output.graph));
  for (ExecutionProvider* provider : providers) {
    if (sinks_.find(std::string(provider->name())) == sinks_.end()) continue;
    ASSIGN_OR_RETURN(const std::string info, provider->compatibility_info_of(output));
    if (!info.empty()) {
      output.set_metadata(str_cat("ep_compatibility_info.", provider->name()), info);
    }
  }
  import_opset(output, kMicrosoftDomain, 1);
  tidy_values(*output.graph);
  return output;
}

Status ContextGenerator::write(const Model& model, std::span<const Partition> partitions,
                               std::span<ExecutionProvider* const> providers,
                               CompileReport& report) {
  ASSIGN_OR_RETURN(Model output, context_model(model, partitions, providers));
  return hand_over(std::move(output), report);
}

Status ContextGenerator::write_plain(const Model& model, CompileReport& report) {
  sinks_.clear();
  Model output = copy_of(model);
  RETURN_IF_ERROR(become_standard(*output.graph));
  tidy_values(*output.graph);
  return hand_over(std::move(output), report);
}

Status ContextGenerator::expect_initializers() {
  if (std::exchange(expects_initializers_, true)) return Status::ok();
  if (options_.external_initializers.empty()) return Status::ok();
  const auto locked = lock();
  if (place_.set->output().place().folder.empty()) {
    return invalid_argument(
        "a model that is compiled from memory to memory has no folder for the file of external "
        "initializers '",
        options_.external_initializers,
        "': say where with OrtModelCompilationOptions_SetEpContextBinaryInformation() or "
        "ep.context_file_path, or leave the initializers in the model");
  }
  return place_.set->output().expect(options_.external_initializers, place_.model);
}

Status ContextGenerator::check_output(const Model& model, std::span<const Partition> partitions) {
  RETURN_IF_ERROR(expect_initializers());
  std::vector<const Graph*> inside = {model.graph.get()};
  // How far compressing will get is not known.
  const bool is_whole_inside = options_.embed && options_.compression.zstd_level() == 0;
  for (const Partition& partition : partitions) {
    if (is_whole_inside && partition.claim.is_compiled())
      inside.push_back(partition.claim.graph.get());
  }
  // What a context holds stays in it, however large. Of initializers whose place the program
  // chooses nothing is known yet.
  const bool is_in_container =
      place_.set->is_shared() && !sinks_.empty() && has_external_container();
  const bool has_external =
      !options_.external_initializers.empty() || program_.initializers.choose || is_in_container;
  if (!has_external || !options_.embed) {
    uint64_t threshold = program_.initializers.choose ? 0 : options_.external_threshold;
    if (is_in_container && options_.external_initializers.empty()) threshold = kLargeTensor;
    RETURN_IF_ERROR(check_model_size(inside, has_external ? threshold : UINT64_MAX));
  } else {
    RETURN_IF_ERROR(check_model_size(std::span(inside).subspan(1), UINT64_MAX));
  }
  const auto locked = lock();
  return place_.set->output().check(/*may_grow=*/place_.set->is_shared());
}

// One may have the place of a container that stays empty, which is expected already.
Status ContextGenerator::expect_raws(PreparedModel& prepared) {
  const auto locked = lock();
  for (auto& [provider, sink] : sinks_) {
    if (sink->is_embedded()) continue;
    for (const ProviderSink::Raw& raw : sink->raws()) {
      const bool is_expected = raw.file_name == sink->container()->file_name();
      if (goes_to_files() && !is_expected) {
        RETURN_IF_ERROR(place_.set->output().expect(raw.file_name, place_.model));
      }
      prepared.raws.push_back(raw);
    }
  }
  return Status::ok();
}

// That a model can name as external data; null when there is none.
std::shared_ptr<ContextBinaryWriter> ContextGenerator::container_for_initializers() const {
  if (!has_external_container()) return nullptr;
  for (const auto& [provider, sink] : sinks_) {
    if (sink->has_added()) return sink->container();
  }
  return nullptr;
}

Status ContextGenerator::hand_over(Model model, CompileReport& report) {
  ContextSet& set = *place_.set;
  if (place_.turn) RETURN_IF_ERROR(place_.turn(work_));
  RETURN_IF_ERROR(expect_initializers());
  PreparedModel prepared(std::move(model), place_.model, options_, program_.initializers);
  RETURN_IF_ERROR(expect_raws(prepared));
  RETURN_IF_ERROR(prepared.place_initializers(container_for_initializers(), set.is_shared()));
  // Hashed without the group's lock.
  const OutputRules rules = [&] {
    const auto locked = lock();
    return set.output().rules(place_.model);
  }();
  RETURN_IF_ERROR(check_unchanged(place_.read_files));
  ASSIGN_OR_RETURN(const auto source, rules.source_identity(place_.source_read));
  // What a group takes lies in its own file by now, or was copied.
  if (!set.is_shared()) prepared.read_until_written(place_.read_files);
  work_.expect(prepared.expected_units());
  RETURN_IF_ERROR(prepared.finish(source, work_, pool_));
  if (place_.give) return place_.give(std::move(prepared), work_, report);
  set.add(std::move(prepared));
  return set.publish(program_.write_context_data, work_, report);
}

}  // namespace ortc
