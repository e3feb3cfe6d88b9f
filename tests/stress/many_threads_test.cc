// SPDX-License-Identifier: MIT
// 64 threads run one session, at several shapes, on a pool of two; and sixteen sessions of one
// context at once. Meant for ThreadSanitizer; the results are checked in every build.
#include <atomic>
#include <filesystem>
#include <thread>

#include "core/platform/file_store.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Fixture {
  std::string source = temp_dir() + "/m.onnx", context = temp_dir() + "/m_ctx.onnx";
  std::shared_ptr<const Environment> environment = quiet_environment();
  std::vector<Tensor> inputs, expected;

  Fixture() {
    write_whole_file(source, small_network());
    compile_to(source, context);
    const auto session = open(context);
    for (unsigned i = 0; i < 8; ++i) {
      const int64_t rows = 1 + 5 * static_cast<int64_t>(i);
      inputs.push_back(
          Tensor::from<float>({rows, 40}, random_numbers(static_cast<size_t>(rows) * 40, i)));
      expected.push_back(run_all(*session, {inputs.back()})[0]);
    }
  }
  std::unique_ptr<Session> open(const std::string& path) const {
    auto session =
        Session::create(environment, file_source(path), options_with(*environment, {"AOT"}, 2));
    CHECK_OK(session);
    return std::move(session).value();
  }
};

// Runs from many threads; the number of wrong results.
int wrong_results(const std::vector<const Session*>& sessions, const Fixture& fixture,
                  int thread_count, int rounds) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      for (int r = 0; r < rounds; ++r) {
        const size_t i = static_cast<size_t>(t + r) % fixture.inputs.size();
        const Session& session = *sessions[static_cast<size_t>(t) % sessions.size()];
        const std::string_view x[] = {"x"}, y[] = {"y"};
        const Tensor in[] = {fixture.inputs[i]};
        std::vector<Tensor> out(1);
        const Status status = session.run(x, in, y, out);
        if (!status.is_ok() || !same_bits(out, {fixture.expected[i]})) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

}  // namespace

TEST(stress, sixty_four_threads_on_one_session_get_the_right_bits) {
  const Fixture fixture;
  for (const std::string& path : {fixture.source, fixture.context}) {
    const auto session = fixture.open(path);
    CHECK_EQ(wrong_results({session.get()}, fixture, 64, 20), 0);
  }
}

TEST(stress, sixteen_sessions_of_one_context_run_at_once) {
  const Fixture fixture;
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<const Session*> pointers;
  for (int i = 0; i < 16; ++i) {
    sessions.push_back(fixture.open(fixture.context));
    pointers.push_back(sessions.back().get());
  }
  CHECK_EQ(FileStore::of_process().file_count(), 1u);
  CHECK_EQ(wrong_results(pointers, fixture, 16, 20), 0);
}

TEST(stress, sixteen_sessions_go_on_while_their_context_is_replaced_and_deleted) {
  const Fixture fixture;
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<const Session*> pointers;
  for (int i = 0; i < 16; ++i) {
    sessions.push_back(fixture.open(fixture.context));
    pointers.push_back(sessions.back().get());
  }
  std::atomic<bool> gone{false};
  std::thread replacer([&] {
    const std::string other = temp_dir() + "/other";
    std::filesystem::create_directories(other);
    write_whole_file(other + "/m.onnx", small_network(40, 9));
    compile_to(other + "/m.onnx", other + "/m_ctx.onnx");
    for (const char* name : {"/m_aot.bin", "/m_ctx.onnx"}) {
      std::filesystem::rename(other + name, temp_dir() + name);
    }
    for (const char* name : {"/m_aot.bin", "/m_ctx.onnx", "/m.onnx"}) {
      std::filesystem::remove(temp_dir() + name);
    }
    gone = true;
  });
  int wrong = 0;
  do {
    wrong += wrong_results(pointers, fixture, 16, 5);
  } while (!gone);
  replacer.join();
  CHECK_EQ(wrong + wrong_results(pointers, fixture, 16, 5), 0);
}

TEST(stress, sessions_are_made_and_released_while_others_run) {
  const Fixture fixture;
  const auto session = fixture.open(fixture.context);
  std::atomic<bool> stop{false};
  std::thread maker([&] {
    while (!stop) fixture.open(fixture.context);
  });
  CHECK_EQ(wrong_results({session.get()}, fixture, 8, 30), 0);
  stop = true;
  maker.join();
}
