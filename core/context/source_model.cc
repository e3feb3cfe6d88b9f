// SPDX-License-Identifier: MIT
// Weights out of a source: see the header.
#include "core/context/source_model.h"

namespace ortc {
namespace {

Status check_identity(const SourceModel::Place& place, const SourceIdentity& expected) {
  SourceIdentity now;
  if (place.path.empty()) {
    now = SourceIdentity::of_bytes(place.bytes, place.external_folder);
  } else {
    ASSIGN_OR_RETURN(now, SourceIdentity::of_file(place.path, place.external_folder));
  }
  const std::string difference = expected.difference(now);
  if (difference.empty()) return Status::ok();
  return invalid_graph(
      "weights of contexts cannot be taken from ",
      place.path.empty() ? std::string("the source in memory") : str_cat("'", place.path, "'"),
      ": ", difference);
}

}  // namespace

Result<std::unique_ptr<SourceModel>> SourceModel::open(
    const Place& place, const std::optional<SourceIdentity>& expected) {
  if (expected) RETURN_IF_ERROR(check_identity(place, *expected));
  ImportOptions options;
  options.external_data_folder = place.external_folder;
  options.access = place.access;
  options.logger = place.logger;
  std::unique_ptr<SourceModel> source(new SourceModel());
  if (place.path.empty()) {
    ASSIGN_OR_RETURN(source->model_, import_model_bytes(Blob(place.bytes, nullptr), options));
  } else {
    ASSIGN_OR_RETURN(source->model_, import_model_file(place.path, options));
  }
  return source;
}

Result<Tensor> SourceModel::find(std::string_view name) const {
  const Value* value = model_->graph->find_value(std::string(name));
  const Tensor* tensor = value != nullptr ? value->constant() : nullptr;
  if (tensor == nullptr) return Tensor();
  return tensor->owner() != nullptr ? Result<Tensor>(*tensor) : copy_of(*tensor);
}

}  // namespace ortc
