// SPDX-License-Identifier: MIT
//! Running a session. Names that the session knows cost nothing; up to eight inputs and outputs
//! need no memory of their own.

use std::ffi::CString;
use std::os::raw::c_char;
use std::ptr::{null, null_mut};

use ortc_sys as sys;

use super::outputs::Names;
use super::{run_options_ptr, Outputs, Session};
use crate::callback::resume;
use crate::error::Result;
use crate::options::RunOptions;
use crate::text::c_text;
use crate::value::{Value, ValueMut};

/// How many inputs or outputs fit on the stack.
const FEW: usize = 8;

/// `count` elements, on the stack when they are few.
macro_rules! slots {
    ($name:ident, $count:expr, $empty:expr) => {
        let (mut few, mut many) = ([$empty; FEW], Vec::new());
        let $name = if $count <= FEW {
            &mut few[..$count]
        } else {
            many.resize($count, $empty);
            &mut many[..]
        };
    };
}

impl Session {
    /// Runs the model once, for all outputs, and waits for the result.
    ///
    /// Inputs are found by their names, in any order, and are never written.
    #[doc(alias = "OrtRun")]
    pub fn run(&self, inputs: &[(&str, &Value)]) -> Result<Outputs> {
        let names = &self.0.outputs;
        slots!(pointers, names.len(), null());
        pointers.iter_mut().zip(names.iter()).for_each(|(slot, name)| *slot = name.as_ptr());
        self.run_names(None, inputs, pointers, Names::All(names.clone()))
    }

    /// Runs the model once with options, for all outputs.
    pub fn run_with(&self, options: &RunOptions, inputs: &[(&str, &Value)]) -> Result<Outputs> {
        let names = &self.0.outputs;
        slots!(pointers, names.len(), null());
        pointers.iter_mut().zip(names.iter()).for_each(|(slot, name)| *slot = name.as_ptr());
        self.run_names(Some(options), inputs, pointers, Names::All(names.clone()))
    }

    /// Runs the model once for some of the outputs.
    pub fn run_for(
        &self,
        options: Option<&RunOptions>,
        inputs: &[(&str, &Value)],
        outputs: &[&str],
    ) -> Result<Outputs> {
        let names = outputs.iter().map(|name| c_text(name)).collect::<Result<Vec<_>>>()?;
        let pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        self.run_names(options, inputs, &pointers, Names::Some(names))
    }

    /// Runs the model once and fills values with the outputs of their names; nothing is allocated
    /// for the results. Each value must have the type and shape of its output.
    ///
    /// After a failure the contents of the values are undefined.
    pub fn run_into(
        &self,
        options: Option<&RunOptions>,
        inputs: &[(&str, &Value)],
        outputs: &mut [(&str, ValueMut<'_>)],
    ) -> Result<()> {
        slots!(values, outputs.len(), null_mut());
        values.iter_mut().zip(outputs.iter()).for_each(|(slot, (_, value))| *slot = value.as_ptr());
        let mut own = Vec::new();
        slots!(names, outputs.len(), null());
        for (slot, (name, _)) in names.iter_mut().zip(outputs.iter()) {
            *slot = find(&self.0.outputs, name, &mut own)?;
        }
        let result = self.call_run(options, inputs, names, values);
        outputs.iter_mut().for_each(|(_, value)| value.settle());
        resume(result)
    }

    fn run_names(
        &self,
        options: Option<&RunOptions>,
        inputs: &[(&str, &Value)],
        outputs: &[*const c_char],
        names: Names,
    ) -> Result<Outputs> {
        slots!(values, outputs.len(), null_mut());
        let result = self.call_run(options, inputs, outputs, values);
        // SAFETY: after a success the slots are new values, whose memory the session may keep.
        let result = result.map(|()| unsafe {
            let kept = || self.0.memory_of_values.clone();
            let values = values.iter().map(|value| Some(Value::from_raw(*value, kept())));
            Outputs::new(names, values.collect())
        });
        resume(result)
    }

    fn call_run(
        &self,
        options: Option<&RunOptions>,
        inputs: &[(&str, &Value)],
        outputs: &[*const c_char],
        values: &mut [*mut sys::OrtValue],
    ) -> Result<()> {
        let mut own = Vec::new();
        slots!(names, inputs.len(), null());
        for (slot, (name, _)) in names.iter_mut().zip(inputs) {
            *slot = find(&self.0.inputs, name, &mut own)?;
        }
        slots!(given, inputs.len(), null());
        for (slot, (_, value)) in given.iter_mut().zip(inputs) {
            *slot = value.as_ptr() as *const sys::OrtValue;
        }
        // SAFETY: names, inputs and outputs are arrays of these lengths, borrowed for the call.
        // Output values are null or borrowed for writing.
        let result = unsafe {
            call!(OrtRun(
                self.as_ptr(),
                run_options_ptr(options),
                names.as_ptr(),
                given.as_ptr(),
                given.len(),
                outputs.as_ptr(),
                outputs.len(),
                values.as_mut_ptr()
            ))
        };
        match options {
            Some(options) => options.settle(result),
            None => result,
        }
    }
}

/// A name as C has it: the session's own, else a new one that goes into `own`. The library says
/// what is wrong with a name that the model does not have.
fn find(known: &[CString], name: &str, own: &mut Vec<CString>) -> Result<*const c_char> {
    if let Some(known) = known.iter().find(|known| known.as_bytes() == name.as_bytes()) {
        return Ok(known.as_ptr());
    }
    own.push(c_text(name)?);
    Ok(own[own.len() - 1].as_ptr())
}
