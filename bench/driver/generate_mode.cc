// SPDX-License-Identifier: MIT
// A language model as GenAI programs run it: a prompt, then token after token, past and present in
// one buffer of the largest length, the attention mask growing. The tokens are fixed, so that both
// libraries do the same work; --dump writes the logits of all of them.
#include <time.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "bench/driver/modes.h"
#include "bench/driver/runner.h"

namespace bench {
namespace {

struct Tensors {
  const Library& library;
  OrtMemoryInfo* memory = nullptr;

  explicit Tensors(const Library& of) : library(of) {
    library.check(library.api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory),
                  "CreateCpuMemoryInfo");
  }
  // Over memory that stays the caller's.
  OrtValue* over(void* data, ONNXTensorElementDataType type,
                 const std::vector<int64_t>& shape) const {
    OrtValue* value = nullptr;
    library.check(
        library.api->CreateTensorWithDataAsOrtValue(memory, data, tensor_bytes(type, shape),
                                                    shape.data(), shape.size(), type, &value),
        "CreateTensorWithDataAsOrtValue");
    return value;
  }
};

struct Port {
  std::string name;
  ONNXTensorElementDataType type;
  std::vector<int64_t> shape;
};

std::vector<Port> ports_of(const Library& library, const OrtSession* session, bool is_input) {
  const OrtApi& api = *library.api;
  OrtAllocator* allocator = nullptr;
  library.check(api.GetAllocatorWithDefaultOptions(&allocator), "GetAllocatorWithDefaultOptions");
  size_t count = 0;
  library.check((is_input ? api.SessionGetInputCount : api.SessionGetOutputCount)(session, &count),
                "SessionGetInputCount");
  std::vector<Port> ports(count);
  for (size_t i = 0; i < count; i++) {
    char* name = nullptr;
    library.check((is_input ? api.SessionGetInputName : api.SessionGetOutputName)(session, i,
                                                                                  allocator, &name),
                  "SessionGetInputName");
    ports[i].name = name;
    OrtTypeInfo* type = nullptr;
    const OrtTensorTypeAndShapeInfo* info = nullptr;
    size_t rank = 0;
    library.check(
        (is_input ? api.SessionGetInputTypeInfo : api.SessionGetOutputTypeInfo)(session, i, &type),
        "SessionGetInputTypeInfo");
    library.check(api.CastTypeInfoToTensorInfo(type, &info), "CastTypeInfoToTensorInfo");
    library.check(api.GetTensorElementType(info, &ports[i].type), "GetTensorElementType");
    library.check(api.GetDimensionsCount(info, &rank), "GetDimensionsCount");
    ports[i].shape.resize(rank);
    library.check(api.GetDimensions(info, ports[i].shape.data(), rank), "GetDimensions");
    api.ReleaseTypeInfo(type);
  }
  return ports;
}

// The cache: one tensor for past and present of each layer and part.
struct Cache {
  std::vector<std::pair<std::string, OrtValue*>> values;  // by the part of the name behind the dot

  Cache(const Tensors& tensors, const std::vector<Port>& inputs, int64_t length) {
    for (Port port : inputs) {
      if (!port.name.starts_with("past_key_values.")) continue;
      port.shape[0] = 1;
      port.shape[2] = length;
      void* data = std::aligned_alloc(64, (tensor_bytes(port.type, port.shape) + 63) / 64 * 64);
      std::memset(data, 0, tensor_bytes(port.type, port.shape));
      values.emplace_back(port.name.substr(port.name.find('.')),
                          tensors.over(data, port.type, port.shape));
    }
    if (values.empty()) throw Failure("the model has no input past_key_values");
  }
};

int64_t token_at(int64_t i, int64_t vocabulary) { return (i * 7919 + 13) % vocabulary; }

class Generator {
 public:
  Generator(const Library& library, OrtSession* session, const Cache& cache, int64_t length)
      : library_(library), tensors_(library), session_(session), length_(length) {
    const OrtApi& api = *library.api;
    const auto outputs = ports_of(library, session, false);
    const auto logits = std::find_if(outputs.begin(), outputs.end(),
                                     [](const Port& port) { return port.name == "logits"; });
    if (logits == outputs.end()) throw Failure("the model has no output logits");
    vocabulary_ = logits->shape[2];
    is_last_only_ = logits->shape[1] == 1;
    library.check(api.CreateIoBinding(session, &binding_), "CreateIoBinding");
    for (const auto& [name, value] : cache.values) {
      library.check(api.BindInput(binding_, ("past_key_values" + name).c_str(), value),
                    "BindInput");
      library.check(api.BindOutput(binding_, ("present" + name).c_str(), value), "BindOutput");
    }
    ones_.assign(static_cast<size_t>(length), 1);
    for (int64_t i = 0; i < length; i++) ids_.push_back(token_at(i, vocabulary_));
    logits_.resize(static_cast<size_t>(length * vocabulary_));
  }

  // Tokens [first, first + count); the time of the run, in milliseconds.
  double run(int64_t first, int64_t count) {
    const OrtApi& api = *library_.api;
    OrtValue* values[3] = {
        tensors_.over(ids_.data() + first, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {1, count}),
        tensors_.over(ones_.data(), ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, {1, first + count}),
        tensors_.over(logits(first + (is_last_only_ ? count - 1 : 0)),
                      ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                      {1, is_last_only_ ? 1 : count, vocabulary_})};
    const Stopwatch watch;
    library_.check(api.BindInput(binding_, "input_ids", values[0]), "BindInput");
    library_.check(api.BindInput(binding_, "attention_mask", values[1]), "BindInput");
    library_.check(api.BindOutput(binding_, "logits", values[2]), "BindOutput");
    library_.check(api.RunWithBinding(session_, nullptr, binding_), "RunWithBinding");
    const double time = watch.ms();
    for (OrtValue* value : values) api.ReleaseValue(value);
    return time;
  }

  float* logits(int64_t token) { return logits_.data() + token * vocabulary_; }
  int64_t vocabulary() const { return vocabulary_; }

 private:
  const Library& library_;
  Tensors tensors_;
  OrtSession* session_;
  OrtIoBinding* binding_ = nullptr;
  int64_t length_, vocabulary_ = 0;
  bool is_last_only_ = false;
  std::vector<int64_t> ids_, ones_;
  std::vector<float> logits_;
};

// Processor time of all threads of this process.
double processor_ms() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

void measure_generate(const Start& start, const Arguments& arguments, JsonText& result) {
  if (arguments.models.empty() || arguments.models.size() > 2) {
    throw Failure("this mode takes a --model, or two: for prompts and for tokens");
  }
  const Library& library = start.library;
  const OrtSessionOptions* options = make_options(library, arguments);
  const auto prompt = static_cast<int64_t>(arguments.prompt);
  const int64_t length = prompt + static_cast<int64_t>(arguments.tokens);
  if (prompt < 1 || arguments.tokens < 1) throw Failure("--prompt and --tokens are at least 1");
  std::vector<Generator> generators;
  std::unique_ptr<Cache> cache;
  for (const std::string& model : arguments.models) {
    OrtSession* session = make_session(library, start.env, model, options);
    if (cache == nullptr) {
      cache = std::make_unique<Cache>(Tensors(library), ports_of(library, session, true), length);
    }
    generators.emplace_back(library, session, *cache, length);
  }
  Generator &reads = generators.front(), &speaks = generators.back();
  std::vector<double> prompts, tokens;
  const double begin = processor_ms();
  for (uint64_t i = 0; i < std::max<uint64_t>(1, arguments.least_runs); i++) {
    prompts.push_back(reads.run(0, prompt));
  }
  const double between = processor_ms();
  for (int64_t i = prompt; i < length; i++) tokens.push_back(speaks.run(i, 1));
  const double end = processor_ms();
  if (!arguments.dump.empty()) {
    const int64_t count = static_cast<int64_t>(arguments.tokens);
    write_npy(arguments.dump, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {count, speaks.vocabulary()},
              speaks.logits(prompt));
  }
  result.add("prompt_ms", median(prompts))
      .add("prompt_token_ms", median(prompts) / static_cast<double>(prompt))
      .add("first_token_ms", tokens.front())
      .add("token_ms", median(tokens))
      .add("prompt_processor_ms", (between - begin) / static_cast<double>(prompts.size()))
      .add("token_processor_ms", (end - between) / static_cast<double>(tokens.size()));
}

}  // namespace bench
