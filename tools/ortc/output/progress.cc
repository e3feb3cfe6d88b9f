// SPDX-License-Identifier: MIT
// Lines: a stage has one when it begins, "[4/5] compile", then every half second one with how far
// the whole is and the stage's time, "[4/5] compile 37 % 4.2 s", and one at its end when it took
// that long.
// A bar: the stage at work in the last line of the terminal, and a line for each that is done.

#include "tools/ortc/output/progress.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "ort_c/status.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/signals.h"

namespace ortc::tool {
namespace {

constexpr const char* kStages[] = {"load", "optimise", "partition", "compile", "write"};
constexpr size_t kStageCount = sizeof kStages / sizeof *kStages;
constexpr auto kLinePeriod = std::chrono::milliseconds(500);
constexpr auto kBarPeriod = std::chrono::milliseconds(50);

// " [#####-----]"
std::string bar_text(double fraction) {
  constexpr size_t kWidth = 20;
  const auto full = std::min(kWidth, static_cast<size_t>(fraction * kWidth));
  return " [" + std::string(full, '#') + std::string(kWidth - full, '-') + "]";
}

// Its end is left out where it is longer.
std::string shortened(const std::string& text, size_t columns) {
  constexpr std::string_view kEnd = "...";
  const std::string whole = first_columns(text, columns);
  if (whole.size() == text.size() || columns < kEnd.size()) return whole;
  return first_columns(text, columns - kEnd.size()) + std::string(kEnd);
}

}  // namespace

Progress::Progress(ProgressForm form) : form_(form) { set_json_log(form == ProgressForm::kJson); }

Progress::~Progress() {
  if (form_ == ProgressForm::kBar) say_bar("");
  set_json_log(false);
}

OrtStatus* Progress::hear(void* state, const char* stage, const char* detail,
                          double fraction) noexcept {
  if (heard_signal() != 0) return OrtCreateStatus(ORT_MODEL_LOAD_CANCELED, "cancelled");
  try {
    auto& progress = *static_cast<Progress*>(state);
    progress.say({stage == nullptr ? "" : stage, detail == nullptr ? "" : detail,
                  progress.model_begin_ + progress.model_share_ * fraction});
  } catch (...) {
    return OrtCreateStatus(ORT_RUNTIME_EXCEPTION, "progress could not be shown");
  }
  return nullptr;
}

void Progress::begin_model(const std::string& name, size_t index, size_t count) {
  finish();
  if (count > 1) model_ = name;
  model_share_ = 1 / static_cast<double>(count);
  model_begin_ = static_cast<double>(index) * model_share_;
}

void Progress::finish() {
  if (current_.stage.empty()) return;
  const bool was_long = Clock::now() - stage_start_ >= kLinePeriod;
  if (form_ == ProgressForm::kBar) {
    say_bar("");
    say_line(stage_text() + elapsed_text());
  } else if (form_ == ProgressForm::kPlain && was_long) {
    say_line(stage_text() + elapsed_text());
  }
  current_ = {};
}

void Progress::say(const Event& event) {
  if (form_ == ProgressForm::kJson) say_json(event);
  if (form_ == ProgressForm::kPlain || form_ == ProgressForm::kBar) say_stage(event);
}

void Progress::say_json(const Event& event) {
  const std::chrono::duration<double, std::milli> elapsed = Clock::now() - start_;
  Json line = Json::object();
  if (!model_.empty()) line.set("model", model_);
  line.set("stage", event.stage)
      .set("detail", event.detail)
      .set("fraction", event.fraction)
      .set("elapsed_ms", static_cast<int64_t>(elapsed.count()));
  say_line(line.dump(/*indented=*/false));
}

void Progress::say_stage(const Event& event) {
  const auto now = Clock::now();
  const bool is_new = event.stage != current_.stage;
  if (is_new) {
    finish();
    if (event.stage == "done") return;
    stage_start_ = last_line_ = now;
  }
  current_ = event;
  const bool is_bar = form_ == ProgressForm::kBar;
  if (!is_new && now - last_line_ < (is_bar ? kBarPeriod : kLinePeriod)) return;
  last_line_ = now;
  if (is_bar) {
    const std::string bar = bar_text(event.fraction) + elapsed_text();
    const size_t columns = console_width(stderr);
    say_bar(shortened(stage_text(), columns > bar.size() + 1 ? columns - bar.size() - 1 : 0) + bar);
  } else {
    say_line(stage_text() + (is_new ? "" : percent_text() + elapsed_text()));
  }
}

std::string Progress::stage_text() const {
  size_t number = 0;
  while (number < kStageCount && current_.stage != kStages[number]) number++;
  std::string text = "[-/" + std::to_string(kStageCount) + "] " + printable(current_.stage);
  if (number < kStageCount) text[1] = static_cast<char>('1' + number);
  if (!model_.empty()) {
    text = printable(std::filesystem::path(model_).filename().string()) + " " + text;
  }
  if (!current_.detail.empty()) text += " " + printable(current_.detail);
  return text;
}

std::string Progress::percent_text() const {
  return " " + std::to_string(static_cast<int>(current_.fraction * 100)) + " %";
}

std::string Progress::elapsed_text() const {
  const std::chrono::duration<double> elapsed = Clock::now() - stage_start_;
  char text[32];
  std::snprintf(text, sizeof text, " %.1f s", elapsed.count());
  return text;
}

}  // namespace ortc::tool
