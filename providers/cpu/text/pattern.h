// SPDX-License-Identifier: MIT
// Regular expressions with the syntax and meaning of RE2, over UTF-8. They need libort_c_extra.so.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/base/result.h"

namespace ortc::cpu {

// Of several matches that begin at one place: the one that Perl would find, or the longest.
enum class MatchOf : uint32_t { kFirst = 0, kLongest = 1 };

// Does not change any more; threads may share one.
class Pattern {
 public:
  struct Match {
    size_t begin, end;
  };
  // Those used last are kept, so that a run compiles what an earlier one has compiled only after
  // many others. INVALID_GRAPH, with the pattern in the message, for what is no pattern;
  // NOT_IMPLEMENTED without the library.
  static Result<std::shared_ptr<const Pattern>> get(std::string_view text, MatchOf kind);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Whether it matches the whole text.
  bool matches_all(std::string_view text) const;
  // The first match that begins at `from` or behind it.
  std::optional<Match> find(std::string_view text, size_t from) const;

 private:
  struct Impl;
  explicit Pattern(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// For prepare: INVALID_GRAPH for what is no pattern. Without the library nobody can tell, and the
// model is compiled all the same: a process that has the library may run it.
Status check_pattern(std::string_view text, MatchOf kind);

}  // namespace ortc::cpu
