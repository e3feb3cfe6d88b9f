// SPDX-License-Identifier: MIT
//! Values in a graph: name, type, who makes and who reads them, and the initializer behind them.

use ortc_sys as sys;

use std::ptr::null;

use super::{list, Node};
use crate::call::{Owned, Ref};
use crate::compile::ExternalInitializer;
use crate::error::Result;
use crate::text::{c_text, text};
use crate::value::{TypeInfo, Value};

/// A value in a graph. A new one, made for a graph, tells its name and type; the rest fails with
/// `NotImplemented`.
pub struct ValueInfo(Owned<sys::OrtValueInfo>);

impl ValueInfo {
    /// A name with a type of a tensor, for the inputs and outputs of a new graph.
    #[doc(alias = "OrtCreateValueInfo")]
    pub fn new(name: &str, type_info: &TypeInfo) -> Result<Self> {
        let (name, type_info) = (c_text(name)?, type_info.create()?);
        // SAFETY: both are copied; a new object.
        unsafe {
            get!(OrtCreateValueInfo(name.as_ptr(), type_info.as_ptr()))
                .map(|new| ValueInfo(Owned::new(new)))
        }
    }

    /// The value's name.
    #[doc(alias = "OrtGetValueInfoName")]
    pub fn name(&self) -> Result<String> {
        // SAFETY: the text lives as long as the value.
        unsafe { get!(OrtGetValueInfoName(self.as_ptr())).map(|name| text(name)) }
    }

    /// The value's type: of the model and as inferred.
    #[doc(alias = "OrtGetValueInfoTypeInfo")]
    pub fn type_info(&self) -> Result<TypeInfo> {
        // SAFETY: the type lives as long as the value.
        unsafe { TypeInfo::read(get!(OrtGetValueInfoTypeInfo(self.as_ptr()))?) }
    }

    /// The node of the view that makes the value, and which of its outputs the value is; none for
    /// an input, an initializer, or a value from the outer scope.
    #[doc(alias = "OrtValueInfo_GetValueProducer")]
    pub fn producer(&self) -> Result<Option<(Ref<'_, Node>, usize)>> {
        let (mut node, mut index) = (null(), 0);
        // SAFETY: the node lives as long as the graph.
        unsafe {
            call!(OrtValueInfo_GetValueProducer(self.as_ptr(), &mut node, &mut index))?;
            Ok(Node::borrow(node).map(|node| (node, index)))
        }
    }

    /// The places where nodes of the view read the value: the node and the number of its input,
    /// none where sub-graphs of the node read it.
    #[doc(alias = "OrtValueInfo_GetValueConsumers")]
    #[doc(alias = "OrtValueInfo_GetValueNumConsumers")]
    pub fn consumers(&self) -> Result<Vec<(Ref<'_, Node>, Option<usize>)>> {
        // SAFETY: room for as many as there are; nodes live as long as the graph.
        unsafe {
            let count: usize = get!(OrtValueInfo_GetValueNumConsumers(self.as_ptr()))?;
            let mut indices = vec![0i64; count];
            let nodes = list(count, |room, count| {
                let numbers = indices.as_mut_ptr();
                call!(OrtValueInfo_GetValueConsumers(self.as_ptr(), room, numbers, count))
            })?;
            let places = nodes.into_iter().zip(indices);
            let places = places.filter_map(|(node, index)| {
                Some((Node::borrow(node)?, usize::try_from(index).ok()))
            });
            Ok(places.collect())
        }
    }

    /// The initializer behind the value, also when it belongs to an enclosing graph or can be
    /// overridden.
    #[doc(alias = "OrtValueInfo_GetInitializerValue")]
    pub fn initializer(&self) -> Result<Option<Ref<'_, Value>>> {
        // SAFETY: the value lives as long as the graph, and nobody writes to it.
        unsafe {
            let value: *const sys::OrtValue =
                get!(OrtValueInfo_GetInitializerValue(self.as_ptr()))?;
            Ok((!value.is_null()).then(|| Value::borrow(value)))
        }
    }

    /// Where the bytes of the initializer stand, when that is a file beside the model.
    #[doc(alias = "OrtValueInfo_GetExternalInitializerInfo")]
    pub fn external_initializer(&self) -> Result<Option<ExternalInitializer>> {
        // SAFETY: a new object, read before it ends, or null.
        unsafe {
            let info: *mut sys::OrtExternalInitializerInfo =
                get!(OrtValueInfo_GetExternalInitializerInfo(self.as_ptr()))?;
            if info.is_null() {
                return Ok(None);
            }
            Ok(ExternalInitializer::read(Owned::new(info).as_ptr()))
        }
    }

    /// Whether it is an input of the view that every run must give.
    #[doc(alias = "OrtValueInfo_IsRequiredGraphInput")]
    pub fn is_required_input(&self) -> Result<bool> {
        // SAFETY: the value lives.
        unsafe { get!(OrtValueInfo_IsRequiredGraphInput(self.as_ptr())) }
    }

    /// Whether it is a graph input with an initializer behind it, which a run may override.
    #[doc(alias = "OrtValueInfo_IsOptionalGraphInput")]
    pub fn is_optional_input(&self) -> Result<bool> {
        // SAFETY: the value lives.
        unsafe { get!(OrtValueInfo_IsOptionalGraphInput(self.as_ptr())) }
    }

    /// Whether it is an output of the view.
    #[doc(alias = "OrtValueInfo_IsGraphOutput")]
    pub fn is_output(&self) -> Result<bool> {
        // SAFETY: the value lives.
        unsafe { get!(OrtValueInfo_IsGraphOutput(self.as_ptr())) }
    }

    /// Whether it is an initializer that no run can override, also of an enclosing graph.
    #[doc(alias = "OrtValueInfo_IsConstantInitializer")]
    pub fn is_constant(&self) -> Result<bool> {
        // SAFETY: the value lives.
        unsafe { get!(OrtValueInfo_IsConstantInitializer(self.as_ptr())) }
    }

    /// Whether a sub-graph takes the value from an enclosing graph.
    #[doc(alias = "OrtValueInfo_IsFromOuterScope")]
    pub fn is_from_outer_scope(&self) -> Result<bool> {
        // SAFETY: the value lives.
        unsafe { get!(OrtValueInfo_IsFromOuterScope(self.as_ptr())) }
    }

    /// # Safety
    /// `value` is null or lives as long as `'a`.
    pub(super) unsafe fn borrow<'a>(value: *const sys::OrtValueInfo) -> Option<Ref<'a, Self>> {
        // SAFETY: as the caller promises; a `Ref` never gives it back.
        (!value.is_null()).then(|| unsafe { Ref::new(ValueInfo(Owned::new(value as *mut _))) })
    }

    pub(super) fn as_ptr(&self) -> *mut sys::OrtValueInfo {
        self.0.as_ptr()
    }

    /// For who has taken the object over.
    pub(super) fn forget(self) {
        self.0.into_raw();
    }
}

impl std::fmt::Debug for ValueInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ValueInfo")
            .field("name", &self.name())
            .field("type_info", &self.type_info())
            .finish()
    }
}
