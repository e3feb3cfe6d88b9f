// SPDX-License-Identifier: MIT
// TensorProto -> Tensor: see the header. The table of ONNX's typed fields:
//
//   float_data   float32, complex64 (pairs)      double_data  float64, complex128 (pairs)
//   int64_data   int64                           uint64_data  uint64, uint32
//   int32_data   everything smaller; 16-bit floats as their bits, sub-byte types a byte at a time
//   string_data  strings
#include "core/proto/tensor_data.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/platform/memory/zero_pages.h"
#include "core/proto/wire.h"

namespace ortc {
namespace {

// Bytes that an element's loads may need; sub-byte types live in bytes.
size_t alignment_of(DType dtype) {
  if (dtype == DType::kComplex64) return 4;
  if (dtype == DType::kComplex128) return 8;
  return static_cast<size_t>(std::max(dtype_bits(dtype) / 8, 1));
}

// One file missing is one message, however many tensors it has.
void note_missing(std::vector<std::string>& missing, const std::string& message) {
  constexpr size_t kMessagesMax = 16;
  const bool is_known = std::find(missing.begin(), missing.end(), message) != missing.end();
  if (!is_known && missing.size() < kMessagesMax) missing.push_back(message);
}

bool is_aligned(const void* data, size_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

// C++ knows bools 0 and 1 only; a file may say anything.
bool is_clean(DType dtype, Bytes bytes) {
  if (dtype != DType::kBool) return true;
  return std::all_of(bytes.begin(), bytes.end(),
                     [](std::byte b) { return b == std::byte{0} || b == std::byte{1}; });
}

struct Runs {
  std::vector<Bytes> runs;
  bool are_views = true;
  uint64_t size = 0;

  Runs(const DecodedModel& model, const ProtobufCBinaryData* fields, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      runs.push_back(model.bytes(fields[i]));
      size += runs.back().size();
      are_views = are_views && model.is_view(fields[i]);
    }
  }
  // The scanner has checked that every number ends.
  uint64_t varint_count() const {
    uint64_t count = 0;
    for (Bytes run : runs) {
      count += static_cast<uint64_t>(std::count_if(run.begin(), run.end(), [](std::byte b) {
        return (b & std::byte{0x80}) == std::byte{0};
      }));
    }
    return count;
  }
};

class TensorReader {
 public:
  TensorReader(const DecodedModel& model, const Onnx__TensorProto& proto, ExternalFiles& files)
      : model_(model), proto_(proto), files_(files) {}

  Result<DecodedTensor> read() {
    RETURN_IF_ERROR(read_type());
    if (proto_.has_segment) return not_implemented("a tensor in segments");
    if (proto_.data_location == 1) return read_external();
    if (proto_.data_location != 0) {
      return not_implemented("data location ", proto_.data_location);
    }
    DecodedTensor out;
    if (dtype_ == DType::kString) {
      ASSIGN_OR_RETURN(out.tensor, read_strings());
    } else if (proto_.has_raw_data) {
      if (model_.bytes(proto_.raw_data).size() != byte_size_) {
        return mismatch("raw_data", byte_size_, "bytes", model_.bytes(proto_.raw_data).size());
      }
      const Blob raw(model_.bytes(proto_.raw_data), model_.source().owner());
      ASSIGN_OR_RETURN(out.tensor,
                       tensor_over(dtype_, dims_, raw, model_.is_view(proto_.raw_data)));
    } else {
      ASSIGN_OR_RETURN(out.tensor, read_typed());
    }
    return out;
  }

  std::optional<NeededFrame> frame() {
    if (proto_.data_location != 1 || !has_compression()) return std::nullopt;
    if (!read_type().is_ok() || dtype_ == DType::kString) return std::nullopt;
    auto reference = parse_external_data(model_, proto_);
    if (!reference.is_ok() || !reference->is_zstd) return std::nullopt;
    return NeededFrame{std::move(reference).value(), byte_size_};
  }

 private:
  bool has_compression() const {
    for (size_t i = 0; i < proto_.n_external_data; ++i) {
      if (model_.text(proto_.external_data[i]->key) == "compression") return true;
    }
    return false;
  }

  Status read_type() {
    if (!dtype_is_valid(proto_.data_type)) {
      return invalid_graph("element type ", proto_.data_type, " is not one of ONNX's");
    }
    dtype_ = static_cast<DType>(proto_.data_type);
    dims_.assign(proto_.dims, proto_.dims + proto_.n_dims);
    auto count = checked_element_count(dims_);
    if (!count) {
      return invalid_graph("shape ", dims_to_string(dims_), " has no valid number of elements");
    }
    count_ = static_cast<uint64_t>(*count);
    if (dtype_ == DType::kString) return Status::ok();
    auto size = dtype_bytes(dtype_, count_);
    if (!size || *size > SIZE_MAX / 2) {
      return invalid_graph("a ", dtype_name(dtype_), " tensor of shape ", dims_to_string(dims_),
                           " has no valid size");
    }
    byte_size_ = *size;
    return Status::ok();
  }

  Status mismatch(std::string_view field, uint64_t expected, std::string_view unit,
                  uint64_t found) const {
    return invalid_graph(dtype_name(dtype_), dims_to_string(dims_), ": expected ", expected, " ",
                         unit, " in ", field, ", found ", found);
  }

  Result<DecodedTensor> read_external() {
    if (dtype_ == DType::kString) return fail("strings cannot be external data");
    DecodedTensor out;
    ASSIGN_OR_RETURN(ExternalReference reference, parse_external_data(model_, proto_));
    auto bytes = read_external_data(files_, reference, byte_size_);
    if (!bytes.is_ok() && files_.missing() != nullptr) {
      note_missing(*files_.missing(), bytes.status().message());
      bytes = zero_pages(byte_size_);
    }
    if (!bytes.is_ok()) return bytes.status();
    ASSIGN_OR_RETURN(out.tensor, tensor_over(dtype_, dims_, *bytes, /*is_lasting=*/true));
    if (!reference.is_zstd) {
      reference.length = byte_size_;
      out.external = std::move(reference);
    }
    return out;
  }

  Result<Tensor> read_strings() const {
    if (proto_.has_raw_data) return invalid_graph("strings cannot stand in raw_data");
    if (proto_.n_string_data != count_) {
      return mismatch("string_data", count_, "elements", proto_.n_string_data);
    }
    std::vector<std::string> strings;
    strings.reserve(count_);
    for (uint64_t i = 0; i < count_; ++i) strings.push_back(model_.string(proto_.string_data[i]));
    return Tensor::strings(dims_, std::move(strings));
  }

  Result<Tensor> read_typed() {
    switch (dtype_) {
      case DType::kFloat32:
      case DType::kComplex64:
        return join({model_, proto_.float_data, proto_.n_float_data}, "float_data");
      case DType::kFloat64:
      case DType::kComplex128:
        return join({model_, proto_.double_data, proto_.n_double_data}, "double_data");
      case DType::kInt64:
        return narrow<uint64_t>({model_, proto_.int64_data, proto_.n_int64_data}, "int64_data",
                                count_);
      case DType::kUint64:
        return narrow<uint64_t>({model_, proto_.uint64_data, proto_.n_uint64_data}, "uint64_data",
                                count_);
      case DType::kUint32:
        return narrow<uint32_t>({model_, proto_.uint64_data, proto_.n_uint64_data}, "uint64_data",
                                count_);
      default:
        break;
    }
    const Runs runs(model_, proto_.int32_data, proto_.n_int32_data);
    switch (dtype_bits(dtype_)) {
      case 32:
        return narrow<uint32_t>(runs, "int32_data", count_);
      case 16:
        return narrow<uint16_t>(runs, "int32_data", count_);
      default:  // bytes; sub-byte types stand in them packed already
        return narrow<uint8_t>(runs, "int32_data", byte_size_);
    }
  }

  // Runs of fixed-width elements are the raw form already, in pieces.
  Result<Tensor> join(const Runs& runs, std::string_view field) const {
    if (runs.size != byte_size_) return mismatch(field, byte_size_, "bytes", runs.size);
    if (runs.runs.size() == 1) {
      return tensor_over(dtype_, dims_, Blob(runs.runs[0], model_.source().owner()),
                         runs.are_views);
    }
    ASSIGN_OR_RETURN(Tensor tensor, Tensor::create(dtype_, dims_));
    auto* out = static_cast<std::byte*>(tensor.mutable_data());
    for (Bytes run : runs.runs) {
      if (!run.empty()) std::memcpy(out, run.data(), run.size());
      out += run.size();
    }
    return tensor;
  }

  // Varints to elements of T's width. A number is in range when it is one as signed or as unsigned.
  template <typename T>
  Result<Tensor> narrow(const Runs& runs, std::string_view field, uint64_t expected) const {
    if (runs.varint_count() != expected) {
      return mismatch(field, expected, "elements", runs.varint_count());
    }
    ASSIGN_OR_RETURN(Tensor tensor, Tensor::create(dtype_, dims_));
    auto* out = static_cast<T*>(tensor.mutable_data());
    constexpr int64_t kHighest =
        sizeof(T) == 8 ? INT64_MAX : int64_t{std::numeric_limits<T>::max() & INT64_MAX};
    constexpr int64_t kLowest = sizeof(T) == 8 ? INT64_MIN : -(int64_t{1} << (8 * sizeof(T) - 1));
    for (Bytes run : runs.runs) {
      for (uint64_t position = 0, value = 0; position < run.size();) {
        read_varint(run, position, run.size(), value);
        const auto number = static_cast<int64_t>(value);
        if (number < kLowest || number > kHighest) {
          return invalid_graph(dtype_name(dtype_), dims_to_string(dims_), ": ", field, " holds ",
                               number, ", which is out of range");
        }
        *out++ = dtype_ == DType::kBool ? static_cast<T>(value != 0) : static_cast<T>(value);
      }
    }
    return tensor;
  }

  const DecodedModel& model_;
  const Onnx__TensorProto& proto_;
  ExternalFiles& files_;
  DType dtype_ = DType::kUndefined;
  Dims dims_;
  uint64_t count_ = 0, byte_size_ = 0;
};

}  // namespace

Result<Tensor> tensor_over(DType dtype, Dims dims, const Blob& bytes, bool is_lasting) {
  if (is_lasting && is_aligned(bytes.data(), alignment_of(dtype)) &&
      is_clean(dtype, bytes.bytes())) {
    return Tensor::view(dtype, std::move(dims), bytes.bytes(), bytes.owner());
  }
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::create(dtype, std::move(dims)));
  if (tensor.byte_size() != bytes.size()) {
    return invalid_graph("expected ", tensor.byte_size(), " bytes, found ", bytes.size());
  }
  if (bytes.empty()) return tensor;
  std::memcpy(tensor.mutable_data(), bytes.data(), bytes.size());
  if (dtype == DType::kBool) {
    auto* flags = static_cast<uint8_t*>(tensor.mutable_data());
    for (size_t i = 0; i < bytes.size(); ++i) flags[i] = flags[i] != 0;
  }
  return tensor;
}

Result<DecodedTensor> decode_tensor(const DecodedModel& model, const Onnx__TensorProto& proto,
                                    ExternalFiles& files) {
  return TensorReader(model, proto, files).read();
}

std::optional<NeededFrame> external_frame_of(const DecodedModel& model,
                                             const Onnx__TensorProto& proto, ExternalFiles& files) {
  return TensorReader(model, proto, files).frame();
}

}  // namespace ortc
