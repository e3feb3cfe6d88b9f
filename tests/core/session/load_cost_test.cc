// SPDX-License-Identifier: MIT
// What loading a context costs and does: a kernel filter ends the process at any system call that
// loading must not make.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <thread>

#include "core/platform/clock.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kWide = 1200;  // 2 x 5.8 MB of weights

struct WideFiles {
  std::string source = temp_dir() + "/wide.onnx", context = temp_dir() + "/wide_ctx.onnx";
  WideFiles() {
    write_whole_file(source, small_network(kWide));
    compile_to(source, context);
  }
};

// Kills the process on: opening for writing, writing (stderr aside), changing names, executable
// memory, new threads.
bool install_filter() {
#if !defined(__x86_64__)
  return false;
#else
#define DENY(number)                                 \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ARG(i) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[i]))
  static sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      DENY(SYS_write),
      DENY(SYS_pwrite64),
      DENY(SYS_writev),
      DENY(SYS_rename),
      DENY(SYS_renameat),
      DENY(SYS_renameat2),
      DENY(SYS_unlink),
      DENY(SYS_unlinkat),
      DENY(SYS_mkdir),
      DENY(SYS_mkdirat),
      DENY(SYS_creat),
      DENY(SYS_ftruncate),
      DENY(SYS_fallocate),
      DENY(SYS_memfd_create),
      DENY(SYS_clone),
      DENY(SYS_clone3),
      DENY(SYS_fork),
      DENY(SYS_vfork),
      DENY(SYS_execve),
      DENY(SYS_flock),
      DENY(SYS_symlink),
      DENY(SYS_socket),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      ARG(2),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      ARG(2),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  static const sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#undef ARG
#undef DENY
#endif
}

// Anonymous and swapped bytes of this process.
uint64_t private_bytes() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  std::string word;
  uint64_t kilobytes = 0, value = 0;
  while (rollup >> word) {
    if ((word == "Anonymous:" || word == "Swap:") && rollup >> value) kilobytes += value;
  }
  return kilobytes * 1024;
}

bool memory_is_not_ours() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const bool answer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  const bool answer = true;
#else
  const bool answer = false;
#endif
#else
  const bool answer = false;
#endif
  const bool skips = answer || is_emulated();
  if (skips) std::fprintf(stderr, "SKIPPED: memory is the sanitizer's or the emulator's here\n");
  return skips;
}

int result_in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST(loading, writes_nothing_maps_nothing_executable_and_starts_no_thread) {
  const WideFiles files;
  const int result = result_in_child([&] {
    const auto environment = quiet_environment();
    // Lazy things of the C++ library (locale, iostream) come first.
    if (!Session::create(environment, file_source(files.context),
                         options_with(*environment, {"AOT"}, 2))
             .is_ok())
      return 1;
    if (is_emulated() || !install_filter()) return 77;
    const auto session = Session::create(environment, file_source(files.context),
                                         options_with(*environment, {"AOT"}, 2));
    return session.is_ok() ? 0 : 2;
  });
  if (result == 77) {
    std::fprintf(stderr, "SKIPPED: this system allows no system call filter\n");
    return;
  }
  CHECK_EQ(result, 0);
}

TEST(loading, of_a_filtered_process_would_be_stopped_when_it_wrote) {
  const int result = result_in_child([&] {
    const std::string path = temp_dir() + "/probe";
    if (is_emulated() || !install_filter()) return 77;
    std::ofstream(path) << "x";
    return 0;
  });
  CHECK(result == 77 || result == 1000 + SIGSYS);
}

TEST(loading, takes_little_private_memory_and_the_first_run_only_its_activations) {
  if (memory_is_not_ours()) return;
  const WideFiles files;
  const int result = result_in_child([&] {
    const auto environment = quiet_environment();
    malloc_trim(0);  // what the parent freed must not serve the child
    const uint64_t before = private_bytes();
    auto session = Session::create(environment, file_source(files.context),
                                   options_with(*environment, {"AOT"}, 1));
    if (!session.is_ok()) return 1;
    const uint64_t loaded = private_bytes();
    const Tensor input = random_input((*session)->inputs()[0], 4, 1);
    const auto outputs = run_all(**session, {input});
    const uint64_t ran = private_bytes();
    const uint64_t weights = (*session)->report().weight_bytes;
    std::fprintf(stderr, "weights %llu, private after load %lld, after the first run %lld\n",
                 static_cast<unsigned long long>(weights), static_cast<long long>(loaded - before),
                 static_cast<long long>(ran - before));
    if (weights < 11000000) return 2;
    if (loaded > before + weights / 20) return 3;
    return ran > before + weights / 20 ? 4 : 0;
  });
  CHECK_EQ(result, 0);
}

TEST(loading, of_sixteen_sessions_that_all_run_at_once_costs_each_a_megabyte_and_its_outputs) {
  if (memory_is_not_ours()) return;
  constexpr int kSessions = 16;
  const WideFiles files;
  const int result = result_in_child([&] {
    const auto environment = quiet_environment();
    malloc_trim(0);
    const uint64_t before = private_bytes();
    std::vector<std::unique_ptr<Session>> sessions;
    for (int i = 0; i < kSessions; ++i) {
      auto session = Session::create(environment, file_source(files.context),
                                     options_with(*environment, {"AOT"}, 1));
      if (!session.is_ok()) return 1;
      sessions.push_back(std::move(session).value());
    }
    const Tensor input = random_input(sessions[0]->inputs()[0], 4, 1);
    std::vector<std::vector<Tensor>> outputs(kSessions);
    std::vector<std::thread> threads;
    for (int i = 0; i < kSessions; ++i) {
      threads.emplace_back([&, i] {
        outputs[static_cast<size_t>(i)] = run_all(*sessions[static_cast<size_t>(i)], {input});
      });
    }
    for (std::thread& thread : threads) thread.join();
    uint64_t output_bytes = 0;
    for (const auto& of_session : outputs) {
      if (!same_bits(of_session, outputs[0])) return 2;
      for (const Tensor& tensor : of_session) output_bytes += tensor.byte_size();
    }
    const uint64_t taken = private_bytes() - before;
    std::fprintf(stderr, "16 sessions: %lld private bytes, outputs %lld\n",
                 static_cast<long long>(taken), static_cast<long long>(output_bytes));
    return taken > kSessions * (uint64_t{1} << 20) + output_bytes ? 3 : 0;
  });
  CHECK_EQ(result, 0);
}

TEST(loading, from_a_context_is_much_faster_than_from_source) {
  const WideFiles files;
  const auto environment = quiet_environment();
  const auto best_ns = [&](const std::string& path) {
    int64_t best = INT64_MAX;
    for (int i = 0; i < 5; ++i) {
      const int64_t begin = now_ns();
      CHECK_OK(
          Session::create(environment, file_source(path), options_with(*environment, {"AOT"}, 1)));
      best = std::min(best, now_ns() - begin);
    }
    return best;
  };
  const int64_t source = best_ns(files.source), context = best_ns(files.context);
  std::fprintf(stderr, "source %.3f ms, context %.3f ms\n", static_cast<double>(source) / 1e6,
               static_cast<double>(context) / 1e6);
  CHECK(source > 5 * context);
}
