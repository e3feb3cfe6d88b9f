// SPDX-License-Identifier: MIT
// Sessions for tests: environments with the built-in providers, options by name, runs by position.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/session/compile_to_output.h"
#include "core/session/session.h"
#include "tests/support/graph_builder.h"

namespace ortc::test {

// Log lines go nowhere, so that expected errors do not fill the output.
std::shared_ptr<const Environment> quiet_environment();
// `providers`: names, e.g. {"AOT"}.
SessionOptions options_with(const Environment& environment, std::vector<std::string> providers,
                            int threads = 1);
ModelSource file_source(const std::string& path);
ModelSource memory_source(std::string bytes);

// All outputs for the inputs in the model's order. The test fails when the run does.
std::vector<Tensor> run_all(const Session& session, const std::vector<Tensor>& inputs);
Status try_run(const Session& session, const std::vector<Tensor>& inputs,
               std::vector<Tensor>* outputs);
Status try_run_values(const Session& session, const std::vector<Datum>& inputs,
                      std::vector<Datum>* outputs);
bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b);
bool all_near(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double rtol, double atol);

// Compiles with AOT by the Compile API; the test fails when that fails.
CompileReport compile_to(const std::string& source, const std::string& output, bool embed = false);
// A random input of the port's type; unknown dims are `free_dim`.
Tensor random_input(const Port& port, int64_t free_dim, unsigned seed);

// Two layers with an activation and a residual, then shape arithmetic and a reduction; about
// `width`^2 * 8 bytes of weights.
std::string small_network(int64_t width = 40, unsigned seed = 1);

}  // namespace ortc::test
