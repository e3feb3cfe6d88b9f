// SPDX-License-Identifier: MIT
// How far a compile has come, on stderr: a bar, lines, or one JSON object per event.
#pragma once

#include <chrono>
#include <string>

#include "ort_c/model_compiler.h"

namespace ortc::tool {

enum class ProgressForm { kNone, kBar, kPlain, kJson };

class Progress {
 public:
  explicit Progress(ProgressForm form);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Of `count` models, `index` is the next; fractions are of all of them from here on.
  void begin_model(const std::string& name, size_t index, size_t count);
  // Ends the last stage. To be called after success.
  void finish();

  // For OrtModelCompiler_SetProgress(), with the object as state. Cancels once a signal was heard.
  static OrtStatus* hear(void* state, const char* stage, const char* detail,
                         double fraction) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  struct Event {
    std::string stage, detail;
    double fraction = 0;  // of the whole
  };
  void say(const Event& event);
  void say_json(const Event& event);
  void say_stage(const Event& event);
  std::string stage_text() const;
  std::string percent_text() const;
  std::string elapsed_text() const;

  ProgressForm form_;
  std::string model_;                         // "" where there is one only
  double model_begin_ = 0, model_share_ = 1;  // of the whole
  Clock::time_point start_ = Clock::now();
  Clock::time_point stage_start_ = start_;
  Clock::time_point last_line_ = start_;
  Event current_;  // no stage: none yet
};

}  // namespace ortc::tool
