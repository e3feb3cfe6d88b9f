// SPDX-License-Identifier: MIT
// ONNX's backend test cases as folders: model.onnx, test_data_set_N/input_I.pb and output_I.pb,
// each a TensorProto, and sometimes data.json with tolerances of its own.
#pragma once

#include <string>
#include <vector>

#include "core/base/tensor.h"

namespace ortc::test {

struct DataSet {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

struct TestCase {
  std::string name;  // of the folder, "test_add_bcast"
  std::string model_path;
  std::vector<std::string> data_set_paths;
  double rtol = 1e-3;
  double atol = 1e-7;
};

// All cases of a folder, by name; empty when there is no such folder.
std::vector<TestCase> find_cases(const std::string& folder);

// The caller knows from the model that these are all tensors: the bytes of a sequence cannot be
// told from those of a tensor.
Result<DataSet> read_data_set(const std::string& path, size_t input_count, size_t output_count);

Result<Tensor> read_tensor_file(const std::string& path);

}  // namespace ortc::test
