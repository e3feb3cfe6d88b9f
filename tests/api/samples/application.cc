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

extern int run_plugin_samples();

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
int main(int, char** argv) {
  try {
    const int number = std::atoi(argv[1]);
    if (number == 8) return run_plugin_samples();
    run_sample(number);
    return 0;
  } catch (const Ort::Exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return failure.GetOrtErrorCode() == ORT_NOT_IMPLEMENTED ? 3 : 1;
  }
}
