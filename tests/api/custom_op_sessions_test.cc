// SPDX-License-Identifier: MIT
// Custom operators in sessions: which nodes they take, with which types, and what they compute.
#include "tests/api/custom_op_testing.h"

using namespace ortc;
using namespace ortc::test;
namespace w = ortc::wire;

TEST(custom_op, computes_between_operators_of_onnx) {
  TestOp op;
  {
    Program program({&op});
    CHECK_C(program.load(sandwich()));
    CHECK(program.run({3}, {1, -2, 3}) == Numbers({-2, -4, -6}));
    CHECK(program.run({3}, {0, 5, 1}) == Numbers({0, -10, -2}));
    CHECK_EQ(op.made, 1);
    CHECK_EQ(op.computed, 2);
  }
  CHECK_EQ(op.destroyed, 1);
}

TEST(custom_op, stays_left_when_aot_compiles_what_stands_around_it) {
  TestOp op;
  Program program({&op});
  program.use("AOT");
  CHECK_C(program.load(sandwich()));
  CHECK(program.run({3}, {1, -2, 3}) == Numbers({-2, -4, -6}));
  CHECK_EQ(op.computed, 1);
}

// Members that such a version does not have may hold anything.
TEST(custom_op, of_an_old_version_is_touched_no_further_than_that_version_goes) {
  for (const uint32_t version : {1u, 7u, 8u, 12u, 13u, 14u, 15u, 16u, 17u, 18u}) {
    TestOp op("Double", version);
    const size_t begin = version < 8    ? offsetof(OrtCustomOp, GetInputCharacteristic)
                         : version < 13 ? offsetof(OrtCustomOp, GetInputMemoryType)
                         : version < 14 ? offsetof(OrtCustomOp, GetVariadicInputMinArity)
                         : version < 16 ? offsetof(OrtCustomOp, CreateKernelV2)
                         : version < 17 ? offsetof(OrtCustomOp, InferOutputShapeFn)
                         : version < 18 ? offsetof(OrtCustomOp, GetMayInplace)
                                        : sizeof(OrtCustomOp);
    OrtCustomOp& plain = op;
    std::memset(reinterpret_cast<char*>(&plain) + begin, 0x5a, sizeof(OrtCustomOp) - begin);
    Program program({&op});
    CHECK_C(program.load(sandwich()));
    CHECK(program.run({3}, {1, -2, 3}) == Numbers({-2, -4, -6}));
  }
}

TEST(custom_op, with_members_that_are_null_has_their_defaults) {
  TestOp op;
  op.GetExecutionProviderType = nullptr;
  op.GetInputCharacteristic = nullptr;
  op.GetOutputCharacteristic = nullptr;
  op.GetInputMemoryType = nullptr;
  op.GetVariadicInputMinArity = nullptr;
  op.GetVariadicInputHomogeneity = nullptr;
  op.GetVariadicOutputMinArity = nullptr;
  op.GetVariadicOutputHomogeneity = nullptr;
  op.CreateKernelV2 = nullptr;
  op.KernelComputeV2 = nullptr;
  op.InferOutputShapeFn = nullptr;
  op.GetStartVersion = nullptr;
  op.GetEndVersion = nullptr;
  Program program({&op});
  CHECK_C(program.load(sandwich()));
  CHECK(program.run({3}, {1, -2, 3}) == Numbers({-2, -4, -6}));
}

TEST(custom_op, of_one_name_and_two_types_is_chosen_by_the_input) {
  TestOp on_floats("Twice"), on_doubles("Twice");
  on_doubles.inputs = {{kDouble}};
  on_doubles.outputs = {{kDouble}};
  on_doubles.on_compute = [](OrtKernelContext* context) { return give_scaled(context, 20.0); };
  Program program({&on_floats, &on_doubles});
  const auto cast = [](int to) { return w::int_attribute("to", to); };
  CHECK_C(program.load(mine_model(
      {w::node("Twice", {"x"}, {"a"}, {}, "", "mine"), w::node("Cast", {"a"}, {"b"}, {cast(11)}),
       w::node("Twice", {"b"}, {"c"}, {}, "", "mine"), w::node("Cast", {"c"}, {"y"}, {cast(1)})},
      {w::value("x", 1, {2})}, {w::plain("y")})));
  CHECK(program.run({2}, {1, 2}) == Numbers({40, 80}));
  CHECK_EQ(on_floats.computed, 1);
  CHECK_EQ(on_doubles.computed, 1);
}

TEST(custom_op, is_chosen_by_the_opset_version_of_its_domain) {
  TestOp old("Scale"), young("Scale");
  old.last = 3;
  young.first = 4;
  young.on_compute = [](OrtKernelContext* context) { return give_scaled(context, 3.0f); };
  Program program({&old, &young});
  CHECK_C(program.load(sandwich("Scale", 3)));
  CHECK(program.run({3}, {1, 1, 1}) == Numbers({-2, -2, -2}));
  CHECK_C(program.load(sandwich("Scale", 4)));
  CHECK(program.run({3}, {1, 1, 1}) == Numbers({-3, -3, -3}));
}

TEST(custom_op, runs_in_a_model_that_does_not_import_its_domain) {
  TestOp op;
  Program program({&op});
  const w::Texts nodes = {w::node("Double", {"x"}, {"y"}, {}, "", "mine")};
  CHECK_C(program.load(w::model(w::graph(nodes, {w::value("x", 1, {3})}, {w::plain("y")}))));
  CHECK(program.run({3}, {1, 2, 3}) == Numbers({2, 4, 6}));
}

TEST(custom_op, whose_shape_function_gives_another_element_type_keeps_the_declared_one) {
  TestOp op;
  op.inputs = op.outputs = {{kFloat}};
  op.on_infer = [](OrtShapeInferContext* context) {
    const int64_t dims[] = {3};
    OrtTensorTypeAndShapeInfo* info = nullptr;
    CHECK_C(OrtCreateTensorTypeAndShapeInfo(&info));
    CHECK_C(OrtSetTensorElementType(info, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING));
    CHECK_C(OrtSetDimensions(info, dims, 1));
    OrtStatus* status = OrtShapeInferContext_SetOutputTypeShape(context, 0, info);
    OrtReleaseTensorTypeAndShapeInfo(info);
    return status;
  };
  Program program({&op});
  CHECK_C(program.load(sandwich()));
  CHECK(program.run({3}, {1, 2, 3}) == Numbers({-2, -4, -6}));
}

TEST(custom_op, of_the_last_declared_version_serves_all_later_opsets) {
  TestOp op;
  op.first = 2;
  op.last = 3;
  Program program({&op});
  CHECK_C(program.load(sandwich("Double", 9)));
  CHECK(program.run({3}, {1, 1, 1}) == Numbers({-2, -2, -2}));
  CHECK_C_FAILS(program.load(sandwich("Double", 1)), ORT_INVALID_GRAPH,
                "imports opset 1 of the domain, expected 2 to 3");
}

TEST(custom_op, of_a_name_of_onnx_replaces_that_operator_where_it_fits) {
  TestOp relu("Relu");
  relu.on_compute = [](OrtKernelContext* context) { return give_scaled(context, 7.0f); };
  const std::string model =
      w::model(w::graph({w::node("MatMul", {"x", "w"}, {"m"}), w::node("Relu", {"m"}, {"r"}),
                         w::node("Relu", {"r"}, {"y"})},
                        {w::value("x", 1, {1, 1})}, {w::value("y", 1, {1, 1})},
                        {w::tensor("w", 1, {1, 1}, w::raw(std::string("\0\0\0\x3f", 4)))}));
  for (const char* provider : {"", "AOT"}) {
    Program program({&relu}, "");
    if (*provider != '\0') program.use(provider);
    CHECK_C(program.load(model));
    CHECK(program.run({1, 1}, {-4}) == Numbers({-98}));
  }
  TestOp late("Relu");
  late.first = 18;  // the model imports 17
  Program program({&late}, "");
  CHECK_C(program.load(model));
  CHECK(program.run({1, 1}, {-4}) == Numbers({0}));
  CHECK_EQ(late.computed, 0);
}

// What follows a convolution is brought to its layout where it is an operator of ours.
TEST(custom_op, of_a_name_of_onnx_stays_itself_behind_a_convolution) {
  TestOp mean("ReduceMean");
  mean.on_compute = [](OrtKernelContext* context) { return give_scaled(context, 7.0f); };
  const std::string model =
      w::model(w::graph({w::node("Conv", {"x", "w"}, {"c"}), w::node("ReduceMean", {"c"}, {"y"})},
                        {w::value("x", 1, {1, 1, 1, 2})}, {w::plain("y")},
                        {w::tensor("w", 1, {1, 1, 1, 1}, w::raw(std::string("\0\0\0\x3f", 4)))}));
  for (const char* provider : {"", "AOT"}) {
    Program program({&mean}, "");
    if (*provider != '\0') program.use(provider);
    CHECK_C(program.load(model));
    CHECK(program.run({1, 1, 1, 2}, {2, -4}) == Numbers({7, -14}));
  }
}

TEST(custom_op, takes_inputs_that_may_be_left_out) {
  TestOp op("Sum");
  op.inputs = {{}, {kFloat, INPUT_OUTPUT_OPTIONAL}, {kFloat, INPUT_OUTPUT_OPTIONAL}};
  op.on_compute = [](OrtKernelContext* context) -> OrtStatus* {
    const OrtValue* second = nullptr;
    size_t count = 0;
    CHECK_C(OrtKernelContext_GetInputCount(context, &count));
    CHECK_C(OrtKernelContext_GetInput(context, 1, &second));
    CHECK(second == nullptr);
    return give_scaled(context, count == 3 ? 3.0f : 1.0f);
  };
  Program program({&op});
  const auto model = [](const w::Texts& inputs) {
    return mine_model({w::node("Sum", inputs, {"y"}, {}, "", "mine")}, {w::value("x", 1, {2})},
                      {w::plain("y")});
  };
  CHECK_C(program.load(model({"x", "", "x"})));
  CHECK(program.run({2}, {1, 2}) == Numbers({3, 6}));
  CHECK_C_FAILS(program.load(model({""})), ORT_INVALID_GRAPH, "number 0 is required, but omitted");
  CHECK_C_FAILS(program.load(model({"x", "", "", "x"})), ORT_INVALID_GRAPH,
                "has input size 4 not in range [min=1, max=3]");
}

TEST(custom_op, takes_any_number_of_inputs) {
  TestOp op("Sum");
  op.inputs = {{kAny, INPUT_OUTPUT_VARIADIC}};
  op.input_least = 2;
  op.on_compute = [](OrtKernelContext* context) -> OrtStatus* {
    size_t count = 0;
    CHECK_C(OrtKernelContext_GetInputCount(context, &count));
    return give_scaled(context, static_cast<float>(count));
  };
  Program program({&op});
  const auto model = [](const w::Texts& inputs) {
    return mine_model(
        {w::node("Shape", {"x"}, {"shape"}), w::node("Sum", inputs, {"y"}, {}, "", "mine")},
        {w::value("x", 1, {2})}, {w::plain("y")});
  };
  CHECK_C(program.load(model({"x", "x", "x"})));
  CHECK(program.run({2}, {1, 2}) == Numbers({3, 6}));
  CHECK_C_FAILS(program.load(model({"x"})), ORT_INVALID_GRAPH,
                "has input size 1 not in range [min=2, max=any]");
  CHECK_C_FAILS(program.load(model({"x", "shape"})), ORT_INVALID_GRAPH, "bound to different types");
  op.input_of_one = 0;
  CHECK_C(program.load(model({"x", "shape"})));
  CHECK(program.run({2}, {1, 2}) == Numbers({2, 4}));
}

TEST(custom_op, gives_several_outputs_of_which_some_may_be_left_out) {
  TestOp op("Split");
  op.outputs = {{}, {kInt64, INPUT_OUTPUT_OPTIONAL}, {kFloat, INPUT_OUTPUT_VARIADIC}};
  op.on_compute = [](OrtKernelContext* context) -> OrtStatus* {
    OrtValue* omitted = nullptr;
    const int64_t one = 1;
    CHECK_C(OrtKernelContext_GetOutput(context, 1, &one, 1, &omitted));
    CHECK(omitted == nullptr);
    OrtValue* third = nullptr;
    CHECK_C(OrtKernelContext_GetOutput(context, 2, &one, 1, &third));
    void* data = nullptr;
    CHECK_C(OrtGetTensorMutableData(third, &data));
    *static_cast<float*>(data) = 100;
    return give_twice(context);
  };
  Program program({&op});
  CHECK_C(program.load(mine_model(
      {w::node("Split", {"x"}, {"a", "", "b"}, {}, "", "mine"), w::node("Add", {"a", "b"}, {"y"})},
      {w::value("x", 1, {2})}, {w::plain("y")})));
  CHECK(program.run({2}, {1, 2}) == Numbers({102, 104}));
}

TEST(custom_op, takes_and_gives_texts) {
  TestOp op("Shout");
  op.inputs = {{kText}};
  op.outputs = {{kText}};
  op.on_compute = [](OrtKernelContext* context) -> OrtStatus* {
    const OrtValue* x = nullptr;
    CHECK_C(OrtKernelContext_GetInput(context, 0, &x));
    OrtValue* y = nullptr;
    const int64_t count = static_cast<int64_t>(count_of(x));
    CHECK_C(OrtKernelContext_GetOutput(context, 0, &count, 1, &y));
    for (size_t i = 0; i < count_of(x); ++i) {
      size_t size = 0;
      CHECK_C(OrtGetStringTensorElementLength(x, i, &size));
      std::string text(size, ' ');
      CHECK_C(OrtGetStringTensorElement(x, size, i, text.data()));
      CHECK_C(OrtFillStringTensorElement(y, (text + "!").c_str(), i));
    }
    return nullptr;
  };
  Program program({&op});
  CHECK_C(program.load(mine_model({w::node("Shout", {"x"}, {"a"}, {}, "", "mine"),
                                   w::node("Shout", {"a"}, {"y"}, {}, "", "mine")},
                                  {w::value("x", 8, {2})}, {w::plain("y")})));
  OrtAllocator* allocator = nullptr;
  CHECK_C(OrtGetAllocatorWithDefaultOptions(&allocator));
  const int64_t two = 2;
  OrtValue *x = nullptr, *y = nullptr;
  CHECK_C(OrtCreateTensorAsOrtValue(allocator, &two, 1, kText, &x));
  CHECK_C(OrtFillStringTensorElement(x, "hey", 0));
  CHECK_C(program.run({x}, &y));
  size_t size = 0;
  CHECK_C(OrtGetStringTensorElementLength(y, 0, &size));
  std::string text(size, ' ');
  CHECK_C(OrtGetStringTensorElement(y, size, 0, text.data()));
  CHECK_EQ(text, "hey!!");
  OrtReleaseValue(y);
  OrtReleaseValue(x);
}

TEST(custom_op, takes_a_sequence_as_a_value_of_any_type) {
  TestOp op("Length");
  op.inputs = {{kAny}};
  op.outputs = {{kFloat}};
  op.on_compute = [](OrtKernelContext* context) -> OrtStatus* {
    const OrtValue* x = nullptr;
    size_t count = 0;
    CHECK_C(OrtKernelContext_GetInput(context, 0, &x));
    CHECK_C(OrtGetValueCount(x, &count));
    OrtValue* y = nullptr;
    CHECK_C(OrtKernelContext_GetOutput(context, 0, nullptr, 0, &y));
    void* data = nullptr;
    CHECK_C(OrtGetTensorMutableData(y, &data));
    *static_cast<float*>(data) = static_cast<float>(count);
    return nullptr;
  };
  Program program({&op});
  CHECK_C(program.load(mine_model({w::node("SequenceConstruct", {"x", "x"}, {"s"}),
                                   w::node("Length", {"s"}, {"y"}, {}, "", "mine")},
                                  {w::value("x", 1, {2})}, {w::plain("y")})));
  CHECK(program.run({2}, {1, 2}) == Numbers({2}));
}

TEST(custom_op, says_shapes_before_a_run) {
  TestOp op("Repeat");
  op.on_infer = [](OrtShapeInferContext* context) -> OrtStatus* {
    size_t count = 0;
    CHECK_C(OrtShapeInferContext_GetInputCount(context, &count));
    CHECK_EQ(count, 1u);
    OrtTensorTypeAndShapeInfo* x = nullptr;
    CHECK_C(OrtShapeInferContext_GetInputTypeShape(context, 0, &x));
    int64_t dim = 0;
    CHECK_C(OrtGetDimensions(x, &dim, 1));
    const OrtOpAttr* times = nullptr;
    CHECK_C(OrtShapeInferContext_GetAttribute(context, "times", &times));
    int64_t factor = 0;
    size_t size = 0;
    CHECK_C(OrtReadOpAttr(times, ORT_OP_ATTR_INT, &factor, sizeof factor, &size));
    CHECK_C_FAILS(OrtShapeInferContext_GetAttribute(context, "no", &times), ORT_INVALID_ARGUMENT,
                  "no attribute 'no'");
    CHECK_C_FAILS(OrtShapeInferContext_GetInputTypeShape(context, 1, &x), ORT_INVALID_ARGUMENT,
                  "there are 1 inputs");
    OrtTensorTypeAndShapeInfo* y = nullptr;
    CHECK_C(OrtCreateTensorTypeAndShapeInfo(&y));
    const int64_t result = dim * factor;
    CHECK_C(OrtSetDimensions(y, &result, 1));
    CHECK_C_FAILS(OrtShapeInferContext_SetOutputTypeShape(context, 1, y), ORT_INVALID_ARGUMENT,
                  "there are 1 outputs");
    OrtStatus* status = OrtShapeInferContext_SetOutputTypeShape(context, 0, y);
    OrtReleaseTensorTypeAndShapeInfo(y);
    return status;
  };
  const auto model = [](const std::string& y) {
    return mine_model({w::node("Repeat", {"x"}, {"a"}, {w::int_attribute("times", 3)}, "", "mine"),
                       w::node("Relu", {"a"}, {"y"})},
                      {w::value("x", 1, {2})}, {y});
  };
  Program program({&op});
  CHECK_C(program.load(model(w::plain("y"))));
  OrtTypeInfo* type = nullptr;
  CHECK_C(OrtSessionGetOutputTypeInfo(program.session(), 0, &type));
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  CHECK_C(OrtCastTypeInfoToTensorInfo(type, &tensor));
  int64_t dim = 0;
  CHECK_C(OrtGetDimensions(tensor, &dim, 1));
  CHECK_EQ(dim, 6);
  OrtReleaseTypeInfo(type);
  CHECK_C(program.load(model(w::value("y", 1, {7}))));
  CHECK_C(OrtAddSessionConfigEntry(program.options(), "session.strict_shape_type_inference", "1"));
  CHECK_C_FAILS(program.load(model(w::value("y", 1, {7}))), ORT_INVALID_GRAPH, "[6]");
}

TEST(custom_op, runs_in_the_body_of_an_if) {
  TestOp op;
  const std::string doubled =
      w::graph({w::node("Double", {"x"}, {"t"}, {}, "", "mine")}, {}, {w::plain("t")});
  const std::string same = w::graph({w::node("Identity", {"x"}, {"e"})}, {}, {w::plain("e")});
  Program program({&op});
  program.use("AOT");
  CHECK_C(program.load(mine_model(
      {w::node("ReduceSum", {"x"}, {"s"}, {w::int_attribute("keepdims", 0)}),
       w::node("Greater", {"s", "zero"}, {"c"}),
       w::node(
           "If", {"c"}, {"y"},
           {w::graph_attribute("then_branch", doubled), w::graph_attribute("else_branch", same)})},
      {w::value("x", 1, {2})}, {w::plain("y")}, 1,
      {w::tensor("zero", 1, {}, w::raw(std::string(4, '\0')))})));
  CHECK(program.run({2}, {1, 2}) == Numbers({2, 4}));
  CHECK(program.run({2}, {-1, -2}) == Numbers({-1, -2}));
}

TEST(custom_op, is_not_merged_with_an_equal_node) {
  TestOp op;
  Program program({&op});
  CHECK_C(program.load(mine_model(
      {w::node("Double", {"x"}, {"a"}, {}, "", "mine"),
       w::node("Double", {"x"}, {"b"}, {}, "", "mine"), w::node("Add", {"a", "b"}, {"y"})},
      {w::value("x", 1, {2})}, {w::plain("y")})));
  CHECK(program.run({2}, {1, 2}) == Numbers({4, 8}));
  CHECK_EQ(op.made, 2);
}
