// SPDX-License-Identifier: MIT
// LoRA adapters that were crafted: what they cost is in proportion to the file.
#include "core/session/lora_adapter.h"

#include <cstring>

#include "tests/support/failing_allocations.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

// Writes a FlatBuffer from front to back.
struct Adapter {
  std::string bytes = std::string("\0\0\0\0TORT", 8);

  template <typename T>
  void put(T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void point(size_t place, size_t target) {
    const auto offset = static_cast<uint32_t>(target - place);
    std::memcpy(bytes.data() + place, &offset, 4);
  }
  // A table of four fields of four bytes; where it begins.
  size_t table(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    for (const uint16_t v : {12, 20, 4, 8, 12, 16}) put(v);
    const size_t place = bytes.size();
    put(int32_t{12});
    for (const uint32_t v : {a, b, c, d}) put(v);
    return place;
  }
  size_t vector(std::string_view content, uint32_t count) {
    const size_t place = bytes.size();
    put(count);
    bytes.append(content);
    return place;
  }
};

// `count` parameters of other names over the same data, which begin at `shift` modulo 16.
std::string sharing(uint32_t count, size_t data_size, size_t shift) {
  Adapter a;
  const size_t root = a.table(1, 0, 0, 0);
  a.point(0, root);
  a.point(root + 16, a.bytes.size());
  const size_t list = a.vector(std::string(size_t{4} * count, '\0'), count) + 4;
  // Offsets lead forward only: tables, then names, then what all share.
  std::vector<size_t> tables;
  for (uint32_t i = 0; i < count; ++i) tables.push_back(a.table(0, 0, 2, 0));
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = "parameter" + std::to_string(i);
    a.point(list + size_t{4} * i, tables[i]);
    a.point(tables[i] + 4, a.vector(name, static_cast<uint32_t>(name.size())));
  }
  const auto dim = static_cast<int64_t>(data_size);
  const size_t dims = a.vector({reinterpret_cast<const char*>(&dim), 8}, 1);
  a.bytes.resize((a.bytes.size() + 31) / 16 * 16 - 4 + shift);
  const size_t data = a.vector(std::string(data_size, 'd'), static_cast<uint32_t>(data_size));
  for (const size_t table : tables) {
    a.point(table + 8, dims);
    a.point(table + 16, data);
  }
  return a.bytes;
}

}  // namespace

TEST(lora_adapter, refuses_parameters_that_share_their_data) {
  for (const size_t shift : {0, 4}) {
    const std::string one = sharing(1, 100000, shift);
    CHECK_OK(read_lora_adapter(Blob::copy_of(as_bytes(one))));
    const std::string many = sharing(1000, 100000, shift);
    const Blob bytes = Blob::copy_of(as_bytes(many));
    watch_bytes();
    const auto adapter = read_lora_adapter(bytes);
    CHECK_CODE(adapter, Code::kFail);
    CHECK(adapter.status().message().find("overlap") != std::string::npos);
    CHECK(is_sanitized() || peak_bytes() < 4 * static_cast<long>(many.size()));
  }
}

TEST(lora_adapter, reads_many_parameters) {
  const std::string many = sharing(100000, 0, 0);
  const auto adapter = read_lora_adapter(Blob::copy_of(as_bytes(many)));
  CHECK_OK(adapter);
  CHECK_EQ((*adapter)->size(), 100000u);
}
