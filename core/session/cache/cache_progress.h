// SPDX-License-Identifier: MIT
// One progress for what the program sees as one making: waiting, compiling for the cache, loading,
// and perhaps beginning again with the source. It never falls, and ends once.
#pragma once

#include <memory>

#include "core/session/making.h"

namespace ortc {

class CacheProgress {
 public:
  explicit CacheProgress(MakingLimits limits)
      : limits_(std::move(limits)), state_(std::make_shared<State>()) {}

  // Limits for the part that ends at `end`, 1 being the whole.
  MakingLimits part(double end) const;
  // Whether the program has asked to stop: by its progress function, a cancel or the deadline.
  bool has_stopped(const Status& status) const {
    return state_->is_stopped || status.code() == Code::kModelLoadCanceled;
  }

 private:
  struct State {
    double told = 0;
    bool is_stopped = false;
  };
  MakingLimits limits_;
  std::shared_ptr<State> state_;
};

}  // namespace ortc
