// SPDX-License-Identifier: MIT
use std::time::{Duration, Instant};

use ortc::{CancelToken, ErrorCode, ModelCompiler, RunOptions, Session, Tensor};

use crate::support::{aot, data, env, for_ever, model, session, Folder};

fn soon(action: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        action();
    });
}

#[test]
fn a_token_stops_a_run() {
    let session = session(model("slow.onnx"));
    let token = CancelToken::new();
    let mut options = RunOptions::new().unwrap();
    options.cancel_with(&token);
    let begin = Instant::now();
    let own = token.clone();
    soon(move || own.cancel());
    let error = session.run_with(&options, &[("steps", &for_ever())]).unwrap_err();
    assert!(error.is_cancelled(), "{error:?}");
    assert!(begin.elapsed() < Duration::from_secs(5));
    let error = session.run_with(&options, &[("steps", &for_ever())]).unwrap_err();
    assert!(error.is_cancelled(), "a token is cancelled for good");
    options.reset().unwrap();
    assert!(options.is_terminated());
    assert!(token.is_cancelled() && format!("{token:?}").contains("true"));
}

#[test]
fn a_token_that_was_cancelled_before_stops_a_run_at_once() {
    let token = CancelToken::new();
    token.cancel();
    token.cancel();
    let mut options = RunOptions::new().unwrap();
    options.cancel_with(&token);
    let slow = session(model("slow.onnx"));
    assert!(slow.run_with(&options, &[("steps", &for_ever())]).unwrap_err().is_cancelled());
}

#[test]
fn options_may_be_terminated_and_serve_again() {
    let session = session(model("slow.onnx"));
    let options = RunOptions::new().unwrap();
    options.terminate().unwrap();
    assert!(session.run_with(&options, &[("steps", &for_ever())]).unwrap_err().is_cancelled());
    options.reset().unwrap();
    assert!(!options.is_terminated());
    let few = Tensor::scalar(3i64).unwrap();
    assert_eq!(session.run_with(&options, &[("steps", &few)]).unwrap().len(), 1);
}

#[test]
fn a_token_stops_a_load() {
    let token = CancelToken::new();
    let mut options = aot();
    options.cancel_with(&token);
    let clone = options.try_clone().unwrap();
    Session::new(&env(), data("matmul.onnx"), &options).unwrap();
    drop(options);
    token.cancel();
    let error = Session::new(&env(), data("matmul.onnx"), &clone).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ModelLoadCanceled);
    assert!(error.is_cancelled());
}

#[test]
fn a_token_stops_a_load_that_is_under_way() {
    let token = CancelToken::new();
    let mut options = aot();
    options.cancel_with(&token);
    let own = token.clone();
    options.on_progress(move |_| own.cancel()); // the options are cloned for the closure
    let error = Session::new(&env(), model("digits.onnx"), &options).unwrap_err();
    assert!(error.is_cancelled(), "{error:?}");
}

#[test]
fn a_token_stops_a_compile_which_leaves_nothing() {
    let folder = Folder::new();
    let token = CancelToken::new();
    let own = token.clone();
    let mut compiler = ModelCompiler::new(&env(), &aot())
        .unwrap()
        .input(model("digits.onnx"))
        .on_progress(move |_| own.cancel())
        .cancel_with(&token);
    let error = compiler.compile_to_file(folder.join("digits_ctx.onnx")).unwrap_err();
    assert!(error.is_cancelled(), "{error:?}");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn a_deadline_stops_a_compile() {
    let folder = Folder::new();
    let mut compiler = ModelCompiler::new(&env(), &aot())
        .unwrap()
        .input(model("digits.onnx"))
        .on_progress(|_| std::thread::sleep(Duration::from_millis(5)))
        .deadline(Duration::from_nanos(1));
    let error = compiler.compile_to_file(folder.join("digits_ctx.onnx")).unwrap_err();
    assert!(error.is_cancelled(), "{error:?}");
    assert!(folder.names().is_empty());
}

#[test]
fn what_a_token_was_given_to_may_end_before_it() {
    let token = CancelToken::new();
    for _ in 0..100 {
        let mut run = RunOptions::new().unwrap();
        run.cancel_with(&token);
        let mut load = aot();
        load.cancel_with(&token);
    }
    token.cancel();
}
