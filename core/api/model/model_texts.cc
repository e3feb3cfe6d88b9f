// SPDX-License-Identifier: MIT
// Texts of a model: see the header.
#include "core/api/model/model_texts.h"

#include "core/api/model/model_entries.h"
#include "core/context/output/journal_view.h"
#include "core/platform/path.h"
#include "core/proto/wire.h"

namespace ortc::api {
namespace {

constexpr char kVersion[] = "model_version";
constexpr char kNoVersion[] = "9223372036854775807";  // what a model without one counts as

// Field numbers of ModelProto and GraphProto that hold texts, and their names here.
struct TextField {
  uint32_t number;
  const char* name;
};
constexpr TextField kModelTexts[] = {
    {2, "producer_name"}, {3, "producer_version"}, {4, "domain"}, {6, "doc_string"}};
constexpr TextField kGraphTexts[] = {{2, "graph_name"}, {10, "graph_description"}};
constexpr uint32_t kModelVersion = 5;

KeyValues without_content() {
  KeyValues texts;
  for (const TextField& one : kModelTexts) texts[one.name];
  for (const TextField& one : kGraphTexts) texts[one.name];
  texts[kVersion] = kNoVersion;
  return texts;
}

template <size_t count>
void take_text(Bytes bytes, const WireField& field, const TextField (&known)[count],
               KeyValues& texts) {
  if (field.type != WireType::kBytes) return;
  for (const TextField& one : known) {
    if (one.number != field.number) continue;
    texts[one.name] = as_text(bytes.subspan(field.payload_begin, field.payload_size()));
  }
}

Status take_graph(Bytes bytes, const WireField& graph, KeyValues& texts) {
  uint64_t position = graph.payload_begin;
  while (position < graph.payload_end) {
    ASSIGN_OR_RETURN(const WireField field, read_field(bytes, position, graph.payload_end));
    take_text(bytes, field, kGraphTexts, texts);
  }
  return Status::ok();
}

Status take_version(Bytes bytes, const WireField& field, KeyValues& texts) {
  uint64_t position = field.payload_begin, number = 0;
  if (!read_varint(bytes, position, field.payload_end, number)) {
    return malformed_at(field.payload_begin, "the model's version does not end");
  }
  if (number != 0) texts[kVersion] = str_cat(static_cast<int64_t>(number));
  return Status::ok();
}

Result<KeyValues> texts_of(Bytes bytes) {
  KeyValues texts = without_content(), metadata;
  uint64_t position = 0;
  while (position < bytes.size()) {
    ASSIGN_OR_RETURN(const WireField field, read_field(bytes, position, bytes.size()));
    take_text(bytes, field, kModelTexts, texts);
    if (field.number == kGraphField && field.type == WireType::kBytes) {
      RETURN_IF_ERROR(take_graph(bytes, field, texts));
    }
    if (field.number == kModelVersion && field.type == WireType::kVarint) {
      RETURN_IF_ERROR(take_version(bytes, field, texts));
    }
    RETURN_IF_ERROR(take_model_entry(bytes, field, metadata));
  }
  for (auto& [key, value] : metadata) texts[key] = std::move(value);
  return texts;
}

KeyValues texts_of(const Model& model) {
  KeyValues texts = {{"producer_name", model.producer_name},
                     {"producer_version", model.producer_version},
                     {"domain", model.domain},
                     {"doc_string", model.doc},
                     {"graph_name", model.graph->name},
                     {"graph_description", model.graph->doc},
                     {kVersion, model.model_version != 0 ? str_cat(model.model_version)
                                                         : std::string(kNoVersion)}};
  for (const auto& [key, value] : model.metadata) texts[key] = value;
  return texts;
}

}  // namespace

Result<KeyValues> read_model_texts(const ModelSource& source) {
  if (source.make_model) {
    ASSIGN_OR_RETURN(const auto model, source.make_model());
    return texts_of(*model);
  }
  if (source.from_memory) return texts_of(source.bytes.bytes());
  if (source.path.empty()) return KeyValues();
  if (path_is_directory(source.path)) {
    return invalid_argument("'", source.path, "' is a folder; expected a model file");
  }
  ASSIGN_OR_RETURN(const JournalView journal, JournalView::open(source.path));
  ASSIGN_OR_RETURN(const auto file,
                   journal.open_current(path_file_name(source.path), [&](const std::string& name) {
                     return journal.open_file(name, Access::kMap);
                   }));
  return texts_of(file->bytes());
}

}  // namespace ortc::api
