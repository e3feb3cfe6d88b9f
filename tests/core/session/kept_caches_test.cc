// SPDX-License-Identifier: MIT
// Which attention operators append to a cache that is past and present in one, alone in a model and
// compiled.
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr int64_t kRoom = 8;

ValueId length_of(GraphBuilder& g) { return g.input("length", DType::kInt32, {1}); }

// One node over a past [1, 2, kRoom, 4] of this type, and what it is given besides.
struct Caching {
  std::string op;
  DType cache = DType::kFloat32;
  std::vector<Attribute> attributes = {};
  bool reads_past_twice = false;
};

std::string model_of(const Caching& c) {
  GraphBuilder g(21);
  const ValueId q = g.input("q", DType::kFloat32, {1, 1, 8});
  const ValueId keys = g.input("past_keys", c.cache, {1, 2, kRoom, 4});
  const ValueId values = g.input("past_values", c.cache, {1, 2, kRoom, 4});
  std::vector<ValueId> in;
  if (c.op == "GroupQueryAttention") {
    in = {q, q, q, keys, values, length_of(g), g.input("total", DType::kInt32, {1})};
    if (c.cache != DType::kFloat32) {
      in.insert(in.end(), {kNoValue, kNoValue, kNoValue, kNoValue, kNoValue});
      in.insert(in.end(), {g.floats("k_scale", {1}, {1}), g.floats("v_scale", {1}, {1})});
    }
  } else if (c.op == "MultiHeadAttention") {
    in = {q, q, q, kNoValue, kNoValue, kNoValue, keys, values, length_of(g)};
  } else {
    in = {q, q, q, kNoValue, kNoValue, keys, values, length_of(g)};
  }
  std::vector<Attribute> attributes = c.attributes;
  attributes.push_back(Attribute::of_int("num_heads", 2));
  for (const ValueId y : g.node(c.op, in, {"y", "keys", "values"}, attributes, "com.microsoft")) {
    g.output(y);
  }
  if (c.reads_past_twice) g.output(g.node("Identity", {keys}, {"again"})[0]);
  g.infer();
  return g.model_bytes();
}

bool updates(const Caching& c, const std::string& provider) {
  const auto environment = quiet_environment();
  const auto session = Session::create(environment, memory_source(model_of(c)),
                                       options_with(*environment, {provider}));
  CHECK_OK(session);
  CHECK(!(*session)->updates_in_place("past_keys", "values"));
  const bool keys = (*session)->updates_in_place("past_keys", "keys");
  if (!c.reads_past_twice) CHECK_EQ(keys, (*session)->updates_in_place("past_values", "values"));
  return keys;
}

const std::vector<Attribute> kGroups = {Attribute::of_int("kv_num_heads", 2)};
const std::vector<Attribute> kIntegers = {
    Attribute::of_int("kv_num_heads", 2), Attribute::of_string("k_quant_type", "PER_TENSOR"),
    Attribute::of_string("v_quant_type", "PER_TENSOR"), Attribute::of_int("kv_cache_bit_width", 8)};
const std::vector<Attribute> kSlides = {Attribute::of_int("kv_num_heads", 2),
                                        Attribute::of_int("sliding_window_cache", 1),
                                        Attribute::of_int("local_window_size", 4)};
const std::vector<Attribute> kShares = {Attribute::of_int("past_present_share_buffer", 1)};

}  // namespace

TEST(kept_caches, are_written_where_past_and_present_are_one) {
  for (const char* provider : {"CPU", "AOT"}) {
    CHECK(updates({"GroupQueryAttention", DType::kFloat32, kGroups}, provider));
    CHECK(updates({"GroupQueryAttention", DType::kInt8, kIntegers}, provider));
    CHECK(updates({"GroupQueryAttention", DType::kFloat32, kSlides}, provider));
    CHECK(updates({"MultiHeadAttention"}, provider));
    CHECK(updates({"DecoderMaskedMultiHeadAttention", DType::kFloat32, kShares}, provider));
  }
}

TEST(kept_caches, are_copied_where_another_node_reads_the_past) {
  for (const char* provider : {"CPU", "AOT"}) {
    CHECK(!updates({"GroupQueryAttention", DType::kFloat32, kGroups, true}, provider));
    CHECK(!updates({"MultiHeadAttention", DType::kFloat32, {}, true}, provider));
  }
}
