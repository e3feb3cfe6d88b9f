// SPDX-License-Identifier: MIT
// Binaries of several models: see the header.
#include "npu_shared.h"

#include <sys/stat.h>

#include <atomic>
#include <iterator>
#include <stdexcept>

#include "npu_bytes.h"

namespace virtual_npu {
namespace {

constexpr std::string_view kMagic = "VNPS";
std::atomic<int> read_count{0};

// The file as it is now: one that was written anew is another.
std::string identity_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return path;
  std::string identity = path;
  for (const long long number :
       {static_cast<long long>(found.st_dev), static_cast<long long>(found.st_ino),
        static_cast<long long>(found.st_size), static_cast<long long>(found.st_mtim.tv_sec),
        static_cast<long long>(found.st_mtim.tv_nsec)}) {
    identity += '\n' + std::to_string(number);
  }
  return identity;
}

}  // namespace

void SharedBinary::add(const std::string& name, const Program& program) {
  std::string bytes = virtual_npu::to_bytes(program, &tensors_);
  const auto [known, is_new] = programs_.emplace(name, bytes);
  if (is_new || known->second == bytes) return;
  throw std::invalid_argument("two programs of a shared binary are called '" + name +
                              "': give the models prefixes (ep.context_node_name_prefix)");
}

Program SharedBinary::program(const std::string& name) const {
  const auto found = programs_.find(name);
  if (found != programs_.end()) return virtual_npu::from_bytes(found->second, &tensors_);
  throw std::invalid_argument("the shared binary has no program called '" + name + "'");
}

std::string SharedBinary::to_bytes() const {
  std::string bytes(kMagic);
  put(bytes, kSharedVersion);
  tensors_.write(bytes);
  put(bytes, static_cast<uint32_t>(programs_.size()));
  for (const auto& [name, program] : programs_) {
    put_text(bytes, name);
    put_text(bytes, program);
  }
  return bytes;
}

int binaries_read() { return read_count; }

SharedBinary SharedBinary::from_bytes(std::string_view bytes) {
  ++read_count;
  Reader reader(bytes);
  reader.expect(kMagic);
  const auto version = reader.number<uint32_t>();
  if (version != kSharedVersion) {
    throw std::invalid_argument("the shared binary has version " + std::to_string(version) +
                                ", expected " + std::to_string(kSharedVersion));
  }
  SharedBinary binary;
  binary.tensors_ = TensorTable::read(reader);
  const auto count = reader.number<uint32_t>();
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name(reader.text());
    binary.programs_[name] = reader.text();
  }
  if (reader.is_at_end()) return binary;
  throw std::invalid_argument("the shared binary goes on after its end");
}

Program program_in(const std::string& bytes, const std::string& name) {
  const bool is_shared = bytes.compare(0, kMagic.size(), kMagic) == 0;
  return is_shared ? SharedBinary::from_bytes(bytes).program(name) : from_bytes(bytes);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

std::string Workspace::add(const std::string& model_path, const std::string& name,
                           const Program& program) {
  const std::string folder = folder_of(model_path);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [place, is_new] = groups_.try_emplace(folder);
  Group& group = place->second;
  if (is_new) {
    const std::string file = model_path.substr(folder.size());
    group.name = file.substr(0, file.rfind('.')) + "_npu.bin";
  }
  group.binary.add(name, program);
  group.is_written = false;
  return group.name;
}

Workspace::Written Workspace::take(const std::string& folder) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto group = groups_.find(folder);
  if (group == groups_.end() || group->second.is_written) return {};
  group->second.is_written = true;
  return {group->second.name, group->second.binary.to_bytes()};
}

void Workspace::end(const std::string& folder) {
  const std::lock_guard<std::mutex> lock(mutex_);
  groups_.erase(folder);
}

std::shared_ptr<const SharedBinary> Workspace::find(const std::string& path,
                                                    const std::function<std::string()>& read) {
  const std::string identity = identity_of(path);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = loaded_.begin(); it != loaded_.end();) {
    it = it->second.expired() ? loaded_.erase(it) : std::next(it);
  }
  if (const auto known = loaded_[identity].lock()) return known;
  const auto binary = std::make_shared<const SharedBinary>(SharedBinary::from_bytes(read()));
  loaded_[identity] = binary;
  return binary;
}

}  // namespace virtual_npu
