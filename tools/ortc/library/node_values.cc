// SPDX-License-Identifier: MIT
// Which values a node gives stands in the summary of the model; those of bodies are listed there as
// "loop/exp".

#include "tools/ortc/library/node_values.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "tools/ortc/command_line/suggestions.h"
#include "tools/ortc/library/inspection.h"

namespace ortc::tool {
namespace {

constexpr const char* kOption = "--dump-node";

// Of one model, in the order of its nodes.
class NodeList {
 public:
  explicit NodeList(const Json& summary) {
    for (const Json& row : summary.at("nodes").items()) {
      const std::string node = row.text("node"), op = row.text("op");
      for (const Json& value : row.at("values").items()) {
        values_.push_back({node, op, value.text(), row.flag("in_body")});
      }
      has_contexts_ = has_contexts_ || op == "com.microsoft.EPContext";
    }
  }

  // A node's name goes before a value's.
  std::vector<NodeValue> named(const std::string& name) const {
    std::vector<NodeValue> found;
    for (const NodeValue& value : values_) {
      if (value.node == name) found.push_back(value);
    }
    for (const NodeValue& value : values_) {
      if (found.empty() && value.value == name) found.push_back(value);
    }
    return found;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const NodeValue& value : values_) {
      names.push_back(value.node);
      names.push_back(value.value);
    }
    return names;
  }

  bool has_contexts() const { return has_contexts_; }

 private:
  std::vector<NodeValue> values_;
  bool has_contexts_ = false;
};

// The source of a compiled model, where it is beside it; "" else.
std::string source_of(const std::string& model, const Json& inspection) {
  const std::string name = inspection.at("source").text("name");
  if (name.empty() || inspection.at("source").text("state") == "not found") return {};
  return (std::filesystem::path(model).parent_path() / name).string();
}

ToolError not_found(const std::string& model, const std::string& name, const NodeList& nodes,
                    const Json& inspection) {
  const std::string what = std::string(kOption) + ": ";
  if (!nodes.has_contexts()) {
    return usage_error(what + "'" + model + "' has no node and no value '" + name + "'" +
                       did_you_mean(name, nodes.names()))
        .set_hint("'ortc summary' lists the nodes, 'ortc inspect --details' the values");
  }
  const std::string source = source_of(model, inspection);
  const bool is_inside =
      !source.empty() &&
      !NodeList(inspect_file(source, OrtInspectFlags_SUMMARY).at("summary")).named(name).empty();
  return usage_error(what + "'" + name + "' is not in the main graph of '" + model + "'" +
                     (is_inside ? ", but inside an EPContext node" : "") +
                     "; values inside EPContext nodes are not kept")
      .set_hint("run the model that this was compiled from" +
                (source.empty() ? std::string() : ": ortc run " + source) +
                " with the same inputs and " + kOption + " " + name);
}

// "a,b" is two names, unless a node or a value is called so.
std::vector<std::string> split(const std::vector<std::string>& texts, const NodeList& nodes) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    if (!nodes.named(text).empty()) {
      names.push_back(text);
      continue;
    }
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find(',', at), text.size());
      if (end == at) {
        throw usage_error(std::string(kOption) + " needs NAME[,NAME], found '" + text + "'");
      }
      names.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  return names;
}

}  // namespace

LoadedSession load_exposed_session(const OrtEnv* env, const std::string& model,
                                   const SessionArguments& arguments) {
  const SessionOptions options = make_session_options(arguments);
  const std::string folder = std::filesystem::absolute(model).parent_path().string();
  check(OrtAddSessionConfigEntry(options.get(), "ep.context_file_path", model.c_str()));
  check(OrtAddSessionConfigEntry(
      options.get(), "session.model_external_initializers_file_folder_path", folder.c_str()));
  OrtAllocator* allocator = nullptr;
  check(OrtGetAllocatorWithDefaultOptions(&allocator));
  void* bytes = nullptr;
  size_t size = 0;
  check(OrtExposeModelValues(model.c_str(), allocator, &bytes, &size));
  const auto give_back = [&](void* block) { OrtReleaseStatus(OrtAllocatorFree(allocator, block)); };
  const std::unique_ptr<void, decltype(give_back)> owner(bytes, give_back);
  return load_session_by(
      [&] { return make<Session>(OrtCreateSessionFromArray, env, bytes, size, options.get()); },
      model, options.get());
}

NodeValues find_node_values(const std::string& model, const std::vector<std::string>& names) {
  const Json inspection = inspect_file(model, OrtInspectFlags_SUMMARY);
  if (!inspection.has("summary")) throw binary_error(model);
  const NodeList nodes(inspection.at("summary"));
  NodeValues found;
  for (const Json& output : inspection.at("outputs").items()) {
    found.outputs.push_back(output.text("name"));
  }
  for (const std::string& name : split(names, nodes)) {
    const std::vector<NodeValue> named = nodes.named(name);
    if (named.empty()) throw not_found(model, name, nodes, inspection);
    for (const NodeValue& value : named) {
      const bool is_new =
          std::none_of(found.values.begin(), found.values.end(),
                       [&](const NodeValue& other) { return other.value == value.value; });
      if (is_new) found.values.push_back(value);
    }
  }
  return found;
}

}  // namespace ortc::tool
