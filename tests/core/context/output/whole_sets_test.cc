// SPDX-License-Identifier: MIT
// Compiling that ends anywhere, beside another writer, or on a full file system: what is there is
// the old set or the new one, whole.
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/platform/file_store.h"
#include "core/platform/path.h"
#include "tests/core/context/output/output_routes_testing.h"
#include "tests/support/processes.h"

namespace fs = std::filesystem;
using namespace ortc;
using namespace ortc::test;

TEST(whole_sets, end_anywhere_with_the_old_or_the_new_set) {
  const std::string sources = next_folder();
  const std::string first = put_network(sources), second = put_network(sources, "n.onnx", 8);
  const std::string plain = next_folder();
  CHECK_OK(compile(first, plain + "/m_ctx.onnx", "sub/w.bin"));
  const auto old_result = result_of(load(plain + "/m_ctx.onnx"));
  CHECK_OK(compile(second, plain + "/m_ctx.onnx", "sub/w.bin"));
  const auto new_result = result_of(load(plain + "/m_ctx.onnx"));
  int new_sets = 0;
  bool has_died = true;
  for (int n = 1; has_died; ++n) {
    const std::string folder = next_folder();
    CHECK_OK(compile(first, folder + "/m_ctx.onnx", "sub/w.bin"));
    put_file(folder + "/theirs", "theirs");
    has_died = dies_at_operation(
        n, [&] { CHECK_OK(compile(second, folder + "/m_ctx.onnx", "sub/w.bin")); });
    const auto result = result_of(load(folder + "/m_ctx.onnx"));
    CHECK(same_bits(result, old_result) || same_bits(result, new_result));
    new_sets += same_bits(result, new_result);
    CHECK_OK(compile(second, folder + "/m_ctx.onnx", "sub/w.bin"));
    CHECK(same_bits(result_of(load(folder + "/m_ctx.onnx")), new_result));
    CHECK(
        (names_in(folder) == std::vector<std::string>{"m_aot.bin", "m_ctx.onnx", "sub", "theirs"}));
    CHECK_EQ(names_in(folder + "/sub").size(), 1u);
    fs::remove_all(folder);
  }
  CHECK(new_sets > 2);
}

// A model in memory goes with the set it was written with: before the commit point with none.
TEST(whole_sets, end_anywhere_in_a_stream_and_the_files_are_the_old_or_the_new_ones) {
  const std::string sources = next_folder();
  const std::string first = put_network(sources), second = put_network(sources, "n.onnx", 8);
  const std::string plain = next_folder();
  std::string old_model, new_model;
  CHECK_OK(compile_to_stream(first, plain, &old_model, "w.bin"));
  const auto old_result = result_of(load_from_memory(old_model, plain));
  CHECK_OK(compile_to_stream(second, plain, &new_model, "w.bin"));
  const auto new_result = result_of(load_from_memory(new_model, plain));
  CHECK_CODE(load_from_memory(old_model, plain), Code::kInvalidGraph);
  int new_sets = 0;
  bool has_died = true;
  for (int n = 1; has_died; ++n) {
    const std::string folder = next_folder();
    std::string model;
    CHECK_OK(compile_to_stream(first, folder, &model, "w.bin"));
    CHECK(model == old_model);
    has_died = dies_at_operation(n, [&] {
      std::string streamed;
      CHECK_OK(compile_to_stream(second, folder, &streamed, "w.bin"));
    });
    const auto old_session = load_from_memory(old_model, folder);
    const auto new_session = load_from_memory(new_model, folder);
    CHECK(old_session.is_ok() != new_session.is_ok());
    if (old_session.is_ok()) CHECK(same_bits(result_of(old_session), old_result));
    if (new_session.is_ok()) CHECK(same_bits(result_of(new_session), new_result));
    new_sets += new_session.is_ok();
    fs::remove_all(folder);
  }
  CHECK(new_sets > 2);
}

TEST(whole_sets, of_two_writers_at_once_leave_one_whole_set) {
  const std::string folder = next_folder(), sources = next_folder();
  const std::string model[2] = {put_network(sources, "a.onnx", 1),
                                put_network(sources, "b.onnx", 2)};
  pid_t children[2];
  for (int i = 0; i < 2; ++i) {
    children[i] = fork();
    CHECK(children[i] >= 0);
    if (children[i] != 0) continue;
    bool well = true;
    for (int round = 0; round < 8; ++round) {
      well &= compile(model[i], folder + "/m_ctx.onnx", "w.bin").is_ok();
    }
    _exit(well ? 0 : 1);
  }
  int loads = 0;
  for (int running = 2; running > 0;) {
    const auto session = load(folder + "/m_ctx.onnx");
    if (session.is_ok()) ++loads;
    // Before the first set there is none; never half of one.
    if (!session.is_ok()) CHECK_CODE(session, Code::kNoSuchFile);
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) <= 0) continue;
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    --running;
  }
  CHECK(loads > 0);
  CHECK_OK(load(folder + "/m_ctx.onnx"));
  CHECK_EQ(names_in(folder).size(), 3u);
}

TEST(whole_sets, keep_the_old_files_when_the_file_system_is_full) {
  const std::string folder = next_folder(), sources = next_folder();
  if (mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=160k") != 0) {
    std::fprintf(stderr, "SKIPPED: this system does not let the test mount a file system\n");
    return;
  }
  std::string model, large;
  CHECK_OK(compile_to_stream(put_network(sources), folder, &model, "w.bin"));
  const auto files = names_in(folder);
  const auto before = result_of(load_from_memory(model, folder));
  put_file(sources + "/large.onnx", small_network(300));
  const Status streamed = compile_to_stream(sources + "/large.onnx", folder, &large, "w.bin");
  const Status written = compile(sources + "/large.onnx", folder + "/n_ctx.onnx");
  const bool is_intact =
      names_in(folder) == files && same_bits(result_of(load_from_memory(model, folder)), before);
  CHECK_EQ(umount2(folder.c_str(), MNT_DETACH), 0);
  check_refused(streamed, "No space left on device");
  check_refused(written, "No space left on device");
  CHECK(large.empty());
  CHECK(is_intact);
}

// A journal is looked for beside the name that a reader opens: one who comes through a link from
// elsewhere does not see what is committed but not renamed yet.
TEST(whole_sets, that_end_anywhere_are_never_mixed_for_readers_through_a_link) {
  const std::string sources = next_folder(), plain = next_folder();
  const std::string first = put_network(sources), second = put_network(sources, "n.onnx", 8);
  CHECK_OK(compile(first, plain + "/m_ctx.onnx", "w.bin"));
  const auto old_result = result_of(load(plain + "/m_ctx.onnx"));
  CHECK_OK(compile(second, plain + "/m_ctx.onnx", "w.bin"));
  const auto new_result = result_of(load(plain + "/m_ctx.onnx"));
  int refused = 0;
  bool has_died = true;
  for (int n = 1; has_died; ++n) {
    const std::string folder = next_folder(), elsewhere = next_folder();
    CHECK_OK(compile(first, folder + "/m_ctx.onnx", "w.bin"));
    fs::create_symlink(folder + "/m_ctx.onnx", elsewhere + "/link.onnx");
    has_died =
        dies_at_operation(n, [&] { CHECK_OK(compile(second, folder + "/m_ctx.onnx", "w.bin")); });
    const auto session = load(elsewhere + "/link.onnx");
    if (session.is_ok()) {
      const auto result = result_of(session);
      CHECK(same_bits(result, old_result) || same_bits(result, new_result));
    } else {
      CHECK_CODE(session, Code::kInvalidGraph);
      CHECK(has_text(session.status().message(), "generation"));
      ++refused;
    }
    // The next writer carries out what was committed.
    CHECK_OK(compile(second, folder + "/m_ctx.onnx", "w.bin"));
    CHECK(same_bits(result_of(load(elsewhere + "/link.onnx")), new_result));
    fs::remove_all(folder);
  }
  CHECK(refused > 0 && refused < 8);
}
