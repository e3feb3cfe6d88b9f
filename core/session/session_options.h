// SPDX-License-Identifier: MIT
// What an application says before a session is made.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/context/context_data.h"
#include "core/context/sharing/sharing_group.h"
#include "core/ops/custom_operator.h"
#include "core/options/settings.h"
#include "core/platform/threads.h"
#include "core/provider/registry.h"
#include "core/run/runner.h"
#include "core/session/packed_weights.h"

namespace ortc {

// A provider chosen by name or device, with its options (without the "ep.<name>." prefix).
struct ProviderChoice {
  std::shared_ptr<const ProviderFactory> factory;
  EpDevices devices;  // that it is to use; none: as it likes
  KeyValues options;
};

// The settings, and the objects that a session is made with.
struct SessionOptions : SessionSettings {
  // Sets a config entry. A key of the session's scope sets its field, and must have a value it
  // takes; an option of a provider, ep.<name>.<option>, is kept for the provider, which judges it
  // when the session is made, one of a custom operator for that. INVALID_ARGUMENT for any other
  // key.
  Status set(std::string_view key, std::string_view value);
  // The entries as execution providers read them: what the fields say now, as texts, for every
  // entry that was set and every field that is not at its default; and the options of providers.
  KeyValues printed() const;

  std::shared_ptr<const LogSink> log_sink;  // null: the environment's
  ThreadHooks thread_hooks;
  // Set by any thread to stop making the session; copies of the options share it.
  std::shared_ptr<std::atomic<bool>> cancel_load = std::make_shared<std::atomic<bool>>(false);
  // Tensors that stand for initializers of the model, by their names.
  std::map<std::string, Tensor> initializers;
  // The same, for initializers whose bytes the model has in other files: those are not opened.
  std::map<std::string, Tensor> external_initializers;
  // Contents of files with external data, by name; when there are any, no file is opened. They stay
  // valid until the session is made.
  std::map<std::string, Bytes> external_files;
  Bytes weightless_source;  // the source of contexts without weights; borrowed until then, too
  ContextDataReader read_context_data;   // empty: contexts are files
  ContextDataWriter write_context_data;  // of a compile; for providers that write theirs
  // Of a compile to memory: a path beside which, and by whose name, libraries put what they write.
  std::string output_for_libraries;
  std::shared_ptr<SharingGroup> sharing_group;      // null: the environment's, if any
  std::shared_ptr<PackedWeights> packed_weights;    // null: weights are the session's own
  std::shared_ptr<const TensorMaker> tensor_maker;  // null: tensors_of() a pool
  // Operators of the program; null: none.
  std::shared_ptr<const CustomOperators> custom_operators;
  std::vector<std::pair<std::string, int64_t>> dim_overrides_by_name;
  std::vector<std::pair<std::string, int64_t>> dim_overrides_by_denotation;
  KeyValues config;      // entries as they were set; nothing acts on these texts
  bool lenient = false;  // for ONNX Runtime's table: what that table tolerates is a warning here
  // In the user's order; the CPU provider always comes after them.
  std::vector<ProviderChoice> providers;
};

// "custom_op.<operator>.<key>": entries that operators of the program read.
inline constexpr std::string_view kCustomOpPrefix = "custom_op.";

// "ep.<provider>.<option>" in its parts; both empty for any other key.
struct ProviderKey {
  std::string_view provider, option;
};
ProviderKey split_provider_key(std::string_view key);

}  // namespace ortc
