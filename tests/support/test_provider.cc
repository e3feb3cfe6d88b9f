// SPDX-License-Identifier: MIT
// The test provider: see the header.
#include "tests/support/test_provider.h"

#include <algorithm>

#include "core/options/option_row.h"
#include "core/partition/partitioner.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

constexpr std::string_view kHostTarget = "toy-1";

enum class Groups : int { kConvex, kSingle, kGiven, kTwice };

struct TestOptions {
  std::vector<std::string> operators;
  int groups = 0, order = 0, leaves_constants = 0, is_raw = 0, places = 0, fault = 0;
  int memory = 0, works_ahead = 0;
  bool has_weights = false;
  std::string sdk, needs_sdk;
  std::string target = std::string(kHostTarget);
};

#define FIELD(path) \
  [](void* settings) -> OptionPlace { return &static_cast<TestOptions*>(settings)->path; }

constexpr OptionWord kGroups[] = {{"convex", 0}, {"single", 1}, {"given", 2}, {"twice", 3}};
constexpr OptionWord kOrders[] = {{"outer", 0}, {"inner", 1}};
constexpr OptionWord kConstants[] = {{"take", 0}, {"leave", 1}};
constexpr OptionWord kStorages[] = {{"container", 0}, {"raw", 1}};
constexpr OptionWord kPlaces[] = {{"claim", 0}, {"reversed", 1}};
constexpr OptionWord kMemories[] = {{"host", 0}, {"device", 1}, {"second", 2}, {"pinned", 3}};
constexpr OptionWord kWork[] = {{"now", 0}, {"ahead", 1}};
constexpr OptionWord kFaults[] = {{"none", 0},           {"no_node", 1},    {"few_claims", 2},
                                  {"nothing_to_run", 3}, {"wrong_type", 4}, {"no_output", 5},
                                  {"strange_value", 6}};
constexpr OptionRow kRows[] = {
    {"operators", "", list(','), "", "Operators that it claims.", FIELD(operators)},
    {"groups", "", word(kGroups), "convex", "How it groups them.", FIELD(groups)},
    {"order", "", word(kOrders), "outer", "Which graph it sees first.", FIELD(order)},
    {"constants", "", word(kConstants), "take", "Whose they are.", FIELD(leaves_constants)},
    {"storage", "", word(kStorages), "container", "Where its bytes go.", FIELD(is_raw)},
    {"places", "", word(kPlaces), "claim", "Order of its nodes' values.", FIELD(places)},
    {"memory", "", word(kMemories), "host", "Where its values lie.", FIELD(memory)},
    {"work", "", word(kWork), "now", "When it computes.", FIELD(works_ahead)},
    {"sdk", "", text(), "", "Which one its nodes are of.", FIELD(sdk)},
    {"needs_sdk", "", text(), "", "Which one its nodes must be of.", FIELD(needs_sdk)},
    {"weights_needed", "", flag(), "0", "\"1\": it cannot leave them.", FIELD(has_weights)},
    {"target", "", text(), "toy-1", "What to compile for.", FIELD(target)},
    {"fault", "", word(kFaults), "none", "What it does wrong.", FIELD(fault)},
};

#undef FIELD

TestMemories memories_of(const TestOptions& options, const TestState& state) {
  TestDeviceKind kind;
  kind.works_ahead = options.works_ahead != 0;
  TestMemories memories;
  if (options.memory == 0) return memories;
  kind.device_id = options.memory == 2 ? 1 : 0;
  memories.inputs = memories.outputs = memories.stream = test_device(state.device, kind);
  if (options.memory == 3) {
    kind.is_host_accessible = true;
    memories.outputs = test_device(state.device, kind, memories.stream);
  }
  return memories;
}

class TestProvider final : public ExecutionProvider {
 public:
  TestProvider(TestOptions options, std::shared_ptr<TestState> state)
      : options_(std::move(options)), state_(std::move(state)) {
    ++state_->providers_alive;
  }
  ~TestProvider() override { --state_->providers_alive; }

  std::string_view name() const override { return state_->name; }
  std::string_view short_name() const override { return state_->alias; }
  std::string_view target() const override { return options_.target; }
  Status check_runs_here() const override {
    if (options_.target.starts_with("toy-")) return Status::ok();
    return invalid_argument("target '", options_.target, "' does not run here");
  }
  ClaimOrder claim_order() const override {
    return options_.order == 0 ? ClaimOrder::kOuterFirst : ClaimOrder::kInnerFirst;
  }

  Result<Capability> get_capability(const Graph& graph) override {
    ++state_->asked;
    Capability capability;
    const auto wants = [&](const Node& node) {
      return node.domain().empty() &&
             std::count(options_.operators.begin(), options_.operators.end(), node.op_type()) != 0;
    };
    NodeGroup all;
    for (NodeId id = 0; id < graph.node_bound(); ++id) {
      const Node* node = graph.node(id);
      if (node == nullptr || node->callee() != kNoCallee) continue;
      if (is_own_context(*node)) {
        capability.groups.push_back({{id}});
      } else if (wants(*node)) {
        all.nodes.push_back(id);
      } else {
        capability.refusals.push_back({id, "not among its operators"});
      }
    }
    std::vector<NodeGroup> groups;
    switch (static_cast<Groups>(options_.groups)) {
      case Groups::kConvex: {
        ASSIGN_OR_RETURN(groups, convex_groups(graph, wants));
        break;
      }
      case Groups::kSingle:
        for (NodeId id : all.nodes) groups.push_back({{id}});
        break;
      case Groups::kGiven:
        if (!all.nodes.empty()) groups.push_back(all);
        break;
      case Groups::kTwice:
        for (NodeId id : all.nodes) groups.push_back({{id, id}});
        break;
    }
    for (NodeGroup& group : groups) {
      group.takes_constants = options_.leaves_constants == 0;
      capability.groups.push_back(std::move(group));
    }
    return capability;
  }

  Result<std::vector<CompiledClaim>> compile(std::span<const Claim> claims,
                                             CompileContext& context) override {
    sink_ = context.sink;
    std::vector<CompiledClaim> compiled;
    for (const Claim& claim : claims) {
      if (fault() == TestFault::kFewClaims && &claim == &claims.back()) break;
      TestClaim made;
      if (claim.context_node != nullptr) {
        ASSIGN_OR_RETURN(made, load(*claim.context_node, context));
      } else {
        made.graph = claim.graph;
        ++state_->compiled;
        if (sink_ != nullptr) RETURN_IF_ERROR(store(claim, context));
      }
      CompiledClaim& one = compiled.emplace_back();
      if (!context.to_run || fault() == TestFault::kNothingToRun) continue;
      one.object = std::make_shared<TestObject>(std::move(made), memories_of(options_, *state_),
                                                state_->runs, fault());
    }
    return compiled;
  }

  Result<std::vector<const Node*>> get_ep_context_nodes() override {
    std::vector<const Node*> nodes;
    for (const Stored& stored : stored_) {
      if (fault() == TestFault::kNoNode && &stored == &stored_.back()) break;
      ASSIGN_OR_RETURN(const Node* node, make_node(stored, nodes.empty()));
      nodes.push_back(node);
    }
    return nodes;
  }
  ContextRequirements context_requirements() const override {
    if (options_.needs_sdk.empty()) return {};
    return {options_.needs_sdk, options_.target};
  }
  Status check_weightless() const override {
    return options_.has_weights ? ExecutionProvider::check_weightless() : Status::ok();
  }
  std::string compatibility_info() const override {
    return str_cat("test-context 1 ", options_.target);
  }

 private:
  struct Stored {
    std::string name;
    std::shared_ptr<const Graph> graph;
    Blob contents;  // of raw storage
  };

  TestFault fault() const { return static_cast<TestFault>(options_.fault); }

  bool is_own_context(const Node& node) const {
    return node.is_op("EPContext", kMicrosoftDomain) &&
           equals_ignoring_case(node.string_attribute("source", ""), state_->alias);
  }

  Result<TestClaim> load(const Node& node, const CompileContext& context) {
    ++state_->loaded;
    ContextSource& source = *context.source;
    if (node.string_attribute("notes", "") == "raw") {
      ASSIGN_OR_RETURN(const Blob bytes, source.open_raw(node));
      return decode_claim(bytes, context.source_weights);
    }
    ASSIGN_OR_RETURN(const ContextView* view, source.open(node));
    ASSIGN_OR_RETURN(const ContextView::Graph graph,
                     view->graph(node.string_attribute("partition_name", node.name())));
    return decode_claim(graph.blob, context.source_weights);
  }

  Status store(const Claim& claim, const CompileContext& context) {
    const TestClaim made{claim.graph, static_cast<TestPlaces>(options_.places), options_.target};
    ASSIGN_OR_RETURN(
        Blob bytes, encode_claim(made, context.weightless ? context.source_weights : FindSource()));
    Stored stored{claim.name, claim.graph, {}};
    if (options_.is_raw != 0) {
      const std::string label = stored_.empty() ? "" : str_cat(stored_.size());
      ASSIGN_OR_RETURN(stored.contents, sink_->store_raw(label, std::move(bytes)));
    } else {
      RETURN_IF_ERROR(sink_->add_blob(claim.name, std::move(bytes)));
    }
    stored_.push_back(std::move(stored));
    return Status::ok();
  }

  // Each in a graph of its own: claims of different bodies may have values of equal names.
  Result<const Node*> make_node(const Stored& stored, bool is_first) {
    const bool is_raw = options_.is_raw != 0;
    std::vector<Attribute> attributes;
    attributes.push_back(Attribute::of_int("main_context", is_raw || is_first ? 1 : 0));
    attributes.push_back(Attribute::of_int("embed_mode", sink_->is_embedded() ? 1 : 0));
    if (is_raw) {
      attributes.push_back(Attribute::of_blob("ep_cache_context", stored.contents));
      attributes.push_back(Attribute::of_string("notes", "raw"));
    } else if (is_first) {
      ASSIGN_OR_RETURN(Blob contents, sink_->cache_context());
      attributes.push_back(Attribute::of_blob("ep_cache_context", std::move(contents)));
    }
    attributes.push_back(Attribute::of_string("partition_name", stored.name));
    attributes.push_back(Attribute::of_string("source", state_->alias));
    if (!options_.sdk.empty()) {
      attributes.push_back(Attribute::of_string("ep_sdk_version", options_.sdk));
      attributes.push_back(Attribute::of_string("hardware_architecture", options_.target));
      attributes.push_back(Attribute::of_string("onnx_model_filename", "toy.onnx"));
      attributes.push_back(Attribute::of_int("max_size", 4096));
      if (!is_raw) attributes.push_back(Attribute::of_string("notes", "all ten"));
    }
    auto graph = std::make_shared<Graph>(
        std::make_shared<const OpsetImports>(OpsetImports{{std::string(kMicrosoftDomain), 1}}));
    std::vector<ValueId> inputs, outputs;
    if (options_.places == static_cast<int>(TestPlaces::kReversed)) {
      ASSIGN_OR_RETURN(inputs, reversed(*stored.graph, stored.graph->inputs(), *graph));
      ASSIGN_OR_RETURN(outputs, reversed(*stored.graph, stored.graph->outputs(), *graph));
    }
    if (fault() == TestFault::kStrangeValue) {
      ASSIGN_OR_RETURN(const ValueId strange, graph->add_value("strange"));
      inputs.push_back(strange);
    }
    ASSIGN_OR_RETURN(const Node* node,
                     graph->add_node("EPContext", std::string(kMicrosoftDomain), stored.name,
                                     std::move(inputs), std::move(outputs), std::move(attributes)));
    made_.push_back(std::move(graph));
    return node;
  }

  static Result<std::vector<ValueId>> reversed(const Graph& from, const std::vector<ValueId>& ids,
                                               Graph& to) {
    std::vector<ValueId> values;
    for (auto it = ids.rbegin(); it != ids.rend(); ++it) {
      ASSIGN_OR_RETURN(const ValueId id, to.add_value(from.value(*it)->name));
      values.push_back(id);
    }
    return values;
  }

  TestOptions options_;
  std::shared_ptr<TestState> state_;
  ContextSink* sink_ = nullptr;
  std::vector<Stored> stored_;
  std::vector<std::shared_ptr<Graph>> made_;
};

class TestFactory final : public ProviderFactory {
 public:
  explicit TestFactory(std::shared_ptr<TestState> state)
      : state_(std::move(state)), alias_(state_->alias) {}

  std::string_view name() const override { return state_->name; }
  std::string_view vendor() const override { return "tests"; }
  std::string_view version() const override { return "1"; }
  std::span<const std::string_view> aliases() const override { return {&alias_, 1}; }

  std::vector<DeviceOffer> devices(
      std::span<const std::shared_ptr<const HardwareDevice>> hardware) const override {
    std::vector<DeviceOffer> offers;
    for (const auto& device : hardware) {
      if (device->type == DeviceType::kCpu) offers.push_back({device, {{"version", "1"}}, {}});
    }
    auto toy = std::make_shared<HardwareDevice>();
    toy->type = DeviceType::kNpu;
    toy->vendor = "tests";
    toy->metadata["is_virtual"] = "1";
    offers.push_back({std::move(toy), {{"version", "1"}}, {{"target", "toy-2"}}});
    if (state_->offers_nothing_to_stand_on) offers.emplace_back();
    return offers;
  }

  Status check_options(const KeyValues& options) const override { return read(options).status(); }
  Result<std::unique_ptr<ExecutionProvider>> make(const KeyValues& options,
                                                  const Logger&) const override {
    ASSIGN_OR_RETURN(TestOptions read_options, read(options));
    return std::unique_ptr<ExecutionProvider>(
        std::make_unique<TestProvider>(std::move(read_options), state_));
  }

  Compatibility judge(std::string_view info, std::string* reason) const override {
    constexpr std::string_view kBegin = "test-context ";
    if (!info.starts_with(kBegin)) return Compatibility::kNotApplicable;
    info.remove_prefix(kBegin.size());
    std::string unused;
    std::string& why = reason != nullptr ? *reason : unused;
    if (!info.starts_with("1 ")) {
      why = str_cat("bytes of version ", info.substr(0, info.find(' ')), ", this one reads 1");
      return Compatibility::kUnsupported;
    }
    info.remove_prefix(2);
    if (info == kHostTarget) return Compatibility::kOptimal;
    why = str_cat("it was compiled for ", info, ", this is ", kHostTarget);
    return Compatibility::kPreferRecompilation;
  }

 private:
  Result<TestOptions> read(const KeyValues& given) const {
    TestOptions options;
    RETURN_IF_ERROR(set_options(kRows, &options, state_->name, given));
    return options;
  }

  std::shared_ptr<TestState> state_;
  std::string_view alias_;
};

}  // namespace

std::shared_ptr<const ProviderFactory> test_factory(std::shared_ptr<TestState> state) {
  return std::make_shared<TestFactory>(std::move(state));
}

TestEnvironment::TestEnvironment() {
  auto mutex = std::make_shared<std::mutex>();
  auto sink = std::make_shared<const LogSink>([mutex, lines = log](const LogRecord& record) {
    const std::lock_guard lock(*mutex);
    *lines += str_cat(record.message, "\n");
  });
  environment = std::make_shared<const Environment>(Logger(sink, "test", Severity::kWarning),
                                                    built_in_providers());
  CHECK_OK(environment->providers().add(test_factory(state)));
}

SessionOptions TestEnvironment::options(const std::vector<std::string>& names,
                                        const KeyValues& options) const {
  SessionOptions session = options_with(*environment, names);
  for (ProviderChoice& choice : session.providers) {
    if (choice.factory->name() == state->name) choice.options = options;
  }
  return session;
}

Result<std::unique_ptr<Session>> TestEnvironment::open(const ModelSource& source,
                                                       SessionOptions options) const {
  return Session::create(environment, source, options);
}

Result<std::string> TestEnvironment::compile(const std::string& name, const std::string& model,
                                             const SessionOptions& options, bool embed) const {
  const std::string source = str_cat(temp_dir(), "/", name, ".onnx");
  write_whole_file(source, model);
  CompileOptions compile = CompileOptions::from(options);
  compile.input = file_source(source);
  compile.output_path = str_cat(temp_dir(), "/", name, "_ctx.onnx");
  compile.embed = embed;
  RETURN_IF_ERROR(compile_to_output(environment, compile).status());
  return compile.output_path;
}

Tensor two_rows(unsigned seed) { return Tensor::from<float>({2, 4}, random_numbers(8, seed)); }

std::vector<Tensor> expected_of(const std::string& model, const std::vector<Tensor>& inputs) {
  const auto environment = quiet_environment();
  const auto session =
      Session::create(environment, memory_source(model), options_with(*environment, {}));
  CHECK_OK(session);
  return run_all(*session.value(), inputs);
}

}  // namespace ortc::test
