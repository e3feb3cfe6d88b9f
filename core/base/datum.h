// SPDX-License-Identifier: MIT
// A value of any kind that ONNX knows, as it goes into a run, through its steps and out of it:
// a tensor, a sequence, a map or a sparse tensor. An optional is its content, or none.
// What is not a tensor does not change once it was made and is shared by its copies.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/base/tensor.h"

namespace ortc {

class Datum;

enum class DatumKind : uint8_t { kNone, kTensor, kSequence, kMap, kSparseTensor };

struct Sequence {
  DType dtype = DType::kUndefined;    // of its tensors; of its maps' values
  DType map_key = DType::kUndefined;  // kUndefined: the elements are tensors
  std::vector<Datum> items;
};

// Two vectors of equal length: keys (int64 or string), ascending and each once, and their values.
struct Map {
  Tensor keys;
  Tensor values;
};

enum class SparseFormat : uint8_t { kUndefined, kCoo, kCsr, kBlockSparse };

// Which elements of a dense tensor are there. `indices`: kCoo one tensor, [n] of flat positions or
// [n,2] of coordinates; kCsr two, columns and the start of each row; kBlockSparse one of int32.
struct SparseTensor {
  SparseFormat format = SparseFormat::kUndefined;
  DType dtype = DType::kUndefined;
  Dims dims;  // of the dense tensor
  Tensor values;
  std::vector<Tensor> indices;
};

class Datum {
 public:
  Datum() = default;
  Datum(Tensor tensor) {  // NOLINT: a tensor is a value, an undefined one an empty value
    if (tensor.is_defined()) content_ = std::move(tensor);
  }
  static Datum of(Sequence sequence);
  static Datum of(Map map);
  static Datum of(SparseTensor sparse);

  DatumKind kind() const { return static_cast<DatumKind>(content_.index()); }
  bool is_none() const { return kind() == DatumKind::kNone; }
  bool is_tensor() const { return kind() == DatumKind::kTensor; }

  // Null when it is of another kind.
  const Tensor* tensor() const { return std::get_if<Tensor>(&content_); }
  Tensor* tensor() { return std::get_if<Tensor>(&content_); }
  const Sequence* sequence() const { return shared<Sequence>(); }
  const Map* map() const { return shared<Map>(); }
  const SparseTensor* sparse() const { return shared<SparseTensor>(); }

 private:
  template <typename T>
  const T* shared() const {
    const auto* content = std::get_if<std::shared_ptr<const T>>(&content_);
    return content != nullptr ? content->get() : nullptr;
  }

  // In the order of DatumKind.
  std::variant<std::monostate, Tensor, std::shared_ptr<const Sequence>, std::shared_ptr<const Map>,
               std::shared_ptr<const SparseTensor>>
      content_;
};

// "float32[2,3]", "sequence of 4 int64", "none": for messages.
std::string describe(const Datum& datum);

// A tensor with elements of its own.
Result<Tensor> copy_of(const Tensor& tensor);
// Copies `count` elements, texts as texts and everything else as bytes.
void copy_elements(DType dtype, int64_t count, const void* from, void* to);

}  // namespace ortc
