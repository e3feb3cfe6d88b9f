// SPDX-License-Identifier: MIT
// What holds for all rows of the registry: a Plan image names a step by id and contract alone, so
// rows that share them must mean the same step.
#include <map>

#include "providers/cpu/cpu_kernels.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

TEST(kernel_tables, rows_of_one_id_are_the_same_step) {
  std::map<std::pair<std::string_view, uint16_t>, const KernelRow*> seen;
  for (const KernelTable& table : cpu::kernel_registry().tables()) {
    for (const KernelRow& row : table) {
      CHECK(row.prepare != nullptr && row.bind != nullptr && row.run != nullptr);
      CHECK(row.first_opset <= row.last_opset && row.types != 0 && row.contract > 0);
      const auto [place, is_new] = seen.try_emplace({row.id, row.contract}, &row);
      const KernelRow& other = *place->second;
      CHECK(is_new || (row.bind == other.bind && row.run == other.run && row.flags == other.flags &&
                       row.value_inputs == other.value_inputs));
      CHECK(cpu::kernel_registry().find_by_id(row.id, row.contract) != nullptr);
    }
  }
  CHECK(!seen.empty());
}

}  // namespace
}  // namespace ortc::test

ORTC_TEST_MAIN()
