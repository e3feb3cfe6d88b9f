// SPDX-License-Identifier: MIT
//! What a run gives.

use std::ffi::CString;
use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::value::{Element, Tensor, Value};
use crate::ErrorCode;

/// The values that a run made, by the names of the outputs. They are the program's own.
///
/// `outputs["y"]` is the value of output `y`, and panics when there is none;
/// [`get`](Self::get) does not.
pub struct Outputs {
    names: Names,
    values: Vec<Option<Value>>,
}

/// All outputs of the session, or those that were asked for.
pub(super) enum Names {
    All(Arc<Vec<CString>>),
    Some(Vec<CString>),
}

impl Outputs {
    pub(super) fn new(names: Names, values: Vec<Option<Value>>) -> Self {
        Outputs { names, values }
    }

    /// The value of an output; none when the run did not make it, or it was taken.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values[self.position(name)?].as_ref()
    }

    /// Takes the value of an output.
    ///
    /// Fails when the run did not make it, or it was taken before.
    pub fn take(&mut self, name: &str) -> Result<Value> {
        let value = self.position(name).and_then(|position| self.values[position].take());
        value.ok_or_else(|| {
            let names: Vec<_> = self.names().collect();
            Error::new(ErrorCode::NotFound, format!("no output '{name}' among {names:?}"))
        })
    }

    /// Takes the value of an output as a tensor.
    ///
    /// Fails as [`take`](Self::take), and when it is not a tensor of `T`.
    pub fn take_tensor<T: Element>(&mut self, name: &str) -> Result<Tensor<T>> {
        self.take(name)?.try_into()
    }

    /// The names of the outputs, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        // Names that are not UTF-8 cannot be asked for.
        self.c_names().iter().map(|name| name.to_str().unwrap_or_default())
    }

    /// Names and values that were not taken, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.names().zip(&self.values).filter_map(|(name, value)| Some((name, value.as_ref()?)))
    }

    /// How many outputs there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn c_names(&self) -> &[CString] {
        match &self.names {
            Names::All(names) => names,
            Names::Some(names) => names,
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.c_names().iter().position(|own| own.as_bytes() == name.as_bytes())
    }
}

impl Index<&str> for Outputs {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        match self.get(name) {
            Some(value) => value,
            None => panic!("no output '{}' among {:?}", name, self.names().collect::<Vec<_>>()),
        }
    }
}

impl Index<usize> for Outputs {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        self.values[index].as_ref().expect("the output was taken")
    }
}

impl IntoIterator for Outputs {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        let names: Vec<String> = self.names().map(String::from).collect();
        let pairs = names.into_iter().zip(self.values);
        pairs.filter_map(|(name, value)| Some((name, value?))).collect::<Vec<_>>().into_iter()
    }
}

impl fmt::Debug for Outputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
