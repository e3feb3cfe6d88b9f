// SPDX-License-Identifier: MIT
// Names of operators' attributes: see the header.
#include "core/ops/signatures/attribute_names.h"

#include <algorithm>
#include <tuple>

#include "core/ops/signatures/layout_sensitive.h"

namespace ortc {
namespace {

struct AttributeRow {
  std::string_view domain, op_type;
  std::string_view names;  // separated by spaces, over all versions
};

// Sorted by domain and operator. Operators without attributes are not listed.
constexpr AttributeRow kRows[] = {
    {"", "Abs", "consumed_inputs"},
    {"", "Add", "axis broadcast consumed_inputs"},
    {"", "AffineGrid", "align_corners"},
    {"", "And", "axis broadcast"},
    {"", "ArgMax", "axis keepdims select_last_index"},
    {"", "ArgMin", "axis keepdims select_last_index"},
    {"", "Attention",
     "is_causal kv_num_heads left_window_size q_num_heads qk_matmul_output_mode right_window_size "
     "scale softcap softmax_precision"},
    {"", "AveragePool", "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides"},
    {"", "BatchNormalization", "consumed_inputs epsilon is_test momentum spatial training_mode"},
    {"", "Bernoulli", "dtype seed"},
    {"", "BitCast", "to"},
    {"", "BitShift", "direction"},
    {"", "BlackmanWindow", "output_datatype periodic"},
    {"", "Cast", "round_mode saturate to"},
    {"", "CastLike", "round_mode saturate"},
    {"", "CausalConvWithState", "activation"},
    {"", "Ceil", "consumed_inputs"},
    {"", "Celu", "alpha"},
    {"", "CenterCropPad", "axes"},
    {"", "Clip", "consumed_inputs max min"},
    {"", "Col2Im", "dilations pads strides"},
    {"", "Compress", "axis"},
    {"", "Concat", "axis"},
    {"", "ConcatFromSequence", "axis new_axis"},
    {"", "Constant",
     "sparse_value value value_float value_floats value_int value_ints value_string value_strings"},
    {"", "ConstantOfShape", "value"},
    {"", "Conv", "auto_pad dilations group kernel_shape pads strides"},
    {"", "ConvInteger", "auto_pad dilations group kernel_shape pads strides"},
    {"", "ConvTranspose",
     "auto_pad dilations group kernel_shape output_padding output_shape pads strides"},
    {"", "CumProd", "exclusive reverse"},
    {"", "CumSum", "exclusive reverse"},
    {"", "DFT", "axis inverse onesided"},
    {"", "DeformConv", "dilations group kernel_shape offset_group pads strides"},
    {"", "DepthToSpace", "blocksize mode"},
    {"", "DequantizeLinear", "axis block_size output_dtype"},
    {"", "Div", "axis broadcast consumed_inputs"},
    {"", "Dropout", "consumed_inputs is_test ratio seed"},
    {"", "Einsum", "equation"},
    {"", "Elu", "alpha consumed_inputs"},
    {"", "Equal", "axis broadcast"},
    {"", "Exp", "consumed_inputs"},
    {"", "EyeLike", "dtype k"},
    {"", "Flatten", "axis"},
    {"", "Floor", "consumed_inputs"},
    {"", "GRU",
     "activation_alpha activation_beta activations clip direction hidden_size layout "
     "linear_before_reset output_sequence"},
    {"", "Gather", "axis"},
    {"", "GatherElements", "axis"},
    {"", "GatherND", "batch_dims"},
    {"", "Gelu", "approximate"},
    {"", "Gemm", "alpha beta broadcast transA transB"},
    {"", "GlobalLpPool", "p"},
    {"", "Greater", "axis broadcast"},
    {"", "GridSample", "align_corners mode padding_mode"},
    {"", "GroupNormalization", "epsilon num_groups stash_type"},
    {"", "HammingWindow", "output_datatype periodic"},
    {"", "HannWindow", "output_datatype periodic"},
    {"", "HardSigmoid", "alpha beta consumed_inputs"},
    {"", "Hardmax", "axis"},
    {"", "If", "else_branch then_branch"},
    {"", "ImageDecoder", "pixel_format"},
    {"", "InstanceNormalization", "consumed_inputs epsilon"},
    {"", "IsInf", "detect_negative detect_positive"},
    {"", "LRN", "alpha beta bias size"},
    {"", "LSTM",
     "activation_alpha activation_beta activations clip direction hidden_size input_forget layout "
     "output_sequence"},
    {"", "LayerNormalization", "axis epsilon stash_type"},
    {"", "LeakyRelu", "alpha consumed_inputs"},
    {"", "Less", "axis broadcast"},
    {"", "LinearAttention", "chunk_size kv_num_heads q_num_heads scale update_rule"},
    {"", "Log", "consumed_inputs"},
    {"", "LogSoftmax", "axis"},
    {"", "Loop", "body"},
    {"", "LpNormalization", "axis p"},
    {"", "LpPool", "auto_pad ceil_mode dilations kernel_shape p pads strides"},
    {"", "Max", "consumed_inputs"},
    {"", "MaxPool", "auto_pad ceil_mode dilations kernel_shape pads storage_order strides"},
    {"", "MaxRoiPool", "pooled_shape spatial_scale"},
    {"", "MaxUnpool", "kernel_shape pads strides"},
    {"", "Mean", "consumed_inputs"},
    {"", "MeanVarianceNormalization", "axes"},
    {"", "MelWeightMatrix", "output_datatype"},
    {"", "Min", "consumed_inputs"},
    {"", "Mod", "fmod"},
    {"", "Mul", "axis broadcast consumed_inputs"},
    {"", "Multinomial", "dtype sample_size seed"},
    {"", "Neg", "consumed_inputs"},
    {"", "NegativeLogLikelihoodLoss", "ignore_index reduction"},
    {"", "NonMaxSuppression", "center_point_box"},
    {"", "OneHot", "axis"},
    {"", "Optional", "type"},
    {"", "Or", "axis broadcast"},
    {"", "PRelu", "consumed_inputs"},
    {"", "Pad", "mode paddings pads value"},
    {"", "Pow", "axis broadcast"},
    {"", "QLinearConv", "auto_pad dilations group kernel_shape pads strides"},
    {"", "QuantizeLinear", "axis block_size output_dtype precision saturate"},
    {"", "RMSNormalization", "axis epsilon stash_type"},
    {"", "RNN",
     "activation_alpha activation_beta activations clip direction hidden_size layout "
     "output_sequence"},
    {"", "RandomNormal", "dtype mean scale seed shape"},
    {"", "RandomNormalLike", "dtype mean scale seed"},
    {"", "RandomUniform", "dtype high low seed shape"},
    {"", "RandomUniformLike", "dtype high low seed"},
    {"", "Reciprocal", "consumed_inputs"},
    {"", "ReduceL1", "axes keepdims noop_with_empty_axes"},
    {"", "ReduceL2", "axes keepdims noop_with_empty_axes"},
    {"", "ReduceLogSum", "axes keepdims noop_with_empty_axes"},
    {"", "ReduceLogSumExp", "axes keepdims noop_with_empty_axes"},
    {"", "ReduceMax", "axes keepdims noop_with_empty_axes"},
    {"", "ReduceMean", "axes keepdims noop_with_empty_axes"},
    {"", "ReduceMin", "axes keepdims noop_with_empty_axes"},
    {"", "ReduceProd", "axes keepdims noop_with_empty_axes"},
    {"", "ReduceSum", "axes keepdims noop_with_empty_axes"},
    {"", "ReduceSumSquare", "axes keepdims noop_with_empty_axes"},
    {"", "RegexFullMatch", "pattern"},
    {"", "Relu", "consumed_inputs"},
    {"", "Reshape", "allowzero consumed_inputs shape"},
    {"", "Resize",
     "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside "
     "extrapolation_value keep_aspect_ratio_policy mode nearest_mode"},
    {"", "ReverseSequence", "batch_axis time_axis"},
    {"", "RoiAlign",
     "coordinate_transformation_mode mode output_height output_width sampling_ratio spatial_scale"},
    {"", "RotaryEmbedding", "interleaved num_heads rotary_embedding_dim"},
    {"", "STFT", "onesided"},
    {"", "Scan",
     "body directions num_scan_inputs scan_input_axes scan_input_directions scan_output_axes "
     "scan_output_directions"},
    {"", "Scatter", "axis"},
    {"", "ScatterElements", "axis reduction"},
    {"", "ScatterND", "reduction"},
    {"", "Selu", "alpha consumed_inputs gamma"},
    {"", "SequenceEmpty", "dtype"},
    {"", "SequenceMap", "body"},
    {"", "Shape", "end start"},
    {"", "Shrink", "bias lambd"},
    {"", "Sigmoid", "consumed_inputs"},
    {"", "Slice", "axes ends starts"},
    {"", "Softmax", "axis"},
    {"", "SoftmaxCrossEntropyLoss", "ignore_index reduction"},
    {"", "SpaceToDepth", "blocksize"},
    {"", "Split", "axis num_outputs split"},
    {"", "SplitToSequence", "axis keepdims"},
    {"", "Sqrt", "consumed_inputs"},
    {"", "Squeeze", "axes"},
    {"", "StringNormalizer", "case_change_action is_case_sensitive locale stopwords"},
    {"", "StringSplit", "delimiter maxsplit"},
    {"", "Sub", "axis broadcast consumed_inputs"},
    {"", "Sum", "consumed_inputs"},
    {"", "SwiGLU", "alpha"},
    {"", "Swish", "alpha"},
    {"", "Tanh", "consumed_inputs"},
    {"", "TensorScatter", "axis mode"},
    {"", "TfIdfVectorizer",
     "max_gram_length max_skip_count min_gram_length mode ngram_counts ngram_indexes pool_int64s "
     "pool_strings weights"},
    {"", "ThresholdedRelu", "alpha"},
    {"", "TopK", "axis k largest sorted"},
    {"", "Transpose", "perm"},
    {"", "Trilu", "upper"},
    {"", "Unique", "axis sorted"},
    {"", "Unsqueeze", "axes"},
    {"", "Upsample", "height_scale mode scales width_scale"},
    {"", "Xor", "axis broadcast"},
    {"ai.onnx.ml", "Binarizer", "threshold"},
    {"ai.onnx.ml", "CastMap", "cast_to map_form max_map"},
    {"ai.onnx.ml", "CategoryMapper", "cats_int64s cats_strings default_int64 default_string"},
    {"ai.onnx.ml", "DictVectorizer", "int64_vocabulary string_vocabulary"},
    {"ai.onnx.ml", "FeatureVectorizer", "inputdimensions"},
    {"ai.onnx.ml", "Imputer",
     "imputed_value_floats imputed_value_int64s replaced_value_float replaced_value_int64"},
    {"ai.onnx.ml", "LabelEncoder",
     "classes_strings default_float default_int64 default_string default_tensor keys_floats "
     "keys_int64s keys_strings keys_tensor values_floats values_int64s values_strings "
     "values_tensor"},
    {"ai.onnx.ml", "LinearClassifier",
     "classlabels_ints classlabels_strings coefficients intercepts multi_class post_transform"},
    {"ai.onnx.ml", "LinearRegressor", "coefficients intercepts post_transform targets"},
    {"ai.onnx.ml", "Normalizer", "norm"},
    {"ai.onnx.ml", "OneHotEncoder", "cats_int64s cats_strings zeros"},
    {"ai.onnx.ml", "SVMClassifier",
     "classlabels_ints classlabels_strings coefficients kernel_params kernel_type post_transform "
     "prob_a prob_b rho support_vectors vectors_per_class"},
    {"ai.onnx.ml", "SVMRegressor",
     "coefficients kernel_params kernel_type n_supports one_class post_transform rho "
     "support_vectors"},
    {"ai.onnx.ml", "Scaler", "offset scale"},
    {"ai.onnx.ml", "TreeEnsemble",
     "aggregate_function leaf_targetids leaf_weights membership_values n_targets nodes_falseleafs "
     "nodes_falsenodeids nodes_featureids nodes_hitrates nodes_missing_value_tracks_true "
     "nodes_modes nodes_splits nodes_trueleafs nodes_truenodeids post_transform tree_roots"},
    {"ai.onnx.ml", "TreeEnsembleClassifier",
     "base_values base_values_as_tensor class_ids class_nodeids class_treeids class_weights "
     "class_weights_as_tensor classlabels_int64s classlabels_strings nodes_falsenodeids "
     "nodes_featureids nodes_hitrates nodes_hitrates_as_tensor nodes_missing_value_tracks_true "
     "nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values "
     "nodes_values_as_tensor post_transform"},
    {"ai.onnx.ml", "TreeEnsembleRegressor",
     "aggregate_function base_values base_values_as_tensor n_targets nodes_falsenodeids "
     "nodes_featureids nodes_hitrates nodes_hitrates_as_tensor nodes_missing_value_tracks_true "
     "nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values "
     "nodes_values_as_tensor post_transform target_ids target_nodeids target_treeids "
     "target_weights target_weights_as_tensor"},
    {"ai.onnx.ml", "ZipMap", "classlabels_int64s classlabels_strings"},
    {"com.microsoft", "EPContext",
     "embed_mode ep_cache_context ep_sdk_version hardware_architecture main_context max_size notes "
     "onnx_model_filename partition_name source"},
};

constexpr bool is_before(const AttributeRow& a, const AttributeRow& b) {
  return std::tie(a.domain, a.op_type) < std::tie(b.domain, b.op_type);
}
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows), is_before));

}  // namespace

bool may_have_attribute(std::string_view domain, std::string_view op_type, std::string_view name) {
  const AttributeRow key{standard_domain(domain, op_type), op_type, {}};
  const auto* row = std::lower_bound(std::begin(kRows), std::end(kRows), key, is_before);
  if (row == std::end(kRows) || is_before(key, *row)) return false;
  std::string_view rest = row->names;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == name) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace ortc
