// SPDX-License-Identifier: MIT
//! Weights that sessions take from memory of the program. Options and sessions keep that memory.

use std::path::Path;
use std::sync::Arc;

use super::SessionOptions;
use crate::error::Result;
use crate::text::{c_path, c_text, CTexts};
use crate::value::Value;

impl SessionOptions {
    /// Gives a tensor in place of an initializer, for sessions that share it: one made with
    /// [`Tensor::from_vec`](crate::Tensor::from_vec).
    #[doc(alias = "OrtAddInitializer")]
    pub fn add_initializer(&mut self, name: &str, tensor: impl Into<Arc<Value>>) -> Result<()> {
        let (name, tensor) = (c_text(name)?, tensor.into());
        // SAFETY: options and sessions keep the tensor; nobody can write to it.
        unsafe { call!(OrtAddInitializer(self.as_ptr(), name.as_ptr(), tensor.as_ptr())) }?;
        self.kept.push(tensor);
        Ok(())
    }

    /// Gives tensors in place of initializers whose bytes the model has in other files; those files
    /// are not opened then.
    #[doc(alias = "OrtAddExternalInitializers")]
    pub fn add_external_initializers<V: Into<Arc<Value>>>(
        &mut self,
        tensors: impl IntoIterator<Item = (impl AsRef<str>, V)>,
    ) -> Result<()> {
        let (names, tensors): (Vec<_>, Vec<Arc<Value>>) =
            tensors.into_iter().map(|(name, tensor)| (name, tensor.into())).unzip();
        let names = CTexts::new(names)?;
        let pointers: Vec<_> = tensors.iter().map(|value| value.as_ptr() as *const _).collect();
        let (texts, values, count) = (names.as_ptr(), pointers.as_ptr(), names.len());
        // SAFETY: the options keep the tensors; nobody can write to them.
        unsafe { call!(OrtAddExternalInitializers(self.as_ptr(), texts, values, count)) }?;
        tensors.into_iter().for_each(|tensor| self.kept.push(tensor));
        Ok(())
    }

    /// Gives the contents of external data files, by the names that the model has for them; no
    /// such file is opened then.
    #[doc(alias = "OrtAddExternalInitializersFromFilesInMemory")]
    pub fn add_external_files<B: Into<Arc<[u8]>>>(
        &mut self,
        files: impl IntoIterator<Item = (impl AsRef<Path>, B)>,
    ) -> Result<()> {
        let (names, contents): (Vec<_>, Vec<Arc<[u8]>>) =
            files.into_iter().map(|(name, content)| (name, content.into())).unzip();
        let names = names.iter().map(c_path).collect::<Result<Vec<_>>>()?;
        let texts: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let data: Vec<_> = contents.iter().map(|bytes| bytes.as_ptr() as *mut _).collect();
        let sizes: Vec<_> = contents.iter().map(|bytes| bytes.len()).collect();
        // SAFETY: the options keep the contents, which are only read.
        unsafe {
            call!(OrtAddExternalInitializersFromFilesInMemory(
                self.as_ptr(),
                texts.as_ptr(),
                data.as_ptr(),
                sizes.as_ptr(),
                texts.len()
            ))?;
        }
        contents.into_iter().for_each(|bytes| self.kept.push(Arc::new(bytes)));
        Ok(())
    }

    /// Gives the source of a model that was compiled without weights, in place of the config entry
    /// `ep.context_source_model_path`.
    #[doc(alias = "OrtSessionOptionsSetWeightlessSourceModelBuffer")]
    pub fn set_source_model(&mut self, model: impl Into<Arc<[u8]>>) -> Result<()> {
        let model = model.into();
        // SAFETY: the options keep the bytes.
        unsafe {
            call!(OrtSessionOptionsSetWeightlessSourceModelBuffer(
                self.as_ptr(),
                model.as_ptr().cast(),
                model.len()
            ))?;
        }
        self.kept.push(Arc::new(model));
        Ok(())
    }
}
