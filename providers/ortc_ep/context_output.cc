// SPDX-License-Identifier: MIT
// Writing contexts: see the header.
#include "providers/ortc_ep/context_output.h"

#include "core/base/version.h"
#include "core/context/file_readers.h"
#include "core/context/output/transaction.h"
#include "core/platform/path.h"
#include "core/platform/staged_write.h"

namespace ortc::ort_ep {

ContextFile::ContextFile(Place place, const ContextBinaryWriter::Options& options, bool is_shared)
    : place_(std::move(place)),
      options_(options),
      is_shared_(is_shared),
      writer_(options),
      models_({path_file_name(place_.model_path)}),
      replace_shared_(place_.replace_shared) {
  parts_.add(str_cat(kLibraryVersion, "\n", options_.target, "\n", options_.zstd_level, "\n",
                     place_.made_with));
}

Result<std::shared_ptr<ContextFile>> ContextFile::create(
    Place place, const ContextBinaryWriter::Options& options, bool is_shared) {
  const std::string folder = folder_of_target(place.model_path);
  const bool goes_to_file = !place.embed && !place.write;
  std::shared_ptr<ContextFile> file(new ContextFile(std::move(place), options, is_shared));
  if (is_shared && goes_to_file) {
    ASSIGN_OR_RETURN(auto spool, StagedFile::create_unnamed(folder, options.file_name));
    RETURN_IF_ERROR(file->writer_.spool_to(std::move(spool)));
  }
  return file;
}

Status ContextFile::check_alike(const Place& place,
                                const ContextBinaryWriter::Options& options) const {
  const std::string folder = folder_of_target(place_.model_path);
  const std::string other = folder_of_target(place.model_path);
  if (real_path(folder) != real_path(other)) {
    return invalid_argument("models that share a context binary go to one folder: expected '",
                            folder, "', found '", other, "'; a group ends with the model that has ",
                            "ep.stop_share_ep_contexts=1");
  }
  if (options.target == options_.target && options.zstd_level == options_.zstd_level) {
    return Status::ok();
  }
  return invalid_argument(
      "models that share a context binary are compiled alike: expected target '", options_.target,
      "' and compression level ", options_.zstd_level, ", found '", options.target, "' and ",
      options.zstd_level);
}

Status ContextFile::add_model(const Place& place, const ContextBinaryWriter::Options& options) {
  RETURN_IF_ERROR(check_alike(place, options));
  const std::lock_guard lock(mutex_);
  models_.insert(path_file_name(place.model_path));
  replace_shared_ = replace_shared_ || place.replace_shared;
  return Status::ok();
}

// A name is a hash of nodes and weights; the image says what was made of them.
Status ContextFile::add_plan(const std::string& name, const PlanImage& plan) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(writer_.add_plan(name, plan));
  if (!is_shared_ || generation_) return Status::ok();
  parts_.add(name);
  parts_.add(plan.image.bytes());
  return Status::ok();
}

Result<Blob> ContextFile::cache_context() {
  const std::lock_guard lock(mutex_);
  return writer_.cache_context();
}

Result<std::string> ContextFile::generation() {
  const std::lock_guard lock(mutex_);
  if (!generation_ && is_shared_) generation_ = parts_.finish();
  if (!generation_) {
    ASSIGN_OR_RETURN(generation_, writer_.seal());
  }
  return generation_->hex();
}

Status ContextFile::publish() {
  RETURN_IF_ERROR(generation().status());
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(writer_.seal().status());
  writer_.set_generation(*generation_);
  if (place_.embed) return Status::ok();
  if (!place_.write) return write_file();
  ASSIGN_OR_RETURN(const Tensor whole, writer_.assemble());
  return place_.write(place_.file_name, whole.bytes());
}

// The host writes the model; what else is in the folder is looked at as ortc itself would.
Status ContextFile::write_file() {
  const std::string folder = folder_of_target(place_.model_path);
  ASSIGN_OR_RETURN(const auto transaction, FileTransaction::begin(folder, ""));
  const std::string path = path_join(folder, place_.file_name);
  if (!replace_shared_ && path_exists(path)) {
    const std::string other = other_reader_of(path, folder, models_);
    if (!other.empty()) {
      return invalid_argument("cannot write '", path, "': it belongs to the model '",
                              path_join(folder, other),
                              "' too; choose another name for the output, or set "
                              "ep.context_replace_shared=1");
    }
  }
  if (writer_.is_spooled()) {
    ASSIGN_OR_RETURN(auto spool, writer_.finish_spool());
    RETURN_IF_ERROR(transaction->stage(place_.file_name, std::move(spool)).status());
  } else {
    ASSIGN_OR_RETURN(StagedFile * file, transaction->stage(place_.file_name));
    RETURN_IF_ERROR_WHILE(writer_.write_to(*file), "writing '", path, "'");
  }
  return transaction->commit(/*replace=*/true, generation_->hex());
}

Status ContextFileSink::add_plan(const std::string& graph_name, const PlanImage& plan) {
  for (std::string& kernel : kernels_of_image(plan.image.bytes())) {
    kernels_.insert(std::move(kernel));
  }
  if (!own_) return file_->add_plan(graph_name, plan);
  PlanImage kept = plan;
  for (Tensor& tensor : kept.tensors) {
    ASSIGN_OR_RETURN(tensor, own_(tensor));
  }
  return file_->add_plan(graph_name, kept);
}

Status ContextFileSink::add_blob(const std::string& graph_name, Blob) {
  return not_implemented("bytes of '", graph_name, "' in a context that this library writes");
}

Result<Blob> ContextFileSink::store_raw(std::string_view label, Blob) {
  return not_implemented("the file '", label, "' beside a context that this library writes");
}

Result<std::shared_ptr<ContextFile>> ContextGroup::join(
    const ContextFile::Place& place, const ContextBinaryWriter::Options& options) {
  if (place.write) {
    return not_implemented("'", place.model_path, "' in a sharing group whose context data go to ",
                           "a function of the program");
  }
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr) {
    ASSIGN_OR_RETURN(file_, ContextFile::create(place, options, /*is_shared=*/true));
  }
  RETURN_IF_ERROR(file_->add_model(place, options));
  return file_;
}

Status ContextGroup::publish() {
  std::shared_ptr<ContextFile> file;
  {
    const std::lock_guard lock(mutex_);
    file.swap(file_);
  }
  return file != nullptr ? file->publish() : Status::ok();
}

void ContextGroup::give_up() {
  const std::lock_guard lock(mutex_);
  file_.reset();
}

}  // namespace ortc::ort_ep
