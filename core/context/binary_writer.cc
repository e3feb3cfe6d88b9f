// SPDX-License-Identifier: MIT
// Writing context binaries: see the header. Equal tensors (by hash, confirmed by comparing bytes)
// are stored once.
#include "core/context/binary_writer.h"

#include <cstring>

#include "core/base/hash.h"
#include "core/base/version.h"
#include "core/plan/plan.h"

namespace ortc {
namespace {

ContextHash to_record(const Hash128& hash) { return {hash.low, hash.high}; }

template <size_t N>
void copy_text(char (&to)[N], std::string_view text) {
  std::memset(to, 0, N);
  std::memcpy(to, text.data(), std::min(text.size(), N - 1));
}

template <typename T>
MetadataTable append(std::string& metadata, const std::vector<T>& records) {
  metadata.resize(align_up(metadata.size(), 8));
  const MetadataTable table{metadata.size(), static_cast<uint32_t>(records.size()), sizeof(T)};
  metadata.append(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(T));
  return table;
}

}  // namespace

uint32_t ContextBinaryWriter::add_data(Bytes bytes, std::shared_ptr<const void> owner) {
  const Hash128 hash = hash128(bytes);
  auto [begin, end] = by_hash_.equal_range(hash.low);
  for (auto it = begin; it != end; ++it) {
    const DataEntry& known = data_[it->second];
    const bool equal =
        known.hash == hash && known.bytes.size() == bytes.size() &&
        (bytes.empty() || std::memcmp(known.bytes.data(), bytes.data(), bytes.size()) == 0);
    if (equal) return it->second;
  }
  const auto number = static_cast<uint32_t>(data_.size());
  data_.push_back({bytes, std::move(owner), hash, 0});
  by_hash_.emplace(hash.low, number);
  return number;
}

Status ContextBinaryWriter::add_plan(const std::string& graph_name, const PlanImage& plan) {
  if (sealed_) return fail("a context that was written takes no more graphs");
  GraphEntry entry;
  entry.plan_image = plan.image;
  for (const Tensor& tensor : plan.tensors) {
    if (tensor.dtype() == DType::kString) {
      return not_implemented("string constants in a context binary (graph '", graph_name, "')");
    }
    entry.tensors.push_back(add_data(tensor.bytes(), tensor.owner()));
  }
  for (std::string& kernel : kernels_of_image(plan.image.bytes()))
    kernels_.insert(std::move(kernel));
  if (!graphs_.emplace(graph_name, std::move(entry)).second) {
    return invalid_graph("two graphs of one context have the name '", graph_name,
                         "'; give them prefixes (ep.context_node_name_prefix)");
  }
  return Status::ok();
}

Status ContextBinaryWriter::add_blob(const std::string& graph_name, Blob bytes) {
  if (sealed_) return fail("a context that was written takes no more graphs");
  GraphEntry entry;
  entry.blob = add_data(bytes.bytes(), bytes.owner());
  if (!graphs_.emplace(graph_name, std::move(entry)).second) {
    return invalid_graph("two graphs of one context have the name '", graph_name, "'");
  }
  return Status::ok();
}

void ContextBinaryWriter::place_data(uint64_t first_offset) {
  uint64_t offset = align_up(first_offset, kContextPage);
  for (const bool large : {true, false}) {
    for (DataEntry& entry : data_) {
      if ((entry.bytes.size() >= kLargeTensor) != large) continue;
      offset = align_up(offset, large ? kContextPage : kSmallAlignment);
      entry.offset = offset;
      offset += entry.bytes.size();
    }
  }
  file_size_ = align_up(offset, kSmallAlignment);
}

std::string ContextBinaryWriter::build_metadata(const std::string& kernels,
                                                uint32_t kernels_place) const {
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
    if (entry.blob != UINT32_MAX) {
      record.blob_offset = data_[entry.blob].offset;
      record.blob_size = data_[entry.blob].bytes.size();
    }
    graphs.push_back(record);
  }
  header.kernels_begin = static_cast<uint32_t>(text.size());
  if (kernels_place == 1) text += kernels;
  std::vector<ContextTensorRecord> tensors;
  for (const DataEntry& entry : data_) {
    tensors.push_back({entry.offset, entry.bytes.size(), to_record(entry.hash)});
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

Result<Hash128> ContextBinaryWriter::seal() {
  if (!sealed_) {
    std::string kernels;
    for (const std::string& kernel : kernels_)
      kernels += str_cat(kernels.empty() ? "" : ",", kernel);
    const uint32_t place = kernels.size() <= kContextPage - kKernelTextOffset ? 0 : 1;
    // Offsets have a fixed width, so the size does not depend on them.
    metadata_ = build_metadata(kernels, place);
    place_data(kContextPage + metadata_.size());
    metadata_ = build_metadata(kernels, place);
    build_header_page(kernels, place);
    sealed_ = true;
  }
  return Hasher().add(header_page_).finish();
}

void ContextBinaryWriter::build_header_page(const std::string& kernels, uint32_t kernels_place) {
  header_page_.assign(kContextPage, '\0');
  ContextHeader header{};
  std::memcpy(header.magic, kContextMagic, sizeof header.magic);
  header.major = kContextMajor;
  header.minor = kContextMinor;
  header.header_size = sizeof header;
  copy_text(header.library_version, kLibraryVersion);
  copy_text(header.target, options_.target);
  header.fingerprint = to_record(hash128(as_bytes(kernels)));
  header.metadata_hash = to_record(hash128(as_bytes(metadata_)));
  header.file_size = file_size_;
  header.metadata_offset = kContextPage;
  header.metadata_size = metadata_.size();
  header.graph_count = static_cast<uint32_t>(graphs_.size());
  header.tensor_count = static_cast<uint32_t>(data_.size());
  header.kernels_size = static_cast<uint32_t>(kernels.size());
  header.kernels_place = kernels_place;
  if (kernels_place == 0)
    std::memcpy(header_page_.data() + kKernelTextOffset, kernels.data(), kernels.size());
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

Status ContextBinaryWriter::write_pieces(
    const std::function<Status(uint64_t, Bytes)>& write) const {
  RETURN_IF_ERROR(write(0, as_bytes(header_page_)));
  RETURN_IF_ERROR(write(kContextPage, as_bytes(metadata_)));
  for (const bool large : {true, false}) {
    for (const DataEntry& entry : data_) {
      if ((entry.bytes.size() >= kLargeTensor) != large) continue;
      RETURN_IF_ERROR(write(entry.offset, entry.bytes));
    }
  }
  return Status::ok();
}

Result<Blob> ContextBinaryWriter::cache_context() {
  ASSIGN_OR_RETURN(const Hash128 unused, seal());
  (void)unused;
  if (!options_.embed) return Blob::from_string(options_.file_name);
  if (embedded_ == nullptr) {
    ASSIGN_OR_RETURN(Tensor whole,
                     Tensor::create(DType::kUint8, {static_cast<int64_t>(file_size_)}));
    auto* bytes = static_cast<std::byte*>(whole.mutable_data());
    RETURN_IF_ERROR(write_pieces([&](uint64_t offset, Bytes piece) {
      if (!piece.empty()) std::memcpy(bytes + offset, piece.data(), piece.size());
      return Status::ok();
    }));
    embedded_ = std::make_shared<Tensor>(std::move(whole));
  }
  return Blob(embedded_->bytes(), embedded_);
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
  RETURN_IF_ERROR(write_pieces([&](uint64_t offset, Bytes piece) -> Status {
    RETURN_IF_ERROR(pad_to(offset));
    return file.write(piece);
  }));
  return pad_to(file_size_);
}

}  // namespace ortc
