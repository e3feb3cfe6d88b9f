// SPDX-License-Identifier: MIT
// Runtimes that load the library: see the header.
#include "tests/ortc_ep/host_runtime.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "ort_c/ort_api.h"
#include "tests/support/test.h"

namespace ortc::test {

bool Told::is_ok() const { return has(ORT_OK, ""); }

bool Told::has(int expected, const std::string& part) const {
  if (code == expected && text.find(part) != std::string::npos) return true;
  fprintf(stderr, "expected code %d and '%s', found %d: %s\n", expected, part.c_str(), code,
          text.c_str());
  return false;
}

HostRuntime::HostRuntime(const OrtApiBase& base, std::string label, std::string name,
                         const std::string& library)
    : label_(std::move(label)), registration_(std::move(name)), is_ort_(label_ != "ortc") {
  // The oldest release that the tests know.
  api_ = base.GetApi(30);
  CHECK(api_ != nullptr);
  CHECK(told(api_->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "test", &env_)).is_ok());
  CHECK(told(api_->RegisterExecutionProviderLibrary(env_, registration_.c_str(), library.c_str()))
            .is_ok());
  const OrtEpDevice* const* devices = nullptr;
  size_t count = 0;
  CHECK(told(api_->GetEpDevices(env_, &devices, &count)).is_ok());
  ep_ = is_ort_ ? "AotExecutionProvider" : registration_;
  for (size_t i = 0; i < count; ++i) {
    if (ep_ == api_->EpDevice_EpName(devices[i])) device_ = devices[i];
  }
  CHECK(device_ != nullptr);
}

HostRuntime::~HostRuntime() {
  CHECK(told(api_->UnregisterExecutionProviderLibrary(env_, registration_.c_str())).is_ok());
  api_->ReleaseEnv(env_);
}

Told HostRuntime::told(OrtStatus* status) const {
  Told told;
  if (status == nullptr) return told;
  told.code = api_->GetErrorCode(status);
  told.text = api_->GetErrorMessage(status);
  api_->ReleaseStatus(status);
  return told;
}

HostRuntime::Options HostRuntime::options(const KeyValues& entries, bool whole) const {
  OrtSessionOptions* made = nullptr;
  CHECK(told(api_->CreateSessionOptions(&made)).is_ok());
  Options options(made, [this](OrtSessionOptions* one) { api_->ReleaseSessionOptions(one); });
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : entries) {
    if (key.starts_with("ep.") || key.starts_with("session.")) {
      CHECK(told(api_->AddSessionConfigEntry(made, key.c_str(), value.c_str())).is_ok());
    } else {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }
  if (whole) {
    CHECK(told(api_->AddSessionConfigEntry(made, "session.disable_cpu_ep_fallback", "1")).is_ok());
  }
  CHECK(told(api_->SessionOptionsAppendExecutionProvider_V2(made, env_, &device_, 1, keys.data(),
                                                            values.data(), keys.size()))
            .is_ok());
  return options;
}

HostRuntime::Session HostRuntime::load(const std::string& path, const Options& options) const {
  Session session;
  OrtSession* made = nullptr;
  session.told = told(api_->CreateSession(env_, path.c_str(), options.get(), &made));
  session.handle.reset(made, [this](OrtSession* one) { api_->ReleaseSession(one); });
  return session;
}

HostRuntime::Session HostRuntime::load_bytes(const std::string& model,
                                             const Options& options) const {
  Session session;
  OrtSession* made = nullptr;
  session.told =
      told(api_->CreateSessionFromArray(env_, model.data(), model.size(), options.get(), &made));
  session.handle.reset(made, [this](OrtSession* one) { api_->ReleaseSession(one); });
  return session;
}

std::vector<std::string> HostRuntime::names(const OrtSession& session, bool of_inputs) const {
  OrtAllocator* allocator = nullptr;
  size_t count = 0;
  CHECK(told(api_->GetAllocatorWithDefaultOptions(&allocator)).is_ok());
  CHECK(told(of_inputs ? api_->SessionGetInputCount(&session, &count)
                       : api_->SessionGetOutputCount(&session, &count))
            .is_ok());
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    CHECK(told(of_inputs ? api_->SessionGetInputName(&session, i, allocator, &name)
                         : api_->SessionGetOutputName(&session, i, allocator, &name))
              .is_ok());
    names.emplace_back(name);
    allocator->Free(allocator, name);
  }
  return names;
}

Told HostRuntime::try_run(const Session& session, const std::vector<Tensor>& inputs,
                          std::vector<Tensor>* outputs) const {
  OrtMemoryInfo* memory = nullptr;
  CHECK(told(api_->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory)).is_ok());
  const auto in = names(*session.handle, true), out = names(*session.handle, false);
  std::vector<const char*> in_names, out_names;
  std::vector<const OrtValue*> in_values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    OrtValue* value = nullptr;
    const Tensor& tensor = inputs[i];
    CHECK(told(api_->CreateTensorWithDataAsOrtValue(
                   memory, const_cast<void*>(tensor.data()), tensor.byte_size(),
                   tensor.dims().data(), tensor.dims().size(),
                   static_cast<ONNXTensorElementDataType>(tensor.dtype()), &value))
              .is_ok());
    in_names.push_back(in[i].c_str());
    in_values.push_back(value);
  }
  for (const std::string& name : out) out_names.push_back(name.c_str());
  std::vector<OrtValue*> out_values(out.size());
  Told result = told(api_->Run(session.handle.get(), nullptr, in_names.data(), in_values.data(),
                               in_values.size(), out_names.data(), out.size(), out_values.data()));
  for (OrtValue* value : out_values) {
    if (value == nullptr) continue;
    ONNXTensorElementDataType type;
    const int64_t* dims = nullptr;
    size_t rank = 0;
    const void* data = nullptr;
    CHECK(
        told(api_->GetTensorElementTypeAndShapeDataReference(value, &type, &dims, &rank)).is_ok());
    CHECK(told(api_->GetTensorData(value, &data)).is_ok());
    Tensor tensor = Tensor::create(static_cast<DType>(type), Dims(dims, dims + rank)).value();
    if (tensor.byte_size() != 0) std::memcpy(tensor.mutable_data(), data, tensor.byte_size());
    outputs->push_back(tensor);
    api_->ReleaseValue(value);
  }
  for (const OrtValue* value : in_values) api_->ReleaseValue(const_cast<OrtValue*>(value));
  api_->ReleaseMemoryInfo(memory);
  return result;
}

std::vector<Tensor> HostRuntime::run(const Session& session,
                                     const std::vector<Tensor>& inputs) const {
  CHECK(session.told.is_ok());
  std::vector<Tensor> outputs;
  CHECK(try_run(session, inputs, &outputs).is_ok());
  return outputs;
}

Told HostRuntime::compile(const std::string& source, const std::string& output, bool embed,
                          const KeyValues& entries, std::string* bytes) const {
  const OrtCompileApi& compile = *api_->GetCompileApi();
  OrtModelCompilationOptions* made = nullptr;
  const Options with = options(entries, /*whole=*/false);
  CHECK(told(compile.CreateModelCompilationOptionsFromSessionOptions(env_, with.get(), &made))
            .is_ok());
  const std::shared_ptr<OrtModelCompilationOptions> settings(
      made, [&](OrtModelCompilationOptions* one) { compile.ReleaseModelCompilationOptions(one); });
  CHECK(told(compile.ModelCompilationOptions_SetInputModelPath(made, source.c_str())).is_ok());
  CHECK(told(compile.ModelCompilationOptions_SetEpContextEmbedMode(made, embed)).is_ok());
  CHECK(told(compile.ModelCompilationOptions_SetFlags(
                 made, OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED))
            .is_ok());
  void* block = nullptr;
  size_t size = 0;
  OrtAllocator* allocator = nullptr;
  CHECK(told(api_->GetAllocatorWithDefaultOptions(&allocator)).is_ok());
  if (bytes != nullptr) {
    CHECK(told(compile.ModelCompilationOptions_SetOutputModelBuffer(made, allocator, &block, &size))
              .is_ok());
  } else {
    CHECK(told(compile.ModelCompilationOptions_SetOutputModelPath(made, output.c_str())).is_ok());
  }
  Told result = told(compile.CompileModel(env_, made));
  if (bytes != nullptr && block != nullptr) {
    bytes->assign(static_cast<const char*>(block), size);
    allocator->Free(allocator, block);
  }
  return result;
}

namespace {

std::vector<std::unique_ptr<HostRuntime>> find_runtimes() {
  std::vector<std::unique_ptr<HostRuntime>> found;
  // The name of the one that it has itself is taken there.
  found.push_back(
      std::make_unique<HostRuntime>(*OrtcGetApiBase(), "ortc", "SecondAotExecutionProvider"));
  const char* path = std::getenv("ORTC_ORT_LIBRARY");
  if (path == nullptr || *path == 0) {
    printf("NOT RUN in ONNX Runtime: ORTC_ORT_LIBRARY does not name its library\n");
    return found;
  }
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != nullptr);
  const auto get_base = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
  CHECK(get_base != nullptr);
  found.push_back(std::make_unique<HostRuntime>(*get_base(), "ONNX Runtime", "ortc"));
  return found;
}

std::vector<std::unique_ptr<HostRuntime>>& runtimes() {
  static std::vector<std::unique_ptr<HostRuntime>> found = find_runtimes();
  return found;
}

}  // namespace

const std::vector<std::unique_ptr<HostRuntime>>& host_runtimes() { return runtimes(); }

const HostRuntime* real_onnx_runtime() {
  for (const auto& one : runtimes()) {
    if (one->is_ort()) return one.get();
  }
  return nullptr;
}

}  // namespace ortc::test
