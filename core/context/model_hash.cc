// SPDX-License-Identifier: MIT
// The hash of a model: see the header.
#include "core/context/model_hash.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/proto/wire.h"

namespace ortc {
namespace {

constexpr std::string_view kKey = "ortc.model.hash";
constexpr std::string_view kZeros = "00000000000000000000000000000000";
constexpr size_t kDigits = kZeros.size();

// The entry as it stands in a file up to its digits: key = 1, value = 2.
std::string entry_head() {
  std::string head;
  append_tag(head, 1, WireType::kBytes);
  append_varint(head, kKey.size());
  head += kKey;
  append_tag(head, 2, WireType::kBytes);
  append_varint(head, kDigits);
  return head;
}

}  // namespace

void clear_model_hash(Model& model) { model.set_metadata(std::string(kKey), std::string(kZeros)); }

void remove_model_hash(Model& model) {
  std::erase_if(model.metadata, [](const auto& entry) { return entry.first == kKey; });
}

Status stamp_model_hash(Model& model, const ExportOptions& exporting, const Work& work) {
  clear_model_hash(model);
  Hasher hasher;
  RETURN_IF_ERROR(export_model(model, exporting, [&](Bytes bytes) -> Status {
    for (size_t begin = 0; begin < bytes.size(); begin += kWorkSlice) {
      RETURN_IF_ERROR(work.go_on());
      hasher.append(bytes.subspan(begin, std::min(kWorkSlice, bytes.size() - begin)));
    }
    return Status::ok();
  }));
  model.set_metadata(std::string(kKey), hasher.finish().hex());
  return Status::ok();
}

std::optional<Status> verify_model_hash(const Model& model, Bytes file) {
  const std::string* expected = model.metadata_value(kKey);
  if (expected == nullptr) return std::nullopt;
  const std::string_view text = as_text(file);
  const std::string head = entry_head();
  // Behind the graph: the last one is the model's own.
  const size_t at = text.rfind(head + *expected);
  if (at == std::string_view::npos || expected->size() != kDigits) {
    return invalid_graph("the model: its metadata entry '", kKey, "' is damaged");
  }
  const size_t digits = at + head.size();
  Hasher hasher;
  hasher.append(file.first(digits)).append(as_bytes(kZeros));
  hasher.append(file.subspan(digits + kDigits));
  const std::string found = hasher.finish().hex();
  if (found == *expected) return Status::ok();
  return invalid_graph("the model: expected the hash ", *expected, ", found ", found,
                       "; it was changed since it was written");
}

}  // namespace ortc
