// SPDX-License-Identifier: MIT
// Types and shapes of values: what ONNX's TypeProto says.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/datum.h"
#include "core/base/dtype.h"

namespace ortc {

// One dimension: a number, a symbol ("batch"), or unknown (value -1 and no symbol).
struct Dim {
  int64_t value = -1;
  std::string symbol;
  std::string denotation;

  static Dim known(int64_t value) { return {value, {}, {}}; }
  static Dim named(std::string symbol) { return {-1, std::move(symbol), {}}; }
  static Dim unknown() { return {}; }
  bool is_known() const { return value >= 0; }
  // Certainly the same size at every run.
  bool same_as(const Dim& other) const {
    return is_known() ? value == other.value : !symbol.empty() && symbol == other.symbol;
  }
  bool operator==(const Dim& other) const {
    return value == other.value && symbol == other.symbol && denotation == other.denotation;
  }
};
using Shape = std::vector<Dim>;

Shape shape_of(std::span<const int64_t> dims);
bool shape_is_static(const Shape& shape);
std::optional<Dims> static_dims(const Shape& shape);
std::string shape_to_string(const Shape& shape);  // "[batch,3,?,224]"

enum class TypeKind : uint8_t {
  kNone,
  kTensor,
  kSparseTensor,
  kSequence,
  kMap,
  kOptional,
  kOpaque
};

struct Type {
  TypeKind kind = TypeKind::kNone;
  DType dtype = DType::kUndefined;      // tensors: element; maps: key
  std::optional<Shape> shape;           // tensors: nothing when the rank is unknown
  std::shared_ptr<const Type> element;  // sequences and optionals: element; maps: value
  std::string denotation;
  std::string opaque_domain, opaque_name;
  std::string unknown_fields;  // wire bytes of the TypeProto that this library does not understand

  static Type tensor(DType dtype, std::optional<Shape> shape = std::nullopt) {
    Type type;
    type.kind = TypeKind::kTensor;
    type.dtype = dtype;
    type.shape = std::move(shape);
    return type;
  }
  static Type tensor_of(const Tensor& tensor) {
    return Type::tensor(tensor.dtype(), shape_of(tensor.dims()));
  }
  static Type sequence(Type element);
  static Type optional(Type element);
  static Type map(DType key, Type value);
  static Type of(const Datum& datum);  // kNone for none; shapes of elements are not known

  bool is_tensor() const { return kind == TypeKind::kTensor; }
  bool has_shape() const { return is_tensor() && shape.has_value(); }
  std::optional<Dims> dims() const { return has_shape() ? static_dims(*shape) : std::nullopt; }
};

bool types_equal(const Type& a, const Type& b);  // denotations and unknown fields aside
std::string type_to_string(const Type& type);    // "float32[batch,10]", "seq(float32[?])"

// Merges what two sources know: known beats unknown, a number beats a symbol. INVALID_GRAPH when
// they contradict; the message says expected (`known`) and found (`found`).
Status merge_type(Type& known, const Type& found);

// The same, but sizes that contradict are unknown, and shapes whose ranks do; INVALID_GRAPH for
// other contradictions.
Status merge_type_leniently(Type& known, const Type& found);

}  // namespace ortc
