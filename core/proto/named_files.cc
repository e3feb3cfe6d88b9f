// SPDX-License-Identifier: MIT
// Finding the names: see the header. One table says which fields of ONNX's messages lead to names.
// In a function `ep_cache_context` may stand for an attribute of its caller, whatever that is
// called: then every text of an attribute counts as a name.
#include "core/proto/named_files.h"

#include <limits.h>

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

class NameFinder {
 public:
  explicit NameFinder(Bytes model) : model_(model) {}

  // False at damage.
  bool walk(Message message, uint64_t begin, uint64_t end, int depth) {
    if (depth > kFieldDepthMax) return false;
    std::string_view key, value;
    std::string_view op_type, domain;
    bool is_reference = false;
    while (begin < end) {
      const auto field = read_field(model_, begin, end);
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
  // "" for what is too long for a path: an embedded context, say.
  std::string_view short_text(const WireField& field) const {
    if (field.payload_size() >= PATH_MAX) return {};
    return as_text(model_.subspan(field.payload_begin, field.payload_size()));
  }

  Bytes model_;
  std::set<std::string> names_, texts_;
  bool has_reference_ = false, has_contexts_ = false;
};

}  // namespace

std::set<std::string> files_named_by(Bytes model) {
  NameFinder finder(model);
  finder.walk(Message::kModel, 0, model.size(), 0);
  return finder.take();
}

bool has_context_nodes(Bytes model) {
  NameFinder finder(model);
  finder.walk(Message::kModel, 0, model.size(), 0);
  return finder.has_contexts();
}

}  // namespace ortc
