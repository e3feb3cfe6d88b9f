// SPDX-License-Identifier: MIT
// Reading LoRA adapters: see the header. Every offset of the FlatBuffer is checked before use.
#include "core/session/lora_adapter.h"

#include <cstring>
#include <optional>
#include <string>
#include <unordered_set>

#include "core/base/checked_math.h"

namespace ortc {
namespace {

constexpr std::string_view kIdentifier = "TORT";
constexpr int32_t kFormatVersion = 1;
constexpr uint64_t kElementAlignment = 16;
constexpr uint64_t kRankMax = 64;

// Positions in a FlatBuffer; nothing where the bytes end too early.
class FlatReader {
 public:
  explicit FlatReader(Bytes bytes) : bytes_(bytes) {}

  template <typename T>
  std::optional<T> read(uint64_t place) const {
    if (!range_within(place, sizeof(T), bytes_.size())) return std::nullopt;
    return load_unaligned<T>(bytes_.data() + place);
  }
  // What the offset at `place` points to.
  std::optional<uint64_t> follow(uint64_t place) const {
    const auto offset = read<uint32_t>(place);
    if (!offset || *offset == 0) return std::nullopt;
    return checked_add<uint64_t>(place, *offset);
  }
  // Where field `number` of the table stands; nothing when the table does not have it.
  std::optional<uint64_t> field(uint64_t table, uint32_t number) const {
    const auto back = read<int32_t>(table);
    if (!back) return std::nullopt;
    const int64_t vtable = static_cast<int64_t>(table) - *back;
    if (vtable < 0) return std::nullopt;
    const auto size = read<uint16_t>(static_cast<uint64_t>(vtable));
    const uint64_t entry = 4 + uint64_t{2} * number;
    if (!size || entry + 2 > *size) return std::nullopt;
    const auto offset = read<uint16_t>(static_cast<uint64_t>(vtable) + entry);
    if (!offset || *offset == 0) return std::nullopt;
    return checked_add<uint64_t>(table, *offset);
  }
  // The elements of the vector that field `number` points to.
  std::optional<Bytes> vector(uint64_t table, uint32_t number, uint64_t element_size) const {
    const auto place = field(table, number);
    const auto begin = place ? follow(*place) : std::nullopt;
    const auto count = begin ? read<uint32_t>(*begin) : std::nullopt;
    if (!count) return std::nullopt;
    const uint64_t size = uint64_t{*count} * element_size;
    if (!range_within(*begin + 4, size, bytes_.size())) return std::nullopt;
    return bytes_.subspan(*begin + 4, size);
  }
  int32_t number(uint64_t table, uint32_t number) const {
    const auto place = field(table, number);
    return place ? read<int32_t>(*place).value_or(0) : 0;
  }
  uint64_t place_of(Bytes part) const { return static_cast<uint64_t>(part.data() - bytes_.data()); }

 private:
  Bytes bytes_;
};

Result<std::pair<std::string, Tensor>> read_parameter(const FlatReader& reader, uint64_t table,
                                                      const Blob& source) {
  const auto name = reader.vector(table, 0, 1);
  const auto dims = reader.vector(table, 1, sizeof(int64_t));
  const auto raw = reader.vector(table, 3, 1);
  if (!name || name->empty() || !dims || !raw) {
    return fail("a parameter lacks its name, its dimensions or its data");
  }
  const std::string text(as_text(*name));
  const int32_t type = reader.number(table, 2);
  if (!dtype_is_valid(type) || static_cast<DType>(type) == DType::kString) {
    return fail("parameter '", text, "' has element type ", type,
                ", expected a number type of ONNX");
  }
  if (dims->size() / sizeof(int64_t) > kRankMax) {
    return fail("parameter '", text, "' has ", dims->size() / sizeof(int64_t),
                " dimensions, expected ", kRankMax, " at most");
  }
  Dims shape(dims->size() / sizeof(int64_t));
  if (!dims->empty()) std::memcpy(shape.data(), dims->data(), dims->size());
  const auto dtype = static_cast<DType>(type);
  const auto count = checked_element_count(shape);
  const auto size = count ? dtype_bytes(dtype, static_cast<uint64_t>(*count)) : std::nullopt;
  if (!size || *size != raw->size()) {
    return fail("parameter '", text, "' of type ", dtype_name(dtype), dims_to_string(shape),
                " has ", raw->size(), " bytes of data",
                size ? str_cat(", expected ", *size) : std::string());
  }
  if (reinterpret_cast<uintptr_t>(raw->data()) % kElementAlignment == 0) {
    ASSIGN_OR_RETURN(Tensor view, Tensor::view(dtype, std::move(shape), *raw, source.owner()));
    return std::pair(text, std::move(view));
  }
  ASSIGN_OR_RETURN(Tensor copy, Tensor::create(dtype, std::move(shape)));
  if (!raw->empty()) std::memcpy(copy.mutable_data(), raw->data(), raw->size());
  return std::pair(text, std::move(copy));
}

}  // namespace

Result<std::shared_ptr<const NamedTensors>> read_lora_adapter(const Blob& bytes) {
  const FlatReader reader(bytes.bytes());
  const auto root = reader.follow(0);
  const bool has_identifier = bytes.size() >= 8 && bytes.text().substr(4, 4) == kIdentifier;
  if (!has_identifier || !root || !reader.read<int32_t>(*root)) {
    return fail("the bytes are not a LoRA adapter: expected the identifier '", kIdentifier, "'");
  }
  const int32_t version = reader.number(*root, 0);
  if (version != kFormatVersion) {
    return fail("the LoRA adapter has format version ", version, ", expected ", kFormatVersion);
  }
  auto made = std::make_shared<NamedTensors>();
  const auto parameters = reader.vector(*root, 3, sizeof(uint32_t));
  if (!parameters) return fail("the LoRA adapter has no list of parameters");
  // Each byte belongs to one parameter: many that share some would be copied to many times the
  // file.
  uint64_t bytes_left = bytes.size();
  std::unordered_set<std::string> names;
  for (uint64_t i = 0; i < parameters->size(); i += sizeof(uint32_t)) {
    const auto table = reader.follow(reader.place_of(*parameters) + i);
    if (!table) return fail("the list of parameters of the LoRA adapter is damaged");
    ASSIGN_OR_RETURN(auto parameter, read_parameter(reader, *table, bytes));
    const uint64_t size = parameter.first.size() + parameter.second.byte_size();
    if (size > bytes_left) return fail("the parameters of the LoRA adapter overlap");
    bytes_left -= size;
    if (!names.insert(parameter.first).second) {
      return fail("the LoRA adapter has two parameters '", parameter.first, "'");
    }
    made->push_back(std::move(parameter));
  }
  return std::shared_ptr<const NamedTensors>(std::move(made));
}

}  // namespace ortc
