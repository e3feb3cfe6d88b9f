// SPDX-License-Identifier: MIT
// What a row of the table draws with: values that are there or new ones, and nodes over them. Every
// node is computed when it is added, so that the next one knows shapes and numbers.
//
// When a node is refused or its results cannot be used, the drawing has failed: whatever is asked
// for then does nothing, and what was added before stays.
#pragma once

#include <initializer_list>
#include <map>

#include "tests/differential/fuzzer/reference.h"

namespace ortc::fuzz {

using Names = std::vector<std::string>;
using Attributes = std::vector<DrawnAttribute>;

inline constexpr TypeMask kFloats =
    mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBfloat16);
inline constexpr TypeMask kIntegers = kIntegerTypes;
inline constexpr TypeMask kNumbers = kFloats | kIntegers;
inline constexpr TypeMask kFlags = mask_of(DType::kBool);
inline constexpr TypeMask kTexts = mask_of(DType::kString);
inline constexpr TypeMask kFloat = mask_of(DType::kFloat32);

class Drawing {
 public:
  Drawing(const Reference& reference, DrawnGraph& graph, Chance& chance, bool is_common)
      : reference_(reference), graph_(graph), chance_(chance), is_common_(is_common) {}

  Chance& chance() { return chance_; }
  DrawnGraph& graph() { return graph_; }
  bool has_failed() const { return has_failed_; }
  void fail() { has_failed_ = true; }
  // `with_new`: nothing that is there is taken, as its numbers may be what made the drawing fail.
  void start_again(bool with_new) {
    has_failed_ = false;
    takes_new_ = with_new;
  }

  // A value of one of the types, with a rank in the range: mostly one that is there.
  std::string any(TypeMask types, int rank_min = 0, int rank_max = 4, const Fill& fill = {});
  // One of exactly this type and shape.
  std::string like(DType dtype, const Dims& dims, const Fill& fill = {});
  // One whose shape broadcasts with `dims`.
  std::string broadcasting(DType dtype, const Dims& dims, const Fill& fill = {});
  std::string input(DType dtype, const Dims& dims, const Fill& fill = {});
  std::string constant(DType dtype, const Dims& dims, const Fill& fill = {});
  std::string either(DType dtype, const Dims& dims, const Fill& fill = {});  // one of the two
  std::string constant(const Tensor& tensor);
  std::string ints(const std::vector<int64_t>& values);  // a constant vector
  std::string scalar(DType dtype, double value);         // a constant

  // One node. Its output, or outputs: "" once the drawing has failed. `keep` says which of several
  // outputs are not omitted, bit by bit.
  std::string add(std::string_view op, Names inputs, Attributes attributes = {},
                  std::string_view domain = {});
  Names add_many(std::string_view op, Names inputs, Attributes attributes, size_t outputs,
                 std::string_view domain = {}, unsigned keep = ~0u, Names captured = {});

  DType type(TypeMask types);  // one of them, float32 first
  Dims dims(int rank_min, int rank_max);
  int64_t axis_of(const Dims& dims);                    // from the front or the back
  static size_t front(int64_t axis, const Dims& dims);  // the same from the front
  const Dims& dims_of(const std::string& name) const;
  DType type_of(const std::string& name) const;
  const Tensor& tensor(const std::string& name) const;
  bool is_tensor(const std::string& name) const {
    return is_there(name) && graph_.values.at(name).datum.is_tensor();
  }
  bool is_there(const std::string& name) const { return graph_.values.count(name) != 0; }
  std::string new_name();

  std::map<std::string, std::pair<int, std::string>> refusals;  // operator -> how often, the last

 private:
  std::string take(const std::string& name, DrawnValue value);
  std::string fresh(DType dtype, const Dims& dims, const Fill& fill, Role role);

  const Reference& reference_;
  DrawnGraph& graph_;
  Chance& chance_;
  bool is_common_;  // types that most implementations have
  bool has_failed_ = false, takes_new_ = false;
  Names order_;  // tensors, in the order they came
  int next_name_ = 0;
};

inline DrawnAttribute of_int(std::string name, int64_t value) { return {std::move(name), value}; }
inline DrawnAttribute of_ints(std::string name, std::vector<int64_t> values) {
  return {std::move(name), std::move(values)};
}
inline DrawnAttribute of_float(std::string name, double value) {
  return {std::move(name), static_cast<float>(value)};
}
inline DrawnAttribute of_text(std::string name, std::string value) {
  return {std::move(name), std::move(value)};
}

}  // namespace ortc::fuzz
