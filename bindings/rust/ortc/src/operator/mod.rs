// SPDX-License-Identifier: MIT
//! Operators of the program: a model may use them like those of ONNX.

mod attribute;
mod declaration;
mod domain;
mod eager;
mod export;
mod kernel_context;
mod kernel_info;
mod kernel_output;
mod registered;
mod shape_infer;

use std::ops::RangeInclusive;

pub use attribute::FromAttribute;
pub use declaration::{Characteristic, OperatorInput, OperatorOutput};
pub use domain::OperatorDomain;
pub use eager::EagerOperator;
pub use export::ExportedOperators;
pub use kernel_context::KernelContext;
pub use kernel_info::KernelInfo;
pub use kernel_output::KernelOutput;
pub use shape_infer::{ShapeInferContext, ShapeInferFn};

use crate::callback::CallbackResult;

/// An operator of the program, for an [`OperatorDomain`].
///
/// A node means the operator of its domain and name that was made for its opset version and for the
/// types of its inputs. Several operators of one name are overloads: they have as many inputs and
/// outputs, and differ in types or in versions. An operator of a name that ONNX has replaces that
/// one in the sessions that know it.
///
/// An error of a method fails the session or the run with its text, and with its code when it is an
/// [`Error`](crate::Error) of this crate; so does a panic, which goes no further: runs may be on
/// threads of the library.
///
/// ```
/// use ortc::{
///     CallbackResult, ElementType, Kernel, KernelContext, KernelInfo, Operator, OperatorDomain,
///     OperatorInput, OperatorOutput, SessionOptions,
/// };
///
/// /// y = factor * x, on floats of any shape.
/// struct Scale;
///
/// impl Operator for Scale {
///     fn name(&self) -> &str {
///         "Scale"
///     }
///
///     fn inputs(&self) -> Vec<OperatorInput> {
///         vec![OperatorInput::required(ElementType::Float)]
///     }
///
///     fn outputs(&self) -> Vec<OperatorOutput> {
///         vec![OperatorOutput::required(ElementType::Float)]
///     }
///
///     fn create_kernel(&self, info: &KernelInfo) -> CallbackResult<Box<dyn Kernel>> {
///         let factor: f32 = info.attribute("factor")?;
///         Ok(Box::new(move |call: &KernelContext| {
///             let x = call.input(0)?;
///             let mut y = call.output(0, x.shape()?)?;
///             for (to, from) in y.data_mut::<f32>()?.iter_mut().zip(x.data::<f32>()?) {
///                 *to = factor * from;
///             }
///             Ok(())
///         }))
///     }
/// }
///
/// let mut options = SessionOptions::new()?;
/// options.add_operators(&OperatorDomain::new("mine")?.with(Scale)?)?;
/// # Ok::<(), ortc::Error>(())
/// ```
pub trait Operator: Send + Sync + 'static {
    /// The name that nodes have for it.
    fn name(&self) -> &str;

    /// The inputs in their order.
    fn inputs(&self) -> Vec<OperatorInput>;

    /// The outputs in their order.
    fn outputs(&self) -> Vec<OperatorOutput>;

    /// The opset versions of its domain that it is for.
    fn versions(&self) -> RangeInclusive<i32> {
        1..=i32::MAX
    }

    /// The execution provider that runs it; none: the CPU's.
    fn execution_provider(&self) -> Option<&str> {
        None
    }

    /// What says types and shapes of outputs before a run; none: shapes are unknown then, and an
    /// output of any type has that of the first input of any type.
    fn shape_inference(&self) -> Option<Box<ShapeInferFn>> {
        None
    }

    /// Makes the kernel of a node, when a session is made. Any thread may call it that makes one.
    fn create_kernel(&self, info: &KernelInfo) -> CallbackResult<Box<dyn Kernel>>;
}

/// What computes a node: made with a session, ends with it. Closures are kernels.
pub trait Kernel: Send + Sync + 'static {
    /// Computes once. Any number of threads may call it at once.
    fn compute(&self, call: &KernelContext) -> CallbackResult;
}

impl<F> Kernel for F
where
    F: Fn(&KernelContext) -> CallbackResult + Send + Sync + 'static,
{
    fn compute(&self, call: &KernelContext) -> CallbackResult {
        self(call)
    }
}
