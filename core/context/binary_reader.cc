// SPDX-License-Identifier: MIT
// Reading context binaries: see the header. Nothing of the file is trusted before it was checked
// here.
#include "core/context/binary_reader.h"

#include <chrono>
#include <cstring>

#include "core/base/checked_math.h"
#include "core/context/tensor_codec.h"
#include "core/platform/parallel_work.h"

namespace ortc {

Result<std::shared_ptr<const ContextBinary>> ContextBinary::open(Blob bytes, std::string where) {
  std::shared_ptr<ContextBinary> binary(new ContextBinary());
  binary->where_ = std::move(where);
  auto header = read_context_header(bytes.bytes());
  if (!header.is_ok()) {
    Status status = header.status();
    return std::move(status.note(binary->where_));
  }
  binary->header_ = std::move(header).value();
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kSmallAlignment != 0) {
    ASSIGN_OR_RETURN(Tensor copy,
                     Tensor::create(DType::kUint8, {static_cast<int64_t>(bytes.size())}));
    std::memcpy(copy.mutable_data(), bytes.data(), bytes.size());
    bytes = Blob(copy.bytes(), copy.owner());
  }
  binary->bytes_ = std::move(bytes);
  RETURN_IF_ERROR_WHILE(binary->read_metadata(), binary->where_);
  return std::shared_ptr<const ContextBinary>(std::move(binary));
}

Status ContextBinary::read_metadata() {
  if (header_.file_size != bytes_.size()) {
    return invalid_graph("context binary: expected ", header_.file_size, " bytes, found ",
                         bytes_.size());
  }
  const uint64_t offset = header_.metadata_offset, size = header_.metadata_size;
  if (!range_within(offset, size, bytes_.size()) || offset % kSmallAlignment != 0 ||
      size < sizeof(MetadataHeader)) {
    return invalid_graph("context binary: its metadata lie outside the file");
  }
  // Another process may write to the file after this; what was checked must not change.
  metadata_copy_ = Blob::copy_of(bytes_.bytes().subspan(offset, size));
  metadata_ = metadata_copy_.bytes();
  if (const Hash128 actual = hash128(metadata_); actual != header_.metadata_hash) {
    return invalid_graph("context binary: its metadata are damaged (checksum ", actual.hex(),
                         ", expected ", header_.metadata_hash.hex(), ")");
  }
  tables_ = load_unaligned<MetadataHeader>(metadata_.data());
  RETURN_IF_ERROR(check_tables());
  if (header_.graph_count != tables_.graphs.count ||
      header_.tensor_count != tables_.tensors.count) {
    return invalid_graph("context binary: its header counts ", header_.graph_count, " graphs and ",
                         header_.tensor_count, " tensors, its metadata have ", tables_.graphs.count,
                         " and ", tables_.tensors.count);
  }
  RETURN_IF_ERROR(check_kernels());
  RETURN_IF_ERROR(check_tensors());
  return check_graphs();
}

Status ContextBinary::check_tables() const {
  if (tables_.size < sizeof(MetadataHeader) || tables_.size > metadata_.size()) {
    return invalid_graph("context binary: the head of its metadata has ", tables_.size,
                         " bytes, expected at least ", sizeof(MetadataHeader));
  }
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
    const bool packed = e.size <= 4;  // numbers and letters do not grow
    if (e.table.stride < e.size || (packed && e.table.stride != e.size) ||
        e.table.offset % 8 != 0 || !range_within(e.table.offset, bytes, metadata_.size())) {
      return invalid_graph("context binary: the ", e.what, " table does not fit into its metadata");
    }
  }
  return Status::ok();
}

Status ContextBinary::check_kernels() {
  kernels_ = header_.kernels;
  if (const auto size = header_.kernels_size_elsewhere) {
    if (!range_within(tables_.kernels_begin, *size, tables_.text.count)) {
      return invalid_graph("context binary: its list of kernels lies outside the metadata");
    }
    kernels_ = as_text(metadata_.subspan(tables_.text.offset + tables_.kernels_begin, *size));
  }
  if (hash128(as_bytes(kernels_)) == header_.fingerprint) return Status::ok();
  return invalid_graph("context binary: its fingerprint is not that of its list of kernels");
}

Status ContextBinary::check_tensors() const {
  uint64_t compressed_left = bytes_.size();
  for (uint32_t i = 0; i < tables_.tensors.count; ++i) {
    const ContextTensorRecord tensor = tensor_record(i);
    RETURN_IF_ERROR_WHILE(check_tensor_record(tensor, header_.required_features, header_.file_size),
                          "context binary: tensor ", i);
    if (tensor.codec == static_cast<uint32_t>(TensorCodec::kPlain)) continue;
    if (tensor.stored_size > compressed_left) {
      return invalid_graph("context binary: tensor ", i, ": compressed tensors share their bytes");
    }
    compressed_left -= tensor.stored_size;
  }
  for (uint32_t i = 0; i < tables_.indices.count; ++i) {
    if (indices()[i] < tables_.tensors.count) continue;
    return invalid_graph("context binary: a graph refers to tensor ", indices()[i], " of ",
                         tables_.tensors.count);
  }
  return Status::ok();
}

Status ContextBinary::check_graphs() const {
  std::string_view previous;
  for (uint32_t i = 0; i < tables_.graphs.count; ++i) {
    const GraphRecord graph = graph_record(i);
    RETURN_IF_ERROR_WHILE(check_graph(graph), "context binary: graph ", i);
    const std::string_view name = name_of(graph);
    if (i != 0 && name <= previous) {
      return invalid_graph("context binary: graph ", i, ": '", name, "' comes after '", previous,
                           "'; graphs are sorted by name");
    }
    previous = name;
  }
  return Status::ok();
}

Status ContextBinary::check_graph(const GraphRecord& graph) const {
  if (!range_within(graph.name_begin, graph.name_size, tables_.text.count)) {
    return invalid_graph("its name lies outside the text");
  }
  if (!range_within(graph.tensors_begin, graph.tensors_count, tables_.indices.count)) {
    return invalid_graph("its tensors lie outside the indices");
  }
  if (!range_within(graph.plan_offset, graph.plan_size, metadata_.size()) ||
      graph.plan_offset % 64 != 0) {
    return invalid_graph("its plan lies outside the metadata or is misaligned");
  }
  if (graph.blob != kNoTensor && graph.blob >= tables_.tensors.count) {
    return invalid_graph("it refers to tensor ", graph.blob, " of ", tables_.tensors.count);
  }
  return Status::ok();
}

std::string_view ContextBinary::name_of(const GraphRecord& graph) const {
  return as_text(metadata_.subspan(tables_.text.offset + graph.name_begin, graph.name_size));
}

Bytes ContextBinary::data() const {
  const Bytes all = bytes_.bytes();
  const Bytes before = all.first(header_.metadata_offset);
  const Bytes behind = all.subspan(header_.metadata_offset + header_.metadata_size);
  return before.size() > behind.size() ? before : behind;
}

std::vector<std::string> ContextBinary::graph_names() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < tables_.graphs.count; ++i) names.emplace_back(name_of(graph_record(i)));
  return names;
}

Result<GraphRecord> ContextBinary::find_graph(std::string_view name) const {
  uint32_t begin = 0, end = tables_.graphs.count;
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    if (name_of(graph_record(middle)) < name) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin == tables_.graphs.count || name_of(graph_record(begin)) != name) {
    return no_such_graph(name);
  }
  return graph_record(begin);
}

std::vector<uint32_t> ContextBinary::tensor_numbers(const GraphRecord& record) const {
  std::vector<uint32_t> numbers(indices() + record.tensors_begin,
                                indices() + record.tensors_begin + record.tensors_count);
  if (record.blob != kNoTensor) numbers.push_back(record.blob);
  return numbers;
}

Result<std::vector<uint32_t>> ContextBinary::graph_tensors(std::string_view name) const {
  ASSIGN_OR_RETURN(const GraphRecord found, find_graph(name));
  return tensor_numbers(found);
}

Result<ContextView::Graph> ContextBinary::graph(std::string_view name,
                                                FrameDecoding& decoding) const {
  ASSIGN_OR_RETURN(const GraphRecord found, find_graph(name));
  ContextView::Graph graph;
  graph.plan_image =
      Blob(metadata_.subspan(found.plan_offset, found.plan_size), metadata_copy_.owner());
  ASSIGN_OR_RETURN(graph.tensors, tensors(tensor_numbers(found), decoding));
  if (found.blob != kNoTensor) {
    graph.blob = std::move(graph.tensors.back());
    graph.tensors.pop_back();
  }
  return graph;
}

Status ContextBinary::no_such_graph(std::string_view name) const {
  std::string names;
  for (const std::string& known : graph_names())
    names += str_cat(names.empty() ? "'" : ", '", known, "'");
  return invalid_graph(where_, ": it has no graph '", name, "', only ",
                       names.empty() ? "none" : names);
}

Result<std::vector<Blob>> ContextBinary::tensors(std::span<const uint32_t> numbers,
                                                 FrameDecoding& decoding) const {
  std::map<uint32_t, Blob> frames;  // what this call holds
  std::vector<uint32_t> fresh;
  for (std::unique_lock lock(mutex_); const uint32_t number : numbers) {
    if (is_plain(tensor_record(number)) || frames.contains(number)) continue;
    const Decoded& known = decoded_[number];
    auto owner = known.owner.lock();
    if (owner == nullptr) fresh.push_back(number);
    frames[number] = owner != nullptr ? Blob(known.bytes, std::move(owner)) : Blob();
  }
  RETURN_IF_ERROR(decode(fresh, decoding, frames));
  std::vector<Blob> tensors;
  tensors.reserve(numbers.size());
  for (const uint32_t number : numbers) {
    const ContextTensorRecord record = tensor_record(number);
    tensors.push_back(is_plain(record) ? Blob(stored_bytes_of(record), bytes_.owner())
                                       : frames.at(number));
  }
  return tensors;
}

Status ContextBinary::decode(std::span<const uint32_t> numbers, FrameDecoding& decoding,
                             std::map<uint32_t, Blob>& out) const {
  std::vector<uint64_t> units;
  for (const uint32_t number : numbers) {
    const ContextTensorRecord record = tensor_record(number);
    Status status = check_tensor_frame(record, stored_bytes_of(record));
    if (!status.is_ok()) return in_tensor(number, std::move(status));
    units.push_back(record.size);
    decoding.work.expect(record.size);
  }
  // Threads find what they write to before they begin: the map is not theirs.
  std::vector<Blob*> places;
  for (const uint32_t number : numbers) places.push_back(&out[number]);
  return run_pieces(decoding.pool, decoding.work, units, [&](size_t i) -> Status {
    ASSIGN_OR_RETURN(*places[i], frame(numbers[i], decoding.work));
    return Status::ok();
  });
}

// Decoded by whoever comes first: of several sessions that load at once, each takes the frames that
// no other is at, and waits for those that one is inside of.
Result<Blob> ContextBinary::frame(uint32_t number, const Work& work) const {
  std::unique_lock lock(mutex_);
  Decoded& known = decoded_[number];
  for (;;) {
    if (auto owner = known.owner.lock()) return Blob(known.bytes, std::move(owner));
    if (!known.is_under_way) break;
    frame_ended_.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();
    RETURN_IF_ERROR(work.go_on());
    lock.lock();
  }
  known.is_under_way = true;
  lock.unlock();
  const EndOfFrame end{*this, known};
  const ContextTensorRecord record = tensor_record(number);
  auto decoded = decode_tensor_frame(record, stored_bytes_of(record));
  if (!decoded.is_ok()) return in_tensor(number, decoded.status());
  lock.lock();
  known.bytes = decoded->bytes();
  known.owner = decoded->owner();
  lock.unlock();
  return decoded;
}

ContextBinary::EndOfFrame::~EndOfFrame() {
  const std::lock_guard lock(binary.mutex_);
  frame.is_under_way = false;
  binary.frame_ended_.notify_all();
}

Status ContextBinary::in_tensor(uint32_t number, Status status) const {
  return std::move(status.note(
      str_cat(where_, ": tensor ", number, " at offset ", tensor_record(number).offset)));
}

Status ContextBinary::verify_data() const {
  FrameDecoding alone;
  for (uint32_t i = 0; i < tables_.tensors.count; ++i) {
    const ContextTensorRecord record = tensor_record(i);
    // Decoding a frame compares its hash.
    ASSIGN_OR_RETURN(const std::vector<Blob> bytes, tensors({&i, 1}, alone));
    if (!is_plain(record)) continue;
    const Hash128 actual = hash128(bytes[0].bytes());
    if (actual != from_record(record.hash)) {
      return invalid_graph(where_, ": tensor ", i, " at offset ", record.offset,
                           " is damaged (checksum ", actual.hex(), ", expected ",
                           from_record(record.hash).hex(), ")");
    }
  }
  return Status::ok();
}

ContextBinary::TensorFacts ContextBinary::tensor_facts(uint32_t i) const {
  const ContextTensorRecord record = tensor_record(i);
  return {!is_plain(record),
          record.size,
          record.stored_size,
          record.offset,
          {record.hash.low, record.hash.high}};
}

uint64_t ContextBinary::frame_bytes() const {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < tables_.tensors.count; ++i) {
    const ContextTensorRecord record = tensor_record(i);
    if (!is_plain(record)) bytes += record.size;
  }
  return bytes;
}

uint64_t ContextBinary::data_bytes() const {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < tables_.tensors.count; ++i) bytes += tensor_record(i).size;
  return bytes;
}

uint64_t ContextBinary::stored_bytes() const {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < tables_.tensors.count; ++i) bytes += tensor_record(i).stored_size;
  return bytes;
}

}  // namespace ortc
