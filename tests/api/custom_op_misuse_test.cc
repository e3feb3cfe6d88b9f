// SPDX-License-Identifier: MIT
// Custom operators that break the rules: every one is a status that says what is wrong, and nothing
// is lost by it.
#include <stdexcept>

#include "tests/api/custom_op_testing.h"

using namespace ortc;
using namespace ortc::test;
namespace w = ortc::wire;

namespace {

void check_add_fails(const OrtCustomOp& op, const char* text) {
  OrtCustomOpDomain* domain = nullptr;
  CHECK_C(OrtCreateCustomOpDomain("mine", &domain));
  CHECK_C_FAILS(OrtCustomOpDomain_Add(domain, &op), ORT_INVALID_ARGUMENT, text);
  OrtReleaseCustomOpDomain(domain);
}

void check_load_fails(const std::vector<const TestOp*>& operators, OrtErrorCode code,
                      const char* text) {
  Program program(operators);
  CHECK_C_FAILS(program.load(sandwich()), code, text);
  CHECK(program.session() == nullptr);
}

OrtStatus* give_shape(OrtKernelContext* context, std::vector<int64_t> dims) {
  OrtValue* y = nullptr;
  return OrtKernelContext_GetOutput(context, 0, dims.data(), dims.size(), &y);
}

OrtStatus* no_output(OrtKernelContext*) { return nullptr; }

}  // namespace

TEST(custom_op, without_a_version_is_refused) {
  TestOp op;
  op.version = 0;
  check_add_fails(op, "expected 1 or more");
}

TEST(custom_op, of_a_later_version_of_the_interface_runs) {
  for (const uint32_t version : {31u, 99u, 0xffffffffu}) {
    TestOp op;
    op.version = version;
    Program program({&op});
    CHECK_C(program.load(sandwich()));
    CHECK(program.run({3}, {1, 2, 3}) == std::vector<float>({-2, -4, -6}));
  }
}

TEST(custom_op, without_a_member_that_must_be_there_is_refused) {
  {
    TestOp op;
    op.GetName = nullptr;
    check_add_fails(op, "'GetName'");
  }
  {
    TestOp op;
    op.GetInputType = nullptr;
    check_add_fails(op, "'GetInputType'");
  }
  {
    TestOp op;
    op.GetInputTypeCount = nullptr;
    check_add_fails(op, "'GetInputTypeCount'");
  }
  {
    TestOp op;
    op.GetOutputType = nullptr;
    check_add_fails(op, "'GetOutputType'");
  }
  {
    TestOp op;
    op.GetOutputTypeCount = nullptr;
    check_add_fails(op, "'GetOutputTypeCount'");
  }
  {
    TestOp op;
    op.CreateKernel = nullptr;
    op.CreateKernelV2 = nullptr;
    check_add_fails(op, "'CreateKernelV2'");
  }
  {
    TestOp op("Old", 15);
    op.KernelCompute = nullptr;  // the younger one is no member of this version
    check_add_fails(op, "'KernelCompute'");
  }
}

TEST(custom_op, that_declares_nonsense_is_refused_by_name) {
  const auto check = [](auto&& change, const char* text) {
    TestOp op;
    change(op);
    check_load_fails({&op}, ORT_INVALID_ARGUMENT, text);
  };
  check([](TestOp& op) { op.name.clear(); }, "of the domain 'mine' has no name");
  check([](TestOp& op) { op.inputs[0].type = 77; },
        "custom operator mine.Double: input 0 has the type 77");
  check([](TestOp& op) { op.outputs[0].type = -1; }, "output 0 has the type -1");
  check(
      [](TestOp& op) { op.inputs[0].kind = static_cast<OrtCustomOpInputOutputCharacteristic>(3); },
      "characteristic 3, expected 0, 1 or 2");
  check(
      [](TestOp& op) {
        op.inputs = {{kFloat, INPUT_OUTPUT_VARIADIC}, {}};
      },
      "Only the last input to a custom op may be marked variadic. Here input 0 is variadic");
  check(
      [](TestOp& op) {
        op.inputs = {{kFloat, INPUT_OUTPUT_VARIADIC}};
        op.input_least = -1;
      },
      "needs -1 values");
  check(
      [](TestOp& op) {
        op.inputs = {{kFloat, INPUT_OUTPUT_VARIADIC}};
        op.input_of_one = 0;
      },
      "but names float32; expected UNDEFINED");
  check([](TestOp& op) { op.first = 0; }, "opset versions 0 to");
  check(
      [](TestOp& op) {
        op.first = 4;
        op.last = 3;
      },
      "opset versions 4 to 3");
  check([](TestOp& op) { op.GetInputTypeCount = [](const OrtCustomOp*) { return SIZE_MAX; }; },
        "expected at most 1024");
  check([](TestOp& op) { op.GetName = [](const OrtCustomOp*) -> const char* { return nullptr; }; },
        "has no name");
}

TEST(custom_op, that_could_be_meant_by_the_same_node_as_another_is_refused) {
  TestOp one, two_inputs, two_outputs, later;
  two_inputs.inputs = {{kDouble}, {}};
  two_outputs.inputs = {{kDouble}};
  two_outputs.outputs = {{}, {}};
  later.first = 2;
  check_load_fails({&one, &two_inputs}, ORT_INVALID_ARGUMENT, "have 1 and 2 inputs");
  check_load_fails({&one, &two_outputs}, ORT_INVALID_ARGUMENT, "have 1 and 2 outputs");
  check_load_fails({&one, &later}, ORT_INVALID_ARGUMENT,
                   "mine.Double of opset version 2 take the same");
  one.last = 1;
  Program program({&one, &later});
  CHECK_C(program.load(sandwich()));
}

TEST(custom_op, that_was_added_twice_is_the_first_of_the_two) {
  TestOp one, same;
  Program program({&one, &same});
  CHECK_C(program.load(sandwich()));
}

TEST(custom_op, that_fits_no_node_names_expected_and_found) {
  TestOp op;
  op.inputs = {{kDouble}};
  check_load_fails({&op}, ORT_INVALID_GRAPH,
                   "no custom operator mine.Double fits: inputs: number 0 is float32[3], expected "
                   "float64");
  op.inputs = {{}, {}};
  check_load_fails({&op}, ORT_INVALID_GRAPH, "has input size 1 not in range [min=2, max=2]");
  op.inputs = {{}};
  op.outputs = {{}, {}};
  check_load_fails({&op}, ORT_INVALID_GRAPH, "has output size 1 not in range [min=2, max=2]");
  op.outputs = {{}};
  op.first = 5;
  op.last = 6;
  check_load_fails({&op}, ORT_INVALID_GRAPH, "imports opset 1 of the domain, expected 5 to 6");
}

TEST(custom_op, that_nobody_registered_is_named_with_what_to_do) {
  TestOp other("Other");
  check_load_fails({&other}, ORT_NOT_IMPLEMENTED, "mine.Double");
  check_load_fails({&other}, ORT_NOT_IMPLEMENTED, "OrtAddCustomOpDomain");
}

TEST(custom_op, of_another_provider_is_not_run_by_this_one) {
  TestOp op;
  op.provider = "NpuExecutionProvider";
  check_load_fails({&op}, ORT_NOT_IMPLEMENTED, "is for NpuExecutionProvider");
  op.provider = "CPUExecutionProvider";
  Program program({&op});
  CHECK_C(program.load(sandwich()));
}

TEST(custom_op, whose_functions_fail_gives_its_own_code_and_words) {
  TestOp op;
  op.on_create = [](const OrtKernelInfo*) {
    return OrtCreateStatus(ORT_ENGINE_ERROR, "no such weather");
  };
  check_load_fails({&op}, ORT_ENGINE_ERROR, "no such weather");
  CHECK_EQ(op.made, 0);
  CHECK_EQ(op.destroyed, 0);
  op.on_create = nullptr;
  op.on_infer = [](OrtShapeInferContext*) { return OrtCreateStatus(ORT_EP_FAIL, "too wet"); };
  check_load_fails({&op}, ORT_EP_FAIL, "too wet");
  op.on_infer = nullptr;
  op.on_compute = [](OrtKernelContext*) { return OrtCreateStatus(ORT_NO_MODEL, "too dry"); };
  Program program({&op});
  CHECK_C(program.load(sandwich()));
  CHECK_C_FAILS(program.try_run({3}, {1, 2, 3}), ORT_NO_MODEL, "too dry");
  CHECK_C_FAILS(program.try_run({3}, {1, 2, 3}), ORT_NO_MODEL, "custom");
}

TEST(custom_op, that_makes_no_kernel_is_a_failure) {
  TestOp op("Double", 1);
  op.CreateKernel = [](const OrtCustomOp*, const OrtApi*, const OrtKernelInfo*) -> void* {
    return nullptr;
  };
  check_load_fails({&op}, ORT_FAIL, "it made no kernel");
  CHECK_EQ(op.destroyed, 0);
}

TEST(custom_op, that_throws_is_a_failure_wherever_it_does) {
  TestOp op;
  op.on_create = [](const OrtKernelInfo*) -> OrtStatus* { throw std::runtime_error("thrown"); };
  check_load_fails({&op}, ORT_RUNTIME_EXCEPTION, "thrown");
  op.on_create = nullptr;
  op.on_infer = [](OrtShapeInferContext*) -> OrtStatus* { throw 1; };
  check_load_fails({&op}, ORT_RUNTIME_EXCEPTION, "InferOutputShapeFn");
  op.on_infer = nullptr;
  op.on_compute = [](OrtKernelContext*) -> OrtStatus* { throw std::runtime_error("thrown"); };
  Program program({&op});
  CHECK_C(program.load(sandwich()));
  CHECK_C_FAILS(program.try_run({3}, {1, 2, 3}), ORT_RUNTIME_EXCEPTION, "thrown");
  TestOp nameless;
  nameless.GetName = [](const OrtCustomOp*) -> const char* { throw std::runtime_error("no name"); };
  check_load_fails({&nameless}, ORT_RUNTIME_EXCEPTION, "no name");
  TestOp last;
  last.KernelDestroy = [](void*) { throw std::runtime_error("thrown"); };
  Program ends({&last});
  CHECK_C(ends.load(sandwich()));
}

TEST(custom_op, that_leaves_an_output_unwritten_is_a_failure) {
  TestOp op;
  op.on_compute = no_output;
  Program program({&op});
  CHECK_C(program.load(sandwich()));
  CHECK_C_FAILS(program.try_run({3}, {1, 2, 3}), ORT_EP_FAIL, "it gave no output 0");
}

TEST(custom_op, that_leaves_an_output_of_the_model_unwritten_gives_an_empty_value) {
  TestOp op;
  op.on_compute = no_output;
  Program program({&op});
  CHECK_C(program.load(mine_model({w::node("Double", {"x"}, {"y"}, {}, "custom", "mine")},
                                  {w::value("x", 1, {3})}, {w::plain("y")}, 1)));
  OrtValue *x = floats({3}, {1, 2, 3}), *y = nullptr;
  CHECK_C(program.run({x}, &y));
  CHECK(y != nullptr);
  int has_value = 1, is_tensor = 1;
  CHECK_C(OrtHasValue(y, &has_value));
  CHECK_C(OrtIsTensor(y, &is_tensor));
  CHECK_EQ(has_value + is_tensor, 0);
  const void* data = nullptr;
  CHECK_C_FAILS(OrtGetTensorData(y, &data), ORT_INVALID_ARGUMENT, "");
  OrtReleaseValue(y);
  y = floats({3}, {7, 7, 7});  // one that is provided has no empty form
  CHECK_C_FAILS(program.run_into({x}, y), ORT_FAIL, "has no value");
  OrtReleaseValue(y);
  OrtReleaseValue(x);
}

TEST(custom_op, that_asks_for_a_wrong_shape_is_a_failure) {
  TestOp op;
  Program program({&op});
  CHECK_C(program.load(sandwich()));
  op.on_compute = [](OrtKernelContext* context) { return give_shape(context, {-3}); };
  CHECK_C_FAILS(program.try_run({3}, {1, 2, 3}), ORT_INVALID_ARGUMENT, "cannot have the shape");
  op.on_compute = [](OrtKernelContext* context) {
    return give_shape(context, {INT64_MAX, INT64_MAX});
  };
  CHECK_C_FAILS(program.try_run({3}, {1, 2, 3}), ORT_INVALID_ARGUMENT, "cannot have the shape");
  op.on_compute = [](OrtKernelContext* context) -> OrtStatus* {
    CHECK_C(give_shape(context, {2}));
    return give_shape(context, {3});
  };
  CHECK_C_FAILS(program.try_run({3}, {1, 2, 3}), ORT_INVALID_ARGUMENT, "already");
  op.on_compute = [](OrtKernelContext* context) -> OrtStatus* {
    OrtValue* y = nullptr;
    const OrtValue* x = nullptr;
    CHECK_C_FAILS(OrtKernelContext_GetInput(context, 1, &x), ORT_INVALID_ARGUMENT, "there are 1");
    return OrtKernelContext_GetOutput(context, 1, nullptr, 0, &y);
  };
  CHECK_C_FAILS(program.try_run({3}, {1, 2, 3}), ORT_INVALID_ARGUMENT, "there are 1 outputs");
}

// Inferred [3], given [5]: what stands behind it must not read or write beyond either.
TEST(custom_op, that_gives_another_shape_than_it_inferred_does_no_harm) {
  TestOp op;
  op.on_infer = [](OrtShapeInferContext* context) -> OrtStatus* {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    CHECK_C(OrtShapeInferContext_GetInputTypeShape(context, 0, &info));
    return OrtShapeInferContext_SetOutputTypeShape(context, 0, info);
  };
  op.on_compute = [](OrtKernelContext* context) -> OrtStatus* {
    OrtValue* y = nullptr;
    const int64_t five = 5;
    OrtStatus* status = OrtKernelContext_GetOutput(context, 0, &five, 1, &y);
    if (status != nullptr) return status;
    void* data = nullptr;
    CHECK_C(OrtGetTensorMutableData(y, &data));
    for (int i = 0; i < 5; ++i) static_cast<float*>(data)[i] = static_cast<float>(i);
    return nullptr;
  };
  Program program({&op});
  CHECK_C(program.load(sandwich()));
  CHECK(program.run({3}, {1, 2, 3}) == Numbers({0, -1, -2, -3, -4}));
  // What was compiled for three takes three.
  Program compiled({&op});
  compiled.use("AOT");
  CHECK_C(compiled.load(sandwich()));
  CHECK_C_FAILS(compiled.try_run({3}, {1, 2, 3}), ORT_INVALID_ARGUMENT, "shape [3], found [5]");
}

TEST(custom_op, libraries_that_are_none_are_refused) {
  OrtSessionOptions* options = nullptr;
  CHECK_C(OrtCreateSessionOptions(&options));
  CHECK_C_FAILS(OrtRegisterCustomOpsLibrary_V2(options, "/no/such/library.so"), ORT_FAIL,
                "/no/such/library.so");
  CHECK_C_FAILS(OrtRegisterCustomOpsLibrary_V2(options, ""), ORT_INVALID_ARGUMENT, "empty");
  void* handle = options;
  CHECK_C_FAILS(OrtRegisterCustomOpsLibrary(options, "libm.so.6", &handle), ORT_FAIL,
                "has no function RegisterCustomOps");
  CHECK(handle == nullptr);
  CHECK_C_FAILS(OrtRegisterCustomOpsUsingFunction(options, "NoSuchFunction"), ORT_FAIL,
                "Failed to get symbol NoSuchFunction");
  CHECK_C_FAILS(OrtEnableOrtCustomOps(options), ORT_FAIL, "onnxruntime-extensions");
  OrtReleaseSessionOptions(options);
}
