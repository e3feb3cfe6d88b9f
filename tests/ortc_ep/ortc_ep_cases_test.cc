// SPDX-License-Identifier: MIT
// The packaged cases of ONNX's operators, one by one, in a runtime with libortc_ep.so: what the
// library takes gives what ONNX expects, and what it does not take is left to the runtime.
#include "core/graph/model.h"
#include "tests/conformance/case_reader.h"
#include "tests/ortc_ep/host_runtime.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Counts {
  int right = 0, wrong = 0, left = 0;
};

// Tensors of numbers, all of them given.
std::optional<std::vector<Tensor>> tensors_of(const std::vector<Datum>& values) {
  std::vector<Tensor> tensors;
  for (const Datum& value : values) {
    if (!value.is_tensor() || value.tensor()->dtype() == DType::kString) return std::nullopt;
    tensors.push_back(*value.tensor());
  }
  return tensors;
}

void try_case(const HostRuntime& host, const TestCase& test_case, Counts& counts) {
  const auto model = import_model_file(test_case.model_path, {});
  if (!model.is_ok()) return;
  const auto sets = read_data_sets(test_case, *(*model)->graph);
  // Whole: what the library does not take is a failure to load.
  const auto session = host.load(test_case.model_path, host.options());
  if (!sets.is_ok() || session.told.code != ORT_OK) {
    ++counts.left;
    return;
  }
  for (const DataSet& set : *sets) {
    const auto inputs = tensors_of(set.inputs), expected = tensors_of(set.outputs);
    if (!inputs || !expected) continue;
    std::vector<Tensor> found;
    const Told told = host.try_run(session, *inputs, &found);
    std::string fault = told.text;
    for (size_t i = 0; fault.empty() && i < expected->size() && i < found.size(); ++i) {
      fault = compare(found[i], (*expected)[i], test_case.tolerance).what;
    }
    if (told.code != ORT_OK || !fault.empty() || found.size() != expected->size()) {
      ++counts.wrong;
      fprintf(stderr, "%s: %s: %s\n", host.label().c_str(), test_case.name.c_str(), fault.c_str());
      return;
    }
  }
  ++counts.right;
}

}  // namespace

TEST(ortc_ep_cases, gives_what_onnx_expects_for_every_case_that_it_takes) {
  std::vector<TestCase> cases;
  for (const char* set : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
    for (TestCase& one : find_cases(str_cat("/usr/share/libonnx-testdata/data/", set))) {
      cases.push_back(std::move(one));
    }
  }
  if (cases.empty()) {
    printf("NOT RUN: the package libonnx-testdata is not there\n");
    return;
  }
  // Of packaged data that contradict their models, too.
  const std::string refused =
      read_whole_file(source_dir() + "/tests/conformance/expected_failures.txt");
  for (const auto& host : host_runtimes()) {
    Counts counts;
    for (const TestCase& test_case : cases) {
      if (refused.find(str_cat("/", test_case.name, " sessions")) == std::string::npos)
        try_case(*host, test_case, counts);
    }
    printf("%s: %d cases right, %d wrong, %d left to the runtime or not loaded\n",
           host->label().c_str(), counts.right, counts.wrong, counts.left);
    CHECK_EQ(counts.wrong, 0);
    CHECK(counts.right > 600);
  }
}
