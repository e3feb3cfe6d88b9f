// SPDX-License-Identifier: MIT
#include "core/proto/external_location.h"

#include "tests/support/test.h"

using ortc::plain_location;

TEST(external_location, loses_what_means_nothing) {
  CHECK_EQ(plain_location("x.bin"), std::string("x.bin"));
  CHECK_EQ(plain_location("./x.bin"), std::string("x.bin"));
  CHECK_EQ(plain_location("././/a//b/./x.bin"), std::string("a/b/x.bin"));
  CHECK_EQ(plain_location(".hidden/x..bin"), std::string(".hidden/x..bin"));
  CHECK_EQ(plain_location(""), std::string());
  CHECK_EQ(plain_location("./."), std::string());
}

TEST(external_location, keeps_what_others_refuse) {
  CHECK_EQ(plain_location("../x.bin"), std::string("../x.bin"));
  CHECK_EQ(plain_location("a/../x.bin"), std::string("a/../x.bin"));
  CHECK_EQ(plain_location("//x.bin"), std::string("/x.bin"));
}
