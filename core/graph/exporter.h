// SPDX-License-Identifier: MIT
// The exporter's insides, shared by the export*.cc files only: Graph -> wire.
//
// Fields are written in the order of their numbers, what the file held and this library does not
// understand last. Nodes are written in topological order.
#pragma once

#include <unordered_map>

#include "core/graph/export.h"
#include "core/proto/wire_writer.h"

namespace ortc {

void write_type(WireWriter& out, const Type& type);
void write_entries(WireWriter& out, uint32_t number,
                   const std::vector<std::pair<std::string, std::string>>& entries);

class Exporter {
 public:
  Exporter(const Model& model, const ExportOptions& options) : model_(model), options_(options) {}
  // FAIL above 2^31-1 bytes.
  Status run();
  const WireWriter& result() const { return out_; }

 private:
  // export.cc
  Status place_initializers(const Graph& graph);
  Status place(const Graph& graph, const Value& value);
  bool has_aligned(const Graph& graph) const;
  bool has_aligned(const Attribute& attribute) const;

  // export_graph.cc
  Status write_graph(WireWriter& out, const Graph& graph);
  Status write_node(WireWriter& out, const Graph& graph, const Node& node);
  void write_value_info(WireWriter& out, const Value& value);
  void write_values(WireWriter& out, const Graph& graph);

  // export_attribute.cc
  Status write_attribute(WireWriter& out, const Node& node, const Attribute& attribute);
  Status write_attribute_value(WireWriter& out, const Node& node, const Attribute& attribute);
  void write_tensor(WireWriter& out, const Constant& constant, std::string_view name,
                    const ExternalLocation* external);
  void write_sparse(WireWriter& out, const SparseConstant& sparse, std::string_view name);
  void write_aligned(WireWriter& out, const Attribute& attribute);

  // Writes a message whole, or open when something in it has to be aligned.
  template <typename Write>
  Status nest(WireWriter& out, uint32_t number, bool is_open, Write&& write) {
    if (is_open) {
      const size_t mark = out.begin_message(number);
      RETURN_IF_ERROR(write(out));
      out.end_message(mark);
      return Status::ok();
    }
    WireWriter inner;
    RETURN_IF_ERROR(write(inner));
    out.add_message(number, inner);
    return Status::ok();
  }

  const Model& model_;
  const ExportOptions& options_;
  WireWriter out_;
  std::unordered_map<const Value*, ExternalLocation> placed_;
};

}  // namespace ortc
