// SPDX-License-Identifier: MIT
// ONNX Runtime's library, opened by path and driven through its C table.
#pragma once

#include "ort_c/ort_api.h"
#include "tests/differential/fuzzer/drawn_graph.h"

namespace ortc::fuzz {

class OtherLibrary {
 public:
  // Ends the program when it cannot be opened: then nothing would be compared.
  explicit OtherLibrary(const std::string& path);
  // "" and the outputs, or why it did not run the model.
  std::string run(const std::string& model, const DrawnGraph& graph,
                  std::vector<Datum>* outputs) const;

 private:
  std::string text_of(OrtStatus* status) const;
  const OrtApi* api_ = nullptr;
  OrtEnv* env_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
};

}  // namespace ortc::fuzz
