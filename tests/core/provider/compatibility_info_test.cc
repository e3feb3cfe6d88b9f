// SPDX-License-Identifier: MIT
// The text in which a model's metadata say what a context needs.
#include "core/provider/compatibility_info.h"

#include "tests/support/test.h"

using namespace ortc;

TEST(compatibility_info, comes_back_as_it_was_written) {
  CompatibilityInfo info;
  info.provider = "AotExecutionProvider";
  info.format_major = 1;
  info.format_minor = 7;
  info.library_version = "1.2.3";
  info.target = "x86-64-v4+avx512vnni";
  info.kernels = "add.f32:1:0,gemm.f32:1:0,gemm.f32:1:1";
  const auto read = parse_compatibility_info(print_compatibility_info(info));
  CHECK(read.has_value());
  CHECK_EQ(read->provider, info.provider);
  CHECK_EQ(read->format_major, 1);
  CHECK_EQ(read->format_minor, 7);
  CHECK_EQ(read->library_version, info.library_version);
  CHECK_EQ(read->target, info.target);
  CHECK_EQ(read->kernels, info.kernels);
}

TEST(compatibility_info, several_targets_come_back_though_fields_end_with_the_same_letter) {
  CompatibilityInfo info;
  info.provider = "P";
  info.target = "x86-64-v3;x86-64-v4;aarch64";
  info.kernels = "add.f32:1:0";
  const std::string text = print_compatibility_info(info);
  CHECK(text.find("target=x86-64-v3,x86-64-v4,aarch64;") != std::string::npos);
  const auto read = parse_compatibility_info(text);
  CHECK_EQ(read->target, info.target);
  CHECK_EQ(read->kernels, info.kernels);
}

TEST(compatibility_info, fields_of_later_versions_are_stepped_over) {
  const auto read = parse_compatibility_info("ortc-context;colour=red;format=1.0;provider=P;odd");
  CHECK(read.has_value());
  CHECK_EQ(read->provider, std::string("P"));
}

TEST(compatibility_info, other_texts_are_not_taken) {
  for (const char* text : {"", "ortc-context", "ortc-aot;format=1.0", "ortc-context;format=1",
                           "ortc-context;format=x.0", "ortc-context;format=-1.0",
                           "ortc-context;format=1.99999999999", "format=1.0;ortc-context"}) {
    CHECK(!parse_compatibility_info(text).has_value());
  }
}
