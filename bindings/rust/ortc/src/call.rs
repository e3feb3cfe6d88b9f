// SPDX-License-Identifier: MIT
//! How this crate calls C: owned and borrowed handles, and the two macros around each call.
//!
//! The rules behind the `SAFETY:` lines of all modules. A handle is live as long as its [`Owned`].
//! Methods with `&self` make calls that take the object as `const`, or that the headers call
//! thread-safe; all others take `&mut self` or `self`. So every [`Owned`] may be shared.

use std::fmt;
use std::marker::PhantomData;
use std::mem::{forget, ManuallyDrop};
use std::ops::Deref;
use std::ptr::NonNull;

/// Calls a function that gives a status.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::error::check(ortc_sys::$function($($argument),*), stringify!($function))
    };
}

/// Calls a function that gives a status and whose last parameter takes the result. Zero is a value
/// of each type of result.
macro_rules! get {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let mut out = std::mem::MaybeUninit::zeroed();
        $crate::error::check(
            ortc_sys::$function($($argument,)* out.as_mut_ptr()),
            stringify!($function),
        )
        .map(|()| out.assume_init())
    }};
}

/// An object of the library that something has to give back.
pub(crate) trait Handle {
    /// Gives the object back.
    ///
    /// # Safety
    /// `object` is live and nobody uses it afterwards.
    unsafe fn release(object: *mut Self);
}

/// Owns an object of the library.
pub(crate) struct Owned<T: Handle>(NonNull<T>);

// SAFETY: objects of the library are not bound to threads.
unsafe impl<T: Handle> Send for Owned<T> {}
// SAFETY: see the rules above: shared references only make calls that may run at the same time.
unsafe impl<T: Handle> Sync for Owned<T> {}

impl<T: Handle> Owned<T> {
    /// Takes over what a create function gave.
    ///
    /// # Safety
    /// `object` is live, and this is its only owner. Null is a fault of the library.
    pub(crate) unsafe fn new(object: *mut T) -> Self {
        Owned(NonNull::new(object).expect("the library gave null for a new object"))
    }

    pub(crate) fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }

    /// For functions that take the object over.
    pub(crate) fn into_raw(self) -> *mut T {
        let object = self.as_ptr();
        forget(self);
        object
    }
}

impl<T: Handle> fmt::Debug for Owned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Handle> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: live, and this was the owner.
        unsafe { T::release(self.as_ptr()) }
    }
}

macro_rules! handles {
    ($($handle:ident $release:ident,)*) => {$(
        impl Handle for ortc_sys::$handle {
            unsafe fn release(object: *mut Self) {
                // SAFETY: as the caller promises.
                unsafe { ortc_sys::$release(object) }
            }
        }
    )*};
}

handles! {
    OrtEnv OrtReleaseEnv,
    OrtThreadingOptions OrtReleaseThreadingOptions,
    OrtKeyValuePairs OrtReleaseKeyValuePairs,
    OrtMemoryInfo OrtReleaseMemoryInfo,
    OrtAllocator OrtReleaseAllocator,
    OrtArenaCfg OrtReleaseArenaCfg,
    OrtSessionOptions OrtReleaseSessionOptions,
    OrtRunOptions OrtReleaseRunOptions,
    OrtLoraAdapter OrtReleaseLoraAdapter,
    OrtPrepackedWeightsContainer OrtReleasePrepackedWeightsContainer,
    OrtSession OrtReleaseSession,
    OrtModelMetadata OrtReleaseModelMetadata,
    OrtIoBinding OrtReleaseIoBinding,
    OrtValue OrtReleaseValue,
    OrtTypeInfo OrtReleaseTypeInfo,
    OrtTensorTypeAndShapeInfo OrtReleaseTensorTypeAndShapeInfo,
    OrtModelCompilationOptions OrtReleaseModelCompilationOptions,
    OrtModelCompiler OrtReleaseModelCompiler,
    OrtSharingGroup OrtReleaseSharingGroup,
    OrtInspection OrtReleaseInspection,
    OrtExternalInitializerInfo OrtReleaseExternalInitializerInfo,
    OrtGraph OrtReleaseGraph,
    OrtNode OrtReleaseNode,
    OrtValueInfo OrtReleaseValueInfo,
    OrtOpAttr OrtReleaseOpAttr,
    OrtModel OrtReleaseModel,
    OrtModelPackageContext OrtReleaseModelPackageContext,
    OrtModelPackageOptions OrtReleaseModelPackageOptions,
    OrtModelPackageComponentContext OrtReleaseModelPackageComponentContext,
    OrtModelPackageWriter OrtReleaseModelPackageWriter,
    OrtCustomOpDomain OrtReleaseCustomOpDomain,
    OrtKernelInfo OrtReleaseKernelInfo,
    OrtDeviceEpIncompatibilityDetails OrtReleaseDeviceEpIncompatibilityDetails,
    OrtOp OrtReleaseOp,
    OrtExternalResourceImporter OrtReleaseExternalResourceImporter,
    OrtExternalMemoryHandle OrtReleaseExternalMemoryHandle,
    OrtExternalSemaphoreHandle OrtReleaseExternalSemaphoreHandle,
}

/// An object that belongs to another one, and lives as long as that: read-only.
///
/// It has all methods of `T` that only read.
pub struct Ref<'a, T> {
    object: ManuallyDrop<T>,
    owner: PhantomData<&'a T>,
}

impl<'a, T> Ref<'a, T> {
    /// # Safety
    /// What `object` points to lives as long as `'a`, and `T` may be read by several owners.
    pub(crate) unsafe fn new(object: T) -> Self {
        Ref { object: ManuallyDrop::new(object), owner: PhantomData }
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.object
    }
}

impl<T: fmt::Debug> fmt::Debug for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Debug output of types of which there is no more to show than the name.
macro_rules! named_debug {
    ($($name:ty, $text:literal;)*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct($text).finish_non_exhaustive()
            }
        }
    )*};
}

named_debug! {
    crate::EagerOperator, "EagerOperator";
    crate::EnvBuilder, "EnvBuilder";
    crate::IoBinding<'_>, "IoBinding";
    crate::KernelContext, "KernelContext";
    crate::ModelCompiler<'_>, "ModelCompiler";
    crate::ModelEdit<'_>, "ModelEdit";
    crate::ModelPackage, "ModelPackage";
    crate::ModelPackageComponent, "ModelPackageComponent";
    crate::ModelPackageWriter, "ModelPackageWriter";
    crate::OperatorDomain, "OperatorDomain";
    crate::ProgramAllocator, "ProgramAllocator";
    crate::ShapeInferContext, "ShapeInferContext";
    crate::SharingGroup, "SharingGroup";
    crate::ThreadWork, "ThreadWork";
    crate::ThreadingOptions, "ThreadingOptions";
    crate::ValueMut<'_>, "ValueMut";
}
