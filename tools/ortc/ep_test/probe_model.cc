// SPDX-License-Identifier: MIT
// The protocol buffer of the model, field by field: the numbers are those of onnx.proto.
#include "tools/ortc/ep_test/probe_model.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "tools/ortc/library/message_bytes.h"

namespace ortc::tool {
namespace {

using message::number;
using message::text;

constexpr uint64_t kFloat = 1;

std::string node(const char* type, const std::vector<std::string>& inputs, const char* output) {
  std::string bytes;
  for (const std::string& input : inputs) bytes += text(1, input);
  return bytes + text(2, output) + text(3, std::string("probe_") + output) + text(4, type);
}

// Values between -1 and 1 that are no round numbers.
std::string weights(const char* name, const std::vector<uint64_t>& dims) {
  uint64_t count = 1;
  std::string bytes;
  for (const uint64_t dim : dims) {
    count *= dim;
    bytes += number(1, dim);
  }
  std::string raw(count * sizeof(float), '\0');
  for (uint64_t i = 0; i < count; ++i) {
    const float value = static_cast<float>((i * 37 + 11) % 101) / 50.5F - 1.0F;
    std::memcpy(raw.data() + i * sizeof(float), &value, sizeof value);
  }
  return bytes + number(2, kFloat) + text(8, name) + text(9, raw);
}

std::string value(const char* name, const std::vector<uint64_t>& dims) {
  std::string shape;
  for (const uint64_t dim : dims) shape += text(1, number(1, dim));
  return text(1, name) + text(2, text(1, number(1, kFloat) + text(2, shape)));
}

}  // namespace

std::string probe_model() {
  const std::string graph =
      text(1, node("MatMul", {"x", "w"}, "product")) +
      text(1, node("Add", {"product", "b"}, "sum")) + text(1, node("Relu", {"sum"}, "positive")) +
      text(1, node("Mul", {"positive", "s"}, "y")) + text(2, "probe") +
      text(5, weights("w", {8, 8})) + text(5, weights("b", {4, 8})) +
      text(5, weights("s", {4, 8})) + text(11, value("x", {4, 8})) + text(12, value("y", {4, 8}));
  constexpr uint64_t kIrVersion = 8, kOpset = 17;
  return number(1, kIrVersion) + text(2, "ortc") + text(7, graph) +
         text(8, text(1, "") + number(2, kOpset));
}

}  // namespace ortc::tool
