// SPDX-License-Identifier: MIT
// The staged name is that of the target with ".part".

#include "tools/ortc/output/staged_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tools/ortc/errors.h"

namespace ortc::tool {

StagedFile::StagedFile(const std::string& path)
    : path_(path), staged_(path + ".part"), file_(std::fopen(staged_.c_str(), "wb")) {
  if (file_ == nullptr) throw failure(path_ + ": could not be written: " + std::strerror(errno));
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) {
    std::fclose(file_);
    std::remove(staged_.c_str());
    throw failure(path_ + ": could not be written: it is a folder");
  }
}

StagedFile::~StagedFile() {
  if (file_ == nullptr) return;
  close();
  std::remove(staged_.c_str());
}

void StagedFile::write(const void* data, size_t size) {
  if (size == 0 || reason_ != 0) return;
  if (std::fwrite(data, 1, size, file_) != size) reason_ = errno;
}

void StagedFile::close() {
  if (std::fclose(file_) != 0 && reason_ == 0) reason_ = errno;
  file_ = nullptr;
}

void StagedFile::finish() {
  close();
  if (reason_ == 0 && std::rename(staged_.c_str(), path_.c_str()) != 0) reason_ = errno;
  if (reason_ == 0) return;
  std::remove(staged_.c_str());
  throw failure(path_ + ": could not be written: " + std::strerror(reason_));
}

}  // namespace ortc::tool
