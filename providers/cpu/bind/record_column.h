// SPDX-License-Identifier: MIT
// Lists of numbers or texts inside a params record, for kernels whose attributes are dictionaries.
// A column is {u32 dtype, u32 count, u64 bytes}, then the elements; texts as count + 1 offsets
// (u32) and the bytes they cut. Columns follow each other on multiples of 8.
#pragma once

#include <string>

#include "core/base/bytes.h"
#include "core/base/tensor.h"

namespace ortc::cpu {

// FAIL when the texts are longer than 4 GiB.
Status append_column(std::string& record, const Tensor& elements);

// A column of a record that nobody vouches for: read() checks what the others use.
class Column {
 public:
  // Takes the column at the front of `rest` away. INVALID_GRAPH when it does not fit.
  static Result<Column> read(Bytes& rest);

  DType dtype() const { return dtype_; }
  size_t count() const { return count_; }
  std::string_view text(size_t i) const {  // of texts
    const uint32_t begin = offset_at(offsets_, i);
    return as_text({data_ + begin, offset_at(offsets_, i + 1) - begin});
  }
  const std::byte* element(size_t i) const { return data_ + i * size_; }  // of numbers
  template <typename T>
  T number(size_t i) const {
    return load_unaligned<T>(element(i));
  }
  // Element i of a tensor of the same type.
  void copy_to(size_t i, void* elements, int64_t at) const;

 private:
  static uint32_t offset_at(const std::byte* offsets, size_t i) {
    return load_unaligned<uint32_t>(offsets + i * 4);
  }

  DType dtype_ = DType::kUndefined;
  size_t count_ = 0;
  size_t size_ = 0;                  // of a number
  const std::byte* data_ = nullptr;  // numbers, or the bytes of texts
  const std::byte* offsets_ = nullptr;
};

}  // namespace ortc::cpu
