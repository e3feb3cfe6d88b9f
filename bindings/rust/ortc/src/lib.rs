// SPDX-License-Identifier: MIT
//! ortc, an ONNX runtime: compile a model once, load it in milliseconds, share its weights.
//!
//! The shape of a program: make an environment ([`Env`]), options ([`SessionOptions`]), and a
//! [`Session`] from a model file. Make input values, [`run`](Session::run) as often as you like,
//! from any number of threads. To start faster, compile the model once ([`ModelCompiler`]) and give
//! sessions the compiled file: it is mapped, not worked on.
//!
//! ```
//! use ortc::{Env, Session, SessionOptions, Tensor};
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/data/matmul.onnx");
//! let env = Env::new("hello")?;
//! let session = Session::new(&env, path, &SessionOptions::new()?)?;
//! println!("{:?}", session.inputs()?);
//! # Ok::<(), ortc::Error>(())
//! ```
//!
//! # Ownership and threads
//!
//! Objects keep what they need of others, so they may be dropped in any order. [`Env`], [`Session`]
//! and devices are handles to shared objects; their clones are cheap. Values that a run gives are
//! the program's own.
//!
//! Whatever takes `&self` may be called from any number of threads at once. Everything here is
//! [`Send`], and all but writers are [`Sync`].
//!
//! # Closures
//!
//! Closures of the program that the library calls give a `Result`; their error ends the operation
//! and is the [`source`](std::error::Error::source) of its error. A panic goes on when the
//! operation returns. [`Operator`]s are the exception: there a panic is an error like others.
//!
//! # The library
//!
//! The crate links to `libort_c`; see the README for how it is found. Nothing is downloaded, and
//! nothing runs at the program's exit. Most functions of the C interface are found here by their
//! names: search for `OrtRun`.
#![warn(missing_docs)]
#![warn(missing_debug_implementations)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

#[macro_use]
mod call;

mod callback;
mod cancel;
mod compile;
mod enums;
mod env;
mod error;
mod graph;
mod key_values;
pub mod keys;
mod memory;
mod operator;
mod options;
mod package;
mod session;
mod text;
mod value;

pub use call::Ref;
pub use callback::{CallbackResult, Progress, ProgressAnswer};
pub use cancel::CancelToken;
pub use compile::{
    compatibility, compatibility_info, compatibility_info_of_bytes, compile_file, diff,
    expose_values, inspect, ContextCache, ExternalInitializer, ModelCompiler, ModelEdit,
    SharingGroup,
};
pub use enums::*;
pub use env::{
    api_base, available_providers, build_info, version, Env, EnvBuilder, EpDevice, HardwareDevice,
    Incompatibility, IncompatibilityReasons, LogRecord, Logger, ThreadWork, ThreadingOptions,
    WorkListener,
};
pub use error::{BoxError, Error, Result};
pub use graph::{
    AttributeValue, EditorSession, Graph, Model, Node, NodeBuilder, OpAttribute, ValueInfo,
};
pub use key_values::KeyValuePairs;
pub use memory::{
    copy_tensors, AllocateMemory, Allocator, ArenaConfig, Block, ExternalMemory,
    ExternalResourceImporter, ExternalSemaphore, MemoryInfo, NativeHandle, ProgramAllocator,
    SyncStream,
};
pub use operator::{
    Characteristic, EagerOperator, ExportedOperators, FromAttribute, Kernel, KernelContext,
    KernelInfo, KernelOutput, Operator, OperatorDomain, OperatorInput, OperatorOutput,
    ShapeInferContext, ShapeInferFn,
};
pub use options::{DeviceOffer, LoraAdapter, RunOptions, SessionOptions};
pub use package::{
    ModelPackage, ModelPackageComponent, ModelPackageInfo, ModelPackageWriter, VariantSettings,
};
pub use session::{
    AssignedNode, AssignedSubgraph, IoBinding, ModelMetadata, NamedType, Outputs, PrepackedWeights,
    RunFuture, Session,
};
pub use value::{
    Bf16, Dimension, Element, Map, Places, Sequence, SparseTensor, Tensor, TensorRef, TensorRefMut,
    TensorType, TypeInfo, Value, ValueMut, ValueView, F16,
};

pub use ortc_sys as sys;

/// The README's programs, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
