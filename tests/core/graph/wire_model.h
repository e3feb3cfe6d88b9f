// SPDX-License-Identifier: MIT
// Models as wire bytes for the reader's tests, field by field, right or wrong:
//
//   const std::string bytes = wire::model(wire::graph({wire::node("Relu", {"x"}, {"y"})},
//                                                     {wire::value("x", 1, {2})}, {...}));
#pragma once

#include <string>
#include <vector>

#include "core/graph/export.h"
#include "core/graph/verify.h"
#include "core/proto/wire_writer.h"
#include "tests/support/test.h"

namespace ortc::wire {

using Texts = std::vector<std::string>;

inline std::string bytes_of(const WireWriter& writer) {
  std::string text;
  (void)writer.write_to([&](Bytes piece) {
    text += as_text(piece);
    return Status::ok();
  });
  return text;
}

inline std::string field(uint32_t number, std::string_view bytes) {
  WireWriter out;
  out.add_bytes(number, bytes);
  return bytes_of(out);
}
inline std::string number_field(uint32_t number, int64_t value) {
  WireWriter out;
  out.add_varint(number, static_cast<uint64_t>(value));
  return bytes_of(out);
}

inline std::string tensor_type(int64_t dtype, const std::vector<int64_t>& dims) {
  std::string shape;
  for (int64_t dim : dims) shape += field(1, number_field(1, dim));
  return field(1, number_field(1, dtype) + field(2, shape));
}
inline std::string value(std::string_view name, int64_t dtype, const std::vector<int64_t>& dims) {
  return field(1, name) + field(2, tensor_type(dtype, dims));
}
inline std::string plain(std::string_view name) { return field(1, name); }

inline std::string node(std::string_view op, const Texts& inputs, const Texts& outputs,
                        const Texts& attributes = {}, std::string_view name = "",
                        std::string_view domain = "") {
  std::string out;
  for (const auto& input : inputs) out += field(1, input);
  for (const auto& output : outputs) out += field(2, output);
  if (!name.empty()) out += field(3, name);
  out += field(4, op);
  for (const auto& attribute : attributes) out += field(5, attribute);
  if (!domain.empty()) out += field(7, domain);
  return out;
}

inline std::string attribute(std::string_view name, int64_t kind, std::string_view content) {
  return field(1, name) + std::string(content) + number_field(20, kind);
}
inline std::string int_attribute(std::string_view name, int64_t value) {
  return attribute(name, 2, number_field(3, value));
}
inline std::string text_attribute(std::string_view name, std::string_view value) {
  return attribute(name, 3, field(4, value));
}
inline std::string graph_attribute(std::string_view name, std::string_view graph) {
  return attribute(name, 5, field(6, graph));
}
inline std::string reference_attribute(std::string_view name, int64_t kind,
                                       std::string_view reference) {
  return attribute(name, kind, field(21, reference));
}

inline std::string tensor(std::string_view name, int64_t dtype, const std::vector<int64_t>& dims,
                          std::string_view content) {
  std::string out;
  for (int64_t dim : dims) out += number_field(1, dim);
  return out + number_field(2, dtype) + field(8, name) + std::string(content);
}
inline std::string raw(std::string_view bytes) { return field(9, bytes); }
inline std::string external(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out;
  for (const auto& [key, value] : entries) out += field(13, field(1, key) + field(2, value));
  return out + number_field(14, 1);
}

inline std::string graph(const Texts& nodes, const Texts& inputs, const Texts& outputs,
                         const Texts& initializers = {}, std::string_view rest = "") {
  std::string out;
  for (const auto& text : nodes) out += field(1, text);
  out += field(2, "g");
  for (const auto& text : initializers) out += field(5, text);
  for (const auto& text : inputs) out += field(11, text);
  for (const auto& text : outputs) out += field(12, text);
  return out + std::string(rest);
}

inline std::string opset(std::string_view domain, int64_t version) {
  return field(1, domain) + number_field(2, version);
}

inline std::string function(std::string_view name, const Texts& inputs, const Texts& outputs,
                            const Texts& nodes, std::string_view rest = "", int64_t version = 17) {
  std::string out = field(1, name);
  for (const auto& text : inputs) out += field(4, text);
  for (const auto& text : outputs) out += field(5, text);
  for (const auto& text : nodes) out += field(7, text);
  return out + field(9, opset("", version)) + field(10, "local") + std::string(rest);
}

inline std::string model(std::string_view graph, const Texts& functions = {},
                         std::string_view rest = "", int64_t ir_version = 8) {
  std::string out = number_field(1, ir_version) + field(7, graph) + field(8, opset("", 17)) +
                    field(8, opset("local", 1));
  for (const auto& text : functions) out += field(25, text);
  return out + std::string(rest);
}

inline Result<std::unique_ptr<Model>> import(std::string bytes) {
  return import_model_bytes(Blob::from_string(std::move(bytes)), {});
}
inline Result<std::string> export_text(const Model& model, const ExportOptions& options = {}) {
  std::string out;
  RETURN_IF_ERROR(export_model(model, options, [&](Bytes piece) {
    out += as_text(piece);
    return Status::ok();
  }));
  return out;
}
inline bool says(const Status& status, std::string_view text) {
  return status.message().find(text) != std::string::npos;
}

// x : float32[2] and y : float32[2]
inline const std::string kX = value("x", 1, {2}), kY = value("y", 1, {2});

// x : float32[2] -> Relu -> y
inline std::string small_model() {
  return model(graph({node("Relu", {"x"}, {"y"}, {}, "relu")}, {kX}, {kY}));
}

}  // namespace ortc::wire
