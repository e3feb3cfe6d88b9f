// SPDX-License-Identifier: MIT
// What is remembered of source models, and when it is believed.
#include "core/session/cache/source_content.h"

#include <unistd.h>

#include "core/session/cache/record_text.h"
#include "tests/core/session/cache/cache_testing.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

namespace {

// A model of which something may be remembered: not written to just now.
const CacheFixture& old_model() {
  static const CacheFixture* const fixture = [] {
    auto* made = new CacheFixture("old");
    CHECK_OK(made->cache_folder().make());
    usleep(2'100'000);
    return made;
  }();
  return *fixture;
}

struct Reading {
  const CacheFixture& fixture;
  ModelSource source = file_source(fixture.source);
  Making making{fixture.environment, fixture.options, {}};
  CacheFolder folder = fixture.cache_folder();
  SourceReader reader{source, making, folder};

  SourceContent read() const {
    auto content = reader.read();
    CHECK_OK(content);
    return std::move(*content);
  }
};

std::string only_memory(const CacheFixture& fixture) {
  const auto names = fixture.cache_folder().sources();
  CHECK_EQ(names.size(), 1u);
  return fixture.cache_folder().sources_path() + "/" + names[0];
}

}  // namespace

TEST(source_content, nothing_is_remembered_of_a_file_that_was_just_written) {
  const CacheFixture fixture("new");
  CHECK_OK(fixture.cache_folder().make());
  const Reading reading{fixture};
  const SourceContent content = reading.read();
  CHECK(content.may_change_unseen);
  CHECK(fixture.cache_folder().sources().empty());
  CHECK_EQ(content.files.size(), 1u);
  CHECK(content.files[0].hash == hash128(as_bytes(small_network())));
  CHECK_EQ(content.bytes(), small_network().size());
}

TEST(source_content, what_is_remembered_is_believed_and_nothing_is_read) {
  const Reading reading{old_model()};
  const SourceContent content = reading.read();
  CHECK(!content.may_change_unseen);
  // A memory that says something else is what shows that nothing was hashed.
  const std::string path = only_memory(old_model());
  auto fields = read_record(path, "ortc.cache.source/1");
  CHECK(fields.has_value());
  (*fields)[0].second.replace(0, 32, std::string(32, 'a'));
  CHECK_OK(write_record(path_folder(path), path_file_name(path), "ortc.cache.source/1", *fields));
  CHECK_EQ(reading.read().files[0].hash.hex(), std::string(32, 'a'));
  // A damaged one is as good as none.
  put_file(path, get_file(path) + "x");
  CHECK(reading.read().files == content.files);
}

TEST(source_content, another_time_inode_or_size_is_not_believed) {
  const CacheFixture& fixture = old_model();
  const Reading reading{fixture};
  const SourceContent content = reading.read();
  CHECK(*reading.reader.is_unchanged(content));
  const std::string path = only_memory(fixture);
  auto fields = read_record(path, "ortc.cache.source/1");
  (*fields)[0].second.replace(0, 32, std::string(32, 'a'));
  CHECK_OK(write_record(path_folder(path), path_file_name(path), "ortc.cache.source/1", *fields));
  // The time that a program can set is back where it was; the other is not.
  const auto time = fs::last_write_time(fixture.source);
  std::string text = get_file(fixture.source);
  put_file(fixture.source, text);
  fs::last_write_time(fixture.source, time);
  CHECK(!*reading.reader.is_unchanged(content));
  CHECK(reading.read().files[0].hash == content.files[0].hash);
}

TEST(source_content, a_file_that_may_change_unseen_is_read_again) {
  const CacheFixture fixture("unseen");
  const Reading reading{fixture};
  const SourceContent content = reading.read();
  CHECK(*reading.reader.is_unchanged(content));
  std::string text = get_file(fixture.source);
  text[text.size() / 2] ^= 1;
  put_file(fixture.source, text);
  CHECK(!*reading.reader.is_unchanged(content));
}

TEST(source_content, a_compiled_model_is_told_by_its_nodes_and_not_hashed) {
  const CacheFixture fixture("compiled");
  CacheFixture compiled = fixture;
  compiled.source = fixture.folder + "/m_ctx.onnx";
  compile_to(fixture.source, compiled.source);
  const Reading reading{compiled};
  const SourceContent content = reading.read();
  CHECK(content.is_compiled);
  CHECK_EQ(content.files.size(), 1u);
  CHECK(content.files[0].hash == Hash128{});
}

TEST(source_content, what_cannot_be_read_is_a_failure) {
  CacheFixture fixture("unreadable");
  fs::remove(fixture.source);
  const Reading reading{fixture};
  CHECK(!reading.reader.read().is_ok());
  fixture.options.cancel_load->store(true);
  put_file(fixture.source, small_network());
  CHECK_CODE(reading.reader.read(), Code::kModelLoadCanceled);
}
