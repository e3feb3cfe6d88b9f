// SPDX-License-Identifier: MIT
//! Operators that break rules: each mistake is an error with its reason, and harms nothing.

use ortc::{
    CallbackResult, ElementType, Error, ErrorCode, KernelContext, OperatorDomain, OperatorInput,
    OperatorOutput, Tensor, Value,
};

use crate::operator_testing::*;
use crate::support::{env, options};

fn ones() -> Tensor<f32> {
    Tensor::from_vec([3], vec![1.0f32; 3]).unwrap()
}

/// The error of a load with that operator.
fn load_error(operator: TestOp) -> Error {
    load(&sandwich("Bad"), &knowing(operator)).unwrap_err()
}

/// The error of a run with that kernel.
fn run_error(
    compute: impl Fn(&KernelContext) -> CallbackResult + Clone + Send + Sync + 'static,
) -> Error {
    let session = load(&sandwich("Bad"), &knowing(TestOp::computing("Bad", compute))).unwrap();
    session.run(&[("x", &ones())]).unwrap_err()
}

fn check(error: &Error, code: ErrorCode, text: &str) {
    assert_eq!(error.code(), code, "{error}");
    assert!(error.message().contains(text), "'{error}' without '{text}'");
}

#[test]
fn errors_keep_their_code_and_text() {
    let refuse = || Error::new(ErrorCode::NoModel, "no weights for this");
    let create = load_error(TestOp::making("Bad", move |_| Err(refuse().into())));
    check(&create, ErrorCode::NoModel, "no weights for this");
    let compute = run_error(move |_| Err(refuse().into()));
    check(&compute, ErrorCode::NoModel, "no weights for this");
    assert!(compute.message().contains("custom"), "the node's name: {compute}");
    let mut infers = TestOp::same("Bad");
    infers.infer = Some(|_| Err(Error::new(ErrorCode::NoModel, "no shape for this").into()));
    check(&load_error(infers), ErrorCode::NoModel, "no shape for this");
}

#[test]
fn errors_of_other_types_are_failures_with_their_text() {
    check(&run_error(|_| Err("plain text".into())), ErrorCode::Fail, "plain text");
    let parse = |_: &KernelContext| -> CallbackResult {
        "x".parse::<i32>()?;
        Ok(())
    };
    check(&run_error(parse), ErrorCode::Fail, "invalid digit");
}

#[test]
fn panics_become_errors() {
    let create = TestOp::making("Bad", |_| panic!("at create"));
    check(&load_error(create), ErrorCode::Fail, "Bad panicked: at create");
    check(&run_error(|_| panic!("at {}", "compute")), ErrorCode::Fail, "panicked: at compute");
    check(&run_error(|_| std::panic::panic_any(7)), ErrorCode::Fail, "panicked: no text");
    let mut infers = TestOp::same("Bad");
    infers.infer = Some(|_| panic!("at infer"));
    check(&load_error(infers), ErrorCode::Fail, "panicked: at infer");
    let in_loop = run_error(|call| {
        call.parallel_for(100, 0, |index| assert_ne!(index, 50, "in the loop"))?;
        Ok(())
    });
    check(&in_loop, ErrorCode::Fail, "in the loop");
}

#[test]
fn a_kernel_whose_drop_panics_harms_nothing() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("at drop");
        }
    }
    let op = TestOp::making("Bad", |_| {
        let bomb = Bomb;
        Ok(Box::new(move |call: &KernelContext| {
            let _ = &bomb;
            give_same(call)
        }))
    });
    let session = load(&sandwich("Bad"), &knowing(op)).unwrap();
    session.run(&[("x", &ones())]).unwrap();
    drop(session);
}

#[test]
fn a_session_runs_again_after_a_failure() {
    let op = TestOp::computing("Bad", |call| match call.input(0)?.data::<f32>()?[0] {
        number if number > 1.0 => Err("too much".into()),
        _ => give_same(call),
    });
    let session = load(&sandwich("Bad"), &knowing(op)).unwrap();
    let twos = Tensor::from_vec([3], vec![2.0f32; 3]).unwrap();
    for _ in 0..3 {
        check(&session.run(&[("x", &twos)]).unwrap_err(), ErrorCode::Fail, "too much");
        assert!(session.run(&[("x", &ones())]).is_ok());
    }
}

#[test]
fn attributes_that_are_not_there_are_named() {
    let missing = TestOp::making("Bad", |info| {
        info.attribute::<f32>("factor")?;
        Ok(Box::new(give_same))
    });
    check(&load_error(missing), ErrorCode::Fail, "'factor'");
}

#[test]
fn outputs_are_made_once_and_in_their_type() {
    let twice = run_error(|call| {
        let _one = call.output(0, &[3])?;
        call.output(0, &[3])?;
        Ok(())
    });
    check(&twice, ErrorCode::InvalidArgument, "output 0 was made already");
    let other = run_error(|call| {
        call.output(0, &[3])?.data_mut::<i64>()?;
        Ok(())
    });
    check(&other, ErrorCode::InvalidArgument, "elements of Float, not Int64");
    let negative = run_error(|call| {
        call.output(0, &[-3])?;
        Ok(())
    });
    check(&negative, ErrorCode::InvalidArgument, "output 0 cannot have the shape");
    let huge = run_error(|call| {
        call.output(0, &[i64::MAX, 3])?;
        Ok(())
    });
    check(&huge, ErrorCode::InvalidArgument, "output 0");
    let beyond = run_error(|call| {
        call.output(7, &[3])?;
        Ok(())
    });
    check(&beyond, ErrorCode::InvalidArgument, "output 7");
    let never = run_error(|_| Ok(()));
    assert!(!never.message().is_empty());
}

#[test]
fn inputs_are_read_in_their_type() {
    let other = run_error(|call| {
        call.input(0)?.data::<f64>()?;
        Ok(())
    });
    check(&other, ErrorCode::InvalidArgument, "elements of Float, not Double");
    let beyond = run_error(|call| {
        assert!(call.optional_input(1)?.is_none());
        call.input(1)?;
        Ok(())
    });
    check(&beyond, ErrorCode::InvalidArgument, "input 1");
    let list = run_error(|call| {
        call.input(0)?.to_sequence()?;
        Ok(())
    });
    check(&list, ErrorCode::InvalidArgument, "not Sequence");
}

#[test]
fn texts_must_be_as_many_as_elements() {
    let text = ElementType::String;
    let op = TestOp::computing("Bad", |call| {
        call.output(0, &[2])?.set_strings(&["one"])?;
        Ok(())
    });
    let op = op
        .inputs(vec![OperatorInput::required(text)])
        .outputs(vec![OperatorOutput::required(text)]);
    let nodes = vec![mine("Bad", &["x"], &["y"])];
    let model = model(nodes, vec![value("x", text, &[1])], vec![value("y", text, &[2])]);
    let x = Value::from_strings([1], &["x"]).unwrap();
    let error = load(&model, &knowing(op)).unwrap().run(&[("x", &x)]).unwrap_err();
    check(&error, ErrorCode::InvalidArgument, "1 texts for a tensor of 2 elements");
}

#[test]
fn declarations_that_contradict_themselves_are_refused() {
    let float = ElementType::Float;
    let variadic_first = vec![OperatorInput::variadic(float), OperatorInput::required(float)];
    let error = load_error(TestOp::same("Bad").inputs(variadic_first));
    check(&error, ErrorCode::InvalidArgument, "Only the last input");
    let mut versions = TestOp::same("Bad");
    versions.versions = std::ops::RangeInclusive::new(4, 3);
    check(&load_error(versions), ErrorCode::InvalidArgument, "4 to 3");
    check(&load_error(TestOp::same("")), ErrorCode::InvalidArgument, "no name");
    let domain = OperatorDomain::new("mine").unwrap();
    check(
        &domain.with(TestOp::same("a\0b")).unwrap_err(),
        ErrorCode::InvalidArgument,
        "a zero at byte 1",
    );
    check(&OperatorDomain::new("a\0b").unwrap_err(), ErrorCode::InvalidArgument, "a zero");
    let mut twice = knowing(TestOp::same("Bad"));
    let mut later = TestOp::same("Bad");
    later.versions = 2..=i32::MAX;
    add(&mut twice, later);
    let error = load(&sandwich("Bad"), &twice).unwrap_err();
    check(&error, ErrorCode::InvalidArgument, "take the same types");
}

#[test]
fn nodes_that_no_operator_fits_are_named() {
    let error = load(&sandwich("Nowhere"), &options()).unwrap_err();
    assert!(error.message().contains("mine.Nowhere"), "{error}");
    let whole = OperatorInput::required(ElementType::Int64);
    let error = load_error(TestOp::same("Bad").inputs(vec![whole]));
    check(&error, ErrorCode::InvalidGraph, "expected int64");
    let mut later = TestOp::same("Bad");
    later.versions = 2..=5;
    check(&load_error(later), ErrorCode::InvalidGraph, "expected 2 to 5");
    let mut elsewhere = TestOp::same("Bad");
    elsewhere.provider = Some("NobodyExecutionProvider");
    let error = load_error(elsewhere);
    assert!(error.message().contains("NobodyExecutionProvider"), "{error}");
    let missing = ortc::Session::new(&env(), "missing.onnx", &knowing(TestOp::same("Bad")));
    assert!(missing.unwrap_err().is_not_found());
}
