// SPDX-License-Identifier: MIT
// Inspection: which kind of file it is, and what both kinds are told about. See the header.
#include "core/context/inspect/inspect.h"

#include <algorithm>
#include <iterator>

#include "core/context/inspect/inspect_parts.h"
#include "core/platform/file_map.h"
#include "core/platform/target_list.h"
#include "core/provider/compatibility_info.h"

namespace ortc {
namespace {

ptrdiff_t severity_of(std::string_view word) {
  static constexpr std::string_view kOrder[] = {
      "not_compiled", "optimal", "not_applicable", "prefer_recompilation", "unsupported", "broken"};
  return std::distance(std::begin(kOrder), std::find(std::begin(kOrder), std::end(kOrder), word));
}

}  // namespace

std::string_view word_of(Compatibility compatibility) {
  switch (compatibility) {
    case Compatibility::kOptimal:
      return "optimal";
    case Compatibility::kPreferRecompilation:
      return "prefer_recompilation";
    case Compatibility::kUnsupported:
      return "unsupported";
    case Compatibility::kNotApplicable:
      break;
  }
  return "not_applicable";
}

void Verdict::worsen(Verdict other) {
  if (severity_of(other.word) > severity_of(word)) *this = std::move(other);
}

Verdict judge_context(const ContextBinary& binary, const ProviderRegistry& providers) {
  const ContextHeaderInfo& header = binary.header();
  const auto factory = providers.find(header.provider);
  if (factory == nullptr) {
    return {"not_applicable",
            str_cat("this library has no execution provider '", header.provider, "'")};
  }
  CompatibilityInfo info;
  info.provider = header.provider;
  info.format_major = header.major;
  info.format_minor = header.minor;
  info.library_version = header.library_version;
  info.target = header.target;
  info.kernels = binary.kernels();
  Verdict verdict;
  verdict.word = word_of(factory->judge(print_compatibility_info(info), &verdict.reason));
  return verdict;
}

void write_verdict(JsonWriter& json, const Verdict& verdict) {
  json.field("verdict", verdict.word);
  if (!verdict.reason.empty()) json.field("reason", verdict.reason);
}

void write_header(JsonWriter& json, const ContextHeaderInfo& header) {
  json.field("format", str_cat(header.major, ".", header.minor))
      .field("library_version", header.library_version);
  json.field("requires", context_feature_names(header.required_features));
  json.field("provider", header.provider).field("target", header.target);
  json.key("targets").begin_array();
  for (const std::string_view target : target_names(header.target)) json.value(target);
  json.end_array();
  json.field("fingerprint", header.fingerprint.hex());
  json.field("generation", header.generation.hex()).field("bytes", header.file_size);
  json.field("metadata_bytes", header.metadata_size);
  json.field("tensors", static_cast<uint64_t>(header.tensor_count));
}

void write_storage(JsonWriter& json, const ContextBinary& binary) {
  const uint64_t data = binary.data_bytes(), stored = binary.stored_bytes();
  json.field("codec", binary.frame_bytes() != 0 ? "zstd" : "plain");
  json.field("data_bytes", data).field("stored_bytes", stored);
  json.field("saved_bytes", data > stored ? data - stored : uint64_t{0});
}

Result<std::string> inspect_file(const std::string& path, const InspectOptions& options,
                                 const ProviderRegistry& providers) {
  auto map = FileMap::open(path);
  if (map.is_ok()) {
    const Bytes bytes = (*map)->bytes();
    if (looks_like_context(bytes)) {
      return inspect_binary(path, FileMap::blob(*map, 0, bytes.size()), options, providers);
    }
  } else if (map.status().code() != Code::kNoSuchFile) {
    return map.status();
  }
  return inspect_model(path, options, providers);
}

}  // namespace ortc
