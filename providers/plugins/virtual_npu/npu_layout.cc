// SPDX-License-Identifier: MIT
// Channels-last data: see the header.
#include "npu_layout.h"

#include <optional>

#include "npu_contexts.h"

namespace virtual_npu {
namespace {

// That of the runtime for operators on channels-last data.
constexpr char kLastDomain[] = "com.ms.internal.nhwc";

std::string text_of(OrtStatus* (*get)(const OrtNode*, const char**), const OrtNode& node) {
  const char* text = nullptr;
  check(get(&node, &text));
  return text;
}

// The dims of a value of float32 (-1 for those that are not known); nothing for others.
std::optional<std::vector<int64_t>> float_dims(const Tables& tables, const OrtValueInfo* value) {
  if (value == nullptr) return std::nullopt;
  const OrtTypeInfo* type = nullptr;
  check(tables.ort.GetValueInfoTypeInfo(value, &type));
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  check(tables.ort.CastTypeInfoToTensorInfo(type, &tensor));
  if (tensor == nullptr || !tables.ort.TensorTypeAndShape_HasShape(tensor)) return std::nullopt;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(tables.ort.GetTensorElementType(tensor, &element));
  if (element != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) return std::nullopt;
  size_t rank = 0;
  check(tables.ort.GetDimensionsCount(tensor, &rank));
  std::vector<int64_t> dims(rank);
  check(tables.ort.GetDimensions(tensor, dims.data(), rank));
  return dims;
}

std::vector<const OrtValueInfo*> inputs_of(const Tables& tables, const OrtNode& node) {
  size_t count = 0;
  check(tables.ort.Node_GetNumInputs(&node, &count));
  std::vector<const OrtValueInfo*> inputs(count);
  check(tables.ort.Node_GetInputs(&node, inputs.data(), count));
  return inputs;
}

const OrtOpAttr* find_attribute(const Tables& tables, const OrtNode& node, const char* name) {
  size_t count = 0;
  check(tables.ort.Node_GetNumAttributes(&node, &count));
  std::vector<const OrtOpAttr*> attributes(count);
  check(tables.ort.Node_GetAttributes(&node, attributes.data(), count));
  for (const OrtOpAttr* attribute : attributes) {
    const char* found = nullptr;
    check(tables.ort.OpAttr_GetName(attribute, &found));
    if (std::string(found) == name) return attribute;
  }
  return nullptr;
}

// Fills what the attribute says, when it has as many numbers.
template <size_t Count>
void read_numbers(const Tables& tables, const OrtNode& node, const char* name,
                  std::array<int64_t, Count>& numbers, OrtOpAttrType type = ORT_OP_ATTR_INTS) {
  const OrtOpAttr* attribute = find_attribute(tables, node, name);
  if (attribute == nullptr) return;
  size_t size = 0;
  if (OrtStatus* status = tables.ort.ReadOpAttr(attribute, type, nullptr, 0, &size)) {
    tables.ort.ReleaseStatus(status);  // it only tells the size
  }
  if (size != sizeof numbers) return;
  check(tables.ort.ReadOpAttr(attribute, type, numbers.data(), sizeof numbers, &size));
}

Window window_of(const Tables& tables, const OrtNode& node) {
  Window window;
  std::array<int64_t, 1> group{1};
  read_numbers(tables, node, "group", group, ORT_OP_ATTR_INT);
  window.group = group[0];
  read_numbers(tables, node, "kernel_shape", window.kernel);
  read_numbers(tables, node, "strides", window.strides);
  read_numbers(tables, node, "dilations", window.dilations);
  read_numbers(tables, node, "pads", window.pads);
  return window;
}

// Images of two axes, whose window the attributes tell.
bool has_plain_window(const Tables& tables, const OrtNode& node, bool is_conv) {
  const auto inputs = inputs_of(tables, node);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto dims = float_dims(tables, inputs[i]);
    if (!dims.has_value() || dims->size() != (i < 2 ? 4u : 1u)) return false;
  }
  const OrtOpAttr* pad = find_attribute(tables, node, "auto_pad");
  if (pad != nullptr && text_attribute(tables, node, "auto_pad") != "NOTSET") return false;
  if (is_conv) return inputs.size() >= 2;
  size_t outputs = 0;
  check(tables.ort.Node_GetNumOutputs(&node, &outputs));
  std::array<int64_t, 1> ceils{0};
  read_numbers(tables, node, "ceil_mode", ceils, ORT_OP_ATTR_INT);
  return inputs.size() == 1 && outputs == 1 && ceils[0] == 0;
}

// The weights' shape says the window when no attribute does.
Window conv_window(const Tables& tables, const OrtNode& node) {
  Window window = window_of(tables, node);
  const auto dims = float_dims(tables, inputs_of(tables, node)[1]);
  window.kernel = {(*dims)[2], (*dims)[3]};
  return window;
}

std::optional<Operation> layout_change(const Tables& tables, const OrtNode& node) {
  const auto dims = float_dims(tables, inputs_of(tables, node).front());
  std::array<int64_t, 4> perm{};
  if (!dims.has_value() || dims->size() != perm.size()) return std::nullopt;
  read_numbers(tables, node, "perm", perm);
  if (perm == std::array<int64_t, 4>{0, 2, 3, 1}) return Operation::kToLast;
  if (perm == std::array<int64_t, 4>{0, 3, 1, 2}) return Operation::kToFirst;
  return std::nullopt;
}

}  // namespace

OrtStatus* prefer_channels_last(OrtEp*, OrtEpDataLayout* layout) noexcept {
  *layout = OrtEpDataLayout_NHWC;
  return nullptr;
}

OrtStatus* should_be_last(OrtEp*, const char* domain, const char* op_type, OrtEpDataLayout,
                          int* answer) noexcept {
  const std::string name = op_type;
  *answer = *domain == '\0' && (name == "Conv" || name == "MaxPool") ? 1 : 0;
  return nullptr;
}

bool is_supported_last(const Tables& tables, const OrtNode& node) {
  const std::string op_type = text_of(tables.ort.Node_GetOperatorType, node);
  const std::string domain = text_of(tables.ort.Node_GetDomain, node);
  if (op_type == "Transpose") return domain.empty() && layout_change(tables, node).has_value();
  if (op_type != "Conv" && op_type != "MaxPool") return false;
  const bool is_claimed = !text_of(tables.ort.Node_GetEpName, node).empty();
  if (domain != kLastDomain && (!domain.empty() || is_claimed)) return false;
  if (!has_plain_window(tables, node, op_type == "Conv")) return false;
  if (op_type == "MaxPool") return true;
  const Window window = conv_window(tables, node);
  return window.kernel[0] > 0 && window.kernel[1] > 0;
}

bool is_image_node(const Tables& tables, const OrtNode& node, bool has_kernel) {
  const bool is_transpose = text_of(tables.ort.Node_GetOperatorType, node) == "Transpose";
  const bool is_last = text_of(tables.ort.Node_GetDomain, node) == kLastDomain;
  return !is_transpose && (has_kernel || !is_last) && is_supported_last(tables, node);
}

bool add_step_last(const Tables& tables, const OrtNode& node,
                   const std::function<uint32_t(const std::string&)>& number_of, Program& program) {
  const std::string op_type = text_of(tables.ort.Node_GetOperatorType, node);
  const auto inputs = input_names(tables, node);
  Step step;
  step.left = step.right = number_of(inputs.front());
  step.result = number_of(output_names(tables, node).front());
  Window window;
  if (op_type == "Transpose") {
    step.operation = layout_change(tables, node).value();
  } else if (text_of(tables.ort.Node_GetDomain, node) != kLastDomain) {
    return false;
  } else if (op_type == "Conv") {
    step.operation = Operation::kConv;
    step.right = number_of(inputs[1]);
    window = conv_window(tables, node);
    window.has_bias = inputs.size() > 2 && !inputs[2].empty() ? 1 : 0;
    if (window.has_bias != 0) window.bias = number_of(inputs[2]);
  } else if (op_type == "MaxPool") {
    step.operation = Operation::kMaxPool;
    window = window_of(tables, node);
  } else {
    return false;
  }
  window.step = static_cast<uint32_t>(program.steps.size());
  if (has_window(step.operation)) program.windows.push_back(window);
  program.steps.push_back(step);
  return true;
}

}  // namespace virtual_npu
