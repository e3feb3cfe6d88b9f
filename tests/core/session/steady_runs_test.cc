// SPDX-License-Identifier: MIT
// Runs with outputs provided and shapes that were there before ask the system for no memory: all
// models that tools/generate_models.py makes, in their small form (ZOO_MODELS is the folder), and
// networks of what those do not have: bodies, recurrence, sequences, results of unknown size.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "tests/support/failing_allocations.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

namespace {

std::atomic<long> mapping_count{0};

}  // namespace

// The library's own calls; those of the C library's allocator are counted where they are made for.
#if defined(__x86_64__) || defined(__aarch64__)
extern "C" void* mmap(void* at, size_t size, int protection, int flags, int descriptor,
                      off_t offset) noexcept {
  mapping_count.fetch_add(1, std::memory_order_relaxed);
  const long made = syscall(SYS_mmap, at, size, protection, flags, descriptor, offset);
  return reinterpret_cast<void*>(made);
}
#endif

namespace ortc::test {
namespace {

// What allocates in every run, and why.
const std::map<std::string, std::string> kAllocating = {
    {"Sequence", "a program may keep a sequence, or an element of it: each has memory of its own"},
    {"Strings", "a text has memory of its own"},
    {"growing_Loop_90", "a body keeps what it worked out for the last 64 sets of shapes"},
};

Tensor read_input(const std::string& path) {
  static const std::map<std::string, DType> kTypes = {
      {"<f4", DType::kFloat32}, {"<f2", DType::kFloat16}, {"<i8", DType::kInt64},
      {"<i4", DType::kInt32},   {"|u1", DType::kUint8},   {"|i1", DType::kInt8},
      {"|b1", DType::kBool}};
  const std::string bytes = read_whole_file(path);
  const size_t header_size = load_unaligned<uint16_t>(bytes.data() + 8);
  const std::string header = bytes.substr(10, header_size);
  const size_t type_at = header.find("'descr': '") + 10;
  const auto type = kTypes.find(header.substr(type_at, 3));
  CHECK(type != kTypes.end());
  Dims dims;
  for (size_t at = header.find('(') + 1; header[at] != ')'; ++at) {
    if (header[at] < '0' || header[at] > '9') continue;
    dims.push_back(std::stoll(header.substr(at)));
    while (header[at + 1] >= '0' && header[at + 1] <= '9') ++at;
  }
  Tensor tensor = Tensor::create(type->second, dims).value();
  CHECK_EQ(bytes.size() - 10 - header_size, tensor.byte_size());
  std::memcpy(tensor.mutable_data(), bytes.data() + 10 + header_size, tensor.byte_size());
  return tensor;
}

// One session and the values of its runs.
class Bound {
 public:
  Bound(const std::string& model, const std::vector<Tensor>& inputs, int threads)
      : environment_(quiet_environment()), inputs_(inputs) {
    auto session = Session::create(environment_, file_source(model),
                                   options_with(*environment_, {"AOT"}, threads));
    CHECK_OK(session);
    session_ = std::move(*session);
    std::vector<Datum> given(inputs.begin(), inputs.end());
    CHECK_OK(try_run_values(*session_, given, &outputs_));
    for (size_t i = 0; i < inputs_.size(); ++i) {
      input_names_.push_back(session_->inputs()[i].name);
      refs_.push_back(ref_to(inputs_[i]));
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      output_names_.push_back(session_->outputs()[i].name);
      if (outputs_[i].is_tensor()) targets_.emplace_back().provided = ref_to(*outputs_[i].tensor());
      if (!outputs_[i].is_tensor()) targets_.emplace_back();
    }
  }

  void run() {
    const Status status = session_->run_in_place({input_names_, refs_, output_names_, targets_});
    if (!status.is_ok()) CHECK_OK(status);
  }

  // Of a few runs: the least of some times, as a worker may start, once, at any of them.
  long requests() {
    for (int i = 0; i < 4; ++i) run();
    long least = LONG_MAX;
    for (int time = 0; time < 8 && least != 0; ++time) {
      const long mappings = mapping_count;
      fail_allocations(LONG_MAX - 1, LONG_MAX - 1);
      for (int i = 0; i < 5; ++i) run();
      stop_failing_allocations();
      least = std::min(least, counted_allocations() + mapping_count - mappings);
    }
    return least;
  }

 private:
  const std::shared_ptr<const Environment> environment_;
  std::unique_ptr<Session> session_;
  const std::vector<Tensor>& inputs_;
  std::vector<Datum> outputs_;
  std::vector<std::string_view> input_names_, output_names_;
  std::vector<ValueRef> refs_;
  std::vector<OutputTarget> targets_;
};

int wrong_count = 0;

// A model asks for nothing, or is listed; those that are listed still ask.
void check_model(const std::string& name, const std::string& path,
                 const std::vector<Tensor>& inputs) {
  for (const int threads : {1, 2}) {
    Bound bound(path, inputs, threads);
    const long requests = bound.requests();
    const bool is_listed = kAllocating.contains(name);
    if (is_sanitized() || (requests != 0) == is_listed) continue;
    std::printf("%s with %d threads: %ld requests in 5 runs%s\n", name.c_str(), threads, requests,
                is_listed ? ", but it is listed" : "");
    ++wrong_count;
  }
}

// The inputs lie beside the model, by their names.
std::vector<Tensor> inputs_beside(const std::string& model) {
  const auto environment = quiet_environment();
  auto session =
      Session::create(environment, file_source(model), options_with(*environment, {"AOT"}));
  CHECK_OK(session);
  std::vector<Tensor> inputs;
  for (const Port& port : (*session)->inputs()) {
    std::string name = port.name;
    std::ranges::replace_if(
        name, [](char c) { return !isalnum(c) && strchr("._-", c) == nullptr; }, '_');
    inputs.push_back(read_input(model.substr(0, model.size() - strlen("onnx")) + name + ".npy"));
  }
  return inputs;
}

void check_network(const std::string& name, GraphBuilder& g, const std::vector<Tensor>& inputs) {
  g.infer();
  const std::string path = temp_dir() + "/" + name + ".onnx";
  write_whole_file(path, g.model_bytes());
  check_model(name, path, inputs);
}

Tensor floats(Dims dims, unsigned seed = 7) {
  const auto count = static_cast<size_t>(*checked_element_count(dims));
  return Tensor::from<float>(std::move(dims), random_numbers(count, seed));
}

ValueId condition(GraphBuilder& g, const std::string& name) {
  Tensor yes = Tensor::create(DType::kBool, {}).value();
  yes.mutable_elements<bool>()[0] = true;
  return g.graph().add_constant(name, yes);
}

}  // namespace

TEST(steady_runs, of_the_models_that_are_generated_ask_for_no_memory) {
  const char* folder = std::getenv("ZOO_MODELS");
  if (folder == nullptr) {
    std::printf("NOT TESTED: ZOO_MODELS names no folder\n");
    return;
  }
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    const std::string path = entry.path().string();
    check_model(entry.path().stem().string(), path, inputs_beside(path));
    ++count;
  }
  CHECK(count >= 30);
  CHECK_EQ(wrong_count, 0);
}

TEST(steady_runs, of_recurrent_networks_ask_for_no_memory) {
  wrong_count = 0;
  const std::pair<const char*, int64_t> kOperators[] = {{"LSTM", 4}, {"GRU", 3}, {"RNN", 1}};
  for (const auto& [op, gates] : kOperators) {
    for (const int64_t steps : {1, 9}) {
      GraphBuilder g;
      const ValueId x = g.input("x", DType::kFloat32, {-1, 2, 12});
      const ValueId w = g.random_floats("w", {1, gates * 16, 12}, 1, 0.3f);
      const ValueId r = g.random_floats("r", {1, gates * 16, 16}, 2, 0.3f);
      const ValueId y = g.node(op, {x, w, r}, {"y"}, {Attribute::of_int("hidden_size", 16)})[0];
      g.output(g.node("Relu", {y}, {"z"})[0]);
      check_network(str_cat(op, "_", steps), g, {floats({steps, 2, 12})});
    }
  }
  CHECK_EQ(wrong_count, 0);
}

TEST(steady_runs, of_networks_with_bodies_ask_for_no_memory) {
  wrong_count = 0;
  {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    const ValueId sum = g.node("ReduceSum", {x}, {"sum"}, {Attribute::of_int("keepdims", 0)})[0];
    const ValueId is_high = g.node("Greater", {sum, g.floats("zero", {}, {0})}, {"is_high"})[0];
    std::vector<Attribute> branches;
    for (const char* op : {"Relu", "Neg"}) {
      GraphBuilder body(17, &g.graph());
      const ValueId outer = body.graph().capture(x).value();
      body.output(body.node(op, {outer}, {str_cat(op, "_out")})[0]);
      branches.push_back(
          graph_attribute(branches.empty() ? "then_branch" : "else_branch", body.shared()));
    }
    g.output(g.node("If", {is_high}, {"y"}, std::move(branches))[0]);
    check_network("If", g, {floats({3, 8})});
  }
  {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    GraphBuilder body(17, &g.graph());
    body.input("i", DType::kInt64, {});
    const ValueId go_on = body.input("go_on", DType::kBool, {});
    const ValueId state = body.input("state", DType::kFloat32, {-1, 8});
    const ValueId weight = body.random_floats("weight", {8, 8}, 3, 0.2f);
    body.output(body.node("Identity", {go_on}, {"goes_on"})[0]);
    const ValueId next = body.node("MatMul", {state, weight}, {"next"})[0];
    body.output(next);
    body.output(body.node("Relu", {next}, {"row"})[0]);
    const auto made = g.node("Loop", {g.int64s("count", {}, {5}), condition(g, "yes"), x},
                             {"last", "rows"}, {graph_attribute("body", body.shared())});
    g.output(made[0]);
    g.output(made[1]);
    check_network("Loop", g, {floats({3, 8})});
  }
  // The state is longer by a row with each iteration; what is behind is bound while it runs.
  for (const int64_t iterations : {5, 40, 90}) {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    GraphBuilder body(17, &g.graph());
    body.input("i", DType::kInt64, {});
    const ValueId go_on = body.input("go_on", DType::kBool, {});
    const ValueId state = body.input("state", DType::kFloat32, {-1, 8});
    body.output(body.node("Identity", {go_on}, {"goes_on"})[0]);
    const ValueId row = body.graph().capture(x).value();
    const ValueId bent = body.node("Tanh", {state}, {"bent"})[0];
    const ValueId mean =
        body.node("ReduceMean", {bent}, {"mean"}, {Attribute::of_ints("axes", {0})})[0];
    const ValueId next = body.node("Add", {row, mean}, {"next"})[0];
    body.output(body.node("Concat", {state, next}, {"longer"}, {Attribute::of_int("axis", 0)})[0]);
    const auto made = g.node("Loop", {g.int64s("count", {}, {iterations}), condition(g, "yes"), x},
                             {"all"}, {graph_attribute("body", body.shared())});
    const ValueId shifted = g.node("Add", {made[0], g.floats("half", {}, {0.5f})}, {"shifted"})[0];
    g.output(g.node("Tanh", {shifted}, {"y"})[0]);
    check_network(str_cat("growing_Loop_", iterations), g, {floats({1, 8})});
  }
  {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    GraphBuilder body(17, &g.graph());
    const ValueId state = body.input("state", DType::kFloat32, {8});
    const ValueId row = body.input("row", DType::kFloat32, {8});
    const ValueId next = body.node("Add", {state, row}, {"next"})[0];
    body.output(next);
    body.output(body.node("Tanh", {next}, {"out"})[0]);
    const auto made =
        g.node("Scan", {g.floats("start", {8}, std::vector<float>(8)), x}, {"last", "rows"},
               {graph_attribute("body", body.shared()), Attribute::of_int("num_scan_inputs", 1)});
    g.output(made[0]);
    g.output(made[1]);
    check_network("Scan", g, {floats({5, 8})});
  }
  CHECK_EQ(wrong_count, 0);
}

TEST(steady_runs, of_networks_with_results_of_unknown_size_are_as_listed) {
  wrong_count = 0;
  {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    const ValueId which = g.node("NonZero", {x}, {"which"})[0];
    g.output(g.node("Cast", {which}, {"y"}, {Attribute::of_int("to", 1)})[0]);
    check_network("NonZero", g, {floats({3, 8})});
  }
  {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    const ValueId is_high = g.node("Greater", {x, g.floats("zero", {}, {0})}, {"is_high"})[0];
    const ValueId flat = g.node("Flatten", {is_high}, {"flat"}, {Attribute::of_int("axis", 0)})[0];
    const ValueId flags = g.node("Squeeze", {flat}, {"flags"})[0];
    const ValueId kept = g.node("Compress", {x, flags}, {"kept"})[0];
    g.output(g.node("Relu", {kept}, {"y"})[0]);
    check_network("Compress", g, {floats({3, 8})});
  }
  for (const int64_t is_sorted : {0, 1}) {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    const auto made = g.node("Unique", {x}, {"values", "first", "inverse", "counts"},
                             {Attribute::of_int("sorted", is_sorted)});
    g.output(g.node("Neg", {made[0]}, {"y"})[0]);
    for (size_t k = 1; k < made.size(); ++k) g.output(made[k]);
    check_network(str_cat("Unique_", is_sorted), g, {floats({3, 8})});
  }
  {
    GraphBuilder g;
    const ValueId boxes = g.input("boxes", DType::kFloat32, {1, -1, 4});
    const ValueId scores = g.input("scores", DType::kFloat32, {1, 3, -1});
    const auto kept = g.node(
        "NonMaxSuppression",
        {boxes, scores, g.int64s("count", {1}, {20}), g.floats("overlap", {1}, {0.5f})}, {"kept"});
    g.output(g.node("Cast", {kept[0]}, {"y"}, {Attribute::of_int("to", 1)})[0]);
    check_network("NonMaxSuppression", g, {floats({1, 50, 4}), floats({1, 3, 50})});
  }
  {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    const ValueId texts = g.node("Cast", {x}, {"texts"}, {Attribute::of_int("to", 8)})[0];
    g.output(g.node("Cast", {texts}, {"y"}, {Attribute::of_int("to", 1)})[0]);
    check_network("Strings", g, {floats({3, 8})});
  }
  {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 8});
    const ValueId parts = g.node("SplitToSequence", {x}, {"parts"})[0];
    const ValueId part = g.node("SequenceAt", {parts, g.int64s("at", {}, {1})}, {"part"})[0];
    g.output(g.node("Relu", {part}, {"y"})[0]);
    check_network("Sequence", g, {floats({3, 8})});
  }
  {
    GraphBuilder g;
    const ValueId x = g.input("x", DType::kFloat32, {-1, 64});
    const auto top = g.node("TopK", {x, g.int64s("k", {1}, {5})}, {"values", "places"});
    g.output(top[0]);
    g.output(top[1]);
    check_network("TopK", g, {floats({3, 64})});
  }
  CHECK_EQ(wrong_count, 0);
}

}  // namespace ortc::test
