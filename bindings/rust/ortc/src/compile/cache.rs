// SPDX-License-Identifier: MIT
//! A cache of compiled models: a session finds what it would compile there, or compiles it once
//! and keeps it.

use std::path::{Path, PathBuf};

use super::inspect::json;
use crate::env::Env;
use crate::error::Result;
use crate::options::SessionOptions;
use crate::session::Session;
use crate::text::c_path;

/// A folder of compiled models, which any number of processes may use at a time.
///
/// What is found is decided by the contents of the model, by the options that change what is
/// compiled, and by the build of the library; never by names or times. Whoever may write to the
/// folder decides what sessions compute.
///
/// ```no_run
/// use ortc::{ContextCache, Env, SessionOptions};
///
/// let env = Env::new("example")?;
/// let mut options = SessionOptions::new()?;
/// options.add_provider("AOT", &[])?;
/// let cache = ContextCache::new("cache");
/// let session = cache.session(&env, "model.onnx", &options)?; // compiles
/// let again = cache.session(&env, "model.onnx", &options)?; // maps
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextCache(PathBuf);

impl ContextCache {
    /// The cache in a folder, which is made when it is missing and something is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        ContextCache(folder.into())
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Makes a session from a model file: loads what was compiled of the model before, or compiles
    /// it and keeps that for the next. It never fails because of the cache.
    #[doc(alias = "OrtCreateSessionFromCache")]
    pub fn session(
        &self,
        env: &Env,
        model: impl AsRef<Path>,
        options: &SessionOptions,
    ) -> Result<Session> {
        let (model, folder) = (c_path(model)?, c_path(&self.0)?);
        // SAFETY: everything is borrowed for the call; a new session.
        Session::make(env, options, |options| unsafe {
            let (model, folder) = (model.as_ptr(), folder.as_ptr());
            get!(OrtCreateSessionFromCache(env.as_ptr(), model, folder, options))
        })
    }

    /// What is in the cache, as JSON: the longest unused first.
    #[doc(alias = "OrtListContextCache")]
    pub fn list(&self) -> Result<String> {
        let folder = c_path(&self.0)?;
        // SAFETY: a new object.
        unsafe { json(get!(OrtListContextCache(folder.as_ptr()))) }
    }

    /// Removes entries, the longest unused first, until the others take no more than that; 0
    /// removes all. Gives a report as JSON.
    #[doc(alias = "OrtPruneContextCache")]
    pub fn prune(&self, max_bytes: u64) -> Result<String> {
        let folder = c_path(&self.0)?;
        // SAFETY: a new object.
        unsafe { json(get!(OrtPruneContextCache(folder.as_ptr(), max_bytes))) }
    }

    /// Compares every byte with its hash. Gives a report as JSON.
    #[doc(alias = "OrtVerifyContextCache")]
    pub fn verify(&self) -> Result<String> {
        let folder = c_path(&self.0)?;
        // SAFETY: a new object.
        unsafe { json(get!(OrtVerifyContextCache(folder.as_ptr()))) }
    }

    /// Whether the cache has what a session would compile, and what that follows from, as JSON.
    #[doc(alias = "OrtExplainContextCache")]
    pub fn explain(
        &self,
        env: &Env,
        model: impl AsRef<Path>,
        options: &SessionOptions,
    ) -> Result<String> {
        let (model, folder) = (c_path(model)?, c_path(&self.0)?);
        let prepared = options.prepare()?;
        // SAFETY: everything is borrowed for the call; a new object.
        let report = unsafe {
            let (env, model, folder) = (env.as_ptr(), model.as_ptr(), folder.as_ptr());
            json(get!(OrtExplainContextCache(env, model, folder, prepared.as_ptr())))
        };
        prepared.settle(report)
    }
}
