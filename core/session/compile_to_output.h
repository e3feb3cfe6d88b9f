// SPDX-License-Identifier: MIT
// The Compile API over a compile-only session: options in, a context model out; no session is left
// behind.
#pragma once

#include "core/context/output/output_set.h"
#include "core/session/session.h"

namespace ortc {

enum CompileFlags : uint32_t {
  kCompileNone = 0,
  kErrorIfNoNodesCompiled = 1,
  kErrorIfOutputExists = 2,  // unknown bits are ignored
};

// A copy of the session options with what the Compile API changes: generation on, compile-only,
// level 0, overwriting.
struct CompileOptions : CompileSettings {
  SessionOptions session;
  ModelSource input;  // the last setter wins
  // Where the model goes in place of a file; its binary, if it has one, goes to the folder of
  // SetEpContextBinaryInformation, else where the setting of the output path says, else beside the
  // source.
  std::optional<ModelStream> output_stream;
  bool output_is_buffer = false;  // the stream fills one that is there when compiling ends
  std::string output_binary_folder, output_binary_model_name;  // SetEpContextBinaryInformation
  ProgramFiles program;            // its functions are called on the compiling thread
  std::optional<bool> weightless;  // in place of the setting
  bool replace_shared = false;     // files that other models read may be replaced

  void set_flags(uint32_t flags);
  static CompileOptions from(const SessionOptions& options);
};

// INVALID_ARGUMENT when input or output location is missing or the input file does not exist;
// INVALID_GRAPH when the input is compiled already; otherwise what Session::create gives.
Result<CompileReport> compile_to_output(const std::shared_ptr<const Environment>& environment,
                                        const CompileOptions& options,
                                        const MakingLimits& limits = {});

}  // namespace ortc
