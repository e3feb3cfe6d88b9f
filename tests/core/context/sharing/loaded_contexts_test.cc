// SPDX-License-Identifier: MIT
// Sessions that share an opened binary: what is kept, how long, in which order they come and go.
#include "core/context/sharing/loaded_contexts.h"

#include <filesystem>
#include <random>
#include <thread>

#include "core/session/stages.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;
namespace fs = std::filesystem;

namespace {

constexpr int kModels = 3;

// m0 to m2 of one group, beside their sources.
const std::string& group_folder() {
  static const std::string folder = [] {
    const std::string made = temp_dir() + "/group";
    fs::create_directory(made);
    const auto environment = quiet_environment();
    for (int i = 0; i < kModels; ++i) {
      const std::string source = str_cat(made, "/m", i, ".onnx");
      write_whole_file(source, small_network(40 + i));
      SessionOptions session = options_with(*environment, {"AOT"});
      session.context.share = true;
      session.context.stop_share = i + 1 == kModels;
      CompileOptions compile = CompileOptions::from(session);
      compile.input = file_source(source);
      CHECK_OK(compile_to_output(environment, compile));
    }
    return made;
  }();
  return folder;
}

Result<std::unique_ptr<Session>> load(const std::shared_ptr<const Environment>& environment, int i,
                                      bool shares = true) {
  SessionOptions options = options_with(*environment, {"AOT"});
  options.context.share = shares;
  options.context.disable_compile = true;
  return Session::create(environment, file_source(str_cat(group_folder(), "/m", i, "_ctx.onnx")),
                         options);
}

Tensor input_of(int i) {
  const int64_t width = 40 + i;
  return Tensor::from<float>({2, width}, random_numbers(static_cast<size_t>(2 * width), 7));
}

const std::vector<Tensor>& expected_of(int i) {
  static const auto all = [] {
    std::vector<std::vector<Tensor>> made;
    const auto environment = quiet_environment();
    for (int k = 0; k < kModels; ++k) {
      const auto session =
          Session::create(environment, file_source(str_cat(group_folder(), "/m", k, ".onnx")),
                          options_with(*environment, {"AOT"}));
      CHECK_OK(session);
      made.push_back(run_all(**session, {input_of(k)}));
    }
    return made;
  }();
  return all[static_cast<size_t>(i)];
}

void check_answers(const Session& session, int i) {
  CHECK(same_bits(run_all(session, {input_of(i)}), expected_of(i)));
}

}  // namespace

TEST(loaded_contexts, are_held_until_each_graph_was_taken) {
  const auto environment = quiet_environment();
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < kModels; ++i) {
    CHECK_EQ(environment->loaded_contexts().held_count(), i == 0 ? 0u : 1u);
    auto session = load(environment, i);
    CHECK_OK(session);
    sessions.push_back(std::move(session).value());
  }
  CHECK_EQ(environment->loaded_contexts().held_count(), 0u);
  for (int i = 0; i < kModels; ++i) check_answers(*sessions[static_cast<size_t>(i)], i);
}

TEST(loaded_contexts, a_graph_that_was_taken_can_be_had_again) {
  const auto environment = quiet_environment();
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kModels; ++i) {
      const auto session = load(environment, i);
      CHECK_OK(session);
      check_answers(**session, i);
    }
  }
  CHECK_EQ(environment->loaded_contexts().held_count(), 0u);
}

TEST(loaded_contexts, sessions_that_do_not_ask_leave_nothing_behind) {
  const auto environment = quiet_environment();
  const auto session = load(environment, 0, /*shares=*/false);
  CHECK_OK(session);
  CHECK_EQ(environment->loaded_contexts().held_count(), 0u);
}

TEST(loaded_contexts, a_file_that_was_replaced_is_another_one) {
  const auto environment = quiet_environment();
  const auto before = load(environment, 0);
  CHECK_OK(before);
  const std::string folder = temp_dir() + "/replaced";
  fs::copy(group_folder(), folder);
  SessionOptions options = options_with(*environment, {"AOT"});
  options.context.share = true;
  const auto first = Session::create(environment, file_source(folder + "/m0_ctx.onnx"), options);
  CHECK_OK(first);
  // The binary of another compile under the same name: the models were not written with it.
  const std::string other = temp_dir() + "/other.onnx";
  write_whole_file(other, small_network(40, 9));
  compile_to(other, temp_dir() + "/other_ctx.onnx");
  fs::rename(temp_dir() + "/other_aot.bin", folder + "/m0_aot.bin");
  const auto second = Session::create(environment, file_source(folder + "/m1_ctx.onnx"), options);
  CHECK_CODE(second, Code::kInvalidGraph);
  check_answers(**first, 0);
}

TEST(loaded_contexts, of_files_that_were_replaced_are_let_go) {
  const auto environment = quiet_environment();
  const std::string folder = temp_dir() + "/compiled_again";
  SessionOptions options = options_with(*environment, {"AOT"});
  options.context.share = true;
  for (int round = 0; round < 3; ++round) {
    fs::remove_all(folder);
    fs::copy(group_folder(), folder);
    CHECK_OK(Session::create(environment, file_source(folder + "/m0_ctx.onnx"), options));
    CHECK_EQ(environment->loaded_contexts().held_count(), 1u);
  }
}

TEST(loaded_contexts, sixteen_threads_make_run_and_end_sessions_in_any_order) {
  const auto environment = quiet_environment();
  for (int i = 0; i < kModels; ++i) expected_of(i);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      std::vector<std::pair<std::unique_ptr<Session>, int>> mine;
      for (int step = 0; step < 64; ++step) {
        const int model = static_cast<int>(random() % kModels);
        if (mine.size() < 3 || random() % 2 == 0) {
          auto session = load(environment, model, random() % 4 != 0);
          CHECK_OK(session);
          mine.emplace_back(std::move(session).value(), model);
        }
        const size_t chosen = random() % mine.size();
        check_answers(*mine[chosen].first, mine[chosen].second);
        if (mine.size() > 4) mine.erase(mine.begin() + static_cast<long>(random() % mine.size()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
