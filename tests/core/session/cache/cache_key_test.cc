// SPDX-License-Identifier: MIT
// What goes into the key of a compiled model, and what does not.
#include "core/session/cache/cache_key.h"

#include <set>

#include "core/options/option_tables.h"
#include "tests/core/session/cache/cache_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

// Of all options that have an effect, those that change what is compiled.
const std::set<std::string_view> kInKey = {
    "ep.context_node_name_prefix",
    "ep.context_compression",
    "ep.context_external_initializers_compression",
    "ep.enable_weightless_ep_context_nodes",
    "ep.enable_weightless",
    "session.disable_cpu_ep_fallback",
    "session.strict_shape_type_inference",
    "optimization.disable_specified_optimizers",
    "session.graph_optimization_level",
    "session.optimized_model_filepath",
    "session.qdq_matmulnbits_accuracy_level",
    "session.optimized_model_external_initializers_file_name",
    "session.optimized_model_external_initializers_min_size_in_bytes",
    "session.save_model_format",
};

Tensor number(float value) { return Tensor::from<float>({1}, std::vector<float>{value}); }

struct Fixture {
  std::shared_ptr<const Environment> environment = quiet_environment();
  SourceContent content;
  SessionOptions options = options_with(*environment, {"AOT"});

  Fixture() { content.files.push_back({"", hash128(as_bytes("model")), {.size = 5}}); }
  CacheKey key() const {
    const Making making(environment, options, {});
    const auto providers = make_providers(making);
    CHECK_OK(providers);
    return cache_key(content, options, *providers);
  }
};

}  // namespace

TEST(cache_key, every_option_is_known_to_change_what_is_compiled_or_not_to) {
  std::set<std::string_view> known;
  for (const std::span<const OptionRow> rows : option_tables(OptionScope::kSession)) {
    for (const OptionRow& row : rows) {
      if (!row.has_effect()) continue;
      known.insert(row.key);
      if (is_in_key(row.key) == kInKey.contains(row.key)) continue;
      check_failed(__FILE__, __LINE__,
                   str_cat("does '", row.key, "' change what is compiled? It is in one list only"));
    }
  }
  for (const std::string_view key : kInKey) CHECK(known.contains(key));
}

TEST(cache_key, is_the_same_for_the_same_and_has_one_part_of_a_name) {
  const Fixture fixture;
  const CacheKey key = fixture.key();
  CHECK_EQ(key.digits, fixture.key().digits);
  CHECK_EQ(key.digits.size(), 32u);
  std::set<std::string> names;
  for (const auto& [name, value] : key.parts) CHECK(names.insert(name).second);
  for (const char* name : {"model", "provider 1", "provider 1 target", "library", "format"}) {
    CHECK(names.contains(name));
  }
}

TEST(cache_key, follows_from_contents_options_providers_and_dimensions) {
  std::set<std::string> digits = {Fixture().key().digits};
  const auto check_new = [&](const auto& change) {
    Fixture fixture;
    change(fixture);
    CHECK(digits.insert(fixture.key().digits).second);
  };
  check_new([](Fixture& f) { f.content.files[0].hash.low ^= 1; });
  check_new([](Fixture& f) { f.content.files.push_back({"w.bin", {}, {}}); });
  check_new([](Fixture& f) { f.options.level = OptimisationLevel::kBasic; });
  check_new([](Fixture& f) { CHECK_OK(f.options.set("ep.context_compression", "zstd")); });
  check_new([](Fixture& f) { CHECK_OK(f.options.set("ep.aot.target", "x86-64-v2")); });
  check_new([](Fixture& f) { f.options.providers[0].options["excluded_operators"] = "Tanh"; });
  check_new([](Fixture& f) { f.options.providers.clear(); });
  check_new([](Fixture& f) { f.options.dim_overrides_by_name.emplace_back("batch", 1); });
  check_new([](Fixture& f) { f.options.dim_overrides_by_name.emplace_back("batch", 2); });
  check_new([](Fixture& f) { f.options.initializers["w"] = number(1.0f); });
  check_new([](Fixture& f) { f.options.initializers["w"] = number(2.0f); });
  check_new([](Fixture& f) { f.options.initializers["w"] = Tensor::strings({1}, {"a"}); });
  check_new([](Fixture& f) { f.options.initializers["w"] = Tensor::strings({1}, {"b"}); });
}

TEST(cache_key, does_not_follow_from_threads_logs_and_places) {
  const std::string expected = Fixture().key().digits;
  const auto check_same = [&](const char* key, const char* value) {
    Fixture fixture;
    CHECK_OK(fixture.options.set(key, value));
    CHECK_EQ(fixture.key().digits, expected);
  };
  check_same("session.intra_op_num_threads", "3");
  check_same("session.log_id", "mine");
  check_same("ep.context_cache_dir", "elsewhere");
  check_same("session.model_external_initializers_file_folder_path", "elsewhere");
  check_same("session.disable_model_compile", "1");
}
