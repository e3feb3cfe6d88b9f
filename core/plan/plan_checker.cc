// SPDX-License-Identifier: MIT
// Tables and constants of an image: see the header.
#include "core/plan/plan_checker.h"

namespace ortc {

// Names are stored once and used often, but not more than this many times the image in all.
constexpr uint64_t kTextPerImageByte = 64;

Status PlanChecker::check() {
  RETURN_IF_ERROR(check_tables());
  if (plan_.tensors_.size() != plan_.tensor_records_.size()) {
    return invalid_graph("plan image: expected ", plan_.tensor_records_.size(),
                         " constants, found ", plan_.tensors_.size());
  }
  for (uint32_t i = 0; i < plan_.tensor_records_.size(); ++i) {
    RETURN_IF_ERROR_WHILE(check_tensor(i), "plan image: constant ", i);
  }
  if (plan_.bodies_.size() == 0) return invalid_graph("plan image: it has no body");
  plan_.kernels_.assign(plan_.steps_.size(), nullptr);
  depths_.assign(plan_.bodies_.size(), 0);
  depths_[0] = 1;
  for (uint32_t i = 0; i < plan_.bodies_.size(); ++i) {
    RETURN_IF_ERROR_WHILE(check_body(i), "plan body ", i);
  }
  return Status::ok();
}

Status PlanChecker::check_table(const PlanTable& table, size_t record_size,
                                const char* what) const {
  const uint64_t size = plan_.image_.size();
  const uint64_t bytes = uint64_t{table.count} * table.stride;  // both 32 bits: no overflow
  if (table.stride < record_size || table.offset % 8 != 0 || table.stride % 4 != 0 ||
      !range_within(table.offset, bytes, size)) {
    return invalid_graph("plan image: the ", what, " table (offset ", table.offset, ", ",
                         table.count, " x ", table.stride, " bytes) does not fit into ", size,
                         " bytes");
  }
  return Status::ok();
}

Status PlanChecker::check_packed_table(const PlanTable& table, uint32_t record_size,
                                       const char* what) const {
  if (table.stride != record_size || table.offset % 8 != 0 ||
      !range_within(table.offset, uint64_t{table.count} * record_size, plan_.image_.size())) {
    return invalid_graph("plan image: the ", what, " table does not fit into the image");
  }
  return Status::ok();
}

Status PlanChecker::check_tables() {
  const Blob& image = plan_.image_;
  if (image.size() < sizeof(PlanHeader) || reinterpret_cast<uintptr_t>(image.data()) % 8 != 0) {
    return invalid_graph("plan image: ", image.size(), " bytes, expected at least ",
                         sizeof(PlanHeader), " on an 8 byte boundary");
  }
  const auto& header = *reinterpret_cast<const PlanHeader*>(image.data());
  if (header.magic != kPlanMagic) return invalid_graph("plan image: wrong magic number");
  if (header.major != kPlanMajor) {
    return invalid_graph("plan image: format ", header.major, ".", header.minor,
                         ", this library reads ", kPlanMajor, ".x");
  }
  if (header.image_size != image.size()) {
    return invalid_graph("plan image: expected ", header.image_size, " bytes, found ",
                         image.size());
  }
  RETURN_IF_ERROR(check_table(header.bodies, sizeof(BodyRecord), "body"));
  RETURN_IF_ERROR(check_table(header.slots, sizeof(SlotRecord), "slot"));
  RETURN_IF_ERROR(check_table(header.steps, sizeof(StepRecord), "step"));
  RETURN_IF_ERROR(check_table(header.tensors, sizeof(TensorRecord), "tensor"));
  if (header.tensors.stride % 8 != 0) return invalid_graph("plan image: tensor records misaligned");
  RETURN_IF_ERROR(check_packed_table(header.dims, 8, "dim"));
  RETURN_IF_ERROR(check_packed_table(header.indices, 4, "index"));
  RETURN_IF_ERROR(check_packed_table(header.text, 1, "text"));
  RETURN_IF_ERROR(check_packed_table(header.params, 1, "params"));
  const std::byte* base = image.data();
  plan_.bodies_ = {base, header.bodies};
  plan_.slots_ = {base, header.slots};
  plan_.steps_ = {base, header.steps};
  plan_.tensor_records_ = {base, header.tensors};
  plan_.dim_data_ = reinterpret_cast<const int64_t*>(base + header.dims.offset);
  plan_.index_data_ = reinterpret_cast<const uint32_t*>(base + header.indices.offset);
  plan_.text_data_ = reinterpret_cast<const char*>(base + header.text.offset);
  plan_.params_data_ = base + header.params.offset;
  dim_count_ = header.dims.count;
  index_count_ = header.indices.count;
  text_size_ = header.text.count;
  params_size_ = header.params.count;
  if (origin_ == Origin::kFile) text_limit_ = image.size() * kTextPerImageByte;
  return Status::ok();
}

Status PlanChecker::check_tensor(uint32_t i) const {
  const TensorRecord& record = plan_.tensor_records_[i];
  const bool in_bounds = dtype_is_valid(record.dtype) && record.rank <= 64 &&
                         range_within(record.dims, record.rank, dim_count_) &&
                         range_within(record.name.begin, record.name.count, text_size_);
  if (!in_bounds) return invalid_graph("its record is damaged");
  const auto dims = plan_.dims(record.dims, record.rank);
  const auto count = checked_element_count(dims);
  const Blob& found = plan_.tensors_[i];
  if (static_cast<DType>(record.dtype) == DType::kString) {
    if (origin_ == Origin::kFile) return invalid_graph("it is of strings, which no file holds");
    if (!count || record.size != 0 ||
        found.size() / sizeof(std::string) != static_cast<uint64_t>(*count)) {
      return invalid_graph(dims_to_string(dims), " strings, found ", found.size(), " bytes");
    }
    return Status::ok();
  }
  const auto bytes =
      count ? dtype_bytes(static_cast<DType>(record.dtype), static_cast<uint64_t>(*count))
            : std::nullopt;
  if (bytes && *bytes == record.size && found.size() == record.size) return Status::ok();
  return invalid_graph("its shape ", dims_to_string(dims), " expects ", bytes ? *bytes : 0,
                       " bytes, found ", found.size());
}

Status PlanChecker::fault_of_indices(PlanRange range, const char* what) const {
  if (!range_within(range.begin, range.count, index_count_)) {
    return invalid_graph(what, ": the list is out of bounds");
  }
  return invalid_graph(what, ": the list overlaps with others; all lists so far have ",
                       indices_taken_, " entries, the image has ", index_count_);
}

Status PlanChecker::fault_of_params() const {
  if (params_taken_ <= params_size_) return invalid_graph("its params record is out of bounds");
  return invalid_graph("its params record overlaps with others");
}

Status PlanChecker::fault_of_text(PlanRange range) const {
  if (!range_within(range.begin, range.count, text_size_)) {
    return invalid_graph("a text of its record is out of bounds");
  }
  return invalid_graph("the texts so far have ", text_taken_, " bytes in an image of ",
                       plan_.image_.size());
}

}  // namespace ortc
