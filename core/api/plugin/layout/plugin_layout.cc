// SPDX-License-Identifier: MIT
// The layout that a library asks for: see the header.
#include "core/api/plugin/layout/plugin_layout.h"

#include "core/api/plugin/plugin_call.h"

namespace ortc::api {

Result<bool> PluginLayout::prefers_last() {
  if (prefers_last_.has_value()) return *prefers_last_;
  OrtEp& ep = instance_->ep();
  OrtEpDataLayout layout = OrtEpDataLayout_Default;
  if (const auto ask = ORTC_SINCE(ep, 23, GetPreferredDataLayout); ask != nullptr) {
    RETURN_IF_ERROR(instance_->call("GetPreferredDataLayout", [&] { return ask(&ep, &layout); }));
  }
  const int32_t number = number_of(layout);
  if (number != OrtEpDataLayout_NCHW && number != OrtEpDataLayout_NHWC) {
    return make_status(Code::kEpFail, instance_->label("GetPreferredDataLayout"), " gave ", number,
                       ", expected ", int{OrtEpDataLayout_NCHW}, " (NCHW) or ",
                       int{OrtEpDataLayout_NHWC}, " (NHWC)");
  }
  prefers_last_ = number == OrtEpDataLayout_NHWC;
  return *prefers_last_;
}

// More than 0 is yes and less than 0 no answer, as ONNX Runtime takes it.
Result<std::optional<bool>> PluginLayout::is_wanted_last(std::string_view domain,
                                                         std::string_view op_type) {
  OrtEp& ep = instance_->ep();
  const auto ask = ORTC_SINCE(ep, 23, ShouldConvertDataLayoutForOp);
  if (ask == nullptr) return std::optional<bool>();
  int answer = -1;
  RETURN_IF_ERROR(instance_->call("ShouldConvertDataLayoutForOp", [&] {
    return ask(&ep, std::string(domain).c_str(), std::string(op_type).c_str(), OrtEpDataLayout_NHWC,
               &answer);
  }));
  return answer < 0 ? std::optional<bool>() : std::optional<bool>(answer > 0);
}

}  // namespace ortc::api
