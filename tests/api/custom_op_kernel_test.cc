// SPDX-License-Identifier: MIT
// What kernels of custom operators are told of their node, and what they call.
#include "tests/api/custom_op_testing.h"

using namespace ortc;
using namespace ortc::test;
namespace w = ortc::wire;

namespace {

const std::string kHalf = std::string("\0\0\0\x3f", 4);

w::Texts all_attributes() {
  const std::string seven = std::string("\x07\0\0\0\0\0\0\0", 8);
  return {w::int_attribute("int", -5),
          w::attribute("ints", 7, w::number_field(8, 7) + w::number_field(8, -8)),
          w::attribute("no_ints", 7, ""),
          w::attribute("float", 1, "\x15" + kHalf),
          w::attribute("floats", 6, "\x3d" + kHalf + "\x3d" + kHalf),
          w::text_attribute("text", "hello"),
          w::attribute("texts", 8, w::field(9, "one") + w::field(9, "")),
          w::attribute("no_texts", 8, ""),
          w::attribute("tensor", 4, w::field(5, w::tensor("", 7, {1}, w::raw(seven)))),
          w::attribute("words", 4, w::field(5, w::tensor("", 8, {1}, w::field(6, "word"))))};
}

// A node with all of them, an input that is constant, one that is omitted.
std::string told_model() {
  return mine_model({w::node("Told", {"x", "half", ""}, {"y"}, all_attributes(), "told", "mine")},
                    {w::value("x", 1, {2})}, {w::plain("y")}, 3,
                    {w::tensor("half", 1, {1}, w::raw(kHalf))});
}

template <typename Call>
std::string told_text(Call&& call) {
  size_t size = 0;
  CHECK_C(call(nullptr, &size));
  std::string text(size, '?');
  CHECK_C(call(text.data(), &size));
  CHECK_EQ(text.back(), '\0');
  if (size > 1) {
    size_t room = size - 1;
    CHECK_C_FAILS(call(text.data(), &room), ORT_INVALID_ARGUMENT, "'size' is");
    CHECK_EQ(room, size);
  }
  text.pop_back();
  return text;
}

// Loads a model with one node of an operator whose kernel is made by `look`.
void make_with(const std::string& model, std::function<void(const OrtKernelInfo*)> look) {
  TestOp op("Told");
  op.first = 2;
  op.inputs = {{}, {}, {kFloat, INPUT_OUTPUT_OPTIONAL}};
  op.on_create = [&](const OrtKernelInfo* info) -> OrtStatus* {
    look(info);
    return nullptr;
  };
  Program program({&op});
  CHECK_C(OrtAddSessionConfigEntry(program.options(), "custom_op.Told.colour", "red"));
  CHECK_C(program.load(model));
  CHECK_EQ(op.made, 1);
}

void compute_with(std::function<OrtStatus*(OrtKernelContext*)> compute,
                  std::function<OrtStatus*(const OrtKernelInfo*)> create = nullptr) {
  TestOp op;
  op.on_create = std::move(create);
  op.on_compute = std::move(compute);
  Program program({&op});
  CHECK_C(program.load(sandwich()));
  CHECK(program.run({3}, {1, -2, 3}) == Numbers({-2, -4, -6}));
}

}  // namespace

TEST(custom_kernel, is_told_what_its_node_is) {
  make_with(told_model(), [](const OrtKernelInfo* info) {
    const auto ask = [&](auto function) {
      return told_text([&](char* out, size_t* size) { return function(info, out, size); });
    };
    CHECK_EQ(ask(OrtKernelInfo_GetNodeName), "told");
    CHECK_EQ(ask(OrtKernelInfo_GetOperatorType), "Told");
    CHECK_EQ(ask(OrtKernelInfo_GetOperatorDomain), "mine");
    int since = 0;
    CHECK_C(OrtKernelInfo_GetOperatorSinceVersion(info, &since));
    CHECK_EQ(since, 2);
    size_t inputs = 0, outputs = 0;
    CHECK_C(OrtKernelInfo_GetInputCount(info, &inputs));
    CHECK_C(OrtKernelInfo_GetOutputCount(info, &outputs));
    CHECK_EQ(inputs, 3u);
    CHECK_EQ(outputs, 1u);
    const auto input = [&](size_t i) {
      return told_text(
          [&](char* out, size_t* size) { return OrtKernelInfo_GetInputName(info, i, out, size); });
    };
    CHECK_EQ(input(1), "half");
    CHECK_EQ(input(2), "");
    size_t size = 0;
    CHECK_C_FAILS(OrtKernelInfo_GetInputName(info, 3, nullptr, &size), ORT_INVALID_ARGUMENT,
                  "there are 3 inputs");
    CHECK_C_FAILS(OrtKernelInfo_GetOutputName(info, 1, nullptr, &size), ORT_INVALID_ARGUMENT,
                  "there are 1 outputs");
  });
}

TEST(custom_kernel, is_told_types_and_constants) {
  make_with(told_model(), [](const OrtKernelInfo* info) {
    OrtTypeInfo* type = nullptr;
    CHECK_C(OrtKernelInfo_GetInputTypeInfo(info, 0, &type));
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    CHECK_C(OrtCastTypeInfoToTensorInfo(type, &tensor));
    int64_t dim = 0;
    CHECK_C(OrtGetDimensions(tensor, &dim, 1));
    CHECK_EQ(dim, 2);
    OrtReleaseTypeInfo(type);
    CHECK_C_FAILS(OrtKernelInfo_GetInputTypeInfo(info, 2, &type), ORT_INVALID_GRAPH,
                  "is not known");
    CHECK(type == nullptr);
    CHECK_C(OrtKernelInfo_GetOutputTypeInfo(info, 0, &type));
    OrtReleaseTypeInfo(type);
    int is_constant = 7;
    const OrtValue* value = nullptr;
    CHECK_C(OrtKernelInfoGetConstantInput_tensor(info, 0, &is_constant, &value));
    CHECK(is_constant == 0 && value == nullptr);
    CHECK_C(OrtKernelInfoGetConstantInput_tensor(info, 1, &is_constant, &value));
    CHECK_EQ(is_constant, 1);
    CHECK(numbers_of(value) == Numbers({0.5f}));
    CHECK_C(OrtKernelInfoGetConstantInput_tensor(info, 2, &is_constant, &value));
    CHECK_EQ(is_constant, 0);
    CHECK_C_FAILS(OrtKernelInfoGetConstantInput_tensor(info, 3, &is_constant, &value),
                  ORT_INVALID_ARGUMENT, "there are 3 inputs");
  });
}

TEST(custom_kernel, reads_numbers_and_texts_of_its_node) {
  make_with(told_model(), [](const OrtKernelInfo* info) {
    int64_t whole = 0;
    float real = 0;
    CHECK_C(OrtKernelInfoGetAttribute_int64(info, "int", &whole));
    CHECK_C(OrtKernelInfoGetAttribute_float(info, "float", &real));
    CHECK(whole == -5 && real == 0.5f);
    CHECK_EQ(told_text([&](char* out, size_t* size) {
               return OrtKernelInfoGetAttribute_string(info, "text", out, size);
             }),
             "hello");
    CHECK_C_FAILS(OrtKernelInfoGetAttribute_int64(info, "none", &whole), ORT_FAIL, "'none'");
    CHECK_C_FAILS(OrtKernelInfoGetAttribute_int64(info, "float", &whole), ORT_FAIL,
                  "'float' is not a whole number");
    size_t size = 0;
    CHECK_C(OrtKernelInfoGetAttributeArray_int64(info, "ints", nullptr, &size));
    CHECK_EQ(size, 2u);
    int64_t list[2] = {};
    CHECK_C(OrtKernelInfoGetAttributeArray_int64(info, "ints", list, &size));
    CHECK(list[0] == 7 && list[1] == -8);
    size = 1;
    CHECK_C_FAILS(OrtKernelInfoGetAttributeArray_int64(info, "ints", list, &size),
                  ORT_INVALID_ARGUMENT, "has 2 elements, but 'size' is 1");
    CHECK_C(OrtKernelInfoGetAttributeArray_int64(info, "no_ints", nullptr, &size));
    CHECK_EQ(size, 0u);
    float reals[2] = {};
    size = 2;
    CHECK_C(OrtKernelInfoGetAttributeArray_float(info, "floats", reals, &size));
    CHECK(reals[0] == 0.5f && reals[1] == 0.5f);
  });
}

TEST(custom_kernel, reads_lists_and_tensors_into_memory_of_its_choice) {
  make_with(told_model(), [](const OrtKernelInfo* info) {
    OrtAllocator* allocator = nullptr;
    CHECK_C(OrtKernelInfoGetAllocator(info, OrtMemTypeDefault, &allocator));
    char** texts = nullptr;
    size_t size = 0;
    CHECK_C(OrtKernelInfoGetAttributeArray_string(info, "texts", allocator, &texts, &size));
    CHECK(size == 2 && std::string(texts[0]) == "one" && std::string(texts[1]).empty());
    for (size_t i = 0; i < size; ++i) CHECK_C(OrtAllocatorFree(allocator, texts[i]));
    CHECK_C(OrtAllocatorFree(allocator, texts));
    CHECK_C(OrtKernelInfoGetAttributeArray_string(info, "no_texts", allocator, &texts, &size));
    CHECK(size == 0 && texts == nullptr);
    OrtValue* value = nullptr;
    CHECK_C(OrtKernelInfoGetAttribute_tensor(info, "tensor", allocator, &value));
    CHECK_EQ(*data_of<int64_t>(value), 7);
    OrtReleaseValue(value);
    CHECK_C(OrtKernelInfoGetAttribute_tensor(info, "words", allocator, &value));
    CHECK_EQ(count_of(value), 1u);
    OrtReleaseValue(value);
    CHECK_C_FAILS(OrtKernelInfoGetAttribute_tensor(info, "int", allocator, &value), ORT_FAIL,
                  "'int' is not a tensor");
    OrtReleaseAllocator(allocator);
  });
}

TEST(custom_kernel, reads_entries_of_the_session_and_keeps_what_it_was_told) {
  OrtKernelInfo* copy = nullptr;
  make_with(told_model(), [&](const OrtKernelInfo* info) {
    OrtKeyValuePairs* entries = nullptr;
    CHECK_C(OrtKernelInfo_GetConfigEntries(info, &entries));
    CHECK_EQ(std::string(OrtGetKeyValue(entries, "custom_op.Told.colour")), "red");
    OrtReleaseKeyValuePairs(entries);
    const OrtLogger* logger = nullptr;
    CHECK_C(OrtKernelInfo_GetLogger(info, &logger));
    CHECK_C(OrtLogger_LogMessage(logger, ORT_LOGGING_LEVEL_WARNING, "made", "f", 1, "g"));
    CHECK_C(OrtCopyKernelInfo(info, &copy));
  });
  // The session, its model and options are gone.
  float real = 0;
  CHECK_C(OrtKernelInfoGetAttribute_float(copy, "float", &real));
  CHECK_EQ(real, 0.5f);
  int is_constant = 0;
  const OrtValue* half = nullptr;
  CHECK_C(OrtKernelInfoGetConstantInput_tensor(copy, 1, &is_constant, &half));
  CHECK(numbers_of(half) == Numbers({0.5f}));
  OrtReleaseKernelInfo(copy);
}

// Kernels of libraries have both as members.
TEST(custom_kernel, may_keep_its_constants_and_its_logger) {
  static std::string heard;
  const std::string eighth = std::string("\0\0\0\x3e", 4);
  TestOp op("Told");
  op.inputs = {{}, {}};
  const OrtLogger* logger = nullptr;
  const OrtValue* constant = nullptr;
  op.on_create = [&](const OrtKernelInfo* info) {
    int is_constant = 0;
    CHECK_C(OrtKernelInfo_GetLogger(info, &logger));
    return OrtKernelInfoGetConstantInput_tensor(info, 1, &is_constant, &constant);
  };
  op.on_compute = [&](OrtKernelContext* context) -> OrtStatus* {
    CHECK_C(OrtLogger_LogMessage(logger, ORT_LOGGING_LEVEL_FATAL, "computes", "f", 1, "g"));
    return give_scaled(context, *data_of(constant));
  };
  OrtEnv* env = nullptr;
  CHECK_C(OrtCreateEnvWithCustomLogger([](void*, OrtLoggingLevel, const char*, const char*,
                                          const char*, const char* message) { heard += message; },
                                       nullptr, ORT_LOGGING_LEVEL_FATAL, "test", &env));
  Program program({&op});
  OrtSession* session = nullptr;
  const std::string model = mine_model(
      {w::node("Told", {"x", "eighth"}, {"y"}, {}, "told", "mine")}, {w::value("x", 1, {2})},
      {w::plain("y")}, 1, {w::tensor("eighth", 1, {1}, w::raw(eighth))});
  CHECK_C(OrtCreateSessionFromArray(env, model.data(), model.size(), program.options(), &session));
  OrtReleaseEnv(env);
  program.take(session);
  CHECK(program.run({2}, {8, -16}) == Numbers({1, -2}));
  CHECK_EQ(heard, "computes");
}

TEST(custom_kernel, divides_its_work_among_the_threads_of_the_session) {
  compute_with([](OrtKernelContext* context) -> OrtStatus* {
    struct Work {
      const float* x;
      float* y;
    } work{};
    const OrtValue* x = nullptr;
    OrtValue* y = nullptr;
    const int64_t three = 3;
    CHECK_C(OrtKernelContext_GetInput(context, 0, &x));
    CHECK_C(OrtKernelContext_GetOutput(context, 0, &three, 1, &y));
    void* data = nullptr;
    CHECK_C(OrtGetTensorMutableData(y, &data));
    work = {data_of(x), static_cast<float*>(data)};
    return OrtKernelContext_ParallelFor(
        context,
        [](void* state, size_t i) {
          auto& of = *static_cast<Work*>(state);
          of.y[i] = 2 * of.x[i];
        },
        3, 0, &work);
  });
}

TEST(custom_kernel, finds_the_outputs_that_it_has_made_through_the_table) {
  compute_with([](OrtKernelContext* context) -> OrtStatus* {
    const OrtApi* const api = OrtcGetApiBase()->GetApi(30);
    const OrtValue* x = nullptr;
    OrtValue *y = nullptr, *made = nullptr;
    const int64_t three = 3;
    CHECK_C(api->KernelContext_GetPreallocatedOutput(context, 0, &made));
    CHECK(made == nullptr);
    CHECK_C(OrtKernelContext_GetInput(context, 0, &x));
    CHECK_C(OrtKernelContext_GetOutput(context, 0, &three, 1, &y));
    CHECK_C(api->KernelContext_GetPreallocatedOutput(context, 0, &made));
    CHECK(made == y);
    CHECK_C_FAILS(api->KernelContext_GetPreallocatedOutput(context, 1, &made), ORT_INVALID_ARGUMENT,
                  "'index' is 1");
    CHECK_C_FAILS(api->KernelContext_GetPreallocatedOutput(nullptr, 0, &made), ORT_INVALID_ARGUMENT,
                  "context");
    void* data = nullptr;
    CHECK_C(OrtGetTensorMutableData(y, &data));
    for (int i = 0; i < 3; ++i) static_cast<float*>(data)[i] = 2 * data_of(x)[i];
    return nullptr;
  });
}

TEST(custom_kernel, calls_operators_of_onnx) {
  OrtOp *add = nullptr, *cast = nullptr;
  compute_with(
      [&](OrtKernelContext* context) -> OrtStatus* {
        const OrtValue* x = nullptr;
        OrtValue* y = nullptr;
        const int64_t three = 3;
        CHECK_C(OrtKernelContext_GetInput(context, 0, &x));
        CHECK_C(OrtKernelContext_GetOutput(context, 0, &three, 1, &y));
        const OrtValue* const twice[] = {x, x};
        OrtValue* small = floats({2}, {0, 0});
        CHECK_C_FAILS(OrtInvokeOp(context, add, twice, 2, &small, 1), ORT_INVALID_ARGUMENT,
                      "is float32[2], but the result is float32[3]");
        CHECK_C_FAILS(OrtInvokeOp(context, add, twice, 1, &y, 1), ORT_INVALID_ARGUMENT,
                      "'input_count' is 1, expected 2");
        const OrtValue* const none[] = {x, nullptr};
        CHECK_C_FAILS(OrtInvokeOp(context, add, none, 2, &y, 1), ORT_INVALID_GRAPH,
                      "input 1, 'B', is left out");
        const OrtValue* const uneven[] = {x, small};
        CHECK_C_FAILS(OrtInvokeOp(context, add, uneven, 2, &y, 1), ORT_INVALID_GRAPH, "Add");
        OrtReleaseValue(small);
        return OrtInvokeOp(context, add, twice, 2, &y, 1);
      },
      [&](const OrtKernelInfo* info) -> OrtStatus* {
        CHECK_C_FAILS(
            OrtCreateOp(info, "NoSuch", "", 17, nullptr, nullptr, 0, nullptr, 0, 1, 1, &cast),
            ORT_NOT_IMPLEMENTED, "NoSuch of opset 17");
        CHECK_C_FAILS(
            OrtCreateOp(info, "Add", "", 17, nullptr, nullptr, 0, nullptr, -1, 1, 1, &cast),
            ORT_INVALID_ARGUMENT, "-1");
        OrtOpAttr* to = nullptr;
        const int64_t number = 7;
        CHECK_C(OrtCreateOpAttr("to", &number, 1, ORT_OP_ATTR_INT, &to));
        CHECK_C(OrtCreateOp(info, "Cast", nullptr, 13, nullptr, nullptr, 0, &to, 1, 1, 1, &cast));
        OrtReleaseOpAttr(to);
        const char* names[] = {"T"};
        const ONNXTensorElementDataType types[] = {kFloat};
        return OrtCreateOp(info, "Add", "ai.onnx", 14, names, types, 1, nullptr, 0, 2, 1, &add);
      });
  OrtReleaseOp(add);
  OrtReleaseOp(cast);
}

TEST(custom_kernel, starts_an_aliased_output_with_the_bytes_of_its_input) {
  static int pair[] = {0, 0};
  static int released = 0;
  TestOp op;
  op.GetAliasMap = [](int** input, int** output) -> size_t {
    *input = &pair[0];
    *output = &pair[1];
    return 1;
  };
  op.ReleaseAliasMap = [](int*, int*) { ++released; };
  op.GetMayInplace = [](int**, int**) -> size_t { return 0; };
  op.on_compute = [](OrtKernelContext* context) -> OrtStatus* {
    OrtValue* y = nullptr;
    const int64_t three = 3;
    return OrtKernelContext_GetOutput(context, 0, &three, 1, &y);
  };
  Program program({&op});
  CHECK_C(program.load(sandwich()));
  CHECK(program.run({3}, {1, -2, 3}) == Numbers({-1, -2, -3}));
  CHECK_EQ(released, 1);
  pair[1] = 4;
  CHECK_C_FAILS(program.load(sandwich()), ORT_INVALID_ARGUMENT, "GetAliasMap names input 0 and");
}
