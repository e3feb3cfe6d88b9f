// SPDX-License-Identifier: MIT
// Loading from the cache, or compiling into it: see the header.
#include "core/session/cache/load_or_compile.h"

#include <optional>
#include <utility>

#include "core/context/inspect/inspect.h"
#include "core/platform/clock.h"
#include "core/platform/path.h"
#include "core/platform/shared_folder/folder_tree.h"
#include "core/platform/shared_folder/named_lock.h"
#include "core/session/cache/cache_entry.h"
#include "core/session/cache/cache_progress.h"
#include "core/session/cache/make_entry.h"

namespace ortc {
namespace {

// Of the whole making, what compiling ends with.
constexpr double kCompiled = 0.95;

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

// Whether a failure is that of a file's bytes. Memory and descriptors that are short are not.
bool is_damage(const Status& status) {
  return status.code() == Code::kInvalidGraph || status.code() == Code::kInvalidProtobuf;
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
    ASSIGN_OR_RETURN(question_, ask_cache(source_, reader_, making_));
    if (!question_.bypass.empty()) return from_source(question_.bypass);
    report_.key = question_.key.digits;
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
    return from_source_warning("an entry that loads could not be had");
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

  // Once; what follows from it is for those who want to know more.
  void warn(const std::string& text) {
    const std::string line = str_cat("cache '", folder_.path(), "': ", text);
    if (std::exchange(has_warned_, true)) {
      ORTC_LOG(making_.logger(), kInfo, "cache", line);
    } else {
      ORTC_LOG(making_.logger(), kWarning, "cache", line);
    }
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
    const CacheEntry entry = CacheEntry::look(folder_, report_.key);
    if (entry.state == CacheEntry::State::kMissing) return std::optional<MadeModel>();
    if (entry.state == CacheEntry::State::kDamaged) return note_damage(entry, entry.damage);
    if (entry.state == CacheEntry::State::kUnreadable) return without_entry(entry.damage);
    if (entry.is_empty()) {
      entry.mark_used();
      return done(from_source("no execution provider takes a node of the model"));
    }
    if (report_.result.empty()) report_.result = "hit";
    auto made = load(entry.model_path);
    if (made.is_ok()) {
      ORTC_LOG(making_.logger(), kInfo, "cache", "the session is made from the entry '",
               path_folder(entry.model_path), "' (", report_.result, ")");
      entry.mark_used();
      return done(std::move(made));
    }
    if (progress_.has_stopped(made.status())) return made.status();
    if (!path_exists(entry.model_path)) return std::optional<MadeModel>();
    // Nothing can be said of files that cannot be opened.
    if (const Status open = entry.check_openable();
        !open.is_ok() && open.code() != Code::kNoSuchFile) {
      return without_entry(open.message());
    }
    const auto verdict = verify_model(entry.model_path, environment_->providers());
    if (!path_exists(entry.model_path)) return std::optional<MadeModel>();
    if (!verdict.is_ok()) {
      const std::string& text = verdict.status().message();
      return is_damage(verdict.status()) ? note_damage(entry, text) : without_entry(text);
    }
    // Unsupported: what it was made for has changed in a way that no key tells.
    if (verdict->word == "broken" || verdict->word == "unsupported") {
      return note_damage(entry, verdict->reason);
    }
    return without_entry(made.status().message());
  }

  // This process cannot load it; the next one may, so that it stays.
  Result<std::optional<MadeModel>> without_entry(const std::string& reason) {
    return done(
        from_source_warning(str_cat("the entry ", report_.key, " does not load: ", reason)));
  }

  static Result<std::optional<MadeModel>> done(Result<MadeModel> made) {
    if (!made.is_ok()) return std::move(made).status();
    return std::optional<MadeModel>(std::move(made).value());
  }

  Result<std::optional<MadeModel>> note_damage(const CacheEntry& entry, const std::string& damage) {
    damaged_ = entry.identity;
    is_damaged_ = true;
    report_.result.clear();
    if (report_.reason.empty()) {
      report_.reason = str_cat("the entry was damaged: ", damage);
      warn(str_cat("the entry ", report_.key, " is damaged and made again: ", damage));
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
    if (!path_is_directory(folder_.entry_path(report_.key)) || remove_damaged()) {
      return make_locked(std::move(*lock));
    }
    (*lock)->remove_file();
    report_.result = "waited";
    return std::optional<MadeModel>();
  }

  Result<std::unique_ptr<NamedLock>> lock_key() {
    const std::string path = folder_.lock_path(report_.key);
    if (options_.context.cache_source_if_busy) return NamedLock::try_acquire(path);
    return NamedLock::acquire(path, wait_for_others(making_));
  }

  // Another process may have put a sound one in its place. The lock is held.
  bool remove_damaged() {
    if (!is_damaged_) return false;
    if (CacheEntry::look(folder_, report_.key).identity != damaged_) return false;
    is_damaged_ = false;
    return remove_entry(folder_, report_.key).is_ok();
  }

  Result<std::optional<MadeModel>> make_locked(std::unique_ptr<NamedLock> lock) {
    const EntryOrder order = {environment_, source_, making_, folder_, reader_, question_};
    const int64_t begin_ns = now_ns();
    Status status = compile_entry(order, progress_.part(kCompiled));
    report_.compile_ns = now_ns() - begin_ns;
    const bool is_compiled = status.is_ok();
    if (is_compiled) status = publish_entry(order);
    if (status.is_ok()) {
      report_.result = "made";
      lock->remove_file();
      return std::optional<MadeModel>();
    }
    Result<std::optional<MadeModel>> made = std::optional<MadeModel>();
    if (!progress_.has_stopped(status)) {
      // Those who wait shall not try one after the other.
      lock->count_failure();
      if (is_compiled) made = load_unkept(status);
    }
    (void)remove_tree(folder_.making_path(report_.key));
    lock->remove_file();
    lock.reset();
    if (!made.is_ok() || *made) return made;
    if (progress_.has_stopped(status)) return status;
    return done(from_source_warning(status.message()));
  }

  // What was compiled serves this session, though nobody after it. Nothing when it does not load,
  // or when nothing was to be compiled.
  Result<std::optional<MadeModel>> load_unkept(const Status& reason) {
    const std::string model_path = path_join(folder_.making_path(report_.key), kEntryModelName);
    if (!path_exists(model_path)) return std::optional<MadeModel>();
    report_.result = "made";
    report_.reason = str_cat("not kept: ", reason.message());
    auto made = load(model_path);
    if (!made.is_ok() && progress_.has_stopped(made.status())) return made.status();
    if (!made.is_ok()) return std::optional<MadeModel>();
    warn(str_cat("what was compiled is not kept: ", reason.message()));
    return done(std::move(made));
  }

  const std::shared_ptr<const Environment>& environment_;
  const ModelSource& source_;
  const SessionOptions& options_;
  CacheProgress progress_;
  Making making_;  // for what is done before and between the makings
  CacheFolder folder_;
  SourceReader reader_;
  CacheQuestion question_;
  CacheReport report_;
  bool has_warned_ = false, is_damaged_ = false;
  std::optional<FileIdentity> damaged_;  // of the record of the entry that is damaged
};

}  // namespace

Result<MadeModel> load_or_compile(const std::shared_ptr<const Environment>& environment,
                                  const ModelSource& source, const SessionOptions& options,
                                  const MakingLimits& limits) {
  return LoadOrCompile(environment, source, options, limits).run();
}

}  // namespace ortc
