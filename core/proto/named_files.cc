// SPDX-License-Identifier: MIT
// Finding the names: see the header. One table says which fields of ONNX's messages lead to names.
// In a function `ep_cache_context` may stand for an attribute of its caller, whatever that is
// called: then every text of an attribute counts as a name.
#include "core/proto/named_files.h"

#include <limits.h>

#include <algorithm>
#include <vector>

#include "core/platform/held_file.h"
#include "core/proto/wire.h"

namespace ortc {
namespace {

constexpr int kFieldDepthMax = 64;  // as the scanner of models has it

enum class Message {
  kModel,
  kTraining,
  kGraph,
  kFunction,
  kNode,
  kAttribute,
  kSparse,
  kTensor,
  kEntry
};

struct Descent {
  Message message;
  uint32_t field;
  Message inner;
};
constexpr Descent kDescents[] = {
    {Message::kModel, 7, Message::kGraph},          // graph
    {Message::kModel, 20, Message::kTraining},      // training_info
    {Message::kModel, 25, Message::kFunction},      // functions
    {Message::kTraining, 1, Message::kGraph},       // initialization
    {Message::kTraining, 2, Message::kGraph},       // algorithm
    {Message::kGraph, 1, Message::kNode},           // node
    {Message::kGraph, 5, Message::kTensor},         // initializer
    {Message::kGraph, 15, Message::kSparse},        // sparse_initializer
    {Message::kFunction, 7, Message::kNode},        // node
    {Message::kFunction, 11, Message::kAttribute},  // attribute_proto
    {Message::kNode, 5, Message::kAttribute},       // attribute
    {Message::kAttribute, 5, Message::kTensor},     // t
    {Message::kAttribute, 6, Message::kGraph},      // g
    {Message::kAttribute, 10, Message::kTensor},    // tensors
    {Message::kAttribute, 11, Message::kGraph},     // graphs
    {Message::kAttribute, 22, Message::kSparse},    // sparse_tensor
    {Message::kAttribute, 23, Message::kSparse},    // sparse_tensors
    {Message::kSparse, 1, Message::kTensor},        // values
    {Message::kSparse, 2, Message::kTensor},        // indices
    {Message::kTensor, 13, Message::kEntry},        // external_data
};

const Descent* descent_of(Message message, uint32_t field) {
  for (const Descent& descent : kDescents) {
    if (descent.message == message && descent.field == field) return &descent;
  }
  return nullptr;
}

// A tag and a length.
constexpr uint64_t kHeadMax = 20;

// A model's bytes, a few at a time.
class ModelBytes {
 public:
  virtual ~ModelBytes() = default;
  virtual uint64_t size() const = 0;
  // Those from `offset` on, `count` of them where the model has so many; fewer, or none, when they
  // cannot be read. They stay until the next call.
  virtual Bytes at(uint64_t offset, uint64_t count) = 0;
};

class BytesInMemory final : public ModelBytes {
 public:
  explicit BytesInMemory(Bytes bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  Bytes at(uint64_t offset, uint64_t count) override {
    return bytes_.subspan(offset, std::min(count, size() - offset));
  }

 private:
  Bytes bytes_;
};

// Reads ahead as long as one field follows the other, and little behind what is stepped over.
class BytesOfFile final : public ModelBytes {
 public:
  explicit BytesOfFile(const HeldFile& file) : file_(file) {}
  uint64_t size() const override { return file_.identity().size; }
  Bytes at(uint64_t offset, uint64_t count) override {
    count = std::min(count, size() - offset);
    if (offset < begin_ || offset + count > begin_ + filled_) load(offset, count);
    const uint64_t found = offset < begin_ + filled_ ? begin_ + filled_ - offset : 0;
    return Bytes(buffer_).subspan(offset - begin_, std::min(count, found));
  }

 private:
  static constexpr uint64_t kLeast = uint64_t{4} << 10, kMost = uint64_t{64} << 10;

  void load(uint64_t offset, uint64_t count) {
    const bool goes_on = offset >= begin_ && offset <= begin_ + filled_ + window_;
    window_ = goes_on ? std::min(window_ * 2, kMost) : kLeast;
    buffer_.resize(std::max(window_, count));
    begin_ = offset;
    filled_ = file_.read(offset, buffer_);
  }

  const HeldFile& file_;
  std::vector<std::byte> buffer_;
  uint64_t begin_ = 0, filled_ = 0, window_ = kLeast / 2;
};

class NameFinder {
 public:
  explicit NameFinder(ModelBytes& model) : model_(model) {}

  // False at damage.
  bool walk(Message message, uint64_t begin, uint64_t end, int depth) {
    if (depth > kFieldDepthMax) return false;
    std::string key, value, op_type, domain;
    bool is_reference = false;
    while (begin < end) {
      const auto field = next_field(begin, end);
      if (!field.is_ok()) return false;
      if (field->type != WireType::kBytes) continue;
      if (const Descent* descent = descent_of(message, field->number)) {
        if (!walk(descent->inner, field->payload_begin, field->payload_end, depth + 1))
          return false;
      } else if (is_key(message, field->number)) {
        key = short_text(*field);
      } else if (is_value(message, field->number)) {
        value = short_text(*field);
      } else if (message == Message::kAttribute && field->number == 21) {  // ref_attr_name
        is_reference = true;
      } else if (message == Message::kNode && field->number == 4) {
        op_type = short_text(*field);
      } else if (message == Message::kNode && field->number == 7) {
        domain = short_text(*field);
      }
    }
    has_contexts_ = has_contexts_ || (op_type == "EPContext" && domain == "com.microsoft");
    const bool is_name = message == Message::kEntry ? key == "location" : key == "ep_cache_context";
    if (is_name && is_reference) has_reference_ = true;
    if (is_name && !value.empty()) names_.emplace(value);
    if (message == Message::kAttribute && !value.empty()) texts_.emplace(value);
    return true;
  }
  bool has_contexts() const { return has_contexts_; }
  std::set<std::string> take() {
    if (has_reference_) names_.merge(texts_);
    return std::move(names_);
  }

 private:
  // An entry's key and value; an attribute's name and `s`.
  static bool is_key(Message message, uint32_t field) {
    return field == 1 && (message == Message::kEntry || message == Message::kAttribute);
  }
  static bool is_value(Message message, uint32_t field) {
    return (field == 2 && message == Message::kEntry) ||
           (field == 4 && message == Message::kAttribute);
  }
  // As read_field(), of which the tag and the length are all that is read.
  Result<WireField> next_field(uint64_t& position, uint64_t end) {
    const uint64_t begin = position;
    const Bytes head = model_.at(begin, std::min(end - begin, kHeadMax));
    ASSIGN_OR_RETURN(WireField field, read_field_head(head, end - begin));
    field.payload_begin += begin;
    field.payload_end += begin;
    position = field.payload_end;
    return field;
  }
  // "" for what is too long for a path: an embedded context, say.
  std::string short_text(const WireField& field) {
    if (field.payload_size() >= PATH_MAX) return {};
    return std::string(as_text(model_.at(field.payload_begin, field.payload_size())));
  }

  ModelBytes& model_;
  std::set<std::string> names_, texts_;
  bool has_reference_ = false, has_contexts_ = false;
};

}  // namespace

static std::set<std::string> names_in(ModelBytes& model) {
  NameFinder finder(model);
  finder.walk(Message::kModel, 0, model.size(), 0);
  return finder.take();
}

std::set<std::string> files_named_by(Bytes model) {
  BytesInMemory bytes(model);
  return names_in(bytes);
}

std::set<std::string> files_named_by(const HeldFile& model) {
  BytesOfFile bytes(model);
  return names_in(bytes);
}

bool has_context_nodes(Bytes model) {
  BytesInMemory bytes(model);
  NameFinder finder(bytes);
  finder.walk(Message::kModel, 0, model.size(), 0);
  return finder.has_contexts();
}

}  // namespace ortc
