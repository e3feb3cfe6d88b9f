// SPDX-License-Identifier: MIT
//! `allocator.h`. Memory: what kind it is (OrtMemoryInfo), and who hands it out (OrtAllocator, an
//! open struct that programs may implement themselves).

use std::os::raw::{c_char, c_int, c_void};

use crate::*;

extern "C" {
    /// Gives the library's CPU allocator.
    pub fn OrtGetAllocatorWithDefaultOptions(out: *mut *mut OrtAllocator) -> *mut OrtStatus;
    /// Allocates a block.
    pub fn OrtAllocatorAlloc(
        ort_allocator: *mut OrtAllocator,
        size: usize,
        out: *mut *mut c_void,
    ) -> *mut OrtStatus;
    /// Gives a block back: also the texts that other functions took from this allocator.
    pub fn OrtAllocatorFree(ort_allocator: *mut OrtAllocator, p: *mut c_void) -> *mut OrtStatus;
    /// Tells what memory an allocator hands out.
    pub fn OrtAllocatorGetInfo(
        ort_allocator: *const OrtAllocator,
        out: *mut *const OrtMemoryInfo,
    ) -> *mut OrtStatus;
    /// Describes CPU memory.
    pub fn OrtCreateCpuMemoryInfo(
        type_: OrtAllocatorType,
        mem_type: OrtMemType,
        out: *mut *mut OrtMemoryInfo,
    ) -> *mut OrtStatus;
    /// Describes memory of a device known by its name.
    pub fn OrtCreateMemoryInfo(
        name: *const c_char,
        type_: OrtAllocatorType,
        id: c_int,
        mem_type: OrtMemType,
        out: *mut *mut OrtMemoryInfo,
    ) -> *mut OrtStatus;
    /// Describes memory of a device known by its numbers.
    pub fn OrtCreateMemoryInfo_V2(
        name: *const c_char,
        device_type: OrtMemoryInfoDeviceType,
        vendor_id: u32,
        device_id: i32,
        mem_type: OrtDeviceMemoryType,
        alignment: usize,
        allocator_type: OrtAllocatorType,
        out: *mut *mut OrtMemoryInfo,
    ) -> *mut OrtStatus;
    /// Says whether two descriptions mean the same memory.
    pub fn OrtCompareMemoryInfo(
        info1: *const OrtMemoryInfo,
        info2: *const OrtMemoryInfo,
        out: *mut c_int,
    ) -> *mut OrtStatus;
    /// Tells the name.
    pub fn OrtMemoryInfoGetName(
        ptr: *const OrtMemoryInfo,
        out: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Tells the number of the device.
    pub fn OrtMemoryInfoGetId(ptr: *const OrtMemoryInfo, out: *mut c_int) -> *mut OrtStatus;
    /// Tells what the memory is for.
    pub fn OrtMemoryInfoGetMemType(
        ptr: *const OrtMemoryInfo,
        out: *mut OrtMemType,
    ) -> *mut OrtStatus;
    /// Tells how the memory is got.
    pub fn OrtMemoryInfoGetType(
        ptr: *const OrtMemoryInfo,
        out: *mut OrtAllocatorType,
    ) -> *mut OrtStatus;
    /// Tells the kind of device.
    pub fn OrtMemoryInfoGetDeviceType(ptr: *const OrtMemoryInfo, out: *mut OrtMemoryInfoDeviceType);
    /// Tells where on the device the memory lies; DEFAULT when `ptr` is NULL.
    pub fn OrtMemoryInfoGetDeviceMemType(ptr: *const OrtMemoryInfo) -> OrtDeviceMemoryType;
    /// Tells the vendor's number; 0 for none and when `ptr` is NULL.
    pub fn OrtMemoryInfoGetVendorId(ptr: *const OrtMemoryInfo) -> u32;
    /// Gives a description back.
    pub fn OrtReleaseMemoryInfo(info: *mut OrtMemoryInfo);
    /// Gives the allocator of a session for one kind of memory.
    pub fn OrtCreateAllocator(
        session: *const OrtSession,
        mem_info: *const OrtMemoryInfo,
        out: *mut *mut OrtAllocator,
    ) -> *mut OrtStatus;
    /// Gives an allocator back that OrtCreateAllocator() made.
    pub fn OrtReleaseAllocator(input: *mut OrtAllocator);
    /// Gives figures of an allocator: "InUse", "MaxInUse", "TotalAllocated", "NumAllocs" and more,
    /// numbers as texts.
    pub fn OrtAllocatorGetStats(
        ort_allocator: *const OrtAllocator,
        out: *mut *mut OrtKeyValuePairs,
    ) -> *mut OrtStatus;
}
