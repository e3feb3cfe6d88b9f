// SPDX-License-Identifier: MIT
// A model: the main graph, opsets, metadata and local functions, and where its bytes came from.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/graph/graph.h"
#include "core/platform/file_map.h"
#include "core/platform/threads.h"
#include "core/platform/work.h"

namespace ortc {

inline constexpr int64_t kOldestIrVersion = 3;
inline constexpr int64_t kNewestIrVersion = 14;

struct Model {
  int64_t ir_version = 8;
  std::string producer_name, producer_version, domain;
  int64_t model_version = 0;
  std::string doc;
  std::vector<std::pair<std::string, std::string>> metadata;  // keys are unique
  std::shared_ptr<const OpsetImports> opsets;
  std::shared_ptr<Graph> graph;
  std::vector<std::string> functions;  // wire bytes of FunctionProtos; empty once inlined
  std::string unknown_fields;
  std::string path;  // "" when it came from memory

  const std::string* metadata_value(std::string_view key) const;
  void set_metadata(std::string key, std::string value);
};

// What a model says of itself, for another one that is made of it: everything but graph, functions
// and path. The IR version is at least the first whose initializers need not be inputs.
Model shell_of(const Model& model);

struct ImportOptions {
  // Where external data are: the model's folder by default, "" and a memory source: the current
  // folder.
  std::string external_data_folder;
  Access access = Access::kMap;
  // Opsets of domains that the model uses without importing them.
  OpsetImports default_opsets;
  Logger logger;
  // Where an external data file stands now, when a writer has published it under another name
  // first.
  std::function<std::string(const std::string&)> current_name;
  // The same for context binaries, in which initializers of a compiled model may stand: a model
  // that is a file has them in its own folder. The function, where there is one, is asked for them
  // by the names in nodes.
  std::string context_folder;
  std::function<Result<Blob>(const std::string&)> read_context;
  // Where it is said which files of external data were opened; null: nowhere.
  std::vector<ReadFile>* opened_files = nullptr;
  // Contents of external data files by name; when there are any, no such file is opened.
  std::map<std::string, Bytes> external_contents;
  // Tensors in place of initializers of these names, whose own bytes are then not looked at;
  // INVALID_ARGUMENT when type or shape differ. Those of the second map are for initializers with
  // external data only: FAIL for others.
  std::map<std::string, Tensor> initializers, external_initializers;
  // For those who only describe a model: what external data cannot be read is said here, each
  // message once, and zeros stand for them.
  std::vector<std::string>* missing_external_data = nullptr;
  // Who decompresses external data of the main graph, as part of `work`; null: the caller's thread,
  // one after the other.
  ThreadPool* pool = nullptr;
  Work work;
};

// bytes -> Model. Constants are views of `source` or of external data files, mapped once each; data
// not aligned to their element are copied. Local functions are inlined, names
// resolved, captures linked; types are what the file says. INVALID_PROTOBUF when the bytes are no
// ONNX model; INVALID_GRAPH when its graph is impossible (cycles, duplicate names, unknown names,
// dims whose product overflows); FAIL for an IR version out of range and for external data that are
// missing, out of range or outside the folder; NO_SUCHFILE for the model itself; NOT_IMPLEMENTED
// for functions that import another opset than the model. Initializers of IR version 3 are no
// inputs here, although the file lists them; export lists them again.
Result<std::unique_ptr<Model>> import_model_file(const std::string& path,
                                                 const ImportOptions& options);
Result<std::unique_ptr<Model>> import_model_file(const std::shared_ptr<const FileMap>& file,
                                                 const ImportOptions& options);
Result<std::unique_ptr<Model>> import_model_bytes(Blob source, const ImportOptions& options);

}  // namespace ortc
