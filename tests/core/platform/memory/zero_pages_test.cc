// SPDX-License-Identifier: MIT
// Zeros that take no memory.
#include "core/platform/memory/zero_pages.h"

#include "tests/support/test.h"

using namespace ortc;

TEST(zero_pages, read_as_zeros_however_many_there_are) {
  const auto pages = zero_pages(uint64_t{1} << 34);
  CHECK_OK(pages);
  CHECK_EQ(pages->size(), size_t{1} << 34);
  for (size_t at : {size_t{0}, size_t{1} << 30, pages->size() - 1}) {
    CHECK(pages->data()[at] == std::byte{0});
  }
  CHECK(zero_pages(0).value().empty());
}

TEST(zero_pages, more_than_there_are_addresses_fail) {
  CHECK_CODE(zero_pages(UINT64_MAX / 2), Code::kFail);
}
