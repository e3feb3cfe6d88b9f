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

bool overlap(const KernelRow& a, const KernelRow& b) {
  return a.op == b.op && a.domain == b.domain && a.first_opset <= b.last_opset &&
         b.first_opset <= a.last_opset && (a.types & b.types & kAnyType) != 0 &&
         a.typed_input == b.typed_input && (a.types & kNotTensor) == (b.types & kNotTensor);
}

TEST(kernel_tables, no_two_rows_fit_the_same_node) {
  std::vector<const KernelRow*> rows;
  for (const KernelTable& table : cpu::kernel_registry().tables()) {
    for (const KernelRow& row : table) rows.push_back(&row);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = i + 1; k < rows.size(); ++k) {
      if (!overlap(*rows[i], *rows[k])) continue;
      check_failed(__FILE__, __LINE__,
                   str_cat(rows[i]->op, ": rows ", rows[i]->id, " and ", rows[k]->id));
    }
  }
}

// Two rows of an operator that live in tables of their own, the second one first in memory.
TEST(kernel_tables, are_in_the_order_of_their_list_wherever_they_lie) {
  const KernelRow row{"Relu", "", 1, kLatestOpset, kFloatTypes, "",
                      1,      0,  0, nullptr,      nullptr,     nullptr};
  std::vector<KernelRow> rows(2, row);
  rows[0].id = "second";
  rows[1].id = "first";
  const KernelRegistry registry({KernelTable(&rows[1], 1), KernelTable(&rows[0], 1)});
  Graph graph(std::make_shared<const OpsetImports>(OpsetImports{{"", 17}}));
  const ValueId x = graph.add_value("x", Type::tensor(DType::kFloat32)).value();
  const Node& node =
      *graph.add_node("Relu", "", "n", {x}, {graph.add_value("y").value()}, {}).value();
  CHECK_EQ(registry.find(node)->id, "first");
  CHECK_EQ(registry.find(node, DType::kFloat32)->id, "first");
}

}  // namespace
}  // namespace ortc::test
