// SPDX-License-Identifier: MIT
// What the test provider makes of a claim: bytes of its own, and an object that runs them by
// evaluating node after node.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/provider/compute_object.h"

namespace ortc {
class Graph;
}

namespace ortc::test {

// The order of the inputs and outputs of the EPContext node that stands for a claim.
enum class TestPlaces : int { kClaim = 0, kReversed = 1 };

struct TestClaim {
  std::shared_ptr<const Graph> graph;
  TestPlaces places = TestPlaces::kClaim;
  std::string target;
};

// A line of text, then the nodes and their constants as a model.
Result<Blob> encode_claim(const TestClaim& claim);
// INVALID_GRAPH when the bytes begin otherwise.
Result<TestClaim> decode_claim(const Blob& bytes);

// What tests want to know of the runs, and to do in the middle of one.
struct TestRuns {
  std::mutex mutex;
  int count = 0;
  std::string last_tag, last_config_value;  // of the run; the config entry "test.note"
  std::function<Status(ComputeCall&)> before;
};

enum class TestFault : int;

class TestObject final : public ComputeObject {
 public:
  TestObject(TestClaim claim, std::shared_ptr<TestRuns> runs, TestFault fault)
      : claim_(std::move(claim)), runs_(std::move(runs)), fault_(fault) {}
  Status compute(ComputeCall& call) const override;

 private:
  Status note_run(ComputeCall& call) const;
  Status give(ComputeCall& call, size_t place, Datum value) const;

  TestClaim claim_;
  std::shared_ptr<TestRuns> runs_;
  TestFault fault_;
};

}  // namespace ortc::test
