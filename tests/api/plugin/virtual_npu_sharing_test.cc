// SPDX-License-Identifier: MIT
// Models that the virtual NPU compiles into one binary, and sessions that share what is in it.
#include <dlfcn.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "tests/api/plugin/npu_testing.h"
#include "tests/api/plugin/plugin_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kSize = 64;

std::vector<float> weights() {
  std::vector<float> numbers;
  for (int64_t i = 0; i < kSize * kSize; ++i) numbers.push_back(static_cast<float>(i % 7) - 3);
  return numbers;
}

// y = x w, or relu(x w): two models with one weight.
std::string model(bool has_relu) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, kSize});
  const ValueId w = g.floats("w", {kSize, kSize}, weights());
  const ValueId product = g.node("MatMul", {x, w}, {has_relu ? "product" : "y"})[0];
  g.output(has_relu ? g.node("Relu", {product}, {"y"})[0] : product);
  return g.model_bytes();
}

std::vector<float> input() {
  std::vector<float> x;
  for (int64_t i = 0; i < kSize; ++i) x.push_back(static_cast<float>(i % 5) - 2);
  return x;
}

std::vector<float> expected(bool has_relu) {
  const std::vector<float> x = input(), w = weights();
  std::vector<float> y(kSize);
  for (size_t i = 0; i < y.size(); ++i) {
    for (size_t k = 0; k < x.size(); ++k) y[i] += x[k] * w[k * kSize + i];
    if (has_relu) y[i] = std::max(y[i], 0.0f);
  }
  return y;
}

Options sharing(const Env& env) {
  Options options = options_of(env, kNpuEp);
  set_entry(options, "ep.share_ep_contexts", "1");
  return options;
}

// Compiles the source into a context model.
Outcome compile(const Env& env, const Options& options, const std::string& source,
                const std::string& output, bool embeds = false) {
  OrtModelCompilationOptions* made = nullptr;
  CHECK(Outcome(OrtCreateModelCompilationOptionsFromSessionOptions(env.get(), options.get(), &made))
            .is_ok());
  const std::unique_ptr<OrtModelCompilationOptions, decltype(&OrtReleaseModelCompilationOptions)>
      own(made, OrtReleaseModelCompilationOptions);
  CHECK(Outcome(OrtModelCompilationOptions_SetInputModelPath(made, source.c_str())).is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetOutputModelPath(made, output.c_str())).is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetEpContextEmbedMode(made, embeds)).is_ok());
  return Outcome(OrtCompileModel(env.get(), made));
}

size_t size_of(const std::string& path) {
  struct stat found = {};
  return stat(path.c_str(), &found) == 0 ? static_cast<size_t>(found.st_size) : 0;
}

bool is_there(const std::string& path) {
  struct stat found = {};
  return stat(path.c_str(), &found) == 0;
}

// Two context models, "a" and "b", and their binary.
struct Group {
  Group(const Env& env, const std::string& name) : folder(folder_of(name)) {
    for (const char* one : {"a", "b"}) {
      write_whole_file(folder + one + ".onnx", model(*one == 'b'));
    }
    const Options options = sharing(env);
    CHECK(compile(env, options, source("a"), output("a")).is_ok());
    CHECK(!is_there(binary()));
    set_entry(options, "ep.stop_share_ep_contexts", "1");
    CHECK(compile(env, options, source("b"), output("b")).is_ok());
  }
  std::string source(const std::string& name) const { return folder + name + ".onnx"; }
  std::string output(const std::string& name) const { return folder + name + "_ctx.onnx"; }
  std::string binary() const { return folder + "a_ctx_npu.bin"; }
  std::string folder;
};

Options last_of_group(const Env& env) {
  Options options = sharing(env);
  set_entry(options, "ep.stop_share_ep_contexts", "1");
  return options;
}

void check_product(const OwnSession& session, bool has_relu) {
  std::vector<float> y;
  CHECK(run_floats(session.get(), input(), &y, {1, kSize}).is_ok());
  CHECK(y == expected(has_relu));
}

int binaries_read() {
  void* library = dlopen(ORTC_NPU_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
  CHECK(library != nullptr);
  const auto count = reinterpret_cast<int (*)()>(dlsym(library, "virtual_npu_binaries_read"));
  const int number = count();
  dlclose(library);
  return number;
}

}  // namespace

TEST(virtual_npu_sharing, writes_one_binary_in_which_weights_stand_once) {
  const Env env = env_with_npu();
  const Group group(env, "once");
  CHECK(is_there(group.output("a")));
  CHECK(is_there(group.output("b")));
  const size_t weight_bytes = kSize * kSize * sizeof(float);
  CHECK(size_of(group.binary()) > weight_bytes);
  CHECK(size_of(group.binary()) < weight_bytes + weight_bytes / 10);
  CHECK(!is_there(group.folder + "b_ctx_npu.bin"));
}

TEST(virtual_npu_sharing, runs_both_models_with_and_without_the_option) {
  const Env env = env_with_npu();
  const Group group(env, "both");
  for (const bool shares : {false, true}) {
    const Options options = shares ? sharing(env) : options_of(env, kNpuEp);
    const int before = binaries_read();
    OwnSession a, b;
    CHECK(load(env, group.output("a"), options, &a).is_ok());
    CHECK(load(env, group.output("b"), options, &b).is_ok());
    CHECK_EQ(binaries_read() - before, shares ? 1 : 2);
    check_product(a, false);
    a.reset();  // what it shared stays
    check_product(b, true);
    b.reset();
    CHECK(load(env, group.output("a"), options, &a).is_ok());
    CHECK_EQ(binaries_read() - before, shares ? 2 : 3);
    check_product(a, false);
  }
}

TEST(virtual_npu_sharing, reads_a_binary_again_that_was_written_anew) {
  const Env env = env_with_npu();
  const Group group(env, "anew");
  OwnSession a, again;
  CHECK(load(env, group.output("a"), sharing(env), &a).is_ok());
  const int before = binaries_read();
  std::ifstream file(group.binary(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  CHECK_EQ(remove(group.binary().c_str()), 0);
  write_whole_file(group.binary(), bytes + " ");
  CHECK(
      load(env, group.output("a"), sharing(env), &again).has(ORT_INVALID_GRAPH, "after its end"));
  CHECK_EQ(binaries_read() - before, 1);
  write_whole_file(group.binary(), bytes.substr(0, bytes.size() / 2));
  CHECK(
      load(env, group.output("b"), sharing(env), &again).has(ORT_INVALID_GRAPH, "ends too early"));
  CHECK_EQ(remove(group.binary().c_str()), 0);
  CHECK(
      load(env, group.output("b"), sharing(env), &again).has(ORT_INVALID_GRAPH, "cannot be read"));
  check_product(a, false);
}

TEST(virtual_npu_sharing, serves_one_group_after_the_other) {
  const Env env = env_with_npu();
  const Group first(env, "first"), second(env, "second");
  OwnSession a, b;
  CHECK(load(env, first.output("b"), sharing(env), &a).is_ok());
  CHECK(load(env, second.output("b"), sharing(env), &b).is_ok());
  check_product(a, true);
  check_product(b, true);
}

TEST(virtual_npu_sharing, writes_what_is_there_when_the_last_model_has_nothing) {
  const Env env = env_with_npu();
  const std::string folder = folder_of("nothing");
  write_whole_file(folder + "a.onnx", model(false));
  GraphBuilder g;
  g.output(g.node("Neg", {g.input("x", DType::kFloat32, {1, kSize})}, {"y"})[0]);
  write_whole_file(folder + "b.onnx", g.model_bytes());
  const Options options = sharing(env);
  CHECK(compile(env, options, folder + "a.onnx", folder + "a_ctx.onnx").is_ok());
  set_entry(options, "ep.stop_share_ep_contexts", "1");
  CHECK(compile(env, options, folder + "b.onnx", folder + "b_ctx.onnx").is_ok());
  OwnSession session;
  CHECK(load(env, folder + "a_ctx.onnx", sharing(env), &session).is_ok());
  check_product(session, false);
}

TEST(virtual_npu_sharing, writes_what_is_there_when_the_last_model_is_compiled_already) {
  const Env env = env_with_npu();
  const Group group(env, "compiled");
  const std::string folder = folder_of("compiled_last");
  CHECK(compile(env, sharing(env), group.source("a"), folder + "a_ctx.onnx").is_ok());
  const Options last = last_of_group(env);
  const std::string output = folder + "b_ctx.onnx";
  set_entry(last, "ep.context_enable", "1");
  set_entry(last, "ep.context_file_path", output.c_str());
  OwnSession b, a;
  CHECK(load(env, group.output("b"), last, &b).is_ok());
  check_product(b, true);
  CHECK(!is_there(output));
  CHECK(load(env, folder + "a_ctx.onnx", sharing(env), &a).is_ok());
  check_product(a, false);
}

TEST(virtual_npu_sharing, leaves_the_set_that_is_there_when_the_last_model_fails) {
  const Env env = env_with_npu();
  const Group group(env, "kept");
  const std::string bytes = read_whole_file(group.binary());
  // One that cannot be read, and one with a node that nobody computes.
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {1, kSize});
  g.output(
      g.node("NoSuchOperator", {g.node("Relu", {x}, {"relu"})[0]}, {"y"}, {}, "com.microsoft")[0]);
  for (const std::string& broken : {std::string(100, '\xff'), g.model_bytes()}) {
    write_whole_file(group.source("broken"), broken);
    // In the place of "a" goes another model.
    CHECK(compile(env, sharing(env), group.source("b"), group.output("a")).is_ok());
    CHECK(compile(env, last_of_group(env), group.source("broken"), group.output("b")).code !=
          ORT_OK);
    CHECK(read_whole_file(group.binary()) == bytes);
    for (const char* name : {"a", "b"}) {
      OwnSession session;
      CHECK(load(env, group.output(name), options_of(env, kNpuEp), &session).is_ok());
      check_product(session, *name == 'b');
    }
  }
}

TEST(virtual_npu_sharing, serves_another_folder_after_a_group_that_failed) {
  const Env env = env_with_npu();
  const std::string folder = folder_of("failed");
  write_whole_file(folder + "a.onnx", model(false));
  write_whole_file(folder + "broken.onnx", std::string(100, '\xff'));
  CHECK(compile(env, sharing(env), folder + "a.onnx", folder + "a_ctx.onnx").is_ok());
  CHECK(compile(env, sharing(env), folder + "broken.onnx", folder + "b_ctx.onnx").code != ORT_OK);
  CHECK(compile(env, last_of_group(env), folder + "a.onnx", folder + "c_ctx.onnx").code != ORT_OK);
  const Group other(env, "elsewhere");
  OwnSession session;
  CHECK(load(env, other.output("b"), sharing(env), &session).is_ok());
  check_product(session, true);
}

TEST(virtual_npu_sharing, serves_another_group_while_the_sessions_of_one_live) {
  const Env env = env_with_npu();
  const Group group(env, "before");
  std::vector<OwnSession> sessions;
  // In another folder, and in the same one again.
  for (const std::string& folder : {folder_of("after"), group.folder, group.folder}) {
    for (const char* name : {"a", "b"}) {
      const Options options = *name == 'b' ? last_of_group(env) : sharing(env);
      const std::string output = folder + name + "_ctx.onnx";
      set_entry(options, "ep.context_enable", "1");
      set_entry(options, "ep.context_file_path", output.c_str());
      remove(output.c_str());  // a session replaces no model
      CHECK(load(env, group.source(name), options, &sessions.emplace_back()).is_ok());
    }
    CHECK_EQ(size_of(folder + "a_ctx_npu.bin"), size_of(group.binary()));
    OwnSession session;
    CHECK(load(env, folder + "b_ctx.onnx", sharing(env), &session).is_ok());
    check_product(session, true);
  }
}

TEST(virtual_npu_sharing, gives_models_of_a_group_by_handle_files_of_their_own) {
  const Env env = env_with_npu();
  for (const bool shares : {false, true}) {
    const Options options = shares ? sharing(env) : options_of(env, kNpuEp);
    const std::string folder = folder_of(shares ? "handle_sharing" : "handle");
    OrtSharingGroup* group = nullptr;
    CHECK(Outcome(OrtCreateSharingGroup(env.get(), &group)).is_ok());
    CHECK(Outcome(OrtSessionOptionsSetSharingGroup(options.get(), group)).is_ok());
    for (const char* name : {"a", "b"}) {
      write_whole_file(folder + name + ".onnx", model(*name == 'b'));
      CHECK(compile(env, options, folder + name + ".onnx", folder + name + "_ctx.onnx").is_ok());
    }
    CHECK(!is_there(folder + "a_ctx.onnx"));
    CHECK(Outcome(OrtSharingGroup_Commit(group)).is_ok());
    OrtReleaseSharingGroup(group);
    for (const char* name : {"a", "b"}) {
      OwnSession session;
      CHECK(load(env, folder + name + "_ctx.onnx", options_of(env, kNpuEp), &session).is_ok());
      check_product(session, *name == 'b');
    }
  }
}

TEST(virtual_npu_sharing, is_not_for_contexts_in_the_model) {
  const Env env = env_with_npu();
  const std::string folder = folder_of("embedded");
  write_whole_file(folder + "a.onnx", model(false));
  const Options options = sharing(env);
  set_entry(options, "ep.stop_share_ep_contexts", "1");
  CHECK(compile(env, options, folder + "a.onnx", folder + "a_ctx.onnx", true)
            .has(ORT_INVALID_ARGUMENT, "its context would be inside the model"));
  CHECK(!is_there(folder + "a_ctx.onnx"));
}
