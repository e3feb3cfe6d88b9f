// SPDX-License-Identifier: MIT
//! The tests of the crate, in one program. Models: `tests/data` of the project, and those that
//! `ORTC_MODELS` names (`tests/bindings/make_models.py`).

mod support;

mod cache;
mod callbacks;
mod cancel;
mod compiling;
mod containers;
mod editing;
mod environments;
mod errors;
mod futures;
mod graphs;
mod groups;
mod inspecting;
mod io_bindings;
mod memory;
mod model_editor;
mod options;
mod running;
mod sessions;
mod sparse;
mod tensors;
mod threads;
mod weights;
