// SPDX-License-Identifier: MIT
// A member whose compile ends when there is no memory left.
#include <climits>

#include "core/context/sharing/sharing_group.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

TEST(member_memory, none_is_needed_to_fail_the_group) {
  const auto group = std::make_shared<SharingGroup>();
  SharingGroup::Joining joining;
  joining.name = "m";
  joining.place = OutputPlace::file("/tmp/m_ctx.onnx");
  auto member = group->join(std::move(joining));
  CHECK_OK(member);
  fail_allocations(1, LONG_MAX);
  member->reset();
  stop_failing_allocations();
  CHECK(!group->is_open());
  Work work;
  CompileReport report;
  const Status status = group->commit(work, report);
  CHECK_CODE(status, Code::kFail);
  CHECK(status.message().find("because of 'm': its compile was not finished") != std::string::npos);
}
