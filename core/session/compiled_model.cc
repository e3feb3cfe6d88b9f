// SPDX-License-Identifier: MIT
// Compiling a partitioned model: see the header.
#include "core/session/compiled_model.h"

#include <algorithm>

#include "core/compile/custom_nodes.h"
#include "core/context/context_node.h"
#include "core/context/context_source.h"
#include "core/context/generate/context_generator.h"
#include "core/context/source_model.h"
#include "core/platform/memory/watched_reading.h"

namespace ortc {
namespace {

// The part of the whole work that naming the partitions takes (hashing their weights).
constexpr double kNamingShare = 0.2;

class Compiling {
 public:
  Compiling(PartitionedModel model, const CompileRules& rules, Making& making)
      : model_(std::move(model)), rules_(rules), making_(making) {}

  Result<CompiledModel> run() {
    RETURN_IF_ERROR(making_.begin_stage("compile", ""));
    RETURN_IF_ERROR(check_weightless());
    RETURN_IF_ERROR(prepare_output());
    compiled_.can_run = !making_.context().compile_only;
    // What cannot run is refused before anything is compiled.
    if (generator_ != nullptr || !compiled_.can_run) {
      RETURN_IF_ERROR(check_custom_nodes(*model_.loaded.model->graph, rest_factory()));
      RETURN_IF_ERROR(compile_rest(false));
    }
    RETURN_IF_ERROR(name_partitions(model_, making_, making_.work().part(0, kNamingShare)));
    RETURN_IF_ERROR(compile_parts());
    // All files are open now: what was read must be one set.
    if (making_.files_were_replaced()) {
      return fail(name_of_source(), " replaced while it was loaded");
    }
    if (generator_ != nullptr) {
      making_.begin_output();
      RETURN_IF_ERROR(write());
    }
    if (compiled_.can_run) {
      RETURN_IF_ERROR(making_.begin_stage("lower", ""));
      hide_single_nodes();
      RETURN_IF_ERROR(number_memories());
      RETURN_IF_ERROR(make_custom_parts());
      RETURN_IF_ERROR(compile_rest(true));
    }
    making_.end_stage();
    take_facts();
    return std::move(compiled_);
  }

 private:
  // A model from memory has files too: its weights.
  std::string name_of_source() const {
    const std::string& path = model_.loaded.source.path;
    if (!path.empty()) return str_cat("'", path, "' was");
    const std::string& folder = making_.context().external_folder;
    return str_cat("a file in '", folder.empty() ? "." : folder, "' was");
  }

  const ProviderFactory& rest_factory() const { return *model_.providers.rest.factory; }

  // Who compiles without weights must be able to.
  Status check_weightless() const {
    if (!making_.context().leaves_weights()) return Status::ok();
    for (const Partition& partition : model_.partitions) {
      const ExecutionProvider& provider = *model_.providers.claiming[partition.provider].provider;
      if (partition.claim.is_compiled()) RETURN_IF_ERROR(provider.check_weightless());
    }
    return Status::ok();
  }

  // Where the context model goes, when one is made: what is wrong with that is told first.
  Status prepare_output() {
    const ContextSettings& context = making_.context();
    if (!context.enable) return Status::ok();
    const bool anything_new = model_.has_new_partitions();
    if (!anything_new && rules_.error_if_nothing_compiled) {
      return fail("Unable to compile any nodes: no execution provider of the session (",
                  model_.providers.names(), ") takes a node of the model");
    }
    if (!anything_new && !rules_.is_compile_api) return Status::ok();
    const ModelSource& source = model_.loaded.source;
    ContextGenerator::Place place;
    if (rules_.member != nullptr) {
      ASSIGN_OR_RETURN(place, rules_.member->place());
    } else {
      ASSIGN_OR_RETURN(OutputPlace output, output_place(source, context, rules_));
      place.model_path = place.binary_path = output.model_path();
      place.set = std::make_shared<ContextSet>(
          std::make_unique<OutputSet>(std::move(output), output_rules(source, context)),
          /*is_shared=*/false);
    }
    if (making_.journal && !source.from_memory) {
      place.source_read = making_.journal->model_identity();
    }
    place.read_files = making_.read_files;
    output_path_ = place.model_path;
    generator_ =
        std::make_unique<ContextGenerator>(context, rules_.program, std::move(place),
                                           making_.work(), making_.helpers(), making_.logger());
    for (const Partition& partition : model_.partitions) {
      if (!anything_new) break;
      if (partition.claim.single_node != nullptr) continue;
      RETURN_IF_ERROR(
          generator_->sink(*model_.providers.claiming[partition.provider].provider).status());
    }
    return generator_->check_output(*model_.loaded.model, model_.partitions);
  }

  ShareBytes share_weights() const {
    PackedWeights* shared = making_.options().packed_weights.get();
    if (shared == nullptr) return {};
    return [shared](Blob fresh) { return shared->share(std::move(fresh)); };
  }

  Status compile_parts() {
    ModelContextSource source(*model_.loaded.model, making_.environment().providers(),
                              model_.loaded.context_folder,
                              making_.journal ? &*making_.journal : nullptr, making_.access());
    source.read_with(making_.context_reader(/*keeps=*/false));
    if (making_.context().share) source.share_with(&making_.environment().loaded_contexts());
    const WatchedReading watched(making_.work());
    compiled_.parts.resize(model_.partitions.size());
    for (size_t p = 0; p < model_.providers.claiming.size(); ++p) {
      RETURN_IF_ERROR(compile_provider(p, source));
    }
    return Status::ok();
  }

  Status compile_provider(size_t number, ModelContextSource& source) {
    ExecutionProvider& provider = *model_.providers.claiming[number].provider;
    std::vector<Claim> claims;
    std::vector<size_t> callees;
    for (size_t i = 0; i < model_.partitions.size(); ++i) {
      if (model_.partitions[i].provider != number) continue;
      claims.push_back(model_.partitions[i].claim);
      callees.push_back(i);
    }
    if (claims.empty()) return Status::ok();
    for (const Claim& claim : claims) {
      if (claim.context_node != nullptr) {
        RETURN_IF_ERROR(check_requirements(*claim.context_node, provider));
      }
    }
    RETURN_IF_ERROR(check_context_functions(provider, claims));
    CompileContext context = compile_context();
    context.source = &source;
    const bool has_contexts = std::ranges::any_of(
        claims, [](const Claim& claim) { return claim.single_node == nullptr; });
    if (generator_ != nullptr && model_.has_new_partitions() && has_contexts) {
      ASSIGN_OR_RETURN(context.sink, generator_->sink(provider));
    }
    context.weightless = making_.context().leaves_weights();
    context.source_weights = [this] { return source_weights(); };
    const auto count = static_cast<double>(model_.providers.claiming.size());
    const auto place = static_cast<double>(number);
    constexpr double kRest = 1 - kNamingShare;
    context.work = making_.work().part(kNamingShare + kRest * place / count,
                                       kNamingShare + kRest * (place + 1) / count);
    source.decode_with({making_.helpers(), context.work});
    if (generator_ != nullptr) generator_->watch(provider, &context.work);
    auto answer = provider.compile(claims, context);
    if (generator_ != nullptr) generator_->watch(provider, nullptr);
    ASSIGN_OR_RETURN(auto compiled, std::move(answer));
    if (compiled.size() != claims.size()) {
      return make_status(Code::kEpFail, provider.name(), " compiled ", compiled.size(), " of ",
                         claims.size(), " claims");
    }
    for (size_t i = 0; i < compiled.size(); ++i) {
      if (compiled_.can_run && compiled[i].plan == nullptr && compiled[i].object == nullptr) {
        return make_status(Code::kEpFail, provider.name(), " gave nothing to run for '",
                           claims[i].name, "'");
      }
      compiled_.parts[callees[i]] = {std::move(compiled[i]), std::string(provider.name())};
    }
    return Status::ok();
  }

  // Where weights that were left out are read from: of a model that is being compiled, from its own
  // files; of one that was compiled before, from the source that the options name.
  Result<const SourceWeights*> source_weights() {
    if (source_model_ != nullptr) return source_model_.get();
    const ModelSource& source = model_.loaded.source;
    const bool is_compiled = model_.loaded.is_compiled;
    SourceModel::Place place;
    place.external_folder = making_.context().external_folder;
    place.access = making_.access();
    place.logger = making_.logger();
    if (!is_compiled && source.make_model) {
      return fail("a model that was built in memory has no source that weights could stay in");
    }
    place.path = is_compiled ? making_.context().source_model_path
                             : (source.from_memory ? std::string() : source.path);
    if (place.path.empty()) {
      place.bytes = is_compiled ? making_.options().weightless_source : source.bytes.bytes();
    }
    if (place.path.empty() && place.bytes.empty()) {
      return fail(
          "the model was compiled without weights: say where its source is, with the config key "
          "ep.context_source_model_path or OrtSessionOptionsSetWeightlessSourceModelBuffer()");
    }
    const auto expected = is_compiled ? SourceIdentity::read(*model_.loaded.model) : std::nullopt;
    ASSIGN_OR_RETURN(source_model_, SourceModel::open(place, expected));
    return source_model_.get();
  }

  static Status check_requirements(const Node& node, const ExecutionProvider& provider) {
    const ContextRequirements needed = provider.context_requirements();
    ASSIGN_OR_RETURN(const ContextNode found, ContextNode::read(node));
    const auto check = [&](std::string_view name, std::string_view expected,
                           std::string_view value) {
      if (expected.empty() || expected == value) return Status::ok();
      return invalid_graph(context_label(node), ": ", provider.name(), " expects ", name, " '",
                           expected, "', found '", value, "'; compile the model again");
    };
    RETURN_IF_ERROR(check("ep_sdk_version", needed.sdk_version, found.sdk_version));
    return check("hardware_architecture", needed.hardware_architecture,
                 found.hardware_architecture);
  }

  // Of contexts that are embedded no function is asked.
  Status check_context_functions(const ExecutionProvider& provider,
                                 std::span<const Claim> claims) const {
    bool reads = false, compiles = false;
    for (const Claim& claim : claims) {
      compiles |= claim.is_compiled() && claim.single_node == nullptr;
      if (claim.context_node == nullptr) continue;
      ASSIGN_OR_RETURN(const ContextNode node, ContextNode::read(*claim.context_node));
      reads |= node.is_main && !node.is_embedded;
    }
    reads &= static_cast<bool>(making_.options().read_context_data);
    const bool writes = compiles && generator_ != nullptr && !making_.context().embed &&
                        static_cast<bool>(rules_.program.write_context_data);
    return reads || writes ? provider.check_context_functions(reads, writes) : Status::ok();
  }

  CompileContext compile_context() const {
    CompileContext context;
    context.logger = making_.logger();
    context.to_run = compiled_.can_run;
    context.share_weights = share_weights();
    context.kernels = rest_factory().kernels();
    context.config = &making_.options().config;
    context.rounds_rows = making_.settings().rounds_rows();
    context.disabled_optimizers = making_.settings().disabled_optimizers;
    return context;
  }

  // Fusions of the rest go by operators; bodies that the runtime runs are part of the rest.
  void hide_single_nodes() {
    for (const Partition& partition : model_.partitions) {
      if (partition.claim.single_node == nullptr || !partition.node->subgraphs().empty()) continue;
      partition.node->set_op(partition.node->op_type(), std::string(kClaimedDomain));
    }
  }

  Status number_memories() {
    for (size_t i = 0; i < model_.partitions.size(); ++i) {
      const Claim& claim = model_.partitions[i].claim;
      RETURN_IF_ERROR_WHILE(
          compiled_.memories.add_callee(compiled_.parts[i].compiled.object.get(),
                                        claim.input_count(), claim.output_count()),
          compiled_.parts[i].provider);
    }
    return Status::ok();
  }

  // Nodes of the program's operators, behind the partitions.
  Status make_custom_parts() {
    const CustomKernelPlace place{making_.logger(), &making_.options().config,
                                  rest_factory().kernels()};
    ASSIGN_OR_RETURN(auto calls,
                     make_custom_kernels(*model_.loaded.model->graph, rest_factory(), place,
                                         static_cast<uint32_t>(compiled_.parts.size())));
    for (CustomCall& call : calls) {
      RETURN_IF_ERROR(
          compiled_.memories.add_callee(call.object.get(), call.input_count, call.output_count));
      CompiledModel::Part part;
      part.provider = std::string(rest_factory().name());
      part.compiled.object = std::move(call.object);
      compiled_.parts.push_back(std::move(part));
    }
    return Status::ok();
  }

  // The rest of the model is one claim of the default provider.
  Status compile_rest(bool to_run) {
    Claim claim;
    claim.name = model_.loaded.model->graph->name;
    claim.graph = model_.loaded.model->graph;
    CompileContext context = compile_context();
    context.to_run = to_run;
    if (to_run) {
      context.memories = &compiled_.memories;
      context.work = making_.work();
    }
    ASSIGN_OR_RETURN(auto compiled, model_.providers.rest.provider->compile({&claim, 1}, context));
    if (to_run) compiled_.main = std::move(compiled.at(0));
    return Status::ok();
  }

  Status write() {
    RETURN_IF_ERROR(making_.begin_stage("write", output_path_));
    const auto providers = model_.providers.list();
    const bool has_contexts = std::ranges::any_of(
        model_.partitions, [](const Partition& one) { return one.claim.single_node == nullptr; });
    if (!has_contexts) {
      return generator_->write_plain(*model_.loaded.model, making_.report);
    }
    return generator_->write(*model_.loaded.model, model_.partitions, providers, making_.report);
  }

  // Constants live in plans now; the graph would only hold their sources.
  void take_facts() {
    std::unique_ptr<Model> described = std::move(model_.loaded.model);
    auto empty = std::make_shared<Graph>(described->opsets);
    empty->name = described->graph->name;
    empty->doc = described->graph->doc;
    described->graph = std::move(empty);
    compiled_.facts.description = std::move(described);
    compiled_.facts.ports = std::move(model_.loaded.ports);
    compiled_.facts.assigned_parts = std::move(model_.assigned_parts);
    making_.report.weight_bytes = compiled_.weight_bytes();
    compiled_.facts.report = making_.report;
    compiled_.providers = std::move(model_.providers);
  }

  PartitionedModel model_;
  CompileRules rules_;
  Making& making_;
  CompiledModel compiled_;
  std::string output_path_;
  std::unique_ptr<ContextGenerator> generator_;
  std::unique_ptr<SourceModel> source_model_;
};

uint64_t weight_bytes_of(const CompiledClaim& compiled) {
  uint64_t bytes = 0;
  if (compiled.plan == nullptr) return bytes;
  for (uint32_t i = 0; i < compiled.plan->tensor_count(); ++i) {
    bytes += compiled.plan->tensor_bytes(i).size();
  }
  return bytes;
}

}  // namespace

uint64_t CompiledModel::weight_bytes() const {
  uint64_t bytes = weight_bytes_of(main);
  for (const Part& part : parts) bytes += weight_bytes_of(part.compiled);
  return bytes;
}

Result<OutputPlace> output_place(const ModelSource& source, const ContextSettings& context,
                                 const CompileRules& rules) {
  if (rules.output) return *rules.output;
  ASSIGN_OR_RETURN(const std::string path,
                   context_model_path(context, source.from_memory ? "" : source.path));
  return OutputPlace::file(path);
}

OutputRules output_rules(const ModelSource& source, const ContextSettings& context) {
  OutputRules rules;
  rules.overwrite = context.overwrite;
  rules.replace_shared = context.replace_shared;
  rules.source_folder = context.external_folder;
  if (source.from_memory) {
    rules.source_bytes = source.bytes.bytes();
  } else if (!source.make_model) {
    rules.source_path = source.path;
  }
  return rules;
}

Result<CompiledModel> compile_model(PartitionedModel model, const CompileRules& rules,
                                    Making& making) {
  return Compiling(std::move(model), rules, making).run();
}

}  // namespace ortc
