// SPDX-License-Identifier: MIT
// Memory for many bytes.
#include "core/base/large_memory.h"

#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "core/base/tensor.h"
#include "tests/support/test.h"

using namespace ortc;

namespace {

// Of this process's address space.
uint64_t mapped_bytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  CHECK(pages != 0);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST(large_memory, is_zeroed_and_begins_where_a_huge_page_can) {
  const size_t size = (size_t{5} << 20) + 1;
  std::byte* memory = map_large_memory(size);
  CHECK(memory != nullptr);
  CHECK_EQ(reinterpret_cast<uintptr_t>(memory) % (size_t{2} << 20), 0u);
  CHECK(memory[0] == std::byte{0} && memory[size - 1] == std::byte{0});
  memory[size - 1] = std::byte{1};
  unmap_large_memory(memory, size);
  CHECK(map_large_memory(SIZE_MAX) == nullptr);
  CHECK(map_large_memory(SIZE_MAX / 2) == nullptr);
}

// In all 700 MiB, of which AddressSanitizer keeps 256 for a while.
TEST(large_memory, of_tensors_of_every_size_around_a_huge_page_is_given_back) {
  const uint64_t before = mapped_bytes();
  for (int round = 0; round < 50; ++round) {
    for (const int64_t size : {kLeastLargeMemory - 64, kLeastLargeMemory - 63, kLeastLargeMemory,
                               kLeastLargeMemory + 1, 3 * kLeastLargeMemory - 1}) {
      Tensor tensor = Tensor::create(DType::kUint8, {size}).value();
      auto* bytes = static_cast<uint8_t*>(tensor.mutable_data());
      CHECK_EQ(reinterpret_cast<uintptr_t>(bytes) % 64, 0u);
      CHECK_EQ(bytes[0] | bytes[size / 2] | bytes[size - 1], 0);
      for (int64_t i = 0; i < size; i += 4096) bytes[i] = 1;
      bytes[size - 1] = 1;
    }
  }
  CHECK(mapped_bytes() < before + (uint64_t{400} << 20));
}
