// SPDX-License-Identifier: MIT
// Options for libraries: see the header.
#include "core/api/plugin/shown_options.h"

namespace ortc::api {

std::unique_ptr<OrtSessionOptions> show_options(const SessionOptions* from,
                                                const KeyValues& options,
                                                const ProviderFactory& factory) {
  auto shown = std::make_unique<OrtSessionOptions>();
  if (from != nullptr) shown->options = *from;
  shown->options.providers.clear();
  if (from != nullptr && !from->output_for_libraries.empty()) {
    shown->options.context.file_path = from->output_for_libraries;
  }
  // A library's group ends with its last model, and one that has a handle has none: each model has
  // files of its own there.
  ContextSettings& context = shown->options.context;
  if (context.enable && shown->options.sharing_group != nullptr) {
    context.share = context.stop_share = false;
  }
  shown->options.config = shown->options.printed();
  const std::string prefix = option_prefixes(factory).front();
  for (const auto& [key, value] : options) {
    shown->options.config[str_cat("ep.", prefix, ".", key)] = value;
  }
  return shown;
}

}  // namespace ortc::api
