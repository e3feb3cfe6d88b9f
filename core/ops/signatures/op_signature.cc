// SPDX-License-Identifier: MIT
// Signatures are texts that are read when somebody asks: the table costs nothing before.
#include "core/ops/signatures/op_signature.h"

#include <charconv>

#include "core/ops/signatures/layout_sensitive.h"

namespace ortc {
namespace {

#include "core/ops/signatures/op_signatures.inc"

std::string_view text_of(std::string_view domain) {
  if (domain.empty() || domain == "ai.onnx") return kOnnx;
  if (domain == "ai.onnx.ml") return kAiOnnxMl;
  if (domain == "ai.onnx.preview") return kAiOnnxPreview;
  if (domain == "ai.onnx.preview.training") return kAiOnnxPreviewTraining;
  return domain == "com.microsoft" ? std::string_view(kComMicrosoft) : std::string_view();
}

// Takes what stands before `end`, and `end` itself, away from `rest`.
std::string_view take_until(char end, std::string_view& rest) {
  const size_t at = rest.find(end);
  const std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return taken;
}

int take_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// What follows name and version in the newest line that is not younger than `opset`.
std::optional<std::string_view> find_line(std::string_view text, std::string_view name,
                                          int64_t opset, int& since) {
  std::optional<std::string_view> found;
  while (!text.empty()) {
    std::string_view line = take_until('\n', text);
    if (take_until(' ', line) != name) continue;
    const int version = take_number(take_until(' ', line));
    if (version > opset) break;  // versions of an operator stand in order
    since = version;
    found = line;
  }
  return found;
}

std::vector<OpParameter> parameters_of(std::string_view text) {
  std::vector<OpParameter> parameters;
  while (!text.empty()) {
    std::string_view type = take_until(',', text);
    OpParameter parameter;
    parameter.name = take_until(':', type);
    parameter.type = type;
    parameter.is_optional = parameter.name.ends_with('?');
    parameter.is_variadic = parameter.name.ends_with('*');
    if (parameter.is_optional || parameter.is_variadic) parameter.name.remove_suffix(1);
    parameters.push_back(parameter);
  }
  return parameters;
}

std::vector<std::string_view> types_of(int set) {
  std::string_view sets = kTypeSets;
  for (; set > 0; --set) take_until('\n', sets);
  std::string_view line = take_until('\n', sets);
  std::vector<std::string_view> types;
  while (!line.empty()) types.push_back(take_until('|', line));
  return types;
}

std::vector<OpTypeConstraint> constraints_of(std::string_view text) {
  std::vector<OpTypeConstraint> constraints;
  while (!text.empty()) {
    std::string_view set = take_until(',', text);
    const std::string_view name = take_until('=', set);
    constraints.push_back({name, types_of(take_number(set))});
  }
  return constraints;
}

}  // namespace

std::optional<OpSignature> find_op_signature(std::string_view domain, std::string_view name,
                                             int64_t opset) {
  OpSignature signature;
  domain = standard_domain(domain, name);
  auto line = find_line(text_of(domain), name, opset, signature.since);
  if (!line.has_value()) return std::nullopt;
  signature.inputs = parameters_of(take_until(' ', *line));
  signature.outputs = parameters_of(take_until(' ', *line));
  signature.constraints = constraints_of(*line);
  return signature;
}

}  // namespace ortc
