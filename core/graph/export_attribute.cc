// SPDX-License-Identifier: MIT
// Attributes and tensors as wire bytes. Tensors are written raw, strings as string_data.
#include "core/graph/exporter.h"
#include "core/proto/wire.h"

namespace ortc {
namespace {

constexpr uint64_t kPayloadAlignment = 4096;
constexpr uint32_t kPaddingField = 45126;  // AttributeProto.alignment_padding of onnx.proto

}  // namespace

// The payload's place follows from where the writer is: all messages around it are open. The
// padding's length takes two bytes always.
void Exporter::write_aligned(WireWriter& out, const Attribute& attribute) {
  std::string head;
  append_tag(head, kPaddingField, WireType::kBytes);
  const size_t length_size = 2;
  std::string tag;
  append_tag(tag, 4, WireType::kBytes);
  append_varint(tag, attribute.s.size());
  const uint64_t earliest = out.size() + head.size() + length_size + tag.size();
  const uint64_t padding = (kPayloadAlignment - earliest % kPayloadAlignment) % kPayloadAlignment;
  head += static_cast<char>((padding & 0x7f) | 0x80);
  head += static_cast<char>(padding >> 7);
  head.append(padding, '\0');
  out.add_wire(head);
  out.add_payload(4, attribute.s.bytes());
}

Status Exporter::write_attribute(WireWriter& out, const Node& node, const Attribute& attribute) {
  out.add_bytes(1, attribute.name);
  RETURN_IF_ERROR(write_attribute_value(out, node, attribute));
  out.add_text(13, attribute.doc);
  out.add_varint(20, static_cast<uint64_t>(attribute.kind));
  out.add_text(21, attribute.ref_attr_name);
  out.add_wire(attribute.unknown_fields);
  return Status::ok();
}

Status Exporter::write_attribute_value(WireWriter& out, const Node& node,
                                       const Attribute& attribute) {
  auto write_type_field = [&](uint32_t number, const Type& type) {
    WireWriter inner;
    write_type(inner, type);
    out.add_message(number, inner);
  };
  auto write_tensor_field = [&](uint32_t number, const Constant& constant,
                                const ExternalLocation* place) {
    WireWriter inner;
    write_tensor(inner, constant, constant.name, place);
    out.add_message(number, inner);
  };
  auto write_sparse_field = [&](uint32_t number, const SparseConstant& sparse) {
    WireWriter inner;
    write_sparse(inner, sparse, sparse.values.name);
    out.add_message(number, inner);
  };
  auto write_graph_field = [&](uint32_t number, const Graph& graph) {
    return nest(out, number, has_aligned(graph),
                [&](WireWriter& inner) { return write_graph(inner, graph); });
  };
  auto lacks = [](const char* what) { return invalid_graph("the ", what, " is missing"); };
  switch (attribute.kind) {
    case AttributeKind::kUndefined:
      return Status::ok();
    case AttributeKind::kFloat:
      out.add_float(2, attribute.f);
      return Status::ok();
    case AttributeKind::kInt:
      out.add_varint(3, static_cast<uint64_t>(attribute.i));
      return Status::ok();
    case AttributeKind::kString:
      if (has_aligned(attribute)) {
        write_aligned(out, attribute);
      } else {
        out.add_payload(4, attribute.s.bytes());
      }
      return Status::ok();
    case AttributeKind::kTensor: {
      if (attribute.tensor == nullptr) return lacks("tensor");
      const Value* output = node.graph()->value(node.output(0));
      auto place = placed_.find(output);
      const bool is_placed =
          place != placed_.end() && node.is_op("Constant") && attribute.name == "value";
      write_tensor_field(5, *attribute.tensor, is_placed ? &place->second : nullptr);
      return Status::ok();
    }
    case AttributeKind::kGraph:
      return attribute.graph ? write_graph_field(6, *attribute.graph) : lacks("graph");
    case AttributeKind::kFloats:
      for (float value : attribute.floats) out.add_float(7, value);
      return Status::ok();
    case AttributeKind::kInts:
      for (int64_t value : attribute.ints) out.add_varint(8, static_cast<uint64_t>(value));
      return Status::ok();
    case AttributeKind::kStrings:
      for (const Blob& text : attribute.strings) out.add_payload(9, text.bytes());
      return Status::ok();
    case AttributeKind::kTensors:
      for (const auto& tensor : attribute.tensors) write_tensor_field(10, *tensor, nullptr);
      return Status::ok();
    case AttributeKind::kGraphs:
      for (const auto& graph : attribute.graphs) RETURN_IF_ERROR(write_graph_field(11, *graph));
      return Status::ok();
    case AttributeKind::kSparseTensor:
      if (attribute.sparse == nullptr) return lacks("sparse tensor");
      write_sparse_field(22, *attribute.sparse);
      return Status::ok();
    case AttributeKind::kSparseTensors:
      for (const auto& sparse : attribute.sparses) write_sparse_field(23, *sparse);
      return Status::ok();
    case AttributeKind::kTypeProto:
      if (attribute.type == nullptr) return lacks("type");
      write_type_field(14, *attribute.type);
      return Status::ok();
    case AttributeKind::kTypeProtos:
      for (const auto& type : attribute.types) write_type_field(15, *type);
      return Status::ok();
  }
  return Status::ok();
}

void Exporter::write_tensor(WireWriter& out, const Constant& constant, std::string_view name,
                            const ExternalLocation* external) {
  const Tensor& tensor = constant.tensor;
  for (int64_t dim : tensor.dims()) out.add_varint(1, static_cast<uint64_t>(dim));
  out.add_varint(2, static_cast<uint64_t>(tensor.dtype()));
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.string_elements()) {
      out.add_payload(6, as_bytes(text));
    }
  }
  out.add_text(8, name);
  if (tensor.dtype() != DType::kString && external == nullptr) out.add_payload(9, tensor.bytes());
  out.add_text(12, constant.doc);
  if (external != nullptr) {
    write_entries(out, 13,
                  {{"location", external->location},
                   {"offset", str_cat(external->offset)},
                   {"length", str_cat(external->length)}});
    if (external->is_zstd) write_entries(out, 13, {{"compression", "zstd"}});
    out.add_varint(14, 1);
  }
  out.add_wire(constant.unknown_fields);
}

void Exporter::write_sparse(WireWriter& out, const SparseConstant& sparse, std::string_view name) {
  WireWriter values, indices;
  write_tensor(values, sparse.values, name, nullptr);
  write_tensor(indices, sparse.indices, sparse.indices.name, nullptr);
  out.add_message(1, values);
  out.add_message(2, indices);
  for (int64_t dim : sparse.dims) out.add_varint(3, static_cast<uint64_t>(dim));
  out.add_wire(sparse.unknown_fields);
}

}  // namespace ortc
