// SPDX-License-Identifier: MIT
// Columns of a params record: see the header.
#include "providers/cpu/bind/record_column.h"

namespace ortc::cpu {
namespace {

struct ColumnHeader {
  uint32_t dtype;
  uint32_t count;
  uint64_t bytes;  // behind the header, without padding
};
static_assert(sizeof(ColumnHeader) == 16);

Status bad_column() { return invalid_graph("a list in its params record is damaged"); }

}  // namespace

Status append_column(std::string& record, const Tensor& elements) {
  std::string body;
  if (elements.dtype() == DType::kString) {
    uint64_t end = 0;
    const auto add_offset = [&] {
      const auto offset = static_cast<uint32_t>(end);
      body.append(reinterpret_cast<const char*>(&offset), sizeof offset);
    };
    add_offset();
    for (const std::string& text : elements.string_elements()) {
      end += text.size();
      if (end > UINT32_MAX) return fail("a list of texts is longer than 4 GiB");
      add_offset();
    }
    for (const std::string& text : elements.string_elements()) body += text;
  } else {
    body = as_text(elements.bytes());
  }
  const auto count = static_cast<uint64_t>(elements.element_count());
  if (count >= UINT32_MAX) return fail("a list has ", count, " elements");
  const ColumnHeader header{static_cast<uint32_t>(elements.dtype()), static_cast<uint32_t>(count),
                            body.size()};
  record.append(reinterpret_cast<const char*>(&header), sizeof header);
  record += body;
  record.resize(align_up(record.size(), 8));
  return Status::ok();
}

Result<Column> Column::read(Bytes& rest) {
  if (rest.size() < sizeof(ColumnHeader)) return bad_column();
  const auto header = load_unaligned<ColumnHeader>(rest.data());
  const auto padded = checked_align_up(header.bytes, 8);
  if (!padded || *padded > rest.size() - sizeof header || !dtype_is_valid(header.dtype)) {
    return bad_column();
  }
  Column column;
  column.dtype_ = static_cast<DType>(header.dtype);
  column.count_ = header.count;
  column.data_ = rest.data() + sizeof header;
  rest = rest.subspan(sizeof header + *padded);
  if (column.dtype_ != DType::kString) {
    column.size_ = static_cast<size_t>(dtype_bits(column.dtype_)) / 8;
    if (column.size_ == 0 || column.size_ * column.count_ != header.bytes) return bad_column();
    return column;
  }
  const uint64_t offset_bytes = (uint64_t{header.count} + 1) * 4;
  if (offset_bytes > header.bytes) return bad_column();
  column.offsets_ = column.data_;
  column.data_ += offset_bytes;
  for (size_t i = 0; i < column.count_; ++i) {
    if (offset_at(column.offsets_, i) > offset_at(column.offsets_, i + 1)) return bad_column();
  }
  if (offset_at(column.offsets_, column.count_) > header.bytes - offset_bytes) return bad_column();
  return column;
}

void Column::copy_to(size_t i, void* elements, int64_t at) const {
  if (dtype_ == DType::kString) {
    static_cast<std::string*>(elements)[at] = text(i);
  } else {
    std::memcpy(static_cast<std::byte*>(elements) + static_cast<size_t>(at) * size_, element(i),
                size_);
  }
}

}  // namespace ortc::cpu
