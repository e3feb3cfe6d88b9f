// SPDX-License-Identifier: MIT
// The files that a model's bytes refer to.
#include "core/proto/named_files.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/platform/held_file.h"
#include "core/proto/wire.h"
#include "core/proto/wire_writer.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/test.h"
#include "tests/support/wire_text.h"

using namespace ortc;
using namespace ortc::test;

namespace {

using Named = std::set<std::string>;

WireWriter nested(uint32_t field, const WireWriter& inner) {
  WireWriter outer;
  outer.add_message(field, inner);
  return outer;
}

WireWriter tensor_in(const std::string& file) {
  WireWriter offset, location, tensor;
  offset.add_bytes(1, "offset");
  offset.add_bytes(2, "12");
  location.add_bytes(2, file);  // the value before the key
  location.add_bytes(1, "location");
  tensor.add_message(13, offset);
  tensor.add_message(13, location);
  return tensor;
}

WireWriter context_in(const std::string& content) {
  WireWriter attribute;
  attribute.add_bytes(1, "ep_cache_context");
  attribute.add_bytes(4, content);
  return nested(5, attribute);
}

}  // namespace

TEST(named_files, are_found_wherever_a_model_may_have_tensors) {
  WireWriter body, node, graph, model;
  body.add_message(5, tensor_in("in_body"));
  node.add_message(5, nested(6, body));
  node.add_message(5, nested(5, tensor_in("in_attribute")));
  node.add_message(5, nested(22, nested(1, tensor_in("in_sparse"))));
  graph.add_message(1, node);
  graph.add_message(1, context_in("m_aot.bin"));
  graph.add_message(5, tensor_in("w.bin"));
  graph.add_message(5, tensor_in("w.bin"));
  model.add_varint(1, 8);
  model.add_message(7, graph);
  model.add_message(25, nested(7, nested(5, nested(5, tensor_in("in_function")))));
  CHECK((files_named_by(as_bytes(wire_text(model))) ==
         Named{"in_attribute", "in_body", "in_function", "in_sparse", "m_aot.bin", "w.bin"}));
}

TEST(named_files, of_a_function_may_stand_in_any_attribute_of_its_callers) {
  WireWriter reference, function, argument, graph, model;
  reference.add_bytes(1, "ep_cache_context");
  reference.add_bytes(21, "file");
  function.add_message(7, nested(5, reference));
  argument.add_bytes(1, "file");
  argument.add_bytes(4, "m_aot.bin");
  graph.add_message(1, nested(5, argument));
  model.add_message(7, graph);
  CHECK(files_named_by(as_bytes(wire_text(model))).empty());
  model.add_message(25, function);
  CHECK(files_named_by(as_bytes(wire_text(model))) == Named{"m_aot.bin"});
}

TEST(named_files, are_not_embedded_contexts_nor_other_bytes) {
  WireWriter graph, other;
  graph.add_message(1, context_in(std::string(5000, 'x')));
  other.add_bytes(1, "offset");
  other.add_bytes(2, "location");
  graph.add_message(5, nested(13, other));
  CHECK(files_named_by(as_bytes(wire_text(nested(7, graph)))).empty());
  for (const std::string& text :
       {std::string(), std::string("\x89PNG\r\n\x1a\n"), std::string(4096, '\0'),
        std::string("just text"), std::string(100, '\xff')}) {
    CHECK(files_named_by(as_bytes(text)).empty());
  }
}

TEST(named_files, before_the_damage_are_found_and_deep_ones_end_the_search) {
  WireWriter graph;
  graph.add_message(5, tensor_in("w.bin"));
  const std::string whole = wire_text(nested(7, graph));
  CHECK(files_named_by(as_bytes(whole + "\x3a\x7f")) == Named{"w.bin"});
  for (size_t size = 0; size < whole.size(); ++size) {
    (void)files_named_by(as_bytes(whole).first(size));
  }
  WireWriter deep = graph;
  for (int i = 0; i < 100; ++i) deep = nested(1, nested(5, nested(6, deep)));
  CHECK(files_named_by(as_bytes(wire_text(nested(7, deep)))).empty());
}

TEST(named_files, of_a_file_are_those_of_its_bytes_wherever_it_ends) {
  const std::string path = fresh_folder("named") + "/m.onnx";
  WireWriter graph, model, raw;
  raw.add_bytes(9, std::string(100'000, '\x0a'));
  for (int i = 0; i < 300; ++i) {
    graph.add_message(5, tensor_in(str_cat("w", i, std::string(static_cast<size_t>(i), 'x'))));
    if (i % 50 == 7) graph.add_message(5, raw);
  }
  graph.add_message(1, context_in("m_aot.bin"));
  model.add_message(7, graph);
  const std::string whole = wire_text(model);
  CHECK_EQ(files_named_by(as_bytes(whole)).size(), 301u);
  for (size_t size = 0; size <= whole.size(); size += size + 97 < whole.size() ? 9973 : 1) {
    const std::string text = whole.substr(0, size);
    put_file(path, text);
    const auto file = HeldFile::open(path);
    CHECK_OK(file);
    CHECK(files_named_by(*file) == files_named_by(as_bytes(text)));
  }
}

// A terabyte that is not there: whoever read it would be long at it.
TEST(named_files, of_a_file_are_found_without_reading_its_weights) {
  const std::string path = fresh_folder("named_large") + "/m.onnx";
  constexpr uint64_t kHole = uint64_t{1} << 40;
  const std::string after = wire_text(nested(5, tensor_in("w.bin")));
  std::string head, tensor = "\x4a";  // raw_data
  append_varint(tensor, kHole);
  std::string field = "\x2a";  // initializer
  append_varint(field, tensor.size() + kHole);
  head = "\x3a";  // graph
  append_varint(head, field.size() + tensor.size() + kHole + after.size());
  head += field + tensor;
  put_file(path, head);
  std::filesystem::resize_file(path, head.size() + kHole);
  std::ofstream(path, std::ios::binary | std::ios::app) << after;
  const auto file = HeldFile::open(path);
  CHECK_OK(file);
  CHECK(files_named_by(*file) == Named{"w.bin"});
}

// What is lost of a map is fatal to read.
TEST(named_files, of_a_file_may_be_asked_while_it_is_written_to) {
  const std::string path = fresh_folder("named_written") + "/m.onnx";
  WireWriter graph, model;
  for (int i = 0; i < 20'000; ++i) graph.add_message(5, tensor_in(str_cat("w", i % 3)));
  model.add_message(7, graph);
  const std::string whole = wire_text(model);
  put_file(path, whole);
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    while (!is_over) std::ofstream(path, std::ios::binary | std::ios::trunc) << whole;
  });
  for (int i = 0; i < 300; ++i) {
    const auto file = HeldFile::open(path);
    CHECK_OK(file);
    CHECK(files_named_by(*file).size() <= 3);
  }
  is_over = true;
  writer.join();
}
