// SPDX-License-Identifier: MIT
//! Model packages: one folder with models in several variants, of which the best for this machine
//! runs.

mod component;
mod writer;

use std::os::raw::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::ptr::null;
use std::sync::Mutex;

use ortc_sys as sys;

pub use component::ModelPackageComponent;
pub use writer::{ModelPackageInfo, ModelPackageWriter, VariantSettings};

use crate::call::Owned;
use crate::callback::lock;
use crate::compile::json;
use crate::env::Env;
use crate::error::Result;
use crate::options::SessionOptions;
use crate::session::Session;
use crate::text::{array, c_path, c_text, optional_text, path, text};

/// A folder with models in several variants, each for an execution provider and what it was
/// compiled for. No model is opened before there is a session; [`ModelPackageWriter`] makes
/// packages.
///
/// ```no_run
/// use ortc::{Env, ModelPackage, SessionOptions};
///
/// let env = Env::new("example")?;
/// let package = ModelPackage::open("phi")?;
/// let session = package.session(&env, "decoder", &SessionOptions::new()?)?;
/// # Ok::<(), ortc::Error>(())
/// ```
pub struct ModelPackage {
    handle: Owned<sys::OrtModelPackageContext>,
    /// The library keeps the last resolved path only.
    resolving: Mutex<()>,
}

impl ModelPackage {
    /// Reads the manifest of a package, its components and their variants.
    #[doc(alias = "OrtCreateModelPackageContext")]
    pub fn open(root: impl AsRef<Path>) -> Result<Self> {
        let root = c_path(root)?;
        // SAFETY: a new object.
        let handle = unsafe { Owned::new(get!(OrtCreateModelPackageContext(root.as_ptr()))?) };
        Ok(ModelPackage { handle, resolving: Mutex::default() })
    }

    /// The major version of the package's format.
    #[doc(alias = "OrtModelPackage_GetSchemaVersion")]
    pub fn schema_version(&self) -> Result<i64> {
        // SAFETY: the package lives.
        unsafe { get!(OrtModelPackage_GetSchemaVersion(self.as_ptr())) }
    }

    /// How many components there are.
    #[doc(alias = "OrtModelPackage_GetComponentCount")]
    pub fn component_count(&self) -> Result<usize> {
        // SAFETY: the package lives.
        unsafe { get!(OrtModelPackage_GetComponentCount(self.as_ptr())) }
    }

    /// The names of the components, in the order of the manifest.
    #[doc(alias = "OrtModelPackage_GetComponentNames")]
    pub fn components(&self) -> Result<Vec<String>> {
        let (mut list, mut count) = (null(), 0);
        // SAFETY: the texts live as long as the package.
        unsafe {
            call!(OrtModelPackage_GetComponentNames(self.as_ptr(), &mut list, &mut count))?;
            Ok(names(list, count))
        }
    }

    /// How many variants a component has.
    #[doc(alias = "OrtModelPackage_GetVariantCount")]
    pub fn variant_count(&self, component: &str) -> Result<usize> {
        let component = c_text(component)?;
        // SAFETY: the package lives.
        unsafe { get!(OrtModelPackage_GetVariantCount(self.as_ptr(), component.as_ptr())) }
    }

    /// The names of a component's variants, in the order of the manifest.
    #[doc(alias = "OrtModelPackage_GetVariantNames")]
    pub fn variants(&self, component: &str) -> Result<Vec<String>> {
        let component = c_text(component)?;
        let (mut list, mut count) = (null(), 0);
        // SAFETY: the texts live as long as the package.
        unsafe {
            let (package, component) = (self.as_ptr(), component.as_ptr());
            call!(OrtModelPackage_GetVariantNames(package, component, &mut list, &mut count))?;
            Ok(names(list, count))
        }
    }

    /// The execution provider that a variant is for; none when it names none.
    #[doc(alias = "OrtModelPackage_GetVariantEpName")]
    pub fn provider(&self, component: &str, variant: &str) -> Result<Option<String>> {
        let (component, variant) = (c_text(component)?, c_text(variant)?);
        // SAFETY: the text lives as long as the package.
        unsafe {
            let (component, variant) = (component.as_ptr(), variant.as_ptr());
            get!(OrtModelPackage_GetVariantEpName(self.as_ptr(), component, variant))
                .map(|name| optional_text(name))
        }
    }

    /// The path that a text in the package means: a shared asset ("sha256:..."), something in one
    /// ("sha256:.../name"), or a path seen from a folder; none is that of the package. With
    /// `must_exist` it is an error when nothing is there.
    #[doc(alias = "OrtModelPackage_ResolveStringRef")]
    pub fn resolve(
        &self,
        reference: &str,
        base: Option<&Path>,
        must_exist: bool,
    ) -> Result<PathBuf> {
        let (reference, base) = (c_text(reference)?, base.map(c_path).transpose()?);
        let base = base.as_ref().map_or(null(), |base| base.as_ptr());
        let _alone = lock(&self.resolving);
        // SAFETY: the text lives until the next call, which waits.
        unsafe {
            get!(OrtModelPackage_ResolveStringRef(
                self.as_ptr(),
                base,
                reference.as_ptr(),
                c_int::from(must_exist)
            ))
            .map(|found| path(found))
        }
    }

    /// Selects the variant of a component that is best for the providers of the options, which are
    /// asked in their order. The error says of each variant why it is not taken.
    #[doc(alias = "OrtModelPackage_SelectComponent")]
    pub fn select(
        &self,
        env: &Env,
        component: &str,
        options: &SessionOptions,
    ) -> Result<ModelPackageComponent> {
        let component = c_text(component)?;
        let selected = with_wanted(env, options, |wanted| {
            // SAFETY: a new object.
            unsafe {
                let (package, component) = (self.as_ptr(), component.as_ptr());
                get!(OrtModelPackage_SelectComponent(package, component, wanted))
                    .map(|component| Owned::new(component))
            }
        });
        selected.map(|selected| ModelPackageComponent::new(selected, env))
    }

    /// Makes a session of the variant that is best for the providers of the options, with the
    /// options that the package has for it.
    pub fn session(&self, env: &Env, component: &str, options: &SessionOptions) -> Result<Session> {
        self.select(env, component, options)?.session(env)
    }

    /// Components, variants and shared assets, as JSON.
    #[doc(alias = "OrtModelPackage_Describe")]
    pub fn describe(&self) -> Result<String> {
        // SAFETY: a new object.
        unsafe { json(get!(OrtModelPackage_Describe(self.as_ptr(), null()))) }
    }

    /// The same, with what the providers of the options say of each variant, and which is selected.
    pub fn describe_for(&self, env: &Env, options: &SessionOptions) -> Result<String> {
        with_wanted(env, options, |wanted| {
            // SAFETY: a new object.
            unsafe { json(get!(OrtModelPackage_Describe(self.as_ptr(), wanted))) }
        })
    }

    /// Compares everything that has a hash with it, and says so as JSON: "verdict" is "sound" or
    /// "broken". What is broken is no error.
    #[doc(alias = "OrtModelPackage_Verify")]
    pub fn verify(&self) -> Result<String> {
        // SAFETY: a new object.
        unsafe { json(get!(OrtModelPackage_Verify(self.as_ptr()))) }
    }

    fn as_ptr(&self) -> *const sys::OrtModelPackageContext {
        self.handle.as_ptr()
    }
}

/// Notes for one call what options choose.
#[doc(alias = "OrtCreateModelPackageOptionsFromSessionOptions")]
fn with_wanted<T>(
    env: &Env,
    options: &SessionOptions,
    call: impl FnOnce(*const sys::OrtModelPackageOptions) -> Result<T>,
) -> Result<T> {
    let prepared = options.prepare()?;
    // SAFETY: a new object, which ends before the options.
    let wanted = unsafe {
        let (env, options) = (env.as_ptr(), prepared.as_ptr());
        Owned::new(get!(OrtCreateModelPackageOptionsFromSessionOptions(env, options))?)
    };
    call(wanted.as_ptr())
}

/// # Safety
/// `first` has `count` texts, or is null.
unsafe fn names(first: *const *const c_char, count: usize) -> Vec<String> {
    // SAFETY: as the caller promises.
    unsafe { array(first, count).iter().map(|name| text(*name)).collect() }
}
