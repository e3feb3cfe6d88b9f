// SPDX-License-Identifier: MIT
// A function of the program that hears of progress.
#pragma once

#include <string_view>

#include "core/base/status.h"
#include "ort_c/session_options.h"

namespace ortc::api {

// It, with what belongs to it.
struct ProgressListener {
  ProgressListener(OrtProgressFn progress, void* state, OrtReleaseStateFn release)
      : progress_(progress), state_(state), release_(release) {}
  ProgressListener(const ProgressListener&) = delete;
  ProgressListener& operator=(const ProgressListener&) = delete;
  ~ProgressListener() {
    if (release_ != nullptr) release_(state_);
  }
  Status hear(std::string_view stage, std::string_view detail, double fraction) const;

 private:
  OrtProgressFn progress_;
  void* state_;
  OrtReleaseStateFn release_;
};

}  // namespace ortc::api
