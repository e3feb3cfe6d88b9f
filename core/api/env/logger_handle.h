// SPDX-License-Identifier: MIT
// Log lines for functions of the program, and from it.
#pragma once

#include <memory>

#include "core/api/live_handles.h"
#include "core/base/log.h"
#include "ort_c/logger.h"

struct OrtLogger : ortc::api::LiveHandle<OrtLogger> {
  OrtLogger() = default;
  explicit OrtLogger(ortc::Logger to) : logger(std::move(to)) {}
  ortc::Logger logger;
};

namespace ortc::api {

// Hands records to C, whose texts end in zero.
std::shared_ptr<const LogSink> sink_to(OrtLoggingFunction function, void* parameter);

}  // namespace ortc::api
