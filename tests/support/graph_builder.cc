// SPDX-License-Identifier: MIT
// Graphs for tests: see the header.
#include "tests/support/graph_builder.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "core/graph/export.h"
#include "core/graph/verify.h"
#include "core/ops/infer.h"
#include "tests/support/test.h"

namespace ortc::test {

GraphBuilder::GraphBuilder(int64_t opset, Graph* parent)
    : graph_(std::make_shared<Graph>(
          std::make_shared<const OpsetImports>(OpsetImports{{"", opset}, {"com.microsoft", 1}}),
          parent)) {
  graph_->name = "test";
}

ValueId GraphBuilder::input(const std::string& name, DType dtype, std::vector<int64_t> dims) {
  Shape shape;
  for (size_t i = 0; i < dims.size(); ++i) {
    shape.push_back(dims[i] >= 0 ? Dim::known(dims[i]) : Dim::named(str_cat("d", i)));
  }
  const ValueId id = graph_->add_value(name, Type::tensor(dtype, std::move(shape))).value();
  graph_->add_input(id);
  return id;
}

ValueId GraphBuilder::floats(const std::string& name, Dims dims, std::vector<float> values) {
  return graph_->add_constant(name, Tensor::from<float>(std::move(dims), values));
}

ValueId GraphBuilder::random_floats(const std::string& name, Dims dims, unsigned seed,
                                    float scale) {
  const auto count = static_cast<size_t>(*checked_element_count(dims));
  return floats(name, std::move(dims), random_numbers(count, seed, scale));
}

ValueId GraphBuilder::int64s(const std::string& name, Dims dims, std::vector<int64_t> values) {
  return graph_->add_constant(name, Tensor::from<int64_t>(std::move(dims), values));
}

std::vector<ValueId> GraphBuilder::node(const std::string& op, std::vector<ValueId> inputs,
                                        std::vector<std::string> outputs,
                                        std::vector<Attribute> attributes,
                                        const std::string& domain) {
  std::vector<ValueId> ids;
  for (const std::string& name : outputs) {
    ids.push_back(name.empty() ? kNoValue : graph_->add_value(name).value());
  }
  auto node = graph_->add_node(op, domain, outputs.empty() ? op : outputs[0] + "_node",
                               std::move(inputs), ids, std::move(attributes));
  CHECK_OK(node);
  return ids;
}

Attribute graph_attribute(std::string name, std::shared_ptr<Graph> graph) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = AttributeKind::kGraph;
  attribute.graph = std::move(graph);
  return attribute;
}

void GraphBuilder::output(ValueId id) { graph_->add_output(id); }

void GraphBuilder::infer() {
  CHECK_OK(infer_types(*graph_));
  CHECK_OK(verify_graph(*graph_));
}

std::string GraphBuilder::model_bytes() {
  Model model;
  model.graph = graph_;
  model.opsets = graph_->opsets();
  std::string bytes;
  CHECK_OK(export_model(model, ExportOptions{}, [&](Bytes piece) {
    bytes.append(as_text(piece));
    return Status::ok();
  }));
  return bytes;
}

std::vector<float> random_numbers(size_t count, unsigned seed, float scale) {
  uint64_t state = seed * 2654435761u + 12345u;
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    number = scale * (static_cast<float>(state >> 40) / 8388608.0f - 1.0f);
  }
  return numbers;
}

std::string read_whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) check_failed(__FILE__, __LINE__, "cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_whole_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file) check_failed(__FILE__, __LINE__, "cannot write " + path);
}

Tensor read_npy(const std::string& path) {
  const std::string bytes = read_whole_file(path);
  const size_t header_size = load_unaligned<uint16_t>(bytes.data() + 8);
  const std::string header = bytes.substr(10, header_size);
  const bool is_float = header.find("<f4") != std::string::npos;
  if (!is_float && header.find("<i8") == std::string::npos)
    check_failed(__FILE__, __LINE__, "type of " + path);
  Dims dims;
  size_t at = header.find('(') + 1;
  while (at < header.size() && header[at] != ')') {
    if (header[at] >= '0' && header[at] <= '9') {
      dims.push_back(std::stoll(header.substr(at)));
      while (header[at] >= '0' && header[at] <= '9') ++at;
    } else {
      ++at;
    }
  }
  Tensor tensor = Tensor::create(is_float ? DType::kFloat32 : DType::kInt64, dims).value();
  CHECK_EQ(bytes.size() - 10 - header_size, tensor.byte_size());
  std::memcpy(tensor.mutable_data(), bytes.data() + 10 + header_size, tensor.byte_size());
  return tensor;
}

}  // namespace ortc::test
