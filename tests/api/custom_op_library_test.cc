// SPDX-License-Identifier: MIT
// Libraries of custom operators, which were built for ONNX Runtime's headers: loaded, used, gone.
#include <dlfcn.h>

#include <fstream>

#include "tests/api/custom_op_testing.h"

using namespace ortc;
using namespace ortc::test;
namespace w = ortc::wire;

namespace {

const char* const kLibrary = OPERATORS "libtest_operators.so";
const char* const kBroken = OPERATORS "libtest_broken.so";

bool is_loaded(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

std::string scale_model() {
  const std::string half = w::attribute("factor", 1, std::string("\x15\0\0\0\x3f", 5));
  return mine_model({w::node("Scale", {"x"}, {"s"}, {half}, "scale", "mine"),
                     w::node("Norm", {"s"}, {"y"}, {}, "norm", "mine")},
                    {w::value("x", 1, {2})}, {w::plain("y")});
}

TestOp function_op("Double");

}  // namespace

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterDouble(
    OrtSessionOptions* options, const OrtApiBase* api_base) {
  const OrtApi* api = api_base->GetApi(14);
  OrtCustomOpDomain* domain = nullptr;
  OrtStatus* status = api->CreateCustomOpDomain("mine", &domain);
  if (status == nullptr) status = api->CustomOpDomain_Add(domain, &function_op);
  if (status == nullptr) status = api->AddCustomOpDomain(options, domain);
  api->ReleaseCustomOpDomain(domain);
  return status;
}

TEST(custom_op_library, runs_and_is_gone_with_the_last_session) {
  CHECK(!is_loaded("libtest_operators"));
  OrtEnv* env = nullptr;
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;
  CHECK_C(OrtCreateEnv(ORT_LOGGING_LEVEL_FATAL, "test", &env));
  CHECK_C(OrtCreateSessionOptions(&options));
  CHECK_C(OrtRegisterCustomOpsLibrary_V2(options, kLibrary));
  const std::string model = scale_model();
  CHECK_C(OrtCreateSessionFromArray(env, model.data(), model.size(), options, &session));
  OrtReleaseSessionOptions(options);
  CHECK(is_loaded("libtest_operators"));
  const char *x_name = "x", *y_name = "y";
  OrtValue *x = floats({2}, {6, 8}), *y = nullptr;
  CHECK_C(OrtRun(session, nullptr, &x_name, &x, 1, &y_name, 1, &y));
  CHECK(numbers_of(y) == Numbers({5}));
  OrtReleaseValue(y);
  OrtReleaseValue(x);
  OrtReleaseSession(session);
  OrtReleaseEnv(env);
  CHECK(!is_loaded("libtest_operators"));
}

TEST(custom_op_library, comes_and_goes_a_thousand_times) {
  for (int i = 0; i < 1000; ++i) {
    OrtSessionOptions *options = nullptr, *copy = nullptr;
    CHECK_C(OrtCreateSessionOptions(&options));
    CHECK_C(OrtRegisterCustomOpsLibrary_V2(options, kLibrary));
    CHECK_C(OrtCloneSessionOptions(options, &copy));
    OrtReleaseSessionOptions(options);
    CHECK(is_loaded("libtest_operators"));
    OrtReleaseSessionOptions(copy);
  }
  CHECK(!is_loaded("libtest_operators"));
}

TEST(custom_op_library, that_the_program_closes_stays_until_then) {
  void* handle = nullptr;
  {
    Program program({});
    CHECK_C(OrtRegisterCustomOpsLibrary(program.options(), kLibrary, &handle));
    CHECK(dlsym(handle, "RegisterCustomOps") != nullptr);
    CHECK_C(program.load(scale_model()));
    CHECK(program.run({2}, {6, 8}) == Numbers({5}));
  }
  CHECK(is_loaded("libtest_operators"));
  CHECK_EQ(dlclose(handle), 0);
  CHECK(!is_loaded("libtest_operators"));
}

TEST(custom_op_library, whose_registration_fails_says_why) {
  {
    Program program({});
    CHECK_C_FAILS(OrtRegisterCustomOpsLibrary_V2(program.options(), kBroken), ORT_ENGINE_ERROR,
                  "the stars are wrong");
    CHECK_C(OrtAddSessionConfigEntry(program.options(), "custom_op.Broken.throws", "1"));
    void* handle = nullptr;
    CHECK_C_FAILS(OrtRegisterCustomOpsLibrary(program.options(), kBroken, &handle),
                  ORT_RUNTIME_EXCEPTION, "thrown while registering");
    CHECK(handle == nullptr);
    CHECK_C(program.load(w::small_model()));
  }
  CHECK(!is_loaded("libtest_broken"));
}

TEST(custom_op_library, may_be_the_program_itself) {
  Program program({});
  CHECK_C(OrtRegisterCustomOpsUsingFunction(program.options(), "RegisterDouble"));
  CHECK_C(program.load(sandwich()));
  CHECK(program.run({3}, {1, -2, 3}) == Numbers({-2, -4, -6}));
}

TEST(custom_op_library, makes_kernels_that_refuse_in_their_own_words) {
  Program program({});
  CHECK_C(OrtRegisterCustomOpsLibrary_V2(program.options(), kLibrary));
  // Without the attribute.
  CHECK_C_FAILS(program.load(mine_model({w::node("Scale", {"x"}, {"y"}, {}, "", "mine")},
                                        {w::value("x", 1, {2})}, {w::plain("y")})),
                ORT_RUNTIME_EXCEPTION, "'factor' is defined");
  CHECK_C(program.load(mine_model({w::node("Norm", {"x"}, {"y"}, {}, "", "mine")},
                                  {w::value("x", 1, {2, 2})}, {w::plain("y")})));
  CHECK_C_FAILS(program.try_run({2, 2}, {1, 2, 3, 4}), ORT_INVALID_ARGUMENT,
                "Norm: expected a vector");
}

TEST(custom_op_library, of_a_provider_is_known_where_the_provider_is_used) {
  const std::string path = OPERATORS "libtest_provider.so";
  const std::string model = w::model(w::graph({w::node("Double", {"x"}, {"y"}, {}, "", "brought")},
                                              {w::value("x", 1, {2})}, {w::plain("y")}),
                                     {}, w::field(8, w::opset("brought", 1)));
  Program program({});
  for (const char* fault : {"count_fails", "too_many", "null"}) {
    CHECK_C_FAILS(OrtRegisterExecutionProviderLibrary(program.env(), fault, path.c_str()),
                  *fault == 'c' ? ORT_ENGINE_ERROR : ORT_EP_FAIL, "CustomOpDomains");
  }
  CHECK_C(OrtRegisterExecutionProviderLibrary(program.env(), "bringing", path.c_str()));
  CHECK_C_FAILS(program.load(model), ORT_NOT_IMPLEMENTED, "brought.Double");
  const OrtEpDevice* const* devices = nullptr;
  const OrtEpDevice* device = nullptr;
  size_t count = 0;
  CHECK_C(OrtGetEpDevices(program.env(), &devices, &count));
  for (size_t i = 0; i < count; ++i) {
    if (std::string(OrtEpDevice_EpName(devices[i])) == "BringingEp") device = devices[i];
  }
  CHECK(device != nullptr);
  CHECK_C(OrtSessionOptionsAppendExecutionProvider_V2(program.options(), program.env(), &device, 1,
                                                      nullptr, nullptr, 0));
  CHECK_C(program.load(model));
  CHECK(program.run({2}, {1, 2}) == Numbers({2, 4}));
}
