// SPDX-License-Identifier: MIT
// EPContext nodes: what each says of itself, whether its context is there, whether it runs here,
// and what to do when it does not. Nothing of a context is read but its metadata, unless asked.
#include <sys/stat.h>

#include <map>
#include <optional>

#include "core/context/inspect/inspect_parts.h"
#include "core/context/source_identity.h"
#include "core/plan/plan.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

class NodeInspector {
 public:
  NodeInspector(JsonWriter& json, const ModelInspection& of) : json_(json), of_(of) {
    const auto source = SourceIdentity::read(of.model);
    source_name_ = source && !source->name.empty() ? source->name : "SOURCE.onnx";
  }

  Verdict write(const Node& node) {
    json_.begin_object();
    write_fields(node);
    write_place(node);
    const Verdict verdict = judge(node);
    write_verdict(json_, verdict);
    json_.field("advice", advice(node, verdict));
    json_.end_object();
    return verdict;
  }

 private:
  void write_fields(const Node& node) {
    json_.field("node", node.name()).field("source", node.string_attribute("source", ""));
    json_.field("partition_name", node.string_attribute("partition_name", ""));
    json_.field("main_context", is_main(node)).field("group", group_of(node));
    json_.field("embed_mode", is_embedded(node));
    json_.field("ep_sdk_version", node.string_attribute("ep_sdk_version", ""));
    json_.field("hardware_architecture", node.string_attribute("hardware_architecture", ""));
    json_.field("inputs", static_cast<uint64_t>(node.inputs().size()));
    json_.field("outputs", static_cast<uint64_t>(node.outputs().size()));
  }

  static bool is_main(const Node& node) { return node.int_attribute("main_context", 1) != 0; }
  static bool is_embedded(const Node& node) { return node.int_attribute("embed_mode", 1) != 0; }

  // Nodes with one number share a context. One that is tied to nothing shares with its source.
  uint64_t group_of(const Node& node) {
    std::string key = str_cat("source ", node.string_attribute("source", ""));
    for (const std::string_view tie : {kGenerationAttribute, kContextHashAttribute}) {
      if (const auto text = node.string_attribute(tie, ""); !text.empty()) key = text;
    }
    return groups_.emplace(std::move(key), groups_.size() + 1).first->second;
  }

  void write_place(const Node& node) {
    const Attribute* content = node.attribute("ep_cache_context");
    if (content == nullptr || content->kind != AttributeKind::kString) return;
    if (is_embedded(node)) {
      json_.field("payload_bytes", static_cast<uint64_t>(content->s.size())).field("found", true);
      return;
    }
    const std::string name(content->s.text());
    json_.field("file", name);
    const auto size = size_of_file(of_.journal.current_name(name));
    json_.field("found", size.has_value());
    if (size) json_.field("file_bytes", *size);
  }

  // Beside the model, or beside the file that its path leads to.
  std::optional<uint64_t> size_of_file(const std::string& name) const {
    std::vector<std::string> folders = {path_folder(of_.path)};
    if (path_is_symlink(of_.path)) folders.push_back(path_folder(real_path(of_.path)));
    for (const std::string& folder : folders) {
      struct stat info;
      const bool is_there = stat(path_join(folder, name).c_str(), &info) == 0;
      if (is_there && S_ISREG(info.st_mode)) return static_cast<uint64_t>(info.st_size);
    }
    return std::nullopt;
  }

  Verdict judge(const Node& node) {
    if (node.attribute(kGenerationAttribute) == nullptr) return judge_opaque(node);
    const std::string_view made_by = node.string_attribute("source", "");
    if (of_.providers.find_source(made_by) == nullptr) return no_provider(made_by);
    const auto opened = of_.contexts.open_container_of(node);
    if (!opened.is_ok()) return {"broken", opened.status().message()};
    const ContextBinary& binary = **opened;
    Verdict verdict = judge_context(binary, of_.providers);
    auto graph = binary.graph(node.string_attribute("partition_name", node.name()));
    if (!graph.is_ok()) verdict.worsen({"broken", graph.status().message()});
    if (of_.options.verify_data) {
      add_verified(verdict, verify_once(binary));
      if (graph.is_ok()) check_plan(binary, std::move(graph).value(), verdict);
    }
    json_.key("context").begin_object();
    write_header(json_, binary.header());
    write_storage(json_, binary);
    json_.end_object();
    return verdict;
  }

  // As a session would open it; a target that does not run here is judged already.
  void check_plan(const ContextBinary& binary, ContextView::Graph graph, Verdict& verdict) {
    const auto provider = of_.providers.find(binary.header().provider);
    if (provider == nullptr || provider->kernels() == nullptr || graph.plan_image.empty()) return;
    if (verdict.word == "unsupported") return;
    const Status status =
        Plan::open(std::move(graph.plan_image), std::move(graph.tensors), *provider->kernels())
            .status();
    if (!status.is_ok()) verdict.worsen({"broken", status.message()});
  }

  // Bytes that no container says anything of. They are read only to be compared with their hash.
  Verdict judge_opaque(const Node& node) {
    const std::string_view made_by = node.string_attribute("source", "");
    Verdict verdict = no_provider(made_by);
    const auto provider = of_.providers.find_source(made_by);
    if (provider != nullptr && node.attribute(kContextHashAttribute) == nullptr) {
      // One of this library's own writes what ties a node to its context.
      auto view = of_.contexts.open(node);
      if (!view.is_ok()) return {"broken", view.status().message()};
    }
    if (provider != nullptr) verdict.reason = "only a session can tell";
    const bool has_content = node.attribute("ep_cache_context") != nullptr;
    const bool has_hash = node.attribute(kContextHashAttribute) != nullptr;
    if (has_hash ? of_.options.verify_data : has_content && !is_embedded(node)) {
      const Status status = of_.contexts.open_raw(node).status();
      if (has_hash) {
        add_verified(verdict, status);
      } else if (!status.is_ok()) {
        verdict = {"broken", status.message()};
      }
    }
    return verdict;
  }

  static Verdict no_provider(std::string_view made_by) {
    return {"not_applicable", str_cat("no execution provider here takes source '", made_by, "'")};
  }

  void add_verified(Verdict& verdict, const Status& status) {
    json_.field("data_verified", status.is_ok());
    if (!status.is_ok()) verdict.worsen({"broken", status.message()});
  }

  // Nodes of one group share a container.
  Status verify_once(const ContextBinary& binary) {
    const auto known = verified_.find(&binary);
    if (known != verified_.end()) return known->second;
    return verified_.emplace(&binary, binary.verify_data()).first->second;
  }

  std::string compile_command() const {
    return str_cat("ortc compile ", source_name_, " -o ", of_.path);
  }

  std::string advice(const Node& node, const Verdict& verdict) const {
    if (verdict.word == "optimal") return "nothing to do";
    if (verdict.word == "not_applicable") {
      return str_cat("register the library of the execution provider that made it ('",
                     node.string_attribute("source", ""), "')");
    }
    if (verdict.word == "prefer_recompilation") {
      return str_cat("it runs; for full speed on this machine: ", compile_command());
    }
    const bool may_be_elsewhere = verdict.word == "broken" && !is_embedded(node) &&
                                  node.attribute("ep_cache_context") != nullptr;
    return str_cat(
        may_be_elsewhere ? "put the file that was written with the model beside it, or " : "",
        "compile again: ", compile_command());
  }

  JsonWriter& json_;
  const ModelInspection& of_;
  std::string source_name_;
  std::map<std::string, uint64_t> groups_;
  std::map<const ContextBinary*, Status> verified_;
};

}  // namespace

Verdict write_context_nodes(JsonWriter& json, const ModelInspection& of) {
  NodeInspector inspector(json, of);
  Verdict worst{"not_compiled", {}};
  json.key("ep_context_nodes").begin_array();
  for (const Node* node : ep_context_nodes(*of.model.graph)) worst.worsen(inspector.write(*node));
  json.end_array();
  return worst;
}

}  // namespace ortc
