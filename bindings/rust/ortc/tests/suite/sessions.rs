// SPDX-License-Identifier: MIT
use ortc::{AllocatorType, ElementType, MemoryInfo, PrepackedWeights, Session, Tensor, TypeInfo};

use crate::support::{aot, data, env, model, ones, options, session, Folder};

#[test]
fn a_model_tells_its_inputs_and_outputs() {
    let session = session(data("described.onnx"));
    let (inputs, outputs) = (session.inputs().unwrap(), session.outputs().unwrap());
    assert_eq!((inputs.len(), &inputs[0].name[..]), (1, "x"));
    assert_eq!(outputs[0].type_info, TypeInfo::tensor(ElementType::Float, [2]));
    let overridable = session.overridable_initializers().unwrap();
    assert_eq!((overridable.len(), &overridable[0].name[..]), (1, "bias"));
    assert_eq!(overridable[0].type_info, TypeInfo::tensor(ElementType::Float, [2]));
    let x = Tensor::from_vec([2], vec![1.0f32, 1.0]).unwrap();
    let bias = Tensor::from_vec([2], vec![0.0f32, 5.0]).unwrap();
    let outputs = session.run(&[("bias", &bias), ("x", &x)]).unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [1.0, 6.0]);
}

#[test]
fn a_model_tells_what_it_says_about_itself() {
    let metadata = session(data("described.onnx")).metadata().unwrap();
    assert_eq!(metadata.producer().unwrap(), "a maker");
    assert_eq!(metadata.graph_name().unwrap(), "the graph");
    assert_eq!(metadata.description().unwrap(), "a described model");
    assert_eq!(metadata.version().unwrap(), Some(7));
    let _ = (metadata.domain().unwrap(), metadata.graph_description().unwrap());
    let mut keys = metadata.keys().unwrap();
    keys.sort();
    assert_eq!(keys, ["colour", "form"]);
    assert_eq!(metadata.get("colour").unwrap().as_deref(), Some("blue"));
    assert_eq!(metadata.get("smell").unwrap(), None);
    assert!(format!("{metadata:?}").contains("a maker"));
    let plain = session(data("matmul.onnx"));
    assert!(plain.metadata().unwrap().keys().unwrap().is_empty());
    assert_eq!((plain.opset("").unwrap(), plain.opset("nobody").is_err()), (17, true));
}

#[test]
fn models_come_from_files_and_from_memory() {
    let bytes = std::fs::read(data("matmul.onnx")).unwrap();
    let from_bytes = Session::from_bytes(&env(), &bytes, &options()).unwrap();
    let from_file = session(data("matmul.onnx"));
    let x = ones(4);
    let (one, two) = (from_bytes.run(&[("x", &x)]), from_file.run(&[("x", &x)]));
    assert_eq!(one.unwrap()["y"].bytes().unwrap(), two.unwrap()["y"].bytes().unwrap());
}

#[test]
fn paths_may_have_any_letters() {
    let folder = Folder::new();
    let path = folder.join("modèle 模型 ü.onnx");
    std::fs::copy(data("matmul.onnx"), &path).unwrap();
    assert_eq!(session(&path).run(&[("x", &ones(4))]).unwrap().len(), 1);
}

#[test]
fn reports_are_json() {
    let session = Session::new(&env(), model("digits.onnx"), &aot()).unwrap();
    let report = session.report().unwrap();
    assert!(report.starts_with('{') && report.contains("AotExecutionProvider"), "{report}");
    let memory = session.memory_report().unwrap();
    assert!(memory.contains("\"resident_bytes\""), "{memory}");
}

#[test]
fn a_profile_is_written_at_its_end() {
    let folder = Folder::new();
    let mut options = options();
    options.set_profiling(Some(&folder.join("profile"))).unwrap();
    let session = Session::new(&env(), data("matmul.onnx"), &options).unwrap();
    session.run(&[("x", &ones(4))]).unwrap();
    assert!(session.profiling_start_ns().unwrap() > 0);
    let path = session.end_profiling().unwrap();
    let trace = std::fs::read_to_string(path).unwrap();
    assert!(trace.starts_with('[') && trace.contains("op_name"), "{trace}");
    let plain = crate::support::session(data("matmul.onnx"));
    assert_eq!(plain.profiling_start_ns().unwrap(), 0);
    assert_eq!(plain.end_profiling().unwrap().as_os_str(), "");
}

#[test]
fn a_session_tells_where_its_values_are() {
    let session = session(data("matmul.onnx"));
    let cpu = MemoryInfo::cpu(AllocatorType::Device).unwrap();
    assert_eq!(*session.input_memory().unwrap()[0], cpu);
    assert_eq!(session.output_memory().unwrap()[0].name().unwrap(), "Cpu");
    for devices in [session.input_devices().unwrap(), session.output_devices().unwrap()] {
        let device = devices[0].as_ref().expect("a device");
        assert!(device.ep_name().ends_with("ExecutionProvider"));
    }
    let unread = self::session(model("unread.onnx")).input_devices().unwrap();
    assert_eq!(unread.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn a_session_tells_who_runs_what() {
    let mut options = options();
    options.set("session.record_ep_graph_assignment_info", "1").unwrap();
    let session = Session::new(&env(), data("matmul.onnx"), &options).unwrap();
    let parts = session.assignment().unwrap();
    assert_eq!(parts[0].ep_name().unwrap(), "CPUExecutionProvider");
    let node = parts[0].nodes().unwrap()[0];
    assert_eq!((node.operator().unwrap(), node.domain().unwrap()), ("MatMul".into(), "".into()));
    let _ = node.name().unwrap();
    let plain = crate::support::session(data("matmul.onnx"));
    assert!(plain.assignment().is_err());
}

#[test]
fn dynamic_options_are_checked() {
    let session = session(data("matmul.onnx"));
    session.set_dynamic_options(&[("ep.dynamic.workload_type", "Efficient")]).unwrap();
    assert!(session.set_dynamic_options(&[("ep.dynamic.nothing", "1")]).is_err());
    assert!(session.set_dynamic_options(&[]).unwrap_err().is_invalid_argument());
}

#[test]
fn sessions_share_packed_weights() {
    let weights = PrepackedWeights::new().unwrap();
    let path = data("layers.onnx");
    let bytes = std::fs::read(&path).unwrap();
    let one = Session::with_weights(&env(), &path, &options(), &weights).unwrap();
    let two = Session::from_bytes_with_weights(&env(), &bytes, &options(), &weights).unwrap();
    drop(weights);
    let x = ones(64);
    let (one, two) = (one.run(&[("x", &x)]).unwrap(), two.run(&[("x", &x)]).unwrap());
    assert_eq!(one["y"].data::<f32>().unwrap(), two["y"].data::<f32>().unwrap());
}
