// SPDX-License-Identifier: MIT
//! Models made in memory, and models from files that get more nodes before a session is made.

use std::path::Path;
use std::ptr::null_mut;

use ortc_sys as sys;

use super::Graph;
use crate::call::Owned;
use crate::callback::resume;
use crate::env::{Env, Kept};
use crate::error::Result;
use crate::options::SessionOptions;
use crate::session::Session;
use crate::text::{c_path, c_text, CTexts};

/// A model made piece by piece, for sessions and for
/// [`ModelCompiler::input_model`](crate::ModelCompiler::input_model).
///
/// ```
/// use ortc::{ElementType, Env, Graph, Model, Node, Session, SessionOptions, Tensor};
/// use ortc::{TypeInfo, ValueInfo};
///
/// let mut graph = Graph::new()?;
/// let numbers = TypeInfo::tensor(ElementType::Float, [-1]);
/// graph.set_inputs(vec![ValueInfo::new("x", &numbers)?])?;
/// graph.set_outputs(vec![ValueInfo::new("y", &numbers)?])?;
/// graph.add_node(Node::builder("Neg").inputs(&["x"]).outputs(&["y"]).build()?)?;
/// let model = Model::new(&[("", 17)], graph)?;
///
/// let env = Env::new("docs")?;
/// let session = Session::from_model(&env, &model, &SessionOptions::new()?)?;
/// let x = Tensor::from_vec([2], vec![1.0f32, -2.0])?;
/// let outputs = session.run(&[("x", &x)])?;
/// assert_eq!(outputs["y"].data::<f32>()?, [-1.0, 2.0]);
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Debug)]
pub struct Model {
    handle: Owned<sys::OrtModel>,
    /// Memory under initializers, and allocators that it goes back to.
    kept: Vec<Kept>,
}

impl Model {
    /// A model of a graph, with the opsets it imports by domain; "" is ONNX's own. Without that,
    /// the model can only be applied to another one.
    #[doc(alias = "OrtCreateModel")]
    #[doc(alias = "OrtAddGraphToModel")]
    pub fn new(operator_sets: &[(&str, i32)], graph: Graph) -> Result<Self> {
        let domains = CTexts::new(operator_sets.iter().map(|(domain, _)| domain))?;
        let versions: Vec<_> = operator_sets.iter().map(|(_, version)| *version).collect();
        // SAFETY: arrays are borrowed for the call; the graph is taken over unless that fails.
        let handle = unsafe {
            let (names, numbers) = (domains.as_ptr(), versions.as_ptr());
            let model = Owned::new(get!(OrtCreateModel(names, numbers, domains.len()))?);
            call!(OrtAddGraphToModel(model.as_ptr(), graph.as_ptr()))?;
            model
        };
        Ok(Model { handle, kept: graph.forget() })
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtModel {
        self.handle.as_ptr()
    }
}

impl Session {
    /// Makes a session from a model that was made piece by piece.
    #[doc(alias = "OrtCreateSessionFromModel")]
    pub fn from_model(env: &Env, model: &Model, options: &SessionOptions) -> Result<Self> {
        // SAFETY: everything is borrowed for the call; a new session.
        Self::make_keeping(env, options, &model.kept, |options| unsafe {
            get!(OrtCreateSessionFromModel(env.as_ptr(), model.as_ptr(), options))
        })
    }
}

/// A session that is not finished: it takes more nodes and initializers, and runs after
/// [`finish`](Self::finish).
#[derive(Debug)]
pub struct EditorSession {
    handle: Owned<sys::OrtSession>,
    // After the handle: what the library reads and calls until its end.
    kept: Vec<Kept>,
    env: Env,
}

impl EditorSession {
    /// Reads a model file.
    #[doc(alias = "OrtCreateModelEditorSession")]
    pub fn open(env: &Env, path: impl AsRef<Path>, options: &SessionOptions) -> Result<Self> {
        let path = c_path(path)?;
        // SAFETY: everything is borrowed for the call; a new session.
        Self::make(env, options, |options| unsafe {
            get!(OrtCreateModelEditorSession(env.as_ptr(), path.as_ptr(), options))
        })
    }

    /// Reads a model from memory, which is copied.
    #[doc(alias = "OrtCreateModelEditorSessionFromArray")]
    pub fn from_bytes(env: &Env, model: &[u8], options: &SessionOptions) -> Result<Self> {
        let (data, size) = (model.as_ptr().cast(), model.len());
        // SAFETY: as in `open`.
        Self::make(env, options, |options| unsafe {
            get!(OrtCreateModelEditorSessionFromArray(env.as_ptr(), data, size, options))
        })
    }

    fn make(
        env: &Env,
        options: &SessionOptions,
        create: impl FnOnce(*const sys::OrtSessionOptions) -> Result<*mut sys::OrtSession>,
    ) -> Result<Self> {
        let prepared = options.prepare()?;
        let handle = create(prepared.as_ptr());
        // SAFETY: new, and ours.
        let handle = handle.map(|handle| unsafe { Owned::new(handle) });
        let handle = resume(prepared.settle(handle))?;
        Ok(EditorSession { handle, kept: prepared.kept(), env: env.clone() })
    }

    /// The version of an operator set that the model imports; "" is ONNX's own.
    #[doc(alias = "OrtSessionGetOpsetForDomain")]
    pub fn opset(&self, domain: &str) -> Result<i32> {
        let domain = c_text(domain)?;
        // SAFETY: the session lives.
        unsafe { get!(OrtSessionGetOpsetForDomain(self.handle.as_ptr(), domain.as_ptr())) }
    }

    /// Adds the nodes and initializers of a model. Its inputs and outputs, when it has any, take
    /// the place of the session's. May be called several times; a failure changes nothing.
    #[doc(alias = "OrtApplyModelToModelEditorSession")]
    pub fn apply(&mut self, model: &Model) -> Result<()> {
        // SAFETY: the model is borrowed for the call; memory of its initializers is kept.
        unsafe { call!(OrtApplyModelToModelEditorSession(self.handle.as_ptr(), model.as_ptr())) }?;
        self.kept.extend(model.kept.iter().cloned());
        Ok(())
    }

    /// Finishes the session. Options given before do not count.
    #[doc(alias = "OrtFinalizeModelEditorSession")]
    pub fn finish(mut self, options: &SessionOptions) -> Result<Session> {
        let prepared = options.prepare()?;
        prepared.keep_for_group(&self.env)?;
        let session = self.handle.as_ptr();
        // SAFETY: everything is borrowed for the call.
        let result =
            unsafe { call!(OrtFinalizeModelEditorSession(session, prepared.as_ptr(), null_mut())) };
        // Also after a failure: the session may have begun to use them, and ends first.
        self.kept.extend(prepared.kept());
        resume(prepared.settle(result))?;
        let memory_of_values = self.env.memory_of_values();
        Session::of(&self.env, self.kept, memory_of_values, self.handle)
    }
}
