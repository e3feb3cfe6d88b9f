// SPDX-License-Identifier: MIT
// Cold starts: see the header.
#include "tools/ortc/library/cold_start.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tools/ortc/library/model_files.h"
#include "tools/ortc/library/run.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

constexpr size_t kReadAtOnce = size_t{1} << 20;

// A file that is not there is the session's to complain of.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat info {};
    if (descriptor_ >= 0 && fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode)) {
      bytes_ = static_cast<uint64_t>(info.st_size);
    }
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  uint64_t bytes() const { return bytes_; }

  void drop() const {
    if (bytes_ == 0) return;
    fdatasync(descriptor_);  // what is not written yet is not dropped
    (void)posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
  }

  void read_whole() const {
    std::vector<char> buffer(kReadAtOnce);
    for (uint64_t done = 0; done < bytes_;) {
      const ssize_t count =
          pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(done));
      if (count <= 0) return;
      done += static_cast<uint64_t>(count);
    }
  }

  // Asks without bringing anything in.
  uint64_t cached_bytes() const {
    if (bytes_ == 0) return 0;
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    void* map = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, descriptor_, 0);
    if (map == MAP_FAILED) return 0;
    std::vector<unsigned char> pages((bytes_ + page - 1) / page);
    uint64_t count = 0;
    if (mincore(map, bytes_, pages.data()) == 0) {
      count = static_cast<uint64_t>(
          std::count_if(pages.begin(), pages.end(), [](unsigned char c) { return (c & 1) != 0; }));
    }
    munmap(map, bytes_);
    return std::min(bytes_, count * page);
  }

 private:
  int descriptor_;
  uint64_t bytes_ = 0;
};

}  // namespace

ColdStart::ColdStart(const std::string& model) : model_(model) {
  const std::vector<std::string> paths = files_of(model);
  for (const std::string& path : paths) OpenFile(path).drop();
  const Stopwatch watch;
  for (const std::string& path : paths) OpenFile(path).read_whole();
  read_ns_ = watch.elapsed_ns();
  for (const std::string& path : paths) {
    const OpenFile file(path);
    file.drop();
    files_.push_back({path, file.bytes(), file.cached_bytes()});
  }
}

Json ColdStart::report(const OrtEnv* env, OrtSessionOptions* options,
                       const std::vector<Input>& inputs, int64_t cold_ns) const {
  const Stopwatch watch;
  const auto [session, load_ns] = load_session(env, model_, options);
  const std::vector<Port> outputs = session_outputs(session.get());
  Runs(session.get(), inputs, outputs).run();
  const int64_t warm_ns = watch.elapsed_ns();

  uint64_t bytes = 0, kept_bytes = 0;
  Json files = Json::array();
  for (const File& file : files_) {
    bytes += file.bytes;
    kept_bytes += file.kept_bytes;
    files.push(Json::object()
                   .set("file", file.path)
                   .set("bytes", file.bytes)
                   .set("kept_bytes", file.kept_bytes));
  }
  return Json::object()
      .set("bytes", bytes)
      .set("kept_bytes", kept_bytes)
      .set("first_result_ns", cold_ns)
      .set("read_ns", read_ns_)
      .set("times_read",
           static_cast<double>(cold_ns) / static_cast<double>(std::max<int64_t>(read_ns_, 1)))
      .set("warm_first_result_ns", warm_ns)
      .set("files", files);
}

std::string cold_text(const Json& report) {
  std::string text = "cold          " + time_text(report.number("first_result_ns")) +
                     " from the disk, " + time_text(report.number("warm_first_result_ns")) +
                     " from memory; reading the files alone (" + size_text(report.count("bytes")) +
                     ") took " + time_text(report.number("read_ns")) + "\n";
  if (report.count("kept_bytes") != 0) {
    text += "              the system did not drop " + size_text(report.count("kept_bytes")) +
            " of them: this was not a cold start\n";
  }
  return text;
}

}  // namespace ortc::tool
