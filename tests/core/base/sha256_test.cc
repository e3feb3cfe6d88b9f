// SPDX-License-Identifier: MIT
// SHA-256 against the examples of FIPS 180-4, and pieces against the whole.
#include "core/base/sha256.h"

#include "tests/support/test.h"

using namespace ortc;

TEST(sha256, gives_the_digits_of_the_standards_examples) {
  CHECK_EQ(sha256_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK_EQ(sha256_hex(as_bytes("abc")),
           "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK_EQ(sha256_hex(as_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK_EQ(sha256_hex(as_bytes(std::string(1'000'000, 'a'))),
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(sha256, does_not_depend_on_the_pieces) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i);
  for (size_t size = 0; size <= text.size(); ++size) {
    const std::string whole = text.substr(0, size);
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{63}, size_t{64}, size_t{65}}) {
      Sha256 hash;
      for (size_t at = 0; at < size; at += piece) hash.add(as_bytes(whole.substr(at, piece)));
      CHECK_EQ(hash.finish(), sha256_hex(as_bytes(whole)));
    }
  }
}
