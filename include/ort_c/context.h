// SPDX-License-Identifier: MIT
// Compiled models seen from outside: will one run here, what is in it, and how are several put
// together? Nothing here makes a session or runs anything.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/devices.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads from a model file what it was compiled for.
///
/// Only the metadata are read; weights are skipped.
///
/// `model_path`          UTF-8.
/// `ep_type`             The execution provider, as "AotExecutionProvider".
/// `allocator`           Takes the memory of the text.
/// `compatibility_info`  A new text; give it back with OrtAllocatorFree(). NULL when the model has
///                       none for this provider, which is not a failure, and after a failure.
///
/// Fails with INVALID_ARGUMENT, NO_SUCHFILE or INVALID_GRAPH (no ONNX model). Thread-safe. Reads a
/// file. Since 1.0.
ORTC_API OrtStatus* OrtGetCompatibilityInfoFromModel(const char* model_path, const char* ep_type,
                                                     OrtAllocator* allocator,
                                                     char** compatibility_info);

/// Reads from the bytes of a model what it was compiled for.
///
/// `model_data`         Borrowed for this call.
/// `model_data_length`  In bytes, 1 to 2^31 - 1.
/// Other parameters as for OrtGetCompatibilityInfoFromModel().
///
/// Fails with INVALID_ARGUMENT or INVALID_GRAPH. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetCompatibilityInfoFromModelBytes(const void* model_data,
                                                          size_t model_data_length,
                                                          const char* ep_type,
                                                          OrtAllocator* allocator,
                                                          char** compatibility_info);

/// Says how well a compiled model fits devices.
///
/// `ep_devices`          Borrowed. One or more devices, all of the same execution provider.
/// `num_ep_devices`      How many, at least 1.
/// `compatibility_info`  Borrowed for this call. A text from OrtGetCompatibilityInfoFromModel().
/// `out_status`          The answer; EP_NOT_APPLICABLE when the provider cannot tell.
///
/// Fails with INVALID_ARGUMENT, or what the provider says. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtGetModelCompatibilityForEpDevices(const OrtEpDevice* const* ep_devices,
                                                         size_t num_ep_devices,
                                                         const char* compatibility_info,
                                                         OrtCompiledModelCompatibility* out_status);

// Inspection: ortc's own.

/// Bits for OrtInspectFile().
typedef enum OrtInspectFlags {
  OrtInspectFlags_NONE = 0,
  OrtInspectFlags_DETAILS = 1,      // list each node and tensor, not only their numbers
  OrtInspectFlags_VERIFY_DATA = 2,  // read all compiled data and compare their checksums
  OrtInspectFlags_SUMMARY = 4,      // of a model: parameters, operations and memory of each node
  OrtInspectFlags_STRUCTURE = 8,    // of a model: what each node reads, tensors in files it uses
} OrtInspectFlags;

/// Describes a file, without running or changing anything: an ONNX model, compiled or not, or a
/// context binary. Files that the model refers to are named and, where needed, opened.
///
/// `path`   UTF-8.
/// `flags`  Bits of OrtInspectFlags.
/// `out`    A new object; give it back with OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT (an unknown flag as well), NO_SUCHFILE, INVALID_PROTOBUF (neither a
/// model nor a context binary) or INVALID_GRAPH (a damaged context binary). Faults of files that
/// the model refers to stand in the result instead. Thread-safe. Reads files. Since 1.0.
ORTC_API OrtStatus* OrtInspectFile(const char* path, uint32_t flags, OrtInspection** out);

/// Shows the description as a JSON object. Its member `kind` is "onnx_model" or "context_binary".
///
/// Members may be added in later releases; none changes its meaning. Sizes end in `_bytes`.
///
/// `inspection`  Borrowed.
/// `out`         Borrowed; lives as long as `inspection`. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtInspection_GetJson(const OrtInspection* inspection, const char** out);

/// Gives a description back.
///
/// `inspection`  Ends here, and with it what was borrowed from it. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseInspection(OrtInspection* inspection);

/// Says what is different in two files: two models, compiled or not, or two context binaries.
///
/// The JSON of the result has `equal` and, for each kind of thing (fields, metadata, values, nodes,
/// weights, contexts, graphs), how many are in both, and which are only in one or are different.
///
/// `first_path`   UTF-8.
/// `second_path`  UTF-8.
/// `out`          A new object; give it back with OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT when one is a model and the other is not, or as OrtInspectFile()
/// does. Thread-safe. Reads files. Since 1.0.
ORTC_API OrtStatus* OrtDiffFiles(const char* first_path, const char* second_path,
                                 OrtInspection** out);

/// Makes a model that also gives every tensor of its main graph, so that two models can be compared
/// step by step.
///
/// Weights and contexts that are in files stay there: a session of the bytes needs the folder of
/// the model for them.
///
/// `model_path`        UTF-8.
/// `allocator`         Gives the memory.
/// `model_data`        Set to the bytes; give them back with OrtAllocatorFree(). NULL after a
///                     failure.
/// `model_data_length` Set to their number; 0 after a failure.
///
/// Fails with INVALID_ARGUMENT, NO_SUCHFILE, INVALID_PROTOBUF or INVALID_GRAPH. Thread-safe. Reads
/// files. Since 1.0.
ORTC_API OrtStatus* OrtExposeModelValues(const char* model_path, OrtAllocator* allocator,
                                         void** model_data, size_t* model_data_length);

// Changes of compiled models: ortc's own. None makes a session or compiles; contexts are carried
// over byte for byte unless names inside them change. Output is all or nothing; the models that are
// read, and files that other models of the folder read, are never replaced. The JSON of a report
// has `files` (path and bytes of each) and `renamed` (model, kind, from, to).

/// Bits for the functions below.
typedef enum OrtEditFlags {
  OrtEditFlags_NONE = 0,
  OrtEditFlags_NO_OVERWRITE = 1,    // fail when an output is there already
  OrtEditFlags_REPLACE_SHARED = 2,  // replace also what other models of the folder read
  OrtEditFlags_EXTERNAL = 4,        // OrtPackModel(): out of the model, into files beside it
} OrtEditFlags;

/// Puts everything that a compiled model needs into it: contexts and initializers that are in files
/// beside it. With EXTERNAL the other way: its contexts go to files beside the output.
///
/// `model_path`   UTF-8.
/// `output_path`  UTF-8; needs a file name with extension. Other files are named after it.
/// `flags`        Bits of OrtEditFlags.
/// `progress`     Hears how far it is, as of a compile, and stops it: nothing is left then. May be
///                NULL. Not called after the call has returned.
/// `state`        Goes to `progress`.
/// `out`          A new report; give it back with OrtReleaseInspection(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT (no EPContext node as well), NO_SUCHFILE, INVALID_PROTOBUF,
/// INVALID_GRAPH (a context is missing, damaged or of another model) or FAIL (a file cannot be
/// written, or the model would pass 2 GiB). Thread-safe. Reads and writes files. Since 1.0.
ORTC_API OrtStatus* OrtPackModel(const char* model_path, const char* output_path, uint32_t flags,
                                 OrtProgressFn progress, void* state, OrtInspection** out);

/// Makes one model of several, side by side or one feeding the other.
///
/// What a later model calls as an earlier one does gets the name of the later model's file (without
/// "_ctx.onnx") and a slash in front. Inputs and outputs that are connected are none any more.
///
/// `model_paths`      Borrowed for this call. Two or more, UTF-8.
/// `num_models`       How many.
/// `connections`      Borrowed for this call. Each "enc.y=dec.x": output y of the model
///                    "enc_ctx.onnx" is input x of "dec_ctx.onnx". Numbers from 1 name models too.
///                    May be NULL when there are none.
/// `num_connections`  How many.
/// Other parameters as for OrtPackModel().
///
/// Fails with INVALID_ARGUMENT naming what does not fit together (opsets, targets, types, sizes
/// that nothing would compare, names that cannot be changed), or as OrtPackModel() does.
/// Thread-safe. Reads and writes files. Since 1.0.
ORTC_API OrtStatus* OrtMergeModels(const char* const* model_paths, size_t num_models,
                                   const char* const* connections, size_t num_connections,
                                   const char* output_path, uint32_t flags, OrtProgressFn progress,
                                   void* state, OrtInspection** out);

/// Makes a model of one EPContext node, with its own graph of the context alone.
///
/// `node_name`  Borrowed for this call. The node, also one in a sub-graph.
/// Other parameters as for OrtPackModel().
///
/// Fails with INVALID_ARGUMENT (no such node, two of that name, a value whose type the model does
/// not say), or as OrtPackModel() does. Thread-safe. Reads and writes files. Since 1.0.
ORTC_API OrtStatus* OrtExtractContext(const char* model_path, const char* node_name,
                                      const char* output_path, uint32_t flags,
                                      OrtProgressFn progress, void* state, OrtInspection** out);

/// Puts a prefix in front of the names of EPContext nodes and of their graphs; contexts are written
/// again.
///
/// `prefix`  Borrowed for this call. Not empty.
/// Other parameters as for OrtPackModel().
///
/// Fails with NOT_IMPLEMENTED for a context that only another runtime can read, or as
/// OrtPackModel() does. Thread-safe. Reads and writes files. Since 1.0.
ORTC_API OrtStatus* OrtPrefixModel(const char* model_path, const char* prefix,
                                   const char* output_path, uint32_t flags, OrtProgressFn progress,
                                   void* state, OrtInspection** out);

#ifdef __cplusplus
}
#endif
