// SPDX-License-Identifier: MIT
// Running plans: see the header.
#include "providers/ortc_ep/compute.h"

#include <algorithm>

#include "providers/ortc_ep/host_values.h"

namespace ortc::ort_ep {
namespace {

// Plans have no state from run to run.
OrtStatus* create_state(OrtNodeComputeInfo*, OrtNodeComputeContext*, void** state) noexcept {
  *state = nullptr;
  return nullptr;
}
void release_state(OrtNodeComputeInfo*, void*) noexcept {}

OrtStatus* compute(OrtNodeComputeInfo* self, void*, OrtKernelContext* context) noexcept {
  const auto& info = *static_cast<const ComputeInfo*>(self);
  return at_border(info.host, [&] { return info.run(*context); });
}

}  // namespace

ComputeInfo::ComputeInfo(const Host& with, std::shared_ptr<Machine> machine, Part part)
    : OrtNodeComputeInfo{}, host(with), machine_(std::move(machine)), part_(std::move(part)) {
  ort_version_supported = host.version;
  CreateState = create_state;
  Compute = compute;
  ReleaseState = release_state;
}

Result<std::unique_ptr<ComputeInfo>> ComputeInfo::create(const Host& host,
                                                         std::shared_ptr<Machine> machine,
                                                         Part part) {
  std::unique_ptr<ComputeInfo> info(new ComputeInfo(host, std::move(machine), std::move(part)));
  if (info->part_.plan == nullptr) return info;
  RETURN_IF_ERROR(info->check_counts());
  const Plan& plan = *info->part_.plan;
  RETURN_IF_ERROR(
      info->check_types("input", plan.indices(plan.body(0).inputs), info->part_.inputs));
  RETURN_IF_ERROR(
      info->check_types("output", plan.indices(plan.body(0).outputs), info->part_.outputs));
  info->look_at_outputs();
  ExecutorContext context;
  context.pool = &info->machine_->pool;
  context.arenas = &info->machine_->arenas;
  context.isa = std::min(host_isa(), info->part_.isa_max);
  ASSIGN_OR_RETURN(info->runner_, Runner::create(info->part_.plan, {}, context));
  return info;
}

// The node of a context that was read may be any.
Status ComputeInfo::check_counts() const {
  const BodyRecord& body = part_.plan->body(0);
  const bool fits =
      body.inputs.count == part_.inputs.size() && body.outputs.count == part_.outputs.size();
  if (fits) return Status::ok();
  return invalid_graph("'", part_.name, "': expected ", body.inputs.count, " inputs and ",
                       body.outputs.count, " outputs, as its context has, found ",
                       part_.inputs.size(), " and ", part_.outputs.size());
}

// The host makes values of the types that its model declares, whatever the context has.
Status ComputeInfo::check_types(const char* side, std::span<const uint32_t> slots,
                                const std::vector<Port>& ports) const {
  const Plan& plan = *part_.plan;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].index == kNoIndex || slots[i] == UINT32_MAX) continue;
    const auto expected = static_cast<DType>(plan.slot(plan.body(0), slots[i]).dtype);
    const DType found = ports[i].declared;
    if (expected == DType::kUndefined || found == DType::kUndefined || found == expected) continue;
    return invalid_graph("'", part_.name, "': expected ", side, " ", i, " of type ",
                         dtype_name(expected), ", as its context has, found ", dtype_name(found));
  }
  return Status::ok();
}

void ComputeInfo::look_at_outputs() {
  const Plan& plan = *part_.plan;
  for (const uint32_t index : plan.indices(plan.body(0).outputs)) {
    std::optional<Known>& known = known_outputs_.emplace_back();
    if (index == UINT32_MAX) continue;
    const SlotRecord& slot = plan.slot(plan.body(0), index);
    if (slot.rank == kUnknownRank) continue;
    const auto dims = plan.dims(slot.dims, slot.rank);
    const auto is_known = [](int64_t dim) { return dim >= 0; };
    if (!std::all_of(dims.begin(), dims.end(), is_known)) continue;
    known = {static_cast<DType>(slot.dtype), Dims(dims.begin(), dims.end())};
  }
}

Status ComputeInfo::take_inputs(const OrtKernelContext& context, std::vector<ValueRef>& inputs,
                                std::vector<Dims>& dims) const {
  dims.resize(part_.inputs.size());
  for (size_t i = 0; i < part_.inputs.size(); ++i) {
    ValueRef ref;
    const OrtValue* value = nullptr;
    if (part_.inputs[i].index != kNoIndex) {
      ORTC_ASK(host, KernelContext_GetInput(&context, part_.inputs[i].index, &value));
    }
    if (value != nullptr) {
      auto tensor = tensor_of(host, *value);
      RETURN_IF_ERROR_WHILE(tensor.status(), "input ", i);
      dims[i] = std::move(tensor->dims);
      ref.dtype = tensor->dtype;
      ref.rank = static_cast<uint32_t>(dims[i].size());
      ref.dim_data = dims[i].data();
      ref.data = const_cast<void*>(tensor->data);
    }
    inputs.push_back(ref);
  }
  return Status::ok();
}

// A program may bring the value: what it is does not follow from the model alone.
Result<void*> ComputeInfo::room_for(OrtKernelContext& context, size_t i, DType dtype,
                                    std::span<const int64_t> dims) const {
  OrtValue* value = nullptr;
  ORTC_ASK(host, KernelContext_GetOutput(&context, part_.outputs[i].index, dims.data(), dims.size(),
                                         &value));
  if (value == nullptr) return nullptr;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const int64_t* found = nullptr;
  size_t rank = 0;
  ORTC_ASK(host, GetTensorElementTypeAndShapeDataReference(value, &element, &found, &rank));
  if (dtype_of(element) != dtype || !std::equal(dims.begin(), dims.end(), found, found + rank)) {
    return invalid_graph("'", part_.name, "': expected a value ", dtype_name(dtype),
                         dims_to_string(dims), " for output ", i, ", found ",
                         dtype_name(dtype_of(element)), dims_to_string({found, rank}));
  }
  void* place = nullptr;
  ORTC_ASK(host, GetTensorMutableData(value, &place));
  return place;
}

// Where shapes are known the plan writes to the host's memory at once.
Status ComputeInfo::take_known_outputs(OrtKernelContext& context,
                                       std::vector<OutputTarget>& targets) const {
  for (size_t i = 0; i < targets.size(); ++i) {
    if (part_.outputs[i].index == kNoIndex || !known_outputs_[i]) continue;
    const auto& [dtype, dims] = *known_outputs_[i];
    ValueRef& place = targets[i].provided;
    ASSIGN_OR_RETURN(place.data, room_for(context, i, dtype, dims));
    if (place.data == nullptr) continue;  // no elements
    place.dtype = dtype;
    place.rank = static_cast<uint32_t>(dims.size());
    place.dim_data = dims.data();
  }
  return Status::ok();
}

Status ComputeInfo::give_outputs(OrtKernelContext& context,
                                 std::vector<OutputTarget>& targets) const {
  for (size_t i = 0; i < targets.size(); ++i) {
    if (part_.outputs[i].index == kNoIndex || targets[i].provided.data != nullptr) continue;
    const ValueRef made = ref_to(targets[i].made);
    if (!made.is_present() || made.datum != nullptr) {
      return make_status(Code::kEpFail, "'", part_.name, "' gave no tensor for output ", i);
    }
    const std::span<const int64_t> dims(made.dim_data, made.rank);
    ASSIGN_OR_RETURN(void* const place, room_for(context, i, made.dtype, dims));
    const auto bytes = dtype_bytes(made.dtype, static_cast<uint64_t>(made.element_count()));
    if (place != nullptr && bytes && *bytes != 0) std::memcpy(place, made.data, *bytes);
  }
  return Status::ok();
}

Status ComputeInfo::run(OrtKernelContext& context) const {
  if (runner_ == nullptr) {
    return fail("'", part_.name, "' was compiled for another processor; it does not run here");
  }
  std::vector<ValueRef> inputs;
  std::vector<Dims> dims;
  std::vector<OutputTarget> targets(part_.outputs.size());
  RETURN_IF_ERROR(take_inputs(context, inputs, dims));
  RETURN_IF_ERROR(take_known_outputs(context, targets));
  RunRequest request;
  request.facts.pool = &machine_->pool;
  RETURN_IF_ERROR(runner_->run(inputs, targets, request));
  return give_outputs(context, targets);
}

}  // namespace ortc::ort_ep
