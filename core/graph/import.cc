// SPDX-License-Identifier: MIT
// bytes -> Model: the file, the model's own fields, opsets.
#include <limits.h>

#include <algorithm>

#include "core/graph/importer.h"
#include "core/graph/limits.h"
#include "core/platform/file_map.h"
#include "core/proto/external_location.h"

namespace ortc {
namespace {

// What the imported graph may take, roughly: inlined functions and captures multiply what stands in
// the file.
constexpr uint64_t kCostBase = uint64_t{128} << 20;
constexpr uint64_t kCostFactor = 64;

std::string normalised_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string() : std::string(domain);
}

void import_model_fields(const DecodedModel& decoded, Model& model) {
  const Onnx__ModelProto& proto = decoded.message();
  model.ir_version = proto.ir_version;
  model.producer_name = decoded.string(proto.producer_name);
  model.producer_version = decoded.string(proto.producer_version);
  model.domain = decoded.string(proto.domain);
  model.model_version = proto.model_version;
  model.doc = decoded.string(proto.doc_string);
  model.metadata = import_entries(decoded, proto.metadata_props, proto.n_metadata_props);
  model.unknown_fields = unknown_fields_of(proto.base);
}

// Of context binaries in files. Nodes of functions are left out: no initializer stands in theirs.
void find_context_names(const DecodedModel& decoded, const Onnx__GraphProto& graph,
                        std::map<std::string, std::string>& names) {
  for (size_t i = 0; i < graph.n_node; ++i) {
    const Onnx__NodeProto& node = *graph.node[i];
    const bool is_context =
        decoded.text(node.op_type) == "EPContext" && decoded.text(node.domain) == kMicrosoftDomain;
    bool is_embedded = true;
    std::string name;
    for (size_t k = 0; k < node.n_attribute; ++k) {
      const Onnx__AttributeProto& attribute = *node.attribute[k];
      if (attribute.g != nullptr) find_context_names(decoded, *attribute.g, names);
      for (size_t g = 0; g < attribute.n_graphs; ++g) {
        find_context_names(decoded, *attribute.graphs[g], names);
      }
      if (!is_context) continue;
      const std::string_view key = decoded.text(attribute.name);
      if (key == "embed_mode") is_embedded = attribute.i != 0;
      if (key == "ep_cache_context" && decoded.text(attribute.s).size() < PATH_MAX) {
        name = decoded.string(attribute.s);
      }
    }
    if (!is_embedded && !name.empty()) names.emplace(plain_location(name), name);
  }
}

Result<std::unique_ptr<Model>> import_from(Blob source, std::string path, ExternalFiles files,
                                           ExternalFiles context_files,
                                           const ImportOptions& options) {
  files.set_contents(&options.external_contents);
  files.set_missing(options.missing_external_data);
  ASSIGN_OR_RETURN(const auto decoded, DecodedModel::decode(std::move(source)));
  ExternalFiles::Contexts contexts;
  contexts.find_names = [&] {
    std::map<std::string, std::string> names;
    find_context_names(*decoded, *decoded->message().graph, names);
    return names;
  };
  for (ExternalFiles* opening : {&files, &context_files}) {
    opening->set_opened(options.opened_files);
  }
  contexts.read = options.read_context;
  contexts.files = std::make_shared<ExternalFiles>(std::move(context_files));
  files.set_contexts(std::move(contexts));
  const Onnx__ModelProto& proto = decoded->message();
  if (proto.graph == nullptr) {
    return make_status(Code::kInvalidProtobuf,
                       "the bytes are not an ONNX model: expected a graph, found none");
  }
  if (proto.ir_version < kOldestIrVersion || proto.ir_version > kNewestIrVersion) {
    return fail("unsupported IR version: expected ", kOldestIrVersion, "..", kNewestIrVersion,
                ", found ", proto.ir_version);
  }
  auto model = std::make_unique<Model>();
  model->path = std::move(path);
  import_model_fields(*decoded, *model);
  RETURN_IF_ERROR(Importer(*decoded, files, options, *model).import_model());
  return model;
}

}  // namespace

Importer::Importer(const DecodedModel& decoded, ExternalFiles& files, const ImportOptions& options,
                   Model& model)
    : decoded_(decoded),
      files_(files),
      options_(options),
      model_(model),
      cost_max_(
          checked_mul<uint64_t>(decoded.source().size(), kCostFactor).value_or(UINT64_MAX / 2) +
          kCostBase) {}

Status Importer::import_model() {
  RETURN_IF_ERROR(import_opsets());
  RETURN_IF_ERROR(collect_functions());
  RETURN_IF_ERROR(check_inlined_cost());
  return import_main_graph();
}

Status Importer::charge(uint64_t bytes) {
  cost_ += bytes;
  return check_cost(cost_);
}

Status Importer::check_cost(uint64_t bytes) const {
  if (bytes <= cost_max_) return Status::ok();
  return invalid_graph("the graph with its local functions inlined would take more than ",
                       cost_max_, " bytes");
}

Status Importer::Level::check() const {
  if (nesting_ <= kNestingMax) return Status::ok();
  return invalid_graph("graphs and function calls are nested deeper than ", kNestingMax);
}

Status Importer::import_opsets() {
  const Onnx__ModelProto& proto = decoded_.message();
  opsets_ = std::make_shared<OpsetImports>();
  model_.opsets = opsets_;
  for (size_t i = 0; i < proto.n_opset_import; ++i) {
    const int64_t version = proto.opset_import[i]->version;
    std::string domain = normalised_domain(decoded_.text(proto.opset_import[i]->domain));
    if (version <= 0) {
      return invalid_graph("opset of domain '", domain, "': expected a version above 0, found ",
                           version);
    }
    // Of several imports of a domain the last counts, as in ONNX Runtime.
    const auto known = std::find_if(opsets_->begin(), opsets_->end(),
                                    [&](const auto& import) { return import.first == domain; });
    if (known != opsets_->end()) {
      known->second = version;
    } else if (opsets_->size() == kOpsetImportsMax) {
      return invalid_graph("the model imports opsets of more than ", kOpsetImportsMax, " domains");
    } else {
      opsets_->emplace_back(std::move(domain), version);
    }
  }
  if (opsets_->empty()) return invalid_graph("the model imports no opset");
  return Status::ok();
}

Result<std::unique_ptr<Model>> import_model_file(const std::string& path,
                                                 const ImportOptions& options) {
  ASSIGN_OR_RETURN(const auto file, FileMap::open(path, options.access));
  return import_model_file(file, options);
}

Result<std::unique_ptr<Model>> import_model_file(const std::shared_ptr<const FileMap>& file,
                                                 const ImportOptions& options) {
  const std::string& path = file->path();
  auto model =
      import_from(FileMap::blob(file, 0, file->bytes().size()), path,
                  ExternalFiles::of_model(path, options.external_data_folder, options.access,
                                          options.current_name),
                  ExternalFiles::of_model(path, "", options.access, options.current_name), options);
  if (!model.is_ok()) {
    return std::move(Status(model.status()).note(str_cat("model '", path, "'")));
  }
  return model;
}

Result<std::unique_ptr<Model>> import_model_bytes(Blob source, const ImportOptions& options) {
  return import_from(
      std::move(source), "",
      ExternalFiles(options.external_data_folder, "", options.access, options.current_name),
      ExternalFiles(options.context_folder, "", options.access, options.current_name), options);
}

}  // namespace ortc
