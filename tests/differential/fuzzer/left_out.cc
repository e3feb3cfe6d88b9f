// SPDX-License-Identifier: MIT
// Operators that no row of the table draws, or not in every build, each with the reason.
#include "tests/differential/fuzzer/operator_rows.h"

namespace ortc::fuzz {

std::span<const std::string_view> left_out() {
  static constexpr std::string_view kLines[] = {
      ":Bernoulli|two implementations draw other numbers of one seed",
      ":Multinomial|two implementations draw other numbers of one seed",
      ":RandomNormal|two implementations draw other numbers of one seed",
      ":RandomNormalLike|two implementations draw other numbers of one seed",
      ":RandomUniform|two implementations draw other numbers of one seed",
      ":RandomUniformLike|two implementations draw other numbers of one seed",
      ":ImageDecoder|its input is an encoded picture, which random bytes are not; not in every "
      "build",
      ":RegexFullMatch|drawn where it is there: it is not in every build",
      "com.microsoft:Tokenizer|drawn where it is there: it is not in every build",
      ":Scatter|ended with opset 11, graphs are drawn of 22 and later; ScatterElements is its heir",
      ":Upsample|ended with opset 10, graphs are drawn of 22 and later; Resize is its heir",
      "com.microsoft:EPContext|what compiling writes, not a computation",
      "com.microsoft:BeamSearch|a search for tokens over a decoder in the model, which is not a "
      "small node",
      "com.microsoft:GreedySearch|a search for tokens over a decoder in the model, which is not a "
      "small node",
      "com.microsoft:Sampling|a search for tokens over a decoder in the model, which is not a "
      "small node",
      "com.microsoft:WhisperBeamSearch|a search for tokens over a decoder in the model, which is "
      "not a small node",
      "com.microsoft:SparseToDenseMatMul|one input is a sparse tensor, which graphs here lack",
      "ai.onnx.preview.training:Gradient|its result follows from other nodes, and the reference "
      "computes a node alone",
      "ai.onnx.ml:CastMap|it takes a map, and values here are tensors and sequences of tensors",
      "ai.onnx.ml:DictVectorizer|it takes a map, and values here are tensors and sequences of "
      "tensors",
      "ai.onnx.ml:ZipMap|it gives maps, and values here are tensors and sequences of tensors",
  };
  return kLines;
}

}  // namespace ortc::fuzz
