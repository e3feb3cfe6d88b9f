// SPDX-License-Identifier: MIT
// Config entries of a session: fields when they are set, texts for providers that ask.
#include "core/session/session_options.h"

#include "tests/support/test.h"

using namespace ortc;

TEST(session_options, keep_options_of_providers_as_texts) {
  SessionOptions options;
  CHECK_OK(options.set("ep.someone.option", "x"));
  CHECK_OK(options.set("ep.someone.nested.option", "y"));
  CHECK_EQ(options.config.at("ep.someone.option"), "x");
  for (const char* key : {"ep.someone", "ep..option", "ep.someone.", "someone.option", "", "ep."}) {
    CHECK_CODE(options.set(key, "x"), Code::kInvalidArgument);
  }
  CHECK_EQ(options.config.size(), 2u);
}

TEST(session_options, are_left_as_they_were_by_a_wrong_value) {
  SessionOptions options;
  CHECK_OK(options.set("session.intra_op_num_threads", "3"));
  CHECK_CODE(options.set("session.intra_op_num_threads", "three"), Code::kInvalidArgument);
  CHECK_EQ(options.intra_op_threads, 3);
  CHECK_EQ(options.config.at("session.intra_op_num_threads"), "3");
}

TEST(session_options, print_what_holds_for_providers_that_read_texts) {
  SessionOptions options;
  CHECK(options.printed().empty());
  CHECK_OK(options.set("session.enable_mem_pattern", "TRUE"));
  CHECK_OK(options.set("session.disable_prepacking", "1"));
  CHECK_OK(options.set("ep.someone.option", "x"));
  options.intra_op_threads = 2;  // as a setter does
  options.context.enable = true;
  const KeyValues expected = {{"session.enable_mem_pattern", "1"},
                              {"session.disable_prepacking", "1"},
                              {"ep.someone.option", "x"},
                              {"session.intra_op_num_threads", "2"},
                              {"ep.context_enable", "1"}};
  CHECK_EQ(options.printed(), expected);
}
