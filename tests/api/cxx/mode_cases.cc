// SPDX-License-Identifier: MIT
// ort_cxx.h in its other modes, beside this file's in one program.
#include <sys/wait.h>
#include <unistd.h>

#include "tests/api/cxx/cxx_testing.h"
#include "tests/api/cxx/other_modes.h"

using namespace ortc::test;

TEST(cxx_modes, live_side_by_side) {
  CHECK_EQ(run_without_exceptions(data("matmul.onnx").c_str()), 18.0f);
  CHECK_EQ(run_with_given_table(OrtcGetApiBase(), data("matmul.onnx").c_str()), 22.0f);
}

TEST(cxx_modes, programs_written_for_onnxruntime_compile_and_run) {
  CHECK_EQ(run_onnxruntime_program(data("matmul.onnx").c_str()), 26.0f);
}

TEST(cxx_modes, without_exceptions_statuses_tell_failures) {
  CHECK(has(failure_without_exceptions(data("absent.onnx").c_str()), "absent.onnx"));
}

TEST(cxx_modes, without_exceptions_a_failure_ends_the_program_with_its_message) {
  int ends[2];
  CHECK_EQ(pipe(ends), 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    end_without_exceptions(data("absent.onnx").c_str());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, n);
  close(ends[0]);
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  CHECK(has(text, "error 3") && has(text, "absent.onnx"));
}
