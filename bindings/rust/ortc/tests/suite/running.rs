// SPDX-License-Identifier: MIT
use ortc::{Env, Session, Tensor, Value};

use crate::support::{data, model, ones, options, session};

fn send_and_sync<T: Send + Sync>() {}
fn send<T: Send>() {}

#[test]
fn what_may_be_shared_by_threads_is() {
    send_and_sync::<Env>();
    send_and_sync::<Session>();
    send_and_sync::<Value>();
    send_and_sync::<Tensor<f32>>();
    send_and_sync::<ortc::TensorRef<'_, f32>>();
    send_and_sync::<ortc::SessionOptions>();
    send_and_sync::<ortc::RunOptions>();
    send_and_sync::<ortc::EpDevice>();
    send_and_sync::<ortc::CancelToken>();
    send_and_sync::<ortc::SharingGroup>();
    send_and_sync::<ortc::Graph>();
    send_and_sync::<ortc::Outputs>();
    send_and_sync::<ortc::RunFuture>();
    send_and_sync::<ortc::Error>();
    send_and_sync::<ortc::Allocator>();
    send_and_sync::<ortc::IoBinding<'_>>();
    send::<ortc::ModelCompiler<'_>>();
}

#[test]
fn outputs_are_found_by_name_and_by_number() {
    let session = session(data("passing.onnx"));
    let x = Tensor::from_vec([3], vec![1.0f32, 2.0, 3.0]).unwrap();
    let mut outputs = session.run(&[("x", &x)]).unwrap();
    assert_eq!(outputs.names().collect::<Vec<_>>(), ["same", "copied", "numbers"]);
    assert_eq!(outputs["same"].data::<f32>().unwrap(), x.data());
    assert_eq!(outputs[2].shape().unwrap(), [3]);
    assert!(outputs.get("nobody").is_none());
    assert!(outputs.take("nobody").unwrap_err().is_not_found());
    let copied = outputs.take_tensor::<f32>("copied").unwrap();
    assert!(outputs.take("copied").unwrap_err().message().contains("copied"));
    assert_eq!((outputs.len(), outputs.is_empty()), (3, false));
    assert_eq!(outputs.iter().count(), 2);
    assert!(format!("{outputs:?}").contains("numbers"));
    let rest: Vec<String> = outputs.into_iter().map(|(name, _)| name).collect();
    assert_eq!(rest, ["same", "numbers"]);
    drop(session);
    assert_eq!(copied.data().len(), 3, "a value outlives its session");
}

#[test]
#[should_panic(expected = "no output 'nobody'")]
fn a_missing_output_in_brackets_panics() {
    let _ = &session(model("trivial.onnx")).run(&[("x", &ones(4))]).unwrap()["nobody"];
}

#[test]
fn some_of_the_outputs_may_be_asked_for() {
    let session = session(data("passing.onnx"));
    let x = Tensor::from_vec([3], vec![1.0f32, 2.0, 3.0]).unwrap();
    let outputs = session.run_for(None, &[("x", &x)], &["numbers", "same"]).unwrap();
    assert_eq!(outputs.names().collect::<Vec<_>>(), ["numbers", "same"]);
}

#[test]
fn inputs_are_never_written_and_outputs_are_never_inputs() {
    let session = session(data("passing.onnx"));
    let x = Tensor::from_vec([3], vec![1.0f32, 2.0, 3.0]).unwrap();
    let outputs = session.run(&[("x", &x)]).unwrap();
    for (_, value) in outputs.iter() {
        assert_ne!(value.data::<f32>().unwrap().as_ptr(), x.data().as_ptr());
    }
}

#[test]
fn outputs_share_memory_neither_with_each_other_nor_with_the_model() {
    let session = session(data("passing.onnx"));
    let x = Tensor::from_vec([3], vec![1.0f32, 2.0, 3.0]).unwrap();
    let first = session.run(&[("x", &x)]).unwrap();
    let expected: Vec<Vec<f32>> =
        first.iter().map(|(_, value)| value.data::<f32>().unwrap().to_vec()).collect();
    let mut addresses: Vec<_> =
        first.iter().map(|(_, value)| value.bytes().unwrap().as_ptr()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), 3);
    for (_, mut value) in first {
        value.data_mut::<f32>().unwrap().fill(99.0);
    }
    let second = session.run(&[("x", &x)]).unwrap();
    for ((_, value), expected) in second.iter().zip(&expected) {
        assert_eq!(value.data::<f32>().unwrap(), &expected[..]);
    }
}

#[test]
fn values_of_the_program_are_filled() {
    let session = session(model("trivial.onnx"));
    let mut tensor = Tensor::<f32>::zeros([1, 4]).unwrap();
    session.run_into(None, &[("x", &ones(4))], &mut [("y", (&mut tensor).into())]).unwrap();
    assert_eq!(tensor.data(), [2.0; 4]);
    let mut value = Tensor::<f32>::zeros([1, 4]).unwrap().into_value();
    session.run_into(None, &[("x", &ones(4))], &mut [("y", (&mut value).into())]).unwrap();
    assert_eq!(value.data::<f32>().unwrap(), [2.0; 4]);
    let mut wrong = Tensor::<f32>::zeros([2, 4]).unwrap();
    let error =
        session.run_into(None, &[("x", &ones(4))], &mut [("y", (&mut wrong).into())]).unwrap_err();
    assert!(error.is_invalid_argument(), "{error}");
    assert!(session.run_into(None, &[("x", &ones(4))], &mut []).is_err());
}

#[test]
fn tensors_of_bool_are_filled() {
    let session = session(data("containers.onnx"));
    let many = ortc::Sequence::new(&[&Tensor::scalar(1.0f32).unwrap()]).unwrap();
    let maybe = Tensor::from_vec([2], vec![1.0f32, 2.0]).unwrap();
    let mut there = Tensor::scalar(false).unwrap();
    let inputs: &[(&str, &Value)] = &[("many", &many), ("maybe", &maybe)];
    session.run_into(None, inputs, &mut [("there", (&mut there).into())]).unwrap();
    assert_eq!(there.data(), [true]);
}

#[test]
fn more_inputs_than_fit_on_the_stack_are_fine() {
    use ortc::{ElementType, Graph, Model, Node, TypeInfo, ValueInfo};
    let numbers = TypeInfo::tensor(ElementType::Float, [1]);
    let names: Vec<String> = (0..20).map(|number| format!("x{number}")).collect();
    let mut graph = Graph::new().unwrap();
    let inputs = names.iter().map(|name| ValueInfo::new(name, &numbers).unwrap());
    graph.set_inputs(inputs.collect()).unwrap();
    let mut outputs = vec![ValueInfo::new("sum", &numbers).unwrap()];
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    graph.add_node(Node::builder("Sum").inputs(&names).outputs(&["sum"]).build().unwrap()).unwrap();
    for number in 0..11 {
        let (input, output) = (format!("x{number}"), format!("y{number}"));
        let node = Node::builder("Neg").inputs(&[&input]).outputs(&[&output]).build().unwrap();
        graph.add_node(node).unwrap();
        outputs.push(ValueInfo::new(&output, &numbers).unwrap());
    }
    graph.set_outputs(outputs).unwrap();
    let model = Model::new(&[("", 17)], graph).unwrap();
    let session = Session::from_model(&crate::support::env(), &model, &options()).unwrap();
    let one = Tensor::from_vec([1], vec![1.0f32]).unwrap();
    let inputs: Vec<(&str, &Value)> = names.iter().map(|name| (*name, &*one)).collect();
    let outputs = session.run(&inputs).unwrap();
    assert_eq!(outputs["sum"].data::<f32>().unwrap(), [20.0]);
    assert_eq!(outputs["y10"].data::<f32>().unwrap(), [-1.0]);
    let mut values: Vec<_> = (0..11).map(|_| Tensor::<f32>::zeros([1]).unwrap()).collect();
    let names: Vec<String> = (0..11).map(|number| format!("y{number}")).collect();
    let mut filled: Vec<_> = names
        .iter()
        .zip(&mut values)
        .map(|(name, value)| (name.as_str(), ortc::ValueMut::from(value)))
        .collect();
    session.run_into(None, &inputs, &mut filled).unwrap();
    assert!(values.iter().all(|value| value.data() == [-1.0]));
}
