// SPDX-License-Identifier: MIT
// Storing and loading programs: see the header.
#include "npu_contexts.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "npu_ep.h"

namespace virtual_npu {
namespace {

// Before version 31 the application's functions were experimental: asked for by name.
template <typename Function>
Function experimental(const Tables& tables, const char* name) {
  return reinterpret_cast<Function>(tables.ort.GetExperimentalFunction(name));
}

using GetConfig = OrtStatus* (*)(const OrtSessionOptions*, OrtEpContextConfig**);
using ReleaseConfig = void (*)(OrtEpContextConfig*);
using GetRead = OrtStatus* (*)(const OrtEpContextConfig*, OrtReadNamedBufferFunc*, void**);
using GetWrite = OrtStatus* (*)(const OrtEpContextConfig*, OrtWriteNamedBufferFunc*, void**);

struct ConfigFunctions {
  GetConfig get;
  ReleaseConfig release;
  GetRead get_read;
  GetWrite get_write;
};

ConfigFunctions config_functions(const Tables& tables) {
  if (tables.version >= 31) {
    return {tables.ep.SessionOptionsGetEpContextConfig, tables.ep.ReleaseEpContextConfig,
            tables.ep.EpContextConfigGetEpContextDataReadFunc,
            tables.ep.EpContextConfigGetEpContextDataWriteFunc};
  }
  return {
      experimental<GetConfig>(tables, "OrtEpApi_SessionOptions_GetEpContextConfig_SinceV28"),
      experimental<ReleaseConfig>(tables, "OrtEpApi_ReleaseEpContextConfig_SinceV28"),
      experimental<GetRead>(tables, "OrtEpApi_EpContextConfig_GetEpContextDataReadFunc_SinceV28"),
      experimental<GetWrite>(tables,
                             "OrtEpApi_EpContextConfig_GetEpContextDataWriteFunc_SinceV28")};
}

void read_functions(const Tables& tables, const OrtSessionOptions& options,
                    ContextSettings& settings) {
  const auto [get, release, get_read, get_write] = config_functions(tables);
  if (get == nullptr || release == nullptr || get_read == nullptr || get_write == nullptr) return;
  OrtEpContextConfig* config = nullptr;
  check(get(&options, &config));
  const std::unique_ptr<OrtEpContextConfig, ReleaseConfig> owner(config, release);
  check(get_read(config, &settings.read, &settings.read_state));
  check(get_write(config, &settings.write, &settings.write_state));
}

std::string name_of(const Tables& tables, const OrtNode& node) {
  const char* name = nullptr;
  check(tables.ort.Node_GetName(&node, &name));
  return name;
}

using ListNames = OrtStatus* (*)(const OrtNode*, const OrtValueInfo**, size_t);

std::vector<std::string> names_of(const Tables& tables, const OrtNode& node, size_t count,
                                  ListNames list) {
  std::vector<const OrtValueInfo*> values(count);
  check(list(&node, values.data(), count));
  std::vector<std::string> names;
  for (const OrtValueInfo* value : values) {
    const char* name = "";
    if (value != nullptr) check(tables.ort.GetValueInfoName(value, &name));
    names.emplace_back(name);
  }
  return names;
}

// A list of attributes that ends what it holds: the node takes over those that it gets.
class Attributes {
 public:
  explicit Attributes(const Tables& tables) : tables_(tables) {}
  ~Attributes() {
    for (OrtOpAttr* attribute : list_) tables_.ort.ReleaseOpAttr(attribute);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  void add(const char* name, int64_t number) {
    list_.push_back(nullptr);
    check(tables_.ort.CreateOpAttr(name, &number, 1, ORT_OP_ATTR_INT, &list_.back()));
  }
  void add(const char* name, const std::string& text) {
    list_.push_back(nullptr);
    check(tables_.ort.CreateOpAttr(name, text.data(), static_cast<int>(text.size()),
                                   ORT_OP_ATTR_STRING, &list_.back()));
  }
  std::vector<OrtOpAttr*>& list() { return list_; }

 private:
  const Tables& tables_;
  std::vector<OrtOpAttr*> list_;
};

// A name that stands in a model, or in its options, does not lead out of the model's folder.
void check_name(const std::string& name) {
  const std::filesystem::path path(name);
  if (!path.empty() && !path.is_absolute() && std::count(path.begin(), path.end(), "..") == 0) {
    return;
  }
  throw std::invalid_argument("the context's name '" + name + "' leaves the model's folder");
}

void write_outside(const ContextSettings& settings, const std::string& folder,
                   const std::string& name, const std::string& bytes) {
  check_name(name);
  if (settings.write != nullptr) {
    check(settings.write(settings.write_state, name.c_str(), bytes.data(), bytes.size()));
    return;
  }
  // What is there stays as it is until all of the new file is written.
  const std::string path = folder + name, beside = path + ".new";
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file && std::rename(beside.c_str(), path.c_str()) == 0) return;
  std::remove(beside.c_str());
  throw std::runtime_error("cannot write '" + path + "'");
}

// What stands in the node: the program, or the name under which it will be found.
std::string content_of(const ContextSettings& settings, const std::string& partition,
                       const Program& program) {
  if (settings.is_shared) {
    if (settings.is_embedded) {
      throw std::runtime_error(
          "contexts in the model share nothing: ep.share_ep_contexts=1 needs "
          "ep.context_embed_mode=0");
    }
    return settings.workspace->add(settings.model_path, partition, program);
  }
  if (settings.is_embedded) return to_bytes(program);
  const std::string name = partition + ".bin";
  write_outside(settings, folder_of(settings.model_path), name, to_bytes(program));
  return name;
}

std::string read_by_function(const Tables& tables, const ContextSettings& settings,
                             const std::string& name) {
  OrtAllocator* allocator = nullptr;
  check(tables.ort.GetAllocatorWithDefaultOptions(&allocator));
  void* block = nullptr;
  size_t size = 0;
  check(settings.read(settings.read_state, name.c_str(), allocator, &block, &size));
  const std::string bytes(static_cast<const char*>(block), block != nullptr ? size : 0);
  allocator->Free(allocator, block);
  return bytes;
}

// What is no file, as a pipe, would be waited for: it is opened without waiting, and not read.
std::string read_file(const std::string& folder, const std::string& name) {
  check_name(name);
  const int opened = open((folder + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const std::unique_ptr<FILE, int (*)(FILE*)> file(opened >= 0 ? fdopen(opened, "rb") : nullptr,
                                                   fclose);
  struct stat found {};
  std::string bytes;
  if (file != nullptr && fstat(opened, &found) == 0 && S_ISREG(found.st_mode)) {
    bytes.resize(static_cast<size_t>(found.st_size));
    if (fread(bytes.data(), 1, bytes.size(), file.get()) == bytes.size()) return bytes;
  }
  throw std::invalid_argument("the context '" + name + "' cannot be read");
}

}  // namespace

ContextSettings read_context_settings(const Tables& tables, const OrtSessionOptions& options,
                                      Workspace& workspace) {
  ContextSettings settings;
  settings.workspace = &workspace;
  settings.is_shared = entry_of(tables, options, "ep.share_ep_contexts") == "1";
  settings.is_last = entry_of(tables, options, "ep.stop_share_ep_contexts") == "1";
  settings.is_on = entry_of(tables, options, "ep.context_enable") == "1";
  settings.is_embedded = entry_of(tables, options, "ep.context_embed_mode") == "1";
  settings.model_path = entry_of(tables, options, "ep.context_file_path");
  read_functions(tables, options, settings);
  return settings;
}

std::string model_path_of(const Tables& tables, const OrtGraph& graph) {
  const char* path = nullptr;
  check(tables.ort.Graph_GetModelPath(&graph, &path));
  return path;
}

std::vector<std::string> input_names(const Tables& tables, const OrtNode& node) {
  size_t count = 0;
  check(tables.ort.Node_GetNumInputs(&node, &count));
  return names_of(tables, node, count, tables.ort.Node_GetInputs);
}

std::vector<std::string> output_names(const Tables& tables, const OrtNode& node) {
  size_t count = 0;
  check(tables.ort.Node_GetNumOutputs(&node, &count));
  return names_of(tables, node, count, tables.ort.Node_GetOutputs);
}

std::string text_attribute(const Tables& tables, const OrtNode& node, const char* name) {
  const OrtOpAttr* attribute = nullptr;
  if (OrtStatus* status = tables.ort.Node_GetAttributeByName(&node, name, &attribute)) {
    tables.ort.ReleaseStatus(status);
    return {};
  }
  if (attribute == nullptr) return {};
  size_t size = 0;
  if (OrtStatus* status = tables.ort.ReadOpAttr(attribute, ORT_OP_ATTR_STRING, nullptr, 0, &size)) {
    tables.ort.ReleaseStatus(status);  // it only tells the size
  }
  std::string text(size, '\0');
  check(tables.ort.ReadOpAttr(attribute, ORT_OP_ATTR_STRING, text.data(), size, &size));
  return text;
}

OrtNode* store_context(const Tables& tables, const ContextSettings& settings, const OrtNode& fused,
                       const Program& program) {
  const std::string partition = name_of(tables, fused);
  Attributes attributes(tables);
  attributes.add("main_context", 1);
  attributes.add("embed_mode", settings.is_embedded ? 1 : 0);
  attributes.add("ep_cache_context", content_of(settings, partition, program));
  attributes.add("partition_name", partition);
  attributes.add("source", kEpName);
  const auto inputs = input_names(tables, fused), outputs = output_names(tables, fused);
  std::vector<const char*> in, out;
  for (const std::string& name : inputs) in.push_back(name.c_str());
  for (const std::string& name : outputs) out.push_back(name.c_str());
  OrtNode* node = nullptr;
  check(tables.editor.CreateNode("EPContext", "com.microsoft", partition.c_str(), in.data(),
                                 in.size(), out.data(), out.size(), attributes.list().data(),
                                 attributes.list().size(), &node));
  attributes.list().clear();  // they are the node's now
  return node;
}

void write_shared(const ContextSettings& settings, bool ends_group) {
  const std::string folder = folder_of(settings.model_path);
  const auto binary = settings.workspace->take(folder);
  if (ends_group) settings.workspace->end(folder);
  if (!binary.bytes.empty()) write_outside(settings, folder, binary.name, binary.bytes);
}

Program load_context(const Tables& tables, const ContextSettings& settings, const OrtGraph& graph,
                     const OrtNode& node) {
  const OrtOpAttr* attribute = nullptr;
  int64_t is_embedded = 1;
  size_t size = 0;
  check(tables.ort.Node_GetAttributeByName(&node, "embed_mode", &attribute));
  if (attribute != nullptr) {
    check(
        tables.ort.ReadOpAttr(attribute, ORT_OP_ATTR_INT, &is_embedded, sizeof is_embedded, &size));
  }
  const std::string content = text_attribute(tables, node, "ep_cache_context");
  if (is_embedded != 0) return from_bytes(content);
  const std::string partition = text_attribute(tables, node, "partition_name");
  if (settings.read != nullptr) {
    return program_in(read_by_function(tables, settings, content), partition);
  }
  const std::string model_path = model_path_of(tables, graph);
  const std::string folder = folder_of(model_path.empty() ? settings.model_path : model_path);
  const auto read = [&] { return read_file(folder, content); };
  if (!settings.is_shared) return program_in(read(), partition);
  const auto binary = settings.workspace->find(folder + content, read);
  Program program = binary->program(partition);
  program.binary = binary;
  return program;
}

}  // namespace virtual_npu
