// SPDX-License-Identifier: MIT
// libortc_ep.so in a runtime: what it claims runs, with the bits that ortc itself gives.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "ort_c/ort_api.h"
#include "tests/ortc_ep/ep_models.h"
#include "tests/ortc_ep/host_runtime.h"

using namespace ortc;
using namespace ortc::test;

TEST(ortc_ep, runs_a_fused_matmul_in_its_host) {
  const std::string model = matmul_model();
  for (const auto& host : host_runtimes()) {
    const auto session = host->load_bytes(model, host->options());
    for (int64_t batch : {1, 3, 1}) {
      const Tensor x = floats({batch, 8}, static_cast<unsigned>(batch));
      CHECK(same_bits(host->run(session, {x}), expected_of(model, {x})));
    }
  }
}

TEST(ortc_ep, leaves_to_the_host_what_its_options_exclude) {
  const std::string model = divided_model();
  const Tensor x = floats({5, 8}, 1);
  for (const auto& host : host_runtimes()) {
    const KeyValues options = {{"excluded_operators", "Tanh"}};
    const auto session = host->load_bytes(model, host->options(options, /*whole=*/false));
    CHECK(all_near(host->run(session, {x}), expected_of(model, {x}), 1e-5, 1e-6));
    CHECK(host->load_bytes(model, host->options(options)).told.code != ORT_OK);
  }
}

TEST(ortc_ep, takes_an_if_with_both_branches_whole) {
  const std::string model = branching_model();
  for (const auto& host : host_runtimes()) {
    const auto session = host->load_bytes(model, host->options());
    for (unsigned seed : {1u, 2u, 3u, 4u}) {
      const Tensor x = floats({3, 8}, seed);
      CHECK(same_bits(host->run(session, {x}), expected_of(model, {x})));
    }
  }
}

// Looking at the whole model for each body would take minutes.
TEST(ortc_ep, loads_a_model_of_many_bodies_in_seconds) {
  const std::string model = many_choices(2000);
  const Tensor x = floats({2}, 1);
  for (const auto& host : host_runtimes()) {
    if (host->is_ort()) continue;
    for (const KeyValues& options : {KeyValues{}, KeyValues{{"excluded_operators", "If"}}}) {
      const auto begin = std::chrono::steady_clock::now();
      const auto session = host->load_bytes(model, host->options(options, /*whole=*/false));
      CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(40));
      CHECK(same_bits(host->run(session, {x}), {x}));
    }
  }
}

TEST(ortc_ep, refuses_options_that_the_provider_does_not_know) {
  for (const auto& host : host_runtimes()) {
    const auto load = [&](const KeyValues& options) {
      return host->load_bytes(matmul_model(), host->options(options)).told;
    };
    CHECK(load({{"targt", "host"}}).text.find("targt") != std::string::npos);
    CHECK(load({{"target", "x86-64-v9"}}).text.find("x86-64-v9") != std::string::npos);
    CHECK(load({{"intra_op_num_threads", "many"}}).text.find("many") != std::string::npos);
    CHECK(load({{"intra_op_num_threads", "1"}, {"target", "host"}}).is_ok());
  }
}

// Both ways: what ONNX Runtime wrote with the library runs in ortc, and the other way round.
// Parts of several nodes, of which one has the contents and the others find it.
// ortc as a host has groups of its own, which say so first.
// The functions are ortc's own names; ONNX Runtime has them among its experimental ones.
TEST(ortc_ep, takes_what_it_can_of_a_body_whose_owner_stays_with_the_host) {
  const Tensor x = floats({3, 8}, 2);
  for (const auto& host : host_runtimes()) {
    const KeyValues options = {{"excluded_operators", "If"}};
    const auto session = host->load_bytes(branching_model(), host->options(options, false));
    CHECK(all_near(host->run(session, {x}), expected_of(branching_model(), {x}), 1e-5, 1e-6));
    const std::string folder = fresh_folder(str_cat("bodies_", host->label()));
    write_whole_file(folder + "m.onnx", branching_model());
    const Told told = host->compile(folder + "m.onnx", folder + "m_ctx.onnx", false, options);
    if (told.code != ORT_OK) continue;
    const auto again = host->load(folder + "m_ctx.onnx", host->options({}, false));
    CHECK(all_near(host->run(again, {x}), expected_of(branching_model(), {x}), 1e-5, 1e-6));
  }
}

// Nodes in bodies that find their contents in another graph.
TEST(ortc_ep, runs_a_session_from_several_threads) {
  for (const auto& host : host_runtimes()) {
    const auto session = host->load_bytes(matmul_model(), host->options());
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const Tensor x = floats({static_cast<int64_t>(t) + 1, 8}, t);
        const auto expected = host->run(session, {x});
        for (int i = 0; i < 50; ++i) right += same_bits(host->run(session, {x}), expected) ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(right.load(), 200);
  }
}

TEST(ortc_ep, has_nothing_against_the_processor) {
  for (const auto& host : host_runtimes()) {
    const OrtApi& api = host->api();
    OrtDeviceEpIncompatibilityDetails* details = nullptr;
    const Told told = host->told(api.GetHardwareDeviceEpIncompatibilityDetails(
        host->env(), host->ep().c_str(), api.EpDevice_Device(host->device()), &details));
    if (told.code == ORT_NOT_IMPLEMENTED) continue;  // the host asks no provider
    CHECK(told.is_ok());
    uint32_t reasons = 1;
    CHECK(host->told(api.DeviceEpIncompatibilityDetails_GetReasonsBitmask(details, &reasons))
              .is_ok());
    CHECK_EQ(reasons, 0u);
    api.ReleaseDeviceEpIncompatibilityDetails(details);
  }
}

namespace {

int asked_newest = 0;
const OrtApi* old_api(uint32_t version) noexcept {
  if (version > 22) asked_newest = static_cast<int>(version);
  return version > 22 ? nullptr : OrtcGetApiBase()->GetApi(ORT_API_VERSION);
}
const char* old_version() noexcept { return "1.22.1"; }
const char* odd_version() noexcept { return "a build of mine"; }

}  // namespace

TEST(ortc_ep, says_to_an_old_runtime_that_it_is_too_old) {
  void* library = dlopen(ORTC_EP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  CHECK(library != nullptr);
  const auto create =
      reinterpret_cast<OrtStatus* (*)(const char*, const OrtApiBase*, const OrtLogger*,
                                      OrtEpFactory**, size_t, size_t*)>(
          dlsym(library, "CreateEpFactories"));
  CHECK(create != nullptr);
  const HostRuntime& host = *host_runtimes().front();
  OrtEpFactory* factory = nullptr;
  size_t count = 7;
  const OrtApiBase old{old_api, old_version};
  CHECK(host.told(create("ortc", &old, nullptr, &factory, 1, &count))
            .has(ORT_INVALID_ARGUMENT, "1.22.1"));
  CHECK_EQ(count, 0u);
  CHECK_EQ(asked_newest, 0);  // a runtime complains of versions that it does not have
  const OrtApiBase odd{old_api, odd_version};
  CHECK(host.told(create("ortc", &odd, nullptr, &factory, 1, &count))
            .has(ORT_INVALID_ARGUMENT, "a build of mine"));
  CHECK(host.told(create("ortc", OrtcGetApiBase(), nullptr, &factory, 0, &count))
            .has(ORT_INVALID_ARGUMENT, "no room"));
  CHECK(factory == nullptr);
  dlclose(library);
}

TEST(ortc_ep, is_registered_again_and_again) {
  const Tensor x = floats({2, 8}, 1);
  for (int round = 0; round < 20; ++round) {
    const HostRuntime host(*OrtcGetApiBase(), "ortc", "ThirdAotExecutionProvider");
    CHECK_EQ(host.run(host.load_bytes(matmul_model(), host.options()), {x}).size(), 1u);
  }
}
