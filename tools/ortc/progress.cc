// SPDX-License-Identifier: MIT
// A stage has a line when it ends, "[4/5] compile AotExecutionProvider 1/1 0.2 s", with the time it
// took; one with many steps has a line every half second besides.

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
    static_cast<Progress*>(state)->say(
        {stage == nullptr ? "" : stage, detail == nullptr ? "" : detail, done, total});
  } catch (...) {
    return OrtCreateStatus(ORT_RUNTIME_EXCEPTION, "progress could not be shown");
  }
  return nullptr;
}

void Progress::finish() {
  if (form_ == ProgressForm::kPlain && !pending_.stage.empty()) print_line();
  pending_ = {};
}

void Progress::say(const Event& event) {
  if (form_ == ProgressForm::kJson) say_json(event);
  if (form_ == ProgressForm::kPlain) say_plain(event);
}

void Progress::say_json(const Event& event) {
  const std::chrono::duration<double, std::milli> elapsed = Clock::now() - start_;
  const auto line = Json::object()
                        .set("stage", event.stage)
                        .set("detail", event.detail)
                        .set("done", uint64_t{event.done})
                        .set("total", uint64_t{event.total})
                        .set("elapsed_ms", static_cast<int64_t>(elapsed.count()));
  std::fprintf(stderr, "%s\n", line.dump(/*indented=*/false).c_str());
}

void Progress::say_plain(const Event& event) {
  const auto now = Clock::now();
  if (event.stage != pending_.stage) {
    finish();
    stage_start_ = last_line_ = now;
  }
  pending_ = event;
  if (event.done == 0 || now - last_line_ < std::chrono::milliseconds(500)) return;
  print_line();
  last_line_ = now;
}

void Progress::print_line() {
  const std::chrono::duration<double> elapsed = Clock::now() - stage_start_;
  size_t number = 0;
  while (number < kStageCount && pending_.stage != kStages[number]) number++;
  std::string line = "[-/" + std::to_string(kStageCount) + "] " + pending_.stage;
  if (number < kStageCount) line[1] = static_cast<char>('1' + number);
  if (!pending_.detail.empty()) line += " " + pending_.detail;
  if (pending_.total > 0) {
    line += " " + std::to_string(pending_.done) + "/" + std::to_string(pending_.total);
  }
  std::fprintf(stderr, "%s %.1f s\n", line.c_str(), elapsed.count());
}

}  // namespace ortc::tool
