// SPDX-License-Identifier: MIT
// Scan: the body runs once for each element of the scanned inputs; what it gives beside its state
// is put together along an axis again. Scan of opset 8 does that for each entry of a batch, whose
// sequences may be shorter than the axis: what is missing in the outputs is zero.
#include <algorithm>
#include <array>
#include <cstring>

#include "core/plan/scan_record.h"
#include "core/run/body_run.h"
#include "core/run/copy_range.h"

namespace ortc {
namespace {

// A tensor seen as [outer, size, inner]: the axis, and the elements behind it. It begins at the
// element `first` of what it lies in.
struct AxisView {
  const DType dtype;
  uint64_t first, outer = 1, size = 1, inner = 1;

  AxisView(std::span<const int64_t> dims, size_t axis, DType element, uint64_t begin)
      : dtype(element), first(begin) {
    for (size_t d = 0; d < axis; ++d) outer *= static_cast<uint64_t>(dims[d]);
    size = static_cast<uint64_t>(dims[axis]);
    for (size_t d = axis + 1; d < dims.size(); ++d) inner *= static_cast<uint64_t>(dims[d]);
    if (inner == 0) outer = 0;  // any number of rows without elements is nothing to copy
  }
  void take(const void* from, uint64_t at, void* to) const {
    for (uint64_t o = 0; o < outer; ++o) {
      copy_range(dtype, inner, from, first + (o * size + at) * inner, to, o * inner);
    }
  }
  void put(void* to, uint64_t at, const void* from) const {
    for (uint64_t o = 0; o < outer; ++o) {
      copy_range(dtype, inner, from, o * inner, to, first + (o * size + at) * inner);
    }
  }
};

// The shape that `dims` has when its axis `from` stands at `to`, and where each axis comes from.
struct MovedAxis {
  Dims dims;
  std::vector<size_t> permutation;

  MovedAxis(std::span<const int64_t> before, size_t from, size_t to) {
    for (size_t d = 0; d < before.size(); ++d) permutation.push_back(d);
    permutation.erase(permutation.begin() + static_cast<std::ptrdiff_t>(from));
    permutation.insert(permutation.begin() + static_cast<std::ptrdiff_t>(to), from);
    for (const size_t d : permutation) dims.push_back(before[d]);
  }
};

Result<size_t> axis_of(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    return invalid_argument("axis ", axis, " is outside a tensor of rank ", rank);
  }
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

}  // namespace

// One execution of a Scan step.
class ScanRun {
 public:
  ScanRun(BodyRun& run, const StepRecord& step)
      : run_(run),
        record_(*reinterpret_cast<const ScanRecord*>(run.plan_.params(step.params).data())),
        number_(run.plan_.indices(step.bodies)[0]),
        body_(run.plan_.body(number_)),
        scans_(record_.scan_inputs),
        states_(body_.inputs.count - record_.scan_inputs),
        first_(record_.has_batch != 0 ? 1 : 0),
        inputs_(run.step_in_),
        out_slots_(run.plan_.indices(step.outputs)),
        room_(run.room()),
        helper_(run.helper_of(step)) {
    if (helper_ != nullptr && (!helper_->transposes() || first_ != 0)) helper_ = nullptr;
    if (helper_ != nullptr) staged_.resize(out_slots_.size());
  }

  Status run() {
    RETURN_IF_ERROR(read_shapes());
    if (helper_ != nullptr) RETURN_IF_ERROR(transpose_inputs());
    for (int64_t b = 0; b < batch_; ++b) RETURN_IF_ERROR(run_entry(b));
    RETURN_IF_ERROR(finish_empty());
    return transpose_outputs();
  }

 private:
  const ValueRef& state_input(size_t k) const { return inputs_[first_ + k]; }
  const ValueRef& scan_input(size_t k) const { return inputs_[first_ + states_ + k]; }

  Status read_shapes() {
    for (size_t k = 0; k < states_ + scans_; ++k) {
      const ValueRef& input = inputs_[first_ + k];
      if (!input.is_present()) return invalid_graph("an input is missing");
      if (first_ == 0) continue;
      const uint32_t least = k < states_ ? 1 : 2;
      if (input.rank < least || (k > 0 && input.dim(0) != batch_)) {
        return invalid_argument("input ", first_ + k, " has no batch axis like the rest");
      }
      batch_ = input.dim(0);
    }
    for (size_t k = 0; k < scans_; ++k) {
      const ValueRef& input = scan_input(k);
      size_t axis = 1;
      if (first_ == 0) {
        ASSIGN_OR_RETURN(axis, axis_of(record_.input_axes[k], input.rank));
      }
      if (k > 0 && input.dim(axis) != length_) {
        return invalid_argument("scanned inputs have ", length_, " and ", input.dim(axis),
                                " elements");
      }
      length_ = input.dim(axis);
      axes_[k] = axis;
    }
    if (first_ == 0 || !inputs_[0].is_present()) return Status::ok();
    const ValueRef& lengths = inputs_[0];
    if (lengths.dtype != DType::kInt64 || lengths.element_count() != batch_) {
      return invalid_argument("the lengths must be ", batch_, " int64");
    }
    for (int64_t b = 0; b < batch_; ++b) {
      if (lengths.as<int64_t>()[b] < 0 || lengths.as<int64_t>()[b] > length_) {
        return invalid_argument("a length of ", lengths.as<int64_t>()[b], " in sequences of ",
                                length_);
      }
    }
    return Status::ok();
  }

  // The owner of the node brings the axes to the front that are scanned elsewhere.
  Status transpose_inputs() {
    moved_inputs_.reserve(scans_);
    for (size_t k = 0; k < scans_; ++k) {
      if (axes_[k] == 0 || !dtype_is_addressable(scan_input(k).dtype)) continue;
      ValueRef& input = inputs_[first_ + states_ + k];
      MovedAxis moved(input.dims(), axes_[k], 0);
      const auto bytes = dtype_bytes(input.dtype, static_cast<uint64_t>(input.element_count()));
      if (!bytes) return fail("input ", k, " has no size");
      ASSIGN_OR_RETURN(const Tensor from,
                       Tensor::view(input.dtype, Dims(input.dims().begin(), input.dims().end()),
                                    {static_cast<const std::byte*>(input.data), *bytes}, nullptr));
      ASSIGN_OR_RETURN(Tensor to, Tensor::create(input.dtype, std::move(moved.dims)));
      RETURN_IF_ERROR(helper_->transpose(moved.permutation, from, to));
      input = ref_to(moved_inputs_.emplace_back(std::move(to)));
      axes_[k] = 0;
    }
    return Status::ok();
  }

  // And back again, where outputs are put together elsewhere.
  Status transpose_outputs() {
    for (size_t k = 0; k < staged_.size(); ++k) {
      Tensor& from = staged_[k].tensor;
      if (!from.is_defined()) continue;
      MovedAxis moved(from.dims(), 0, staged_[k].axis);
      RETURN_IF_ERROR(run_.make_slot(out_slots_[k], from.dtype(), moved.dims));
      const ValueRef& ref = run_.refs_[out_slots_[k]];
      ASSIGN_OR_RETURN(
          Tensor to,
          Tensor::view(from.dtype(), std::move(moved.dims),
                       {static_cast<const std::byte*>(ref.data), from.byte_size()}, nullptr));
      RETURN_IF_ERROR(helper_->transpose(moved.permutation, from, to));
    }
    return Status::ok();
  }

  // Where entry b of a tensor with a batch axis begins, or the whole tensor.
  uint64_t entry(const ValueRef& ref, int64_t b) const {
    if (first_ == 0 || batch_ == 0) return 0;
    return static_cast<uint64_t>(ref.element_count() / batch_) * static_cast<uint64_t>(b);
  }
  std::span<const int64_t> entry_dims(const ValueRef& ref) const {
    return ref.dims().subspan(first_);
  }

  Status run_entry(int64_t b) {
    room_.carried.clear();
    room_.carried.resize(states_ + scans_);
    for (size_t k = 0; k < states_; ++k) {
      const ValueRef& given = state_input(k);
      ASSIGN_OR_RETURN(room_.carried[k],
                       MadeValue::tensor(run_.arenas(), given.dtype, entry_dims(given)));
      const ValueRef state = room_.carried[k].ref();
      copy_range(state.dtype, static_cast<uint64_t>(state.element_count()), given.data,
                 entry(given, b), state.data, 0);
    }
    for (size_t k = 0; k < scans_; ++k) {
      Dims& dims = room_.dims;
      dims.assign(entry_dims(scan_input(k)).begin(), entry_dims(scan_input(k)).end());
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axes_[k] - first_));
      ASSIGN_OR_RETURN(room_.carried[states_ + k],
                       MadeValue::tensor(run_.arenas(), scan_input(k).dtype, dims));
    }
    const int64_t length =
        first_ != 0 && inputs_[0].is_present() ? inputs_[0].as<int64_t>()[b] : length_;
    for (int64_t i = 0; i < length; ++i) RETURN_IF_ERROR(run_element(b, i, length));
    for (size_t k = 0; k < states_; ++k) {
      RETURN_IF_ERROR(give_state(b, k, room_.carried[k].ref()));
    }
    return Status::ok();
  }

  // The states, the element of each scanned input, the captures.
  void gather(int64_t b, int64_t i, int64_t length) {
    for (size_t k = 0; k < scans_; ++k) {
      const int64_t at = (record_.input_reversed >> k & 1) != 0 ? length - 1 - i : i;
      const ValueRef& input = scan_input(k);
      const AxisView view(entry_dims(input), axes_[k] - first_, input.dtype, entry(input, b));
      view.take(input.data, static_cast<uint64_t>(at), room_.carried[states_ + k].ref().data);
    }
    std::vector<ValueRef>& given = room_.inputs;
    given.clear();
    for (const MadeValue& value : room_.carried) given.push_back(value.ref());
    given.insert(given.end(), inputs_.begin() + first_ + body_.inputs.count, inputs_.end());
  }

  Status run_element(int64_t b, int64_t i, int64_t length) {
    gather(b, i, length);
    room_.set_targets(body_.outputs.count);
    RETURN_IF_ERROR(run_.run_child(number_, room_.inputs, room_.targets));
    for (const OutputTarget& target : room_.targets) {
      const ValueRef made = target.result();
      if (made.is_present() && made.datum == nullptr) continue;
      return invalid_argument("its body gives ", describe(target.made), ", expected tensors");
    }
    for (size_t k = 0; k < states_; ++k) {
      const ValueRef made = room_.targets[k].result(), before = room_.carried[k].ref();
      if (!std::ranges::equal(made.dims(), before.dims())) {
        return invalid_argument("state variable ", k, " changed its shape from ",
                                dims_to_string(before.dims()), " to ", dims_to_string(made.dims()));
      }
      room_.carried[k] = room_.targets[k].take();
    }
    for (size_t k = 0; states_ + k < room_.targets.size(); ++k) {
      const int64_t at = (record_.output_reversed >> k & 1) != 0 ? length - 1 - i : i;
      RETURN_IF_ERROR(give_element(b, k, at, room_.targets[states_ + k].result()));
    }
    return Status::ok();
  }

  // Memory of output `k`, made when it is first needed, as zeros or empty texts.
  Result<void*> output(size_t k, DType dtype, const Dims& dims) {
    ValueRef& ref = run_.refs_[out_slots_[k]];
    if (!ref.is_present()) {
      RETURN_IF_ERROR(run_.make_slot(out_slots_[k], dtype, dims));
      const auto bytes = dtype_bytes(dtype, static_cast<uint64_t>(ref.element_count()));
      if (bytes && *bytes != 0) std::memset(ref.data, 0, *bytes);
    } else if (ref.dtype != dtype || !std::ranges::equal(ref.dims(), dims)) {
      return invalid_argument("output ", k, " changed its shape from ", dims_to_string(ref.dims()),
                              " to ", dims_to_string(dims));
    }
    return ref.data;
  }

  // The same, for a result whose axis the owner of the node brings to its place in the end.
  Result<void*> stage(size_t k, size_t axis, DType dtype, const Dims& dims) {
    Tensor& tensor = staged_[k].tensor;
    if (!tensor.is_defined()) {
      ASSIGN_OR_RETURN(tensor, Tensor::create(dtype, dims));
      staged_[k].axis = axis;
    } else if (tensor.dtype() != dtype || tensor.dims() != dims) {
      return invalid_argument("output ", k, " changed its shape from ",
                              dims_to_string(tensor.dims()), " to ", dims_to_string(dims));
    }
    return tensor.mutable_data();
  }

  Status give_state(int64_t b, size_t k, const ValueRef& state) {
    if (out_slots_[k] == kNoIndex) return Status::ok();
    Dims& dims = room_.dims;
    dims.assign(state.dims().begin(), state.dims().end());
    if (first_ != 0) dims.insert(dims.begin(), batch_);
    ASSIGN_OR_RETURN(void* to, output(k, state.dtype, dims));
    const auto count = static_cast<uint64_t>(state.element_count());
    copy_range(state.dtype, count, state.data, 0, to, static_cast<uint64_t>(b) * count);
    return Status::ok();
  }

  Status give_element(int64_t b, size_t k, int64_t at, const ValueRef& element) {
    if (out_slots_[states_ + k] == kNoIndex) return Status::ok();
    ASSIGN_OR_RETURN(const size_t axis, axis_of(record_.output_axes[k], size_t{element.rank} + 1));
    const bool is_staged = helper_ != nullptr && axis != 0 && dtype_is_addressable(element.dtype);
    const size_t place = is_staged ? 0 : axis;
    Dims& dims = room_.dims;
    dims.assign(element.dims().begin(), element.dims().end());
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(place), length_);
    AxisView view(dims, place, element.dtype, 0);
    view.first = view.outer * view.size * view.inner * static_cast<uint64_t>(b);
    if (first_ != 0) dims.insert(dims.begin(), batch_);
    ASSIGN_OR_RETURN(void* to, is_staged ? stage(states_ + k, axis, element.dtype, dims)
                                         : output(states_ + k, element.dtype, dims));
    view.put(to, static_cast<uint64_t>(at), element.data);
    return Status::ok();
  }

  // Outputs of a body that never ran have the shape that its plan says.
  Status finish_empty() {
    auto body_outputs = run_.plan_.indices(body_.outputs);
    for (size_t k = 0; k < out_slots_.size(); ++k) {
      if (out_slots_[k] == kNoIndex || is_made(k)) continue;
      const SlotRecord& slot = run_.plan_.slot(body_, body_outputs[k]);
      Dims dims = run_.declared_dims(slot);
      if (k >= states_) {
        ASSIGN_OR_RETURN(const size_t axis,
                         axis_of(record_.output_axes[k - states_], dims.size() + 1));
        dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), length_);
      }
      if (first_ != 0) dims.insert(dims.begin(), batch_);
      RETURN_IF_ERROR(output(k, static_cast<DType>(slot.dtype), dims).status());
    }
    return Status::ok();
  }

  bool is_made(size_t k) const {
    return run_.refs_[out_slots_[k]].is_present() ||
           (helper_ != nullptr && staged_[k].tensor.is_defined());
  }

  BodyRun& run_;
  const ScanRecord& record_;
  const uint32_t number_;
  const BodyRecord& body_;
  const size_t scans_, states_, first_;
  RefList inputs_;
  const std::span<const uint32_t> out_slots_;
  struct Staged {
    Tensor tensor;
    size_t axis = 0;
  };
  RunRoom& room_;
  const ControlFlowHelper* helper_;  // null: axes are read and written where they are
  // With a helper only.
  std::vector<Tensor> moved_inputs_;
  std::vector<Staged> staged_;
  std::array<size_t, kScanMax> axes_ = {};
  int64_t batch_ = 1, length_ = 0;
};

Status BodyRun::run_scan(const StepRecord& step) {
  RETURN_IF_ERROR_WHILE(ScanRun(*this, step).run(), step_label(plan_, step));
  room().clear_step();
  return Status::ok();
}

}  // namespace ortc
