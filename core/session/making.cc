// SPDX-License-Identifier: MIT
// What the stages share: see the header.
#include "core/session/making.h"

#include "core/platform/clock.h"
#include "core/platform/file_map.h"

namespace ortc {
namespace {

Logger logger_of(const Environment& environment, const SessionOptions& options) {
  const Logger logger = environment.logger();
  const int severity = options.log_severity;
  const std::string& id = options.log_id;
  const Severity threshold = severity >= 0 ? static_cast<Severity>(severity) : logger.threshold();
  const std::string log_id = !id.empty()     ? id
                             : severity >= 0 ? std::string("ortc")
                                             : logger.log_id();
  return options.log_sink != nullptr ? Logger(options.log_sink, log_id, threshold)
                                     : logger.with(log_id, threshold);
}

}  // namespace

Making::Making(std::shared_ptr<const Environment> environment, SessionOptions options,
               Progress progress)
    : environment_(std::move(environment)),
      options_(std::move(options)),
      progress_(std::move(progress)),
      logger_(logger_of(*environment_, options_)) {
  report.default_provider = environment_->providers().default_provider().name();
}

Access Making::access() const {
  return settings().disable_file_mapping ? Access::kRead : Access::kMap;
}

Status Making::begin_stage(std::string_view stage, std::string_view detail) {
  end_stage();
  RETURN_IF_ERROR(check_cancel());
  stage_ = stage;
  stage_begin_ns_ = now_ns();
  return progress_ ? progress_(stage, detail, 0, 0) : Status::ok();
}

Status Making::step(std::string_view detail, size_t done, size_t total) {
  RETURN_IF_ERROR(check_cancel());
  return progress_ ? progress_(stage_, detail, done, total) : Status::ok();
}

void Making::end_stage() {
  if (stage_.empty()) return;
  report.stages.push_back({stage_, now_ns() - stage_begin_ns_});
  stage_.clear();
}

Status Making::check_cancel() const {
  if (!options_.cancel_load->load(std::memory_order_relaxed)) return Status::ok();
  return make_status(Code::kModelLoadCanceled,
                     "making the session was canceled due to user request");
}

}  // namespace ortc
