// SPDX-License-Identifier: MIT
// A program for model packages as users of ONNX Runtime write them, with the functions that its
// table gives by name. It prints what it finds, without words of messages.
//   packages PACKAGE     its component "matmul" has x of 4 columns, y of 3
#include <cstdio>
#include <cstring>
#include <string>

#include "onnxruntime_experimental_cxx_api.h"

namespace {

#define FIND(name)  \
  const auto name = \
      Ort::Experimental::Get_OrtModelPackageApi_##name##_SinceV28_FnOrThrow(&Ort::GetApi())

// Whether it failed.
bool fails(OrtStatus* status) {
  if (status == nullptr) return false;
  Ort::GetApi().ReleaseStatus(status);
  return true;
}

std::string last_part(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

void print_contents(const OrtModelPackageContext* package) {
  FIND(ModelPackage_GetSchemaVersion);
  FIND(ModelPackage_GetComponentCount);
  FIND(ModelPackage_GetComponentNames);
  FIND(ModelPackage_GetVariantCount);
  FIND(ModelPackage_GetVariantNames);
  FIND(ModelPackage_GetVariantEpName);
  int64_t version = 0;
  size_t count = 0, variant_count = 0;
  const char* const* components = nullptr;
  const char* const* variants = nullptr;
  Ort::ThrowOnError(ModelPackage_GetSchemaVersion(package, &version));
  Ort::ThrowOnError(ModelPackage_GetComponentCount(package, &count));
  std::printf("schema %d, %zu components\n", static_cast<int>(version), count);
  Ort::ThrowOnError(ModelPackage_GetComponentNames(package, &components, &count));
  for (size_t i = 0; i < count; i++) {
    Ort::ThrowOnError(ModelPackage_GetVariantCount(package, components[i], &variant_count));
    std::printf("component %s, %zu variants\n", components[i], variant_count);
    Ort::ThrowOnError(
        ModelPackage_GetVariantNames(package, components[i], &variants, &variant_count));
    for (size_t j = 0; j < variant_count; j++) {
      const char* provider = nullptr;
      Ort::ThrowOnError(
          ModelPackage_GetVariantEpName(package, components[i], variants[j], &provider));
      std::printf("  variant %s for %s\n", variants[j], provider == nullptr ? "none" : provider);
    }
  }
  std::printf("unknown component: %d\n",
              fails(ModelPackage_GetVariantCount(package, "nothing", &variant_count)));
}

void print_references(const OrtModelPackageContext* package, const std::string& root) {
  FIND(ModelPackage_ResolveStringRef);
  const std::string asset = "sha256:" + std::string(64, 'a');
  const std::string inputs[] = {asset,
                                asset + "/a.txt",
                                asset + "/../x",
                                "sha256:" + std::string(64, 'b'),
                                "any/m.onnx",
                                "not/there",
                                "../x",
                                "/etc",
                                ""};
  for (const std::string& input : inputs) {
    for (const int must_exist : {0, 1}) {
      const char* path = nullptr;
      const bool failed =
          fails(ModelPackage_ResolveStringRef(package, nullptr, input.c_str(), must_exist, &path));
      std::printf("%s %d: %s\n", input.c_str(), must_exist, failed ? "fails" : path + root.size());
    }
  }
}

void print_run(Ort::Session& session) {
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  float numbers[] = {1, 2, 3, 4};
  const int64_t shape[] = {1, 4};
  const Ort::Value x = Ort::Value::CreateTensor<float>(memory, numbers, 4, shape, 2);
  const char* const inputs[] = {"x"};
  const char* const outputs[] = {"y"};
  const auto y = session.Run(Ort::RunOptions{nullptr}, inputs, &x, 1, outputs, 1);
  const float* found = y[0].GetTensorData<float>();
  std::printf("y: %g %g %g\n", found[0], found[1], found[2]);
}

void print_selection(Ort::Env& env, const OrtModelPackageContext* package, const char* component) {
  FIND(CreateModelPackageOptionsFromSessionOptions);
  FIND(ReleaseModelPackageOptions);
  FIND(SelectComponent);
  FIND(ReleaseModelPackageComponentContext);
  FIND(ModelPackageComponent_GetSelectedVariantName);
  FIND(ModelPackageComponent_GetSelectedVariantFolderPath);
  FIND(CreateSession);
  Ort::SessionOptions options;
  OrtModelPackageOptions* wanted = nullptr;
  OrtModelPackageComponentContext* selected = nullptr;
  Ort::ThrowOnError(CreateModelPackageOptionsFromSessionOptions(env, options, &wanted));
  const bool failed = fails(SelectComponent(package, component, wanted, &selected));
  ReleaseModelPackageOptions(wanted);
  std::printf("select %s: %s\n", component, failed ? "fails" : "succeeds");
  if (failed) return;
  const char* name = nullptr;
  const char* folder = nullptr;
  Ort::ThrowOnError(ModelPackageComponent_GetSelectedVariantName(selected, &name));
  Ort::ThrowOnError(ModelPackageComponent_GetSelectedVariantFolderPath(selected, &folder));
  std::printf("variant %s in %s\n", name, last_part(folder).c_str());
  for (const OrtSessionOptions* given : {static_cast<const OrtSessionOptions*>(nullptr),
                                         static_cast<const OrtSessionOptions*>(options)}) {
    OrtSession* raw = nullptr;
    if (fails(CreateSession(env, selected, given, &raw))) {
      std::printf("no session\n");
      continue;
    }
    Ort::Session session(raw);
    print_run(session);
  }
  ReleaseModelPackageComponentContext(selected);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    int64_t number = 0;
    Ort::ThrowOnError(Ort::Experimental::Get_OrtApi_ExperimentalApiTest_SinceV28_FnOrThrow(
        &Ort::GetApi())(&number));
    std::printf("test: %d\n", static_cast<int>(number));
    FIND(CreateModelPackageContext);
    FIND(ReleaseModelPackageContext);
    Ort::Env env(ORT_LOGGING_LEVEL_FATAL, "packages");
    OrtModelPackageContext* package = nullptr;
    std::printf("nothing there: %d\n", fails(CreateModelPackageContext("/not/there", &package)));
    Ort::ThrowOnError(CreateModelPackageContext(arguments[1], &package));
    print_contents(package);
    print_references(package, arguments[1]);
    for (const char* component : {"matmul", "foreign", "bare", "nothing"}) {
      print_selection(env, package, component);
    }
    ReleaseModelPackageContext(package);
    return 0;
  } catch (const Ort::Exception& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
}
