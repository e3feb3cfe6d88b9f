// SPDX-License-Identifier: MIT
// What the design document's samples for applications stand in: design_samples_test.py writes each
// to sample_<n>.inc, with the substitutions of substitutions.tsv.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnxruntime_cxx_api.h"

static void ReadFileToBuffer(const char* path, std::vector<char>& buffer) {
  std::ifstream file(path, std::ios::binary);
  buffer.assign(std::istreambuf_iterator<char>(file), {});
}

// The interface of execution providers inside ONNX Runtime that the document quotes.
template <typename T>
using InlinedVector = std::vector<T>;
struct Node;
struct ExecutionProvider {
  virtual ~ExecutionProvider() = default;
#include "sample_0.inc"
};

static void run_sample(int number) {
  Ort::Env env;
  std::unordered_map<std::string, std::string> provider_options;
  std::vector<float> ones(4, 1.0f);
  const Ort::Value x = Ort::Value::CreateTensor<float>(ones, {1, 4});
  const std::vector<Ort::NamedInput> inputs{{"x", x}};
  switch (number) {
    case 1: {
#include "sample_1.inc"
      break;
    }
    case 2: {
#include "sample_2.inc"
      break;
    }
    case 3: {
#include "sample_3.inc"
      break;
    }
    case 4: {
#include "sample_4.inc"
      break;
    }
    case 5: {
#include "sample_5.inc"
      break;
    }
    case 6: {
#include "sample_6.inc"
      break;
    }
    case 7: {
#include "sample_7.inc"
      break;
    }
    default:
      std::abort();
  }
}

// Exit code 0: it ran. 3: the library says that it is not implemented, and what.
// The samples for plugins are a library beside the program.
static void run_plugin_samples(const char* library) {
  Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "samples");
  env.RegisterExecutionProviderLibrary("name.virtual", library);
  std::vector<Ort::ConstEpDevice> devices = env.GetEpDevices();
  const Ort::ConstEpDevice& last = devices.back();
  if (std::string(last.EpName()) != "VirtualGpuEp" ||
      std::string(last.EpMetadata().GetValue("some_metadata")) != "1" ||
      std::string(last.Device().Metadata().GetValue("is_virtual")) != "1") {
    std::fprintf(stderr, "the library's device is not there\n");
    std::exit(1);
  }
  env.UnregisterExecutionProviderLibrary("name.virtual");
  if (env.GetEpDevices().size() + 1 != devices.size()) {
    std::fprintf(stderr, "the library's device did not go\n");
    std::exit(1);
  }
}

int main(int, char** argv) {
  try {
    const int number = std::atoi(argv[1]);
    if (number == 8) {
      run_plugin_samples(argv[2]);
    } else {
      run_sample(number);
    }
    return 0;
  } catch (const Ort::Exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return failure.GetOrtErrorCode() == ORT_NOT_IMPLEMENTED ? 3 : 1;
  }
}
