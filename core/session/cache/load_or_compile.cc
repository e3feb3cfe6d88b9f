// SPDX-License-Identifier: MIT
// Loading from the cache, or compiling into it: see the header.
#include "core/session/cache/load_or_compile.h"

#include <algorithm>
#include <optional>

#include "core/context/inspect/inspect.h"
#include "core/platform/clock.h"
#include "core/platform/path.h"
#include "core/platform/shared_folder/file_stamp.h"
#include "core/platform/shared_folder/folder_tree.h"
#include "core/platform/shared_folder/named_lock.h"
#include "core/session/cache/cache_entry.h"
#include "core/session/cache/cache_progress.h"
#include "core/session/cache/cache_question.h"
#include "core/session/cache/cache_room.h"

namespace ortc {
namespace {

constexpr uint64_t kThreshold = 1024;  // of initializers that go to a file of their own
// Of the whole making, what compiling ends with.
constexpr double kCompiled = 0.95;

// Compiles into a file, and makes no session.
SessionOptions options_for_making(SessionOptions options, const std::string& model_path) {
  ContextSettings& context = options.context;
  context.cache_folder.clear();
  context.enable = true;
  context.compile_only = true;
  context.disable_compile = false;
  context.file_path = model_path;
  context.embed = false;
  context.overwrite = false;
  context.external_initializers = kEntryWeightsName;
  context.external_threshold = kThreshold;
  options.record_assignment = false;
  options.profile_prefix.reset();
  return options;
}

// What was said of the source is in the entry already.
SessionOptions options_for_loading(SessionOptions options) {
  ContextSettings& context = options.context;
  context.cache_folder.clear();
  context.file_path.clear();
  context.external_folder.clear();
  context.disable_compile = false;
  options.initializers.clear();
  options.external_initializers.clear();
  options.external_files.clear();
  options.dim_overrides_by_name.clear();
  options.dim_overrides_by_denotation.clear();
  options.read_context_data = {};
  return options;
}

class LoadOrCompile {
 public:
  LoadOrCompile(const std::shared_ptr<const Environment>& environment, const ModelSource& source,
                const SessionOptions& options, const MakingLimits& limits)
      : environment_(environment),
        source_(source),
        options_(options),
        progress_(limits),
        making_(environment, options, limits),
        folder_(options.context.cache_folder),
        reader_(source_, making_, folder_) {}

  Result<MadeModel> run() {
    ASSIGN_OR_RETURN(CacheQuestion question, ask_cache(source_, reader_, making_));
    if (!question.bypass.empty()) return from_source(question.bypass);
    content_ = std::move(question.content);
    key_ = std::move(question.key);
    report_.key = key_.digits;
    constexpr int kAttempts = 3;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      ASSIGN_OR_RETURN(auto made, try_entry());
      if (made) return std::move(*made);
      if (options_.context.disable_compile) {
        return from_source("session.disable_model_compile=1, and there is no entry");
      }
      ASSIGN_OR_RETURN(made, make_entry());
      if (made) return std::move(*made);
    }
    return from_source_warning("the entry goes as soon as it is made");
  }

 private:
  Result<MadeModel> from_source(std::string_view reason) {
    report_.result = "bypassed";
    report_.reason = reason;
    return make_uncached(environment_, source_, uncached_options(), progress_.part(1), report_);
  }

  Result<MadeModel> from_source_warning(const std::string& reason) {
    warn(str_cat("the session is made from its source: ", reason));
    return from_source(reason);
  }

  void warn(const std::string& text) {
    ORTC_LOG(making_.logger(), kWarning, "cache", "cache '", folder_.path(), "': ", text);
  }

  SessionOptions uncached_options() const {
    SessionOptions options = options_;
    options.context.cache_folder.clear();
    return options;
  }

  Result<MadeModel> load(const std::string& model_path) {
    ModelSource source;
    source.path = model_path;
    return make_uncached(environment_, source, options_for_loading(options_), progress_.part(1),
                         report_);
  }

  // A session of the entry; nothing when there is no entry, or a damaged one. A failure is the
  // program's wish to stop, or what the source itself gives.
  Result<std::optional<MadeModel>> try_entry() {
    const CacheEntry entry = CacheEntry::look(folder_, key_.digits);
    if (entry.state == CacheEntry::State::kMissing) return std::optional<MadeModel>();
    if (entry.state == CacheEntry::State::kDamaged) return note_damage(entry, entry.damage);
    if (entry.is_empty()) {
      entry.mark_used();
      return done(from_source("no execution provider takes a node of the model"));
    }
    if (report_.result.empty()) report_.result = "hit";
    auto made = load(entry.model_path);
    if (made.is_ok()) {
      entry.mark_used();
      return done(std::move(made));
    }
    if (progress_.has_stopped(made.status())) return made.status();
    if (!path_exists(entry.model_path)) return std::optional<MadeModel>();
    const auto damage = damage_of_model(entry.model_path, environment_->providers());
    if (!path_exists(entry.model_path)) return std::optional<MadeModel>();
    if (!damage.is_ok() || !damage->empty()) {
      return note_damage(entry, damage.is_ok() ? *damage : damage.status().message());
    }
    return done(from_source_warning(
        str_cat("the entry ", key_.digits, " does not load: ", made.status().message())));
  }

  static Result<std::optional<MadeModel>> done(Result<MadeModel> made) {
    if (!made.is_ok()) return std::move(made).status();
    return std::optional<MadeModel>(std::move(made).value());
  }

  Result<std::optional<MadeModel>> note_damage(const CacheEntry& entry, const std::string& damage) {
    damaged_ = identity_at(entry.record_path);
    is_damaged_ = true;
    report_.result.clear();
    if (report_.reason.empty()) {
      report_.reason = str_cat("the entry was damaged: ", damage);
      warn(str_cat("the entry ", key_.digits, " is damaged and made again: ", damage));
    }
    return std::optional<MadeModel>();
  }

  // Nothing: look at the entry again.
  Result<std::optional<MadeModel>> make_entry() {
    if (const Status made = folder_.make(); !made.is_ok()) {
      return done(from_source_warning(made.message()));
    }
    auto lock = lock_key();
    if (!lock.is_ok()) {
      if (progress_.has_stopped(lock.status())) return lock.status();
      return done(from_source_warning(lock.status().message()));
    }
    if (*lock == nullptr) {
      if (options_.context.cache_source_if_busy) {
        return done(from_source("another process compiles it (ep.context_cache_if_busy=source)"));
      }
      return done(from_source_warning(str_cat("another process has compiled it for ",
                                              options_.context.cache_wait_ms, " ms by now")));
    }
    if ((*lock)->failed_meanwhile()) {
      return done(from_source_warning("another process tried, and could not make the entry"));
    }
    if (!path_is_directory(folder_.entry_path(key_.digits)) || remove_damaged()) {
      return make_locked(**lock);
    }
    (*lock)->remove_file();
    report_.result = "waited";
    return std::optional<MadeModel>();
  }

  Result<std::unique_ptr<NamedLock>> lock_key() {
    const std::string path = folder_.lock_path(key_.digits);
    if (options_.context.cache_source_if_busy) return NamedLock::try_acquire(path);
    constexpr int64_t kMillisecondNs = 1000000;
    WaitLimits limits = stoppable();
    limits.deadline_ns = now_ns() + options_.context.cache_wait_ms * kMillisecondNs;
    return NamedLock::acquire(path, limits);
  }

  // Another process may have put a sound one in its place. The lock is held.
  bool remove_damaged() {
    if (!is_damaged_) return false;
    const CacheEntry entry = CacheEntry::look(folder_, key_.digits);
    if (identity_at(entry.record_path) != damaged_) return false;
    is_damaged_ = false;
    return remove_entry(folder_, key_.digits).is_ok();
  }

  Result<std::optional<MadeModel>> make_locked(NamedLock& lock) {
    const std::string path = folder_.making_path(key_.digits);
    const Status written = compile_into(path);
    if (!written.is_ok() && progress_.has_stopped(written)) {
      (void)remove_tree(path);
      return written;
    }
    std::string not_kept = written.message();
    if (written.is_ok()) {
      report_.result = "made";
      const Status published = publish();
      if (published.is_ok()) {
        lock.remove_file();
        return std::optional<MadeModel>();
      }
      if (progress_.has_stopped(published)) {
        (void)remove_tree(path);
        return published;
      }
      not_kept = published.message();
    }
    // Those who wait shall not try one after the other.
    lock.count_failure();
    auto made = load_unkept(path, written.is_ok(), not_kept);
    (void)remove_tree(path);
    lock.remove_file();
    return done(std::move(made));
  }

  // What was compiled serves this session, though nobody after it.
  Result<MadeModel> load_unkept(const std::string& path, bool is_written,
                                const std::string& reason) {
    const std::string model_path = path_join(path, kEntryModelName);
    if (is_written && path_exists(model_path)) {
      warn(str_cat("what was compiled is not kept: ", reason));
      report_.reason = str_cat("not kept: ", reason);
      auto made = load(model_path);
      if (made.is_ok() || progress_.has_stopped(made.status())) return made;
      return from_source(reason);
    }
    return from_source_warning(reason);
  }

  // The whole entry, on the device, in a folder of its own.
  Status compile_into(const std::string& path) {
    RETURN_IF_ERROR(remove_tree(path));
    RETURN_IF_ERROR(make_folders(path));
    RETURN_IF_ERROR(reserve_room(folder_, key_.digits, expected_bytes(),
                                 options_.context.cache_bytes_max, stoppable()));
    const int64_t begin_ns = now_ns();
    const SessionOptions options = options_for_making(options_, path_join(path, kEntryModelName));
    RETURN_IF_ERROR(
        make_again(environment_, options, progress_.part(kCompiled), [&](Making& making) {
          return compile_source(source_, {}, making);
        }).status());
    report_.compile_ns = now_ns() - begin_ns;
    ASSIGN_OR_RETURN(const bool is_unchanged, reader_.is_unchanged(content_));
    if (!is_unchanged) return fail("the source was changed while it was compiled");
    forget_reservation(folder_, key_.digits);
    return write_entry_record(path, key_, path_file_name(source_.path));
  }

  // About what the source takes, laid out in pages. As much as there may be, where it is hard to
  // tell.
  uint64_t expected_bytes() const {
    const uint64_t bytes = content_.bytes(), bytes_max = options_.context.cache_bytes_max;
    const uint64_t expected = bytes + bytes / 8 + (16 << 10);
    return bytes <= bytes_max ? std::min(expected, bytes_max) : expected;
  }

  WaitLimits stoppable() const {
    WaitLimits limits;
    limits.go_on = [this] { return making_.check_cancel(); };
    return limits;
  }

  Status publish() {
    ASSIGN_OR_RETURN(const auto lock, lock_room(folder_, stoppable()));
    remove_leftovers(folder_);
    RETURN_IF_ERROR(make_room_for(folder_, key_.digits, options_.context.cache_bytes_max));
    const std::string entry = CacheFolder::entry_name(key_.digits);
    RETURN_IF_ERROR(make_folders(path_folder(path_join(folder_.path(), entry))));
    RETURN_IF_ERROR(rename_in_folder(folder_.path(), CacheFolder::making_name(key_.digits), entry));
    // It is there, whether or not the device hears of it in time.
    (void)sync_folder(folder_.path(), path_folder(entry));
    return Status::ok();
  }

  const std::shared_ptr<const Environment>& environment_;
  const ModelSource& source_;
  const SessionOptions& options_;
  CacheProgress progress_;
  Making making_;  // for what is done before and between the makings
  CacheFolder folder_;
  SourceReader reader_;
  SourceContent content_;
  CacheKey key_;
  CacheReport report_;
  bool is_damaged_ = false;
  std::optional<FileIdentity> damaged_;  // of the record of the entry that is damaged
};

}  // namespace

Result<MadeModel> load_or_compile(const std::shared_ptr<const Environment>& environment,
                                  const ModelSource& source, const SessionOptions& options,
                                  const MakingLimits& limits) {
  return LoadOrCompile(environment, source, options, limits).run();
}

}  // namespace ortc
