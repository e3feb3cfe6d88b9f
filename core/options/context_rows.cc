// SPDX-License-Identifier: MIT
// Config keys of compiled models: making them with a session, sharing them, finding them again.
#include "core/options/option_tables.h"
#include "core/options/relative_name.h"

namespace ortc {
namespace {

#define FIELD(path) \
  [](void* settings) -> OptionPlace { return &static_cast<SessionSettings*>(settings)->path; }

constexpr OptionWord kCacheIfBusy[] = {{"wait", 0}, {"source", 1}};

// Compiled models: making them with a session, sharing their weights, and finding them again.
constexpr OptionRow kContextRows[] = {
    {"ep.context_enable", "kOrtSessionOptionEpContextEnable", flag(), "0",
     "\"1\": making a session also writes a compiled model.", FIELD(context.enable)},
    {"ep.context_file_path", "kOrtSessionOptionEpContextFilePath", text(), "",
     "Where that model goes; for a model from memory, the folder where its contexts are.",
     FIELD(context.file_path)},
    {"ep.context_embed_mode", "kOrtSessionOptionEpContextEmbedMode", flag(), "0",
     "\"1\": context data go into the model; \"0\": into a file beside it.", FIELD(context.embed)},
    {"ep.context_node_name_prefix", "kOrtSessionOptionEpContextNodeNamePrefix", text(), "",
     "Stands before the names of EPContext nodes, to keep models of a group apart.",
     FIELD(context.node_name_prefix)},
    {"ep.context_model_external_initializers_file_name",
     "kOrtSessionOptionsEpContextModelExternalInitializersFileName", text(), "",
     "A file for the initializers left in the compiled model; relative to its folder.",
     FIELD(context.external_initializers), judge_relative_name},
    {"ep.context_compression", "kOrtSessionOptionEpContextCompression", compression(), "none",
     "How context data are stored: \"none\" is mapped when it is loaded, \"zstd\" (level 3) is "
     "smaller and is decompressed then. Ours, not ONNX Runtime's.",
     FIELD(context.compression)},
    {"ep.context_external_initializers_compression",
     "kOrtSessionOptionEpContextExternalInitializersCompression", compression(), "none",
     "The same for the file of ep.context_model_external_initializers_file_name; only ortc reads "
     "a model whose file is compressed. Ours, not ONNX Runtime's.",
     FIELD(context.initializers_compression)},
    {"ep.context_replace_shared", "kOrtSessionOptionEpContextReplaceShared", flag(), "0",
     "\"1\": an output may replace a file that another model of the folder reads. Ours, not ONNX "
     "Runtime's.",
     FIELD(context.replace_shared)},
    {"ep.share_ep_contexts", "kOrtSessionOptionShareEpContexts", flag(), "0",
     "\"1\": models of a group share one context binary; their files appear with the last one.",
     FIELD(context.share)},
    {"ep.stop_share_ep_contexts", "kOrtSessionOptionStopShareEpContexts", flag(), "0",
     "\"1\": this model is the last of its group, which is published with it.",
     FIELD(context.stop_share)},
    {"ep.enable_weightless_ep_context_nodes", "kOrtSessionOptionEpEnableWeightlessEpContextNodes",
     flag(), "0", "\"1\": weights become inputs of EPContext nodes; else as the next key.",
     FIELD(context.weightless_nodes)},
    {"ep.enable_weightless", "kOrtSessionOptionEpEnableWeightless", flag(), "0",
     "\"1\": contexts without weights, which stay in the source model. EP_FAIL for providers that "
     "cannot.",
     FIELD(context.weightless)},
    {"ep.context_source_model_path", "kOrtSessionOptionEpContextSourceModelPath", text(), "",
     "Where a context without weights finds them: the model it was compiled from.",
     FIELD(context.source_model_path)},
    {"session.disable_model_compile", "kOrtSessionOptionsDisableModelCompile", flag(), "0",
     "\"1\": only compiled models load; others are MODEL_REQUIRES_COMPILATION.",
     FIELD(context.disable_compile)},
    {"session.fail_on_suboptimal_compiled_model", "kOrtSessionOptionsFailOnSuboptimalCompiledModel",
     flag(), "0", "\"1\": a context that would run better when compiled again is a failure.",
     FIELD(context.fail_on_suboptimal)},
    {"session.compile_only", "kOrtSessionOptionCompileOnly", flag(), "0",
     "Set by the compile functions themselves.", FIELD(context.compile_only)},
    {"session.model_external_initializers_file_folder_path",
     "kOrtSessionOptionsModelExternalInitializersFileFolderPath", text(), "",
     "The folder of external data, in place of the model's.", FIELD(context.external_folder)},
    {"ep.context_cache_dir", "kOrtSessionOptionEpContextCacheDir", text(), "",
     "A folder where compiled models are kept: a session finds its own there, or makes and keeps "
     "it. Ours, not ONNX Runtime's, as all keys of the cache.",
     FIELD(context.cache_folder)},
    {"ep.context_cache_max_bytes", "kOrtSessionOptionEpContextCacheMaxBytes", bytes(),
     "34359738368", "What is kept there takes no more; the longest unused goes. 0: no limit.",
     FIELD(context.cache_bytes_max)},
    {"ep.context_cache_wait_ms", "kOrtSessionOptionEpContextCacheWaitMs", number(0, 2147483647),
     "60000",
     "How long to wait for another process that compiles the same, or keeps the folder locked (a "
     "second at least).",
     FIELD(context.cache_wait_ms)},
    {"ep.context_cache_if_busy", "kOrtSessionOptionEpContextCacheIfBusy", word(kCacheIfBusy),
     "wait", "\"source\": do not wait for it, but run from the source model.",
     FIELD(context.cache_source_if_busy)},
};

#undef FIELD

}  // namespace

std::span<const OptionRow> context_rows() { return kContextRows; }

}  // namespace ortc
