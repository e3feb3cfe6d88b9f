// SPDX-License-Identifier: MIT
use ortc::{ElementType, Graph, OpAttrType, TypeInfo};

use crate::support::{data, env, model};

fn graph(name: &str) -> Graph {
    Graph::load(&env(), data(name)).unwrap()
}

#[test]
fn a_graph_tells_what_is_in_it() {
    let graph = graph("layers.onnx");
    assert_eq!(graph.name().unwrap(), "layers");
    assert!(graph.model_path().unwrap().ends_with("layers.onnx"));
    assert_eq!(graph.ir_version().unwrap(), 8);
    assert_eq!(graph.operator_sets().unwrap()[0].1, 17);
    assert_eq!(graph.metadata().unwrap().graph_name().unwrap(), "layers");
    assert!(graph.parent_node().unwrap().is_none());
    let nodes = graph.nodes().unwrap();
    let operators: Vec<_> = nodes.iter().map(|node| node.operator().unwrap()).collect();
    assert_eq!(operators, ["MatMul", "Relu", "MatMul"]);
    assert_eq!(graph.initializers().unwrap().len(), 1 + usize::from(operators.len() > 9));
    assert!(format!("{graph:?}").contains("MatMul"));
    let bytes = std::fs::read(data("layers.onnx")).unwrap();
    assert_eq!(Graph::from_bytes(&env(), &bytes).unwrap().nodes().unwrap().len(), 3);
    assert!(Graph::load(&env(), "missing.onnx").unwrap_err().is_not_found());
    assert!(Graph::from_bytes(&env(), b"none").unwrap_err().is_invalid_model());
}

#[test]
fn nodes_and_values_know_each_other() {
    let graph = graph("layers.onnx");
    let nodes = graph.nodes().unwrap();
    let relu = &nodes[1];
    assert_ne!(relu.id().unwrap(), nodes[0].id().unwrap());
    assert_eq!((relu.domain().unwrap(), relu.ep_name().unwrap()), ("".into(), "".into()));
    assert!(relu.since_version().unwrap().unwrap() <= 17);
    assert_eq!(relu.graph().unwrap().name().unwrap(), "layers");
    let _ = relu.name().unwrap();
    let inputs = relu.inputs().unwrap();
    let input = inputs[0].as_ref().expect("not omitted");
    let (producer, index) = input.producer().unwrap().expect("the first MatMul");
    assert_eq!((producer.operator().unwrap(), index), ("MatMul".into(), 0));
    let outputs = relu.outputs().unwrap();
    let consumers = outputs[0].as_ref().unwrap().consumers().unwrap();
    assert_eq!(consumers[0].0.operator().unwrap(), "MatMul");
    assert_eq!(consumers[0].1, Some(0));
    assert!(relu.implicit_inputs().unwrap().is_empty() && relu.subgraphs().unwrap().is_empty());
    assert!(format!("{relu:?} {input:?}").contains("Relu"));
}

#[test]
fn values_tell_what_they_are_in_the_graph() {
    let graph = graph("described.onnx");
    let inputs = graph.inputs().unwrap();
    let (x, bias) = (&inputs[0], &inputs[1]);
    assert_eq!(x.type_info().unwrap(), TypeInfo::tensor(ElementType::Float, [2]));
    assert!(x.is_required_input().unwrap() && !x.is_optional_input().unwrap());
    assert!(bias.is_optional_input().unwrap() && !bias.is_constant().unwrap());
    assert!(!x.is_from_outer_scope().unwrap());
    assert!(x.initializer().unwrap().is_none() && x.producer().unwrap().is_none());
    assert_eq!(bias.initializer().unwrap().unwrap().data::<f32>().unwrap().len(), 2);
    assert_eq!(bias.external_initializer().unwrap(), None);
    assert!(graph.outputs().unwrap()[0].is_output().unwrap());
}

#[test]
fn external_initializers_tell_their_place() {
    let folder = crate::support::Folder::new();
    std::fs::copy(data("weights_elsewhere.onnx"), folder.join("model.onnx")).unwrap();
    std::fs::write(folder.join("weights.bin"), [0u8; 24]).unwrap();
    let graph = Graph::load(&env(), folder.join("model.onnx")).unwrap();
    let places: Vec<_> = graph
        .initializers()
        .unwrap()
        .iter()
        .map(|value| value.external_initializer().unwrap().expect("a place"))
        .collect();
    assert!(places.iter().all(|place| place.path.ends_with("weights.bin")));
    assert_eq!(places.iter().map(|place| place.bytes).sum::<usize>(), 24);
    assert!(places.iter().any(|place| place.offset == 16), "{places:?}");
}

#[test]
fn sub_graphs_see_what_is_around_them() {
    let graph = graph("counting.onnx");
    let nodes = graph.nodes().unwrap();
    let node = nodes.iter().find(|node| node.operator().unwrap() == "Loop").unwrap();
    let subgraphs = node.subgraphs().unwrap();
    assert_eq!(subgraphs[0].0, "body");
    let body = &subgraphs[0].1;
    let parent = body.parent_node().unwrap().expect("the loop");
    assert_eq!(parent.operator().unwrap(), "Loop");
    let implicit = node.implicit_inputs().unwrap();
    for value in &implicit {
        let consumers = value.consumers().unwrap();
        assert!(consumers.iter().any(|(_, index)| index.is_none()), "read by the body");
    }
}

#[test]
fn a_view_of_some_nodes_outlives_its_graph() {
    let graph = graph("layers.onnx");
    let view = {
        let nodes = graph.nodes().unwrap();
        graph.view(&[&nodes[0], &nodes[1]]).unwrap()
    };
    drop(graph);
    assert_eq!(view.nodes().unwrap().len(), 2);
    assert_eq!(view.outputs().unwrap().len(), 1);
    assert!(view.view(&[]).unwrap_err().is_invalid_argument());
}

#[test]
fn attributes_are_read() {
    let graph = Graph::load(&env(), model("digits.onnx")).unwrap();
    let nodes = graph.nodes().unwrap();
    let attributes: Vec<_> = nodes
        .iter()
        .flat_map(|node| node.attributes().unwrap())
        .map(|a| a.name().unwrap())
        .collect();
    assert!(!attributes.is_empty());
    let node = nodes.iter().find(|node| !node.attributes().unwrap().is_empty()).unwrap();
    let first = node.attributes().unwrap()[0].name().unwrap();
    let found = node.attribute(&first).unwrap().expect("given by the model");
    assert_ne!(found.attribute_type().unwrap(), OpAttrType::Undefined);
    assert!(found.value().is_ok());
    assert!(found.tensor().unwrap_err().is_invalid_argument());
    assert!(node.attribute("nobody").unwrap_err().is_not_found());
    assert!(format!("{:?}", *found).contains(&first));
}
