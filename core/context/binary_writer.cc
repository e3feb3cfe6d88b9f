// SPDX-License-Identifier: MIT
// Writing context binaries: see the header. Equal tensors (by hash, confirmed by comparing bytes)
// are stored once.
#include "core/context/binary_writer.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/base/checked_math.h"
#include "core/base/version.h"
#include "core/context/context_header.h"
#include "core/plan/plan.h"
#include "core/platform/file_map.h"
#include "core/platform/parallel_work.h"

namespace ortc {
namespace {

template <size_t N>
void copy_text(char (&to)[N], std::string_view text) {
  std::memset(to, 0, N);
  std::memcpy(to, text.data(), std::min(text.size(), N - 1));
}

// What was freed between blocks that stay would stay with the process: glibc has to be asked.
void give_back_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
constexpr size_t kMuchMemory = size_t{1} << 20;

bool is_large(const StoredTensor& tensor) { return tensor.bytes.size() >= kLargeTensor; }

// Whether the list of kernels stands on page 0, as it does unless it is very long.
bool fits_page(const std::string& kernels) {
  return kernels.size() <= kContextPage - kKernelTextOffset;
}

Status too_many(std::string_view what) {
  return not_implemented("a context binary with ", UINT32_MAX, " or more ", what);
}

// Sizes that build_metadata() gets are checked before: see check_counts().
template <typename T>
MetadataTable append(std::string& metadata, const std::vector<T>& records) {
  metadata.resize(align_up(metadata.size(), 8));
  const MetadataTable table{metadata.size(), static_cast<uint32_t>(records.size()), sizeof(T)};
  metadata.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(T));
  return table;
}

}  // namespace

ContextTensorRecord ContextBinaryWriter::record_of(const DataEntry& entry) {
  return {entry.offset,
          entry.stored.bytes.size(),
          entry.size,
          to_record(entry.hash),
          static_cast<uint32_t>(entry.stored.codec),
          0};
}

// Of bytes with equal hashes.
Result<bool> ContextBinaryWriter::is_equal(const DataEntry& known, Bytes bytes) const {
  if (known.size != bytes.size()) return false;
  if (bytes.empty()) return true;
  Blob content(known.stored.bytes, known.stored.owner);
  if (known.stored.codec == TensorCodec::kZstd) {
    ASSIGN_OR_RETURN(content, decode_tensor_frame(record_of(known), known.stored.bytes));
  }
  return std::memcmp(content.data(), bytes.data(), bytes.size()) == 0;
}

Result<std::optional<uint32_t>> ContextBinaryWriter::find_equal(const Hash128& hash, Bytes bytes,
                                                                bool only_plain) {
  auto [begin, end] = by_hash_.equal_range(hash.low);
  for (auto it = begin; it != end; ++it) {
    const DataEntry& known = data_[it->second];
    if (known.hash != hash) continue;
    if (only_plain && known.stored.codec != TensorCodec::kPlain) continue;
    ASSIGN_OR_RETURN(const bool equal, is_equal(known, bytes));
    if (equal) return std::optional(it->second);
  }
  return std::optional<uint32_t>();
}

Result<std::optional<uint32_t>> ContextBinaryWriter::find_plain(Bytes bytes) {
  ASSIGN_OR_RETURN(const Hash128 hash, hash128(bytes, work()));
  return find_equal(hash, bytes, /*only_plain=*/true);
}

Result<uint32_t> ContextBinaryWriter::add(Bytes bytes, std::shared_ptr<const void> owner,
                                          bool only_plain) {
  ASSIGN_OR_RETURN(const Hash128 hash, hash128(bytes, work()));
  added_bytes_ += bytes.size();
  ASSIGN_OR_RETURN(const auto known, find_equal(hash, bytes, only_plain));
  if (known) return *known;
  const auto number = checked_cast<uint32_t>(data_.size());
  if (!number || *number == kNoTensor) return too_many("tensors");
  data_.push_back({{bytes, std::move(owner)}, bytes.size(), hash});
  by_hash_.emplace(hash.low, *number);
  return *number;
}

Result<uint32_t> ContextBinaryWriter::add_external(Bytes bytes, std::shared_ptr<const void> owner) {
  if (sealed_) return fail("a context that was written takes no more tensors");
  const size_t first = data_.size();
  ASSIGN_OR_RETURN(const uint32_t number, add(bytes, std::move(owner), /*only_plain=*/true));
  RETURN_IF_ERROR(spool_data(first));
  return number;
}

Status ContextBinaryWriter::spool_to(std::unique_ptr<StagedFile> file) {
  static constexpr std::byte kHeaderRoom[kContextPage] = {};
  if (!data_.empty() || file->size() != 0) return fail("a context is spooled from its begin");
  RETURN_IF_ERROR(file->write(kHeaderRoom));
  spool_ = std::move(file);
  return Status::ok();
}

// Large ones from `first` on move into the file, where they are read from now on.
Status ContextBinaryWriter::spool_data(size_t first) {
  if (spool_ == nullptr) return Status::ok();
  for (size_t i = first; i < data_.size(); ++i) {
    DataEntry& entry = data_[i];
    if (!is_large(entry.stored)) {
      // Memory that may go, and files that may be written to before the binary is.
      const bool may_change =
          entry.stored.owner == nullptr || FileMap::mapped_around(entry.stored.bytes).has_value();
      if (!may_change) continue;
      const Blob copy = Blob::copy_of(entry.stored.bytes);
      entry.stored.bytes = copy.bytes();
      entry.stored.owner = copy.owner();
      continue;
    }
    RETURN_IF_ERROR(spool_->align(kContextPage));
    entry.offset = spool_->size();
    RETURN_IF_ERROR_WHILE(spool_->write(entry.stored.bytes), "writing '", options_.file_name, "'");
    ASSIGN_OR_RETURN(const Blob there, spool_->mapped(entry.offset, entry.stored.bytes.size()));
    entry.stored.bytes = there.bytes();
    entry.stored.owner = there.owner();
    entry.is_spooled = true;
  }
  return Status::ok();
}

uint64_t ContextBinaryWriter::stored_bytes() const {
  return std::accumulate(
      data_.begin(), data_.end(), uint64_t{0},
      [](uint64_t sum, const DataEntry& entry) { return sum + entry.stored.bytes.size(); });
}

bool ContextBinaryWriter::GraphEntry::operator==(const GraphEntry& other) const {
  return plan_image.text() == other.plan_image.text() && tensors == other.tensors &&
         blob == other.blob;
}

// Models of one group may have a part in common: its name comes from its content.
Status ContextBinaryWriter::add_graph(const std::string& graph_name, GraphEntry entry) {
  const auto [known, is_new] = graphs_.try_emplace(graph_name, entry);
  if (is_new || known->second == entry) return Status::ok();
  return invalid_graph("two graphs of one context have the name '", graph_name,
                       "'; give them prefixes (ep.context_node_name_prefix)");
}

// Those from `first` on, which are plain until now.
Status ContextBinaryWriter::compress_data(size_t first) {
  if (options_.zstd_level == 0) return Status::ok();
  std::vector<uint64_t> units;
  for (size_t i = first; i < data_.size(); ++i) units.push_back(data_[i].size * kCompressionUnits);
  work().expect(std::accumulate(units.begin(), units.end(), uint64_t{0}));
  return run_long_pieces(pool_, work(), units, [&](size_t i, const Advance& advance) -> Status {
    StoredTensor& stored = data_[first + i].stored;
    ASSIGN_OR_RETURN(stored,
                     encode_tensor(stored.bytes, stored.owner, options_.zstd_level, advance));
    return Status::ok();
  });
}

Status ContextBinaryWriter::add_plan(const std::string& graph_name, const PlanImage& plan) {
  if (sealed_) return fail("a context that was written takes no more graphs");
  GraphEntry entry;
  entry.plan_image = plan.image;
  const size_t first = data_.size();
  for (const Tensor& tensor : plan.tensors) {
    if (tensor.dtype() == DType::kString) {
      return not_implemented("string constants in a context binary (graph '", graph_name, "')");
    }
    ASSIGN_OR_RETURN(const uint32_t number,
                     add(tensor.bytes(), tensor.owner(), /*only_plain=*/false));
    entry.tensors.push_back(number);
  }
  RETURN_IF_ERROR(compress_data(first));
  RETURN_IF_ERROR(spool_data(first));
  for (std::string& kernel : kernels_of_image(plan.image.bytes()))
    kernels_.insert(std::move(kernel));
  return add_graph(graph_name, std::move(entry));
}

Status ContextBinaryWriter::add_blob(const std::string& graph_name, const Blob& bytes) {
  if (sealed_) return fail("a context that was written takes no more graphs");
  GraphEntry entry;
  const size_t first = data_.size();
  ASSIGN_OR_RETURN(entry.blob, add(bytes.bytes(), bytes.owner(), /*only_plain=*/false));
  RETURN_IF_ERROR(compress_data(first));
  RETURN_IF_ERROR(spool_data(first));
  return add_graph(graph_name, std::move(entry));
}

// What is not in its place already comes behind the metadata.
void ContextBinaryWriter::place_data() {
  uint64_t offset = metadata_offset_ + metadata_.size();
  if (spool_ == nullptr) offset = align_up(offset, kContextPage);
  for (const bool large : {true, false}) {
    for (DataEntry& entry : data_) {
      if (entry.is_spooled || is_large(entry.stored) != large) continue;
      offset = align_up(offset, large ? kContextPage : kSmallAlignment);
      entry.offset = offset;
      offset += entry.stored.bytes.size();
    }
  }
  file_size_ = align_up(offset, kSmallAlignment);
}

uint64_t ContextBinaryWriter::required_features() const {
  const bool has_frames = std::any_of(data_.begin(), data_.end(), [](const DataEntry& entry) {
    return entry.stored.codec == TensorCodec::kZstd;
  });
  return (has_frames ? kFeatureZstd : 0) | (has_several_targets() ? kFeatureSeveralTargets : 0);
}

// Metadata and header count in 32 bits.
Status ContextBinaryWriter::check_counts(const std::string& kernels) const {
  uint64_t text_size = kernels.size(), index_count = 0;
  for (const auto& [name, entry] : graphs_) {
    text_size += name.size();
    index_count += entry.tensors.size();
  }
  if (text_size >= UINT32_MAX) return too_many("bytes of names");
  if (index_count >= UINT32_MAX) return too_many("constants of graphs");
  if (graphs_.size() >= UINT32_MAX) return too_many("graphs");
  return Status::ok();
}

std::string ContextBinaryWriter::build_metadata(const std::string& kernels) const {
  std::string metadata(sizeof(MetadataHeader), '\0');
  MetadataHeader header{};
  header.size = sizeof header;
  std::string text;
  std::vector<uint32_t> indices;
  std::vector<GraphRecord> graphs;
  for (const auto& [name, entry] : graphs_) {
    GraphRecord record{};
    record.name_begin = static_cast<uint32_t>(text.size());
    record.name_size = static_cast<uint32_t>(name.size());
    text += name;
    record.tensors_begin = static_cast<uint32_t>(indices.size());
    record.tensors_count = static_cast<uint32_t>(entry.tensors.size());
    indices.insert(indices.end(), entry.tensors.begin(), entry.tensors.end());
    record.blob = entry.blob;
    graphs.push_back(record);
  }
  header.kernels_begin = static_cast<uint32_t>(text.size());
  if (!fits_page(kernels)) text += kernels;
  std::vector<ContextTensorRecord> tensors;
  tensors.reserve(data_.size());
  for (const DataEntry& entry : data_) {
    tensors.push_back(record_of(entry));
  }
  header.tensors = append(metadata, tensors);
  header.indices = append(metadata, indices);
  header.text = append(metadata, std::vector<char>(text.begin(), text.end()));
  size_t number = 0;
  for (const auto& [name, entry] : graphs_) {
    metadata.resize(align_up(metadata.size(), 64));
    graphs[number].plan_offset = entry.plan_image.empty() ? 0 : metadata.size();
    graphs[number].plan_size = entry.plan_image.size();
    metadata.append(entry.plan_image.text());
    ++number;
  }
  header.graphs = append(metadata, graphs);
  std::memcpy(metadata.data(), &header, sizeof header);
  return metadata;
}

// A name that was cut off would name something else.
Status ContextBinaryWriter::check_texts() const {
  const ContextHeader limits{};
  if (options_.provider.size() >= sizeof limits.provider) {
    return invalid_argument("the provider's name '", options_.provider, "' is longer than ",
                            sizeof limits.provider - 1, " bytes");
  }
  for (const std::string_view target : target_names(options_.target)) {
    if (target.size() >= sizeof limits.target) {
      return invalid_argument("the target '", target, "' is longer than ", sizeof limits.target - 1,
                              " bytes");
    }
  }
  if (has_several_targets() && options_.target.size() >= sizeof(ContextTargets)) {
    return invalid_argument("the targets '", options_.target, "' take more than ",
                            sizeof(ContextTargets) - 1, " bytes");
  }
  return Status::ok();
}

Result<Hash128> ContextBinaryWriter::seal() {
  if (!sealed_) {
    std::string kernels;
    for (const std::string& kernel : kernels_)
      kernels += str_cat(kernels.empty() ? "" : ",", kernel);
    RETURN_IF_ERROR(check_texts());
    RETURN_IF_ERROR(check_counts(kernels));
    // Offsets have a fixed width, so the size does not depend on them.
    metadata_ = build_metadata(kernels);
    metadata_offset_ =
        spool_ == nullptr ? kContextPage : align_up(spool_->size(), uint64_t{kContextPage});
    place_data();
    metadata_ = build_metadata(kernels);
    build_header_page(kernels);
    sealed_ = true;
  }
  return Hasher().add(header_page_).finish();
}

void ContextBinaryWriter::build_header_page(const std::string& kernels) {
  header_page_.assign(kContextPage, '\0');
  ContextHeader header{};
  std::memcpy(header.mark, kContextMark.data(), sizeof header.mark);
  header.major = kContextMajor;
  header.minor = kContextMinor;
  header.header_size = sizeof header;
  header.required_features = required_features();
  copy_text(header.library_version, kLibraryVersion);
  copy_text(header.provider, options_.provider);
  copy_text(header.target, target_names(options_.target).front());
  if (has_several_targets()) {
    ContextTargets targets;
    copy_text(targets.names, options_.target);
    std::memcpy(header_page_.data() + sizeof header, &targets, sizeof targets);
    header.header_size += sizeof targets;
  }
  header.fingerprint = to_record(hash128(as_bytes(kernels)));
  header.metadata_hash = to_record(hash128(as_bytes(metadata_)));
  header.file_size = file_size_;
  header.metadata_offset = metadata_offset_;
  header.metadata_size = metadata_.size();
  header.graph_count = static_cast<uint32_t>(graphs_.size());
  header.tensor_count = static_cast<uint32_t>(data_.size());
  header.kernels_size = static_cast<uint32_t>(kernels.size());
  if (fits_page(kernels)) {
    header.kernels_offset = kKernelTextOffset;
    std::memcpy(header_page_.data() + kKernelTextOffset, kernels.data(), kernels.size());
  }
  std::memcpy(header_page_.data(), &header, sizeof header);
}

void ContextBinaryWriter::set_generation(const Hash128& generation) {
  ContextHeader header;
  std::memcpy(&header, header_page_.data(), sizeof header);
  header.generation = to_record(generation);
  header.header_hash = {};
  std::memcpy(header_page_.data(), &header, sizeof header);
  header.header_hash = to_record(hash128(as_bytes(header_page_)));
  std::memcpy(header_page_.data(), &header, sizeof header);
  if (embedded_ != nullptr) {
    std::memcpy(embedded_->mutable_data(), header_page_.data(), header_page_.size());
  }
}

Result<Blob> ContextBinaryWriter::cache_context() {
  if (!options_.embed) return Blob::from_string(options_.file_name);
  ASSIGN_OR_RETURN(const Hash128 unused, seal());
  (void)unused;
  if (embedded_ == nullptr) {
    ASSIGN_OR_RETURN(Tensor whole, assemble());
    embedded_ = std::make_shared<Tensor>(std::move(whole));
  }
  return Blob(embedded_->bytes(), embedded_);
}

Result<Tensor> ContextBinaryWriter::assemble() {
  ASSIGN_OR_RETURN(Tensor whole, Tensor::create(DType::kUint8, {static_cast<int64_t>(file_size_)}));
  const auto put = [&](uint64_t offset, Bytes piece) {
    auto* bytes = static_cast<std::byte*>(whole.mutable_data());
    if (!piece.empty()) std::memcpy(bytes + offset, piece.data(), piece.size());
  };
  put(0, as_bytes(header_page_));
  put(metadata_offset_, as_bytes(metadata_));
  for (DataEntry& entry : data_) {
    StoredTensor& stored = entry.stored;
    put(entry.offset, stored.bytes);
    stored.bytes = whole.bytes().subspan(entry.offset, stored.bytes.size());
    stored.owner = whole.owner();
    if (stored.bytes.size() >= kMuchMemory) give_back_freed_memory();
  }
  return whole;
}

Status ContextBinaryWriter::write_to(StagedFile& file) const {
  static constexpr std::byte kZeros[kContextPage] = {};
  const auto pad_to = [&](uint64_t offset) -> Status {
    while (file.size() < offset) {
      RETURN_IF_ERROR(
          file.write(Bytes(kZeros, std::min<uint64_t>(offset - file.size(), kContextPage))));
    }
    return Status::ok();
  };
  if (spool_ == nullptr) RETURN_IF_ERROR(file.write(as_bytes(header_page_)));
  RETURN_IF_ERROR(pad_to(metadata_offset_));
  RETURN_IF_ERROR(file.write(as_bytes(metadata_)));
  for (const bool large : {true, false}) {
    for (const DataEntry& entry : data_) {
      if (entry.is_spooled || is_large(entry.stored) != large) continue;
      RETURN_IF_ERROR(pad_to(entry.offset));
      RETURN_IF_ERROR(file.write(entry.stored.bytes));
    }
  }
  if (spool_ != nullptr) RETURN_IF_ERROR(file.write_at(0, as_bytes(header_page_)));
  return pad_to(file_size_);
}

Result<std::unique_ptr<StagedFile>> ContextBinaryWriter::finish_spool() {
  if (spool_ == nullptr || !sealed_) return fail("the context has no spool that could be finished");
  RETURN_IF_ERROR_WHILE(write_to(*spool_), "writing '", options_.file_name, "'");
  return std::move(spool_);
}

}  // namespace ortc
