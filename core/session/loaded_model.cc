// SPDX-License-Identifier: MIT
// Loading: see the header.
#include "core/session/loaded_model.h"

#include <cstring>

#include "core/context/context_node.h"
#include "core/context/context_source.h"
#include "core/context/external_initializers.h"
#include "core/graph/model_draft.h"
#include "core/graph/walk.h"
#include "core/ops/infer.h"
#include "core/ops/op_list.h"
#include "core/optimise/pipeline.h"
#include "core/platform/memory/watched_reading.h"
#include "core/platform/path.h"
#include "core/session/optimised_model.h"

namespace ortc {
namespace {

// Memory of the program need not outlive the making of the session.
Result<Tensor> lasting_copy(const Tensor& tensor) {
  if (tensor.owner() != nullptr || tensor.dtype() == DType::kString) return tensor;
  ASSIGN_OR_RETURN(Tensor copy, Tensor::create(tensor.dtype(), tensor.dims()));
  if (tensor.byte_size() != 0) {
    std::memcpy(copy.mutable_data(), tensor.data(), tensor.byte_size());
  }
  return copy;
}

// A newer opset may have changed what an operator means.
void warn_of_newer_opset(const Logger& logger, const Model& model) {
  const int64_t opset = model.graph->opset("");
  if (opset <= kNewestOpset) return;
  ORTC_LOG(logger, kWarning, "load", "'", model.path, "' uses opset ", opset,
           " of ai.onnx; this library knows opsets up to ", kNewestOpset,
           " and reads newer operators as those");
}

// Values that stand for initializers must have one to stand for.
Status check_replacements(const Model& model, const SessionOptions& options) {
  for (const auto& [name, tensor] : options.external_initializers) {
    const Value* value = model.graph->find_value(name);
    if (value == nullptr || value->initializer == nullptr) {
      return fail("the model has no initializer '", name, "' that could be replaced");
    }
  }
  return Status::ok();
}

// Those of the program come before those that providers bring.
std::vector<const CustomOperators*> custom_operators(const SessionOptions& options) {
  std::vector<const CustomOperators*> found;
  if (options.custom_operators != nullptr) found.push_back(options.custom_operators.get());
  for (const ProviderChoice& choice : options.providers) {
    const CustomOperators* brought = choice.factory->custom_operators();
    if (brought != nullptr) found.push_back(brought);
  }
  return found;
}

// What ONNX Runtime takes for the version of a program's domain that the model does not import.
constexpr int64_t kUnstatedVersion = 1000;

// As ONNX Runtime reads models that leave imports out: the newest of the domains it knows.
OpsetImports default_opsets(const SessionOptions& options) {
  OpsetImports found{{"", kNewestOpset}, {"ai.onnx.ml", kNewestMlOpset}};
  for (const CustomOperators* custom : custom_operators(options)) {
    for (std::string& domain : custom->domains()) {
      found.emplace_back(std::move(domain), kUnstatedVersion);
    }
  }
  return found;
}

Result<ImportOptions> import_options(Making& making) {
  ImportOptions options;
  options.default_opsets = default_opsets(making.options());
  options.logger = making.logger();
  options.pool = making.helpers();
  options.work = making.work();
  options.external_data_folder = making.context().external_folder;
  options.context_folder = path_folder(making.context().file_path);
  options.read_context = making.context_reader(/*keeps=*/true);
  options.opened_files = &making.read_files;
  options.access = making.access();
  options.external_contents = making.options().external_files;
  options.initializers = making.options().initializers;
  for (const auto& [name, tensor] : making.options().external_initializers) {
    ASSIGN_OR_RETURN(options.external_initializers[name], lasting_copy(tensor));
  }
  return options;
}

Result<std::unique_ptr<Model>> read_file(const ModelSource& source, const ImportOptions& options,
                                         const JournalView& journal) {
  auto model = journal.open_current(
      path_file_name(source.path), [&](const std::string& name) -> Result<std::unique_ptr<Model>> {
        ASSIGN_OR_RETURN(const auto file, journal.open_file(name, options.access));
        return import_model_file(file, options);
      });
  if (!model.is_ok() && path_is_directory(source.path)) {
    return invalid_argument("'", source.path, "' is a folder; expected a model file");
  }
  return model;
}

}  // namespace

Result<std::unique_ptr<Model>> read_model(const ModelSource& source, Making& making) {
  ASSIGN_OR_RETURN(ImportOptions options, import_options(making));
  if (!source.from_memory) {
    ASSIGN_OR_RETURN(making.journal, JournalView::open(source.path));
  } else if (!making.context().file_path.empty()) {
    ASSIGN_OR_RETURN(making.journal,
                     JournalView::open_folder(path_folder(making.context().file_path)));
  }
  if (making.journal) {
    options.current_name = [&](const std::string& name) {
      return making.journal->current_name(name);
    };
  }
  const WatchedReading watched(making.work());
  std::unique_ptr<Model> model;
  if (source.make_model) {
    ASSIGN_OR_RETURN(model, source.make_model());
  } else if (source.from_memory) {
    ASSIGN_OR_RETURN(model, import_model_bytes(source.bytes, options));
  } else {
    ASSIGN_OR_RETURN(model, read_file(source, options, *making.journal));
  }
  if (!source.from_memory) {
    model->path = source.path;
    if (const auto identity = making.journal->model_identity()) {
      making.read_files.push_back({source.path, *identity});
    }
  }
  warn_of_newer_opset(making.logger(), *model);
  RETURN_IF_ERROR(check_replacements(*model, making.options()));
  ASSIGN_OR_RETURN(const auto record, ExternalInitializersRecord::read(*model));
  if (!record) return model;
  ExternalFiles files =
      ExternalFiles::of_model(source.from_memory ? "" : source.path, options.external_data_folder,
                              making.access(), options.current_name);
  files.set_contents(&options.external_contents);
  RETURN_IF_ERROR(check_external_initializers(*model, files));
  return model;
}

Result<LoadedModel> load_model(const ModelSource& source, Making& making) {
  RETURN_IF_ERROR(making.begin_stage("load", source.path));
  ASSIGN_OR_RETURN(auto read, read_model(source, making));
  return load_model(source, std::move(read), making);
}

Result<LoadedModel> load_model(const ModelSource& source, std::unique_ptr<Model> read,
                               Making& making) {
  LoadedModel loaded;
  loaded.source = source;
  loaded.model = std::move(read);
  loaded.context_folder =
      path_folder(source.from_memory ? making.context().file_path : source.path);
  InferOptions infer;
  infer.dim_values = making.options().dim_overrides_by_name;
  infer.denotation_values = making.options().dim_overrides_by_denotation;
  infer.custom = custom_operators(making.options());
  infer.lenient_shapes = !making.settings().strict_shapes;
  infer.logger = making.logger();
  RETURN_IF_ERROR(infer_types(*loaded.model->graph, infer));
  for (const Node* node : ep_context_nodes(*loaded.model->graph)) {
    RETURN_IF_ERROR(ContextNode::read(*node).status());
    loaded.is_compiled = true;
  }
  making.report.loaded_from_context = loaded.is_compiled;
  loaded.ports = ModelPorts::of(*loaded.model->graph);
  return loaded;
}

// In such a graph no pass finds anything but what is required at every level.
static bool is_compiled_throughout(const Graph& graph) {
  for (const Node& node : nodes_of(graph)) {
    if (!node.is_op("EPContext", kMicrosoftDomain)) return false;
  }
  return true;
}

Status write_optimised(const Model& model, bool has_compiled_nodes, Making& making) {
  const OptimisedModelSettings& settings = making.settings().optimised_model;
  if (has_compiled_nodes) {
    return fail("the optimised model cannot be written as '", settings.path,
                "': the session makes or holds compiled nodes, which it cannot contain");
  }
  return write_optimised_model(model, settings, making.work());
}

Result<LoadedModel> optimise_model(LoadedModel loaded, Isa isa, Making& making) {
  RETURN_IF_ERROR(making.begin_stage("optimise", ""));
  OptimiseOptions options;
  options.level = is_compiled_throughout(*loaded.model->graph) ? OptimisationLevel::kNone
                                                               : making.settings().level;
  options.lenient_shapes = !making.settings().strict_shapes;
  options.logger = making.logger();
  options.work = making.work();
  const auto& disabled = making.settings().disabled_optimizers;
  options.disabled_passes.insert(disabled.begin(), disabled.end());
  const Evaluator evaluator(*making.environment().providers().default_provider().kernels(), isa);
  RETURN_IF_ERROR(optimise(*loaded.model, evaluator, options).status());
  // Whether contexts are made of it is known later.
  const std::string& path = making.settings().optimised_model.path;
  if (!path.empty() && (loaded.is_compiled || !making.context().enable)) {
    RETURN_IF_ERROR(making.begin_stage("write optimised", path));
    RETURN_IF_ERROR(write_optimised(*loaded.model, loaded.is_compiled, making));
  }
  return loaded;
}

}  // namespace ortc
