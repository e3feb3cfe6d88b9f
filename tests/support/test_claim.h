// SPDX-License-Identifier: MIT
// What the test provider makes of a claim: bytes of its own, and an object that runs them by
// evaluating node after node.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/provider/compute_object.h"
#include "core/provider/context_io.h"
#include "tests/support/test_device.h"

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

// Gives the weights of the source, for claims that leave theirs there.
using FindSource = std::function<Result<const SourceWeights*>()>;

// A line of text, then the nodes and their constants as a model. With `source`, constants that it
// has stand there by name and hash only.
Result<Blob> encode_claim(const TestClaim& claim, const FindSource& source);
// INVALID_GRAPH when the bytes begin otherwise, or the source has other weights.
Result<TestClaim> decode_claim(const Blob& bytes, const FindSource& source);

// What tests want to know of the runs, and to do in the middle of one.
struct TestRuns {
  std::mutex mutex;
  int count = 0;
  std::string last_tag, last_config_value;  // of the run; the config entry "test.note"
  std::function<Status(ComputeCall&)> before;
};

enum class TestFault : int;

// Where inputs are wanted and outputs lie; null: on the host.
struct TestMemories {
  std::shared_ptr<const DeviceMemory> inputs, outputs, stream;
};

class TestObject final : public ComputeObject {
 public:
  TestObject(TestClaim claim, TestMemories memories, std::shared_ptr<TestRuns> runs,
             TestFault fault)
      : claim_(std::move(claim)),
        memories_(std::move(memories)),
        runs_(std::move(runs)),
        fault_(fault) {}
  Status compute(ComputeCall& call) const override;
  std::shared_ptr<const DeviceMemory> input_memory(size_t) const override {
    return memories_.inputs;
  }
  std::shared_ptr<const DeviceMemory> output_memory(size_t) const override {
    return memories_.outputs;
  }
  std::shared_ptr<const DeviceMemory> stream_memory() const override { return memories_.stream; }

 private:
  Status note_run(ComputeCall& call) const;
  Status compute_ahead(ComputeCall& call, TestDeviceStream& stream) const;
  Status give(ComputeCall& call, size_t place, Datum value) const;
  // The value on the host, by input of the claim.
  Result<std::vector<Datum>> read_inputs(std::span<const ValueRef> given) const;

  TestClaim claim_;
  TestMemories memories_;
  std::shared_ptr<TestRuns> runs_;
  TestFault fault_;
};

}  // namespace ortc::test
