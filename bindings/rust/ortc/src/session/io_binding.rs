// SPDX-License-Identifier: MIT
//! Inputs and outputs of a session tied to values once, for any number of runs.

use std::os::raw::c_char;
use std::ptr::null_mut;

use ortc_sys as sys;

use super::{run_options_ptr, Session};
use crate::call::{Owned, Ref};
use crate::callback::resume;
use crate::error::{Error, Result};
use crate::memory::MemoryInfo;
use crate::options::RunOptions;
use crate::text::{array, c_text, default_allocator};
use crate::value::{Element, Value, ValueMut, ValueView};
use crate::ErrorCode;

/// Inputs and outputs of a session tied to values, which are borrowed. Results go straight into
/// bound values; a run of shapes seen before then allocates nothing.
///
/// A value may be an input of any number of bindings. While a value is bound, the binding hands out
/// what may be done with it between runs: [`output`](Self::output), and
/// [`input_data_mut`](Self::input_data_mut) for an input bound by a mutable reference. Otherwise a
/// value that is bound cannot be touched:
///
/// ```compile_fail,E0502
/// # fn example(session: &ortc::Session, y: &mut ortc::Tensor<f32>) -> ortc::Result<()> {
/// let mut binding = session.bind()?;
/// binding.bind_output("y", &mut *y)?;
/// println!("{:?}", y.data()); // a run may be writing
/// binding.run(None)
/// # }
/// ```
pub struct IoBinding<'v> {
    handle: Owned<sys::OrtIoBinding>,
    session: Session,
    inputs: Vec<(String, Input<'v>)>,
    outputs: Vec<(String, Option<ValueMut<'v>>)>,
}

/// Nobody looks at a shared value; it is there for its borrow.
enum Input<'v> {
    Shared(std::marker::PhantomData<&'v Value>),
    Own(ValueMut<'v>),
}

impl Session {
    /// Makes a binding without values. Several bindings of one session may run at once.
    #[doc(alias = "OrtCreateIoBinding")]
    pub fn bind<'v>(&self) -> Result<IoBinding<'v>> {
        // SAFETY: the session lives; a new object.
        let handle = unsafe { Owned::new(get!(OrtCreateIoBinding(self.as_ptr()))?) };
        let session = self.clone();
        Ok(IoBinding { handle, session, inputs: Vec::new(), outputs: Vec::new() })
    }
}

impl<'v> IoBinding<'v> {
    /// Ties an input to a value, in place of an earlier one.
    #[doc(alias = "OrtBindInput")]
    pub fn bind_input(&mut self, name: &str, value: &'v Value) -> Result<()> {
        self.bind_input_to(name, value.as_ptr())?;
        put(&mut self.inputs, name, Input::Shared(std::marker::PhantomData));
        Ok(())
    }

    /// Ties an input to a value that changes between runs, through
    /// [`input_data_mut`](Self::input_data_mut).
    pub fn bind_input_mut(&mut self, name: &str, value: impl Into<ValueMut<'v>>) -> Result<()> {
        let value = value.into();
        self.bind_input_to(name, value.as_ptr())?;
        put(&mut self.inputs, name, Input::Own(value));
        Ok(())
    }

    fn bind_input_to(&mut self, name: &str, value: *const sys::OrtValue) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: the value is borrowed as long as the binding lives.
        unsafe { call!(OrtBindInput(self.as_ptr(), name.as_ptr(), value)) }
    }

    /// Ties an output to a value that each run fills, of the type and shape of the result.
    #[doc(alias = "OrtBindOutput")]
    pub fn bind_output(&mut self, name: &str, value: impl Into<ValueMut<'v>>) -> Result<()> {
        let (c_name, value) = (c_text(name)?, value.into());
        // SAFETY: the value is borrowed for writing as long as the binding lives.
        unsafe { call!(OrtBindOutput(self.as_ptr(), c_name.as_ptr(), value.as_ptr())) }?;
        put(&mut self.outputs, name, Some(value));
        Ok(())
    }

    /// Ties an input and an output to one value: a cache that the model appends to, as past and
    /// present of a language model. Where the model's operator can, nothing is copied; else a run
    /// reads the input from a copy.
    pub fn bind_in_place(
        &mut self,
        input: &str,
        output: &str,
        value: impl Into<ValueMut<'v>>,
    ) -> Result<()> {
        let value = value.into();
        self.bind_input_to(input, value.as_ptr())?;
        put(&mut self.inputs, input, Input::Shared(std::marker::PhantomData));
        self.bind_output(output, value)
    }

    /// Asks for an output whose shape is not known before. Each run makes a new value for it.
    #[doc(alias = "OrtBindOutputToDevice")]
    pub fn bind_output_to_memory(&mut self, name: &str, memory: &MemoryInfo) -> Result<()> {
        let c_name = c_text(name)?;
        // SAFETY: the description is borrowed for the call.
        unsafe { call!(OrtBindOutputToDevice(self.as_ptr(), c_name.as_ptr(), memory.as_ptr())) }?;
        put(&mut self.outputs, name, None);
        Ok(())
    }

    /// Runs the model once with what is bound, and waits for the result.
    ///
    /// After a failure the contents of bound outputs are undefined.
    #[doc(alias = "OrtRunWithBinding")]
    pub fn run(&mut self, options: Option<&RunOptions>) -> Result<()> {
        let (session, binding) = (self.session.as_ptr(), self.as_ptr());
        // SAFETY: the session is the binding's; one run at a time.
        let result =
            unsafe { call!(OrtRunWithBinding(session, run_options_ptr(options), binding)) };
        self.outputs.iter_mut().filter_map(|(_, value)| value.as_mut()).for_each(ValueMut::settle);
        resume(match options {
            Some(options) => options.settle(result),
            None => result,
        })
    }

    /// The elements of an input that is tied by [`bind_input_mut`](Self::bind_input_mut), for
    /// writing.
    ///
    /// Fails when no such input is, or it is not a tensor of `T`.
    pub fn input_data_mut<T: Element>(&mut self, name: &str) -> Result<&mut [T]> {
        let bound = self.inputs.iter_mut().find(|(own, _)| own == name);
        match bound {
            Some((_, Input::Own(value))) => value.data_mut(),
            _ => {
                let message = format!("no input '{name}' was bound for writing");
                Err(Error::new(ErrorCode::NotFound, message))
            }
        }
    }

    /// The value that an output is tied to.
    pub fn output(&self, name: &str) -> Option<Ref<'_, Value>> {
        let (_, value) = self.outputs.iter().find(|(own, _)| own == name)?;
        value.as_ref().map(ValueMut::value)
    }

    /// Names and values of the bound outputs, in the order in which they were bound. An output that
    /// is bound to memory only has no content before the first run.
    #[doc(alias = "OrtGetBoundOutputNames")]
    #[doc(alias = "OrtGetBoundOutputValues")]
    pub fn outputs(&self) -> Result<Vec<(String, ValueView<'_>)>> {
        let names = self.output_names()?;
        let (mut values, mut count) = (null_mut(), 0);
        // SAFETY: an array of new values that share the contents; both end here or with the
        // results, which the binding outlives.
        unsafe {
            let allocator = default_allocator()?;
            call!(OrtGetBoundOutputValues(self.as_ptr(), allocator, &mut values, &mut count))?;
            let bound = array(values, count)
                .iter()
                .map(|value| ValueView::from_raw(*value))
                .collect::<Vec<_>>();
            call!(OrtAllocatorFree(allocator, values.cast()))?;
            Ok(names.into_iter().zip(bound).collect())
        }
    }

    fn output_names(&self) -> Result<Vec<String>> {
        let (mut text, mut lengths, mut count) = (null_mut::<c_char>(), null_mut(), 0);
        // SAFETY: `count` lengths, and a text of their sum; both end here.
        unsafe {
            let allocator = default_allocator()?;
            let (binding, text, lengths) = (self.as_ptr(), &mut text, &mut lengths);
            call!(OrtGetBoundOutputNames(binding, allocator, text, lengths, &mut count))?;
            let sizes: &[usize] = array(*lengths, count);
            let mut rest = array(text.cast::<u8>() as *const u8, sizes.iter().sum());
            let mut names = Vec::with_capacity(count);
            for size in sizes {
                let (name, others) = rest.split_at(*size);
                names.push(String::from_utf8_lossy(name).into_owned());
                rest = others;
            }
            call!(OrtAllocatorFree(allocator, text.cast()))?;
            call!(OrtAllocatorFree(allocator, lengths.cast()))?;
            Ok(names)
        }
    }

    /// Unties all inputs.
    #[doc(alias = "OrtClearBoundInputs")]
    pub fn clear_inputs(&mut self) {
        // SAFETY: no run is under way.
        unsafe { sys::OrtClearBoundInputs(self.as_ptr()) };
        self.inputs.clear();
    }

    /// Unties all outputs.
    #[doc(alias = "OrtClearBoundOutputs")]
    pub fn clear_outputs(&mut self) {
        // SAFETY: no run is under way.
        unsafe { sys::OrtClearBoundOutputs(self.as_ptr()) };
        self.outputs.clear();
    }

    /// Waits until bound inputs are where the run needs them. On the CPU they always are.
    #[doc(alias = "OrtSynchronizeBoundInputs")]
    pub fn synchronize_inputs(&mut self) -> Result<()> {
        // SAFETY: no run is under way.
        unsafe { call!(OrtSynchronizeBoundInputs(self.as_ptr())) }
    }

    /// Waits until bound outputs are where they should be. On the CPU they always are.
    #[doc(alias = "OrtSynchronizeBoundOutputs")]
    pub fn synchronize_outputs(&mut self) -> Result<()> {
        // SAFETY: no run is under way.
        unsafe { call!(OrtSynchronizeBoundOutputs(self.as_ptr())) }
    }

    fn as_ptr(&self) -> *mut sys::OrtIoBinding {
        self.handle.as_ptr()
    }
}

fn put<T>(list: &mut Vec<(String, T)>, name: &str, value: T) {
    match list.iter_mut().find(|(own, _)| own == name) {
        Some((_, old)) => *old = value,
        None => list.push((name.into(), value)),
    }
}
