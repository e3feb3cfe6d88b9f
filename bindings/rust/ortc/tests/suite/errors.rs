// SPDX-License-Identifier: MIT
use std::error::Error as _;
use std::ops::ControlFlow;

use ortc::{Error, ErrorCode, ModelCompiler, Session, SessionOptions, Tensor};

use crate::support::{aot, data, env, model, options, session, Folder};

#[test]
fn every_code_comes_back_through_a_status_with_its_message() {
    for number in 1..=15 {
        let code = ErrorCode::from_raw(number);
        assert!(!matches!(code, ErrorCode::Other(_)), "{number}");
        assert_eq!(code.to_raw(), number);
        // A closure's error is a status in C, and comes back as the error of the call.
        let mut options = aot();
        options.on_progress(move |_| -> Result<(), Error> {
            Err(Error::new(code, format!("code {number} of ours")))
        });
        let error = Session::new(&env(), data("matmul.onnx"), &options).unwrap_err();
        assert_eq!(error.code(), code);
        assert_eq!(error.message(), format!("code {number} of ours"));
    }
}

#[test]
fn a_code_of_a_later_release_is_kept_as_a_number() {
    assert_eq!(ErrorCode::from_raw(99), ErrorCode::Other(99));
    assert_eq!(ErrorCode::Other(99).to_raw(), 99);
}

#[test]
fn a_missing_file_is_not_found_and_named() {
    let error = Session::new(&env(), "no/such.onnx", &options()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NoSuchFile);
    assert!(error.is_not_found());
    assert!(error.message().contains("such.onnx"), "{error}");
    let path = ("path", "no/such.onnx".to_string());
    assert!(error.details().contains(&path), "{error:?}");
    assert!(error.details().contains(&("function", "OrtCreateSession".to_string())));
}

#[test]
fn bytes_that_are_no_model_are_invalid() {
    let error = Session::from_bytes(&env(), b"no model at all", &options()).unwrap_err();
    assert!(error.is_invalid_model(), "{error:?}");
    let error = Session::from_bytes(&env(), b"", &options()).unwrap_err();
    assert!(error.is_invalid_argument(), "{error:?}");
}

#[test]
fn an_unknown_operator_is_not_implemented_and_named() {
    let error = Session::new(&env(), data("unknown_operator.onnx"), &options()).unwrap_err();
    assert!(error.is_not_implemented());
    assert!(error.to_string().contains("Mystery"), "{error}");
}

#[test]
fn a_session_that_may_not_compile_says_so() {
    let mut options = aot();
    options.set("session.disable_model_compile", "1").unwrap();
    let error = Session::new(&env(), data("matmul.onnx"), &options).unwrap_err();
    assert!(error.is_compilation_required(), "{error:?}");
}

#[test]
fn a_compiled_model_cannot_be_compiled_again() {
    let folder = Folder::new();
    let mut compiler = ModelCompiler::new(&env(), &aot()).unwrap().input(model("digits_ctx.onnx"));
    let error = compiler.compile_to_file(folder.join("twice.onnx")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidGraph, "{error}");
    assert!(folder.names().is_empty());
}

#[test]
fn wrong_names_types_and_shapes_are_invalid_arguments() {
    let session = session(data("matmul.onnx"));
    let x = Tensor::from_vec([1, 4], vec![1.0f32; 4]).unwrap();
    let error = session.run(&[("nobody", &x)]).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("nobody"), "{error}");
    let error = session.run_for(None, &[("x", &x)], &["nothing"]).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("nothing"), "{error}");
    assert!(session.run_for(None, &[("x", &x)], &[]).unwrap_err().is_invalid_argument());
    assert!(session.run(&[]).unwrap_err().is_invalid_argument());
    let doubles = Tensor::from_vec([1, 4], vec![1.0f64; 4]).unwrap();
    assert!(session.run(&[("x", &doubles)]).unwrap_err().is_invalid_argument());
    let short = Tensor::from_vec([1, 3], vec![1.0f32; 3]).unwrap();
    assert!(session.run(&[("x", &short)]).unwrap_err().is_invalid_argument());
}

#[test]
fn a_zero_in_a_text_is_an_error_and_not_the_end_of_it() {
    let mut options = options();
    let error = options.set("session.log_id", "a\0b").unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("a\\0b"), "{error}");
    assert!(Session::new(&env(), "a\0b.onnx", &options).unwrap_err().is_invalid_argument());
}

#[test]
fn errors_of_closures_are_the_source_of_the_error() {
    let mut options = aot();
    options.on_progress(|_| Err(std::io::Error::new(std::io::ErrorKind::Other, "the disk")));
    let error = Session::new(&env(), data("matmul.onnx"), &options).unwrap_err();
    assert_eq!(error.message(), "the disk");
    let source = error.source().expect("a source").downcast_ref::<std::io::Error>();
    assert_eq!(source.expect("the error itself").kind(), std::io::ErrorKind::Other);
    assert!(!error.is_cancelled());
}

#[test]
fn an_answer_that_stops_is_a_cancellation() {
    let mut options = aot();
    options.on_progress(|_| ControlFlow::Break(()));
    let error = Session::new(&env(), data("matmul.onnx"), &options).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ModelLoadCanceled);
    assert!(error.is_cancelled());
}

#[test]
fn errors_are_errors_of_rust() {
    fn loads() -> Result<Session, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Session::new(&env(), "missing.onnx", &SessionOptions::new()?)?)
    }
    let error = loads().unwrap_err();
    assert!(error.downcast_ref::<Error>().expect("ours").is_not_found());
    assert!(format!("{error:?}").contains("NoSuchFile"), "{error:?}");
}
