// SPDX-License-Identifier: MIT
// Lines look like "[4/5] compile AotExecutionProvider 1/1 0.2 s"; a stage with many steps gets at
// most two lines a second.

#include "tools/ortc/progress.h"

#include <csignal>
#include <cstdio>

#include "ort_c/status.h"
#include "tools/ortc/json.h"

namespace ortc::tool {
namespace {

constexpr const char* kStages[] = {"load", "optimise", "partition", "compile", "write"};
constexpr size_t kStageCount = sizeof kStages / sizeof *kStages;

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Progress::Progress(ProgressForm form) : form_(form) { std::signal(SIGINT, on_interrupt); }

Progress::~Progress() { std::signal(SIGINT, SIG_DFL); }

OrtStatus* Progress::hear(void* state, const char* stage, const char* detail, size_t done,
                          size_t total) noexcept {
  if (interrupted != 0) return OrtCreateStatus(ORT_MODEL_LOAD_CANCELED, "cancelled");
  try {
    static_cast<Progress*>(state)->say(stage == nullptr ? "" : stage,
                                       detail == nullptr ? "" : detail, done, total);
  } catch (...) {
    return OrtCreateStatus(ORT_RUNTIME_EXCEPTION, "progress could not be shown");
  }
  return nullptr;
}

void Progress::say(const std::string& stage, const std::string& detail, size_t done, size_t total) {
  if (form_ == ProgressForm::kNone) return;
  const auto now = Clock::now();
  const std::chrono::duration<double> elapsed = now - start_;
  if (form_ == ProgressForm::kJson) {
    const auto event = Json::object()
                           .set("stage", stage)
                           .set("detail", detail)
                           .set("done", uint64_t{done})
                           .set("total", uint64_t{total})
                           .set("elapsed_ms", static_cast<int64_t>(elapsed.count() * 1e3));
    std::fprintf(stderr, "%s\n", event.dump(/*indented=*/false).c_str());
    return;
  }
  const bool is_last_step = total > 0 && done >= total;
  const bool is_too_soon =
      stage == last_stage_ && now - last_line_ < std::chrono::milliseconds(500);
  // The start of a stage is worth a line only when it takes a while, and then the next event says
  // so.
  if (!is_last_step && (done == 0 || is_too_soon)) return;
  last_stage_ = stage;
  last_line_ = now;
  size_t number = 0;
  while (number < kStageCount && stage != kStages[number]) number++;
  std::string line = "[-/" + std::to_string(kStageCount) + "] " + stage;
  if (number < kStageCount) line[1] = static_cast<char>('1' + number);
  if (!detail.empty()) line += " " + detail;
  if (total > 0) line += " " + std::to_string(done) + "/" + std::to_string(total);
  std::fprintf(stderr, "%s %.1f s\n", line.c_str(), elapsed.count());
}

}  // namespace ortc::tool
