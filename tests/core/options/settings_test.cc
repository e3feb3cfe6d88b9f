// SPDX-License-Identifier: MIT
// Settings that depend on each other: what cannot be done is said, and what a compile changes.
#include "core/options/settings.h"

#include "core/options/option_tables.h"
#include "tests/core/platform/platform_files.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr const char* kExternalKey = "ep.context_model_external_initializers_file_name";

Status checked(const KeyValues& entries) {
  SessionSettings settings;
  for (const auto& [key, value] : entries) {
    RETURN_IF_ERROR(set_session_option(settings, key, value));
  }
  return check_context_settings(settings.context);
}

}  // namespace

// A compile sets the name without an option.
TEST(context_settings, judge_the_name_that_a_compile_gives) {
  ContextSettings settings;
  settings.external_initializers = "./sub/w.bin";
  CHECK_OK(check_context_settings(settings));
  settings.external_initializers = "sub/../w.bin";
  const Status status = check_context_settings(settings);
  CHECK_CODE(status, Code::kInvalidArgument);
  CHECK(has_text(status.message(), "without empty, \".\" or \"..\" components"));
  CHECK(has_text(status.message(), "sub/../w.bin"));
}

TEST(context_settings, want_relative_names_of_external_initializers) {
  for (const char* name : {"/w.bin", "C:\\w.bin", "c:w.bin", "\\\\server\\w.bin", "\\w.bin"}) {
    const Status status = checked({{kExternalKey, name}});
    CHECK_CODE(status, Code::kRuntimeException);
    CHECK(has_text(status.message(), kExternalKey) && has_text(status.message(), name));
  }
  for (const char* name : {"..", "../w.bin", "a/../w.bin", "a//w.bin", "a/", "a/..", "a\\..\\w.bin",
                           ".", "./", "././..", "a/./w.bin", ".//w.bin"}) {
    const Status status = checked({{kExternalKey, name}});
    CHECK_CODE(status, Code::kInvalidArgument);
    CHECK(has_text(status.message(), kExternalKey) && has_text(status.message(), name));
  }
  for (const char* name :
       {"w.bin", "w", "...", "..w", "a/b/w.bin", "", "1:2", "./w.bin", "././a/w.bin"}) {
    CHECK_OK(checked({{kExternalKey, name}}));
  }
}

TEST(context_settings, compression_is_none_or_zstd_with_a_level_from_1_to_19) {
  const std::pair<const char*, int> kTaken[] = {{"none", 0}, {"None", 0},   {"zstd", 3},
                                                {"ZSTD", 3}, {"zstd:1", 1}, {"zstd:19", 19}};
  for (const char* key :
       {"ep.context_compression", "ep.context_external_initializers_compression"}) {
    for (const auto& [value, level] : kTaken) {
      SessionSettings settings;
      CHECK_OK(set_session_option(settings, key, value));
      const bool is_data = std::string_view(key) == "ep.context_compression";
      const Compression& set =
          is_data ? settings.context.compression : settings.context.initializers_compression;
      CHECK_EQ(set.zstd_level(), level);
      CHECK_EQ(print_option(*find_option(OptionScope::kSession, key), &settings),
               level == 0 ? "none" : str_cat("zstd:", level));
    }
    for (const char* value : {"", "zst", "zstd:", "zstd:0", "zstd:20", "zstd:-1", "zstd:+3",
                              "zstd: 3", "zstd:3x", "zstd3", "lz4", "none:3", "1"}) {
      const Status status = checked({{key, value}});
      CHECK_CODE(status, Code::kInvalidArgument);
      for (const char* part : {key, "none, zstd, or zstd:LEVEL with a level from 1 to 19"}) {
        CHECK(has_text(status.message(), part));
      }
    }
  }
}

TEST(compile_settings, go_over_those_of_the_session) {
  SessionSettings session;
  session.context.disable_compile = true;
  session.context.file_path = "kept_ctx.onnx";
  session.context.embed = true;
  session.context.node_name_prefix = "p_";
  session.intra_op_threads = 3;
  CompileSettings compile;
  compile.external_initializers = "w.bin";
  compile.external_threshold = 5;
  CHECK(settings_for_compiling(session, compile).context.embed);  // nobody says otherwise
  compile.embed = false;
  const SessionSettings made = settings_for_compiling(session, compile);
  CHECK(made.context.enable && made.context.compile_only && made.context.overwrite);
  CHECK(!made.context.disable_compile && !made.context.embed);
  CHECK_EQ(made.context.file_path, "kept_ctx.onnx");
  CHECK_EQ(made.context.node_name_prefix, "p_");
  CHECK_EQ(made.context.external_initializers, "w.bin");
  CHECK_EQ(made.context.external_threshold, 5u);
  CHECK(made.level == OptimisationLevel::kNone && made.intra_op_threads == 3);
  compile.output_path = "x.onnx";
  compile.error_if_output_exists = true;
  const SessionSettings careful = settings_for_compiling(session, compile);
  CHECK_EQ(careful.context.file_path, "x.onnx");
  CHECK(!careful.context.overwrite);
}
