// SPDX-License-Identifier: MIT
// What a group of large models takes, of the disk and of memory; how it is stopped, and how it
// tells how far it is.
#include <cmath>
#include <fstream>

#include "core/platform/clock.h"
#include "tests/core/context/sharing/sharing_testing.h"
#include "tests/core/graph/wire_model.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/private_memory.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

constexpr int64_t kWeights = 8, kWide = 1024;
constexpr uint64_t kTensorBytes = kWide * kWide * 4, kWeightBytes = kWeights * kTensorBytes;

// Weights of 32 MB in one sparse file, and models of them that differ in their batch.
void put_weights(const std::string& folder) {
  write_whole_file(folder + "/w.data", "");
  fs::resize_file(folder + "/w.data", kWeightBytes);
  std::fstream weights(folder + "/w.data", std::ios::in | std::ios::out | std::ios::binary);
  for (int64_t i = 0; i < kWeights; ++i) {
    weights.seekp(i * static_cast<int64_t>(kTensorBytes)).put(static_cast<char>(i + 1));
  }
  CHECK(weights.good());
}

std::string put_variant(const std::string& folder, int64_t batch) {
  wire::Texts nodes, tensors;
  std::string value = "x";
  for (int64_t i = 0; i < kWeights; ++i) {
    const std::string weight = str_cat("w", i), next = i + 1 == kWeights ? "y" : str_cat("m", i);
    nodes.push_back(wire::node("MatMul", {value, weight}, {next}));
    const std::string offset = str_cat(static_cast<uint64_t>(i) * kTensorBytes);
    tensors.push_back(wire::tensor(weight, 1, {kWide, kWide},
                                   wire::external({{"location", "w.data"}, {"offset", offset}})));
    value = next;
  }
  const std::string path = str_cat(folder, "/m", batch, ".onnx");
  write_whole_file(path, wire::model(wire::graph(nodes, {wire::value("x", 1, {batch, kWide})},
                                                 {wire::value("y", 1, {batch, kWide})}, tensors)));
  return path;
}

uint64_t bytes_in(const std::string& folder) {
  uint64_t bytes = 0;
  for (const std::string& name : names_in(folder)) bytes += size_of(path_join(folder, name));
  return bytes;
}

// The private memory that a group of so many models takes beyond what there was.
int64_t group_memory(const std::string& sources, int64_t count) {
  const std::string folder = next_folder();
  const Compile compile;
  Peak peak;
  for (int64_t i = 0; i < count; ++i) {
    CHECK_OK(compile.add(str_cat(sources, "/m", i + 1, ".onnx"),
                         output_of(folder, static_cast<int>(i)), i + 1 == count));
  }
  const int64_t taken = peak.stop();
  CHECK_EQ(names_in(folder).size(), static_cast<size_t>(count + 1));
  CHECK(bytes_in(folder) <= kWeightBytes / 100 * 102);
  fs::remove_all(folder);
  return taken;
}

}  // namespace

TEST(group_limits, eight_variants_take_the_disk_and_the_memory_of_one) {
  const std::string sources = next_folder();
  put_weights(sources);
  for (int64_t batch = 1; batch <= 8; ++batch) put_variant(sources, batch);
  for (const int64_t count : {1, 8}) {
    const int64_t taken = group_memory(sources, count);
    std::printf("%lld models: %lld MB private, %lld MB of weights\n", static_cast<long long>(count),
                static_cast<long long>(taken >> 20), static_cast<long long>(kWeightBytes >> 20));
    CHECK(is_sanitized() || is_emulated() ||
          taken <= static_cast<int64_t>(kWeightBytes + kWeightBytes / 2));
  }
}

TEST(group_limits, a_member_that_is_cancelled_leaves_nothing_of_the_group) {
  const std::string sources = next_folder(), folder = next_folder();
  put_weights(sources);
  for (const int64_t batch : {1, 2}) put_variant(sources, batch);
  for (const std::string_view stage : {"load", "compile", "write"}) {
    const Compile compile;
    CHECK_OK(compile.add(sources + "/m1.onnx", output_of(folder, 1)));
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    MakingLimits limits;
    limits.cancel = cancel;
    limits.progress = [&](std::string_view now, std::string_view, double) {
      if (now == stage) cancel->store(true);
      return Status::ok();
    };
    const Status cancelled = compile.add(sources + "/m2.onnx", output_of(folder, 2), true, limits);
    CHECK_CODE(cancelled, Code::kModelLoadCanceled);
    CHECK(names_in(folder).empty());
    // The group ended with the member that would have closed it: the next model begins another.
    CHECK_OK(compile.add(sources + "/m1.onnx", output_of(folder, 1), true));
    CHECK_EQ(names_in(folder).size(), 2u);
    for (const std::string& name : names_in(folder)) fs::remove(path_join(folder, name));
  }
}

TEST(group_limits, a_member_that_waits_for_its_turn_can_be_cancelled) {
  const std::string sources = next_folder(), folder = next_folder();
  for (const int i : {0, 1}) put_network(sources, i);
  Compile compile;
  compile.group = std::make_shared<SharingGroup>();
  SharingGroup::Joining first;
  first.name = "first";
  first.place = OutputPlace::file(output_of(folder, 0));
  auto member = compile.group->join(first);  // and never gives its model
  CHECK_OK(member);
  MakingLimits limits;
  limits.deadline_ns = now_ns() + 100'000'000;
  CHECK_CODE(compile.add(sources + "/m1.onnx", output_of(folder, 1), false, limits),
             Code::kModelLoadCanceled);
  CHECK(!compile.group->is_open());
  CHECK(names_in(folder).empty());
}

TEST(group_limits, progress_of_each_member_ends_at_one) {
  const std::string sources = next_folder(), folder = next_folder();
  const Compile compile;
  for (int i = 0; i < 3; ++i) {
    std::vector<double> fractions;
    MakingLimits limits;
    limits.progress = [&](std::string_view, std::string_view, double fraction) {
      fractions.push_back(fraction);
      return Status::ok();
    };
    CHECK_OK(compile.add(put_network(sources, i), output_of(folder, i), i == 2, limits));
    CHECK(std::is_sorted(fractions.begin(), fractions.end()));
    CHECK_EQ(fractions.back(), 1.0);
  }
}
