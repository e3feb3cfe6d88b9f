// SPDX-License-Identifier: MIT
// Making a session: see the header. The order of the stages is the order of the functions; the
// first, loading, is in session_loading.cc.
#include "core/session/session_builder.h"

#include <algorithm>

#include "core/compile/lowering.h"
#include "core/optimise/pipeline.h"
#include "core/platform/clock.h"
#include "core/session/optimised_model.h"

namespace ortc {
namespace {

// Options of one provider: those given with it, over "ep.<name>.<option>" of the config.
KeyValues provider_options(const ProviderFactory& factory, const KeyValues& given,
                           const KeyValues& config) {
  KeyValues options;
  for (const std::string& prefix : {factory.option_prefix, factory.option_prefix_alias}) {
    const std::string begin = str_cat("ep.", prefix, ".");
    for (const auto& [key, value] : config) {
      if (key.starts_with(begin)) options[key.substr(begin.size())] = value;
    }
  }
  for (const auto& [key, value] : given) options[key] = value;
  return options;
}

}  // namespace

SessionBuilder::SessionBuilder(std::shared_ptr<const Environment> environment, ModelSource source,
                               SessionOptions options, BuildMode mode, Progress progress)
    : environment_(std::move(environment)),
      source_(std::move(source)),
      options_(std::move(options)),
      mode_(mode),
      progress_(std::move(progress)),
      logger_(environment_->logger()) {}

Result<std::unique_ptr<Session>> SessionBuilder::build() {
  session_.reset(new Session());
  session_->environment_ = environment_;
  RETURN_IF_ERROR(read_options());
  session_->logger_ = logger_;
  if (options_.profile_prefix.has_value()) {
    ASSIGN_OR_RETURN(session_->profiler_, Profiler::start(*options_.profile_prefix));
  }
  const int64_t begin_ns = now_ns();
  RETURN_IF_ERROR(make_providers());
  RETURN_IF_ERROR(begin_stage("load", source_.path));
  RETURN_IF_ERROR(load_model());
  const int64_t loaded_ns = now_ns();
  if (mode_.draft) {
    RETURN_IF_ERROR(make_ports());
    end_stage();
    return std::move(session_);
  }
  RETURN_IF_ERROR(begin_stage("optimise", ""));
  RETURN_IF_ERROR(optimise_model());
  if (!options_.optimised_model.path.empty()) {
    RETURN_IF_ERROR(begin_stage("write optimised", options_.optimised_model.path));
    RETURN_IF_ERROR(write_optimised());
  }
  RETURN_IF_ERROR(begin_stage("partition", ""));
  RETURN_IF_ERROR(partition_model());
  RETURN_IF_ERROR(begin_stage("compile", ""));
  RETURN_IF_ERROR(compile_claims());
  RETURN_IF_ERROR(check_left_over_contexts());
  if (generator_ != nullptr) {
    RETURN_IF_ERROR(begin_stage("write", output_path_));
    RETURN_IF_ERROR(write_context());
  }
  if (!context_.compile_only) {
    RETURN_IF_ERROR(begin_stage("lower", ""));
    RETURN_IF_ERROR(lower_rest());
  }
  end_stage();
  session_->compile_only_ = context_.compile_only;
  // Constants live in plans now; the graph would only hold their sources.
  auto described = std::make_shared<Graph>(session_->model_->opsets);
  described->name = session_->model_->graph->name;
  described->doc = session_->model_->graph->doc;
  session_->model_->graph = std::move(described);
  if (session_->profiler_ != nullptr) {
    Profiler& profiler = *session_->profiler_;
    profiler.add_session_event(source_.from_memory ? "model_loading_array" : "model_loading_uri",
                               begin_ns, loaded_ns);
    profiler.add_session_event("session_initialization", loaded_ns, now_ns());
  }
  return std::move(session_);
}

Result<std::unique_ptr<Model>> SessionBuilder::read_model() {
  session_.reset(new Session());
  RETURN_IF_ERROR(read_options());
  RETURN_IF_ERROR(load_model());
  return std::move(session_->model_);
}

Status SessionBuilder::begin_stage(std::string_view stage, std::string_view detail, size_t done,
                                   size_t total) {
  end_stage();
  RETURN_IF_ERROR(check_cancel());
  stage_ = stage;
  stage_begin_ns_ = now_ns();
  return progress_ ? progress_(stage, detail, done, total) : Status::ok();
}

Status SessionBuilder::check_cancel() const {
  if (!options_.cancel_load->load(std::memory_order_relaxed)) return Status::ok();
  return make_status(Code::kModelLoadCanceled, "loading '", source_.path,
                     "' was canceled due to user request");
}

void SessionBuilder::end_stage() {
  if (stage_.empty()) return;
  session_->report_.stages.push_back({stage_, now_ns() - stage_begin_ns_});
  stage_.clear();
}

Status SessionBuilder::read_options() {
  const Severity threshold = options_.log_severity >= 0
                                 ? static_cast<Severity>(options_.log_severity)
                                 : logger_.threshold();
  const std::string log_id = !options_.log_id.empty()     ? options_.log_id
                             : options_.log_severity >= 0 ? std::string("ortc")
                                                          : logger_.log_id();
  logger_ = options_.log_sink != nullptr ? Logger(options_.log_sink, log_id, threshold)
                                         : logger_.with(log_id, threshold);
  context_ = options_.context;
  RETURN_IF_ERROR(check_context_settings(context_));
  if (options_.disable_file_mapping) access_ = Access::kRead;
  if (!context_.enable) return Status::ok();
  if (source_.from_memory && context_.file_path.empty()) {
    return make_status(mode_.compile_api ? Code::kInvalidArgument : Code::kFail,
                       "the model comes from memory, so ep.context_file_path must say where the "
                       "context model goes "
                       "(or use the compile API with an output path)");
  }
  ASSIGN_OR_RETURN(output_path_, context_model_path(
                                     context_, source_.from_memory ? std::string() : source_.path));
  return Status::ok();
}

Status SessionBuilder::make_providers() {
  for (const ProviderChoice& choice : options_.providers) {
    const KeyValues options = provider_options(*choice.factory, choice.options, options_.config);
    ASSIGN_OR_RETURN(auto provider, choice.factory->make(options, logger_));
    if (choice.factory->alias == "CPU") {
      cpu_was_chosen_ = true;
      continue;
    }
    const bool twice =
        std::find(factories_.begin(), factories_.end(), choice.factory) != factories_.end();
    if (twice) return invalid_argument("provider '", choice.factory->name, "' was added twice");
    factories_.push_back(choice.factory);
    providers_.push_back(provider.get());
    session_->providers_.push_back(std::move(provider));
  }
  if (options_.disable_cpu_fallback && cpu_was_chosen_) {
    return invalid_argument(
        "session.disable_cpu_ep_fallback=1, but the CPU provider was added explicitly");
  }
  return Status::ok();
}

Status SessionBuilder::optimise_model() {
  RETURN_IF_ERROR(make_ports());
  OptimiseOptions options;
  options.level = options_.level;
  options.logger = logger_;
  options.disabled_passes = {options_.disabled_optimizers.begin(),
                             options_.disabled_optimizers.end()};
  const ProviderFactory* cpu = environment_->providers().find("CPU");
  const Evaluator evaluator(cpu->rules().kernels);
  auto passes = optimise(*session_->model_, evaluator, options);
  return passes.is_ok() ? Status::ok() : passes.status();
}

Status SessionBuilder::write_optimised() {
  if (context_.enable || !ep_context_nodes(*session_->model_->graph).empty()) {
    return fail("the optimised model cannot be written as '", options_.optimised_model.path,
                "': the session makes or holds compiled nodes, which it cannot contain");
  }
  return write_optimised_model(*session_->model_, options_.optimised_model);
}

Status SessionBuilder::make_ports() {
  const Graph& graph = *session_->model_->graph;
  for (ValueId id : graph.inputs()) {
    const Value& value = *graph.value(id);
    auto& ports = value.initializer != nullptr ? session_->overridable_ : session_->inputs_;
    Session::GraphInput input;
    input.port = ports.size();
    input.is_overridable = value.initializer != nullptr;
    if (value.initializer != nullptr) input.otherwise = value.initializer->tensor;
    session_->graph_inputs_.push_back(std::move(input));
    ports.push_back({value.name, value.type});
  }
  for (ValueId id : graph.outputs()) {
    const Value& value = *graph.value(id);
    session_->outputs_.push_back({value.name, value.type});
  }
  return Status::ok();
}

Status SessionBuilder::partition_model() {
  PartitionOptions options;
  options.node_name_prefix = context_.node_name_prefix;
  options.logger = logger_;
  ASSIGN_OR_RETURN(partition_, partition(*session_->model_->graph, providers_, options));
  CompileReport& report = session_->report_;
  for (const Partition& partition : partition_.partitions) {
    report.partitions.push_back({partition.claim.name,
                                 std::string(providers_[partition.provider]->name()),
                                 partition.node_count});
    if (context_.disable_compile && partition.claim.context_node == nullptr) {
      return make_status(Code::kModelRequiresCompilation, "session.disable_model_compile=1, but ",
                         providers_[partition.provider]->name(), " would have to compile ",
                         partition.node_count, " nodes; compile the model first");
    }
  }
  report.assignments = partition_.assignments;
  record_assignment();
  if (options_.disable_cpu_fallback && !partition_.assignments.empty()) {
    const Assignment& first = partition_.assignments.front();
    return fail("session.disable_cpu_ep_fallback=1, but ", partition_.assignments.size(),
                " nodes stay on the CPU provider, the first: ", first.op_type, " '", first.node,
                "'", first.reason.empty() ? std::string() : str_cat(" (", first.reason, ")"));
  }
  return Status::ok();
}

void SessionBuilder::record_assignment() {
  if (!options_.record_assignment) return;
  session_->assigned_parts_ = std::make_unique<std::vector<AssignedPart>>();
  record_graph(*session_->model_->graph, *session_->assigned_parts_);
}

// The nodes that are left are the CPU provider's, but for those that stand for a claim.
void SessionBuilder::record_graph(const Graph& graph, std::vector<AssignedPart>& parts) const {
  const auto describe = [](const Node& node) {
    return AssignedPart::Node{node.name(), node.domain(), node.op_type()};
  };
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    const Node* node = graph.node(id);
    if (node == nullptr) continue;
    const auto claim =
        std::find_if(partition_.partitions.begin(), partition_.partitions.end(),
                     [&](const Partition& p) { return p.place == &graph && p.fused_node == id; });
    AssignedPart part;
    if (claim == partition_.partitions.end()) {
      for (const Graph* body : node->subgraphs()) record_graph(*body, parts);
      part.provider = "CPUExecutionProvider";
      part.nodes.push_back(describe(*node));
    } else {
      part.provider = providers_[claim->provider]->name();
      if (claim->claim.context_node != nullptr) {
        part.nodes.push_back(describe(*node));
      } else {
        const Graph& inner = *claim->claim.graph;
        for (NodeId n = 0; n < inner.node_bound(); ++n) {
          if (inner.node(n) != nullptr) part.nodes.push_back(describe(*inner.node(n)));
        }
      }
    }
    parts.push_back(std::move(part));
  }
}

std::string SessionBuilder::provider_names() const {
  std::string names;
  for (const ProviderFactory* factory : factories_) names += str_cat(factory->name, ", ");
  return names + "CPUExecutionProvider";
}

// EPContext nodes that no provider took.
Status SessionBuilder::check_left_over_contexts() const {
  for (const Node* node : ep_context_nodes(*session_->model_->graph)) {
    const bool taken =
        std::any_of(partition_.partitions.begin(), partition_.partitions.end(),
                    [&](const Partition& p) { return p.claim.context_node == node; });
    if (taken) continue;
    const std::string_view source = node->string_attribute("source", "");
    const ProviderFactory* known = environment_->providers().find(source);
    return not_implemented(
        node->label(), " with source '", source,
        "' was taken by no execution provider of the session (", provider_names(), "); ",
        known != nullptr ? str_cat("add '", known->name, "' to the session options")
                         : std::string("register the library of the provider that made it"));
  }
  return Status::ok();
}

Status SessionBuilder::compile_claims() {
  compiled_.resize(partition_.partitions.size());
  // Only claims that were compiled here are worth writing.
  const bool anything_new =
      std::any_of(partition_.partitions.begin(), partition_.partitions.end(),
                  [](const Partition& p) { return p.claim.context_node == nullptr; });
  if (context_.enable && (anything_new || mode_.compile_api)) {
    generator_ = std::make_unique<ContextGenerator>(context_, output_path_, logger_);
  }
  if (context_.enable && mode_.error_if_nothing_compiled && !anything_new) {
    return fail("Unable to compile any nodes: no execution provider of the session (",
                provider_names(), ") takes a node of the model");
  }
  ModelContextSource source(*session_->model_, context_folder_, journal_ ? &*journal_ : nullptr,
                            environment_->weights(), access_);
  for (size_t p = 0; p < providers_.size(); ++p) {
    std::vector<Claim> claims;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < partition_.partitions.size(); ++i) {
      if (partition_.partitions[i].provider != p) continue;
      claims.push_back(partition_.partitions[i].claim);
      numbers.push_back(i);
    }
    if (claims.empty()) continue;
    CompileContext context;
    context.logger = logger_;
    context.source = &source;
    if (generator_ != nullptr && anything_new) {
      context.sink = &generator_->sink(*providers_[p], std::string(providers_[p]->target()));
    }
    context.progress = [&, p](size_t done, size_t total) {
      RETURN_IF_ERROR(check_cancel());
      return progress_ ? progress_("compile", providers_[p]->name(), done, total) : Status::ok();
    };
    ASSIGN_OR_RETURN(auto compiled, providers_[p]->compile(claims, context));
    if (compiled.size() != claims.size()) {
      return make_status(Code::kEpFail, providers_[p]->name(), " compiled ", compiled.size(),
                         " of ", claims.size(), " claims");
    }
    for (size_t i = 0; i < compiled.size(); ++i) {
      // A context's tensors are mapped and shared already.
      if (options_.packed_weights != nullptr && claims[i].context_node == nullptr) {
        for (Blob& tensor : compiled[i].plan_tensors) {
          tensor = options_.packed_weights->share(std::move(tensor));
        }
      }
      for (const Blob& tensor : compiled[i].plan_tensors)
        session_->report_.weight_bytes += tensor.size();
      compiled_[numbers[i]] = std::move(compiled[i]);
    }
  }
  // All files are open now: what was read must be one set.
  if (files_were_replaced()) return fail("'", source_.path, "' was replaced while it was loaded");
  return Status::ok();
}

Status SessionBuilder::write_context() {
  if (partition_.partitions.empty())
    return generator_->write_plain(*session_->model_, session_->report_);
  return generator_->write(*session_->model_, partition_.partitions, providers_, session_->report_);
}

Status SessionBuilder::make_pool() {
  if (!options_.own_threads) {
    session_->pool_ = environment_->pool();
    if (session_->pool_ != nullptr) return Status::ok();
    return fail(
        "the session shall use the threads of its environment, but the environment was not created "
        "with global thread pools");
  }
  ThreadPoolOptions threads;
  threads.thread_count = options_.intra_op_threads;
  threads.hooks = options_.thread_hooks;
  if (threads.hooks.create && !threads.hooks.join) {
    return fail("a function that creates threads was set, but none that joins them");
  }
  threads.allow_spinning = options_.allow_spinning;
  threads.spin_duration_us = options_.spin_duration_us;
  session_->pool_ = std::make_shared<ThreadPool>(threads);
  // The program's function is called now, while there is somebody to tell of its failure.
  if (threads.hooks.create && !session_->pool_->start()) {
    return fail("the function that creates threads gave none");
  }
  return Status::ok();
}

Status SessionBuilder::lower_rest() {
  Session& session = *session_;
  RETURN_IF_ERROR(make_pool());
  session.arenas_ = std::make_unique<ArenaPool>(options_.memory_arena);
  session.tensor_maker_ = options_.tensor_maker;
  session.packed_weights_ = options_.packed_weights;
  ExecutorContext context;
  context.pool = session.pool_.get();
  context.isa = host_isa();
  context.arenas = session.arenas_.get();
  context.tensor_maker = session.tensor_maker_.get();
  if (!options_.memory_pattern) context.binding_count_max = 0;

  std::vector<Callee> callees;
  for (CompiledClaim& compiled : compiled_) {
    Callee callee;
    callee.object = compiled.object;
    callee.provider = providers_[partition_.partitions[callees.size()].provider]->name();
    if (compiled.object == nullptr) {
      const auto& name = partition_.partitions[callees.size()].claim.name;
      auto plan = Plan::open(std::move(compiled.plan_image), std::move(compiled.plan_tensors),
                             *compiled.kernels);
      if (!plan.is_ok()) {
        Status status = plan.status();
        return std::move(status.note(str_cat("context graph '", name, "'")));
      }
      ExecutorContext inner = context;
      inner.isa = std::min(context.isa, compiled.isa_max);
      ASSIGN_OR_RETURN(callee.runner, Runner::create(std::move(plan).value(), {}, inner));
    }
    callees.push_back(std::move(callee));
  }
  const ProviderFactory* cpu = environment_->providers().find("CPU");
  LoweringOptions lowering;
  lowering.rules = &cpu->rules();
  lowering.logger = logger_;
  lowering.callee = [&](const Node& node) -> std::optional<uint32_t> {
    for (size_t i = 0; i < partition_.partitions.size(); ++i) {
      const Partition& partition = partition_.partitions[i];
      const bool same_op = partition.claim.context_node != nullptr
                               ? node.is_op("EPContext", kMicrosoftDomain)
                               : node.op_type() == partition.claim.name;
      if (same_op && node.name() == partition.claim.name && node.id() == partition.fused_node) {
        return static_cast<uint32_t>(i);
      }
    }
    return std::nullopt;
  };
  ASSIGN_OR_RETURN(PlanImage image, lower(*session.model_->graph, lowering));
  for (Tensor& tensor : image.tensors) {
    session.report_.weight_bytes += tensor.byte_size();
    if (options_.packed_weights == nullptr || tensor.dtype() == DType::kString) continue;
    const Blob shared = options_.packed_weights->share(Blob(tensor.bytes(), tensor.owner()));
    ASSIGN_OR_RETURN(tensor,
                     Tensor::view(tensor.dtype(), tensor.dims(), shared.bytes(), shared.owner()));
  }
  ASSIGN_OR_RETURN(auto plan, Plan::open(std::move(image), cpu->rules().kernels));
  ASSIGN_OR_RETURN(session.runner_, Runner::create(std::move(plan), std::move(callees), context));
  return Status::ok();
}

Result<std::unique_ptr<Session>> build_session(std::shared_ptr<const Environment> environment,
                                               const ModelSource& source,
                                               const SessionOptions& options, const BuildMode& mode,
                                               const Progress& progress) {
  constexpr int kAttempts = 50;
  for (int attempt = 1;; ++attempt) {
    SessionBuilder builder(environment, source, options, mode, progress);
    auto session = builder.build();
    if (session.is_ok() || attempt == kAttempts || !builder.files_were_replaced()) return session;
  }
}

}  // namespace ortc
