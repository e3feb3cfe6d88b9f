// SPDX-License-Identifier: MIT
// Operators' schemas through OrtEpApi: what libraries register kernels with.
#include <limits>
#include <memory>

#include "tests/api/plugin/plugin_testing.h"

using namespace ortc::test;

namespace {

struct SchemaEnd {
  void operator()(OrtOpSchema* schema) const { ep_api().ReleaseOpSchema(schema); }
};
using Schema = std::unique_ptr<OrtOpSchema, SchemaEnd>;

Schema schema_of(const char* domain, const char* name, int version) {
  OrtOpSchema* schema = nullptr;
  CHECK(Outcome(ep_api().GetOpSchema(name, version, domain, &schema)).is_ok());
  return Schema(schema);
}

int since(const Schema& schema) {
  int version = 0;
  CHECK(Outcome(ep_api().OpSchema_GetSinceVersion(schema.get(), &version)).is_ok());
  return version;
}

}  // namespace

TEST(op_schema, tells_names_of_inputs_and_outputs) {
  const Schema conv = schema_of("", "Conv", 11);
  size_t inputs = 0, outputs = 0;
  CHECK(Outcome(ep_api().OpSchema_GetNumInputs(conv.get(), &inputs)).is_ok());
  CHECK(Outcome(ep_api().OpSchema_GetNumOutputs(conv.get(), &outputs)).is_ok());
  CHECK_EQ(inputs, 3u);
  CHECK_EQ(outputs, 1u);
  const char* name = nullptr;
  CHECK(Outcome(ep_api().OpSchema_GetInputName(conv.get(), 1, &name)).is_ok());
  CHECK_EQ(std::string(name), "W");
  CHECK(Outcome(ep_api().OpSchema_GetOutputName(conv.get(), 0, &name)).is_ok());
  CHECK_EQ(std::string(name), "Y");
}

TEST(op_schema, knows_operators_on_channels_last_data_by_their_standard_ones) {
  constexpr char kLast[] = "com.ms.internal.nhwc";
  const Schema conv = schema_of(kLast, "Conv", 17);
  CHECK_EQ(since(conv), 11);
  size_t inputs = 0;
  CHECK(Outcome(ep_api().OpSchema_GetNumInputs(conv.get(), &inputs)).is_ok());
  CHECK_EQ(inputs, 3u);
  CHECK_EQ(since(schema_of(kLast, "BatchNormalization", 14)), 14);
  CHECK_EQ(since(schema_of(kLast, "QLinearAveragePool", 1)), 1);
  CHECK(schema_of(kLast, "Relu", 17) == nullptr);
  CHECK(schema_of(kLast, "GridSample", 15) == nullptr);
}

TEST(op_schema, gives_parameters_of_one_type_one_constraint) {
  const Schema top_k = schema_of("", "TopK", 11);
  const OrtOpSchemaTypeConstraint *data = nullptr, *values = nullptr, *k = nullptr;
  CHECK(Outcome(ep_api().OpSchema_GetInputTypeConstraint(top_k.get(), 0, &data)).is_ok());
  CHECK(Outcome(ep_api().OpSchema_GetOutputTypeConstraint(top_k.get(), 0, &values)).is_ok());
  CHECK(data != nullptr && data == values);
  CHECK(Outcome(ep_api().OpSchema_GetInputTypeConstraint(top_k.get(), 1, &k)).is_ok());
  CHECK(k == nullptr);  // tensor(int64) and nothing else
  const char* name = nullptr;
  CHECK(Outcome(ep_api().OpSchemaTypeConstraint_GetTypeParamName(data, &name)).is_ok());
  CHECK_EQ(std::string(name), "T");
  const size_t *inputs = nullptr, *outputs = nullptr;
  size_t input_count = 0, output_count = 0;
  CHECK(Outcome(ep_api().OpSchemaTypeConstraint_GetInputIndices(data, &inputs, &input_count))
            .is_ok());
  CHECK(Outcome(ep_api().OpSchemaTypeConstraint_GetOutputIndices(data, &outputs, &output_count))
            .is_ok());
  CHECK(input_count == 1 && inputs[0] == 0);
  CHECK(output_count == 1 && outputs[0] == 0);
}

TEST(op_schema, lists_constraints_and_their_types) {
  const Schema dequantize = schema_of("ai.onnx", "DequantizeLinear", 10);
  size_t count = 0;
  CHECK(Outcome(ep_api().OpSchema_GetTypeConstraintCount(dequantize.get(), &count)).is_ok());
  CHECK_EQ(count, 1u);
  const OrtOpSchemaTypeConstraint* constraint = nullptr;
  CHECK(Outcome(ep_api().OpSchema_GetTypeConstraint(dequantize.get(), 0, &constraint)).is_ok());
  const char* const* types = nullptr;
  CHECK(
      Outcome(ep_api().OpSchemaTypeConstraint_GetAllowedTypes(constraint, &types, &count)).is_ok());
  CHECK_EQ(count, 3u);
  CHECK_EQ(std::string(types[0]), "tensor(int8)");
  CHECK_EQ(std::string(types[1]), "tensor(uint8)");
  CHECK_EQ(std::string(types[2]), "tensor(int32)");
}

TEST(op_schema, is_the_newest_that_the_version_allows) {
  CHECK_EQ(since(schema_of("", "Softmax", 12)), 11);
  CHECK_EQ(since(schema_of("", "Softmax", 13)), 13);
  CHECK_EQ(since(schema_of("", "Softmax", std::numeric_limits<int>::max())), 13);
  CHECK_EQ(since(schema_of("com.microsoft", "EPContext", 1)), 1);
  CHECK_EQ(since(schema_of("ai.onnx.ml", "LabelEncoder", 3)), 2);
}

TEST(op_schema, is_null_for_what_nobody_knows) {
  CHECK(schema_of("", "Softmax", 0) == nullptr);
  CHECK(schema_of("", "Softmax", -5) == nullptr);
  CHECK(schema_of("", "softmax", 13) == nullptr);
  CHECK(schema_of("com.example", "Softmax", 13) == nullptr);
  CHECK(schema_of("", "Softmax 13", 13) == nullptr);
  CHECK(schema_of("", "", 13) == nullptr);
}

TEST(op_schema, refuses_null_and_indices_beyond_the_end) {
  const OrtEpApi& api = ep_api();
  OrtOpSchema* none = nullptr;
  CHECK(Outcome(api.GetOpSchema(nullptr, 1, "", &none)).has(ORT_INVALID_ARGUMENT, "'name'"));
  CHECK(Outcome(api.GetOpSchema("Add", 1, nullptr, &none)).has(ORT_INVALID_ARGUMENT, "'domain'"));
  CHECK(Outcome(api.GetOpSchema("Add", 1, "", nullptr)).has(ORT_INVALID_ARGUMENT, "'out_schema'"));
  const Schema add = schema_of("", "Add", 14);
  const char* name = "left";
  CHECK(Outcome(api.OpSchema_GetInputName(add.get(), 2, &name))
            .has(ORT_INVALID_ARGUMENT, "'index' is 2, but the operator has 2 inputs"));
  CHECK(name == nullptr);
  CHECK(Outcome(api.OpSchema_GetOutputName(add.get(), 1, &name))
            .has(ORT_INVALID_ARGUMENT, "'index' is 1, but the operator has 1 outputs"));
  const OrtOpSchemaTypeConstraint* constraint = nullptr;
  CHECK(Outcome(api.OpSchema_GetTypeConstraint(add.get(), 1, &constraint))
            .has(ORT_INVALID_ARGUMENT, "1 type constraints"));
  CHECK(Outcome(api.OpSchema_GetInputTypeConstraint(add.get(), SIZE_MAX, &constraint))
            .has(ORT_INVALID_ARGUMENT, "2 inputs"));
  CHECK(
      Outcome(api.OpSchema_GetInputName(nullptr, 0, &name)).has(ORT_INVALID_ARGUMENT, "'schema'"));
  CHECK(Outcome(api.OpSchemaTypeConstraint_GetAllowedTypes(nullptr, nullptr, nullptr))
            .has(ORT_INVALID_ARGUMENT, "'out_types'"));
  api.ReleaseOpSchema(nullptr);
}
