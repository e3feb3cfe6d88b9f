// SPDX-License-Identifier: MIT
// Two models with the same weights in one process. With --shared the weights are mapped once by
// this program and given to both sessions, and both get one container of packed weights: the best
// that ONNX Runtime offers at full speed. Lines of that list: name, type, dims, file, offset,
// length, separated by tabs; dims by commas.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>

#include "bench/driver/memory.h"
#include "bench/driver/modes.h"
#include "bench/driver/runner.h"

namespace bench {
namespace {

// The whole file, read-only and until the process ends.
std::pair<char*, size_t> map_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts = {};
  if (file < 0 || fstat(file, &facts) != 0) throw Failure(path + " cannot be opened");
  const auto size = static_cast<size_t>(facts.st_size);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (data == MAP_FAILED) throw Failure(path + " cannot be mapped");
  return {static_cast<char*>(data), size};
}

std::vector<std::string> split(const std::string& line, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
  return parts;
}

struct Initializer {
  std::string name;
  OrtValue* value = nullptr;
};

std::vector<Initializer> shared_initializers(const Library& library, const std::string& list) {
  std::ifstream lines(list);
  if (!lines) throw Failure(list + " cannot be opened");
  OrtMemoryInfo* memory = nullptr;
  library.check(library.api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory),
                "CreateCpuMemoryInfo");
  std::map<std::string, std::pair<char*, size_t>> files;
  std::vector<Initializer> found;
  for (std::string line; std::getline(lines, line);) {
    const auto parts = split(line, '\t');
    if (parts.size() != 6) throw Failure(list + ": a line has not six parts: " + line);
    auto& [data, size] = files[parts[3]];
    if (data == nullptr) std::tie(data, size) = map_file(parts[3]);
    const size_t offset = std::stoull(parts[4]), length = std::stoull(parts[5]);
    if (offset > size || length > size - offset) throw Failure(parts[3] + " is too short");
    std::vector<int64_t> shape;
    for (const std::string& dim : split(parts[2], ',')) shape.push_back(std::stoll(dim));
    OrtValue* value = nullptr;
    library.check(library.api->CreateTensorWithDataAsOrtValue(
                      memory, data + offset, length, shape.data(), shape.size(),
                      static_cast<ONNXTensorElementDataType>(std::stoi(parts[1])), &value),
                  "CreateTensorWithDataAsOrtValue");
    found.push_back({parts[0], value});
  }
  return found;
}

}  // namespace

void measure_pair(const Start& start, const Arguments& arguments, JsonText& result) {
  if (arguments.models.size() != 2) throw Failure("this mode takes two --model");
  const Library& library = start.library;
  const OrtApi& api = *library.api;
  OrtSessionOptions* options = make_options(library, arguments);
  OrtPrepackedWeightsContainer* container = nullptr;
  if (!arguments.shared.empty()) {
    library.check(api.CreatePrepackedWeightsContainer(&container),
                  "CreatePrepackedWeightsContainer");
    for (const Initializer& shared : shared_initializers(library, arguments.shared)) {
      library.check(api.AddInitializer(options, shared.name.c_str(), shared.value),
                    "AddInitializer");
    }
  }
  std::vector<Runner> runners;
  JsonText memory;
  memory.add("base_bytes", start.base_bytes);
  for (size_t i = 0; i < 2; i++) {
    OrtSession* session = nullptr;
    const char* model = arguments.models[i].c_str();
    const Stopwatch watch;
    OrtStatus* status = container == nullptr
                            ? api.CreateSession(start.env, model, options, &session)
                            : api.CreateSessionWithPrepackedWeightsContainer(
                                  start.env, model, options, container, &session);
    const double time = watch.ms();
    library.check(status, arguments.models[i]);
    result.add(i == 0 ? "load_ms" : "second_load_ms", time);
    memory.add(i == 0 ? "after_load_bytes" : "after_second_load_bytes", private_bytes());
    runners.emplace_back(library, session);
  }
  const uint64_t after_load = private_bytes();
  runners[0].prepare(arguments.inputs);
  runners[1].prepare(arguments.inputs2);
  const uint64_t with_inputs = private_bytes();
  result.add("first_run_ms", runners[0].run());
  result.add("second_first_run_ms", runners[1].run());
  memory.add("after_first_runs_bytes", private_bytes() - (with_inputs - after_load));
  result.add("memory", memory);
}

}  // namespace bench
