// SPDX-License-Identifier: MIT
// Attributes of nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/tensor.h"
#include "core/graph/type.h"

namespace ortc {

class Graph;

// ONNX's AttributeProto.AttributeType values.
enum class AttributeKind : uint8_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kTypeProto = 13,
  kTypeProtos = 14,
};

// Where a constant's bytes stood in the file it came from; kept so that models can be written again
// without copying.
struct ExternalLocation {
  std::string location;
  uint64_t offset = 0;
  uint64_t length = 0;
  bool is_zstd = false;  // the bytes are one zstd frame of the constant's
  bool operator==(const ExternalLocation&) const = default;
};

// A named constant as ONNX's TensorProto carries it.
struct Constant {
  std::string name;
  Tensor tensor;
  std::string doc;
  std::shared_ptr<const ExternalLocation> external;  // null: stood in the model itself
  std::string unknown_fields;
};

struct SparseConstant {
  Constant values;   // 1-D
  Constant indices;  // int64, [nnz] or [nnz, rank]
  Dims dims;
  std::string unknown_fields;
};

// A dense tensor with the elements of a sparse one. NOT_IMPLEMENTED when it would be huge.
Result<Tensor> densify(const SparseConstant& sparse);

struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::kUndefined;
  float f = 0;
  int64_t i = 0;
  Blob s;  // any bytes; large ones stay in the mapped file
  std::shared_ptr<const Constant> tensor;
  std::shared_ptr<Graph> graph;  // owned by the node: never shared between nodes
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<Blob> strings;
  std::vector<std::shared_ptr<const Constant>> tensors;
  std::vector<std::shared_ptr<Graph>> graphs;
  std::shared_ptr<const SparseConstant> sparse;
  std::vector<std::shared_ptr<const SparseConstant>> sparses;
  std::shared_ptr<const Type> type;
  std::vector<std::shared_ptr<const Type>> types;
  std::string
      ref_attr_name;  // inside a function body: the function's attribute that this one stands for
  std::string doc;
  std::string unknown_fields;

  static Attribute of_int(std::string name, int64_t value);
  static Attribute of_float(std::string name, float value);
  static Attribute of_string(std::string name, std::string value);
  static Attribute of_blob(std::string name, Blob value);
  static Attribute of_ints(std::string name, std::vector<int64_t> values);
  static Attribute of_floats(std::string name, std::vector<float> values);
  static Attribute of_tensor(std::string name, Tensor value);
};

}  // namespace ortc
