// SPDX-License-Identifier: MIT
//! Weights shared by sessions: those made with one container keep equal packed weights once.

use std::path::Path;

use ortc_sys as sys;

use super::Session;
use crate::call::Owned;
use crate::env::Env;
use crate::error::Result;
use crate::options::SessionOptions;
use crate::text::c_path;

/// A container of packed weights. Files that are mapped are shared without it.
#[derive(Debug)]
pub struct PrepackedWeights(Owned<sys::OrtPrepackedWeightsContainer>);

impl PrepackedWeights {
    /// An empty container.
    #[doc(alias = "OrtCreatePrepackedWeightsContainer")]
    pub fn new() -> Result<Self> {
        // SAFETY: a new object.
        unsafe { get!(OrtCreatePrepackedWeightsContainer()).map(|new| Self(Owned::new(new))) }
    }
}

impl Session {
    /// As [`new`](Self::new), and weights equal to some in the container are not kept twice.
    #[doc(alias = "OrtCreateSessionWithPrepackedWeightsContainer")]
    pub fn with_weights(
        env: &Env,
        path: impl AsRef<Path>,
        options: &SessionOptions,
        weights: &PrepackedWeights,
    ) -> Result<Self> {
        let path = c_path(path)?;
        // SAFETY: several sessions may be made with one container at once.
        Self::make(env, options, |options| unsafe {
            get!(OrtCreateSessionWithPrepackedWeightsContainer(
                env.as_ptr(),
                path.as_ptr(),
                options,
                weights.0.as_ptr()
            ))
        })
    }

    /// As [`from_bytes`](Self::from_bytes), and weights equal to some in the container are not kept
    /// twice.
    #[doc(alias = "OrtCreateSessionFromArrayWithPrepackedWeightsContainer")]
    pub fn from_bytes_with_weights(
        env: &Env,
        model: &[u8],
        options: &SessionOptions,
        weights: &PrepackedWeights,
    ) -> Result<Self> {
        // SAFETY: as in `with_weights`.
        Self::make(env, options, |options| unsafe {
            get!(OrtCreateSessionFromArrayWithPrepackedWeightsContainer(
                env.as_ptr(),
                model.as_ptr().cast(),
                model.len(),
                options,
                weights.0.as_ptr()
            ))
        })
    }
}
