// SPDX-License-Identifier: MIT
//! What a compiler was told, as compile options for C.

use std::os::raw::c_void;
use std::path::Path;

use ortc_sys as sys;

use super::compiler::{Input, ModelCompiler};
use super::functions::{self, Functions};
use crate::call::Owned;
use crate::error::Result;
use crate::options::Prepared;
use crate::text::{c_path, c_text, default_allocator, Taken};

/// Where a compiled model goes.
pub(super) enum Target<'t> {
    File(&'t Path),
    /// The file that is named after the input.
    Beside,
    Memory(&'t mut Taken),
    Memories(Memories<'t>),
    /// The state of an [`Output`].
    Writer(*mut c_void),
}

/// A model and its initializers, which it calls by a name.
pub(super) struct Memories<'t> {
    pub(super) model: &'t mut Taken,
    pub(super) initializers: &'t mut Taken,
    pub(super) name: &'t Path,
    pub(super) threshold: usize,
}

impl<'a> ModelCompiler<'a> {
    pub(super) fn state(&self) -> *mut c_void {
        &*self.functions as *const Functions<'a> as *mut c_void
    }

    /// The options for C. Whoever uses them keeps `prepared`, this object and the target longer.
    pub(super) fn create_options(
        &self,
        prepared: &Prepared<'_>,
        target: Target<'_>,
    ) -> Result<Owned<sys::OrtModelCompilationOptions>> {
        // SAFETY: a new object; texts are copied, everything else lives longer.
        unsafe {
            let options = Owned::new(get!(OrtCreateModelCompilationOptionsFromSessionOptions(
                self.env.as_ptr(),
                prepared.as_ptr()
            ))?);
            let this = options.as_ptr();
            self.set_input(this)?;
            self.set_rules(this)?;
            self.set_functions(this)?;
            // Last, for its place of initializers counts then.
            set_target(this, target)?;
            Ok(options)
        }
    }

    /// # Safety
    /// `options` live, and are not used after this object.
    unsafe fn set_input(&self, options: *mut sys::OrtModelCompilationOptions) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe {
            match &self.input {
                Some(Input::File(path)) => {
                    let path = c_path(path)?;
                    call!(OrtModelCompilationOptions_SetInputModelPath(options, path.as_ptr()))
                }
                Some(Input::Bytes(bytes)) => {
                    let (data, size) = (bytes.as_ptr().cast(), bytes.len());
                    call!(OrtModelCompilationOptions_SetInputModelFromBuffer(options, data, size))
                }
                Some(Input::Model(model)) => {
                    call!(OrtModelCompilationOptions_SetInputModel(options, model.as_ptr()))
                }
                None => Ok(()), // the compile says what is missing
            }
        }
    }

    /// # Safety
    /// `options` live.
    unsafe fn set_rules(&self, options: *mut sys::OrtModelCompilationOptions) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe {
            if let Some((path, threshold)) = &self.external_initializers {
                let path = c_path(path)?;
                let (path, least) = (path.as_ptr(), *threshold);
                call!(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
                    options, path, least
                ))?;
            }
            if let Some((alignment, least)) = self.external_initializers_alignment {
                call!(OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(
                    options, alignment, least
                ))?;
            }
            if let Some(embed) = self.embed {
                call!(OrtModelCompilationOptions_SetEpContextEmbedMode(options, embed))?;
            }
            if let Some(weightless) = self.weightless {
                call!(OrtModelCompilationOptions_SetWeightlessEnabled(options, weightless))?;
            }
            if let Some((folder, model)) = &self.binary_information {
                let (folder, model) = (c_path(folder)?, c_text(model)?);
                let (folder, model) = (folder.as_ptr(), model.as_ptr());
                call!(OrtModelCompilationOptions_SetEpContextBinaryInformation(
                    options, folder, model
                ))?;
            }
            if let Some(flags) = self.flags {
                call!(OrtModelCompilationOptions_SetFlags(options, flags.bits()))?;
            }
            if let Some(level) = self.level {
                let level = level.to_raw();
                call!(OrtModelCompilationOptions_SetGraphOptimizationLevel(options, level))?;
            }
            Ok(())
        }
    }

    /// # Safety
    /// `options` live, and are not used after this object.
    unsafe fn set_functions(&self, options: *mut sys::OrtModelCompilationOptions) -> Result<()> {
        let state = self.state();
        // SAFETY: as the caller promises.
        unsafe {
            if self.functions.location.is_some() {
                let location = Some(functions::location as _);
                call!(OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
                    options, location, state
                ))?;
            }
            if self.functions.data.is_some() {
                let write = Some(functions::write_data as _);
                call!(OrtModelCompilationOptions_SetEpContextDataWriteFunc(options, write, state))?;
            }
            Ok(())
        }
    }
}

/// # Safety
/// `options` live, and are not used after the target.
unsafe fn set_target(
    options: *mut sys::OrtModelCompilationOptions,
    target: Target<'_>,
) -> Result<()> {
    // SAFETY: as the caller promises.
    unsafe {
        match target {
            Target::File(path) => {
                let path = c_path(path)?;
                call!(OrtModelCompilationOptions_SetOutputModelPath(options, path.as_ptr()))
            }
            Target::Beside => Ok(()),
            Target::Memory(model) => set_memory(options, model),
            Target::Memories(to) => {
                set_memory(options, to.model)?;
                let (name, least, memory) = (c_path(to.name)?, to.threshold, default_allocator()?);
                let (name, data) = (name.as_ptr(), &mut to.initializers.data);
                let size = &mut to.initializers.size;
                call!(OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
                    options, name, least, memory, data, size
                ))
            }
            Target::Writer(state) => {
                let write = Some(functions::write as _);
                call!(OrtModelCompilationOptions_SetOutputModelWriteFunc(options, write, state))
            }
        }
    }
}

/// # Safety
/// `options` live, and are not used after the memory.
unsafe fn set_memory(options: *mut sys::OrtModelCompilationOptions, to: &mut Taken) -> Result<()> {
    let memory = default_allocator()?;
    let (data, size) = (&mut to.data, &mut to.size);
    // SAFETY: as the caller promises.
    unsafe { call!(OrtModelCompilationOptions_SetOutputModelBuffer(options, memory, data, size)) }
}
