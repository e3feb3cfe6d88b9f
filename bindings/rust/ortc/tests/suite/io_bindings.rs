// SPDX-License-Identifier: MIT
use ortc::{AllocatorType, MemoryInfo, RunOptions, Tensor, TensorRefMut};

use crate::support::{data, for_ever, model, ones, session};

#[test]
fn values_are_bound_by_reference_and_filled() {
    let session = session(model("trivial.onnx"));
    let x = ones(4);
    let mut y = Tensor::<f32>::zeros([1, 4]).unwrap();
    let address = y.data().as_ptr();
    {
        let mut binding = session.bind().unwrap();
        binding.bind_input("x", &x).unwrap();
        binding.bind_output("y", &mut y).unwrap();
        binding.synchronize_inputs().unwrap();
        binding.run(None).unwrap();
        binding.synchronize_outputs().unwrap();
        let bound = binding.output("y").expect("bound");
        assert_eq!(bound.data::<f32>().unwrap().as_ptr(), address);
        assert!(binding.output("nobody").is_none());
    }
    assert_eq!(y.data(), [2.0; 4]);
}

#[test]
fn one_input_serves_several_bindings_at_once() {
    let session = session(model("trivial.onnx"));
    let x = ones(4);
    let mut rooms = [[0.0f32; 4]; 4];
    std::thread::scope(|scope| {
        for room in &mut rooms {
            let (session, x) = (&session, &x);
            scope.spawn(move || {
                let mut y = TensorRefMut::new([1, 4], room).unwrap();
                let mut binding = session.bind().unwrap();
                binding.bind_input("x", x).unwrap();
                binding.bind_output("y", &mut y).unwrap();
                (0..100).for_each(|_| binding.run(None).unwrap());
            });
        }
    });
    assert_eq!(rooms, [[2.0; 4]; 4]);
}

#[test]
fn inputs_change_between_runs() {
    let session = session(model("trivial.onnx"));
    let (mut x, mut y) = (ones(4), Tensor::<f32>::zeros([1, 4]).unwrap());
    let mut binding = session.bind().unwrap();
    binding.bind_input_mut("x", &mut x).unwrap();
    binding.bind_output("y", &mut y).unwrap();
    for round in 0..5 {
        binding.input_data_mut::<f32>("x").unwrap().fill(round as f32);
        binding.run(None).unwrap();
        let y = binding.output("y").unwrap();
        assert_eq!(y.data::<f32>().unwrap(), [round as f32 + 1.0; 4]);
    }
    assert!(binding.input_data_mut::<f64>("x").unwrap_err().is_invalid_argument());
    assert!(binding.input_data_mut::<f32>("nobody").unwrap_err().is_not_found());
}

#[test]
fn an_output_of_unknown_shape_is_made_by_each_run() {
    let session = session(data("matmul.onnx"));
    let memory = MemoryInfo::cpu(AllocatorType::Device).unwrap();
    let (one, three) = (ones(4), Tensor::from_vec([3, 4], vec![1.0f32; 12]).unwrap());
    let mut binding = session.bind().unwrap();
    binding.bind_output_to_memory("y", &memory).unwrap();
    for x in [&one, &three] {
        binding.bind_input("x", x).unwrap();
        binding.run(None).unwrap();
        let outputs = binding.outputs().unwrap();
        assert_eq!(outputs[0].0, "y");
        assert_eq!(outputs[0].1.shape().unwrap()[0], x.shape().unwrap()[0]);
    }
    binding.clear_outputs();
    assert!(binding.outputs().unwrap().is_empty());
    binding.clear_inputs();
    assert!(binding.run(None).is_err());
}

#[test]
fn wrong_names_and_shapes_are_errors() {
    let session = session(model("trivial.onnx"));
    let (x, mut y) = (ones(4), Tensor::<f32>::zeros([3]).unwrap());
    let mut binding = session.bind().unwrap();
    assert!(binding.bind_input("nobody", &x).is_err());
    binding.bind_input("x", &x).unwrap();
    binding.bind_output("y", &mut y).unwrap();
    assert!(binding.run(None).is_err());
}

#[test]
fn a_run_of_a_binding_can_be_stopped() {
    let session = session(model("slow.onnx"));
    let options = RunOptions::new().unwrap();
    options.terminate().unwrap();
    let steps = for_ever();
    let memory = MemoryInfo::cpu(AllocatorType::Device).unwrap();
    let mut binding = session.bind().unwrap();
    binding.bind_input("steps", &steps).unwrap();
    binding.bind_output_to_memory("y", &memory).unwrap();
    assert!(binding.run(Some(&options)).unwrap_err().is_cancelled());
}
