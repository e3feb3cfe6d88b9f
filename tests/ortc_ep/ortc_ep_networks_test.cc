// SPDX-License-Identifier: MIT
// Networks of several kinds, in their small form, in a runtime with libortc_ep.so: from source and
// compiled there they give the bits that ortc gives for the model that was compiled.
#include <chrono>
#include <cstdlib>
#include <functional>

#include "core/session/stages.h"
#include "tests/ortc_ep/host_runtime.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr const char* kNetworks[] = {
    "transformer", "bert", "bert_qdq", "resnet50",        "resnet50_qdq",  "mobilenetv2",
    "vit",         "yolo", "tour",     "whisper_encoder", "nbits_decoder", "decoder_prefill",
    "matmul_u8"};

double milliseconds_of(const std::function<void()>& what) {
  const auto begin = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

std::vector<Tensor> inputs_of(const Session& session) {
  std::vector<Tensor> inputs;
  unsigned seed = 1;
  for (const Port& port : session.facts().ports.inputs) {
    inputs.push_back(random_input(port, 2, seed++));
  }
  return inputs;
}

MadeModel made(const std::shared_ptr<const Environment>& environment, const std::string& path) {
  auto made = make_model(environment, file_source(path), options_with(*environment, {"AOT"}));
  if (!made.is_ok()) fprintf(stderr, "%s\n", made.status().to_string().c_str());
  CHECK(made.is_ok());
  return std::move(made).value();
}

void try_network(const HostRuntime& host, const std::string& folder, const std::string& name) {
  const auto environment = quiet_environment();
  const std::string source = folder + name + ".onnx";
  const std::string output = str_cat(folder, name, host.is_ort() ? "_ort" : "_ortc", "_ctx.onnx");
  const MadeModel ours = made(environment, source);
  const auto inputs = inputs_of(*ours.session);
  const auto options = host.options({}, /*whole=*/false);
  // As a compile does: another graph gives other bits.
  CHECK(host.told(host.api().SetSessionGraphOptimizationLevel(options.get(), ORT_DISABLE_ALL))
            .is_ok());
  HostRuntime::Session from_source, from_context;
  const double source_ms = milliseconds_of([&] { from_source = host.load(source, options); });
  const auto expected = host.run(from_source, inputs);
  CHECK(all_near(expected, run_all(*ours.session, inputs), 1e-3, 1e-4));
  CHECK(host.compile(source, output, /*embed=*/false).is_ok());
  const double context_ms = milliseconds_of([&] { from_context = host.load(output, options); });
  CHECK(same_bits(host.run(from_context, inputs), expected));
  if (host.is_ort()) {
    CHECK(same_bits(run_all(*made(environment, output).session, inputs), expected));
  }
  printf("%s: %s: loads in %.2f ms from source, %.2f ms from a context\n", host.label().c_str(),
         name.c_str(), source_ms, context_ms);
}

}  // namespace

TEST(ortc_ep_networks, give_the_same_bits_from_source_compiled_and_in_ortc) {
  const std::string folder = temp_dir() + "/networks/";
  if (std::system("/usr/bin/python3 -c 'import onnx' 2> /dev/null") != 0) {
    printf("NOT RUN: python3-onnx makes the models, and is not there\n");
    return;
  }
  const std::string command = str_cat("/usr/bin/python3 ", source_dir(),
                                      "/tools/generate_models.py --small --out ", folder, " all");
  CHECK_EQ(std::system((command + " > /dev/null").c_str()), 0);
  for (const auto& host : host_runtimes()) {
    for (const char* name : kNetworks) try_network(*host, folder, name);
  }
}
