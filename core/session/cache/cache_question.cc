// SPDX-License-Identifier: MIT
// Questions to a cache: see the header.
#include "core/session/cache/cache_question.h"

namespace ortc {
namespace {

// What the options alone say.
std::string_view reason_to_bypass(const ModelSource& source, const SessionOptions& options) {
  const ContextSettings& context = options.context;
  if (source.make_model) return "the model was built by the program";
  if (context.enable) return "ep.context_enable=1: the program has its own compiled model written";
  if (context.compile_only) return "session.compile_only=1";
  if (context.leaves_weights()) return "contexts without weights are not kept";
  // What its functions infer and compute is not in the key.
  if (options.custom_operators != nullptr) return "the program brings custom operators";
  if (!options.optimised_model.path.empty()) return "the optimised model is written";
  return {};
}

}  // namespace

Result<CacheQuestion> ask_cache(const ModelSource& source, const SourceReader& reader,
                                const Making& making) {
  CacheQuestion question;
  question.bypass = reason_to_bypass(source, making.options());
  if (!question.bypass.empty()) return question;
  auto providers = make_providers(making);
  if (!providers.is_ok()) {
    question.bypass = str_cat("no providers can be made: ", providers.status().message());
    return question;
  }
  if (providers->claiming.empty()) {
    question.bypass = "no execution provider of the session compiles";
    return question;
  }
  auto content = reader.read();
  if (!content.is_ok()) {
    if (content.status().code() == Code::kModelLoadCanceled) return content.status();
    question.bypass = str_cat("the source cannot be hashed: ", content.status().message());
    return question;
  }
  question.content = std::move(*content);
  if (question.content.is_compiled) {
    question.bypass = "the model is compiled already";
  } else {
    question.key = cache_key(question.content, making.options(), *providers);
  }
  return question;
}

}  // namespace ortc
