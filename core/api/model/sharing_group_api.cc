// SPDX-License-Identifier: MIT
// include/ort_c/sharing_group.h
#include "core/api/env/allocator.h"
#include "core/api/guard.h"
#include "core/api/model/model_compiler_handle.h"
#include "core/api/model/sharing_group_handle.h"

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateSharingGroup(const OrtEnv* env, OrtSharingGroup** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    auto made = std::make_unique<OrtSharingGroup>();
    made->shared = env->shared;
    made->group = std::make_shared<SharingGroup>();
    *out = made.release();
    return {};
  });
}

OrtStatus* OrtSessionOptionsSetSharingGroup(OrtSessionOptions* options, OrtSharingGroup* group) {
  return guard([&]() -> Status {
    ORTC_NEEDED(options);
    options->options.sharing_group = group != nullptr ? group->group : nullptr;
    return {};
  });
}

OrtStatus* OrtSharingGroup_Add(OrtSharingGroup* group, const OrtModelCompilationOptions* options) {
  return guard([&]() -> Status {
    ORTC_NEEDED(group);
    ORTC_NEEDED(options);
    OrtModelCompilationOptions member = *options;
    member.session_options.options.sharing_group = group->group;
    return api::compile(*group->shared, member, {}).status();
  });
}

OrtStatus* OrtSharingGroup_Commit(OrtSharingGroup* group) {
  return guard([&]() -> Status {
    ORTC_NEEDED(group);
    Work unwatched;
    CompileReport unread;
    return group->group->commit(unwatched, unread);
  });
}

OrtStatus* OrtSharingGroup_Abort(OrtSharingGroup* group) {
  return guard([&]() -> Status {
    ORTC_NEEDED(group);
    group->group->abort();
    return {};
  });
}

OrtStatus* OrtSharingGroup_GetReportJson(const OrtSharingGroup* group, OrtAllocator* allocator,
                                         char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(group);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(*out, api::copy_text(*allocator, group->group->report_json()));
    return {};
  });
}

void OrtReleaseSharingGroup(OrtSharingGroup* group) { delete group; }

}  // extern "C"
