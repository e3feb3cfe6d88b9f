// SPDX-License-Identifier: MIT
// The wire scanner: what it refuses, what it keeps, and that nothing can forge a reference.
#include "core/proto/skeleton.h"
#include "core/proto/wire.h"
#include "tests/core/graph/wire_model.h"

using namespace ortc;
using namespace ortc::wire;

namespace {

Status scan(const std::string& bytes, const ScanLimits& limits = {}) {
  return scan_model(as_bytes(bytes), limits).status();
}

// A model whose graph holds an attribute with a graph, `depth` times.
std::string nested(int depth) {
  std::string inner = graph({}, {}, {});
  for (int i = 0; i < depth; ++i) {
    inner = graph({node("If", {}, {}, {graph_attribute("then_branch", inner)})}, {}, {});
  }
  return model(inner);
}

}  // namespace

TEST(wire_scanner, takes_a_small_model) { CHECK_OK(scan(small_model())); }

TEST(wire_scanner, refuses_nesting_beyond_64) {
  CHECK_OK(scan(nested(20)));
  auto status = scan(nested(21));
  CHECK_CODE(status, Code::kInvalidProtobuf);
  CHECK(says(status, "nested deeper than 64"));
  CHECK_CODE(scan(nested(1000)), Code::kInvalidProtobuf);
}

TEST(wire_scanner, refuses_nested_types_beyond_64) {
  std::string type = tensor_type(1, {1});
  for (int i = 0; i < 1000; ++i) type = field(4, field(1, type));
  const std::string info = field(1, "x") + field(2, type);
  CHECK_CODE(scan(model(graph({}, {info}, {}))), Code::kInvalidProtobuf);
}

TEST(wire_scanner, refuses_two_byte_messages_by_the_million) {
  std::string nodes;
  for (int i = 0; i < 2'000'000; ++i) nodes += std::string("\x0a\x00", 2);
  auto status = scan(model(graph({}, {}, {}, {}, nodes)));
  CHECK_CODE(status, Code::kInvalidProtobuf);
  CHECK(says(status, "bytes of memory"));
  ScanLimits limits;
  limits.message_count_max = 100;
  status = scan(model(graph({}, {}, {}, {}, nodes.substr(0, 1000))), limits);
  CHECK_CODE(status, Code::kInvalidProtobuf);
  CHECK(says(status, "more than 100 messages"));
}

TEST(wire_scanner, refuses_ranks_above_64) {
  const std::vector<int64_t> ones(64, 1);
  CHECK_OK(scan(model(graph({}, {value("x", 1, ones)}, {}, {tensor("w", 1, ones, "")}))));
  const std::vector<int64_t> more(65, 1);
  CHECK_CODE(scan(model(graph({}, {value("x", 1, more)}, {}))), Code::kInvalidProtobuf);
  CHECK_CODE(scan(model(graph({}, {}, {}, {tensor("w", 1, more, "")}))), Code::kInvalidProtobuf);
  const std::string packed = field(1, std::string(65, '\1'));
  CHECK_CODE(scan(model(graph({}, {}, {}, {packed}))), Code::kInvalidProtobuf);
}

TEST(wire_scanner, names_the_offset_of_what_is_wrong) {
  std::string bytes = number_field(1, 8);
  bytes += std::string("\x3a\x7f", 2);  // a graph of 127 bytes that are not there
  auto status = scan(bytes);
  CHECK_CODE(status, Code::kInvalidProtobuf);
  CHECK(says(status, "at byte 2"));
  CHECK_CODE(scan(std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11)),
             Code::kInvalidProtobuf);
  CHECK_CODE(scan(std::string("\x3b", 1)), Code::kInvalidProtobuf);          // a group
  CHECK_CODE(scan(std::string("\x00\x00", 2)), Code::kInvalidProtobuf);      // field 0
  CHECK_CODE(scan(std::string("\x08\x80\x80", 3)), Code::kInvalidProtobuf);  // endless number
  CHECK_CODE(scan(std::string("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11)),
             Code::kInvalidProtobuf);
}

TEST(wire_scanner, refuses_wrong_wire_types_and_doubled_messages) {
  CHECK_CODE(scan(number_field(7, 1)), Code::kInvalidProtobuf);  // a graph that is a number
  CHECK_CODE(scan(field(1, "eight")), Code::kInvalidProtobuf);   // a number that is a text
  const std::string g = graph({}, {}, {});
  CHECK_CODE(scan(field(7, g) + field(7, g)), Code::kInvalidProtobuf);
  const std::string odd_run = tensor("w", 1, {1}, field(4, "abc"));
  CHECK_CODE(scan(model(graph({}, {}, {}, {odd_run}))), Code::kInvalidProtobuf);
  const std::string open_run = tensor("w", 7, {1}, field(7, "\x80"));
  CHECK_CODE(scan(model(graph({}, {}, {}, {open_run}))), Code::kInvalidProtobuf);
}

TEST(wire_scanner, leaves_large_payloads_in_the_file) {
  const std::string payload(100'000, 'p');
  auto scanned = scan_model(as_bytes(
      model(graph({}, {}, {}, {tensor("w", 2, {100'000}, raw(payload))}, field(10, payload)))));
  CHECK_OK(scanned);
  CHECK(scanned->wire.size() < 1000);
  CHECK(scanned->decoded_size < 5000);
}

TEST(wire_scanner, cannot_be_forged) {
  // Content that looks like a reference to the whole file comes back as content.
  std::string forged("\1", 1);
  const uint64_t numbers[2] = {0, 50};
  forged.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  auto imported = import(model(
      graph({node("Relu", {"x"}, {"y"}, {}, forged)}, {value("x", 1, {2})}, {value("y", 1, {2})})));
  CHECK_OK(imported);
  CHECK_EQ((*imported)->graph->node(0)->name(), forged);
  CHECK(resolve_reference(as_bytes(forged), as_bytes("short")).empty());
}

TEST(wire_scanner, counts_what_unknown_fields_take) {
  std::string unknown;
  for (int i = 0; i < 5'000'000; ++i) unknown += std::string("\xf8\x07\x01", 3);
  CHECK_CODE(scan(small_model() + unknown), Code::kInvalidProtobuf);
}

TEST(wire, lengths_of_five_bytes_read_back) {
  for (uint64_t length : {uint64_t{0}, uint64_t{127}, uint64_t{300}, uint64_t{1} << 30}) {
    std::string text;
    append_open_length(text);
    fill_open_length(text, 0, length);
    uint64_t position = 0, value = 0;
    CHECK(read_varint(as_bytes(text), position, text.size(), value));
    CHECK_EQ(value, length);
    CHECK_EQ(position, kOpenLengthSize);
  }
}

TEST(wire, varints_are_as_long_as_said) {
  for (uint64_t value : {uint64_t{0}, uint64_t{128}, uint64_t{1} << 35, UINT64_MAX}) {
    std::string text;
    append_varint(text, value);
    CHECK_EQ(text.size(), varint_size(value));
    uint64_t position = 0, found = 0;
    CHECK(read_varint(as_bytes(text), position, text.size(), found));
    CHECK_EQ(found, value);
  }
}
