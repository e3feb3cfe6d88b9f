// SPDX-License-Identifier: MIT
// Keys of the cache: see the header.
#include "core/session/cache/cache_key.h"

#include <algorithm>
#include <typeinfo>

#include "core/base/version.h"
#include "core/options/option_tables.h"
#include "core/platform/machine/process.h"
#include "core/provider/context_version.h"

namespace ortc {
namespace {

// Options that may differ between two sessions of one entry. All others are in the key, also those
// that are added later: a forgotten one costs a compile, not a wrong result.
constexpr std::string_view kNotInKey[] = {
    // of the cache itself
    "ep.context_cache_dir",
    "ep.context_cache_max_bytes",
    "ep.context_cache_wait_ms",
    "ep.context_cache_if_busy",
    // where files are, and in which form: those of an entry have their own places, and the contents
    // of the source are in the key
    "ep.context_enable",
    "ep.context_file_path",
    "ep.context_embed_mode",
    "ep.context_model_external_initializers_file_name",
    "ep.context_replace_shared",
    "ep.context_source_model_path",
    "session.model_external_initializers_file_folder_path",
    "session.disable_file_mapping",
    "session.context_residency",
    "session.group_exclusive",
    "session.group_if_busy",
    // what is allowed, and what is told
    "session.disable_model_compile",
    "session.fail_on_suboptimal_compiled_model",
    "session.compile_only",
    "session.record_ep_graph_assignment_info",
    "session.log_id",
    "session.log_severity_level",
    "session.log_verbosity_level",
    "session.enable_profiling",
    // threads and memory of runs
    "session.intra_op_num_threads",
    "session.inter_op_num_threads",
    "session.intra_op_thread_affinities",
    "session.set_denormal_as_zero",
    "session.execution_mode",
    "session.use_per_session_threads",
    "session.intra_op.allow_spinning",
    "session.intra_op.spin_duration_us",
    "session.use_deterministic_compute",
    "session.enable_cpu_mem_arena",
    "session.enable_mem_pattern",
    "session.use_env_allocators",
    // who else opens the file
    "ep.share_ep_contexts",
    "ep.stop_share_ep_contexts",
};

// Contracts and versions that a provider's plans are made by.
std::string contract_of(const ProviderFactory& factory) {
  Hasher hasher;
  if (factory.kernels() != nullptr) {
    for (const KernelTable table : factory.kernels()->tables()) {
      for (const KernelRow& row : table) hasher.add(row.id).add_number(row.contract);
    }
  }
  return str_cat(factory.version(), " kernels ", hasher.finish().hex(), " build ",
                 build_id_at(&typeid(factory)));
}

void add_provider(RecordFields& parts, const std::string& place, const SessionProvider& one) {
  parts.emplace_back(place, one.factory->name());
  parts.emplace_back(str_cat(place, " contract"), contract_of(*one.factory));
  parts.emplace_back(str_cat(place, " target"), one.provider->target());
  for (const auto& [name, value] : one.options) {
    parts.emplace_back(str_cat(place, " option ", name), value);
  }
}

void add_devices(RecordFields& parts, const std::string& place, const EpDevices& devices) {
  for (size_t i = 0; i < devices.size(); ++i) {
    const HardwareDevice& hardware = *devices[i]->hardware;
    std::string text = str_cat(hardware.type, " vendor ", hardware.vendor_id, " ", hardware.vendor,
                               " device ", hardware.device_id);
    for (const auto& [name, value] : devices[i]->metadata) text += str_cat(" ", name, "=", value);
    parts.emplace_back(str_cat(place, " device ", i), std::move(text));
  }
}

void add_tensors(RecordFields& parts, std::string_view kind,
                 const std::map<std::string, Tensor>& tensors) {
  for (const auto& [name, tensor] : tensors) {
    Hasher hasher;
    hasher.add_number(static_cast<uint64_t>(tensor.dtype()));
    for (const int64_t dim : tensor.dims()) hasher.add_number(static_cast<uint64_t>(dim));
    if (tensor.dtype() == DType::kString) {
      for (const std::string& element : tensor.string_elements()) hasher.add(element);
    } else {
      hasher.add(tensor.bytes());
    }
    parts.emplace_back(str_cat(kind, " ", name), hasher.finish().hex());
  }
}

void add_dims(RecordFields& parts, std::string_view kind,
              const std::vector<std::pair<std::string, int64_t>>& dims) {
  for (const auto& [name, value] : dims)
    parts.emplace_back(str_cat(kind, " ", name), str_cat(value));
}

}  // namespace

bool is_in_key(std::string_view option) {
  return std::find(std::begin(kNotInKey), std::end(kNotInKey), option) == std::end(kNotInKey);
}

KeyValues options_in_key(const SessionSettings& settings) {
  KeyValues options;
  for (const std::span<const OptionRow> rows : option_tables(OptionScope::kSession)) {
    for (const OptionRow& row : rows) {
      if (!row.has_effect() || !is_in_key(row.key)) continue;
      std::string value = print_option(row, &settings);
      if (value != row.otherwise) options[std::string(row.key)] = std::move(value);
    }
  }
  return options;
}

CacheKey cache_key(const SourceContent& source, const SessionOptions& options,
                   const SessionProviders& providers) {
  static const int kHere = 0;
  CacheKey key;
  RecordFields& parts = key.parts;
  for (const SourceContent::File& file : source.files) {
    parts.emplace_back(file.name.empty() ? "model" : str_cat("external ", file.name),
                       str_cat(file.hash.hex(), " ", file.identity.size, " bytes"));
  }
  for (const auto& [name, value] : options_in_key(options)) {
    parts.emplace_back(str_cat("option ", name), value);
  }
  for (size_t i = 0; i < providers.claiming.size(); ++i) {
    add_provider(parts, str_cat("provider ", i + 1), providers.claiming[i]);
  }
  add_provider(parts, "default provider", providers.rest);
  for (const ProviderChoice& choice : options.providers) {
    add_devices(parts, std::string(choice.factory->name()), choice.devices);
  }
  add_tensors(parts, "initializer", options.initializers);
  add_tensors(parts, "external initializer", options.external_initializers);
  add_dims(parts, "dimension", options.dim_overrides_by_name);
  add_dims(parts, "denotation", options.dim_overrides_by_denotation);
  parts.emplace_back("library", str_cat(kLibraryVersion, " build ", build_id_at(&kHere)));
  parts.emplace_back("format", str_cat("cache 1, context ", kContextMajor, ".", kContextMinor));
  Hasher hasher;
  for (const auto& [name, value] : parts) hasher.add(name).add(value);
  key.digits = hasher.finish().hex();
  return key;
}

}  // namespace ortc
