// SPDX-License-Identifier: MIT
// Tokenizer (com.microsoft): cuts texts into tokens, [C] into [C,D] and [N,C] into [N,C,D].
//
//   separators   what lies between matches of the first, cut again by the second, and so on
//   tokenexp     what the pattern matches
//   one empty separator, or tokenexp "."   every character
//
// Tokens of fewer than mincharnum characters are left out. D is the most tokens that a text has;
// the others are filled up with pad_value. With mark, each text's tokens stand between U+0002 and
// U+0003. Without any token at all D is 0. Of matches that begin at one place the longest counts;
// one that is empty takes the character behind it along, and ends the search at the end of the
// text.
#include <algorithm>
#include <string>
#include <vector>

#include "core/base/utf8.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/record_column.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/pattern.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

using Tokens = std::vector<std::string_view>;
using PatternPtr = std::shared_ptr<const Pattern>;

enum Way : uint32_t { kCharacters = 0, kSeparators = 1, kExpression = 2 };

// --- Arithmetic, on texts that are UTF-8.

size_t character_count(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void cut_characters(std::string_view text, Tokens& tokens) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    tokens.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

void keep_token(std::string_view token, size_t characters_min, Tokens& tokens) {
  if (character_count(token) >= characters_min) tokens.push_back(token);
}

void cut_by(const Pattern& separator, std::string_view text, size_t characters_min,
            Tokens& tokens) {
  size_t from = 0;
  while (const auto match = separator.find(text, from)) {
    if (match->begin == text.size()) break;
    keep_token(text.substr(from, match->begin - from), characters_min, tokens);
    const bool is_empty = match->begin == match->end;
    from = is_empty ? match->begin + utf8_length(text.substr(match->begin)) : match->end;
  }
  keep_token(text.substr(from), characters_min, tokens);
}

void cut_by_all(const std::vector<PatternPtr>& separators, std::string_view text,
                size_t characters_min, Tokens& tokens) {
  tokens = {text};
  for (const PatternPtr& separator : separators) {
    Tokens smaller;
    for (const std::string_view token : tokens) {
      cut_by(*separator, token, characters_min, smaller);
    }
    tokens = std::move(smaller);
  }
}

// After a match that is too short the search goes on one character behind its beginning.
void find_all(const Pattern& expression, std::string_view text, size_t characters_min,
              Tokens& tokens) {
  size_t from = 0;
  while (const auto match = expression.find(text, from)) {
    if (match->begin == text.size()) return;
    const std::string_view token = text.substr(match->begin, match->end - match->begin);
    if (character_count(token) >= characters_min) {
      tokens.push_back(token);
      from = match->end;
    } else {
      from = match->begin + utf8_length(text.substr(match->begin));
    }
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// --- Prepare.

// Behind it stand two columns of texts: the patterns, and pad_value.
struct TokenizerParams {
  uint32_t record_bytes;
  uint32_t way;  // Way
  uint32_t has_marks;
  uint32_t characters_min;
};
static_assert(sizeof(TokenizerParams) == 16);

// The patterns of a node and what they are for.
Result<Way> read_patterns(const Node& node, std::vector<std::string>& patterns) {
  const Attribute* separators = node.attribute("separators");
  if (separators == nullptr) {
    patterns.emplace_back(node.string_attribute("tokenexp", ""));
    if (patterns[0].empty()) {
      return invalid_graph("neither attribute 'separators' nor 'tokenexp' is given");
    }
    return patterns[0] == "." ? kCharacters : kExpression;
  }
  for (const Blob& text : separators->strings) patterns.emplace_back(text.text());
  if (patterns.empty()) return invalid_graph("attribute 'separators' is empty");
  return patterns.size() == 1 && patterns[0].empty() ? kCharacters : kSeparators;
}

Status prepare_tokenizer(PrepareContext& ctx) {
  const Node& node = ctx.node();
  std::vector<std::string> patterns;
  ASSIGN_OR_RETURN(const Way way, read_patterns(node, patterns));
  const int64_t characters_min = node.int_attribute("mincharnum", 0);
  if (characters_min < 1 || (way == kCharacters && characters_min > 1)) {
    return invalid_graph("attribute 'mincharnum' is ", characters_min, ", expected ",
                         way == kCharacters ? "1 where every character is a token" : "at least 1");
  }
  if (way == kCharacters) patterns.clear();
  for (const std::string& pattern : patterns) {
    RETURN_IF_ERROR(check_pattern(pattern, MatchOf::kLongest));
  }
  const TokenizerParams params{
      sizeof params, way, node.int_attribute("mark", 0) != 0 ? 1u : 0u,
      static_cast<uint32_t>(std::min<int64_t>(characters_min, UINT32_MAX))};
  std::string record(reinterpret_cast<const char*>(&params), sizeof params);
  const auto count = static_cast<int64_t>(patterns.size());
  RETURN_IF_ERROR(append_column(record, Tensor::strings({count}, std::move(patterns))));
  RETURN_IF_ERROR(append_column(
      record, Tensor::strings({1}, {std::string(node.string_attribute("pad_value", ""))})));
  ctx.set_params_bytes(as_bytes(record));
  return Status::ok();
}

// --- Bind.

struct Texts {
  Column patterns, pad;
};

Result<Texts> read_texts(Bytes record) {
  Bytes rest = record.subspan(sizeof(TokenizerParams));
  Texts texts;
  ASSIGN_OR_RETURN(texts.patterns, Column::read(rest));
  ASSIGN_OR_RETURN(texts.pad, Column::read(rest));
  if (texts.patterns.dtype() != DType::kString || texts.pad.dtype() != DType::kString ||
      texts.pad.count() != 1) {
    return invalid_graph("the lists in its params record are not texts");
  }
  return texts;
}

Status bind_tokenizer(BindContext& ctx) {
  const auto* params = ctx.params<TokenizerParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kStrings));
  ASSIGN_OR_RETURN(const Texts texts, read_texts(ctx.params_bytes()));
  if (params->way > kExpression || params->characters_min == 0 ||
      (params->way == kExpression && texts.patterns.count() != 1)) {
    return damaged_params("it splits in way ", params->way, ", by ", texts.patterns.count(),
                          " patterns");
  }
  const auto dims = ctx.input(0).dims();
  if (dims.size() == 1 || dims.size() == 2) return Status::ok();
  return invalid_argument("the input has shape ", dims_to_string(dims), ", expected [C] or [N,C]");
}

// --- Run.

Result<std::vector<PatternPtr>> compile_all(const Column& texts) {
  std::vector<PatternPtr> patterns;
  for (size_t i = 0; i < texts.count(); ++i) {
    ASSIGN_OR_RETURN(PatternPtr pattern, Pattern::get(texts.text(i), MatchOf::kLongest));
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

// One row of the result: marks, tokens, padding.
void write_row(const Tokens& tokens, bool has_marks, std::string_view pad,
               std::span<std::string> row) {
  size_t at = 0;
  if (has_marks) row[at++] = '\x02';
  for (const std::string_view token : tokens) row[at++] = token;
  if (has_marks) row[at++] = '\x03';
  for (; at < row.size(); ++at) row[at] = pad;
}

Status run_tokenizer(RunContext& ctx) {
  const auto& params = ctx.params<TokenizerParams>();
  ASSIGN_OR_RETURN(const Texts texts, read_texts(ctx.params_bytes()));
  ASSIGN_OR_RETURN(const std::vector<PatternPtr> patterns, compile_all(texts.patterns));
  const ValueRef& x = ctx.input(0);
  const auto count = static_cast<size_t>(x.element_count());
  const auto* elements = x.as<std::string>();
  for (size_t i = 0; i < count; ++i) {
    if (!is_utf8(elements[i])) return invalid_argument("text ", i, " of the input is not UTF-8");
  }
  std::vector<Tokens> rows(count);
  constexpr int64_t kGrain = 16;
  ctx.parallel_for(x.element_count(), kGrain, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      if (params.way == kCharacters) {
        cut_characters(elements[i], rows[i]);
      } else if (params.way == kSeparators) {
        cut_by_all(patterns, elements[i], params.characters_min, rows[i]);
      } else {
        find_all(*patterns[0], elements[i], params.characters_min, rows[i]);
      }
    }
  });
  size_t longest = 0;
  for (const Tokens& row : rows) longest = std::max(longest, row.size());
  const bool has_marks = params.has_marks != 0 && longest != 0;
  if (has_marks) longest += 2;
  Dims dims(x.dims().begin(), x.dims().end());
  dims.push_back(static_cast<int64_t>(longest));
  ASSIGN_OR_RETURN(Tensor y, Tensor::create(DType::kString, std::move(dims)));
  for (size_t i = 0; i < count && longest != 0; ++i) {
    write_row(rows[i], has_marks, texts.pad.text(0),
              y.mutable_string_elements().subspan(i * longest, longest));
  }
  return ctx.give_output(0, std::move(y));
}

}  // namespace

KernelTable tokenizer_kernels() {
  static constexpr KernelRow rows[] = {
      {"Tokenizer", "com.microsoft", 1, kLatestOpset, kStrings, "tokenizer", 1, kDataDependent, 0,
       prepare_tokenizer, bind_tokenizer, run_tokenizer},
  };
  return rows;
}

}  // namespace ortc::cpu
