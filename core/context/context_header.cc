// SPDX-License-Identifier: MIT
// Reading page 0: see the header.
#include "core/context/context_header.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>

#include "core/base/checked_math.h"
#include "core/base/version.h"
#include "core/platform/target_list.h"

namespace ortc {
namespace {

template <size_t N>
std::string text_of(const char (&field)[N]) {
  return std::string(field, std::find(field, field + N, '\0'));
}

constexpr uint64_t known_features() {
  uint64_t bits = 0;
  for (const ContextFeature& feature : kContextFeatures) {
    if (feature.is_known) bits |= uint64_t{1} << feature.bit;
  }
  return bits;
}

Status check_mark(Bytes page) {
  const std::string_view text = as_text(page), mark = text.substr(0, kContextMark.size());
  if (mark == kContextMark) return Status::ok();
  if (mark == kOldContextMark) {
    return invalid_graph(
        "context binary: it was written by a version of ortc before 1.0, whose format is not read "
        "any more; compile the model again");
  }
  if (looks_like_context(page)) {
    return invalid_graph(
        "context binary: its first bytes are damaged; was it transferred as text?");
  }
  return invalid_graph("context binary: it does not begin with the mark of an ortc context");
}

// Leaves the hash itself zero.
Status check_header_hash(std::span<std::byte, kContextPage> page, const ContextHash& expected) {
  std::memset(page.data() + offsetof(ContextHeader, header_hash), 0, sizeof(ContextHash));
  const Hash128 actual = hash128(page);
  if (actual == from_record(expected)) return Status::ok();
  return invalid_graph("context binary: its first page is damaged (checksum ", actual.hex(),
                       ", expected ", from_record(expected).hex(), ")");
}

// The size is checked before: this page must say what it needs even when nothing else is known.
Status check_version(const ContextHeader& header) {
  const std::string library = text_of(header.library_version);
  if (header.major != kContextMajor) {
    return invalid_graph("context binary: format ", header.major, ".", header.minor,
                         " written by ortc ", library, "; ortc ", kLibraryVersion, " reads format ",
                         kContextMajor, ".x");
  }
  return Status::ok();
}

Status check_features(const ContextHeader& header) {
  const uint64_t missing = header.required_features & ~known_features();
  if (missing == 0) return Status::ok();
  return invalid_graph("context binary: it needs ", context_feature_names(missing), ", which ortc ",
                       kLibraryVersion, " cannot read (format ", header.major, ".", header.minor,
                       " written by ortc ", text_of(header.library_version), "); it reads ",
                       context_feature_names(known_features()));
}

bool kernels_fit(const ContextHeader& header) {
  if (header.kernels_offset == 0) return true;
  return header.kernels_offset >= header.header_size &&
         range_within(header.kernels_offset, header.kernels_size, kContextPage);
}

// What the header says of targets, with the list behind it where there is one.
Result<std::string> read_target(const ContextHeader& header, Bytes page) {
  const std::string first = text_of(header.target);
  if ((header.required_features & kFeatureSeveralTargets) == 0) {
    if (first.find(kTargetSeparator) == std::string::npos) return first;
    return invalid_graph("context binary: its target is a list, '", first,
                         "', but it does not need 'several-targets'");
  }
  if (header.header_size < sizeof header + sizeof(ContextTargets)) {
    return invalid_graph("context binary: it needs 'several-targets', but has no list of them");
  }
  const auto list = load_unaligned<ContextTargets>(page.data() + sizeof header);
  std::string target = text_of(list.names);
  const std::vector<std::string_view> names = target_names(target);
  std::set<std::string_view> once(names.begin(), names.end());
  if (names.size() < 2 || once.size() != names.size() || once.contains("") || names[0] != first) {
    return invalid_graph("context binary: expected two targets or more, each once and '", first,
                         "' first, found '", target, "'");
  }
  return target;
}

}  // namespace

bool looks_like_context(Bytes bytes) {
  const std::string_view text = as_text(bytes);
  if (text.substr(0, kOldContextMark.size()) == kOldContextMark) return true;
  return text.size() > 4 && text.substr(1, 4) == kContextMark.substr(1, 4);
}

std::string context_feature_names(uint64_t features) {
  std::string names;
  for (uint32_t bit = 0; bit < 64; ++bit) {
    if ((features >> bit & 1) == 0) continue;
    const auto known = std::find_if(std::begin(kContextFeatures), std::end(kContextFeatures),
                                    [&](const ContextFeature& f) { return f.bit == bit; });
    names += names.empty() ? "" : ", ";
    names += known != std::end(kContextFeatures) ? str_cat("'", known->name, "'")
                                                 : str_cat("feature ", bit);
  }
  return names;
}

Result<ContextHeaderInfo> read_context_header(Bytes bytes) {
  if (bytes.size() < kContextPage) {
    RETURN_IF_ERROR(check_mark(bytes));
    return invalid_graph("context binary: expected at least ", kContextPage, " bytes, found ",
                         bytes.size());
  }
  std::array<std::byte, kContextPage> page;
  std::memcpy(page.data(), bytes.data(), kContextPage);
  RETURN_IF_ERROR(check_mark(page));
  const auto header = load_unaligned<ContextHeader>(page.data());
  RETURN_IF_ERROR(check_version(header));
  RETURN_IF_ERROR(check_header_hash(page, header.header_hash));
  RETURN_IF_ERROR(check_features(header));
  if (header.header_size < sizeof header || header.header_size > kContextPage ||
      !kernels_fit(header)) {
    return invalid_graph("context binary: its first page contradicts itself");
  }
  ContextHeaderInfo info;
  info.major = header.major;
  info.minor = header.minor;
  info.required_features = header.required_features;
  info.library_version = text_of(header.library_version);
  info.provider = text_of(header.provider);
  ASSIGN_OR_RETURN(info.target, read_target(header, page));
  info.fingerprint = from_record(header.fingerprint);
  info.generation = from_record(header.generation);
  info.file_size = header.file_size;
  info.metadata_offset = header.metadata_offset;
  info.metadata_size = header.metadata_size;
  info.metadata_hash = from_record(header.metadata_hash);
  info.graph_count = header.graph_count;
  info.tensor_count = header.tensor_count;
  if (header.kernels_offset != 0) {
    info.kernels = as_text(Bytes(page).subspan(header.kernels_offset, header.kernels_size));
  } else {
    info.kernels_size_elsewhere = header.kernels_size;
  }
  return info;
}

}  // namespace ortc
