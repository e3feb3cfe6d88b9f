// SPDX-License-Identifier: MIT
//! `prepacked_weights.h`. Weights shared by sessions: those made with one container keep equal
//! packed weights once.

use std::os::raw::{c_char, c_void};

use crate::*;

extern "C" {
    /// Makes an empty container.
    pub fn OrtCreatePrepackedWeightsContainer(
        out: *mut *mut OrtPrepackedWeightsContainer,
    ) -> *mut OrtStatus;
    /// Gives a container back.
    pub fn OrtReleasePrepackedWeightsContainer(input: *mut OrtPrepackedWeightsContainer);
    /// As OrtCreateSession(), and weights equal to some in the container are not kept twice.
    pub fn OrtCreateSessionWithPrepackedWeightsContainer(
        env: *const OrtEnv,
        model_path: *const c_char,
        options: *const OrtSessionOptions,
        prepacked_weights_container: *mut OrtPrepackedWeightsContainer,
        out: *mut *mut OrtSession,
    ) -> *mut OrtStatus;
    /// As OrtCreateSessionFromArray(), and weights equal to some in the container are not kept
    /// twice.
    pub fn OrtCreateSessionFromArrayWithPrepackedWeightsContainer(
        env: *const OrtEnv,
        model_data: *const c_void,
        model_data_length: usize,
        options: *const OrtSessionOptions,
        prepacked_weights_container: *mut OrtPrepackedWeightsContainer,
        out: *mut *mut OrtSession,
    ) -> *mut OrtStatus;
}
