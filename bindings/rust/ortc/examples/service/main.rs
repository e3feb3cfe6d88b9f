// SPDX-License-Identifier: MIT
//! Serves models over HTTP by the Open Inference Protocol, with the standard library alone:
//! service --models FOLDER --address HOST:PORT
//!
//! Every .onnx file of the folder is a model; its name is that of the file without `_ctx.onnx`.
//! bindings/README.md of the project lists the calls.

mod http;
mod infer;
mod json;
mod metrics;
mod platform;
mod server;

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use ortc::{Env, Session, SessionOptions};

use server::{Model, Server};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let (folder, address) = arguments()?;
    let listener = TcpListener::bind(&address)?;
    let address = listener.local_addr()?;
    let server = Arc::new(Server::default());
    let acceptor = server.clone();
    std::thread::spawn(move || acceptor.accept(listener));

    server.set_models(load(Path::new(&folder))?);
    platform::wait_for_stop(|| println!("listening on {address}"))?;
    server.stop(address);
    Ok(())
}

fn arguments() -> Result<(String, String), Error> {
    let (mut folder, mut address) = (None, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match (&word[..], words.next()) {
            ("--models", Some(value)) => folder = Some(value),
            ("--address", Some(value)) => address = Some(value),
            _ => return Err("usage: service --models FOLDER --address HOST:PORT".into()),
        }
    }
    let address = address.unwrap_or_else(|| "127.0.0.1:8000".into());
    Ok((folder.ok_or("--models FOLDER is missing")?, address))
}

fn load(folder: &Path) -> Result<BTreeMap<String, Arc<Model>>, Error> {
    let env = Env::new("service")?;
    let mut options = SessionOptions::new()?;
    options.add_provider("AOT", &[])?;
    options.set_intra_op_threads(1)?; // requests are what runs side by side
    let mut models = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().map_or(true, |extension| extension != "onnx") {
            continue;
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = stem.strip_suffix("_ctx").unwrap_or(&stem).to_string();
        let session = Session::new(&env, &path, &options)?;
        if models.insert(name.clone(), Arc::new(Model { session })).is_some() {
            return Err(format!("two files are the model '{name}'").into());
        }
    }
    Ok(models)
}
