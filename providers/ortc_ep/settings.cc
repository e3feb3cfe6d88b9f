// SPDX-License-Identifier: MIT
// What a session of the host says to its provider: config entries, options, functions of the
// program.
#include <charconv>

#include "core/base/ascii.h"
#include "core/options/option_tables.h"
#include "ort_c/model_compiler.h"
#include "ort_c/session_options.h"
#include "providers/ortc_ep/ep.h"

// Of the host's experimental functions.
struct OrtEpContextConfig;

namespace ortc::ort_ep {
namespace {

constexpr std::string_view kThreads = "intra_op_num_threads";

// Keys of the host's own that are read here. It has judged them, or lets them pass: a value that
// means nothing is as good as none, as it is there.
constexpr std::string_view kHostKeys[] = {
    "ep.context_enable",
    "ep.context_file_path",
    "ep.context_embed_mode",
    "ep.context_node_name_prefix",
    "ep.share_ep_contexts",
    "ep.stop_share_ep_contexts",
    "ep.enable_weightless",
    "ep.enable_weightless_ep_context_nodes",
    "session.qdq_matmulnbits_accuracy_level",
};
// Keys that nobody but this library knows.
constexpr std::string_view kOwnKeys[] = {
    "ep.context_compression",
    "ep.context_replace_shared",
    "session.disable_file_mapping",
};

using GetConfig = OrtStatus* (*)(const OrtSessionOptions*, OrtEpContextConfig**);
using ReleaseConfig = void (*)(OrtEpContextConfig*);
using GetRead = OrtStatus* (*)(const OrtEpContextConfig*, OrtReadNamedBufferFunc*, void**);
using GetWrite = OrtStatus* (*)(const OrtEpContextConfig*, OrtWriteNamedBufferFunc*, void**);

ContextDataReader reader_of(const Host& host, OrtReadNamedBufferFunc function, void* state) {
  return [host, function, state](const std::string& name) -> Result<Blob> {
    OrtAllocator* allocator = nullptr;
    void* bytes = nullptr;
    size_t size = 0;
    ORTC_ASK(host, GetAllocatorWithDefaultOptions(&allocator));
    RETURN_IF_ERROR(host.take(function(state, name.c_str(), allocator, &bytes, &size)));
    const std::shared_ptr<const void> owner(
        bytes, [allocator](void* block) { allocator->Free(allocator, block); });
    // A copy: what is read lives as long as sessions do, and the host's allocator may not.
    ASSIGN_OR_RETURN(Tensor copy, Tensor::create(DType::kUint8, {static_cast<int64_t>(size)}));
    if (size != 0 && bytes == nullptr) return fail("the function gave no bytes for '", name, "'");
    if (size != 0) std::memcpy(copy.mutable_data(), bytes, size);
    return Blob(copy.bytes(), copy.owner());
  };
}

ContextDataWriter writer_of(const Host& host, OrtWriteNamedBufferFunc function, void* state) {
  return [host, function, state](const std::string& name, Bytes data) {
    return host.take(function(state, name.c_str(), data.data(), data.size()));
  };
}

struct ConfigFunctions {
  GetConfig get;
  ReleaseConfig release;
  GetRead get_read;
  GetWrite get_write;
};

// Entries of the table from version 31 on, got by name before.
ConfigFunctions config_functions(const Host& host) {
  if (host.version >= kContextFunctionsHost) {
    const OrtEpApi& ep = *host.ep;
    return {ep.SessionOptionsGetEpContextConfig, ep.ReleaseEpContextConfig,
            ep.EpContextConfigGetEpContextDataReadFunc,
            ep.EpContextConfigGetEpContextDataWriteFunc};
  }
  return {
      host.experimental<GetConfig>("OrtEpApi_SessionOptions_GetEpContextConfig_SinceV28"),
      host.experimental<ReleaseConfig>("OrtEpApi_ReleaseEpContextConfig_SinceV28"),
      host.experimental<GetRead>("OrtEpApi_EpContextConfig_GetEpContextDataReadFunc_SinceV28"),
      host.experimental<GetWrite>("OrtEpApi_EpContextConfig_GetEpContextDataWriteFunc_SinceV28")};
}

// The program's functions for context data, where the host has such.
Status read_functions(const Host& host, const OrtSessionOptions& options, EpSettings& settings) {
  const auto [get, release, get_read, get_write] = config_functions(host);
  if (get == nullptr || release == nullptr || get_read == nullptr || get_write == nullptr) {
    return Status::ok();
  }
  OrtEpContextConfig* config = nullptr;
  RETURN_IF_ERROR(host.take(get(&options, &config)));
  const std::unique_ptr<OrtEpContextConfig, ReleaseConfig> owner(config, release);
  OrtReadNamedBufferFunc read = nullptr;
  OrtWriteNamedBufferFunc write = nullptr;
  void *read_state = nullptr, *write_state = nullptr;
  RETURN_IF_ERROR(host.take(get_read(config, &read, &read_state)));
  RETURN_IF_ERROR(host.take(get_write(config, &write, &write_state)));
  if (read != nullptr) settings.read = reader_of(host, read, read_state);
  if (write != nullptr) settings.write = writer_of(host, write, write_state);
  return Status::ok();
}

// "ep.<name>.<option>", of each name that the provider has; the last one given counts.
KeyValues options_of(const Shared& shared, const KeyValues& entries) {
  std::vector<std::string> prefixes = option_prefixes(*shared.aot);
  prefixes.push_back(ascii_lower(shared.ep_name));
  KeyValues options;
  for (const std::string& prefix : prefixes) {
    const std::string begin = str_cat("ep.", prefix, ".");
    for (auto it = entries.lower_bound(begin); it != entries.end(); ++it) {
      if (!it->first.starts_with(begin)) break;
      options[it->first.substr(begin.size())] = it->second;
    }
  }
  return options;
}

// All other keys are the host's business.
Status read_entries(const KeyValues& entries, SessionSettings& settings) {
  for (const std::string_view key : kHostKeys) {
    const auto found = entries.find(std::string(key));
    if (found == entries.end()) continue;
    const OptionRow& row = *find_option(OptionScope::kSession, key);
    if (check_option(row, found->second).is_ok()) {
      RETURN_IF_ERROR(set_option(row, &settings, found->second));
    }
  }
  for (const std::string_view key : kOwnKeys) {
    const auto found = entries.find(std::string(key));
    if (found == entries.end()) continue;
    RETURN_IF_ERROR(set_session_option(settings, key, found->second));
  }
  return Status::ok();
}

}  // namespace

Result<EpSettings> read_settings(const Host& host, const OrtSessionOptions& options,
                                 const Shared& shared) {
  ASSIGN_OR_RETURN(const KeyValues entries, config_of(host, options));
  EpSettings settings;
  RETURN_IF_ERROR(read_entries(entries, settings.session));
  settings.session.context.overwrite = true;  // the host looks at what stands there
  settings.options = options_of(shared, entries);
  if (const auto found = settings.options.find(std::string(kThreads));
      found != settings.options.end()) {
    const std::string& text = found->second;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), settings.thread_count);
    if (error != std::errc() || end != text.data() + text.size() || settings.thread_count < 0) {
      return invalid_argument(shared.ep_name, ": ", kThreads, ": expected a number of threads, ",
                              "found '", text, "'");
    }
    settings.options.erase(found);
  }
  RETURN_IF_ERROR(shared.aot->check_options(settings.options));
  RETURN_IF_ERROR(read_functions(host, options, settings));
  return settings;
}

}  // namespace ortc::ort_ep
