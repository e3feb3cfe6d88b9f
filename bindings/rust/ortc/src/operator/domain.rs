// SPDX-License-Identifier: MIT
//! Operators of one domain, and session options that know them.

use std::sync::{Arc, Mutex};

use ortc_sys as sys;

use super::registered::Registered;
use super::Operator;
use crate::call::Owned;
use crate::callback::lock;
use crate::error::Result;
use crate::options::SessionOptions;
use crate::text::c_text;

/// Operators of the program under the name of their domain, for
/// [`SessionOptions::add_operators`]. Options and sessions that know them keep them.
pub struct OperatorDomain {
    handle: Owned<sys::OrtCustomOpDomain>,
    operators: Arc<Mutex<Vec<Arc<Registered>>>>, // only grows
}

impl OperatorDomain {
    /// A domain without operators. The name is what nodes have; "" is ONNX's own.
    #[doc(alias = "OrtCreateCustomOpDomain")]
    #[doc(alias = "OrtReleaseCustomOpDomain")]
    pub fn new(name: &str) -> Result<Self> {
        let name = c_text(name)?;
        // SAFETY: the name is copied; a new object.
        let handle = unsafe { Owned::new(get!(OrtCreateCustomOpDomain(name.as_ptr()))?) };
        Ok(OperatorDomain { handle, operators: Arc::default() })
    }

    /// The domain with one more operator. What it declares is asked here; what is wrong with that is
    /// said when a session is made. Options that have the domain already know it, too.
    #[doc(alias = "OrtCustomOpDomain_Add")]
    pub fn with(self, operator: impl Operator) -> Result<Self> {
        let operator = Arc::new(Registered::new(Box::new(operator))?);
        // SAFETY: whoever can reach the operator keeps the list, from which none is taken.
        unsafe { call!(OrtCustomOpDomain_Add(self.handle.as_ptr(), operator.as_ptr())) }?;
        lock(&self.operators).push(operator);
        Ok(self)
    }

    /// # Safety
    /// `options` live, and whoever uses them keeps the operators.
    pub(super) unsafe fn add_to(&self, options: *mut sys::OrtSessionOptions) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe { call!(OrtAddCustomOpDomain(options, self.handle.as_ptr())) }
    }
}

impl SessionOptions {
    /// Makes the operators of a domain known to the sessions and compiles with these options. They
    /// live as long as the last of them. Several domains of one name are joined.
    #[doc(alias = "OrtAddCustomOpDomain")]
    pub fn add_operators(&mut self, domain: &OperatorDomain) -> Result<()> {
        // SAFETY: options, and what is made with them, keep the operators.
        unsafe { domain.add_to(self.as_ptr()) }?;
        self.keep_operators(domain.operators.clone());
        Ok(())
    }
}
