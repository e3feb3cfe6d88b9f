// SPDX-License-Identifier: MIT
// ONNX's backend test cases as folders: model.onnx, test_data_set_N/input_I.pb and output_I.pb,
// each a TensorProto, a SequenceProto or an OptionalProto as the model's type says, and sometimes
// data.json with tolerances of its own.
#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "tests/conformance/comparison.h"

namespace ortc::test {

struct DataSet {
  std::vector<Datum> inputs;
  std::vector<Datum> outputs;
};

struct TestCase {
  std::string set;   // of the folder of cases, "node"
  std::string name;  // of the folder, "test_add_bcast"
  std::string model_path;
  std::vector<std::string> data_set_paths;
  Tolerance tolerance{1e-3, 1e-7};  // ONNX's own, unless data.json says otherwise
};

// All cases of a folder, by name; empty when there is no such folder.
std::vector<TestCase> find_cases(const std::string& folder);

// ONNX's packaged cases; empty when they are not installed.
std::vector<TestCase> packaged_cases();

// The inputs without those that have an initializer: what a data set gives.
std::vector<ValueId> inputs_without_values(const Graph& graph);

// All data sets of a case; `graph` is its model's, not optimised. Fails when there are none.
Result<std::vector<DataSet>> read_data_sets(const TestCase& test_case, const Graph& graph);

// A value of that type: the bytes of a sequence cannot be told from those of a tensor.
Result<Datum> read_value_file(const std::string& path, const Type& type);

}  // namespace ortc::test
