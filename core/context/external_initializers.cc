// SPDX-License-Identifier: MIT
// Initializers in a file of their own: see the header.
#include "core/context/external_initializers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "core/base/checked_math.h"
#include "core/context/format.h"
#include "core/graph/walk.h"
#include "core/platform/parallel_work.h"

namespace ortc {
namespace {

constexpr std::string_view kInitializersKey = "ortc.external_initializers.";
constexpr uint64_t kTrailerMagic = 0x54494e494354524f;  // "ORTCINIT"
constexpr uint32_t kTrailerVersion = 1;

struct Trailer {
  uint64_t magic = kTrailerMagic;
  uint32_t version = kTrailerVersion;
  uint32_t reserved = 0;
  uint64_t generation_high = 0, generation_low = 0;
};
static_assert(sizeof(Trailer) == 32);

const std::string* entry_of(const Model& model, std::string_view key) {
  return model.metadata_value(str_cat(kInitializersKey, key));
}

bool parse_size(const std::string& text, uint64_t& out) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  return !text.empty() && error == std::errc() && stop == end;
}

Status check_trailer(const ExternalInitializersRecord& record, Bytes bytes) {
  const auto wrong = [&](std::string_view expected, std::string_view found) {
    return invalid_graph("external initializers '", record.name, "': expected ", expected,
                         ", found ", found,
                         "; the file was not written with this model, or changed since");
  };
  const bool is_close = record.generation.empty();
  if (bytes.size() != record.size || bytes.size() < (is_close ? 0 : sizeof(Trailer))) {
    return wrong(str_cat("a file of ", record.size, " bytes"), str_cat(bytes.size()));
  }
  if (is_close) {
    const Hash128 hash = hash128(bytes);
    if (hash == record.hash) return Status::ok();
    return wrong(str_cat("the hash ", record.hash.hex()), hash.hex());
  }
  const auto trailer = load_unaligned<Trailer>(bytes.data() + bytes.size() - sizeof(Trailer));
  if (trailer.magic != kTrailerMagic || trailer.version != kTrailerVersion) {
    return wrong("a trailer at its end", "none");
  }
  const std::string found = Hash128{trailer.generation_low, trailer.generation_high}.hex();
  if (found == record.generation) return Status::ok();
  return wrong(str_cat("generation ", record.generation), found);
}

}  // namespace

Result<std::optional<ExternalInitializersRecord>> ExternalInitializersRecord::read(
    const Model& model) {
  const std::optional<ExternalInitializersRecord> none;
  const std::string* name = entry_of(model, "name");
  if (name == nullptr) return none;
  const std::string *size = entry_of(model, "size"), *hash = entry_of(model, "hash"),
                    *generation = entry_of(model, "generation");
  ExternalInitializersRecord record;
  record.name = *name;
  const auto parsed = hash != nullptr ? Hash128::from_hex(*hash) : std::nullopt;
  if (size == nullptr || !parse_size(*size, record.size) || !parsed) {
    return invalid_graph("the metadata entries '", kInitializersKey,
                         "*' are damaged: expected name, size, hash and generation");
  }
  if (const std::string* codec = entry_of(model, "compression")) {
    const std::string* full_size = entry_of(model, "full_size");
    if (*codec != "zstd") {
      return not_implemented("external initializers '", *name, "': compression '", *codec,
                             "', expected 'zstd'");
    }
    if (full_size == nullptr || !parse_size(*full_size, record.full_size.emplace())) {
      return invalid_graph("the metadata entry '", kInitializersKey,
                           "full_size' is damaged: expected a number of bytes");
    }
  }
  record.hash = *parsed;
  if (generation != nullptr) record.generation = *generation;
  return std::optional(std::move(record));
}

void ExternalInitializersRecord::write_to(Model& model) const {
  model.set_metadata(str_cat(kInitializersKey, "name"), name);
  model.set_metadata(str_cat(kInitializersKey, "size"), str_cat(size));
  model.set_metadata(str_cat(kInitializersKey, "hash"), hash.hex());
  if (!generation.empty()) model.set_metadata(str_cat(kInitializersKey, "generation"), generation);
  if (!full_size) return;
  model.set_metadata(str_cat(kInitializersKey, "compression"), "zstd");
  model.set_metadata(str_cat(kInitializersKey, "full_size"), str_cat(*full_size));
}

void ExternalInitializersRecord::remove_from(Model& model) {
  std::erase_if(model.metadata,
                [](const auto& entry) { return entry.first.starts_with(kInitializersKey); });
}

Status check_external_initializers(const Model& model, ExternalFiles& files) {
  ASSIGN_OR_RETURN(const auto record, ExternalInitializersRecord::read(model));
  if (!record) return Status::ok();
  // A model that needs the file has not come so far without it.
  const auto file = files.whole(record->name);
  return file.is_ok() ? check_trailer(*record, file->bytes()) : Status::ok();
}

Status verify_external_initializers(const Model& model, ExternalFiles& files) {
  ASSIGN_OR_RETURN(const auto record, ExternalInitializersRecord::read(model));
  if (!record) return Status::ok();
  ASSIGN_OR_RETURN(const Blob file, files.whole(record->name));
  const Bytes bytes = file.bytes();
  RETURN_IF_ERROR(check_trailer(*record, bytes));
  if (record->generation.empty()) return Status::ok();
  const Hash128 found = hash128(bytes.first(bytes.size() - sizeof(Trailer)));
  if (found == record->hash) return Status::ok();
  return invalid_graph("external initializers '", record->name, "': expected the hash ",
                       record->hash.hex(), ", found ", found.hex(), "; the file is damaged");
}

uint64_t offset_alignment(const InitializerAlignment& wanted, uint64_t size) {
  return size >= wanted.minimum_size ? std::max<uint64_t>(wanted.alignment, kSmallAlignment)
                                     : kSmallAlignment;
}

uint64_t ExternalInitializers::alignment_of(const Item& item) const {
  if (is_close_) return 1;
  return item.is_frame() ? kSmallAlignment : offset_alignment(alignment_, item.stored.bytes.size());
}

void ExternalInitializers::collect(const Graph& graph, const Takes& takes) {
  gather(graph, takes);
  lay_out();
}

void ExternalInitializers::gather(const Graph& graph, const Takes& takes) {
  for (const Node& node : nodes_of(graph)) {
    for (const Graph* body : node.subgraphs()) gather(*body, takes);
  }
  for (ValueId id : graph.initializers()) {
    if (graph.value(id)->sparse_initializer != nullptr) continue;  // stays in the model as it is
    const Constant* constant = graph.value(id)->initializer.get();
    const Tensor& tensor = constant->tensor;
    if (tensor.dtype() == DType::kString || tensor.byte_size() < threshold_) continue;
    if (takes && !takes(*constant)) continue;
    if (!places_.emplace(constant, ExternalLocation()).second) continue;
    items_.push_back({constant, {tensor.bytes(), tensor.owner()}});
  }
}

void ExternalInitializers::lay_out() {
  is_close_ = may_be_close_ && zstd_level_ == 0 && full_size() < kLargeTensor;
  size_ = 0;
  for (Item& item : items_) {
    item.offset = align_up(size_, alignment_of(item));
    const uint64_t bytes = item.stored.bytes.size();
    places_[item.constant] = {file_name_, item.offset, bytes, item.is_frame()};
    size_ = item.offset + bytes;
  }
}

Status ExternalInitializers::encode(Work& work, ThreadPool* pool) {
  if (zstd_level_ == 0) return Status::ok();
  std::vector<uint64_t> units;
  for (const Item& item : items_) units.push_back(item.stored.bytes.size() * kCompressionUnits);
  RETURN_IF_ERROR(
      run_long_pieces(pool, work, units, [&](size_t i, const Advance& advance) -> Status {
        StoredTensor& stored = items_[i].stored;
        ASSIGN_OR_RETURN(stored, encode_tensor(stored.bytes, stored.owner, zstd_level_, advance));
        return Status::ok();
      }));
  lay_out();
  return Status::ok();
}

uint64_t ExternalInitializers::expected_units() const {
  return 3 * size_ + (zstd_level_ != 0 ? full_size() * kCompressionUnits : 0);
}

bool ExternalInitializers::has_frames() const {
  return std::any_of(items_.begin(), items_.end(),
                     [](const Item& item) { return item.is_frame(); });
}

uint64_t ExternalInitializers::full_size() const {
  uint64_t bytes = 0;
  for (const Item& item : items_) bytes += item.constant->tensor.byte_size();
  return bytes;
}

Result<ExternalInitializersRecord> ExternalInitializers::record(Work& work) const {
  static constexpr std::array<std::byte, kContextPage> kZeros{};
  Hasher hasher;
  uint64_t at = 0;
  for (const Item& item : items_) {
    while (at < item.offset) {
      const uint64_t gap = std::min<uint64_t>(item.offset - at, kZeros.size());
      hasher.append({kZeros.data(), gap});
      at += gap;
    }
    RETURN_IF_ERROR(append(hasher, item.stored.bytes, work));
    at = item.offset + item.stored.bytes.size();
  }
  const uint64_t trailer_size = is_close_ ? 0 : sizeof(Trailer);
  ExternalInitializersRecord record{file_name_, size_ + trailer_size, hasher.finish(),
                                    is_close_ ? "" : Hash128{}.hex(), std::nullopt};
  if (has_frames()) record.full_size = full_size();
  return record;
}

Status ExternalInitializers::write_to(StagedFile& file, const Hash128& generation) const {
  for (const Item& item : items_) {
    RETURN_IF_ERROR(file.align(alignment_of(item)));
    RETURN_IF_ERROR(file.write(item.stored.bytes));
  }
  if (is_close_) return Status::ok();
  Trailer trailer;
  trailer.generation_high = generation.high;
  trailer.generation_low = generation.low;
  return file.write({reinterpret_cast<const std::byte*>(&trailer), sizeof trailer});
}

Result<std::optional<ExternalLocation>> ExternalInitializers::place(const Value& value) const {
  const auto it = places_.find(value.initializer.get());
  if (it == places_.end()) return std::optional<ExternalLocation>();
  return std::optional<ExternalLocation>(it->second);
}

}  // namespace ortc
