// SPDX-License-Identifier: MIT
// Drawn graphs as ONNX bytes. Not the library's own export: a fault there would write what it can
// read back.
#include <map>

#include "core/base/float16.h"
#include "core/proto/wire_writer.h"
#include "tests/differential/fuzzer/drawn_graph.h"

namespace ortc::fuzz {
namespace {

constexpr int64_t kIrVersion = 10;

std::string bytes_of(const WireWriter& writer) {
  std::string text;
  const Status status = writer.write_to([&](Bytes bytes) {
    text += as_text(bytes);
    return Status::ok();
  });
  return status.is_ok() ? text : std::string();
}

WireWriter tensor_message(const std::string& name, const Tensor& tensor) {
  WireWriter out;
  for (const int64_t dim : tensor.dims()) out.add_varint(1, static_cast<uint64_t>(dim));
  out.add_varint(2, static_cast<uint64_t>(tensor.dtype()));
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.string_elements()) out.add_bytes(6, text);
  }
  out.add_text(8, name);
  if (tensor.dtype() != DType::kString) out.add_bytes(9, as_text(tensor.bytes()));
  return out;
}

WireWriter graph_message(const DrawnGraph& graph, bool is_main);

enum AttributeType { kFloat = 1, kInt, kString, kTensor, kGraph, kFloats, kInts, kStrings };

struct AttributeBody {
  WireWriter& out;
  int operator()(int64_t value) const {
    out.add_varint(3, static_cast<uint64_t>(value));
    return kInt;
  }
  int operator()(float value) const {
    out.add_float(2, value);
    return kFloat;
  }
  int operator()(const std::string& value) const {
    out.add_bytes(4, value);
    return kString;
  }
  int operator()(const std::vector<int64_t>& values) const {
    for (const int64_t value : values) out.add_varint(8, static_cast<uint64_t>(value));
    return kInts;
  }
  int operator()(const std::vector<float>& values) const {
    for (const float value : values) out.add_float(7, value);
    return kFloats;
  }
  int operator()(const std::vector<std::string>& values) const {
    for (const std::string& value : values) out.add_bytes(9, value);
    return kStrings;
  }
  int operator()(const Tensor& value) const {
    out.add_message(5, tensor_message("", value));
    return kTensor;
  }
  int operator()(const std::shared_ptr<DrawnGraph>& value) const {
    out.add_message(6, graph_message(*value, false));
    return kGraph;
  }
};

WireWriter node_message(const DrawnNode& node) {
  WireWriter out;
  for (const std::string& name : node.inputs) out.add_bytes(1, name);
  for (const std::string& name : node.outputs) out.add_bytes(2, name);
  out.add_text(4, node.op);
  for (const DrawnAttribute& attribute : node.attributes) {
    WireWriter body;
    body.add_text(1, attribute.name);
    const int type = std::visit(AttributeBody{body}, attribute.value);
    body.add_varint(20, static_cast<uint64_t>(type));
    out.add_message(5, body);
  }
  out.add_text(7, node.domain);
  return out;
}

WireWriter type_message(const Datum& datum, bool with_shape, int64_t symbolic_size) {
  WireWriter type;
  if (const Sequence* sequence = datum.sequence()) {
    WireWriter element, tensor, of;
    tensor.add_varint(1, static_cast<uint64_t>(sequence->dtype));
    element.add_message(1, tensor);
    of.add_message(1, element);
    type.add_message(4, of);
    return type;
  }
  const Tensor& tensor = *datum.tensor();
  WireWriter body;
  body.add_varint(1, static_cast<uint64_t>(tensor.dtype()));
  if (with_shape) {
    WireWriter shape;
    for (size_t i = 0; i < tensor.dims().size(); ++i) {
      WireWriter dim;
      if (i == 0 && tensor.dims()[i] == symbolic_size) {
        dim.add_text(2, "N");
      } else {
        dim.add_varint(1, static_cast<uint64_t>(tensor.dims()[i]));
      }
      shape.add_message(1, dim);
    }
    body.add_message(2, shape);
  }
  type.add_message(1, body);
  return type;
}

WireWriter graph_message(const DrawnGraph& graph, bool is_main) {
  WireWriter out;
  for (const DrawnNode& node : graph.nodes) out.add_message(1, node_message(node));
  out.add_text(2, "g");
  for (const std::string& name : graph.constants) {
    out.add_message(5, tensor_message(name, *graph.values.at(name).datum.tensor()));
  }
  const auto add_value = [&](uint32_t number, const std::string& name, bool with_shape) {
    WireWriter info;
    info.add_text(1, name);
    const auto value = graph.values.find(name);
    if (value != graph.values.end()) {
      info.add_message(2, type_message(value->second.datum, with_shape, graph.symbolic_size));
    }
    out.add_message(number, info);
  };
  for (const std::string& name : graph.inputs) add_value(11, name, is_main);
  for (const std::string& name : graph.outputs) add_value(12, name, false);
  return out;
}

WireWriter opset_message(const std::string& domain, int64_t version) {
  WireWriter out;
  out.add_text(1, domain);
  out.add_varint(2, static_cast<uint64_t>(version));
  return out;
}

WireWriter function_message(const DrawnFunction& function, int64_t opset) {
  WireWriter out;
  out.add_text(1, function.name);
  for (const std::string& name : function.inputs) out.add_bytes(4, name);
  out.add_bytes(5, function.output);
  for (const DrawnNode& node : function.nodes) out.add_message(7, node_message(node));
  out.add_message(9, opset_message("", opset));
  out.add_text(10, "local");
  return out;
}

// Its domains and their versions. Bodies have ONNX's own operators only.
std::map<std::string, int64_t> opsets_of(const DrawnGraph& graph) {
  std::map<std::string, int64_t> opsets{{"", graph.opset}};
  for (const DrawnNode& node : graph.nodes) {
    if (node.domain.empty()) continue;
    int64_t& version = opsets[node.domain];
    version = std::max<int64_t>(version, node.domain != "ai.onnx.ml" ? 1
                                         : node.op == "TreeEnsemble" ? 5
                                                                     : 3);
  }
  return opsets;
}

}  // namespace

std::string tensor_bytes(const std::string& name, const Tensor& tensor) {
  return bytes_of(tensor_message(name, tensor));
}

std::string model_bytes(const DrawnGraph& graph) {
  WireWriter out;
  out.add_varint(1, kIrVersion);
  out.add_text(2, "fuzzer");
  out.add_message(7, graph_message(graph, true));
  for (const auto& [domain, version] : opsets_of(graph)) {
    out.add_message(8, opset_message(domain, version));
  }
  for (const DrawnFunction& function : graph.functions) {
    out.add_message(25, function_message(function, graph.opset));
  }
  return bytes_of(out);
}

DrawnGraph alone(const DrawnGraph& graph, const DrawnNode& node) {
  DrawnGraph one;
  one.opset = graph.opset;
  one.functions = graph.functions;
  one.nodes = {node};
  const auto take = [&](const std::string& name) {
    if (name.empty() || one.values.count(name) != 0) return;
    const DrawnValue& value = graph.values.at(name);
    one.values[name] = value;
    (value.role == Role::kConstant ? one.constants : one.inputs).push_back(name);
  };
  for (const std::string& name : node.inputs) take(name);
  for (const std::string& name : node.captured) take(name);
  for (const std::string& name : node.outputs) {
    if (!name.empty()) one.outputs.push_back(name);
  }
  return one;
}

}  // namespace ortc::fuzz
