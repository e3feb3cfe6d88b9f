// SPDX-License-Identifier: MIT
// Child processes that run jobs: see the header. Worker w has the jobs w, w + workers, ...; each
// job leaves a file, and a worker that ended early is started again behind the job it ended in.
#include "tests/conformance/workers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "core/base/str_cat.h"

namespace ortc::test {
namespace {

std::string begun_file(const std::string& folder, size_t job) {
  return str_cat(folder, "/job_", job, "_begun");
}

std::string result_file(const std::string& folder, size_t job) {
  return str_cat(folder, "/job_", job, "_result");
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

class Workers {
 public:
  Workers(size_t job_count, size_t workers, const std::string& folder, const Job& job)
      : job_count_(job_count), step_(workers), folder_(folder), job_(job) {}

  void run() {
    for (size_t w = 0; w < step_; ++w) start(w);
    while (!next_job_.empty()) {
      int status = 0;
      const pid_t child = waitpid(-1, &status, 0);
      const auto it = next_job_.find(child);
      if (child < 0) abort();
      if (it == next_job_.end()) continue;
      size_t job = it->second;
      next_job_.erase(it);
      while (job < job_count_ && exists(result_file(folder_, job))) job += step_;
      if (job < job_count_ && exists(begun_file(folder_, job))) job += step_;
      start(job);
    }
  }

 private:
  void start(size_t first) {
    if (first >= job_count_) return;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) abort();
    if (child > 0) {
      next_job_[child] = first;
      return;
    }
    for (size_t job = first; job < job_count_; job += step_) {
      std::ofstream(begun_file(folder_, job)).flush();
      const std::string text = job_(job);
      const std::string unfinished = result_file(folder_, job) + "_unfinished";
      std::ofstream(unfinished) << text;
      if (std::rename(unfinished.c_str(), result_file(folder_, job).c_str()) != 0) abort();
    }
    std::fflush(nullptr);
    _exit(0);
  }

  size_t job_count_, step_;
  const std::string& folder_;
  const Job& job_;
  std::map<pid_t, size_t> next_job_;  // of each running child: the job it was started with
};

}  // namespace

std::vector<std::string> run_jobs(size_t job_count, size_t workers, const std::string& folder,
                                  const Job& job) {
  Workers(job_count, workers, folder, job).run();
  std::vector<std::string> texts;
  for (size_t i = 0; i < job_count; ++i) {
    std::ifstream file(result_file(folder, i));
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

}  // namespace ortc::test
