// SPDX-License-Identifier: MIT
//! The C interface of ortc, as it is: one module for each header, everything reachable from the
//! crate's root under its name in C.
//!
//! What a function does, who owns what, and which threads may call, stands in the headers
//! (`include/ort_c`); the crate `ortc` makes it safe. A function that can fail returns a pointer to
//! an [`OrtStatus`], null for success, which [`OrtReleaseStatus`] gives back.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#![warn(missing_docs)]

mod allocator;
mod container;
mod context;
mod context_cache;
mod custom_op;
mod devices;
mod enums;
mod env;
mod ep_assignment;
mod ep_plugin;
mod graph;
mod interop;
mod io_binding;
mod kernel_context;
mod kernel_info;
mod key_values;
mod logger;
mod lora;
mod model_compiler;
mod model_editor;
mod model_metadata;
mod model_package;
mod model_package_writer;
mod op_attr;
mod ort_api;
mod prepacked_weights;
mod run_options;
mod session;
mod session_options;
mod shared_allocators;
mod sharing_group;
mod sparse_tensor;
mod status;
mod sync_stream;
mod threading;
mod type_info;
mod types;
mod value;
mod value_info;

pub use allocator::*;
pub use container::*;
pub use context::*;
pub use context_cache::*;
pub use custom_op::*;
pub use devices::*;
pub use enums::*;
pub use env::*;
pub use ep_assignment::*;
pub use ep_plugin::*;
pub use graph::*;
pub use interop::*;
pub use io_binding::*;
pub use kernel_context::*;
pub use kernel_info::*;
pub use key_values::*;
pub use logger::*;
pub use lora::*;
pub use model_compiler::*;
pub use model_editor::*;
pub use model_metadata::*;
pub use model_package::*;
pub use model_package_writer::*;
pub use op_attr::*;
pub use ort_api::*;
pub use prepacked_weights::*;
pub use run_options::*;
pub use session::*;
pub use session_options::*;
pub use shared_allocators::*;
pub use sharing_group::*;
pub use sparse_tensor::*;
pub use status::*;
pub use sync_stream::*;
pub use threading::*;
pub use type_info::*;
pub use types::*;
pub use value::*;
pub use value_info::*;
