// SPDX-License-Identifier: MIT
// From fused nodes to what runs in their place, and to EPContext nodes: the second half of ep.h.
#include <algorithm>

#include "core/base/ascii.h"
#include "core/context/context_paths.h"
#include "core/partition/partitioner.h"
#include "core/platform/path.h"
#include "providers/ortc_ep/ep.h"
#include "providers/ortc_ep/host_attributes.h"
#include "providers/ortc_ep/host_values.h"

namespace ortc::ort_ep {

// A value of a fused node, as the host's model declares it.
struct HostPort {
  std::string name;
  DType dtype = DType::kUndefined;  // of a tensor
};

// One fused node: a claim, and how its values are called.
struct Ep::Part {
  Claim claim;
  std::string node_name;
  std::vector<HostPort> fused_inputs, fused_outputs;  // of the fused node
  std::vector<std::string> inputs, outputs;           // of the claim
  bool is_new() const { return claim.context_node == nullptr; }
};

// Nodes of the host that end with this object unless they are given to it.
class Ep::HostNodes {
 public:
  explicit HostNodes(const Host& host) : host_(host) {}
  ~HostNodes() {
    for (OrtNode* node : nodes_) {
      if (node != nullptr) host_.api->ReleaseNode(node);
    }
  }
  HostNodes(const HostNodes&) = delete;
  HostNodes& operator=(const HostNodes&) = delete;
  void add(OrtNode* node) { nodes_.push_back(node); }
  void give(OrtNode** to) {
    std::copy(nodes_.begin(), nodes_.end(), to);
    nodes_.clear();
  }

 private:
  const Host& host_;
  std::vector<OrtNode*> nodes_;
};

namespace {

Result<std::vector<std::string>> names_of(const Host& host, const HostValues& values) {
  std::vector<std::string> names;
  for (const OrtValueInfo* value : values) {
    ASSIGN_OR_RETURN(std::string name, name_of(host, value));
    names.push_back(std::move(name));
  }
  return names;
}

Result<std::vector<HostPort>> ports_of(const Host& host, const HostValues& values) {
  std::vector<HostPort> ports;
  for (const OrtValueInfo* value : values) {
    HostPort& port = ports.emplace_back();
    ASSIGN_OR_RETURN(port.name, name_of(host, value));
    const OrtTypeInfo* info = nullptr;
    if (value != nullptr) ORTC_ASK(host, GetValueInfoTypeInfo(value, &info));
    if (info == nullptr) continue;
    ASSIGN_OR_RETURN(const Type type, type_of(host, *info));
    port.dtype = type.dtype;
  }
  return ports;
}

Result<std::vector<ComputeInfo::Port>> places_of(const std::vector<std::string>& names,
                                                 const std::vector<HostPort>& among,
                                                 const std::string& node) {
  std::vector<ComputeInfo::Port> places;
  for (const std::string& name : names) {
    ComputeInfo::Port& place = places.emplace_back();
    if (name.empty()) continue;
    const auto found = std::find_if(among.begin(), among.end(),
                                    [&](const HostPort& port) { return port.name == name; });
    if (found == among.end()) {
      return invalid_graph("'", node, "': the host's fused node has no value '", name, "'");
    }
    place = {static_cast<size_t>(found - among.begin()), found->dtype};
  }
  return places;
}

}  // namespace

// The host's bytes are there while it compiles only.
Result<Tensor> Ep::own(const Tensor& tensor) const {
  if (tensor.owner() != borrowed_) return tensor;
  ASSIGN_OR_RETURN(Tensor copy, Tensor::create(tensor.dtype(), tensor.dims()));
  if (tensor.byte_size() != 0) {
    std::memcpy(copy.mutable_data(), tensor.data(), tensor.byte_size());
  }
  return copy;
}

Result<Ep::Part> Ep::read_part(const OrtGraph& graph, const OrtNode& fused) {
  Part part;
  const char* node_name = nullptr;
  ORTC_ASK(host, Node_GetName(&fused, &node_name));
  part.node_name = node_name;
  ASSIGN_OR_RETURN(const HostValues inputs, inputs_of(host, fused));
  ASSIGN_OR_RETURN(const HostValues outputs, outputs_of(host, fused));
  ASSIGN_OR_RETURN(part.fused_inputs, ports_of(host, inputs));
  ASSIGN_OR_RETURN(part.fused_outputs, ports_of(host, outputs));
  ASSIGN_OR_RETURN(const auto nodes, nodes_of(host, graph));
  if (nodes.size() == 1 && is_context_node(host, *nodes.front())) {
    const char* name = nullptr;
    ORTC_ASK(host, Node_GetName(nodes.front(), &name));
    part.claim.name = name;
    if (contexts_.model != nullptr) {
      ASSIGN_OR_RETURN(part.claim.context_node,
                       find_context_node(host, *contexts_.model, *nodes.front()));
    }
    if (part.claim.context_node == nullptr) {
      return invalid_graph("the EPContext node '", name, "' was not among those of the model");
    }
    ASSIGN_OR_RETURN(const HostValues own_inputs, inputs_of(host, *nodes.front()));
    ASSIGN_OR_RETURN(const HostValues own_outputs, outputs_of(host, *nodes.front()));
    ASSIGN_OR_RETURN(part.inputs, names_of(host, own_inputs));
    ASSIGN_OR_RETURN(part.outputs, names_of(host, own_outputs));
    return part;
  }
  ASSIGN_OR_RETURN(const HostGraph read, HostGraphReader(host, borrowed_).read_fused(graph, fused));
  part.claim.graph = read.graph;
  for (ValueId id : read.graph->inputs()) part.inputs.push_back(read.graph->value(id)->name);
  for (ValueId id : read.graph->outputs()) part.outputs.push_back(read.graph->value(id)->name);
  return part;
}

// As ortc names them: the same for the same part of a model.
Status Ep::name_parts(std::vector<Part>& parts) {
  const ContextSettings& context = settings_.session.context;
  for (Part& part : parts) {
    if (!part.is_new()) continue;
    ASSIGN_OR_RETURN(const Hash128 hash, partition_hash(*part.claim.graph, context.enable));
    part.claim.name =
        str_cat(context.node_name_prefix, "AOT_", hash.hex().substr(0, 16), "_", part_count_++);
  }
  return Status::ok();
}

// The model of a program that takes it in memory goes nowhere: the host says a folder and a name,
// which need not end as that of a file.
static ContextSettings with_extension(ContextSettings context) {
  const std::string name = path_file_name(context.file_path);
  const bool is_name = !name.empty() && path_extension(name).empty();
  if (is_name && !path_is_directory(context.file_path)) context.file_path += ".onnx";
  return context;
}

// "FooExecutionProvider" -> "foo": the host may have a provider of its own that this library is
// registered beside.
static std::string file_suffix_of(std::string_view ep_name) {
  constexpr std::string_view kNameEnd = "ExecutionProvider";
  if (ep_name.ends_with(kNameEnd)) ep_name.remove_suffix(kNameEnd.size());
  std::string suffix = ascii_lower(ep_name);
  for (char& c : suffix) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!is_plain) c = '_';
  }
  return suffix;
}

// What the parts depend on besides their nodes and weights.
std::string Ep::made_with() const {
  std::string text = str_cat("accuracy ", settings_.session.small_weights_accuracy, "\n");
  for (const auto& [key, value] : settings_.options) text += str_cat(key, "=", value, "\n");
  return text;
}

// A host may compile the graphs of one model in several steps; each has a binary of its own.
Result<std::shared_ptr<ContextFile>> Ep::output_of(const OrtGraph& graph, std::string_view target) {
  const ContextSettings& context = settings_.session.context;
  const char* path = nullptr;
  ORTC_ASK(host, Graph_GetModelPath(&graph, &path));
  ContextFile::Place place;
  place.embed = context.embed;
  place.replace_shared = context.replace_shared;
  place.write = settings_.write;
  place.made_with = made_with();
  if (!place.embed) {
    ASSIGN_OR_RETURN(place.model_path,
                     context_model_path(with_extension(context), path != nullptr ? path : ""));
    const std::string suffix = file_suffix_of(name);
    place.file_name = context_binary_name(
        place.model_path, file_count_ == 0 ? suffix : str_cat(suffix, "_", file_count_));
  }
  ++file_count_;
  ContextBinaryWriter::Options options;
  options.file_name = place.file_name;
  options.embed = place.embed;
  options.provider = shared_->aot->name();
  options.target = target;
  options.zstd_level = context.compression.zstd_level();
  if (context.share && !place.embed) return shared_->group.join(place, options);
  return ContextFile::create(std::move(place), options, /*is_shared=*/false);
}

Result<OrtNode*> Ep::context_node(const Part& part, const Node& made,
                                  const std::string& generation) {
  HostAttributes attributes(host);
  for (const Attribute& attribute : made.attributes()) {
    const bool is_source = attribute.name == "source" && name != shared_->aot->name();
    RETURN_IF_ERROR(attributes.add(is_source ? Attribute::of_string("source", name) : attribute));
  }
  RETURN_IF_ERROR(
      attributes.add(Attribute::of_string(std::string(kGenerationAttribute), generation)));
  std::vector<const char*> inputs, outputs;
  for (const std::string& input : part.inputs) inputs.push_back(input.c_str());
  for (const std::string& output : part.outputs) outputs.push_back(output.c_str());
  OrtNode* node = nullptr;
  RETURN_IF_ERROR(host.take(host.editor->CreateNode(
      "EPContext", "com.microsoft", part.node_name.c_str(), inputs.data(), inputs.size(),
      outputs.data(), outputs.size(), attributes.list().data(), attributes.list().size(), &node)));
  attributes.list().clear();  // they are the node's now
  return node;
}

// The host copies the bytes of an embedded context with its node, so they are made whole here;
// that writes nothing.
Status Ep::make_context_nodes(const std::vector<Part>& parts, ExecutionProvider& provider,
                              ContextFile& file, HostNodes& nodes) {
  ASSIGN_OR_RETURN(const auto made, provider.get_ep_context_nodes());
  ASSIGN_OR_RETURN(const std::string generation, file.generation());
  if (file.is_embedded()) RETURN_IF_ERROR(file.publish());
  for (const Part& part : parts) {
    OrtNode* node = nullptr;
    if (part.is_new()) {
      const auto own = std::find_if(made.begin(), made.end(), [&](const Node* one) {
        return one->name() == part.claim.name;
      });
      if (own == made.end()) return fail("no EPContext node was made for '", part.claim.name, "'");
      ASSIGN_OR_RETURN(node, context_node(part, **own, generation));
    }
    nodes.add(node);
  }
  return Status::ok();
}

// A shared binary is whole with the last model of its group.
Status Ep::publish(ContextFile& file) {
  if (file.is_embedded()) return Status::ok();
  return settings_.session.context.share ? finish() : file.publish();
}

Result<std::vector<std::unique_ptr<ComputeInfo>>> Ep::make_infos(
    const std::vector<Part>& parts, std::vector<CompiledClaim>& compiled) const {
  std::vector<std::unique_ptr<ComputeInfo>> made;
  for (size_t i = 0; i < parts.size(); ++i) {
    ComputeInfo::Part part;
    part.name = parts[i].claim.name;
    part.plan = std::move(compiled[i].plan);
    part.isa_max = compiled[i].isa_max;
    ASSIGN_OR_RETURN(part.inputs, places_of(parts[i].inputs, parts[i].fused_inputs, part.name));
    ASSIGN_OR_RETURN(part.outputs, places_of(parts[i].outputs, parts[i].fused_outputs, part.name));
    ASSIGN_OR_RETURN(auto info, ComputeInfo::create(host, machine_, std::move(part)));
    made.push_back(std::move(info));
  }
  return made;
}

Result<std::vector<CompiledClaim>> Ep::compile_claims(const std::vector<Part>& parts,
                                                      ExecutionProvider& provider,
                                                      CompileContext& context) {
  const ContextSettings& settings = settings_.session.context;
  std::optional<ModelContextSource> source;
  if (contexts_.model != nullptr) {
    const std::string& path =
        !contexts_.model->path.empty() ? contexts_.model->path : settings.file_path;
    source.emplace(*contexts_.model, *shared_->registry, path_folder(path), nullptr,
                   settings_.session.disable_file_mapping ? Access::kRead : Access::kMap);
    source->read_with(settings_.read);
    source->decode_with({&machine_->pool, context.work});
    if (settings.share) source->share_with(&shared_->loaded);
    context.source = &*source;
  }
  Status failed;
  context.share_weights = [&](Blob fresh) -> Blob {
    if (fresh.owner() != borrowed_) return fresh;
    auto copy = Tensor::create(DType::kUint8, {static_cast<int64_t>(fresh.size())});
    if (!copy.is_ok()) {
      failed = copy.status();
      return fresh;
    }
    if (!fresh.empty()) std::memcpy(copy->mutable_data(), fresh.data(), fresh.size());
    return {copy->bytes(), copy->owner()};
  };
  std::vector<Claim> claims;
  for (const Part& part : parts) claims.push_back(part.claim);
  ASSIGN_OR_RETURN(auto compiled, provider.compile(claims, context));
  RETURN_IF_ERROR(failed);
  return compiled;
}

// ONNX Runtime wants a new node for each part, also for one that is an EPContext node.
Status Ep::check_uncompiled(const std::vector<Part>& parts) const {
  if (!settings_.session.context.enable || host.is_ortc) return Status::ok();
  for (const Part& part : parts) {
    if (part.is_new()) continue;
    return invalid_argument("the model is compiled already: it has the EPContext node '",
                            part.claim.name, "'. Compile the model that it was made from, or load ",
                            "this one without ep.context_enable");
  }
  return Status::ok();
}

Status Ep::compile_parts(std::vector<Part>& parts, const OrtGraph& graph,
                         OrtNodeComputeInfo** infos, OrtNode** context_nodes) {
  const ContextSettings& settings = settings_.session.context;
  const bool has_new =
      std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.is_new(); });
  if (has_new && settings.leaves_weights()) {
    return make_status(Code::kEpFail, name, " cannot leave weights out of its contexts");
  }
  RETURN_IF_ERROR(check_uncompiled(parts));
  ASSIGN_OR_RETURN(auto provider, shared_->aot->make(settings_.options, logger_));
  target_ = provider->target();
  const Status runs_here = provider->check_runs_here();
  if (!runs_here.is_ok() && !settings.enable) return runs_here;

  CompileContext context;
  context.logger = logger_;
  context.to_run = runs_here.is_ok();
  context.rounds_rows = settings_.session.rounds_rows();
  std::unique_ptr<ContextFileSink> sink;
  if (has_new && settings.enable) {
    ASSIGN_OR_RETURN(auto file, output_of(graph, target_));
    OwnBytes keep;
    if (settings.share) keep = [this](const Tensor& tensor) { return own(tensor); };
    sink = std::make_unique<ContextFileSink>(std::move(file), settings.node_name_prefix, keep);
    context.sink = sink.get();
  }
  ASSIGN_OR_RETURN(auto compiled, compile_claims(parts, *provider, context));
  HostNodes nodes(host);
  if (sink != nullptr) {
    kernels_.insert(sink->kernels().begin(), sink->kernels().end());
    RETURN_IF_ERROR(make_context_nodes(parts, *provider, sink->file(), nodes));
  }
  ASSIGN_OR_RETURN(auto made, make_infos(parts, compiled));
  // The last thing that can fail: nothing before it leaves a binary behind that no model names.
  if (sink != nullptr) RETURN_IF_ERROR(publish(sink->file()));
  for (size_t i = 0; i < made.size(); ++i) infos[i] = made[i].release();
  if (sink != nullptr && context_nodes != nullptr) nodes.give(context_nodes);
  return Status::ok();
}

Status Ep::compile(const OrtGraph* const* graphs, const OrtNode* const* fused, size_t count,
                   OrtNodeComputeInfo** infos, OrtNode** context_nodes) {
  if (count == 0) return Status::ok();
  has_failed_ = true;
  std::vector<Part> parts;
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Part part, read_part(*graphs[i], *fused[i]));
    parts.push_back(std::move(part));
  }
  RETURN_IF_ERROR(name_parts(parts));
  RETURN_IF_ERROR(compile_parts(parts, *graphs[0], infos, context_nodes));
  has_failed_ = false;
  return Status::ok();
}

}  // namespace ortc::ort_ep
