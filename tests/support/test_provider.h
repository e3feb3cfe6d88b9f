// SPDX-License-Identifier: MIT
// A second provider that compiles: nothing in core/ knows it. It claims the operators that its
// options name, keeps what it compiled in bytes of its own, and runs it by evaluating its nodes.
//
//   operators  comma-separated: what it claims
//   groups     convex (the largest there can be), single (each node by itself), given (all nodes
//              as one group, convex or not), twice (each node twice in its group)
//   order      outer or inner: which graph it wants to see first
//   constants  take (into the claim) or leave (they are inputs)
//   storage    container (the runtime's) or raw (files of its own bytes)
//   places     claim or reversed: order of inputs and outputs of the EPContext nodes it makes
//   memory     host, device (of a device), second (of another device), or pinned (inputs on the
//              device, outputs in host memory that it writes)
//   work       now, or ahead (in a stream; elementwise operators only)
//   sdk        written as ep_sdk_version, with all other attributes of the operator; "": few
//   needs_sdk  what it needs its nodes to say, with its target as hardware_architecture
//   weights_needed  1: it cannot leave weights in the source model
//   target     "toy-1" runs here, "toy-2" runs but asks for recompilation, others do not run
//   fault      what it does wrong
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/provider/provider_factory.h"
#include "core/session/session.h"
#include "tests/support/test_claim.h"

namespace ortc::test {

enum class TestFault : int {
  kNone,
  kNoNode,        // no EPContext node for its last claim
  kFewClaims,     // its last claim is not compiled
  kNothingToRun,  // a compiled claim without an object
  kWrongType,     // outputs are int8
  kNoOutput,      // outputs are not given
  kStrangeValue,  // its EPContext node reads a value that the claim does not have
};

inline constexpr std::string_view kTestProvider = "TestExecutionProvider";

// What the factory keeps; its providers and their objects share it.
struct TestState {
  std::string name = std::string(kTestProvider), alias = "Test";
  std::shared_ptr<TestRuns> runs = std::make_shared<TestRuns>();
  std::shared_ptr<TestDeviceState> device = std::make_shared<TestDeviceState>();
  std::atomic<int> providers_alive = 0;
  std::atomic<int> asked = 0, compiled = 0, loaded = 0;
  bool offers_nothing_to_stand_on = false;  // a device without hardware
};

std::shared_ptr<const ProviderFactory> test_factory(std::shared_ptr<TestState> state);

// An environment with the built-in providers and this one; keeps log lines.
struct TestEnvironment {
  TestEnvironment();
  std::shared_ptr<TestState> state = std::make_shared<TestState>();
  std::shared_ptr<std::string> log = std::make_shared<std::string>();
  std::shared_ptr<const Environment> environment;

  // `names` in their order; `options` are the test provider's.
  SessionOptions options(const std::vector<std::string>& names, const KeyValues& options) const;
  Result<std::unique_ptr<Session>> open(const ModelSource& source, SessionOptions options) const;
  // By the Compile API: <temp_dir>/<name>.onnx to <temp_dir>/<name>_ctx.onnx, whose path it gives.
  Result<std::string> compile(const std::string& name, const std::string& model,
                              const SessionOptions& options, bool embed = false) const;
};

// Two rows of four, for the models of these tests.
Tensor two_rows(unsigned seed = 5);
// What the default provider makes of it, alone.
std::vector<Tensor> expected_of(const std::string& model, const std::vector<Tensor>& inputs);

}  // namespace ortc::test
