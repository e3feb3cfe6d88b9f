// SPDX-License-Identifier: MIT
//! An operator in the form that the library calls. What it declares was read before, so that only
//! making kernels, computing and inferring shapes call the program.

use std::any::Any;
use std::ffi::CString;
use std::os::raw::{c_char, c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null;

use ortc_sys as sys;

use super::declaration::Formal;
use super::{Kernel, KernelContext, KernelInfo, Operator, ShapeInferContext, ShapeInferFn};
use crate::callback::CallbackResult;
use crate::error::{new_status, Error, Result};
use crate::text::c_text;
use crate::ErrorCode;

/// The interface that the members of the C struct are of.
const INTERFACE: u32 = 18;

#[repr(C)]
pub(super) struct Registered {
    base: sys::OrtCustomOp, // first: the library's pointer is the object's
    name: CString,
    provider: Option<CString>,
    inputs: Vec<Formal>,
    outputs: Vec<Formal>,
    first_version: c_int,
    last_version: c_int,
    infer: Option<Box<ShapeInferFn>>,
    operator: Box<dyn Operator>,
}

impl Registered {
    pub(super) fn new(operator: Box<dyn Operator>) -> Result<Self> {
        let infer = operator.shape_inference();
        let versions = operator.versions();
        Ok(Registered {
            base: functions(infer.is_some()),
            name: c_text(operator.name())?,
            provider: operator.execution_provider().map(c_text).transpose()?,
            inputs: operator.inputs().into_iter().map(|input| input.0).collect(),
            outputs: operator.outputs().into_iter().map(|output| output.0).collect(),
            first_version: *versions.start(),
            last_version: *versions.end(),
            infer,
            operator,
        })
    }

    pub(super) fn as_ptr(&self) -> *const sys::OrtCustomOp {
        self as *const Self as *const sys::OrtCustomOp
    }

    /// Calls the program for C.
    fn guard(&self, call: impl FnOnce() -> CallbackResult) -> *mut sys::OrtStatus {
        guard(&self.name, call)
    }
}

fn functions(infers: bool) -> sys::OrtCustomOp {
    sys::OrtCustomOp {
        version: INTERFACE,
        CreateKernel: None,
        GetName: Some(name),
        GetExecutionProviderType: Some(provider),
        GetInputType: Some(input_type),
        GetInputTypeCount: Some(input_count),
        GetOutputType: Some(output_type),
        GetOutputTypeCount: Some(output_count),
        KernelCompute: None,
        KernelDestroy: Some(destroy),
        GetInputCharacteristic: Some(input_characteristic),
        GetOutputCharacteristic: Some(output_characteristic),
        GetInputMemoryType: None,
        GetVariadicInputMinArity: Some(input_least),
        GetVariadicInputHomogeneity: Some(input_is_of_one_type),
        GetVariadicOutputMinArity: Some(output_least),
        GetVariadicOutputHomogeneity: Some(output_is_of_one_type),
        CreateKernelV2: Some(create),
        KernelComputeV2: Some(compute),
        InferOutputShapeFn: if infers { Some(infer) } else { None },
        GetStartVersion: Some(first_version),
        GetEndVersion: Some(last_version),
        GetMayInplace: None,
        ReleaseMayInplace: None,
        GetAliasMap: None,
        ReleaseAliasMap: None,
    }
}

/// A kernel in the form that the library hands back.
struct Made {
    name: CString,
    kernel: Box<dyn Kernel>,
}

/// A panic is a failure like an error: there may be nobody on this thread for it to go on to.
pub(super) fn guard(name: &CString, call: impl FnOnce() -> CallbackResult) -> *mut sys::OrtStatus {
    let failure = catch_unwind(AssertUnwindSafe(|| {
        let error = call().err()?;
        Some(match error.downcast_ref::<Error>() {
            Some(error) => (error.code(), error.message().to_string()),
            None => (ErrorCode::Fail, error.to_string()),
        })
    }));
    match failure {
        Ok(None) => std::ptr::null_mut(),
        Ok(Some((code, message))) => new_status(code, &message),
        Err(payload) => {
            let message = format!("{} panicked: {}", name.to_string_lossy(), said(&*payload));
            new_status(ErrorCode::Fail, &message)
        }
    }
}

fn said(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no text")
}

/// # Safety
/// `op` is the base of a [`Registered`] that lives as long as `'a`.
unsafe fn registered<'a>(op: *const sys::OrtCustomOp) -> &'a Registered {
    // SAFETY: the base is the first member of a C struct.
    unsafe { &*op.cast::<Registered>() }
}

/// Members that answer from what was declared. The library hands back what it was given, and asks
/// for no index beyond the counts.
macro_rules! answers {
    ($($name:ident($op:ident $(, $index:ident)?) -> $type:ty { $answer:expr })*) => {$(
        unsafe extern "C" fn $name(op: *const sys::OrtCustomOp $(, $index: usize)?) -> $type {
            // SAFETY: see above.
            let $op = unsafe { registered(op) };
            $answer
        }
    )*};
}

answers! {
    name(op) -> *const c_char { op.name.as_ptr() }
    provider(op) -> *const c_char { op.provider.as_ref().map_or(null(), |name| name.as_ptr()) }
    input_count(op) -> usize { op.inputs.len() }
    output_count(op) -> usize { op.outputs.len() }
    input_type(op, index) -> sys::ONNXTensorElementDataType {
        op.inputs.get(index).map_or(0, Formal::element)
    }
    output_type(op, index) -> sys::ONNXTensorElementDataType {
        op.outputs.get(index).map_or(0, Formal::element)
    }
    input_characteristic(op, index) -> sys::OrtCustomOpInputOutputCharacteristic {
        op.inputs.get(index).map_or(0, Formal::characteristic)
    }
    output_characteristic(op, index) -> sys::OrtCustomOpInputOutputCharacteristic {
        op.outputs.get(index).map_or(0, Formal::characteristic)
    }
    input_least(op) -> c_int { op.inputs.last().map_or(1, Formal::least) }
    input_is_of_one_type(op) -> c_int { op.inputs.last().map_or(1, Formal::is_of_one_type) }
    output_least(op) -> c_int { op.outputs.last().map_or(1, Formal::least) }
    output_is_of_one_type(op) -> c_int { op.outputs.last().map_or(1, Formal::is_of_one_type) }
    first_version(op) -> c_int { op.first_version }
    last_version(op) -> c_int { op.last_version }
}

unsafe extern "C" fn create(
    op: *const sys::OrtCustomOp,
    _api: *const sys::OrtApi,
    info: *const sys::OrtKernelInfo,
    out: *mut *mut c_void,
) -> *mut sys::OrtStatus {
    // SAFETY: the library hands back what it was given.
    let this = unsafe { registered(op) };
    this.guard(|| {
        // SAFETY: the description lives for the call.
        let info = unsafe { KernelInfo::borrow(info) };
        let kernel = this.operator.create_kernel(&info)?;
        let made = Box::new(Made { name: this.name.clone(), kernel });
        // SAFETY: the library takes the kernel over, and gives it back with `destroy`.
        unsafe { *out = Box::into_raw(made).cast() };
        Ok(())
    })
}

unsafe extern "C" fn compute(
    kernel: *mut c_void,
    context: *mut sys::OrtKernelContext,
) -> *mut sys::OrtStatus {
    // SAFETY: a kernel of `create`, which is only read.
    let made = unsafe { &*(kernel as *const Made) };
    guard(&made.name, || {
        // SAFETY: the context lives for the call, and nobody else has it.
        let call = unsafe { KernelContext::new(context) };
        made.kernel.compute(&call)
    })
}

unsafe extern "C" fn destroy(kernel: *mut c_void) {
    // SAFETY: a kernel of `create`, which ends here.
    let made = unsafe { Box::from_raw(kernel as *mut Made) };
    // There is nobody to tell of a panic; the panic hook has.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(made)));
}

unsafe extern "C" fn infer(
    op: *const sys::OrtCustomOp,
    context: *mut sys::OrtShapeInferContext,
) -> *mut sys::OrtStatus {
    // SAFETY: the library hands back what it was given.
    let this = unsafe { registered(op) };
    this.guard(|| match &this.infer {
        // SAFETY: the context lives for the call, and nobody else has it.
        Some(infer) => infer(&mut unsafe { ShapeInferContext::new(context) }),
        None => Ok(()),
    })
}
