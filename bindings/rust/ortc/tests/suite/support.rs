// SPDX-License-Identifier: MIT
//! Models, folders and the few steps that most tests begin with.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use ortc::{Env, Session, SessionOptions, Tensor};

/// A model of the project's `tests/data`.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/data").join(name)
}

/// A model that the test rig made.
pub fn model(name: &str) -> PathBuf {
    let folder = std::env::var_os("ORTC_MODELS").expect("ORTC_MODELS names the folder of models");
    PathBuf::from(folder).join(name)
}

/// A new folder that ends with the value.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::var_os("ORTC_OUT").map_or_else(std::env::temp_dir, PathBuf::from);
        let folder = root.join(format!("files-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names in it, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = self.0.read_dir().unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn env() -> Env {
    Env::new("test").unwrap()
}

pub fn options() -> SessionOptions {
    SessionOptions::new().unwrap()
}

/// Options with the compiling provider.
pub fn aot() -> SessionOptions {
    let mut options = options();
    options.add_provider("AOT", &[]).unwrap();
    options
}

pub fn session(path: impl AsRef<Path>) -> Session {
    Session::new(&env(), path, &options()).unwrap()
}

/// A session with threads of its own, for runs in the background.
pub fn background(name: &str) -> Session {
    let mut options = options();
    options.set_intra_op_threads(3).unwrap();
    Session::new(&env(), model(name), &options).unwrap()
}

/// The input of matmul.onnx, and the first number of its output.
pub fn ones(columns: i64) -> Tensor<f32> {
    Tensor::from_vec([1, columns], vec![1.0; columns as usize]).unwrap()
}

/// How often slow.onnx shall go round: far longer than any test waits.
pub fn for_ever() -> Tensor<i64> {
    Tensor::scalar(100_000_000_000).unwrap()
}
