// SPDX-License-Identifier: MIT
// Operators that no row of the table draws, each with the reason.
#include "tests/differential/fuzzer/operator_rows.h"

namespace ortc::fuzz {

std::span<const std::string_view> left_out() {
  static constexpr std::string_view kLines[] = {
      ":RandomNormal|its numbers are random",
      ":RandomNormalLike|its numbers are random",
      ":RandomUniform|its numbers are random",
      ":RandomUniformLike|its numbers are random",
      ":Bernoulli|its numbers are random",
      ":Multinomial|its numbers are random",
      ":ImageDecoder|not in every build, or no kernel yet",
      ":RegexFullMatch|not in every build, or no kernel yet",
      "com.microsoft:Inverse|not in every build, or no kernel yet",
      "com.microsoft:Irfft|not in every build, or no kernel yet",
      "com.microsoft:Rfft|not in every build, or no kernel yet",
      "com.microsoft:NhwcConv|not in every build, or no kernel yet",
      ":Scatter|in opsets older than those drawn",
      ":Upsample|in opsets older than those drawn",
      "com.microsoft:EPContext|a compiled model's, not a computation",
      ":LinearAttention|has no row yet; its own tests compare it with numpy",
      ":Optional|has no row yet; its own tests compare it with numpy",
      ":SequenceMap|has no row yet; its own tests compare it with numpy",
      ":TfIdfVectorizer|has no row yet; its own tests compare it with numpy",
      "ai.onnx.preview:FlexAttention|has no row yet; its own tests compare it with numpy",
      "com.microsoft:Attention|has no row yet; its own tests compare it with numpy",
      "com.microsoft:GroupQueryAttention|has no row yet; its own tests compare it with numpy",
      "com.microsoft:EmbedLayerNormalization|has no row yet; its own tests compare it with numpy",
      "com.microsoft:GatherBlockQuantized|has no row yet; its own tests compare it with numpy",
      "ai.onnx.preview.training:Adagrad|a step of training; its own tests compare it with numpy",
      "ai.onnx.preview.training:Adam|a step of training; its own tests compare it with numpy",
      "ai.onnx.preview.training:Gradient|a step of training; its own tests compare it with numpy",
      "ai.onnx.preview.training:Momentum|a step of training; its own tests compare it with numpy",
      "ai.onnx.ml:CastMap|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:CategoryMapper|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:DictVectorizer|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:FeatureVectorizer|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:LabelEncoder|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:LinearClassifier|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:OneHotEncoder|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:SVMClassifier|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:SVMRegressor|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:TreeEnsemble|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:TreeEnsembleClassifier|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:TreeEnsembleRegressor|maps, texts or trees; its own tests compare it with numpy",
      "ai.onnx.ml:ZipMap|maps, texts or trees; its own tests compare it with numpy",
  };
  return kLines;
}

}  // namespace ortc::fuzz
