// SPDX-License-Identifier: MIT
//! `sharing_group.h`. Sharing groups: several models, compiled into one context binary that holds
//! equal weights once.

use std::os::raw::c_char;

use crate::*;

extern "C" {
    /// Makes a group without members.
    pub fn OrtCreateSharingGroup(
        env: *const OrtEnv,
        out: *mut *mut OrtSharingGroup,
    ) -> *mut OrtStatus;
    /// Makes sessions and compiles with these options members of a group, when they write a
    /// compiled model.
    pub fn OrtSessionOptionsSetSharingGroup(
        options: *mut OrtSessionOptions,
        group: *mut OrtSharingGroup,
    ) -> *mut OrtStatus;
    /// Compiles a model as a member, as OrtCompileModel() does; its files appear at the commit.
    pub fn OrtSharingGroup_Add(
        group: *mut OrtSharingGroup,
        options: *const OrtModelCompilationOptions,
    ) -> *mut OrtStatus;
    /// Publishes the files of all members, or none.
    pub fn OrtSharingGroup_Commit(group: *mut OrtSharingGroup) -> *mut OrtStatus;
    /// Gives the group up: nothing is written, and members that are being compiled fail.
    pub fn OrtSharingGroup_Abort(group: *mut OrtSharingGroup) -> *mut OrtStatus;
    /// Describes the group as a JSON object: its state, members, the files that were written with
    /// their sizes in bytes, bytes of all tensors so far and of those stored.
    pub fn OrtSharingGroup_GetReportJson(
        group: *const OrtSharingGroup,
        allocator: *mut OrtAllocator,
        out: *mut *mut c_char,
    ) -> *mut OrtStatus;
    /// Gives a group back.
    pub fn OrtReleaseSharingGroup(group: *mut OrtSharingGroup);
}
