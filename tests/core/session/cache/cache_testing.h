// SPDX-License-Identifier: MIT
// Sessions with a cache, and what is in its folder.
#pragma once

#include <atomic>

#include "core/platform/path.h"
#include "core/session/cache/cache_entry.h"
#include "core/session/cache/load_or_compile.h"
#include "tests/core/platform/platform_files.h"
#include "tests/support/session_support.h"

namespace ortc::test {

// A model in a file, a cache, and sessions of the one with the other.
struct CacheFixture {
  std::string folder, source, cache;
  std::shared_ptr<std::atomic<int>> warnings = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<const Environment> environment;
  SessionOptions options;

  explicit CacheFixture(const std::string& name) {
    folder = fresh_folder(name);
    source = folder + "/m.onnx";
    cache = folder + "/cache";
    put_file(source, small_network());
    auto sink = std::make_shared<const LogSink>([count = warnings](const LogRecord& record) {
      if (record.category == "cache") ++*count;
    });
    environment = std::make_shared<const Environment>(Logger(sink, "test", Severity::kWarning),
                                                      built_in_providers());
    options = options_with(*environment, {"AOT"});
    options.context.cache_folder = cache;
  }

  MadeModel make() const { return make(file_source(source)); }
  MadeModel make(const ModelSource& model) const {
    auto made = make_model(environment, model, options);
    CHECK_OK(made);
    return std::move(made).value();
  }
  // What a session of the source gives.
  std::vector<Tensor> expected(const MadeModel& like) const {
    SessionOptions plain = options;
    plain.context.cache_folder.clear();
    const auto session = Session::create(environment, file_source(source), plain);
    CHECK_OK(session);
    return run_all(**session, {random_input(like.ports().inputs[0], 3, 7)});
  }
  void check_results(const MadeModel& made) const {
    const auto input = random_input(made.ports().inputs[0], 3, 7);
    CHECK(same_bits(run_all(*made.session, {input}), expected(made)));
  }
  CacheFolder cache_folder() const { return CacheFolder(cache); }
  size_t entry_count() const { return cache_folder().entries().size(); }
  std::string only_entry() const {
    CHECK_EQ(entry_count(), 1u);
    return cache_folder().entry_path(cache_folder().entries()[0]);
  }
};

inline const CacheReport& cache_report(const MadeModel& made) { return made.facts()->report.cache; }

}  // namespace ortc::test
