// SPDX-License-Identifier: MIT
// Reading context binaries: see the header. Nothing of the file is trusted before it was checked
// here.
#include "core/context/binary_reader.h"

#include <algorithm>
#include <cstring>

#include "core/base/version.h"

namespace ortc {
namespace {

Hash128 from_record(const ContextHash& hash) { return {hash.low, hash.high}; }

template <size_t N>
std::string text_of(const char (&field)[N]) {
  return std::string(field, std::find(field, field + N, '\0'));
}

}  // namespace

Result<ContextHeaderInfo> read_context_header(Bytes page) {
  if (page.size() < kContextPage) {
    return invalid_graph("context binary: expected at least ", kContextPage, " bytes, found ",
                         page.size());
  }
  const auto header = load_unaligned<ContextHeader>(page.data());
  if (std::memcmp(header.magic, kContextMagic, sizeof header.magic) != 0) {
    return invalid_graph("context binary: it does not begin with the mark of an ortc context");
  }
  ContextHeaderInfo info;
  info.major = header.major;
  info.minor = header.minor;
  info.library_version = text_of(header.library_version);
  if (header.major != kContextMajor) {
    return invalid_graph("context binary: format ", header.major, ".", header.minor,
                         " written by ortc ", info.library_version, "; ortc ", kLibraryVersion,
                         " reads format ", kContextMajor, ".x");
  }
  std::string zeroed(as_text(page.first(kContextPage)));
  std::memset(zeroed.data() + offsetof(ContextHeader, header_hash), 0, sizeof(ContextHash));
  const Hash128 actual = hash128(as_bytes(zeroed));
  if (actual != from_record(header.header_hash)) {
    return invalid_graph("context binary: its first page is damaged (checksum ", actual.hex(),
                         ", expected ", from_record(header.header_hash).hex(), ")");
  }
  if (header.header_size < sizeof header || header.kernels_place > 1 ||
      (header.kernels_place == 0 && header.kernels_size > kContextPage - kKernelTextOffset)) {
    return invalid_graph("context binary: its first page contradicts itself");
  }
  info.target = text_of(header.target);
  info.fingerprint = from_record(header.fingerprint);
  info.generation = from_record(header.generation);
  info.file_size = header.file_size;
  info.metadata_size = header.metadata_size;
  info.graph_count = header.graph_count;
  info.tensor_count = header.tensor_count;
  if (header.kernels_place == 0) {
    info.kernels = std::string(as_text(page.subspan(kKernelTextOffset, header.kernels_size)));
  }
  return info;
}

Result<std::shared_ptr<const ContextBinary>> ContextBinary::open(Blob bytes, std::string where) {
  std::shared_ptr<ContextBinary> binary(new ContextBinary());
  binary->where_ = std::move(where);
  auto header = read_context_header(bytes.bytes());
  if (!header.is_ok()) {
    Status status = header.status();
    return std::move(status.note(binary->where_));
  }
  binary->header_ = std::move(header).value();
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 64 != 0) {
    ASSIGN_OR_RETURN(Tensor copy,
                     Tensor::create(DType::kUint8, {static_cast<int64_t>(bytes.size())}));
    std::memcpy(copy.mutable_data(), bytes.data(), bytes.size());
    bytes = Blob(copy.bytes(), copy.owner());
  }
  binary->bytes_ = std::move(bytes);
  RETURN_IF_ERROR_WHILE(binary->check_metadata(), binary->where_);
  return std::shared_ptr<const ContextBinary>(std::move(binary));
}

Status ContextBinary::check_metadata() {
  const auto raw = load_unaligned<ContextHeader>(bytes_.data());
  if (raw.file_size != bytes_.size()) {
    return invalid_graph("context binary: expected ", raw.file_size, " bytes, found ",
                         bytes_.size());
  }
  if (!range_within(raw.metadata_offset, raw.metadata_size, bytes_.size()) ||
      raw.metadata_offset % 64 != 0 || raw.metadata_size < sizeof(MetadataHeader)) {
    return invalid_graph("context binary: its metadata lie outside the file");
  }
  metadata_ = bytes_.bytes().subspan(raw.metadata_offset, raw.metadata_size);
  if (hash128(metadata_) != from_record(raw.metadata_hash)) {
    return invalid_graph("context binary: its metadata are damaged (checksum ",
                         hash128(metadata_).hex(), ", expected ",
                         from_record(raw.metadata_hash).hex(), ")");
  }
  tables_ = load_unaligned<MetadataHeader>(metadata_.data());
  struct Expected {
    const MetadataTable& table;
    uint32_t size;
    const char* what;
  };
  for (const Expected& e :
       {Expected{tables_.graphs, sizeof(GraphRecord), "graph"},
        Expected{tables_.tensors, sizeof(ContextTensorRecord), "tensor"},
        Expected{tables_.indices, 4, "index"}, Expected{tables_.text, 1, "text"}}) {
    const uint64_t bytes = uint64_t{e.table.count} * e.table.stride;
    const bool packed = e.size <= 4;
    if (e.table.stride < e.size || (packed && e.table.stride != e.size) ||
        e.table.offset % 8 != 0 || (!packed && e.table.stride % 8 != 0) ||
        !range_within(e.table.offset, bytes, metadata_.size())) {
      return invalid_graph("context binary: the ", e.what, " table does not fit into its metadata");
    }
  }
  if (raw.graph_count != tables_.graphs.count || raw.tensor_count != tables_.tensors.count) {
    return invalid_graph("context binary: its header counts ", raw.graph_count, " graphs and ",
                         raw.tensor_count, " tensors, its metadata have ", tables_.graphs.count,
                         " and ", tables_.tensors.count);
  }
  kernels_ = header_.kernels;
  if (raw.kernels_place == 1) {
    if (!range_within(tables_.kernels_begin, raw.kernels_size, tables_.text.count)) {
      return invalid_graph("context binary: its list of kernels lies outside the metadata");
    }
    kernels_ =
        as_text(metadata_.subspan(tables_.text.offset + tables_.kernels_begin, raw.kernels_size));
  }
  for (uint32_t i = 0; i < tables_.tensors.count; ++i) {
    const auto& tensor = record<ContextTensorRecord>(tables_.tensors, i);
    if (!range_within(tensor.offset, tensor.size, bytes_.size()) ||
        tensor.offset % kSmallAlignment != 0) {
      return invalid_graph("context binary: tensor ", i, " lies outside the file or is misaligned");
    }
  }
  for (uint32_t i = 0; i < tables_.graphs.count; ++i) {
    RETURN_IF_ERROR_WHILE(check_graph(record<GraphRecord>(tables_.graphs, i)), "graph ", i);
  }
  return Status::ok();
}

Status ContextBinary::check_graph(const GraphRecord& graph) const {
  if (!range_within(graph.name_begin, graph.name_size, tables_.text.count) ||
      !range_within(graph.tensors_begin, graph.tensors_count, tables_.indices.count) ||
      !range_within(graph.plan_offset, graph.plan_size, metadata_.size()) ||
      graph.plan_offset % 8 != 0 ||
      !range_within(graph.blob_offset, graph.blob_size, bytes_.size())) {
    return invalid_graph("context binary: its record is damaged");
  }
  const auto* numbers =
      reinterpret_cast<const uint32_t*>(metadata_.data() + tables_.indices.offset);
  for (uint32_t i = 0; i < graph.tensors_count; ++i) {
    if (numbers[graph.tensors_begin + i] >= tables_.tensors.count) {
      return invalid_graph("context binary: it refers to tensor ", numbers[graph.tensors_begin + i],
                           " of ", tables_.tensors.count);
    }
  }
  return Status::ok();
}

std::string_view ContextBinary::name_of(const GraphRecord& graph) const {
  return as_text(metadata_.subspan(tables_.text.offset + graph.name_begin, graph.name_size));
}

std::vector<std::string> ContextBinary::graph_names() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < tables_.graphs.count; ++i) {
    names.emplace_back(name_of(record<GraphRecord>(tables_.graphs, i)));
  }
  return names;
}

Result<ContextView::Graph> ContextBinary::graph(std::string_view name) const {
  for (uint32_t i = 0; i < tables_.graphs.count; ++i) {
    const auto& found = record<GraphRecord>(tables_.graphs, i);
    if (name_of(found) != name) continue;
    Graph graph;
    graph.plan_image = Blob(metadata_.subspan(found.plan_offset, found.plan_size), bytes_.owner());
    graph.blob = Blob(bytes_.bytes().subspan(found.blob_offset, found.blob_size), bytes_.owner());
    const auto* numbers =
        reinterpret_cast<const uint32_t*>(metadata_.data() + tables_.indices.offset);
    for (uint32_t k = 0; k < found.tensors_count; ++k) {
      const auto& tensor =
          record<ContextTensorRecord>(tables_.tensors, numbers[found.tensors_begin + k]);
      graph.tensors.emplace_back(bytes_.bytes().subspan(tensor.offset, tensor.size),
                                 bytes_.owner());
    }
    return graph;
  }
  std::string names;
  for (const std::string& known : graph_names())
    names += str_cat(names.empty() ? "'" : ", '", known, "'");
  return invalid_graph(where_, ": it has no graph '", name, "', only ",
                       names.empty() ? "none" : names);
}

Status ContextBinary::verify_data() const {
  for (uint32_t i = 0; i < tables_.tensors.count; ++i) {
    const auto& tensor = record<ContextTensorRecord>(tables_.tensors, i);
    const Hash128 actual = hash128(bytes_.bytes().subspan(tensor.offset, tensor.size));
    if (actual != from_record(tensor.hash)) {
      return invalid_graph(where_, ": tensor ", i, " at offset ", tensor.offset,
                           " is damaged (checksum ", actual.hex(), ", expected ",
                           from_record(tensor.hash).hex(), ")");
    }
  }
  return Status::ok();
}

uint64_t ContextBinary::data_bytes() const {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < tables_.tensors.count; ++i) {
    bytes += record<ContextTensorRecord>(tables_.tensors, i).size;
  }
  return bytes;
}

}  // namespace ortc
