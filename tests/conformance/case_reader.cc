// SPDX-License-Identifier: MIT
// Reads test cases: see the header. A TensorProto is read by the importer itself, as the only
// initializer of an otherwise empty model.
#include "tests/conformance/case_reader.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/graph/model.h"

namespace ortc::test {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

std::string field(int number, const std::string& content) {
  return varint(static_cast<uint64_t>(number) * 8 + 2) + varint(content.size()) + content;
}

// The number after "key": in a flat JSON object.
void read_number(const std::string& json, const std::string& key, double* value) {
  const size_t at = json.find('"' + key + '"');
  const size_t colon = at == std::string::npos ? at : json.find(':', at);
  if (colon != std::string::npos) *value = std::strtod(json.c_str() + colon + 1, nullptr);
}

// Expected values that the operator's definition does not give: random ones, those of an inverse
// transform that was computed in single precision, and those of an optimiser's step with an epsilon
// of 0.01 that the packaged model does not have.
void allow_for(const std::string& name, Tolerance* tolerance) {
  constexpr const char* kRandom[] = {"test_training_dropout", "test_training_dropout_default",
                                     "test_training_dropout_mask",
                                     "test_training_dropout_default_mask"};
  tolerance->by_distribution =
      name.starts_with("test_bernoulli") ||
      std::find(std::begin(kRandom), std::end(kRandom), name) != std::end(kRandom);
  if (name.starts_with("test_dft_inverse")) tolerance->atol = std::max(tolerance->atol, 1e-5);
  if (name == "test_adam_multiple") tolerance->atol = std::max(tolerance->atol, 5e-3);
}

// Some of ONNX's files hold bfloat16 under the type uint16; the model says what is meant.
Result<Tensor> with_type(Tensor tensor, DType meant) {
  if (meant != DType::kBfloat16 || tensor.dtype() != DType::kUint16) return tensor;
  return Tensor::view(DType::kBfloat16, tensor.dims(), tensor.bytes(), tensor.owner());
}

// A TensorProto.
Result<Tensor> parse_tensor(std::string_view bytes) {
  constexpr int kTensorName = 8, kGraphName = 2, kGraphInitializer = 5;
  constexpr int kModelGraph = 7, kModelOpsets = 8;
  const std::string tensor = std::string(bytes) + field(kTensorName, "t");
  const std::string graph = field(kGraphName, "g") + field(kGraphInitializer, tensor);
  const std::string opset = varint(2 * 8) + varint(17);
  const std::string ir_version = varint(1 * 8) + varint(8);
  auto model = import_model_bytes(
      Blob::from_string(ir_version + field(kModelGraph, graph) + field(kModelOpsets, opset)), {});
  if (!model.is_ok()) return std::move(model).status();
  const Value* value = (*model)->graph->find_value("t");
  if (value == nullptr || value->initializer == nullptr) return fail("there is no tensor");
  return value->initializer->tensor;
}

Result<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 127u} << shift;
    if (byte < 128) return value;
  }
  return fail("a number is cut off");
}

// The contents of the fields of a message that have bytes, with their numbers.
Result<std::vector<std::pair<int, std::string_view>>> fields_of(std::string_view bytes) {
  std::vector<std::pair<int, std::string_view>> fields;
  while (!bytes.empty()) {
    ASSIGN_OR_RETURN(const uint64_t tag, take_varint(bytes));
    ASSIGN_OR_RETURN(const uint64_t size, take_varint(bytes));
    if (tag % 8 == 0) continue;
    if (tag % 8 != 2 || size > bytes.size()) return fail("a field is damaged");
    fields.emplace_back(static_cast<int>(tag / 8), bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return fields;
}

// SequenceProto and OptionalProto have a tensor in field 3 and a sequence in field 5.
constexpr int kTensorField = 3, kSequenceField = 5;

Result<Datum> parse_value(std::string_view bytes, const Type& type) {
  if (type.is_tensor()) {
    ASSIGN_OR_RETURN(Tensor tensor, parse_tensor(bytes));
    ASSIGN_OR_RETURN(tensor, with_type(std::move(tensor), type.dtype));
    return Datum(std::move(tensor));
  }
  const bool is_sequence = type.kind == TypeKind::kSequence;
  if ((!is_sequence && type.kind != TypeKind::kOptional) || type.element == nullptr) {
    return not_implemented("data of type ", type_to_string(type));
  }
  ASSIGN_OR_RETURN(const auto fields, fields_of(bytes));
  Sequence sequence;
  sequence.dtype = type.element->dtype;
  for (const auto& [number, content] : fields) {
    if (number != kTensorField && number != kSequenceField) continue;
    ASSIGN_OR_RETURN(Datum value, parse_value(content, *type.element));
    if (!is_sequence) return value;
    sequence.items.push_back(std::move(value));
  }
  return is_sequence ? Datum::of(std::move(sequence)) : Datum();
}

Result<std::vector<Datum>> read_values(const std::string& prefix, const Graph& graph,
                                       const std::vector<ValueId>& ids) {
  std::vector<Datum> values;
  for (size_t i = 0; i < ids.size(); ++i) {
    ASSIGN_OR_RETURN(Datum value,
                     read_value_file(str_cat(prefix, i, ".pb"), graph.value(ids[i])->type));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

Result<Datum> read_value_file(const std::string& path, const Type& type) {
  const auto bytes = read_file(path);
  if (!bytes) return make_status(Code::kNoSuchFile, path);
  auto value = parse_value(*bytes, type);
  if (value.is_ok()) return value;
  Status status = std::move(value).status();
  return std::move(status.note(path));
}

std::vector<TestCase> find_cases(const std::string& folder) {
  std::vector<TestCase> cases;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string model = entry.path() / "model.onnx";
    if (!fs::exists(model, ignored)) continue;
    TestCase found;
    found.set = fs::path(folder).filename();
    found.name = entry.path().filename();
    found.model_path = model;
    for (const auto& inside : fs::directory_iterator(entry.path(), ignored)) {
      if (inside.path().filename().string().starts_with("test_data_set_")) {
        found.data_set_paths.push_back(inside.path());
      }
    }
    std::sort(found.data_set_paths.begin(), found.data_set_paths.end());
    if (const auto json = read_file(entry.path() / "data.json")) {
      read_number(*json, "rtol", &found.tolerance.rtol);
      read_number(*json, "atol", &found.tolerance.atol);
    }
    allow_for(found.name, &found.tolerance);
    cases.push_back(std::move(found));
  }
  std::sort(cases.begin(), cases.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return cases;
}

std::vector<TestCase> packaged_cases() {
  const std::string folder = "/usr/lib/python3/dist-packages/onnx/backend/test/data/";
  std::vector<TestCase> cases;
  for (const char* set : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
    for (TestCase& found : find_cases(folder + set)) cases.push_back(std::move(found));
  }
  return cases;
}

std::vector<ValueId> inputs_without_values(const Graph& graph) {
  std::vector<ValueId> ids;
  for (const ValueId id : graph.inputs()) {
    if (graph.value(id)->initializer == nullptr) ids.push_back(id);
  }
  return ids;
}

Result<std::vector<DataSet>> read_data_sets(const TestCase& test_case, const Graph& graph) {
  if (test_case.data_set_paths.empty()) return fail("the case has no data");
  std::vector<DataSet> sets;
  for (const std::string& path : test_case.data_set_paths) {
    DataSet set;
    ASSIGN_OR_RETURN(set.inputs,
                     read_values(path + "/input_", graph, inputs_without_values(graph)));
    ASSIGN_OR_RETURN(set.outputs, read_values(path + "/output_", graph, graph.outputs()));
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace ortc::test
