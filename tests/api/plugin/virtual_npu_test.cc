// SPDX-License-Identifier: MIT
// The sample library of a virtual NPU: sessions from source, compiled models with its own contexts
// in every place they may have, and what is said of broken ones.
#include <cstring>
#include <fstream>
#include <map>

#include "tests/api/plugin/kernel_testing.h"
#include "tests/api/plugin/npu_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// y = Exp(relu(x) * 2 + 1): three nodes for the NPU, one for the CPU.
std::string partial_model() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {4});
  const ValueId two = g.floats("two", {1}, {2});
  const ValueId one = g.floats("one", {4}, {1, 1, 1, 1});
  const ValueId relu = g.node("Relu", {x}, {"relu"})[0];
  const ValueId scaled = g.node("Mul", {relu, two}, {"scaled"})[0];
  const ValueId moved = g.node("Add", {scaled, one}, {"moved"})[0];
  const ValueId abs = g.node("Abs", {moved}, {"abs"})[0];
  g.output(g.node("Add", {abs, one}, {"y"})[0]);
  return g.model_bytes();
}
const std::vector<float> kPartialY = {4, 2, 8, 2};

struct CompilationEnd {
  void operator()(OrtModelCompilationOptions* options) const {
    OrtReleaseModelCompilationOptions(options);
  }
};
using Compilation = std::unique_ptr<OrtModelCompilationOptions, CompilationEnd>;

Compilation compilation_of(const Env& env, const std::string& source) {
  OrtModelCompilationOptions* made = nullptr;
  const Options options = options_of(env, kNpuEp);
  CHECK(Outcome(OrtCreateModelCompilationOptionsFromSessionOptions(env.get(), options.get(), &made))
            .is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetInputModelPath(made, source.c_str())).is_ok());
  return Compilation(made);
}

Outcome compile(const Env& env, const Compilation& compilation) {
  return Outcome(OrtCompileModel(env.get(), compilation.get()));
}

void check_npu_runs(OrtSession* session, const std::vector<float>& expected) {
  std::vector<float> y;
  CHECK(run_floats(session, kSignedX, &y).is_ok());
  CHECK(y == expected);
}

// A model and its context model in files.
struct Compiled {
  explicit Compiled(const Env& env, const std::string& name, bool embed = false)
      : folder(folder_of(name)), source(folder + "m.onnx"), output(folder + "m_ctx.onnx") {
    write_whole_file(source, partial_model());
    const Compilation compilation = compilation_of(env, source);
    CHECK(Outcome(OrtModelCompilationOptions_SetOutputModelPath(compilation.get(), output.c_str()))
              .is_ok());
    CHECK(Outcome(OrtModelCompilationOptions_SetEpContextEmbedMode(compilation.get(), embed))
              .is_ok());
    CHECK(compile(env, compilation).is_ok());
  }
  std::string folder, source, output;
};

// The functions of a program that keeps contexts itself.
struct Kept {
  std::map<std::string, std::string> data;
  int writes = 0, reads = 0;
  static OrtStatus* write(void* state, const char* name, const void* bytes, size_t size) {
    Kept& kept = *static_cast<Kept*>(state);
    kept.data[name].assign(static_cast<const char*>(bytes), size);
    ++kept.writes;
    return nullptr;
  }
  static OrtStatus* read(void* state, const char* name, OrtAllocator* allocator, void** bytes,
                         size_t* size) {
    Kept& kept = *static_cast<Kept*>(state);
    const auto found = kept.data.find(name);
    if (found == kept.data.end()) return OrtCreateStatus(ORT_NOT_FOUND, "nothing of that name");
    *size = found->second.size();
    *bytes = allocator->Alloc(allocator, *size);
    std::memcpy(*bytes, found->second.data(), *size);
    ++kept.reads;
    return nullptr;
  }
};

}  // namespace

TEST(virtual_npu, is_offered_under_a_virtual_name_only) {
  const Env plain = env_with_npu("npu");
  CHECK(devices_of(plain, kNpuEp).empty());
  const Env env = env_with_npu();
  const auto devices = devices_of(env, kNpuEp);
  CHECK_EQ(devices.size(), 1u);
  const OrtHardwareDevice* hardware = OrtEpDevice_Device(devices[0]);
  CHECK_EQ(OrtHardwareDevice_Type(hardware), OrtHardwareDeviceType_NPU);
  CHECK_EQ(std::string(OrtGetKeyValue(OrtHardwareDevice_Metadata(hardware), "is_virtual")), "1");
}

TEST(virtual_npu, runs_what_it_can_and_leaves_the_rest) {
  const Env env = env_with_npu();
  OwnSession session;
  CHECK(make_session(env, partial_model(), options_of(env, kNpuEp), &session).is_ok());
  check_npu_runs(session.get(), kPartialY);
}

TEST(virtual_npu, multiplies_matrices) {
  const Env env = env_with_npu();
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2, 2});
  const ValueId weight = g.floats("weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  const ValueId bias = g.floats("bias", {3}, {1, 0, -1});
  const ValueId product = g.node("MatMul", {x, weight}, {"product"})[0];
  g.output(g.node("Add", {product, bias}, {"y"})[0]);
  OwnSession session;
  CHECK(make_session(env, g.model_bytes(), options_of(env, kNpuEp), &session).is_ok());
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1, 0, 0, 1}, &y, {2, 2}).is_ok());
  CHECK(y == (std::vector<float>{2, 2, 2, 5, 5, 5}));
}

TEST(virtual_npu, writes_contexts_as_files_of_its_own_and_loads_them) {
  const Env env = env_with_npu();
  const Compiled compiled(env, "files");
  OwnSession session;
  CHECK(load(env, compiled.output, options_of(env, kNpuEp), &session).is_ok());
  check_npu_runs(session.get(), kPartialY);
}

TEST(virtual_npu, embeds_contexts_and_loads_them) {
  const Env env = env_with_npu();
  const Compiled compiled(env, "embedded", /*embed=*/true);
  OwnSession session;
  CHECK(load(env, compiled.output, options_of(env, kNpuEp), &session).is_ok());
  check_npu_runs(session.get(), kPartialY);
}

TEST(virtual_npu, gives_contexts_to_functions_of_the_program_and_takes_them_back) {
  const Env env = env_with_npu();
  const std::string folder = folder_of("functions");
  write_whole_file(folder + "m.onnx", partial_model());
  Kept kept;
  const Compilation compilation = compilation_of(env, folder + "m.onnx");
  CHECK(Outcome(OrtModelCompilationOptions_SetOutputModelPath(compilation.get(),
                                                              (folder + "c.onnx").c_str()))
            .is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetEpContextDataWriteFunc(compilation.get(), Kept::write,
                                                                     &kept))
            .is_ok());
  CHECK(compile(env, compilation).is_ok());
  CHECK_EQ(kept.writes, 2);
  const Options options = options_of(env, kNpuEp);
  CHECK(
      Outcome(OrtSessionOptionsSetEpContextDataReadFunc(options.get(), Kept::read, &kept)).is_ok());
  OwnSession session;
  CHECK(load(env, folder + "c.onnx", options, &session).is_ok());
  CHECK_EQ(kept.reads, 2);
  check_npu_runs(session.get(), kPartialY);
  kept.data.clear();
  CHECK(load(env, folder + "c.onnx", options, &session).has(ORT_NOT_FOUND, "nothing of that name"));
}

TEST(virtual_npu, calls_no_function_for_embedded_contexts) {
  const Env env = env_with_npu();
  const std::string folder = folder_of("quiet");
  write_whole_file(folder + "m.onnx", partial_model());
  Kept kept;
  const Compilation compilation = compilation_of(env, folder + "m.onnx");
  CHECK(Outcome(OrtModelCompilationOptions_SetOutputModelPath(compilation.get(),
                                                              (folder + "c.onnx").c_str()))
            .is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetEpContextEmbedMode(compilation.get(), true)).is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetEpContextDataWriteFunc(compilation.get(), Kept::write,
                                                                     &kept))
            .is_ok());
  CHECK(compile(env, compilation).is_ok());
  CHECK_EQ(kept.writes, 0);
}

TEST(virtual_npu, compiles_by_options_of_a_session_too) {
  const Env env = env_with_npu();
  const std::string folder = folder_of("by_session");
  const std::string output = folder + "o.onnx";
  const Options options = options_of(env, kNpuEp);
  CHECK(Outcome(OrtAddSessionConfigEntry(options.get(), "ep.context_enable", "1")).is_ok());
  CHECK(Outcome(OrtAddSessionConfigEntry(options.get(), "ep.context_file_path", output.c_str()))
            .is_ok());
  OwnSession session;
  CHECK(make_session(env, partial_model(), options, &session).is_ok());
  check_npu_runs(session.get(), kPartialY);
  CHECK(load(env, output, options_of(env, kNpuEp), &session).is_ok());
  check_npu_runs(session.get(), kPartialY);
}

TEST(virtual_npu, writes_nothing_when_the_model_is_compiled_already) {
  const Env env = env_with_npu();
  const Compiled compiled(env, "again");
  const std::string other = folder_of("again_elsewhere"), before = files_of(compiled.folder);
  for (const std::string& output : {std::string(), other + "n_ctx.onnx"}) {
    const Options options = options_of(env, kNpuEp);
    set_entry(options, "ep.context_enable", "1");
    if (!output.empty()) set_entry(options, "ep.context_file_path", output.c_str());
    OwnSession session;
    CHECK(load(env, compiled.output, options, &session).is_ok());
    check_npu_runs(session.get(), kPartialY);
    CHECK_EQ(files_of(compiled.folder), before);
    CHECK_EQ(files_of(other), "");
  }
}

TEST(virtual_npu, keeps_contexts_in_the_folder_of_the_model) {
  const Env env = env_with_npu();
  const std::string folder = folder_of("prefix");
  write_whole_file(folder + "m.onnx", partial_model());
  for (const bool leaves : {true, false}) {
    const Options options = options_of(env, kNpuEp);
    const std::string output = folder + "m_ctx.onnx";
    set_entry(options, "ep.context_enable", "1");
    set_entry(options, "ep.context_file_path", output.c_str());
    set_entry(options, "ep.context_node_name_prefix", leaves ? "../out_of_" : "a..b_");
    OwnSession session;
    const Outcome made = load(env, folder + "m.onnx", options, &session);
    CHECK_EQ(made.code, leaves ? ORT_INVALID_GRAPH : ORT_OK);
    CHECK_EQ(files_of(temp_dir()).find("out_of_"), std::string::npos);
    if (!leaves) CHECK(load(env, output, options_of(env, kNpuEp), &session).is_ok());
  }
}

TEST(virtual_npu, does_not_wait_for_a_pipe_in_place_of_a_context) {
  const Env env = env_with_npu();
  const Compiled compiled(env, "pipe");
  for (const auto& entry : std::filesystem::directory_iterator(compiled.folder)) {
    if (entry.path().extension() != ".bin") continue;
    CHECK_EQ(remove(entry.path().c_str()), 0);
    CHECK_EQ(mkfifo(entry.path().c_str(), 0600), 0);
  }
  OwnSession session;
  CHECK(load(env, compiled.output, options_of(env, kNpuEp), &session)
            .has(ORT_INVALID_GRAPH, "cannot be read"));
}

TEST(virtual_npu, keeps_compiled_models_in_a_cache) {
  const Env env = env_with_npu();
  const std::string folder = folder_of("cached");
  write_whole_file(folder + "m.onnx", partial_model());
  for (int i = 0; i < 3; ++i) {
    const Options options = options_of(env, kNpuEp);
    const std::string cache = folder + "cache";
    CHECK(Outcome(OrtAddSessionConfigEntry(options.get(), "ep.context_cache_dir", cache.c_str()))
              .is_ok());
    OwnSession session;
    CHECK(load(env, folder + "m.onnx", options, &session).is_ok());
    check_npu_runs(session.get(), kPartialY);
    OrtAllocator* allocator = nullptr;
    char* report = nullptr;
    CHECK(Outcome(OrtGetAllocatorWithDefaultOptions(&allocator)).is_ok());
    CHECK(Outcome(OrtSession_GetReportJson(session.get(), allocator, &report)).is_ok());
    const std::string expected = i == 0 ? "\"result\":\"made\"" : "\"result\":\"hit\"";
    CHECK(std::string(report).find(expected) != std::string::npos);
    CHECK(Outcome(OrtAllocatorFree(allocator, report)).is_ok());
  }
}

TEST(virtual_npu, says_what_its_contexts_were_made_for) {
  const Env env = env_with_npu();
  const Compiled compiled(env, "info");
  OrtAllocator* allocator = nullptr;
  CHECK(Outcome(OrtGetAllocatorWithDefaultOptions(&allocator)).is_ok());
  char* info = nullptr;
  CHECK(Outcome(OrtGetCompatibilityInfoFromModel(compiled.output.c_str(), kNpuEp, allocator, &info))
            .is_ok());
  CHECK(info != nullptr);
  CHECK_EQ(std::string(info), "virtual_npu;program=1");
  const auto devices = devices_of(env, kNpuEp);
  auto verdict = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
  CHECK(Outcome(OrtGetModelCompatibilityForEpDevices(devices.data(), 1, info, &verdict)).is_ok());
  CHECK_EQ(verdict, OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL);
  CHECK(Outcome(OrtAllocatorFree(allocator, info)).is_ok());
}

TEST(virtual_npu, is_asked_for_its_verdict_before_a_context_of_another_version_is_opened) {
  const Env env = env_with_npu();
  const Compiled compiled(env, "version");
  std::string model = read_whole_file(compiled.output);
  const size_t place = model.find("virtual_npu;program=1");
  CHECK(place != std::string::npos);
  model[place + std::strlen("virtual_npu;program=")] = '9';
  write_whole_file(compiled.output, model);
  OwnSession session;
  CHECK(load(env, compiled.output, options_of(env, kNpuEp), &session).has(ORT_FAIL, kNpuEp));
}

TEST(virtual_npu, refuses_damaged_and_missing_contexts) {
  const Env env = env_with_npu();
  const Compiled compiled(env, "damaged", /*embed=*/true);
  std::string model = read_whole_file(compiled.output);
  const size_t place = model.find("VNPU");
  CHECK(place != std::string::npos);
  OwnSession session;
  const char* const kTexts[] = {"not a program", "version", ""};
  for (size_t i = 0; i < 2; ++i) {
    std::string damaged = model;
    damaged[place + i * 4] = '\x7f';
    write_whole_file(compiled.output, damaged);
    CHECK(load(env, compiled.output, options_of(env, kNpuEp), &session)
              .has(ORT_INVALID_GRAPH, kTexts[i]));
  }
  // Any other byte: a failure or other numbers, never more.
  for (size_t i = 8; i < 60; ++i) {
    std::string damaged = model;
    damaged[place + i] ^= '\x55';
    write_whole_file(compiled.output, damaged);
    if (load(env, compiled.output, options_of(env, kNpuEp), &session).code != ORT_OK) continue;
    std::vector<float> y;
    (void)run_floats(session.get(), kSignedX, &y);
  }
}

TEST(virtual_npu, is_asked_for_when_a_session_does_not_choose_it) {
  const Env env = env_with_npu();
  const Compiled compiled(env, "unchosen");
  OrtSessionOptions* plain = nullptr;
  CHECK(Outcome(OrtCreateSessionOptions(&plain)).is_ok());
  OwnSession session;
  CHECK(load(env, compiled.output, Options(plain), &session).has(ORT_NOT_IMPLEMENTED, kNpuEp));
  const Env empty = quiet_env();
  CHECK(Outcome(OrtCreateSessionOptions(&plain)).is_ok());
  CHECK(load(empty, compiled.output, Options(plain), &session)
            .has(ORT_NOT_IMPLEMENTED, "register the library"));
}

TEST(virtual_npu, needs_an_epcontext_node_for_each_part_that_is_written) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  const std::string folder = folder_of("nodes");
  const struct {
    const char* fault;
    int code;
    const char* text;
  } kFaults[] = {{"null_context", ORT_FAIL, "returned a NULL EPContext node"},
                 {"released_context", ORT_EP_FAIL, "a node that was released"},
                 {"compile_error_late", ORT_NOT_FOUND, "cannot compile after all"},
                 {"wrong_context_name", ORT_INVALID_GRAPH, "'somebody else'"},
                 {"bad_context_name", ORT_INVALID_GRAPH, "'not \xef\xbf\xbd utf-8'"},
                 {"wrong_context_op", ORT_INVALID_GRAPH, "expected com.microsoft.EPContext"},
                 {"same_context_twice", ORT_INVALID_GRAPH, "expected the name of the fused node"}};
  for (const auto& row : kFaults) {
    const Options options = options_of(env, kTestEp, row.fault);
    const std::string output = folder + row.fault + ".onnx";
    CHECK(Outcome(OrtAddSessionConfigEntry(options.get(), "ep.context_enable", "1")).is_ok());
    CHECK(Outcome(OrtAddSessionConfigEntry(options.get(), "ep.context_file_path", output.c_str()))
              .is_ok());
    OwnSession session;
    CHECK(make_session(env, two_muls(), options, &session).has(row.code, row.text));
    CHECK(!std::ifstream(output).good());
    CHECK_EQ(library_number("test_library_alive"), 1);
  }
}

TEST(virtual_npu, is_asked_by_functions_of_the_program_only_when_it_can_use_them) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  const std::string folder = folder_of("support");
  write_whole_file(folder + "m.onnx", two_muls());
  const struct {
    const char* fault;
    int code;
    const char* text;
  } kRows[] = {{"", ORT_EP_FAIL, "TestLibraryEp does not write context data by a function"},
               {"support_error", ORT_NOT_FOUND, "cannot tell"},
               {"writes_contexts", ORT_OK, ""}};
  for (const auto& row : kRows) {
    const Options options = options_of(env, kTestEp, row.fault);
    OrtModelCompilationOptions* made = nullptr;
    CHECK(
        Outcome(OrtCreateModelCompilationOptionsFromSessionOptions(env.get(), options.get(), &made))
            .is_ok());
    const Compilation compilation(made);
    const std::string output = folder + row.fault + "c.onnx";
    Kept kept;
    CHECK(Outcome(OrtModelCompilationOptions_SetInputModelPath(made, (folder + "m.onnx").c_str()))
              .is_ok());
    CHECK(Outcome(OrtModelCompilationOptions_SetOutputModelPath(made, output.c_str())).is_ok());
    CHECK(Outcome(OrtModelCompilationOptions_SetEpContextDataWriteFunc(made, Kept::write, &kept))
              .is_ok());
    const Outcome outcome = compile(env, compilation);
    if (row.code == ORT_OK) {
      CHECK(outcome.is_ok());
    } else {
      CHECK(outcome.has(row.code, row.text));
      CHECK(!std::ifstream(output).good());
    }
    // Of contexts in the model nobody asks.
    CHECK(Outcome(OrtModelCompilationOptions_SetEpContextEmbedMode(made, true)).is_ok());
    CHECK(compile(env, compilation).is_ok());
  }
}

TEST(virtual_npu, computes_single_nodes_with_kernels) {
  const Env env = env_with_npu();
  const Options options = options_of(env, kNpuEp);
  for (const char* key :
       {"ep.virtualnpuexecutionprovider.kernels", "session.record_ep_graph_assignment_info"}) {
    CHECK(Outcome(OrtAddSessionConfigEntry(options.get(), key, "1")).is_ok());
  }
  OwnSession session;
  CHECK(make_session(env, partial_model(), options, &session).is_ok());
  CHECK_EQ(nodes_of(session.get(), kNpuEp), "Relu Mul Add Add ");
  std::vector<float> y;
  CHECK(run_floats(session.get(), kSignedX, &y).is_ok());
  CHECK(y == kPartialY);
}
