// SPDX-License-Identifier: MIT
use std::sync::Arc;

use ortc::{LoraAdapter, RunOptions, Session, SessionOptions, Tensor, Value};

use crate::support::{data, env, options, session};

fn weight() -> Tensor<f32> {
    Tensor::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0]).unwrap()
}

fn bias() -> Tensor<f32> {
    Tensor::from_vec([2], vec![10.0, 20.0]).unwrap()
}

fn elsewhere(options: &SessionOptions) -> ortc::Result<Vec<f32>> {
    let session = Session::new(&env(), data("weights_elsewhere.onnx"), options)?;
    let x = Tensor::from_vec([1, 2], vec![1.0f32, 1.0])?;
    Ok(session.run(&[("x", &x)])?["y"].data::<f32>()?.to_vec())
}

#[test]
fn initializers_come_from_the_program_and_are_shared() {
    let weight: Arc<Value> = weight().into();
    let mut options = options();
    options.add_initializer("weight", weight.clone()).unwrap();
    options.add_initializer("bias", bias()).unwrap();
    let error = options.add_initializer("weight", weight.clone()).unwrap_err();
    assert!(error.message().contains("given already"), "{error}");
    let session = Session::new(&env(), data("weights_elsewhere.onnx"), &options).unwrap();
    drop(options);
    assert!(Arc::strong_count(&weight) > 1, "the session keeps the memory");
    let x = Tensor::from_vec([1, 2], vec![1.0f32, 1.0]).unwrap();
    assert_eq!(session.run(&[("x", &x)]).unwrap()["y"].data::<f32>().unwrap(), [14.0, 26.0]);
    drop(session);
    assert_eq!(Arc::strong_count(&weight), 1);
}

#[test]
fn external_initializers_come_from_the_program() {
    let mut options = options();
    options.add_external_initializers([("weight", weight()), ("bias", bias())]).unwrap();
    assert_eq!(elsewhere(&options).unwrap(), [14.0, 26.0]);
}

#[test]
fn files_come_from_memory() {
    let numbers = [1.0f32, 2.0, 3.0, 4.0, 10.0, 20.0];
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut options = options();
    options.add_external_files([("weights.bin", bytes)]).unwrap();
    assert_eq!(elsewhere(&options).unwrap(), [14.0, 26.0]);
    let mut short = crate::support::options();
    short.add_external_files([("weights.bin", vec![0u8; 20])]).unwrap();
    assert!(elsewhere(&short).unwrap_err().message().contains("20 bytes"));
    assert!(elsewhere(&crate::support::options()).is_err());
}

#[test]
fn a_source_model_comes_from_memory() {
    let mut options = options();
    options.set_source_model(std::fs::read(data("matmul.onnx")).unwrap()).unwrap();
    assert!(options.set_source_model(Vec::new()).unwrap_err().is_invalid_argument());
    // A model with its own weights does not need it.
    assert!(Session::new(&env(), data("matmul.onnx"), &options).is_ok());
}

#[test]
fn adapters_feed_inputs() {
    let session = session(data("described.onnx"));
    let x = Tensor::from_vec([2], vec![1.0f32, 1.0]).unwrap();
    let plain = session.run(&[("x", &x)]).unwrap();
    let bytes = std::fs::read(data("bias.onnx_adapter")).unwrap();
    let adapters = [
        LoraAdapter::from_file(data("bias.onnx_adapter")).unwrap(),
        LoraAdapter::from_bytes(&bytes).unwrap(),
    ];
    for adapter in adapters {
        let mut options = RunOptions::new().unwrap();
        options.add_lora_adapter(&adapter).unwrap();
        drop(adapter);
        let adapted = session.run_with(&options, &[("x", &x)]).unwrap();
        assert_ne!(adapted["y"].bytes().unwrap(), plain["y"].bytes().unwrap());
    }
    assert!(LoraAdapter::from_bytes(&bytes[..4]).is_err());
    assert!(LoraAdapter::from_file("missing").err().unwrap().is_not_found());
}
