// SPDX-License-Identifier: MIT
// The processor's level and its names.
#include "core/platform/cpu.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <fstream>

#include "tests/support/test.h"

using namespace ortc;

TEST(cpu, names_the_levels) {
  CHECK_EQ(isa_name(Isa::kGeneric), "generic");
  CHECK_EQ(isa_name(Isa::kAvx2), "avx2");
  CHECK_EQ(isa_name(Isa::kAvx512), "avx512");
}

#if defined(__x86_64__)
// Under an emulator /proc shows the machine outside; ORTC_TEST_TARGET says what is emulated.
TEST(cpu, agrees_with_the_operating_system) {
  if (const char* emulated = getenv("ORTC_TEST_TARGET")) {
    CHECK_EQ(host_target().substr(0, strlen(emulated)), emulated);
    return;
  }
  std::ifstream file("/proc/cpuinfo");
  std::string flags;
  while (std::getline(file, flags) && flags.rfind("flags", 0) != 0) {
  }
  flags += ' ';
  const auto has = [&](const std::string& flag) {
    return flags.find(" " + flag + " ") != std::string::npos;
  };
  // Some virtual machines leave it out of the list though the processor has it.
  const bool has_lzcnt = has("abm") || __builtin_cpu_supports("lzcnt") != 0;
  const bool v3 = has("avx2") && has("fma") && has("f16c") && has("bmi1") && has("bmi2") &&
                  has("movbe") && has_lzcnt;
  const bool v4 = v3 && has("avx512f") && has("avx512bw") && has("avx512cd") && has("avx512dq") &&
                  has("avx512vl");
  CHECK(host_isa() == (v4 ? Isa::kAvx512 : v3 ? Isa::kAvx2 : Isa::kGeneric));
  const std::string target = host_target();
  CHECK_EQ(target.substr(0, 9), v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : target.substr(0, 9));
  CHECK_EQ(target.find("+avx512vnni") != std::string::npos, v4 && has("avx512_vnni"));
}

TEST(cpu, knows_the_processors_that_prefetch_streams_well) {
  if (getenv("ORTC_TEST_TARGET") != nullptr) return;
  std::ifstream file("/proc/cpuinfo");
  bool is_amd = false;
  int family = 0;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    is_amd = is_amd || line.find("AuthenticAMD") != std::string::npos;
    if (line.rfind("cpu family", 0) == 0) family = std::stoi(line.substr(line.find(':') + 1));
  }
  CHECK(family > 0);
  CHECK_EQ(host_prefetches_streams(), is_amd && (family >= 26 || host_isa() == Isa::kAvx2));
}
#endif

TEST(cpu, counts_the_processors_this_process_may_use) {
  CHECK(logical_cpu_count() >= 1);
  cpu_set_t before;
  CHECK_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CHECK_EQ(logical_cpu_count(), CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  CHECK_EQ(logical_cpu_count(), 1);
  CHECK_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}
