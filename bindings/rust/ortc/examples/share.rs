// SPDX-License-Identifier: MIT
//! Two models that share weights: share FIRST.onnx SECOND.onnx FOLDER

// docs: begin
use std::path::PathBuf;

use ortc::{CancelToken, Env, ModelCompiler, Result, RunOptions, Session, SessionOptions};
use ortc::{SharingGroup, Tensor};

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (models, folder) = match &arguments[..] {
        [first, second, folder] => ([("first", first), ("second", second)], folder),
        _ => panic!("usage: share FIRST.onnx SECOND.onnx FOLDER"),
    };
    let env = Env::new("share")?;
    let mut options = SessionOptions::new()?;
    options.add_provider("AOT", &[])?;

    let group = SharingGroup::new(&env)?;
    for (name, model) in models {
        let compiler = ModelCompiler::new(&env, &options)?.input(model);
        group.add_to_file(compiler, folder.join(format!("{name}_ctx.onnx")))?;
    }
    group.commit()?; // two models and one binary appear here, or nothing
    println!("compiled 3 files");

    let x = Tensor::from_vec([1, 256], vec![1.0f32; 256])?;
    let inputs = [("x", &*x)];
    let load = |name| Session::new(&env, folder.join(format!("{name}_ctx.onnx")), &options);
    let (first, second) = (load("first")?, load("second")?);
    for (name, session) in [("first", &first), ("second", &second)] {
        let outputs = session.run(&inputs)?;
        let y: Vec<String> =
            outputs["y"].data::<f32>()?.iter().map(|number| format!("{number:.4}")).collect();
        println!("{name}: {}", y.join(" "));
    }

    let token = CancelToken::new();
    let mut stop = RunOptions::new()?;
    stop.cancel_with(&token);
    token.cancel(); // may come from any thread, also in the middle of runs
    match first.run_with(&stop, &inputs) {
        Err(error) if error.is_cancelled() => println!("cancelled"),
        other => panic!("the run was to be cancelled, and gave {other:?}"),
    }
    Ok(())
}
// docs: end
