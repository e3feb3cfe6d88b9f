// SPDX-License-Identifier: MIT
// Loading from a cache, and compiling into it.
#include "core/session/cache/load_or_compile.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/platform/shared_folder/file_stamp.h"
#include "core/platform/shared_folder/named_lock.h"
#include "core/session/cache/cache_room.h"
#include "tests/core/session/cache/cache_testing.h"
#include "tests/support/processes.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

TEST(load_or_compile, the_first_session_makes_an_entry_and_the_second_loads_it) {
  const CacheFixture fixture("first");
  const MadeModel first = fixture.make();
  CHECK_EQ(cache_report(first).result, "made");
  CHECK_EQ(cache_report(first).reason, "");
  CHECK(cache_report(first).compile_ns > 0);
  const MadeModel second = fixture.make();
  CHECK_EQ(cache_report(second).result, "hit");
  CHECK_EQ(cache_report(second).key, cache_report(first).key);
  CHECK(second.facts()->report.loaded_from_context);
  fixture.check_results(first);
  fixture.check_results(second);
  CHECK_EQ(fixture.warnings->load(), 0);
  CHECK(fixture.cache_folder().makings().empty());
  CHECK(fixture.cache_folder().locks().empty());
}

TEST(load_or_compile, a_model_from_memory_has_the_entry_of_the_same_model_in_a_file) {
  const CacheFixture fixture("memory");
  const MadeModel first = fixture.make(memory_source(small_network()));
  CHECK_EQ(cache_report(first).result, "made");
  CHECK_EQ(cache_report(fixture.make()).result, "hit");
  CHECK_EQ(cache_report(fixture.make(memory_source(small_network()))).result, "hit");
}

TEST(load_or_compile, a_model_of_the_same_size_under_the_same_name_is_another_one) {
  const CacheFixture fixture("other");
  const MadeModel first = fixture.make();
  const std::string other = small_network(40, 9);
  CHECK_EQ(other.size(), fs::file_size(fixture.source));
  put_file(fixture.source, other);  // in place, at once
  const MadeModel second = fixture.make();
  CHECK_EQ(cache_report(second).result, "made");
  fixture.check_results(second);
  put_file(fixture.source, small_network());
  const MadeModel third = fixture.make();
  CHECK_EQ(cache_report(third).result, "hit");
  CHECK_EQ(cache_report(third).key, cache_report(first).key);
  fixture.check_results(third);
}

TEST(load_or_compile, weights_in_other_files_belong_to_the_key) {
  CacheFixture fixture("external");
  put_file(fixture.source, small_network(100));  // a small file would be known by its hash
  SessionOptions writing = options_with(*fixture.environment, {});
  writing.optimised_model.path = fixture.folder + "/e.onnx";
  writing.optimised_model.external_file = "e.bin";
  writing.optimised_model.external_threshold = 0;
  CHECK_OK(Session::create(fixture.environment, file_source(fixture.source), writing));
  fixture.source = writing.optimised_model.path;
  const std::string weights = get_file(fixture.folder + "/e.bin");
  const MadeModel first = fixture.make();
  CHECK_EQ(cache_report(first).result, "made");
  fixture.check_results(first);
  std::string others = weights;
  for (size_t i = 3; i < others.size() - 64; i += 4) others[i] ^= '\x80';  // signs
  put_file(fixture.folder + "/e.bin", others);
  const MadeModel second = fixture.make();
  CHECK_EQ(cache_report(second).result, "made");
  fixture.check_results(second);
  put_file(fixture.folder + "/e.bin", weights);
  CHECK_EQ(cache_report(fixture.make()).result, "hit");
}

TEST(load_or_compile, tensors_that_stand_for_initializers_belong_to_the_key) {
  CacheFixture fixture("initializers");
  CHECK_EQ(cache_report(fixture.make()).result, "made");
  fixture.options.initializers["w1"] = Tensor::from<float>({40, 40}, random_numbers(1600, 77));
  const MadeModel second = fixture.make();
  CHECK_EQ(cache_report(second).result, "made");
  const MadeModel third = fixture.make();
  CHECK_EQ(cache_report(third).result, "hit");
  fixture.check_results(third);
}

TEST(load_or_compile, sessions_that_share_contexts_have_an_entry_too) {
  CacheFixture fixture("share");
  fixture.options.context.share = true;
  const MadeModel first = fixture.make();
  CHECK_EQ(cache_report(first).result, "made");
  const MadeModel second = fixture.make();
  CHECK_EQ(cache_report(second).result, "hit");
  fixture.check_results(second);
  fixture.options.context.share = false;
  CHECK_EQ(cache_report(fixture.make()).result, "hit");
}

TEST(load_or_compile, a_damaged_entry_is_made_again_and_said_once) {
  const char* const kFiles[] = {"entry", "model_ctx.onnx", "model_aot.bin"};
  for (const char* name : kFiles) {
    for (const bool is_cut : {true, false}) {
      const CacheFixture fixture("damaged");
      fixture.make();
      const std::string path = path_join(fixture.only_entry(), name);
      std::string text = get_file(path);
      if (is_cut) text.resize(text.size() / 2);
      if (!is_cut) text[0] = static_cast<char>(~text[0]);
      put_file(path, text);
      const MadeModel again = fixture.make();
      CHECK_EQ(cache_report(again).result, "made");
      CHECK(has_text(cache_report(again).reason, "damaged"));
      CHECK_EQ(fixture.warnings->load(), 1);
      fixture.check_results(again);
      CHECK_EQ(cache_report(fixture.make()).result, "hit");
      CHECK_EQ(fixture.warnings->load(), 1);
    }
  }
}

// With room for one more file, for two, and so on, until the entry loads.
TEST(load_or_compile, an_entry_stays_when_the_process_is_short_of_descriptors) {
  const CacheFixture fixture("descriptors");
  fixture.make();
  const auto record = identity_at(fixture.only_entry() + "/entry");
  rlimit whole{};
  CHECK_EQ(getrlimit(RLIMIT_NOFILE, &whole), 0);
  const int next = dup(0);
  close(next);
  int bypassed = 0;
  for (rlim_t room = 0; room < 20; ++room) {
    const rlimit little{static_cast<rlim_t>(next) + room, whole.rlim_max};
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &little), 0);
    const auto made =
        make_model(fixture.environment, memory_source(small_network()), fixture.options);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &whole), 0);
    CHECK_OK(made);
    CHECK(identity_at(fixture.only_entry() + "/entry") == record);
    if (cache_report(*made).result == "hit") break;
    CHECK_EQ(cache_report(*made).result, "bypassed");
    ++bypassed;
  }
  CHECK(bypassed > 0 && bypassed < 20);
}

TEST(load_or_compile, a_file_that_is_missing_from_an_entry_is_made_again) {
  const CacheFixture fixture("missing");
  fixture.make();
  fs::remove(fixture.only_entry() + "/model_aot.bin");
  CHECK_EQ(cache_report(fixture.make()).result, "made");
  fs::remove_all(fixture.cache);
  const MadeModel third = fixture.make();
  CHECK_EQ(cache_report(third).result, "made");
  fixture.check_results(third);
}

TEST(load_or_compile, whatever_fails_to_be_written_the_session_is_made) {
  int made_count = 0, failed_count = 0;
  for (int n = 1;; ++n) {
    const CacheFixture fixture("failing");
    int count = 0;
    set_write_operation_hook([&](const char*, const std::string& path) {
      return ++count == n ? fail("no space left on device for '", path, "'") : Status::ok();
    });
    const MadeModel made = fixture.make();
    set_write_operation_hook(nullptr);
    fixture.check_results(made);
    CHECK(fixture.warnings->load() <= 1);
    if (cache_report(made).result == "bypassed") {
      CHECK(has_text(cache_report(made).reason, "no space left"));
      CHECK_EQ(fixture.warnings->load(), 1);
      ++failed_count;
    }
    // The next one is not the worse for it.
    const MadeModel next = fixture.make();
    CHECK(cache_report(next).result == "made" || cache_report(next).result == "hit");
    fixture.check_results(next);
    if (count < n) break;
    ++made_count;
  }
  CHECK(made_count > 20);
  CHECK(failed_count > 8);
}

TEST(load_or_compile, wherever_a_process_ends_the_next_one_finds_nothing_wrong) {
  int whole = 0, none = 0;
  for (int n = 1;; ++n) {
    const CacheFixture fixture("ending");
    const bool has_ended = dies_at_operation(n, [&] { fixture.make(); });
    const MadeModel next = fixture.make();
    const std::string& result = cache_report(next).result;
    CHECK(result == "made" || result == "hit");
    CHECK_EQ(cache_report(next).reason, "");
    CHECK_EQ(fixture.warnings->load(), 0);
    fixture.check_results(next);
    ++(result == "hit" ? whole : none);
    CHECK_OK(prune_cache(fixture.cache_folder(), UINT64_MAX, {}));
    CHECK(fixture.cache_folder().makings().empty());
    CHECK(fixture.cache_folder().gone().empty());
    CHECK(fixture.cache_folder().locks().empty());
    CHECK_EQ(fixture.entry_count(), 1u);
    if (!has_ended) break;
  }
  CHECK(whole > 0);
  CHECK(none > 15);
}

TEST(load_or_compile, what_was_unused_for_the_longest_time_makes_room) {
  CacheFixture fixture("room");
  fixture.make();
  const std::string first_key = fixture.cache_folder().entries()[0];
  const uint64_t bytes = cache_use(fixture.cache_folder())[0].bytes;
  fixture.options.context.cache_bytes_max = bytes * 5 / 2;
  const auto make = [&](unsigned seed) {
    usleep(20'000);
    put_file(fixture.source, small_network(40, seed));
    return cache_report(fixture.make());
  };
  const std::string second_key = make(21).key;
  // The first one was used again, more than an hour after it was made.
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(2);
  for (const std::string& key : fixture.cache_folder().entries()) {
    fs::last_write_time(fixture.cache_folder().entry_path(key) + "/entry", hour_ago);
  }
  put_file(fixture.source, small_network());
  CHECK_EQ(cache_report(fixture.make()).result, "hit");
  const std::string third_key = make(22).key;
  CHECK_EQ(fixture.entry_count(), 2u);
  CHECK(path_exists(fixture.cache_folder().entry_path(first_key)));
  CHECK(path_exists(fixture.cache_folder().entry_path(third_key)));
  CHECK(!path_exists(fixture.cache_folder().entry_path(second_key)));
}

TEST(load_or_compile, what_is_larger_than_the_cache_runs_but_is_not_kept) {
  CacheFixture fixture("large");
  // What the source takes would fit, or would not.
  const std::pair<uint64_t, const char*> kLimits[] = {{15000, "made"}, {1000, "bypassed"}};
  for (const auto& [bytes_max, result] : kLimits) {
    fixture.options.context.cache_bytes_max = bytes_max;
    *fixture.warnings = 0;
    const MadeModel made = fixture.make();
    CHECK_EQ(cache_report(made).result, result);
    CHECK(
        has_text(cache_report(made).reason, str_cat("ep.context_cache_max_bytes is ", bytes_max)));
    CHECK_EQ(fixture.entry_count(), 0u);
    CHECK(fixture.cache_folder().makings().empty());
    CHECK_EQ(fixture.warnings->load(), 1);
    fixture.check_results(made);
  }
}

TEST(load_or_compile, a_session_keeps_what_is_pruned_under_it) {
  const CacheFixture fixture("pruned");
  fixture.make();
  const MadeModel hit = fixture.make();
  CHECK_OK(prune_cache(fixture.cache_folder(), 0, {}));
  CHECK_EQ(fixture.entry_count(), 0u);
  fixture.check_results(hit);
}

TEST(load_or_compile, where_compiling_is_forbidden_an_entry_is_loaded) {
  CacheFixture fixture("forbidden");
  fixture.options.context.disable_compile = true;
  CHECK_CODE(make_model(fixture.environment, file_source(fixture.source), fixture.options),
             Code::kModelRequiresCompilation);
  CHECK(!path_exists(fixture.cache));
  fixture.options.context.disable_compile = false;
  fixture.make();
  fixture.options.context.disable_compile = true;
  CHECK_EQ(cache_report(fixture.make()).result, "hit");
}

TEST(load_or_compile, progress_never_falls_and_ends_once) {
  const CacheFixture fixture("progress");
  for (const char* expected : {"made", "hit"}) {
    double last = 0;
    int ends = 0;
    bool well = true;
    MakingLimits limits;
    limits.progress = [&](std::string_view stage, std::string_view, double fraction) {
      well = well && fraction >= last && ends == 0;
      last = fraction;
      if (stage == "done") ++ends;
      return Status::ok();
    };
    const auto made =
        make_model(fixture.environment, file_source(fixture.source), fixture.options, limits);
    CHECK_OK(made);
    CHECK_EQ(cache_report(*made).result, expected);
    CHECK(well);
    CHECK_EQ(ends, 1);
    CHECK_EQ(last, 1.0);
  }
}

TEST(load_or_compile, what_the_progress_function_says_ends_it) {
  const CacheFixture fixture("stopped");
  for (int n = 0;; ++n) {
    int calls = 0;
    MakingLimits limits;
    limits.progress = [&](std::string_view stage, std::string_view, double) -> Status {
      return calls++ == n && stage != "done" ? make_status(Code::kEngineError, "enough")
                                             : Status::ok();
    };
    const auto made =
        make_model(fixture.environment, file_source(fixture.source), fixture.options, limits);
    if (made.is_ok()) break;
    CHECK_CODE(made, Code::kEngineError);
    CHECK(has_text(made.status().message(), "enough"));
    CHECK(fixture.cache_folder().makings().empty());
  }
  CHECK_EQ(fixture.warnings->load(), 0);
}

TEST(load_or_compile, a_source_that_changes_while_it_is_compiled_makes_no_entry) {
  const CacheFixture fixture("changing");
  bool has_changed = false;
  MakingLimits limits;
  limits.progress = [&](std::string_view stage, std::string_view, double) {
    if (stage == "compile" && !has_changed) {
      put_file(fixture.folder + "/new", small_network(40, 5));
      fs::rename(fixture.folder + "/new", fixture.source);
      has_changed = true;
    }
    return Status::ok();
  };
  const auto made =
      make_model(fixture.environment, file_source(fixture.source), fixture.options, limits);
  CHECK_OK(made);
  CHECK_EQ(cache_report(*made).result, "bypassed");
  CHECK(has_text(cache_report(*made).reason, "changed while it was compiled"));
  CHECK_EQ(fixture.entry_count(), 0u);
  fixture.check_results(*made);
}

TEST(load_or_compile, where_nothing_is_to_be_compiled_nobody_tries_again) {
  CacheFixture fixture("nothing");
  put_file(fixture.source, get_file(source_dir() + "/tests/data/texts.onnx"));
  for (int i = 0; i < 2; ++i) {
    const MadeModel made = fixture.make();
    CHECK_EQ(cache_report(made).result, "bypassed");
    CHECK_EQ(cache_report(made).reason, "no execution provider takes a node of the model");
  }
  CHECK_EQ(fixture.entry_count(), 1u);
  CHECK_EQ(fixture.warnings->load(), 0);
}

TEST(load_or_compile, compiled_models_and_sessions_without_providers_do_without_the_cache) {
  CacheFixture fixture("compiled");
  compile_to(fixture.source, fixture.folder + "/m_ctx.onnx");
  const MadeModel compiled = fixture.make(file_source(fixture.folder + "/m_ctx.onnx"));
  CHECK_EQ(cache_report(compiled).result, "bypassed");
  CHECK_EQ(cache_report(compiled).reason, "the model is compiled already");
  fixture.options.providers.clear();
  CHECK_EQ(cache_report(fixture.make()).reason, "no execution provider of the session compiles");
  CHECK_EQ(fixture.warnings->load(), 0);
  CHECK(!path_exists(fixture.cache));
}

TEST(load_or_compile, what_is_wrong_with_the_model_fails_as_without_a_cache) {
  CacheFixture fixture("wrong");
  SessionOptions plain = fixture.options;
  plain.context.cache_folder.clear();
  const auto check = [&] {
    const auto expected = make_model(fixture.environment, file_source(fixture.source), plain);
    const auto found =
        make_model(fixture.environment, file_source(fixture.source), fixture.options);
    CHECK(!expected.is_ok() && !found.is_ok());
    CHECK_EQ(found.status().to_string(), expected.status().to_string());
  };
  put_file(fixture.source, "no model");
  check();
  put_file(fixture.source, get_file(source_dir() + "/tests/data/unknown_operator.onnx"));
  check();
  fs::remove(fixture.source);
  check();
}

TEST(load_or_compile, a_folder_that_is_a_file_or_cannot_be_made_is_said_once) {
  CacheFixture fixture("no_folder");
  put_file(fixture.cache, "a file");
  const MadeModel made = fixture.make();
  CHECK_EQ(cache_report(made).result, "bypassed");
  CHECK_EQ(fixture.warnings->load(), 1);
  fixture.check_results(made);
  CHECK_EQ(get_file(fixture.cache), "a file");
}

// As another user where the test is root's: root may write anywhere.
TEST(load_or_compile, in_a_folder_that_cannot_be_written_entries_are_found) {
  const CacheFixture fixture("closed");
  fixture.make();
  for (const auto& file : fs::recursive_directory_iterator(fixture.cache)) {
    fs::permissions(file, fs::perms(0555));
  }
  fs::permissions(fixture.cache, fs::perms(0555));
  put_file(fixture.folder + "/other.onnx", small_network(40, 9));
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK_EQ(chdir(fixture.folder.c_str()), 0);
    CHECK(geteuid() != 0 || setuid(65534) == 0);
    CacheFixture here = fixture;
    here.source = "m.onnx";
    here.options.context.cache_folder = "cache";
    const MadeModel hit = here.make();
    CHECK_EQ(cache_report(hit).result, "hit");
    CHECK_EQ(fixture.warnings->load(), 0);
    here.check_results(hit);
    here.source = "other.onnx";
    const MadeModel miss = here.make();
    CHECK_EQ(cache_report(miss).result, "bypassed");
    CHECK(has_text(cache_report(miss).reason, "Permission denied"));
    CHECK_EQ(fixture.warnings->load(), 1);
    here.check_results(miss);
    _exit(0);
  }
  int state = 0;
  CHECK_EQ(waitpid(child, &state, 0), child);
  CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

TEST(load_or_compile, what_others_have_in_the_folder_stays) {
  const CacheFixture fixture("foreign");
  fs::create_directories(fixture.cache + "/ab/photos");
  put_file(fixture.cache + "/ab/photos/1", "1");
  put_file(fixture.cache + "/notes.txt", "2");
  fs::create_directories(fixture.cache + "/sources");
  fixture.make();
  CHECK_OK(prune_cache(fixture.cache_folder(), 0, {}));
  CHECK_EQ(get_file(fixture.cache + "/ab/photos/1"), "1");
  CHECK_EQ(get_file(fixture.cache + "/notes.txt"), "2");
}

TEST(load_or_compile, what_others_are_making_takes_room_as_well) {
  CacheFixture fixture("making");
  const std::string key = cache_report(fixture.make()).key;
  CHECK_OK(prune_cache(fixture.cache_folder(), 0, {}));
  const std::string other(32, 'a');
  const auto lock = NamedLock::try_acquire(fixture.cache_folder().lock_path(other));
  fs::create_directories(fixture.cache_folder().making_path(other));
  CHECK_OK(reserve_room(fixture.cache_folder(), other, 90'000, 100'000, {}));
  fixture.options.context.cache_bytes_max = 100'000;
  const MadeModel made = fixture.make();
  CHECK_EQ(cache_report(made).result, "bypassed");
  CHECK(has_text(cache_report(made).reason, "of which others take 90000"));
  fixture.check_results(made);
  forget_reservation(fixture.cache_folder(), other);
  CHECK_EQ(cache_report(fixture.make()).result, "made");
}
