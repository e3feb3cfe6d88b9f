// SPDX-License-Identifier: MIT
// What this processor can do, reduced to the levels for which kernels exist.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ortc {

// Levels are ordered: a kernel of a lower level runs on every higher one.
enum class Isa : uint8_t { kGeneric = 0, kAvx2 = 1, kAvx512 = 2 };

std::string_view isa_name(Isa isa);  // "generic", "avx2", "avx512"
Isa host_isa();                      // asked once; the operating system's register support included
bool host_has_vnni();            // AVX-512 VNNI; kernels of kAvx512 ask for it besides their level
bool host_has_avx_vnni();        // the same for registers of AVX2
bool host_has_amx();             // with 8-bit products; asks the system for its registers
bool host_prefetches_streams();  // by itself as far ahead as pays: AMD's but for Zen 4
bool host_has_dot_product();     // NEON's, of bytes; every level of aarch64
std::string host_target();       // "x86-64-v4", "x86-64-v3", "x86-64", "aarch64", ...
int logical_cpu_count();         // what this process may use (affinity), at least 1

}  // namespace ortc
