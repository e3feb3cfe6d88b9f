// SPDX-License-Identifier: MIT
//! Types and shapes before a run.

use ortc_sys as sys;

use crate::call::Ref;
use crate::callback::CallbackResult;
use crate::error::Result;
use crate::graph::OpAttribute;
use crate::text::c_text;
use crate::value::TensorType;
use crate::ErrorCode;

/// Says types and shapes of a node's outputs from those of its inputs.
pub type ShapeInferFn = dyn Fn(&mut ShapeInferContext) -> CallbackResult + Send + Sync;

/// A node whose shapes are inferred.
pub struct ShapeInferContext(*mut sys::OrtShapeInferContext);

impl ShapeInferContext {
    /// # Safety
    /// `context` lives as long as the result, which is the only one for it.
    pub(super) unsafe fn new(context: *mut sys::OrtShapeInferContext) -> Self {
        ShapeInferContext(context)
    }

    /// How many inputs the node has, omitted ones included.
    #[doc(alias = "OrtShapeInferContext_GetInputCount")]
    pub fn input_count(&self) -> Result<usize> {
        // SAFETY: the context lives.
        unsafe { get!(OrtShapeInferContext_GetInputCount(self.0)) }
    }

    /// Type and shape of an input as far as they are known. One that is omitted or not a tensor has
    /// elements of type `Undefined`.
    #[doc(alias = "OrtShapeInferContext_GetInputTypeShape")]
    pub fn input(&self, index: usize) -> Result<TensorType> {
        // SAFETY: the description lives for the call.
        unsafe {
            let info: *mut sys::OrtTensorTypeAndShapeInfo =
                get!(OrtShapeInferContext_GetInputTypeShape(self.0, index))?;
            TensorType::read(info)
        }
    }

    /// An attribute of the node; none when there is none of that name.
    #[doc(alias = "OrtShapeInferContext_GetAttribute")]
    pub fn attribute(&self, name: &str) -> Result<Option<Ref<'_, OpAttribute>>> {
        let name = c_text(name)?;
        // SAFETY: the attribute lives for the call.
        let found = unsafe {
            get!(OrtShapeInferContext_GetAttribute(self.0, name.as_ptr()))
                .map(|attribute| OpAttribute::borrow(attribute))
        };
        match found {
            Err(error) if error.code() == ErrorCode::InvalidArgument => Ok(None),
            found => found,
        }
    }

    /// Says type and shape of an output. The element type `Undefined` leaves the declared one.
    #[doc(alias = "OrtShapeInferContext_SetOutputTypeShape")]
    pub fn set_output(&mut self, index: usize, tensor: &TensorType) -> Result<()> {
        let info = tensor.create()?;
        // SAFETY: the description is copied.
        unsafe { call!(OrtShapeInferContext_SetOutputTypeShape(self.0, index, info.as_ptr())) }
    }
}
