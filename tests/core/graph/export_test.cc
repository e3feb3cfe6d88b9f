// SPDX-License-Identifier: MIT
// Export: round trips, what is unknown, external initializers, aligned payloads, limits.
#include "core/graph/limits.h"
#include "core/graph/text/print.h"
#include "tests/core/graph/wire_model.h"

using namespace ortc;
using namespace ortc::wire;

namespace {

std::string context_node(const std::string& payload, const char* in, const char* out) {
  return node("EPContext", {in}, {out},
              {int_attribute("embed_mode", 1), text_attribute("ep_cache_context", payload)}, out,
              "com.microsoft");
}

// Where the payload stands in the file.
size_t place_of(const std::string& file, const std::string& payload) {
  const size_t at = file.find(payload);
  CHECK(at != std::string::npos);
  return at;
}

}  // namespace

TEST(export_model, gives_back_what_it_read) {
  const std::string unknown = field(999, "from the future");
  const std::string body = graph({node("Neg", {"x"}, {"z"})}, {}, {plain("z")});
  const std::string source = model(
      graph({node("If", {"x"}, {"t"}, {graph_attribute("then_branch", body)}) + unknown,
             node("Clip", {"t", "", "w"}, {"y"})},
            {kX + unknown}, {kY}, {tensor("w", 1, {}, raw(std::string(4, '\0'))) + unknown},
            field(10, "doc") + field(13, value("t", 1, {2})) + field(14, "annotation") + unknown),
      {},
      field(6, "model doc") + field(14, field(1, "k") + field(2, "v")) +
          field(20, field(1, "training")) + unknown);
  auto imported = import(source);
  CHECK_OK(imported);
  auto text = export_text(**imported);
  CHECK_OK(text);
  CHECK_EQ(*exported_size(**imported, {}), text->size());
  size_t unknowns = 0;
  for (size_t at = 0; (at = text->find("from the future", at)) != std::string::npos; ++at) {
    ++unknowns;
  }
  CHECK_EQ(unknowns, 5u);
  for (const char* kept : {"annotation", "training", "model doc", "doc"}) {
    CHECK(text->find(kept) != std::string::npos);
  }
  auto again = import(*text);
  CHECK_OK(again);
  CHECK_EQ(print_graph(*(*again)->graph), print_graph(*(*imported)->graph));
  CHECK((*again)->graph->find_value("t")->has_value_info);
  CHECK_EQ(*export_text(**again), *text);
  CHECK_EQ(*(*again)->metadata_value("k"), "v");
}

TEST(export_model, gives_files_no_symbols_that_inference_made_and_takes_none) {
  auto made = import(model(graph({node("Relu", {"x"}, {"y"})}, {kX}, {kY})));
  CHECK_OK(made);
  Value& y = *(*made)->graph->find_value("y");
  const std::string symbol = std::string("t.0") + kMadeSymbolMark;
  y.type = Type::tensor(DType::kFloat32, Shape{Dim::named(symbol), Dim::named("n")});
  CHECK_EQ(type_to_string(y.type), "float32[t.0,n]");
  auto text = export_text(**made);
  CHECK_OK(text);
  CHECK(text->find("t.0") == std::string::npos);
  y.type.shape = Shape{Dim::named("T.0?"), Dim::named("n")};
  text = export_text(**made);
  CHECK_OK(text);
  text->replace(text->find("T.0?"), 4, symbol);
  auto again = import(*text);
  CHECK_OK(again);
  CHECK_EQ(type_to_string((*again)->graph->find_value("y")->type), "float32[?,n]");
}

TEST(export_model, borrows_large_payloads) {
  const std::string payload(1 << 20, 'p');
  const Blob source =
      Blob::from_string(model(graph({}, {}, {}, {tensor("w", 2, {1 << 20}, raw(payload))})));
  auto imported = import_model_bytes(source, {});
  CHECK_OK(imported);
  bool was_borrowed = false;
  CHECK_OK(export_model(**imported, {}, [&](Bytes piece) {
    was_borrowed =
        was_borrowed || (piece.size() == payload.size() && piece.data() > source.data() &&
                         piece.data() < source.data() + source.size());
    return Status::ok();
  }));
  CHECK(was_borrowed);
}

TEST(export_model, stops_when_the_sink_fails) {
  auto imported = import(small_model());
  CHECK_OK(imported);
  CHECK_CODE(export_model(**imported, {}, [](Bytes) { return fail("disk full"); }), Code::kFail);
}

TEST(export_model, puts_initializers_where_it_is_told) {
  const std::string body = graph({node("Add", {"x", "inner"}, {"z"})}, {}, {plain("z")},
                                 {tensor("inner", 1, {1}, raw(std::string(4, '\1')))});
  const std::string large = tensor("", 1, {512}, raw(std::string(2048, '\2')));
  auto imported = import(model(graph(
      {node("If", {"x"}, {"y"}, {graph_attribute("then_branch", body)}),
       node("Constant", {}, {"c"}, {attribute("value", 4, field(5, large))})},
      {kX}, {kY},
      {tensor("b", 1, {1}, raw(std::string(4, '\3'))),
       tensor("a", 1, {1}, raw(std::string(4, '\4'))), tensor("s", 8, {1}, field(6, "text"))})));
  CHECK_OK(imported);
  std::string order;
  ExportOptions options;
  options.place_initializer = [&](const Graph&,
                                  const Value& value) -> Result<std::optional<ExternalLocation>> {
    order += value.name + ";";
    if (value.name == "b") return std::optional<ExternalLocation>();
    return std::optional(ExternalLocation{"w.bin", 64, value.name == "c" ? 2048u : 4u});
  };
  auto text = export_text(**imported, options);
  CHECK_OK(text);
  CHECK_EQ(order, "inner;a;b;c;");
  CHECK(text->find(std::string(4, '\1')) == std::string::npos);
  CHECK(text->find(std::string(4, '\2')) == std::string::npos);
  CHECK(text->find(std::string(4, '\3')) != std::string::npos);
  CHECK(text->find("w.bin") != std::string::npos);
  options.place_initializer = [&](const Graph&,
                                  const Value&) -> Result<std::optional<ExternalLocation>> {
    return std::optional(ExternalLocation{"w.bin", 0, 3});
  };
  CHECK_CODE(export_text(**imported, options), Code::kFail);
}

TEST(export_model, aligns_embedded_contexts) {
  std::string first(5000, 'a'), second(100, 'b');
  first += "1st", second += "2nd";
  const std::string inner_payload = std::string(3000, 'c') + "3rd";
  const std::string body = graph({context_node(inner_payload, "t", "z")}, {}, {plain("z")});
  auto imported =
      import(model(graph({context_node(first, "x", "t"), context_node(second, "t", "u"),
                          node("If", {"u"}, {"y"}, {graph_attribute("then_branch", body)})},
                         {kX}, {kY}),
                   {}, field(8, opset("com.microsoft", 1))));
  CHECK_OK(imported);
  ExportOptions options;
  options.aligned_attribute = "ep_cache_context";
  auto text = export_text(**imported, options);
  CHECK_OK(text);
  CHECK_EQ(*exported_size(**imported, options), text->size());
  CHECK_EQ(place_of(*text, first) % 4096, 0u);
  CHECK_EQ(place_of(*text, second) % 4096, 0u);
  CHECK_EQ(place_of(*text, inner_payload) % 4096, 0u);
  auto again = import(*text);
  CHECK_OK(again);
  CHECK_EQ(print_graph(*(*again)->graph), print_graph(*(*imported)->graph));
  // The padding is not carried along.
  CHECK_EQ(*export_text(**again), *export_text(**imported));
}

TEST(export_model, refuses_more_than_2_gib) {
  // One mebibyte of payload, two thousand times.
  Model big;
  big.opsets = std::make_shared<const OpsetImports>(OpsetImports{{"", 17}});
  big.graph = std::make_shared<Graph>(big.opsets);
  const Tensor shared = Tensor::create(DType::kUint8, {1 << 20}).value();
  for (int i = 0; i < 2047; ++i) big.graph->add_constant("w", shared);
  CHECK_OK(exported_size(big, {}));
  big.graph->add_constant("w", shared);
  size_t given = 0;
  CHECK_CODE(export_model(big, {},
                          [&](Bytes piece) {
                            given += piece.size();
                            return Status::ok();
                          }),
             Code::kFail);
  CHECK_EQ(given, 0u);
}
