// SPDX-License-Identifier: MIT
// The first stage of making a session: a model file, with its context data and external weights,
// read through the journal of a write that was cut off; checks of what was read.
#include <cstring>

#include "core/graph/model_draft.h"
#include "core/ops/infer.h"
#include "core/session/session_builder.h"

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

}  // namespace

Status SessionBuilder::load_model() {
  if (source_.from_memory) {
    context_folder_ = path_folder(context_.file_path);
    if (!context_.file_path.empty()) {
      ASSIGN_OR_RETURN(JournalView journal, JournalView::open_folder(context_folder_));
      journal_ = std::move(journal);
    }
  } else {
    if (path_is_directory(source_.path)) {
      return invalid_argument("'", source_.path, "' is a folder; expected a model file");
    }
    context_folder_ = path_folder(source_.path);
    ASSIGN_OR_RETURN(JournalView journal, JournalView::open(source_.path));
    journal_ = std::move(journal);
  }
  RETURN_IF_ERROR(import());
  RETURN_IF_ERROR(check_already_compiled());
  return check_compatibility();
}

bool SessionBuilder::files_were_replaced() const {
  return journal_.has_value() && !journal_->is_unchanged();
}

Status SessionBuilder::import() {
  ImportOptions options;
  options.logger = logger_;
  options.external_data_folder = context_.external_folder;
  options.access = access_;
  options.external_contents = options_.external_files;
  options.initializers = options_.initializers;
  for (const auto& [name, tensor] : options_.external_initializers) {
    ASSIGN_OR_RETURN(options.external_initializers[name], lasting_copy(tensor));
  }
  if (source_.make_model) {
    ASSIGN_OR_RETURN(session_->model_, source_.make_model());
    session_->model_->path = source_.path;
  } else if (source_.from_memory) {
    ASSIGN_OR_RETURN(session_->model_, import_model_bytes(source_.bytes, options));
  } else {
    options.current_name = [&](const std::string& name) { return journal_->current_name(name); };
    auto model = journal_->open_current(path_file_name(source_.path), [&](const std::string& name) {
      return import_model_file(path_join(path_folder(source_.path), name), options);
    });
    if (!model.is_ok()) return model.status();
    session_->model_ = std::move(model).value();
    session_->model_->path = source_.path;
  }
  RETURN_IF_ERROR(check_external_initializers());
  ExternalFiles files =
      ExternalFiles::of_model(source_.from_memory ? "" : source_.path, options.external_data_folder,
                              access_, options.current_name);
  files.set_contents(&options.external_contents);
  RETURN_IF_ERROR(ortc::check_external_initializers(*session_->model_, files));
  if (mode_.draft) {
    session_->draft_ = std::make_unique<const Session::Draft>(
        Session::Draft{environment_, source_, options_, clone_model(*session_->model_)});
  }
  InferOptions infer;
  infer.dim_values = options_.dim_overrides_by_name;
  infer.denotation_values = options_.dim_overrides_by_denotation;
  return infer_types(*session_->model_->graph, infer);
}

Status SessionBuilder::check_external_initializers() const {
  for (const auto& [name, tensor] : options_.external_initializers) {
    const Value* value = session_->model_->graph->find_value(name);
    if (value == nullptr || value->initializer == nullptr) {
      return fail("the model has no initializer '", name, "' that could be replaced");
    }
  }
  return Status::ok();
}

Status SessionBuilder::check_already_compiled() {
  const bool compiled = !ep_context_nodes(*session_->model_->graph).empty();
  session_->report_.loaded_from_context = compiled;
  if (!compiled || !context_.enable) return Status::ok();
  if (mode_.compile_api) {
    return invalid_graph(
        "the input model has EPContext nodes: it is compiled already; compile its source model");
  }
  ORTC_LOG(logger_, kWarning, "context", "ep.context_enable=1, but '", source_.path,
           "' is compiled already: nothing is written");
  context_.enable = false;
  return Status::ok();
}

Status SessionBuilder::check_compatibility() const {
  for (const ProviderFactory* factory : factories_) {
    const std::string* info =
        session_->model_->metadata_value(str_cat("ep_compatibility_info.", factory->name));
    if (info == nullptr) continue;
    std::string reason;
    const Compatibility verdict = factory->validate(*info, &reason);
    if (verdict == Compatibility::kUnsupported) {
      return fail("the model was compiled for ", factory->name,
                  " in a way this library cannot run: ", reason);
    }
    if (verdict != Compatibility::kPreferRecompilation) continue;
    if (context_.fail_on_suboptimal) {
      return fail(
          "the compiled model runs, but not at its best "
          "(session.fail_on_suboptimal_compiled_model=1): ",
          reason);
    }
    ORTC_LOG(logger_, kWarning, "context", "compile the model again for best speed: ", reason);
  }
  return Status::ok();
}

}  // namespace ortc
