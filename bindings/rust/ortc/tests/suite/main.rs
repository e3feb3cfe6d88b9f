// SPDX-License-Identifier: MIT
//! The tests of the crate, in one program. Models: `tests/data` of the project, and those that
//! `ORTC_MODELS` names (`tests/bindings/make_models.py`).

#![deny(unsafe_op_in_unsafe_fn)]

mod support;

mod cache;
mod callbacks;
mod cancel;
mod compiling;
mod containers;
mod devices;
mod editing;
mod environments;
mod errors;
mod futures;
mod graphs;
mod groups;
mod inspecting;
mod interop;
mod io_bindings;
mod memory;
mod model_editor;
mod operator_export;
mod operator_lifetimes;
mod operator_misuse;
mod operator_testing;
mod operators;
mod options;
mod packages;
mod running;
mod sessions;
mod sparse;
mod tensors;
mod threads;
mod weights;
