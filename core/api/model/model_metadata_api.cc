// SPDX-License-Identifier: MIT
// ort_c/model_metadata.h: what a model says about itself.
#include "core/api/env/allocator.h"
#include "core/api/guard.h"
#include "core/api/model/model_metadata_handle.h"
#include "core/api/session/session_handle.h"
#include "ort_c/model_metadata.h"
#include "ort_c/session.h"

namespace ortc::api {

// A model version of 0 is what a model without one has.
OrtModelMetadata metadata_of(const Model& model) {
  OrtModelMetadata metadata;
  metadata.producer_name = model.producer_name;
  metadata.domain = model.domain;
  metadata.description = model.doc;
  metadata.version = model.model_version != 0 ? model.model_version : INT64_MAX;
  metadata.entries = model.metadata;
  if (model.graph != nullptr) {
    metadata.graph_name = model.graph->name;
    metadata.graph_description = model.graph->doc;
  }
  return metadata;
}

namespace {

OrtStatus* give_text(const OrtModelMetadata* model_metadata, std::string OrtModelMetadata::*text,
                     OrtAllocator* allocator, char** value) {
  return guard([&]() -> Status {
    ORTC_OUT(value);
    ORTC_NEEDED(model_metadata);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(*value, copy_text(*allocator, model_metadata->*text));
    return {};
  });
}

// An array of texts under construction; gives everything back unless it was taken.
class TextArray {
 public:
  TextArray(OrtAllocator& allocator, char** texts) : allocator_(allocator), texts_(texts) {}
  TextArray(const TextArray&) = delete;
  TextArray& operator=(const TextArray&) = delete;
  ~TextArray() {
    if (texts_ == nullptr) return;
    for (size_t i = 0; i < count_; ++i) deallocate(allocator_, texts_[i]);
    deallocate(allocator_, static_cast<void*>(texts_));
  }

  Status add(std::string_view text) {
    ASSIGN_OR_RETURN(texts_[count_], copy_text(allocator_, text));
    ++count_;
    return {};
  }
  char** take() { return std::exchange(texts_, nullptr); }

 private:
  OrtAllocator& allocator_;
  char** texts_;
  size_t count_ = 0;
};

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtSessionGetModelMetadata(const OrtSession* session, OrtModelMetadata** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    *out = new OrtModelMetadata(api::metadata_of(session->model.description()));
    return {};
  });
}

OrtStatus* OrtModelMetadataGetProducerName(const OrtModelMetadata* model_metadata,
                                           OrtAllocator* allocator, char** value) {
  return api::give_text(model_metadata, &OrtModelMetadata::producer_name, allocator, value);
}

OrtStatus* OrtModelMetadataGetGraphName(const OrtModelMetadata* model_metadata,
                                        OrtAllocator* allocator, char** value) {
  return api::give_text(model_metadata, &OrtModelMetadata::graph_name, allocator, value);
}

OrtStatus* OrtModelMetadataGetDomain(const OrtModelMetadata* model_metadata,
                                     OrtAllocator* allocator, char** value) {
  return api::give_text(model_metadata, &OrtModelMetadata::domain, allocator, value);
}

OrtStatus* OrtModelMetadataGetDescription(const OrtModelMetadata* model_metadata,
                                          OrtAllocator* allocator, char** value) {
  return api::give_text(model_metadata, &OrtModelMetadata::description, allocator, value);
}

OrtStatus* OrtModelMetadataGetGraphDescription(const OrtModelMetadata* model_metadata,
                                               OrtAllocator* allocator, char** value) {
  return api::give_text(model_metadata, &OrtModelMetadata::graph_description, allocator, value);
}

OrtStatus* OrtModelMetadataGetVersion(const OrtModelMetadata* model_metadata, int64_t* value) {
  return guard([&]() -> Status {
    ORTC_OUT(value);
    ORTC_NEEDED(model_metadata);
    *value = model_metadata->version;
    return {};
  });
}

OrtStatus* OrtModelMetadataLookupCustomMetadataMap(const OrtModelMetadata* model_metadata,
                                                   OrtAllocator* allocator, const char* key,
                                                   char** value) {
  return guard([&]() -> Status {
    ORTC_OUT(value);
    ORTC_NEEDED(model_metadata);
    ORTC_NEEDED(allocator);
    ORTC_NEEDED(key);
    for (const auto& [name, text] : model_metadata->entries) {
      if (name != key) continue;
      ASSIGN_OR_RETURN(*value, api::copy_text(*allocator, text));
      return {};
    }
    return {};
  });
}

OrtStatus* OrtModelMetadataGetCustomMetadataMapKeys(const OrtModelMetadata* model_metadata,
                                                    OrtAllocator* allocator, char*** keys,
                                                    int64_t* num_keys) {
  return guard([&]() -> Status {
    api::empty_outs(keys, num_keys);
    ORTC_NEEDED(model_metadata);
    ORTC_NEEDED(allocator);
    ORTC_NEEDED(keys);
    ORTC_NEEDED(num_keys);
    const size_t count = model_metadata->entries.size();
    if (count == 0) return {};
    ASSIGN_OR_RETURN(void* block, api::allocate(*allocator, count * sizeof(char*)));
    api::TextArray texts(*allocator, static_cast<char**>(block));
    for (const auto& [name, text] : model_metadata->entries) RETURN_IF_ERROR(texts.add(name));
    *keys = texts.take();
    *num_keys = static_cast<int64_t>(count);
    return {};
  });
}

void OrtReleaseModelMetadata(OrtModelMetadata* model_metadata) { delete model_metadata; }

}  // extern "C"
