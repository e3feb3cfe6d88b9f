// SPDX-License-Identifier: MIT
// What a load asks of the system and of the allocator, counted: times are at the mercy of the
// machine, these are not. Whoever makes a load cheaper lowers the numbers here.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>

#include "tests/support/failing_allocations.h"
#include "tests/support/graph_builder.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

using Calls = std::map<uint64_t, int>;  // how often, by the number of the call

// The heap's own, and those of locks and clocks: not the load's to choose.
bool is_of_the_heap(const __ptrace_syscall_info& info) {
  constexpr uint64_t kNumbers[] = {SYS_munmap, SYS_mprotect,      SYS_madvise,   SYS_mremap,
                                   SYS_brk,    SYS_clock_gettime, SYS_getrandom, SYS_futex};
  if (info.entry.nr == SYS_mmap) return (info.entry.args[3] & MAP_ANONYMOUS) != 0;
  return std::find(std::begin(kNumbers), std::end(kNumbers), info.entry.nr) != std::end(kNumbers);
}

void mark() { syscall(SYS_getppid); }

// In the child: runs the work once unseen, so that all is there that is made at first use.
[[noreturn]] void work_between_marks(const std::function<bool()>& work) {
  if (!work() || ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
  raise(SIGSTOP);
  mark();
  const bool is_ok = work();
  mark();
  _exit(is_ok ? 0 : 1);
}

// Goes on to the child's next call; nothing once it has ended.
std::optional<__ptrace_syscall_info> next_call(pid_t child, int& status) {
  while (ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0 &&
         waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    __ptrace_syscall_info info{};
    if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0) return std::nullopt;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) return info;
  }
  return std::nullopt;
}

// The calls of the work in a child; nothing where a process may not watch another.
std::optional<Calls> calls_of(const std::function<bool()>& work) {
  if (is_emulated()) return std::nullopt;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) work_between_marks(work);
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  if (!WIFSTOPPED(status)) return std::nullopt;
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  Calls calls;
  int mark_count = 0;
  while (const auto info = next_call(child, status)) {
    if (info->entry.nr == SYS_getppid) {
      ++mark_count;
    } else if (mark_count == 1 && !is_of_the_heap(*info)) {
      ++calls[info->entry.nr];
    }
  }
  if (mark_count == 0) {
    kill(child, SIGKILL);
    return std::nullopt;
  }
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return calls;
}

void check_calls(const std::string& model, int most) {
  const auto environment = quiet_environment();
  const auto calls = calls_of([&] {
    return Session::create(environment, file_source(model), options_with(*environment, {"AOT"}))
        .is_ok();
  });
  if (!calls) {
    std::fprintf(stderr, "SKIPPED: this system lets nobody watch the calls of a process\n");
    return;
  }
  int count = 0;
  std::string text;
  for (const auto& [number, times] : *calls) {
    count += times;
    text += str_cat(" ", number, " x", times);
  }
  std::fprintf(stderr, "%d calls (number and times):%s\n", count, text.c_str());
  if (count > most) {
    check_failed(__FILE__, __LINE__, str_cat("expected at most ", most, " calls, found ", count));
  }
}

bool has_openat2() {
  return syscall(SYS_openat2, -1, "", nullptr, 0) < 0 && errno != ENOSYS && errno != EPERM;
}

// A compiled chain of products.
std::string compiled_chain(int length) {
  GraphBuilder builder;
  ValueId last = builder.input("x", DType::kFloat32, {4, 8});
  for (int i = 0; i < length; ++i) {
    const ValueId weight =
        builder.random_floats(str_cat("w", i), {8, 8}, static_cast<unsigned>(i + 1));
    last = builder.node("MatMul", {last, weight}, {str_cat("y", i)})[0];
  }
  builder.output(last);
  builder.infer();
  // Names of one length: short texts need no allocation.
  const std::string stem = str_cat(temp_dir(), "/chain", 1000 + length);
  write_whole_file(stem + ".onnx", builder.model_bytes());
  compile_to(stem + ".onnx", stem + "_ctx.onnx");
  return stem + "_ctx.onnx";
}

long allocations_of_load(const std::string& model) {
  const auto environment = quiet_environment();
  const SessionOptions options = options_with(*environment, {"AOT"});
  CHECK_OK(Session::create(environment, file_source(model), options));
  fail_allocations(LONG_MAX - 1, 0);  // none, but they are counted
  const auto session = Session::create(environment, file_source(model), options);
  const long count = counted_allocations();
  stop_failing_allocations();
  CHECK_OK(session);
  return count;
}

}  // namespace

// The model: open, what it is, its bytes, what it is still. Its journal, the folder, the journal of
// the binary. The binary: open, what it is, its map. Then whether journal and model are the same,
// and three files closed.
TEST(load_calls, of_a_compiled_model_are_no_more_than_fifteen) {
  const std::string source = temp_dir() + "/n.onnx", context = temp_dir() + "/n_ctx.onnx";
  write_whole_file(source, small_network(80));
  compile_to(source, context);
  check_calls(context, has_openat2() ? 15 : 16);
}

TEST(load_calls, of_a_small_source_model_are_no_more_than_eight) {
  const std::string source = temp_dir() + "/s.onnx";
  write_whole_file(source, small_network(10));
  check_calls(source, 8);
}

// The records of a Plan are used where they are, however many.
TEST(load_calls, allocations_of_a_load_do_not_grow_with_the_steps_of_the_model) {
  const long few = allocations_of_load(compiled_chain(4));
  const long many = allocations_of_load(compiled_chain(200));
  std::fprintf(stderr, "allocations: %ld with 4 steps, %ld with 200\n", few, many);
  CHECK(few > 0 && few < 600);
  CHECK(many < few + 20);  // one for each step would be 196
}
