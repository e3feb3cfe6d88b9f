// SPDX-License-Identifier: MIT
// The tables of config keys: each row says of its field what the field says of itself.
#include "core/options/option_tables.h"

#include <set>

#include "tests/support/test.h"

using namespace ortc;

namespace {

template <typename Settings>
void check_rows(OptionScope scope) {
  for (const std::span<const OptionRow> rows : option_tables(scope)) {
    for (const OptionRow& row : rows) {
      CHECK(!row.key.empty() && !row.constant.empty() && !row.text.empty());
      CHECK_EQ(find_option(scope, row.key), &row);
      if (!row.has_effect()) continue;
      // The default of the table is the default of the struct, and can be set.
      Settings settings;
      CHECK_EQ(print_option(row, &settings), row.otherwise);
      if (!row.otherwise.empty()) CHECK_OK(set_option(row, &settings, row.otherwise));
      CHECK_EQ(print_option(row, &settings), row.otherwise);
      for (const OptionWord& word : row.form.words) {
        CHECK_OK(set_option(row, &settings, word.text));
        const std::string printed = print_option(row, &settings);
        CHECK_OK(set_option(row, &settings, printed));
        CHECK_EQ(print_option(row, &settings), printed);
      }
    }
  }
}

}  // namespace

TEST(option_tables, agree_with_the_fields_of_the_settings) {
  check_rows<SessionSettings>(OptionScope::kSession);
  check_rows<RunSettings>(OptionScope::kRun);
  check_rows<EnvironmentSettings>(OptionScope::kEnvironment);
  check_rows<SessionSettings>(OptionScope::kDynamic);
}

TEST(option_tables, give_every_row_a_field_of_its_own) {
  SessionSettings settings;
  std::set<OptionPlace> places;
  for (const std::span<const OptionRow> rows : option_tables(OptionScope::kSession)) {
    for (const OptionRow& row : rows) {
      if (row.has_effect()) CHECK(places.insert(row.place(&settings)).second);
    }
  }
  CHECK(places.size() > 30);
}

TEST(option_tables, name_the_nearest_key_of_the_scope) {
  SessionSettings session;
  RunSettings run;
  CHECK_EQ(set_session_option(session, "ep.contxt_enable", "1").message(),
           "unknown session config key 'ep.contxt_enable'; did you mean 'ep.context_enable'?");
  CHECK_EQ(set_run_option(run, "ep.context_enable", "1").message(),
           "unknown run config key 'ep.context_enable'");
  CHECK_EQ(unknown_option(OptionScope::kDynamic, "ep.dynamic.workload").message(),
           "unknown dynamic option key 'ep.dynamic.workload'; did you mean "
           "'ep.dynamic.workload_type'?");
}

TEST(option_tables, set_typed_fields) {
  SessionSettings settings;
  CHECK_OK(set_session_option(settings, "session.graph_optimization_level", "Enable_Basic"));
  CHECK_OK(set_session_option(settings, "session.use_per_session_threads", "FALSE"));
  CHECK_OK(set_session_option(settings, "optimization.disable_specified_optimizers", "A;B"));
  CHECK_OK(set_session_option(settings, "session.save_model_format", "ort"));
  CHECK_OK(set_session_option(settings, "ep.context_embed_mode", "1"));
  CHECK(settings.level == OptimisationLevel::kBasic && !settings.own_threads);
  CHECK_EQ(settings.disabled_optimizers, (std::vector<std::string>{"A", "B"}));
  CHECK_EQ(settings.optimised_model.format, "ORT");
  CHECK(settings.context.embed);
}
