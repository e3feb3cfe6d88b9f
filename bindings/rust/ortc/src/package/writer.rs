// SPDX-License-Identifier: MIT
//! Writing model packages: models that are there already become variants of components.

use std::path::Path;

use ortc_sys as sys;

use crate::call::Owned;
use crate::compile::json;
use crate::error::Result;
use crate::key_values::KeyValuePairs;
use crate::text::{c_path, c_text, default_allocator, taken_text};
use crate::ModelPackageWriteFlags;

/// What a package says of itself, for people and other programs. What is empty is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelPackageInfo<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
    /// What is in it.
    pub description: &'a str,
}

/// What a variant of a package is for, and how its sessions are made.
///
/// ```
/// use ortc::VariantSettings;
///
/// let settings = VariantSettings::new()
///     .device("cpu")
///     .session_option("session.intra_op_num_threads", "4");
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct VariantSettings(Vec<(String, String)>);

impl VariantSettings {
    /// What the model itself says.
    pub fn new() -> Self {
        Self::default()
    }

    /// The execution provider. Without one it is that which compiled the model, or the default
    /// provider.
    pub fn provider(self, name: &str) -> Self {
        self.with("ep".into(), name)
    }

    /// "cpu", "gpu" or "npu".
    pub fn device(self, kind: &str) -> Self {
        self.with("device".into(), kind)
    }

    /// What the provider said when it compiled the model, as
    /// [`compatibility_info`](crate::compatibility_info) gives it.
    pub fn compatibility(self, info: &str) -> Self {
        self.with("compatibility_string".into(), info)
    }

    /// A config entry that sessions get.
    pub fn session_option(self, key: &str, value: &str) -> Self {
        self.with(format!("session_options.{key}"), value)
    }

    /// An option that the execution provider gets.
    pub fn provider_option(self, key: &str, value: &str) -> Self {
        self.with(format!("provider_options.{key}"), value)
    }

    fn with(mut self, key: String, value: &str) -> Self {
        self.0.push((key, value.into()));
        self
    }
}

/// Makes a package of models that are there already, compiled or not: each becomes a variant of a
/// component. Nothing is copied before [`write`](Self::write), which writes everything or nothing.
///
/// ```no_run
/// use ortc::{ModelPackageInfo, ModelPackageWriteFlags, ModelPackageWriter, VariantSettings};
///
/// let info = ModelPackageInfo { name: "phi", ..Default::default() };
/// let mut writer = ModelPackageWriter::new(info)?;
/// writer.add_variant("decoder", "v3", "decoder_v3_ctx.onnx", &VariantSettings::new())?;
/// writer.add_variant("decoder", "any", "decoder.onnx", &VariantSettings::new())?;
/// writer.write("phi", ModelPackageWriteFlags::NONE)?;
/// # Ok::<(), ortc::Error>(())
/// ```
pub struct ModelPackageWriter(Owned<sys::OrtModelPackageWriter>);

impl ModelPackageWriter {
    /// Begins a package without variants.
    #[doc(alias = "OrtCreateModelPackageWriter")]
    pub fn new(info: ModelPackageInfo<'_>) -> Result<Self> {
        let all = [
            ("package_name", info.name),
            ("package_version", info.version),
            ("description", info.description),
        ];
        let mut pairs = KeyValuePairs::new();
        for (key, value) in all.into_iter().filter(|(_, value)| !value.is_empty()) {
            pairs.set(key, value)?;
        }
        // SAFETY: a new object; the list is borrowed for the call.
        let handle = unsafe { Owned::new(get!(OrtCreateModelPackageWriter(pairs.as_ptr()))?) };
        Ok(ModelPackageWriter(handle))
    }

    /// Adds a model as a variant of a component; both keep the order in which they come. The files
    /// that the model names are found beside it.
    #[doc(alias = "OrtModelPackageWriter_AddVariant")]
    pub fn add_variant(
        &mut self,
        component: &str,
        variant: &str,
        model: impl AsRef<Path>,
        settings: &VariantSettings,
    ) -> Result<()> {
        let (component, variant, model) = (c_text(component)?, c_text(variant)?, c_path(model)?);
        let settings = KeyValuePairs::try_from(&settings.0[..])?;
        // SAFETY: everything is borrowed for the call.
        unsafe {
            call!(OrtModelPackageWriter_AddVariant(
                self.0.as_ptr(),
                component.as_ptr(),
                variant.as_ptr(),
                model.as_ptr(),
                settings.as_ptr()
            ))
        }
    }

    /// Adds a folder that variants share, as a tokenizer's, and gives the text by which settings
    /// and [`ModelPackage::resolve`](crate::ModelPackage::resolve) refer to it: "sha256:...".
    #[doc(alias = "OrtModelPackageWriter_AddSharedAsset")]
    pub fn add_shared_asset(&mut self, folder: impl AsRef<Path>) -> Result<String> {
        let (folder, allocator) = (c_path(folder)?, default_allocator()?);
        // SAFETY: a new text of the allocator.
        unsafe {
            let (writer, folder) = (self.0.as_ptr(), folder.as_ptr());
            let text = get!(OrtModelPackageWriter_AddSharedAsset(writer, folder, allocator))?;
            Ok(taken_text(text)?.unwrap_or_default())
        }
    }

    /// Writes the package to a folder that is not there yet. Gives a report as JSON.
    #[doc(alias = "OrtModelPackageWriter_Write")]
    pub fn write(
        &mut self,
        root: impl AsRef<Path>,
        flags: ModelPackageWriteFlags,
    ) -> Result<String> {
        let root = c_path(root)?;
        // SAFETY: a new object.
        unsafe {
            json(get!(OrtModelPackageWriter_Write(self.0.as_ptr(), root.as_ptr(), flags.bits())))
        }
    }
}
