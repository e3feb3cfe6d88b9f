// SPDX-License-Identifier: MIT
// Memory in a file without a name, and tensors that are made in it.
#include "core/platform/memory/scratch_memory.h"

#include <cstring>
#include <filesystem>
#include <thread>

#include "core/base/tensor.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/private_memory.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kMany = int64_t{64} << 20;

Tensor filled(int64_t bytes, int value) {
  auto tensor = Tensor::create_unset(DType::kUint8, {bytes});
  CHECK_OK(tensor);
  std::memset(tensor->mutable_data(), value, tensor->byte_size());
  return *tensor;
}

bool holds(const Tensor& tensor, int value) {
  for (const std::byte byte : tensor.bytes()) {
    if (byte != static_cast<std::byte>(value)) return false;
  }
  return true;
}

}  // namespace

TEST(scratch_memory, takes_none_of_the_process) {
  const std::string folder = fresh_folder("none");
  const auto scratch = scratch_memory(folder);
  CHECK_OK(scratch);
  Peak peak;
  const WithTensorMemory with(scratch->get());
  const Tensor tensor = filled(kMany, 7);
  CHECK(holds(tensor, 7));
  CHECK(is_sanitized() || is_emulated() || peak.stop() < kMany / 4);
  CHECK(std::filesystem::is_empty(folder));  // nobody sees it
}

TEST(scratch_memory, gives_pieces_that_hold_zeros_and_lie_apart) {
  const auto scratch = scratch_memory(fresh_folder("pieces"));
  CHECK_OK(scratch);
  const WithTensorMemory with(scratch->get());
  std::vector<std::pair<int, Tensor>> tensors;
  for (int i = 0; i < 20; ++i) {
    auto tensor = Tensor::create(DType::kUint8, {(2 << 20) + i});
    CHECK_OK(tensor);
    CHECK(holds(*tensor, 0));
    std::memset(tensor->mutable_data(), i + 1, tensor->byte_size());
    if (i % 3 != 0) tensors.emplace_back(i, *tensor);  // every third is given back
  }
  for (const auto& [i, tensor] : tensors) {
    CHECK_EQ(tensor.byte_size(), size_t{2 << 20} + static_cast<size_t>(i));
    CHECK(holds(tensor, i + 1));
  }
}

TEST(scratch_memory, outlives_its_owner_and_serves_one_thread_only) {
  Tensor tensor;
  {
    const auto scratch = scratch_memory(fresh_folder("outlives"));
    CHECK_OK(scratch);
    const WithTensorMemory with(scratch->get());
    tensor = filled(8 << 20, 5);
    std::thread([&] {
      Peak peak;
      const Tensor other = filled(kMany, 6);
      CHECK(holds(other, 6));
      CHECK(is_sanitized() || is_emulated() || peak.stop() >= kMany / 2);
    }).join();
  }
  CHECK(holds(tensor, 5));
}

TEST(scratch_memory, of_a_folder_that_is_not_there_is_refused) {
  CHECK(!scratch_memory(temp_dir() + "/nowhere").is_ok());
}
