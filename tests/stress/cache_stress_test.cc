// SPDX-License-Identifier: MIT
// One cache under many processes at once, on a disk that is too small for it: sessions of many
// models, some killed at any moment, while another process prunes. Every session gives the right
// bits, no two processes compile one key at a time, and what is kept stays within its limit.
//
//   ORTC_CACHE_STRESS="PROCESSES MODELS SECONDS"   "8 4 3" when it is not set
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "core/platform/clock.h"
#include "core/platform/shared_folder/folder_tree.h"
#include "core/session/cache/cache_room.h"
#include "tests/core/session/cache/cache_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr size_t kSlots = size_t{1} << 16;

// What the processes tell each other, in memory that they share.
struct Board {
  std::atomic<int> hit, made, waited, bypassed, full;
  std::atomic<int> wrong, overlaps, beyond_limit, measured;
  std::atomic<bool> is_over;
  std::atomic<pid_t> compiling[kSlots];  // by the first digits of a key

  static Board* make() {
    void* memory =
        mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return static_cast<Board*>(memory);  // zeros
  }
};

struct Size {
  int processes = 8, models = 4, seconds = 3;

  static Size read() {
    Size size;
    if (const char* text = getenv("ORTC_CACHE_STRESS")) {
      CHECK_EQ(sscanf(text, "%d %d %d", &size.processes, &size.models, &size.seconds), 3);
    }
    return size;
  }
};

bool is_dead(pid_t pid) {
  const std::string stat = get_file(str_cat("/proc/", pid, "/stat"));
  const size_t state = stat.rfind(')') + 2;
  return stat.size() <= state || stat[state] == 'Z' || stat[state] == 'X';
}

// Sees compiling begin and end by what is done to the folder in which an entry is made: apart from
// the locks that it checks.
void watch_compiling(Board& board) {
  const pid_t self = getpid();
  set_write_operation_hook([&board, self](const char* operation, const std::string& path) {
    constexpr std::string_view kEnd = ".making";
    if (!path.ends_with(kEnd)) return Status::ok();
    const std::string key = path_stem(path_file_name(path));
    auto& slot = board.compiling[strtoul(key.substr(0, 4).c_str(), nullptr, 16)];
    if (std::string_view(operation) != "make_folder") {
      pid_t own = self;
      slot.compare_exchange_strong(own, 0);
      return Status::ok();
    }
    const pid_t other = slot.exchange(self);
    if (other == 0 || other == self) return Status::ok();
    // One that was killed is gone in a moment.
    for (int i = 0; i < 2000 && !is_dead(other); ++i) usleep(1000);
    if (!is_dead(other)) ++board.overlaps;
    return Status::ok();
  });
}

struct Model {
  std::string path;
  Tensor input;
  std::vector<Tensor> expected;
};

struct Arena {
  std::string folder = fresh_folder("cache_stress");
  std::string cache = folder + "/disk/cache";
  std::shared_ptr<const Environment> environment = quiet_environment();
  std::vector<Model> models;
  uint64_t entry_bytes = 0;  // of the largest
  uint64_t bytes_max = 0;
  bool has_small_disk = false;

  explicit Arena(int model_count) {
    for (int i = 0; i < model_count; ++i) {
      Model model;
      model.path = str_cat(folder, "/m", i, ".onnx");
      put_file(model.path, small_network(120, static_cast<unsigned>(i) * 10 + 1));
      const auto session =
          Session::create(environment, file_source(model.path), options(/*cached=*/false));
      CHECK_OK(session);
      model.input = random_input((*session)->inputs()[0], 3, static_cast<unsigned>(i));
      model.expected = run_all(**session, {model.input});
      models.push_back(std::move(model));
    }
    std::filesystem::create_directories(folder + "/disk");
    CHECK_OK(make_model(environment, file_source(models[0].path), options(true)));
    entry_bytes = cache_use(CacheFolder(cache))[0].bytes;
    std::filesystem::remove_all(cache);
    bytes_max = entry_bytes * static_cast<uint64_t>(model_count) * 3 / 4;
  }
  ~Arena() {
    if (has_small_disk) umount2((folder + "/disk").c_str(), MNT_DETACH);  // or it cannot be removed
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  SessionOptions options(bool cached) const {
    SessionOptions options = options_with(*environment, {"AOT"});
    options.context.cache_folder = cached ? cache : std::string();
    options.context.cache_bytes_max = bytes_max;
    return options;
  }

  // A disk of this process's own, with room for no more than what may be kept.
  void make_disk_small() {
    const uint64_t disk_bytes = bytes_max;
    const std::string text = str_cat("size=", disk_bytes);
    const bool is_apart = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    has_small_disk = is_apart && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                     mount("none", (folder + "/disk").c_str(), "tmpfs", 0, text.c_str()) == 0;
  }
};

void count(Board& board, const CacheReport& report) {
  if (report.result == "hit") ++board.hit;
  if (report.result == "made") ++board.made;
  if (report.result == "waited") ++board.waited;
  if (report.result == "bypassed") ++board.bypassed;
  if (has_text(report.reason, "No space left") || has_text(report.reason, "disk has room")) {
    ++board.full;
  }
}

[[noreturn]] void work(const Arena& arena, Board& board, unsigned seed) {
  watch_compiling(board);
  std::mt19937 random(seed);
  while (!board.is_over) {
    const Model& model = arena.models[random() % arena.models.size()];
    const auto made = make_model(arena.environment, file_source(model.path), arena.options(true));
    if (!made.is_ok()) {
      fprintf(stderr, "a session failed: %s\n", made.status().to_string().c_str());
      ++board.wrong;
      continue;
    }
    count(board, cache_report(*made));
    if (!same_bits(run_all(*made->session, {model.input}), model.expected)) ++board.wrong;
  }
  _exit(0);
}

// Leaves no room on the disk for a moment.
void fill_disk(const Arena& arena) {
  const std::string path = arena.folder + "/disk/hog";
  std::ofstream hog(path, std::ios::binary);
  const std::string piece(4096, 'x');
  for (uint64_t size = 0; hog.good() && size < 2 * arena.bytes_max; size += piece.size()) {
    hog << piece;
    hog.flush();
  }
  usleep(20'000);
  std::filesystem::remove(path);
}

// Prunes and fills the disk now and then, and measures under the lock under which room is taken.
[[noreturn]] void prune(const Arena& arena, Board& board) {
  std::mt19937 random(7);
  const CacheFolder folder(arena.cache);
  while (!board.is_over) {
    usleep(10'000 + random() % 40'000);
    if (arena.has_small_disk && random() % 16 == 0) fill_disk(arena);
    if (random() % 4 == 0) (void)prune_cache(folder, random() % arena.bytes_max, {});
    const auto lock = lock_room(folder, {});
    if (!lock.is_ok()) continue;
    uint64_t bytes = 0;
    for (const CacheUse& use : cache_use(folder)) bytes += use.bytes;
    for (const std::string& key : folder.makings()) bytes += tree_bytes(folder.making_path(key));
    if (bytes > arena.bytes_max) ++board.beyond_limit;
    ++board.measured;
  }
  _exit(0);
}

template <typename Work>
pid_t start(const Work& work) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) work();
  return child;
}

// The processes of the arena; the number of those that were killed.
int run(const Arena& arena, Board& board, const Size& size) {
  unsigned seed = 1;
  const auto start_worker = [&] {
    ++seed;
    return start([&] { work(arena, board, seed); });
  };
  std::vector<pid_t> workers;
  for (int i = 0; i < size.processes; ++i) workers.push_back(start_worker());
  const pid_t pruner = start([&] { prune(arena, board); });
  std::mt19937 random(42);
  int killed = 0;
  const int64_t end_ns = now_ns() + size.seconds * int64_t{1000} * 1000 * 1000;
  while (now_ns() < end_ns) {
    usleep(1000 + random() % 30'000);
    pid_t& worker = workers[random() % workers.size()];
    CHECK_EQ(kill(worker, SIGKILL), 0);
    CHECK_EQ(waitpid(worker, nullptr, 0), worker);
    worker = start_worker();
    ++killed;
  }
  board.is_over = true;
  workers.push_back(pruner);
  for (const pid_t child : workers) {
    int state = 0;
    CHECK_EQ(waitpid(child, &state, 0), child);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  }
  return killed;
}

}  // namespace

TEST(cache_stress, sessions_are_right_whatever_happens_to_their_cache) {
  const Size size = Size::read();
  Arena arena(size.models);
  arena.make_disk_small();
  Board& board = *Board::make();
  const int killed = run(arena, board, size);
  printf(
      "%d processes x %d models, %d s%s: %d hit, %d made, %d waited, %d from the source (disk full "
      "%d), %d killed, measured %d times\n",
      size.processes, size.models, size.seconds, arena.has_small_disk ? "" : ", no small disk",
      board.hit.load(), board.made.load(), board.waited.load(), board.bypassed.load(),
      board.full.load(), killed, board.measured.load());
  CHECK_EQ(board.wrong.load(), 0);
  CHECK_EQ(board.overlaps.load(), 0);
  CHECK_EQ(board.beyond_limit.load(), 0);
  CHECK(board.hit > 0 && board.made > 0 && killed > 0 && board.measured > 0);
  // Nothing is left of those that were killed.
  const CacheFolder folder(arena.cache);
  CHECK_OK(prune_cache(folder, arena.bytes_max, {}));
  CHECK(folder.makings().empty() && folder.gone().empty() && folder.locks().empty());
}
