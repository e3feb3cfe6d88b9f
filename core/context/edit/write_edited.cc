// SPDX-License-Identifier: MIT
// Writing edited models: see the header.
#include "core/context/edit/write_edited.h"

#include <algorithm>
#include <cstring>

#include "core/base/ascii.h"
#include "core/context/context_paths.h"
#include "core/context/edit/edit_source.h"
#include "core/context/external_initializers.h"
#include "core/context/file_readers.h"
#include "core/context/model_hash.h"
#include "core/context/output/output_set.h"
#include "core/graph/walk.h"
#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr uint64_t kSmallInitializer = 1024;  // smaller ones stay in the model

// "aot" of the sources "AOT" and "AotExecutionProvider".
std::string file_suffix(std::string_view source) {
  constexpr std::string_view kEnd = "ExecutionProvider";
  if (source.ends_with(kEnd)) source.remove_suffix(kEnd.size());
  std::string suffix;
  for (const char c : ascii_lower(source)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    suffix += is_plain ? c : '_';
  }
  return suffix.empty() ? "context" : suffix;
}

bool has_external_initializers(const Graph& graph) {
  for (ValueId id : graph.initializers()) {
    const auto& constant = graph.value(id)->initializer;
    if (constant != nullptr && constant->external != nullptr) return true;
  }
  for (const Node& node : nodes_of(graph)) {
    for (const Graph* body : node.subgraphs()) {
      if (has_external_initializers(*body)) return true;
    }
  }
  return false;
}

class EditWriter {
 public:
  EditWriter(Model& model, const EditOutput& output)
      : model_(model),
        output_(output),
        work_(output.work),
        set_(OutputPlace::file(output.path), rules_of(output)) {}

  Result<std::vector<FileReport>> write() {
    RETURN_IF_ERROR(place_contexts());
    ExternalInitializers external(binary_name("weights"), kSmallInitializer);
    if (output_.form != ContextForm::kEmbedded && has_external_initializers(*model_.graph)) {
      external.collect(*model_.graph);
    }
    ExternalInitializersRecord::remove_from(model_);
    work_.expect(units_of(external));
    ASSIGN_OR_RETURN(ExternalInitializersRecord record, external.record(work_));
    if (!external.is_empty()) {
      RETURN_IF_ERROR(set_.expect(record.name));
      record.write_to(model_);
      has_weights_file_ = true;
    }
    ExportOptions exporting;
    if (has_embedded_) exporting.aligned_attribute = "ep_cache_context";
    exporting.place_initializer = [&](const Graph&, const Value& value) {
      return external.place(value);
    };
    uint64_t size = 0;
    clear_model_hash(model_);
    ASSIGN_OR_RETURN(const Hash128 generation, hash_of_all(exporting, record, size));
    record.generation = generation.hex();
    if (!external.is_empty()) record.write_to(model_);
    RETURN_IF_ERROR(stamp_model_hash(model_, exporting, work_));

    RETURN_IF_ERROR(check_sources());
    RETURN_IF_ERROR(set_.check());
    RETURN_IF_ERROR(set_.begin(limits_of(work_)));
    RETURN_IF_ERROR(check_sources());
    RETURN_IF_ERROR(stage_files(external, generation));
    RETURN_IF_ERROR(set_.write_model(
        0, size, [&](const ByteSink& sink) { return export_model(model_, exporting, sink); }));
    RETURN_IF_ERROR(set_.commit(generation.hex()));
    std::vector<FileReport> files;
    for (const OutputSet::File& file : set_.files()) files.push_back({file.path, file.bytes});
    return files;
  }

 private:
  struct ContextFile {
    std::string name;
    Blob bytes;
  };

  // Contexts and initializers are hashed, written and brought to the device.
  uint64_t units_of(const ExternalInitializers& external) {
    uint64_t bytes = 0;
    (void)for_context_nodes(*model_.graph, [&](Node& node) {
      const Attribute* content = node.attribute("ep_cache_context");
      if (content != nullptr) bytes += content->s.size();
      return Status::ok();
    });
    for (const ContextFile& file : files_) {
      const auto container = output_.containers.find(file.bytes.data());
      bytes += container != output_.containers.end() ? container->second->file_size()
                                                     : file.bytes.size();
    }
    return 3 * bytes + external.expected_units();
  }

  static OutputRules rules_of(const EditOutput& output) {
    OutputRules rules;
    rules.overwrite = output.overwrite;
    rules.replace_shared = output.replace_shared;
    if (!output.sources.empty()) rules.source_path = output.sources.front();
    return rules;
  }

  std::string binary_name(std::string_view suffix) const {
    return context_binary_name(output_.path, suffix);
  }

  bool goes_to_file(const Node& node) const {
    if (output_.form != ContextForm::kAsItWas) return output_.form == ContextForm::kFiles;
    return node.int_attribute("embed_mode", 1) == 0;
  }

  Status place_contexts() {
    return for_context_nodes(*model_.graph, [&](Node& node) -> Status {
      const Attribute* content = node.attribute("ep_cache_context");
      const bool is_file = goes_to_file(node);
      if (content == nullptr) {
        // What a node says that has no contents is kept in step with those it refers to.
        const bool says_where = node.attribute("embed_mode") != nullptr;
        if (says_where) node.set_attribute(Attribute::of_int("embed_mode", is_file ? 0 : 1));
        return Status::ok();
      }
      if (is_file) {
        ASSIGN_OR_RETURN(std::string name, file_for(node, content->s));
        node.set_attribute(Attribute::of_string("ep_cache_context", std::move(name)));
      }
      has_embedded_ = has_embedded_ || !is_file;
      node.set_attribute(Attribute::of_int("embed_mode", is_file ? 0 : 1));
      return Status::ok();
    });
  }

  bool is_same(const Blob& a, const Blob& b) const {
    if (a.size() != b.size()) return false;
    if (a.data() == b.data()) return true;
    // What only stands for a container has no bytes to compare.
    if (output_.containers.contains(a.data()) || output_.containers.contains(b.data()))
      return false;
    return std::memcmp(a.data(), b.data(), a.size()) == 0;
  }

  // Equal contexts share a file.
  Result<std::string> file_for(const Node& node, const Blob& bytes) {
    for (const ContextFile& file : files_) {
      if (is_same(file.bytes, bytes)) return file.name;
    }
    const std::string suffix = file_suffix(node.string_attribute("source", ""));
    std::string name = binary_name(suffix);
    const auto is_taken = [&] {
      return std::any_of(files_.begin(), files_.end(),
                         [&](const ContextFile& file) { return file.name == name; });
    };
    for (int number = 2; is_taken(); ++number) name = binary_name(str_cat(suffix, "_", number));
    RETURN_IF_ERROR(set_.expect(name));
    files_.push_back({name, bytes});
    return name;
  }

  // Of the model as it will be, the generation in it zero; contexts have their own.
  Result<Hash128> hash_of_all(const ExportOptions& exporting,
                              const ExternalInitializersRecord& record, uint64_t& size) {
    Hasher hasher;
    hasher.add_number(record.hash.low).add_number(record.hash.high);
    RETURN_IF_ERROR(export_model(model_, exporting, [&](Bytes bytes) {
      hasher.add_number(bytes.size());
      size += bytes.size();
      return append(hasher, bytes, work_);
    }));
    return hasher.finish();
  }

  // The set itself looks after the first source.
  Status check_sources() const {
    const std::string& folder = set_.place().folder;
    for (size_t i = 1; i < output_.sources.size(); ++i) {
      const ModelFiles source = ModelFiles::of_file(output_.sources[i]);
      std::vector<std::string> paths = {set_.place().model_path()};
      for (const ContextFile& file : files_) paths.push_back(path_join(folder, file.name));
      if (has_weights_file_) paths.push_back(path_join(folder, binary_name("weights")));
      for (const std::string& path : paths) {
        if (!source.is(path) && !source.read(path)) continue;
        return fail("cannot write '", path, "': ", source.is(path) ? "it is" : "it belongs to",
                    " the source model '", output_.sources[i], "'; choose another output");
      }
    }
    return Status::ok();
  }

  Status stage_files(const ExternalInitializers& external, const Hash128& generation) {
    const std::string& folder = set_.place().folder;
    for (const ContextFile& file : files_) {
      ASSIGN_OR_RETURN(StagedFile* const staged, set_.stage(file.name));
      const auto container = output_.containers.find(file.bytes.data());
      RETURN_IF_ERROR_WHILE(container != output_.containers.end()
                                ? container->second->write_to(*staged)
                                : staged->write(file.bytes.bytes()),
                            "writing '", path_join(folder, file.name), "'");
    }
    if (external.is_empty()) return Status::ok();
    const std::string name = binary_name("weights");
    ASSIGN_OR_RETURN(StagedFile* const staged, set_.stage(name));
    RETURN_IF_ERROR_WHILE(external.write_to(*staged, generation), "writing '",
                          path_join(folder, name), "'");
    return Status::ok();
  }

  Model& model_;
  const EditOutput& output_;
  Work work_;
  OutputSet set_;
  std::vector<ContextFile> files_;
  bool has_embedded_ = false, has_weights_file_ = false;
};

}  // namespace

Result<std::vector<FileReport>> write_edited(Model& model, const EditOutput& output) {
  ContextSettings settings;
  settings.file_path = output.path;
  settings.overwrite = output.overwrite;
  RETURN_IF_ERROR(context_model_path(settings, output.path).status());
  return EditWriter(model, output).write();
}

}  // namespace ortc
