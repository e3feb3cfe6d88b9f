// SPDX-License-Identifier: MIT
// Options of the AOT provider.
#include "providers/aot/aot_options.h"

#include "tests/support/test.h"

using namespace ortc;

TEST(aot_options, have_the_defaults_of_their_rows) {
  aot::AotOptions options;
  for (const OptionRow& row : aot::aot_option_rows()) {
    CHECK_EQ(print_option(row, &options), row.otherwise);
  }
}

TEST(aot_options, take_operators_of_every_domain) {
  const auto options = aot::read_aot_options(
      {{"excluded_operators", "MatMul,,Gelu,MatMulNBits"}, {"target", "host"}});
  CHECK_OK(options);
  CHECK_EQ(options->excluded_operators,
           (std::vector<std::string>{"MatMul", "Gelu", "MatMulNBits"}));
}

TEST(aot_options, refuse_operators_that_nobody_knows) {
  const auto near = aot::read_aot_options({{"excluded_operators", "Relu,Matmul"}});
  CHECK_CODE(near, Code::kInvalidArgument);
  CHECK_EQ(near.status().message(),
           "AotExecutionProvider: config 'excluded_operators': expected names of operators "
           "separated by ',', found 'Matmul'; did you mean 'MatMul'?");
  CHECK_CODE(aot::read_aot_options({{"excluded_operators", "Relu;Gelu"}}), Code::kInvalidArgument);
  CHECK_CODE(aot::read_aot_options({{"excluded_operators", "Relu, Gelu"}}), Code::kInvalidArgument);
}

TEST(aot_options, refuse_unknown_targets) {
  const auto options = aot::read_aot_options({{"target", "z80"}});
  CHECK_CODE(options, Code::kInvalidArgument);
  CHECK(options.status().message().find("z80") != std::string::npos);
}
