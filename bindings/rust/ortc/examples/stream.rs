// SPDX-License-Identifier: MIT
//! A compiled model without files: stream MODEL.onnx compiles into a writer, keeps the context
//! binary in memory, and makes a session of both.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ortc::{Env, ModelCompiler, Session, SessionOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: stream MODEL.onnx")?;
    let env = Env::new("stream")?;
    let mut options = SessionOptions::new()?;
    options.add_provider("AOT", &[])?;

    let mut model = Vec::new(); // any io::Write: a file, a socket, something that encrypts
    let binaries = Arc::new(Mutex::new(HashMap::new()));
    ModelCompiler::new(&env, &options)?
        .input(path)
        .binary_information(".", "streamed")
        .context_data_writer(|name, bytes| {
            binaries.lock().unwrap().insert(name.to_string(), bytes.to_vec());
            Ok(())
        })
        .on_progress(|step| eprintln!("{:3.0}% {}", 100.0 * step.fraction, step.stage))
        .compile_to_writer(&mut model)?;
    println!("a model of {} bytes, {} binary", model.len(), binaries.lock().unwrap().len());

    let source = binaries.clone();
    options.set_context_data_reader(move |name| {
        let binaries = source.lock().unwrap();
        Ok(binaries.get(name).ok_or_else(|| format!("no binary '{name}'"))?.clone())
    });
    let session = Session::from_bytes(&env, &model, &options)?;
    for input in session.inputs()? {
        println!("input {}: {:?}", input.name, input.type_info);
    }
    Ok(())
}
