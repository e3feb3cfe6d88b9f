// SPDX-License-Identifier: MIT
//! Operators of ONNX for the use of kernels.

use std::os::raw::c_int;
use std::ptr::{null, null_mut};

use ortc_sys as sys;

use super::{KernelContext, KernelInfo};
use crate::call::Owned;
use crate::error::{Error, Result};
use crate::graph::OpAttribute;
use crate::text::c_text;
use crate::value::{Value, ValueMut};
use crate::ErrorCode;

/// An operator that the library has, with its attributes, for kernels to call. Any number of
/// threads may call it.
///
/// ```
/// use ortc::{CallbackResult, EagerOperator, Kernel, KernelContext, KernelInfo};
///
/// /// The kernel of an operator that squares its input with ONNX's Mul.
/// fn create_kernel(info: &KernelInfo) -> CallbackResult<Box<dyn Kernel>> {
///     let mul = EagerOperator::new(info, "Mul", "", 14, &[], 2, 1)?;
///     Ok(Box::new(move |call: &KernelContext| {
///         let x = call.input(0)?;
///         let mut y = call.output(0, x.shape()?)?;
///         mul.invoke(call, &[Some(&x), Some(&x)], &mut [Some((&mut y).into())])?;
///         Ok(())
///     }))
/// }
/// ```
pub struct EagerOperator(Owned<sys::OrtOp>);

impl EagerOperator {
    /// An operator by name, domain ("" is ONNX's own) and the opset version whose rules hold, for
    /// calls with that many inputs and outputs.
    ///
    /// Fails with `NotImplemented` for an operator that is not there.
    #[doc(alias = "OrtCreateOp")]
    #[doc(alias = "OrtReleaseOp")]
    pub fn new(
        info: &KernelInfo,
        name: &str,
        domain: &str,
        version: i32,
        attributes: &[OpAttribute],
        input_count: usize,
        output_count: usize,
    ) -> Result<Self> {
        let (name, domain) = (c_text(name)?, c_text(domain)?);
        let attributes: Vec<_> =
            attributes.iter().map(|attribute| attribute.as_ptr() as *const _).collect();
        // SAFETY: everything is borrowed for the call, or copied; a new object. The types of the
        // inputs decide, so no constraints are named.
        unsafe {
            let operator = get!(OrtCreateOp(
                info.as_ptr(),
                name.as_ptr(),
                domain.as_ptr(),
                version,
                null_mut(),
                null(),
                0,
                attributes.as_ptr(),
                c_count(attributes.len())?,
                c_count(input_count)?,
                c_count(output_count)?
            ))?;
            Ok(EagerOperator(Owned::new(operator)))
        }
    }

    /// Computes, as part of a call. None is an input that is left out, or an output that is not
    /// wanted; outputs are tensors of the right type and shape, which are filled.
    #[doc(alias = "OrtInvokeOp")]
    pub fn invoke(
        &self,
        call: &KernelContext,
        inputs: &[Option<&Value>],
        outputs: &mut [Option<ValueMut<'_>>],
    ) -> Result<()> {
        let given: Vec<_> = inputs
            .iter()
            .map(|value| value.map_or(null(), |value| value.as_ptr() as *const sys::OrtValue))
            .collect();
        let filled: Vec<_> = outputs
            .iter()
            .map(|value| value.as_ref().map_or(null_mut(), ValueMut::as_ptr))
            .collect();
        // SAFETY: arrays of these lengths; the outputs are borrowed for writing.
        let result = unsafe {
            call!(OrtInvokeOp(
                call.as_ptr(),
                self.0.as_ptr(),
                given.as_ptr(),
                c_count(given.len())?,
                filled.as_ptr(),
                c_count(filled.len())?
            ))
        };
        outputs.iter_mut().flatten().for_each(ValueMut::settle);
        result
    }
}

fn c_count(count: usize) -> Result<c_int> {
    let message = || Error::new(ErrorCode::InvalidArgument, format!("{count} values"));
    c_int::try_from(count).map_err(|_| message())
}
