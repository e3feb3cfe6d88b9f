// SPDX-License-Identifier: MIT
// The wire scanner: one recursive walk, steered by protobuf-c's own descriptors of onnx.proto, so
// that what is scanned and what is decoded cannot differ.
#include "core/proto/skeleton.h"

#include <array>

#include "core/base/checked_math.h"
#include "core/proto/onnx.pb-c.h"
#include "core/proto/wire.h"

namespace ortc {
namespace {

constexpr char kInline = 0;
constexpr char kSpan = 1;
constexpr size_t kSpanReferenceSize = 1 + 2 * sizeof(uint64_t);
constexpr uint64_t kAllocationCost = 16;  // what the allocator adds to a block
constexpr size_t kFieldCountMax = 32;     // of one message of onnx.proto

// How one element of a packed field is encoded; kBytes: the field is not packed numbers.
WireType element_of(const ProtobufCMessageDescriptor* message, const ProtobufCFieldDescriptor* f) {
  if (message != &onnx__tensor_proto__descriptor) return WireType::kBytes;
  switch (f->id) {
    case 4:
      return WireType::kFixed32;
    case 10:
      return WireType::kFixed64;
    case 5:
    case 7:
    case 11:
      return WireType::kVarint;
    default:
      return WireType::kBytes;
  }
}

bool is_rank_field(const ProtobufCMessageDescriptor* message, uint32_t number) {
  return (message == &onnx__tensor_proto__descriptor && number == 1) ||
         (message == &onnx__sparse_tensor_proto__descriptor && number == 3) ||
         (message == &onnx__tensor_shape_proto__descriptor && number == 1);
}

WireType wire_type_of(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_FLOAT:
      return WireType::kFixed32;
    case PROTOBUF_C_TYPE_DOUBLE:
      return WireType::kFixed64;
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
      return WireType::kBytes;
    default:
      return WireType::kVarint;
  }
}

uint64_t scalar_size(ProtobufCType type) {
  return type == PROTOBUF_C_TYPE_FLOAT || type == PROTOBUF_C_TYPE_INT32 ? 4 : 8;
}

class Scanner {
 public:
  Scanner(Bytes file, const ScanLimits& limits) : file_(file), limits_(limits) {
    auto scaled = checked_mul<uint64_t>(file.size(), limits.decoded_factor);
    auto sum = scaled ? checked_add<uint64_t>(*scaled, limits.decoded_base) : std::nullopt;
    decoded_max_ = sum.value_or(UINT64_MAX);
  }

  Status scan(const ProtobufCMessageDescriptor* message, uint64_t begin, uint64_t end, int depth) {
    if (depth > limits_.depth_max) {
      return malformed_at(begin, "messages are nested deeper than ", limits_.depth_max);
    }
    if (++out_.message_count > limits_.message_count_max) {
      return malformed_at(begin, "there are more than ", limits_.message_count_max, " messages");
    }
    RETURN_IF_ERROR(charge(begin, message->sizeof_message + kAllocationCost));
    std::array<uint64_t, kFieldCountMax> counts{};
    for (uint64_t position = begin; position < end;) {
      const uint64_t at = position;
      ASSIGN_OR_RETURN(const WireField field, read_field(file_, position, end));
      const auto* known = protobuf_c_message_descriptor_get_field(message, field.number);
      if (known == nullptr) {
        RETURN_IF_ERROR(copy_unknown(at, field));
        continue;
      }
      const auto index = static_cast<size_t>(known - message->fields);
      RETURN_IF_ERROR_WHILE(
          scan_field(message, known, field, at, end, position, counts[index], depth),
          message->short_name, ".", known->name);
      if (is_rank_field(message, field.number) && counts[index] > limits_.rank_max) {
        return malformed_at(at, message->short_name, ": the rank is above ", limits_.rank_max);
      }
    }
    return Status::ok();
  }

  Skeleton take() { return std::move(out_); }

 private:
  Status charge(uint64_t at, uint64_t cost) {
    out_.decoded_size += cost;  // far from overflow: the limit stops it
    if (out_.decoded_size > decoded_max_) {
      return malformed_at(at, "the messages would take more than ", decoded_max_,
                          " bytes of memory");
    }
    return Status::ok();
  }

  Status copy_unknown(uint64_t at, const WireField& field) {
    const uint64_t size = field.payload_size() + 10;
    RETURN_IF_ERROR(charge(at, sizeof(ProtobufCMessageUnknownField) + size + kAllocationCost));
    append_tag(out_.wire, field.number, field.type);
    if (field.type == WireType::kBytes) append_varint(out_.wire, field.payload_size());
    append_bytes(field.payload_begin, field.payload_size());
    return Status::ok();
  }

  // `count`: elements of this field so far.
  Status scan_field(const ProtobufCMessageDescriptor* message,
                    const ProtobufCFieldDescriptor* known, const WireField& field, uint64_t at,
                    uint64_t end, uint64_t& position, uint64_t& count, int depth) {
    const bool is_repeated = known->label == PROTOBUF_C_LABEL_REPEATED;
    const WireType element = element_of(message, known);
    if (element != WireType::kBytes) return scan_run(field, element, at, end, position);
    const WireType expected = wire_type_of(known->type);
    const bool is_packed =
        is_repeated && expected != WireType::kBytes && field.type == WireType::kBytes;
    if (field.type != expected && !is_packed) {
      return malformed_at(at, "wire type ", field.type, ", expected ", expected);
    }
    if (known->type == PROTOBUF_C_TYPE_MESSAGE) {
      if (++count > 1 && !is_repeated) return malformed_at(at, "the field appears here twice");
      if (is_repeated) RETURN_IF_ERROR(charge(at, sizeof(void*)));
      return scan_submessage(static_cast<const ProtobufCMessageDescriptor*>(known->descriptor),
                             field, depth);
    }
    if (known->type == PROTOBUF_C_TYPE_BYTES) return write_reference(field, at);
    if (is_packed) {
      ASSIGN_OR_RETURN(const uint64_t elements, count_elements(field, expected));
      count += elements;
      RETURN_IF_ERROR(
          charge(at, checked_mul(elements, scalar_size(known->type)).value_or(UINT64_MAX / 4)));
    } else {
      ++count;
      if (is_repeated) RETURN_IF_ERROR(charge(at, scalar_size(known->type)));
    }
    append_tag(out_.wire, field.number, field.type);
    if (is_packed) append_varint(out_.wire, field.payload_size());
    append_bytes(field.payload_begin, field.payload_size());
    return Status::ok();
  }

  Status scan_submessage(const ProtobufCMessageDescriptor* message, const WireField& field,
                         int depth) {
    append_tag(out_.wire, field.number, WireType::kBytes);
    const size_t length_at = out_.wire.size();
    append_open_length(out_.wire);
    RETURN_IF_ERROR(scan(message, field.payload_begin, field.payload_end, depth + 1));
    return close_length(length_at, field.payload_begin);
  }

  Status close_length(size_t length_at, uint64_t at) {
    const uint64_t length = out_.wire.size() - length_at - kOpenLengthSize;
    if (length > INT32_MAX) return malformed_at(at, "a message is larger than 2^31-1 bytes");
    fill_open_length(out_.wire, length_at, length);
    return Status::ok();
  }

  Status write_reference(const WireField& field, uint64_t at) {
    const uint64_t size = field.payload_size();
    const bool is_span = size >= kSpanSizeMin;
    const uint64_t stored = is_span ? kSpanReferenceSize : size + 1;
    RETURN_IF_ERROR(charge(at, stored + sizeof(ProtobufCBinaryData) + kAllocationCost));
    append_tag(out_.wire, field.number, WireType::kBytes);
    append_varint(out_.wire, stored);
    if (is_span) {
      out_.wire += kSpan;
      append_number(field.payload_begin);
      append_number(size);
    } else {
      out_.wire += kInline;
      append_bytes(field.payload_begin, size);
    }
    return Status::ok();
  }

  // Typed data: a packed run becomes a reference to it; single elements, as far as they follow each
  // other, are gathered into one.
  Status scan_run(const WireField& field, WireType element, uint64_t at, uint64_t end,
                  uint64_t& position) {
    if (field.type == WireType::kBytes) {
      RETURN_IF_ERROR(count_elements(field, element).status());
      return write_reference(field, at);
    }
    if (field.type != element) {
      return malformed_at(at, "wire type ", field.type, ", expected ", element);
    }
    append_tag(out_.wire, field.number, WireType::kBytes);
    const size_t length_at = out_.wire.size();
    append_open_length(out_.wire);
    out_.wire += kInline;
    append_bytes(field.payload_begin, field.payload_size());
    while (position < end) {
      uint64_t next_position = position;
      ASSIGN_OR_RETURN(const WireField next, read_field(file_, next_position, end));
      if (next.number != field.number || next.type != element) break;
      append_bytes(next.payload_begin, next.payload_size());
      position = next_position;
    }
    RETURN_IF_ERROR(close_length(length_at, at));
    const uint64_t stored = out_.wire.size() - length_at;
    return charge(at, stored + sizeof(ProtobufCBinaryData) + kAllocationCost);
  }

  // Checks a packed run and counts its elements.
  Result<uint64_t> count_elements(const WireField& run, WireType element) const {
    if (element != WireType::kVarint) {
      const uint64_t size = element == WireType::kFixed32 ? 4 : 8;
      if (run.payload_size() % size != 0) {
        return malformed_at(run.payload_begin, "a packed run of ", run.payload_size(),
                            " bytes is not a multiple of ", size);
      }
      return run.payload_size() / size;
    }
    uint64_t count = 0, value = 0;
    for (uint64_t position = run.payload_begin; position < run.payload_end; ++count) {
      const uint64_t at = position;
      if (!read_varint(file_, position, run.payload_end, value)) {
        return malformed_at(at, "a packed number does not end");
      }
    }
    return count;
  }

  void append_bytes(uint64_t begin, uint64_t size) {
    out_.wire.append(as_text(file_.subspan(begin, size)));
  }
  void append_number(uint64_t value) {
    out_.wire.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  const Bytes file_;
  const ScanLimits& limits_;
  uint64_t decoded_max_ = 0;
  Skeleton out_;
};

}  // namespace

Result<Skeleton> scan_model(Bytes model, const ScanLimits& limits) {
  Scanner scanner(model, limits);
  RETURN_IF_ERROR(scanner.scan(&onnx__model_proto__descriptor, 0, model.size(), 1));
  return scanner.take();
}

bool reference_is_span(Bytes reference) {
  return !reference.empty() && static_cast<char>(reference[0]) == kSpan;
}

Bytes resolve_reference(Bytes reference, Bytes file) {
  if (reference.empty()) return {};
  if (!reference_is_span(reference)) return reference.subspan(1);
  if (reference.size() != kSpanReferenceSize) return {};
  const auto offset = load_unaligned<uint64_t>(reference.data() + 1);
  const auto length = load_unaligned<uint64_t>(reference.data() + 1 + sizeof offset);
  if (!range_within(offset, length, file.size())) return {};
  return file.subspan(offset, length);
}

}  // namespace ortc
