// SPDX-License-Identifier: MIT
// Metadata of a model: see the header.
#include "core/api/model/model_entries.h"

namespace ortc::api {
namespace {

// Field numbers of ModelProto and StringStringEntryProto.
constexpr uint32_t kMetadataProps = 14;
constexpr uint32_t kKey = 1;
constexpr uint32_t kValue = 2;

struct Entry {
  std::string_view key, value;
};

Result<Entry> read_entry(Bytes model, const WireField& field) {
  Entry entry;
  uint64_t position = field.payload_begin;
  while (position < field.payload_end) {
    ASSIGN_OR_RETURN(const WireField part, read_field(model, position, field.payload_end));
    if (part.type != WireType::kBytes) continue;
    const std::string_view text = as_text(model.subspan(part.payload_begin, part.payload_size()));
    if (part.number == kKey) entry.key = text;
    if (part.number == kValue) entry.value = text;
  }
  return entry;
}

Result<std::optional<std::string>> scan(Bytes model, std::string_view key) {
  std::optional<std::string> found;
  bool has_graph = false;
  uint64_t position = 0;
  while (position < model.size()) {
    ASSIGN_OR_RETURN(const WireField field, read_field(model, position, model.size()));
    if (field.type != WireType::kBytes) continue;
    has_graph = has_graph || field.number == kGraphField;
    if (field.number != kMetadataProps) continue;
    ASSIGN_OR_RETURN(const Entry entry, read_entry(model, field));
    if (entry.key == key) found = std::string(entry.value);
  }
  if (!has_graph) return invalid_graph("there is no graph");
  return found;
}

}  // namespace

Status take_model_entry(Bytes model, const WireField& field, KeyValues& entries) {
  if (field.number != kMetadataProps || field.type != WireType::kBytes) return Status::ok();
  ASSIGN_OR_RETURN(const Entry entry, read_entry(model, field));
  entries[std::string(entry.key)] = entry.value;
  return Status::ok();
}

Result<std::optional<std::string>> find_model_entry(Bytes model, std::string_view key) {
  auto found = scan(model, key);
  if (found.is_ok()) return found;
  return invalid_graph("the bytes are not an ONNX model: ", found.status().message());
}

}  // namespace ortc::api
