// SPDX-License-Identifier: MIT
//! Compiled models: making them, and what can be done with them.

mod cache;
mod compile_options;
mod compiler;
mod edit;
mod external_initializer;
mod functions;
mod group;
mod inspect;

pub use cache::ContextCache;
pub use compiler::{compile_file, ModelCompiler};
pub use edit::ModelEdit;
pub use external_initializer::ExternalInitializer;
pub use group::SharingGroup;

pub(crate) use group::KeptByGroup;
pub(crate) use inspect::json;
pub use inspect::{
    compatibility, compatibility_info, compatibility_info_of_bytes, diff, expose_values, inspect,
};
