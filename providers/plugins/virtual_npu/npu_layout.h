// SPDX-License-Identifier: MIT
// Channels-last data: with the option layout=nhwc the NPU computes convolutions and pools of images
// whose channels are last, and asks the runtime to give it such.
#pragma once

#include <functional>
#include <string>

#include "npu_program.h"
#include "npu_tables.h"

namespace virtual_npu {

// OrtEp::GetPreferredDataLayout and ShouldConvertDataLayoutForOp.
OrtStatus* prefer_channels_last(OrtEp* self, OrtEpDataLayout* layout) noexcept;
OrtStatus* should_be_last(OrtEp* self, const char* domain, const char* op_type,
                          OrtEpDataLayout target, int* answer) noexcept;

// Whether the NPU computes the node channels last; or would, if the runtime makes it so: such a
// node is claimed until it is the provider's, and looked at again then.
bool is_supported_last(const Tables& tables, const OrtNode& node);

// The same for a node that a kernel is for, or would be, once it is channels last.
bool is_image_node(const Tables& tables, const OrtNode& node, bool has_kernel);

// Adds the node's step to the program; false when the node is none of these.
bool add_step_last(const Tables& tables, const OrtNode& node,
                   const std::function<uint32_t(const std::string&)>& number_of, Program& program);

}  // namespace virtual_npu
