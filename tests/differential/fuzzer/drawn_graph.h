// SPDX-License-Identifier: MIT
// A random graph while it is drawn: nodes in order, and for every value what it holds, how far a
// correct implementation may be from that, and how an input was filled, so that it can be filled
// again in another size.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/base/datum.h"
#include "core/graph/type.h"

namespace ortc::fuzz {

struct DrawnGraph;

struct DrawnAttribute {
  std::string name;
  std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
               std::vector<std::string>, Tensor, std::shared_ptr<DrawnGraph>>
      value;
};

struct DrawnNode {
  std::string op, domain;
  std::vector<std::string> inputs;   // "": omitted
  std::vector<std::string> outputs;  // "": omitted
  std::vector<DrawnAttribute> attributes;
  std::vector<std::string> captured;  // what its bodies read of the graph around it
  size_t row = 0;                     // of the table of operators
};

// How the numbers of an input were drawn: kExact are multiples of a quarter, kWhole whole numbers.
struct Fill {
  enum Kind { kReal, kExact, kWhole, kText } kind = kReal;
  double low = -2, high = 2;
};

enum class Role { kInput, kConstant, kMade };

struct DrawnValue {
  Datum datum;
  double allowed = 0;  // how far each element may be from what `datum` holds
  Role role = Role::kMade;
  Fill fill;
  bool is_optional = false;  // made by Optional: only operators of optionals take it
};

using DrawnValues = std::map<std::string, DrawnValue>;

// A local function of one output: nodes over the names of `inputs`.
struct DrawnFunction {
  std::string name, output;
  std::vector<std::string> inputs;
  std::vector<DrawnNode> nodes;
};

struct DrawnGraph {
  int64_t opset = 21;
  std::vector<DrawnNode> nodes;
  std::vector<std::string> inputs, constants, outputs;  // names; of a body, inputs are its own
  DrawnValues values;
  std::vector<DrawnFunction> functions;
  int64_t symbolic_size = -1;  // inputs whose first axis has this size call it "N"; -1: none do
};

// Whether it can be an output of the model: a tensor, by its type too.
inline bool can_be_output(const DrawnValue& value) {
  return value.datum.is_tensor() && !value.is_optional;
}
// ModelProto bytes. Outputs say their element type and no shape.
std::string model_bytes(const DrawnGraph& graph);
// A model of one node of the graph: all it reads are inputs, or constants where they are so.
DrawnGraph alone(const DrawnGraph& graph, const DrawnNode& node);
// Wire bytes of a TensorProto.
std::string tensor_bytes(const std::string& name, const Tensor& tensor);

}  // namespace ortc::fuzz
