// SPDX-License-Identifier: MIT
// A provider's contexts: see the header.
#include "core/context/generate/provider_sink.h"

#include <algorithm>

#include "core/context/context_paths.h"
#include "core/context/output/journal.h"
#include "core/platform/memory/scratch_memory.h"

namespace ortc {

ProviderSink::ProviderSink(std::string model_path, std::string suffix, std::string node_name_prefix,
                           std::shared_ptr<ContextBinaryWriter> container, Turn turn,
                           std::optional<std::string> folder)
    : model_path_(std::move(model_path)),
      suffix_(std::move(suffix)),
      node_name_prefix_(std::move(node_name_prefix)),
      container_(std::move(container)),
      turn_(std::move(turn)),
      folder_(std::move(folder)) {}

Status ProviderSink::begin_adding() {
  Work nobody;
  if (turn_) RETURN_IF_ERROR(turn_(work_ != nullptr ? *work_ : nobody));
  container_->work_with(work_, pool_);
  has_added_ = true;
  return Status::ok();
}

// The work may be over before somebody else adds.
Status ProviderSink::done_adding(Status added) {
  container_->work_with(nullptr, nullptr);
  return added;
}

Status ProviderSink::add_plan(const std::string& graph_name, const PlanImage& plan) {
  RETURN_IF_ERROR(begin_adding());
  return done_adding(container_->add_plan(graph_name, plan));
}

Status ProviderSink::add_blob(const std::string& graph_name, Blob bytes) {
  RETURN_IF_ERROR(begin_adding());
  return done_adding(container_->add_blob(graph_name, bytes));
}

Result<std::shared_ptr<TensorMemory>> ProviderSink::scratch() {
  if (!folder_.has_value()) return std::shared_ptr<TensorMemory>();
  return scratch_memory(*folder_);
}

Result<Blob> ProviderSink::cache_context() { return container_->cache_context(); }

Result<Blob> ProviderSink::store_raw(std::string_view label, Blob bytes) {
  Raw raw;
  raw.hash = hash128(bytes.bytes());
  raw.bytes = bytes;
  if (!is_embedded()) {
    raw.file_name =
        context_binary_name(model_path_, label.empty() ? suffix_ : str_cat(suffix_, "_", label));
    const bool is_taken = (raw.file_name == container_->file_name() && has_added_) ||
                          std::any_of(raws_.begin(), raws_.end(), [&](const Raw& other) {
                            return other.file_name == raw.file_name;
                          });
    if (is_taken || !fault_of_final_name(raw.file_name).empty()) {
      return invalid_argument(
          "a context of '", suffix_, "' cannot be stored as '", raw.file_name,
          "': ", is_taken ? "the name is taken" : "it is not a plain file name");
    }
    bytes = Blob::copy_of(as_bytes(raw.file_name));
  }
  raws_.push_back(std::move(raw));
  return bytes;
}

const ProviderSink::Raw* ProviderSink::find_raw(const Blob& contents) const {
  for (const Raw& raw : raws_) {
    const bool is_it =
        is_embedded() ? contents.text() == raw.bytes.text() : contents.text() == raw.file_name;
    if (is_it) return &raw;
  }
  return nullptr;
}

}  // namespace ortc
