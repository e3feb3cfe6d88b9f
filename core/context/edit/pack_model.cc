// SPDX-License-Identifier: MIT
// Packing: contexts into the model, or back into files. Also what all edits report.
#include "core/base/json_writer.h"
#include "core/context/edit/edit_source.h"
#include "core/context/edit/edits.h"

namespace ortc {

std::string EditReport::json() const {
  JsonWriter json;
  json.begin_object().field("schema", "ortc.edit/1");
  json.key("files").begin_array();
  for (const FileReport& file : files) {
    json.begin_object().field("path", file.path).field("bytes", file.bytes).end_object();
  }
  json.end_array().key("renamed").begin_array();
  for (const Renaming& renaming : renamed) {
    json.begin_object().field("model", renaming.model).field("kind", renaming.kind);
    json.field("from", renaming.from).field("to", renaming.to).end_object();
  }
  json.end_array().end_object();
  return json.text();
}

Result<EditReport> pack_model(const std::string& path, EditOutput output,
                              const ProviderRegistry& providers) {
  ASSIGN_OR_RETURN(const EditSource source, EditSource::open(path, providers));
  bool has_nodes = false;
  RETURN_IF_ERROR(for_context_nodes(*source.model->graph, [&](Node&) {
    has_nodes = true;
    return Status::ok();
  }));
  if (!has_nodes) {
    return invalid_argument("'", path, "' has no EPContext nodes: there is nothing to pack");
  }
  output.sources = {path};
  EditReport report;
  ASSIGN_OR_RETURN(report.files, write_edited(*source.model, output));
  return report;
}

}  // namespace ortc
