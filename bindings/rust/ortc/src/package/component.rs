// SPDX-License-Identifier: MIT
//! A component of a package with the variant that was selected of it.

use std::path::PathBuf;
use std::ptr::null;
use std::sync::Arc;

use ortc_sys as sys;

use crate::call::Owned;
use crate::env::{Env, Kept};
use crate::error::Result;
use crate::options::SessionOptions;
use crate::session::Session;
use crate::text::{path, text};

/// A component of a [`ModelPackage`](crate::ModelPackage) with the variant that was selected of it.
/// It does not need the package.
pub struct ModelPackageComponent {
    handle: Owned<sys::OrtModelPackageComponentContext>,
    /// Where its provider is from.
    env: Env,
}

impl ModelPackageComponent {
    pub(super) fn new(handle: Owned<sys::OrtModelPackageComponentContext>, env: &Env) -> Self {
        ModelPackageComponent { handle, env: env.clone() }
    }

    /// The variant's name.
    #[doc(alias = "OrtModelPackageComponent_GetSelectedVariantName")]
    pub fn variant(&self) -> Result<String> {
        // SAFETY: the text lives as long as the component.
        unsafe {
            get!(OrtModelPackageComponent_GetSelectedVariantName(self.as_ptr()))
                .map(|name| text(name))
        }
    }

    /// The variant's folder; empty when it has none.
    #[doc(alias = "OrtModelPackageComponent_GetSelectedVariantFolderPath")]
    pub fn folder(&self) -> Result<PathBuf> {
        // SAFETY: the text lives as long as the component.
        unsafe {
            get!(OrtModelPackageComponent_GetSelectedVariantFolderPath(self.as_ptr()))
                .map(|folder| path(folder))
        }
    }

    /// Makes a session of the variant's model, with the provider that it was selected for and the
    /// options that the package has.
    #[doc(alias = "OrtModelPackage_CreateSession")]
    pub fn session(&self, env: &Env) -> Result<Session> {
        // Asked before: an allocator that is registered meanwhile is kept all the same.
        let memory_of_values = env.memory_of_values();
        // SAFETY: a new session.
        let handle = unsafe {
            Owned::new(get!(OrtModelPackage_CreateSession(env.as_ptr(), self.as_ptr(), null()))?)
        };
        let memory_of_values = memory_of_values.or_else(|| env.memory_of_values());
        Session::of(env, vec![self.kept()], memory_of_values, handle)
    }

    /// Makes a session with options that take the place of the package's, but for paths in the
    /// package that they do not have.
    pub fn session_with(&self, env: &Env, options: &SessionOptions) -> Result<Session> {
        // SAFETY: everything is borrowed for the call; a new session.
        Session::make_keeping(env, options, &[self.kept()], |options| unsafe {
            get!(OrtModelPackage_CreateSession(env.as_ptr(), self.as_ptr(), options))
        })
    }

    fn kept(&self) -> Kept {
        Arc::new(self.env.clone())
    }

    fn as_ptr(&self) -> *mut sys::OrtModelPackageComponentContext {
        self.handle.as_ptr()
    }
}
