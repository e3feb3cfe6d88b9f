// SPDX-License-Identifier: MIT
// AMX on processors without it: its instructions raise SIGILL there, and the handler does what they
// say, as Intel's manual has it (volume 2, "Intel AMX instruction set"). So the very bytes that the
// compiler made for the kernels run in tests, on every x86-64 processor under Linux.
#pragma once

#if defined(__x86_64__)

#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/platform/cpu.h"

namespace ortc::cpu::testing {

// What a thread has in its tiles. Before LDTILECFG and after TILERELEASE there are none.
struct AmxState {
  static constexpr size_t kTiles = 8, kRows = 16, kBytes = 64;
  bool is_configured = false;
  uint16_t bytes[kTiles] = {};
  uint8_t rows[kTiles] = {};
  uint8_t tile[kTiles][kRows][kBytes] = {};

  static AmxState& of_this_thread() {
    static thread_local AmxState state;
    return state;
  }

  void configure(const uint8_t* from) {
    *this = {};
    is_configured = from[0] == 1;
    std::memcpy(bytes, from + 16, sizeof bytes);
    std::memcpy(rows, from + 48, sizeof rows);
    for (size_t t = 0; t < kTiles; ++t) {
      if (bytes[t] > kBytes || rows[t] > kRows) is_configured = false;
    }
  }
  void load(size_t t, const uint8_t* from, intptr_t stride) {
    std::memset(tile[t], 0, sizeof tile[t]);
    for (intptr_t i = 0; i < rows[t]; ++i) std::memcpy(tile[t][i], from + i * stride, bytes[t]);
  }
  void store(size_t t, uint8_t* to, intptr_t stride) const {
    for (intptr_t i = 0; i < rows[t]; ++i) std::memcpy(to + i * stride, tile[t][i], bytes[t]);
  }
  // Unsigned bytes of a by signed bytes of b.
  void dot(size_t sum, size_t a, size_t b) {
    for (size_t m = 0; m < rows[sum]; ++m) {
      for (size_t n = 0; n < bytes[sum] / 4; ++n) {
        uint32_t total;
        std::memcpy(&total, &tile[sum][m][4 * n], 4);
        for (size_t k = 0; k < bytes[a] / 4; ++k) {
          for (size_t i = 0; i < 4; ++i) {
            const int32_t left = tile[a][m][4 * k + i];
            const int32_t right = static_cast<int8_t>(tile[b][k][4 * n + i]);
            total += static_cast<uint32_t>(left * right);
          }
        }
        std::memcpy(&tile[sum][m][4 * n], &total, 4);
      }
    }
  }
};

// One instruction with a VEX prefix of three bytes: C4 [RXB mmmmm] [W vvvv L pp] opcode ModRM ...
class AmxInstruction {
 public:
  AmxInstruction(const uint8_t* at, const greg_t* registers) : at_(at), registers_(registers) {}

  // Does it, and gives how long it is; 0 when it is not one of those that are known.
  size_t run(AmxState& state) {
    constexpr uint8_t kVex = 0xC4, kMap0f38 = 2;
    if (at_[0] != kVex || (at_[1] & 0x1F) != kMap0f38 || (at_[2] & 0x84) != 0) return 0;
    const unsigned prefix = at_[2] & 3, opcode = at_[3];  // none, 66, F3, F2
    const unsigned mod = at_[4] >> 6, reg = at_[4] >> 3 & 7, rm = at_[4] & 7;
    if (opcode == 0x49 && prefix == 0) {
      if (mod == 3) {
        state = {};
        return 5;
      }
      state.configure(address());
      return state.is_configured ? length_ : 0;
    }
    if (!state.is_configured) return 0;
    if (opcode == 0x49 && prefix == 3 && mod == 3 && rm == 0) {
      std::memset(state.tile[reg], 0, sizeof state.tile[reg]);
      return 5;
    }
    if (opcode == 0x4B && mod != 3 && rm == 4 && prefix != 0) {
      uint8_t* memory = address();
      prefix == 2 ? state.store(reg, memory, index_) : state.load(reg, memory, index_);
      return length_;
    }
    if (opcode == 0x5E && prefix == 1 && mod == 3) {
      state.dot(reg, rm, ~(at_[2] >> 3u) & 7u);
      return 5;
    }
    return 0;
  }

 private:
  uint64_t general(unsigned number) const {
    static constexpr int kOrder[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                     REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                     REG_R12, REG_R13, REG_R14, REG_R15};
    return static_cast<uint64_t>(registers_[kOrder[number]]);
  }
  unsigned extension(unsigned bit) const { return (at_[1] >> bit & 1) != 0 ? 0 : 8; }

  // Where the operand in memory begins; an index register is the stride, and not part of it.
  uint8_t* address() {
    const unsigned mod = at_[4] >> 6, rm = at_[4] & 7;
    const bool has_sib = rm == 4;
    unsigned base = rm + extension(5);
    size_t displacement_at = 5;
    if (has_sib) {
      const unsigned index = (at_[5] >> 3 & 7) + extension(6);
      index_ = index == 4 ? 0 : static_cast<intptr_t>(general(index) << (at_[5] >> 6));
      base = (at_[5] & 7) + extension(5);
      displacement_at = 6;
    }
    const bool has_no_base = mod == 0 && (base & 7) == 5;
    int32_t displacement = 0;
    size_t bytes = mod == 2 || has_no_base ? 4 : mod;
    if (bytes == 4) std::memcpy(&displacement, at_ + displacement_at, 4);
    if (bytes == 1) displacement = static_cast<int8_t>(at_[displacement_at]);
    length_ = displacement_at + bytes;
    uint64_t from = has_no_base ? 0 : general(base);
    if (has_no_base && !has_sib)
      from = reinterpret_cast<uint64_t>(at_) + length_;  // of the next one
    return reinterpret_cast<uint8_t*>(from + static_cast<uint64_t>(int64_t{displacement}));
  }

  const uint8_t* at_;
  const greg_t* registers_;
  intptr_t index_ = 0;
  size_t length_ = 0;
};

inline std::atomic<long> emulated_instructions = 0;

inline void run_instead_of_amx(int, siginfo_t*, void* context) {
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  AmxInstruction instruction(reinterpret_cast<const uint8_t*>(registers[REG_RIP]), registers);
  const size_t length = instruction.run(AmxState::of_this_thread());
  if (length == 0) signal(SIGILL, SIG_DFL);  // it comes again, and ends the program
  ++emulated_instructions;
  registers[REG_RIP] += static_cast<greg_t>(length);
}

// This process can use AMX, wherever it runs, until somebody else wants SIGILL: the test framework
// does for each test.
inline void have_amx() {
  if (host_has_amx()) return;
  struct sigaction action = {};
  action.sa_sigaction = run_instead_of_amx;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGILL, &action, nullptr) != 0) std::abort();
}

}  // namespace ortc::cpu::testing

#endif  // __x86_64__
