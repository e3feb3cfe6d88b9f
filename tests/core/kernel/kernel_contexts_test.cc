// SPDX-License-Identifier: MIT
// What bind says of records that it refuses.
#include "core/kernel/kernel_contexts.h"

#include "tests/support/test.h"

using namespace ortc;

TEST(kernel_contexts, tell_records_that_are_too_short_from_damaged_ones) {
  const std::byte record[4] = {};
  const BindContext ctx("relu", record, {}, {}, 1, Isa::kGeneric);
  CHECK(ctx.params<int32_t>() != nullptr);
  CHECK(ctx.params<int64_t>() == nullptr);
  CHECK_CODE(ctx.bad_params(), Code::kInvalidGraph);
  CHECK_EQ(ctx.bad_params().message(),
           "kernel 'relu': its params record has 4 bytes, fewer than it needs");
  const Status damaged = damaged_params("block_size is ", -3);
  CHECK_CODE(damaged, Code::kInvalidGraph);
  CHECK_EQ(damaged.message(), "its params record is damaged: block_size is -3");
}
