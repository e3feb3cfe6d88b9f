// SPDX-License-Identifier: MIT
// Patterns: see the header.
#include "providers/cpu/text/pattern.h"

#include <list>
#include <mutex>
#include <string>

#include "providers/cpu/extra/extra_library.h"

namespace ortc::cpu {
namespace {

// A node has one or a few patterns; RE2 needs at most 8 MiB for one.
constexpr size_t kKeptMax = 32;

struct Kept {
  std::string text;
  MatchOf kind;
  std::shared_ptr<const Pattern> pattern;
};

// The one used last comes first. It is never destroyed: threads may run while the process ends.
struct Cache {
  std::mutex mutex;
  std::list<Kept> kept;

  std::shared_ptr<const Pattern> find(std::string_view text, MatchOf kind) {
    const std::lock_guard lock(mutex);
    for (auto it = kept.begin(); it != kept.end(); ++it) {
      if (it->kind != kind || it->text != text) continue;
      kept.splice(kept.begin(), kept, it);
      return kept.front().pattern;
    }
    return nullptr;
  }

  void add(std::string_view text, MatchOf kind, std::shared_ptr<const Pattern> pattern) {
    const std::lock_guard lock(mutex);
    kept.push_front({std::string(text), kind, std::move(pattern)});
    if (kept.size() > kKeptMax) kept.pop_back();
  }
};

Cache& cache() {
  static Cache& the_cache = *new Cache;
  return the_cache;
}

}  // namespace

struct Pattern::Impl {
  const OrtcExtraTable* table = nullptr;
  OrtcRegex* regex = nullptr;
};

Pattern::Pattern(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Pattern::~Pattern() { impl_->table->regex_release(impl_->regex); }

Result<std::shared_ptr<const Pattern>> Pattern::get(std::string_view text, MatchOf kind) {
  if (auto kept = cache().find(text, kind)) return kept;
  ASSIGN_OR_RETURN(const OrtcExtraTable* table, extra_library());
  auto impl = std::make_unique<Impl>();
  impl->table = table;
  OrtcExtraMessage message;
  const OrtcExtraCode code = table->regex_compile(
      text.data(), text.size(), kind == MatchOf::kLongest ? 1 : 0, &impl->regex, &message);
  if (code == kOrtcExtraBadInput) {
    return invalid_graph("'", text,
                         "' is not a regular expression of RE2: ", std::string_view(message.text));
  }
  RETURN_IF_ERROR(extra_status(code, message, "its regular expression"));
  std::shared_ptr<const Pattern> pattern(new Pattern(std::move(impl)));
  cache().add(text, kind, pattern);
  return pattern;
}

bool Pattern::matches_all(std::string_view text) const {
  return impl_->table->regex_full_match(impl_->regex, text.data(), text.size()) != 0;
}

std::optional<Pattern::Match> Pattern::find(std::string_view text, size_t from) const {
  Match match{};
  if (impl_->table->regex_find(impl_->regex, text.data(), text.size(), from, &match.begin,
                               &match.end) == 0) {
    return std::nullopt;
  }
  return match;
}

Status check_pattern(std::string_view text, MatchOf kind) {
  auto pattern = Pattern::get(text, kind);
  if (pattern.is_ok() || pattern.status().code() == Code::kNotImplemented) return Status::ok();
  return std::move(pattern).status();
}

}  // namespace ortc::cpu
