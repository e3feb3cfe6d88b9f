// SPDX-License-Identifier: MIT
// What the stages share: see the header.
#include "core/session/making.h"

#include "core/platform/clock.h"
#include "core/platform/file_map.h"
#include "core/platform/pool/pool_settings.h"

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

// What share of the whole a stage ends with. Most of a compile is packing and writing, most of a
// load, packing.
struct StageEnd {
  std::string_view stage;
  double compiling, loading;
};
constexpr StageEnd kStageEnds[] = {
    {"load", 0.02, 0.05},      {"optimise", 0.10, 0.25}, {"write optimised", 0.12, 0.40},
    {"partition", 0.20, 0.45}, {"compile", 0.50, 0.75},  {"write", 0.95, 0.75},
    {"lower", 1.0, 1.0},
};

double end_of(std::string_view stage, bool is_compiling) {
  for (const StageEnd& end : kStageEnds) {
    if (end.stage == stage) return is_compiling ? end.compiling : end.loading;
  }
  return 1.0;
}

// Where reading all weights begins, when that is a stage too.
double begin_of_residency(const SessionSettings& settings) {
  const bool has_no_stage =
      settings.residency == Residency::kLazy || settings.residency == Residency::kCopied;
  if (has_no_stage || settings.context.compile_only) return 1;
  return settings.context.enable ? 0.9 : 0.1;
}

double begin_of(std::string_view stage, bool is_compiling) {
  double begin = 0;
  for (const StageEnd& end : kStageEnds) {
    if (end.stage == stage) break;
    begin = is_compiling ? end.compiling : end.loading;
  }
  return begin;
}

}  // namespace

Making::Making(std::shared_ptr<const Environment> environment, SessionOptions options,
               MakingLimits limits)
    : environment_(std::move(environment)),
      options_(std::move(options)),
      limits_(std::move(limits)),
      logger_(logger_of(*environment_, options_)) {
  Work::Tell tell;
  if (limits_.progress) {
    tell = [this](double fraction) {
      Status answer = limits_.progress(stage_, detail_, fraction);
      if (!answer.is_ok()) is_stopped_ = true;
      return answer;
    };
  }
  work_ = Work(std::move(tell), [this] { return check_cancel(); });
  report.default_provider = environment_->providers().default_provider().name();
}

Access Making::access() const {
  const bool is_read =
      settings().disable_file_mapping || settings().residency == Residency::kCopied;
  return is_read ? Access::kRead : Access::kMap;
}

// On the thread that makes.
ContextDataReader Making::context_reader(bool keeps) {
  if (!options_.read_context_data) return {};
  return [this, keeps](const std::string& name) -> Result<Blob> {
    if (const auto known = given_contexts_.find(name); known != given_contexts_.end()) {
      return known->second;
    }
    ASSIGN_OR_RETURN(Blob given, options_.read_context_data(name));
    if (keeps) given_contexts_[name] = given;
    return given;
  };
}

Result<std::shared_ptr<ThreadPool>> Making::pool() {
  if (!options_.own_threads) {
    if (environment_->pool() != nullptr) return environment_->pool();
    return fail(
        "the session should use the threads of its environment, but the environment was not "
        "created "
        "with global thread pools");
  }
  if (pool_ != nullptr) return pool_;
  ThreadPoolOptions threads;
  threads.thread_count = options_.intra_op_threads;
  threads.allow_spinning = options_.allow_spinning;
  threads.spin_duration_us = options_.spin_duration_us;
  threads.hooks = options_.thread_hooks;
  if (threads.hooks.create && !threads.hooks.join) {
    return fail("a function that creates threads was set, but none that joins them");
  }
  const auto pool =
      make_pool(threads, environment_->work_callbacks(), options_.thread_affinities, logger_);
  RETURN_IF_ERROR_WHILE(pool.status(), "session.intra_op_thread_affinities");
  return pool_ = *pool;
}

ThreadPool* Making::helpers() {
  const auto made = pool();
  return made.is_ok() ? made->get() : nullptr;
}

Status Making::begin_stage(std::string_view stage, std::string_view detail) {
  end_stage();
  stage_ = stage;
  detail_ = detail;
  stage_begin_ns_ = now_ns();
  const double scale = begin_of_residency(settings());
  if (stage == "populate" || stage == "lock") return work_.begin(scale, 1);
  return work_.begin(scale * begin_of(stage, context().enable),
                     scale * end_of(stage, context().enable));
}

Work Making::work_beyond(std::string_view stage) const {
  Work::Tell tell;
  if (limits_.progress) {
    tell = [progress = limits_.progress, name = std::string(stage)](double fraction) {
      return progress(name, "", fraction);
    };
  }
  Work::GoOn go_on = [cancel = options_.cancel_load, limit = limits_.cancel]() -> Status {
    if (!*cancel && (limit == nullptr || !*limit)) return Status::ok();
    return make_status(Code::kModelLoadCanceled, "canceled due to user request");
  };
  return Work(std::move(tell), std::move(go_on)).part(begin_of_residency(settings()), 1);
}

std::function<void()> Making::done_beyond() const {
  return [progress = limits_.progress] {
    if (progress) (void)progress("done", "", 1.0);
  };
}

void Making::finish() {
  end_stage();
  if (limits_.progress && !goes_on_) (void)limits_.progress("done", "", 1.0);
}

void Making::end_stage() {
  if (stage_.empty()) return;
  report.stages.push_back({stage_, now_ns() - stage_begin_ns_});
  stage_.clear();
}

Status Making::check_cancel() const {
  const bool is_canceled =
      options_.cancel_load->load(std::memory_order_relaxed) ||
      (limits_.cancel != nullptr && limits_.cancel->load(std::memory_order_relaxed));
  if (is_canceled) {
    is_stopped_ = true;
    return make_status(Code::kModelLoadCanceled,
                       "making the session was canceled due to user request");
  }
  if (limits_.deadline_ns != INT64_MAX && now_ns() > limits_.deadline_ns) {
    is_stopped_ = true;
    return make_status(Code::kModelLoadCanceled, "the deadline has passed",
                       stage_.empty() ? std::string() : str_cat(" (stage '", stage_, "')"));
  }
  return Status::ok();
}

}  // namespace ortc
