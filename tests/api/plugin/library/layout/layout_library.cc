// SPDX-License-Identifier: MIT
// The sample library of a virtual NPU with layout=nhwc, with functions in front of its functions:
// they tell what it was shown and asked, give other answers, and leave nodes that it claimed. Which
// of that is said by layout_library_set(): words with a space between them.
#include <cstring>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "shown_graph.h"

namespace {

using layout_library::ort;

std::set<std::string> words;
std::string seen, details, questions;
int calls = 0;  // of GetCapability, for the graph that was last

bool is(const std::string& word) { return words.count(word) != 0; }
OrtStatus* error(const char* text) { return ort->CreateStatus(ORT_NOT_FOUND, text); }

// The runtime's tables with a function in front of one of theirs.
OrtApi own_api{};
OrtEpApi own_ep_api{};
const OrtEpApi* true_ep_api = nullptr;

// "leave:<name>" leaves the node of that name when it was shown the second time.
bool is_left(const OrtNode* node) {
  const char* name = nullptr;
  OrtStatus* status = ort->Node_GetName(node, &name);
  return status == nullptr && calls > 1 && is(std::string("leave:") + name);
}

OrtStatus* add_nodes(OrtEpGraphSupportInfo* info, const OrtNode* const* nodes, size_t count,
                     const OrtNodeFusionOptions* options) {
  std::vector<const OrtNode*> group;
  const auto close = [&]() -> OrtStatus* {
    if (group.empty()) return nullptr;
    OrtNodeFusionOptions wanted = *options;
    if (is("leave_constants")) wanted.drop_constant_initializers = false;
    OrtStatus* status =
        true_ep_api->EpGraphSupportInfo_AddNodesToFuse(info, group.data(), group.size(), &wanted);
    group.clear();
    return status;
  };
  for (size_t i = 0; i < count; ++i) {
    if (!is_left(nodes[i])) group.push_back(nodes[i]);
    if (!is_left(nodes[i]) && !is("one_by_one")) continue;
    if (OrtStatus* status = close()) return status;
  }
  return close();
}

// The provider's functions.

decltype(OrtEp::GetCapability) sample_get_capability = nullptr;

OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* info) {
  static const OrtNode* parent_before = nullptr;
  const OrtNode* parent = nullptr;
  if (OrtStatus* status = ort->Graph_GetParentNode(graph, &parent)) return status;
  const bool is_same = (parent == nullptr) == (parent_before == nullptr) && calls < 2;
  calls = is_same ? calls + 1 : 1;
  parent_before = parent;
  seen += layout_library::operators_of(*graph) + "\n";
  details += layout_library::details_of(*graph) + "\n";
  if (is("second_error") && calls == 2) return error("not once more");
  if (is("nothing_again") && calls == 2) return nullptr;
  return sample_get_capability(self, graph, info);
}

OrtStatus* prefer(OrtEp*, OrtEpDataLayout* layout) {
  if (is("prefer_error")) return error("no layout");
  if (is("prefer_throws")) throw std::runtime_error("thrown in place of a layout");
  *layout = is("prefer_odd")    ? static_cast<OrtEpDataLayout>(7)
            : is("prefer_nchw") ? OrtEpDataLayout_NCHW
                                : OrtEpDataLayout_NHWC;
  return nullptr;
}

OrtStatus* convert(OrtEp*, const char* domain, const char* op_type, OrtEpDataLayout target,
                   int* answer) {
  if (is("convert_error")) return error("no answer");
  if (is("convert_throws")) throw std::runtime_error("thrown in place of an answer");
  questions += std::string(domain) + ":" + op_type + ">" + std::to_string(target) + " ";
  if (is("says_nothing")) return nullptr;
  *answer = is(std::string("yes:") + op_type) ? 1 : is(std::string("no:") + op_type) ? 0 : -1;
  return nullptr;
}

void fill(OrtEp& ep) {
  sample_get_capability = ep.GetCapability;
  ep.GetCapability = get_capability;
  ep.GetPreferredDataLayout = is("no_prefer") ? nullptr : prefer;
  ep.ShouldConvertDataLayoutForOp = is("no_convert") ? nullptr : convert;
  if (!is("version_22")) return;
  // Members that are younger than the version are whatever was in the memory.
  ep.ort_version_supported = 22;
  ep.GetPreferredDataLayout = reinterpret_cast<decltype(ep.GetPreferredDataLayout)>(uintptr_t{16});
  ep.ShouldConvertDataLayoutForOp =
      reinterpret_cast<decltype(ep.ShouldConvertDataLayoutForOp)>(uintptr_t{16});
}

decltype(OrtEpFactory::CreateEp) sample_create_ep = nullptr;

OrtStatus* create_ep(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                     const OrtKeyValuePairs* const* metadata, size_t count,
                     const OrtSessionOptions* options, const OrtLogger* logger, OrtEp** out) {
  OrtStatus* status = sample_create_ep(self, hardware, metadata, count, options, logger, out);
  if (status == nullptr) fill(**out);
  return status;
}

const OrtApi* get_api(uint32_t version) { return version <= ORT_API_VERSION ? &own_api : nullptr; }
const OrtEpApi* get_ep_api() { return &own_ep_api; }

}  // namespace

#undef CreateEpFactories  // the sample's have other names here
#undef ReleaseEpFactory

extern "C" {

OrtStatus* SampleCreateEpFactories(const char*, const OrtApiBase*, const OrtLogger*, OrtEpFactory**,
                                   size_t, size_t*);
OrtStatus* SampleReleaseEpFactory(OrtEpFactory*);

ORT_EXPORT void layout_library_set(const char* text) {
  words.clear();
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.insert(word);
  seen.clear();
  details.clear();
  questions.clear();
  calls = 0;
}

// A line for each call of GetCapability, and the operators that it was asked about.
ORT_EXPORT const char* layout_library_seen() { return seen.c_str(); }
ORT_EXPORT const char* layout_library_details() { return details.c_str(); }
ORT_EXPORT const char* layout_library_questions() { return questions.c_str(); }

ORT_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t max, size_t* count) {
  ort = base->GetApi(ORT_API_VERSION);
  true_ep_api = ort->GetEpApi();
  own_api = *ort;
  own_ep_api = *true_ep_api;
  own_api.GetEpApi = get_ep_api;
  own_ep_api.EpGraphSupportInfo_AddNodesToFuse = add_nodes;
  static OrtApiBase own_base{};
  own_base = *base;
  own_base.GetApi = get_api;
  if (OrtStatus* status = SampleCreateEpFactories(name, &own_base, logger, factories, max, count)) {
    return status;
  }
  sample_create_ep = factories[0]->CreateEp;
  factories[0]->CreateEp = create_ep;
  return nullptr;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  return SampleReleaseEpFactory(factory);
}

}  // extern "C"
