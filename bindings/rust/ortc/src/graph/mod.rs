// SPDX-License-Identifier: MIT
//! Graphs of models, seen as execution providers see them, or made piece by piece.

mod attribute;
mod editor;
mod node;
mod value_info;
mod view;

pub use attribute::{AttributeValue, OpAttribute};
pub use editor::{EditorSession, Model};
pub use node::{Node, NodeBuilder};
pub use value_info::ValueInfo;
pub use view::Graph;

use std::ptr::null;

use crate::error::Result;

/// Fills an array of as many pointers.
fn list<T>(
    count: usize,
    fill: impl FnOnce(*mut *const T, usize) -> Result<()>,
) -> Result<Vec<*const T>> {
    let mut items = vec![null(); count];
    fill(items.as_mut_ptr(), count)?;
    Ok(items)
}
