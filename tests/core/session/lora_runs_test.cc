// SPDX-License-Identifier: MIT
// LoRA adapters over one base: sessions from contexts whose runs choose an adapter each. The base
// is h = relu(x W1 + (x A1) B1), y = h W2 + (h A2) B2, where A and B are initializers of zeros that
// adapters stand in for.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "core/platform/file_map.h"
#include "core/session/lora_adapter.h"
#include "tests/support/session_support.h"
#include "tests/support/smaps.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kBaseWidth = 512, kRank = 8;
constexpr int kAdapters = 16;
constexpr uint64_t kAdapterBytes = uint64_t{4} * kBaseWidth * kRank * 4;

struct Parameter {
  std::string name;
  Dims dims;
};
const std::vector<Parameter> kParameters = {{"A1", {kBaseWidth, kRank}},
                                            {"B1", {kRank, kBaseWidth}},
                                            {"A2", {kBaseWidth, kRank}},
                                            {"B2", {kRank, kBaseWidth}}};

std::vector<float> parameter_of(int adapter, size_t number) {
  return random_numbers(static_cast<size_t>(kBaseWidth * kRank),
                        static_cast<unsigned>(100 + adapter * 10) + static_cast<unsigned>(number),
                        0.05f);
}

std::vector<float> weight(unsigned seed) {
  return random_numbers(static_cast<size_t>(kBaseWidth * kBaseWidth), seed, 0.05f);
}

// W + A·B, in double.
std::vector<float> merged(unsigned seed, int adapter, size_t first) {
  std::vector<float> sum = weight(seed);
  if (adapter < 0) return sum;
  const std::vector<float> a = parameter_of(adapter, first), b = parameter_of(adapter, first + 1);
  for (int64_t i = 0; i < kBaseWidth; ++i) {
    for (int64_t k = 0; k < kBaseWidth; ++k) {
      double value = sum[static_cast<size_t>(i * kBaseWidth + k)];
      for (int64_t r = 0; r < kRank; ++r) {
        value += double{a[static_cast<size_t>(i * kRank + r)]} *
                 double{b[static_cast<size_t>(r * kBaseWidth + k)]};
      }
      sum[static_cast<size_t>(i * kBaseWidth + k)] = static_cast<float>(value);
    }
  }
  return sum;
}

ValueId adapted_product(GraphBuilder& g, ValueId x, const std::string& number, unsigned seed) {
  const ValueId w = g.floats("W" + number, {kBaseWidth, kBaseWidth}, weight(seed));
  const auto zeros = [&](const std::string& name, Dims dims) {
    const ValueId id = g.floats(name, dims, std::vector<float>(kBaseWidth * kRank));
    g.graph().add_input(id);
    return id;
  };
  const ValueId a = zeros("A" + number, {kBaseWidth, kRank}),
                b = zeros("B" + number, {kRank, kBaseWidth});
  const ValueId base = g.node("MatMul", {x, w}, {"base" + number})[0];
  const ValueId down = g.node("MatMul", {x, a}, {"down" + number})[0];
  const ValueId up = g.node("MatMul", {down, b}, {"up" + number})[0];
  return g.node("Add", {base, up}, {"sum" + number})[0];
}

// What adapters go to; without any, the weights of `adapter` are merged into it.
std::string base_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {-1, kBaseWidth});
  const ValueId h = g.node("Relu", {adapted_product(g, x, "1", 1)}, {"h"})[0];
  g.output(adapted_product(g, h, "2", 2));
  g.infer();
  return g.model_bytes();
}

std::string merged_model(int adapter) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {-1, kBaseWidth});
  const ValueId w1 = g.floats("W1", {kBaseWidth, kBaseWidth}, merged(1, adapter, 0));
  const ValueId w2 = g.floats("W2", {kBaseWidth, kBaseWidth}, merged(2, adapter, 2));
  const ValueId h = g.node("Relu", {g.node("MatMul", {x, w1}, {"p"})[0]}, {"h"})[0];
  g.output(g.node("MatMul", {h, w2}, {"y"})[0]);
  g.infer();
  return g.model_bytes();
}

// An adapter's file, written from front to back.
class AdapterFile {
 public:
  explicit AdapterFile(int adapter) {
    const size_t root = table({1, 0, 0, 0});
    point(0, root);
    point(root + 16, bytes_.size());
    const auto count = static_cast<uint32_t>(kParameters.size());
    const size_t list = vector(std::string(size_t{4} * count, '\0'), count) + 4;
    for (uint32_t i = 0; i < count; ++i) {
      const size_t place = table({0, 0, 1, 0});
      point(list + size_t{4} * i, place);
      point(place + 4,
            vector(kParameters[i].name, static_cast<uint32_t>(kParameters[i].name.size())));
      const Dims& dims = kParameters[i].dims;
      const std::string sizes(reinterpret_cast<const char*>(dims.data()), dims.size() * 8);
      point(place + 8, vector(sizes, static_cast<uint32_t>(dims.size())));
      const std::vector<float> values = parameter_of(adapter, i);
      const std::string raw(reinterpret_cast<const char*>(values.data()), values.size() * 4);
      bytes_.resize((bytes_.size() + 31) / 16 * 16 - 4);
      point(place + 16, vector(raw, static_cast<uint32_t>(raw.size())));
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  void put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void point(size_t place, size_t target) {
    const auto offset = static_cast<uint32_t>(target - place);
    std::memcpy(bytes_.data() + place, &offset, 4);
  }
  size_t table(std::initializer_list<uint32_t> fields) {
    while (bytes_.size() % 4 != 0) bytes_ += '\0';
    for (const uint16_t v : {12, 20, 4, 8, 12, 16}) put(v);
    const size_t place = bytes_.size();
    put(int32_t{12});
    for (const uint32_t v : fields) put(v);
    return place;
  }
  size_t vector(const std::string& content, uint32_t count) {
    const size_t place = bytes_.size();
    put(count);
    bytes_.append(content);
    return place;
  }

  std::string bytes_ = std::string("\0\0\0\0TORT", 8);
};

std::shared_ptr<const NamedTensors> adapter_from_file(int adapter) {
  const std::string path = str_cat(temp_dir(), "/", adapter, ".onnx_adapter");
  const auto file = FileMap::open(path);
  CHECK_OK(file);
  auto read = read_lora_adapter(FileMap::blob(*file, 0, (*file)->bytes().size()));
  CHECK_OK(read);
  return std::move(read).value();
}

struct Setup {
  std::shared_ptr<const Environment> environment = quiet_environment();
  std::string context = temp_dir() + "/base_ctx.onnx";

  Setup() {
    write_whole_file(temp_dir() + "/base.onnx", base_model());
    compile_to(temp_dir() + "/base.onnx", context);
    for (int i = 0; i < kAdapters; ++i) {
      write_whole_file(str_cat(temp_dir(), "/", i, ".onnx_adapter"), AdapterFile(i).bytes());
    }
  }
  std::unique_ptr<Session> session(const std::string& path) const {
    auto made =
        Session::create(environment, file_source(path), options_with(*environment, {"AOT"}, 2));
    CHECK_OK(made);
    return std::move(made).value();
  }
};

const Setup& setup() {
  static const Setup made;
  return made;
}

Tensor input_of(int64_t rows, unsigned seed) {
  Tensor x = Tensor::create(DType::kFloat32, {rows, kBaseWidth}).value();
  const std::vector<float> values =
      random_numbers(static_cast<size_t>(rows * kBaseWidth), seed, 0.5f);
  std::copy(values.begin(), values.end(), x.mutable_elements<float>().begin());
  return x;
}

Tensor run_with(const Session& session, const Tensor& x,
                std::vector<std::shared_ptr<const NamedTensors>> adapters) {
  RunOptions options;
  options.adapters = std::move(adapters);
  const std::string_view inputs[] = {"x"}, outputs[] = {session.outputs()[0].name};
  Tensor y;
  CHECK_OK(session.run(inputs, {&x, 1}, outputs, {&y, 1}, &options));
  return y;
}

// Sums of 512 products of numbers of this size: relative to the largest.
bool is_near(const Tensor& a, const Tensor& b) {
  float largest = 0;
  for (const float value : b.elements<float>()) largest = std::max(largest, std::abs(value));
  return all_near({a}, {b}, 1e-5, 1e-5 * static_cast<double>(largest));
}

}  // namespace

TEST(lora_runs, a_context_takes_adapters_where_its_source_has_optional_inputs) {
  const auto session = setup().session(setup().context);
  CHECK(session->report().loaded_from_context);
  CHECK_EQ(session->inputs().size(), 1u);
  CHECK_EQ(session->overridable().size(), kParameters.size());
  const Tensor x = input_of(3, 1);
  write_whole_file(temp_dir() + "/plain.onnx", merged_model(-1));
  const auto plain = setup().session(temp_dir() + "/plain.onnx");
  CHECK(is_near(run_with(*session, x, {}), run_with(*plain, x, {})));
}

TEST(lora_runs, results_are_those_of_merged_weights) {
  const auto session = setup().session(setup().context);
  const Tensor x = input_of(3, 1), without = run_with(*session, x, {});
  for (const int adapter : {0, 7, 15}) {
    const std::string path = str_cat(temp_dir(), "/merged", adapter, ".onnx");
    write_whole_file(path, merged_model(adapter));
    const Tensor expected = run_with(*setup().session(path), x, {});
    const Tensor found = run_with(*session, x, {adapter_from_file(adapter)});
    CHECK(is_near(found, expected));
    CHECK(!is_near(found, without));
  }
  CHECK(same_bits({run_with(*session, x, {})}, {without}));  // an adapter leaves nothing behind
}

TEST(lora_runs, threads_run_one_session_with_an_adapter_each) {
  const auto session = setup().session(setup().context);
  constexpr int kRuns = 50;
  std::vector<std::shared_ptr<const NamedTensors>> adapters;
  std::vector<Tensor> expected;
  const Tensor x = input_of(4, 2);
  for (int i = 0; i < 3; ++i) {
    adapters.push_back(adapter_from_file(i));
    expected.push_back(run_with(*session, x, {adapters.back()}));
  }
  expected.push_back(run_with(*session, x, {}));
  std::atomic<int> wrong_count{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < expected.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < kRuns; ++k) {
        std::vector<std::shared_ptr<const NamedTensors>> own;
        if (i < adapters.size()) own.push_back(adapters[i]);
        if (!same_bits({run_with(*session, x, std::move(own))}, {expected[i]})) ++wrong_count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong_count.load(), 0);
}

TEST(lora_runs, a_run_may_change_its_adapter_without_cost_for_the_next) {
  const auto session = setup().session(setup().context);
  const Tensor x = input_of(1, 3);
  const auto first = adapter_from_file(1), second = adapter_from_file(2);
  const Tensor one = run_with(*session, x, {first}), other = run_with(*session, x, {second});
  for (int i = 0; i < 10; ++i) {
    CHECK(same_bits({run_with(*session, x, {first})}, {one}));
    CHECK(same_bits({run_with(*session, x, {second})}, {other}));
  }
}

TEST(lora_runs, a_parameter_that_the_model_has_not_or_of_another_shape_is_refused) {
  const auto session = setup().session(setup().context);
  const Tensor x = input_of(1, 3);
  const std::string_view inputs[] = {"x"}, outputs[] = {session->outputs()[0].name};
  const auto run = [&](const std::string& name, const Tensor& value) {
    RunOptions options;
    options.adapters.push_back(std::make_shared<const NamedTensors>(NamedTensors{{name, value}}));
    Tensor y;
    return session->run(inputs, {&x, 1}, outputs, {&y, 1}, &options);
  };
  const Status unknown = run("A3", Tensor::create(DType::kFloat32, {kBaseWidth, kRank}).value());
  CHECK_CODE(unknown, Code::kInvalidArgument);
  CHECK(unknown.message().find("'A3'") != std::string::npos);
  const Status wider = run("A1", Tensor::create(DType::kFloat32, {kBaseWidth, kRank + 1}).value());
  CHECK_CODE(wider, Code::kInvalidArgument);
  CHECK(wider.message().find("'A1'") != std::string::npos);
}

// The tenth arrangement of the memory report.
TEST(lora_runs, sixteen_adapters_cost_their_bytes) {
  if (is_emulated()) return;
  setup();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const auto session = setup().session(setup().context);
    const Tensor x = input_of(4, 2);
    run_with(*session, x, {});
    const MemoryReport without = session->memory_report().value();
    const Smaps before = smaps_of_process();
    std::vector<std::shared_ptr<const NamedTensors>> adapters;
    for (int i = 0; i < kAdapters; ++i) {
      adapters.push_back(adapter_from_file(i));
      run_with(*session, x, {adapters.back()});
    }
    const Smaps after = smaps_of_process();
    std::fprintf(stderr, "16 adapters of %.1f KB: %.1f KB\n", kAdapterBytes / 1e3,
                 static_cast<double>(after.resident - before.resident) / 1e3);
    constexpr uint64_t kMost = kAdapters * kAdapterBytes + (uint64_t{1} << 20);
    CHECK(kHasShadowMemory || after.resident <= before.resident + kMost);
    const MemoryReport with = session->memory_report().value();
    CHECK_EQ(with.mapped, without.mapped);
    CHECK_EQ(with.weights, without.weights);
    CHECK(with.private_bytes <= without.private_bytes + 4096);
    _exit(0);
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
