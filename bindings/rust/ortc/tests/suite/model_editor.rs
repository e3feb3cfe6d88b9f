// SPDX-License-Identifier: MIT
use ortc::{
    AttributeValue, EditorSession, ElementType, ErrorCode, Graph, Model, ModelCompiler, Node,
    OpAttrType, OpAttribute, Session, Tensor, TensorType, TypeInfo, Value, ValueInfo,
};

use crate::support::{aot, data, env, ones, options};

fn node(operator: &str, inputs: &[&str], outputs: &[&str]) -> Node {
    Node::builder(operator).inputs(inputs).outputs(outputs).build().unwrap()
}

fn value(name: &str, shape: &[i64]) -> ValueInfo {
    ValueInfo::new(name, &TypeInfo::tensor(ElementType::Float, shape)).unwrap()
}

/// y = x * weight, with a weight of 64 numbers.
fn product(in_place: bool) -> Model {
    let mut graph = Graph::new().unwrap();
    graph.set_inputs(vec![value("x", &[1, 64])]).unwrap();
    graph.set_outputs(vec![value("y", &[1, 64])]).unwrap();
    let weight = Tensor::from_vec([64], (0..64).map(|number| number as f32).collect()).unwrap();
    if in_place {
        graph.add_initializer_in_place("weight", weight).unwrap();
    } else {
        graph.add_initializer("weight", weight).unwrap();
    }
    graph.add_node(node("Mul", &["x", "weight"], &["y"])).unwrap();
    Model::new(&[("", 17)], graph).unwrap()
}

#[test]
fn sessions_are_made_of_models_made_in_memory() {
    for in_place in [false, true] {
        let model = product(in_place);
        let session = Session::from_model(&env(), &model, &options()).unwrap();
        drop(model);
        let outputs = session.run(&[("x", &ones(64))]).unwrap();
        assert_eq!(outputs["y"].data::<f32>().unwrap()[63], 63.0);
    }
}

#[test]
fn models_made_in_memory_are_compiled() {
    let model = product(false);
    let mut compiler = ModelCompiler::new(&env(), &aot()).unwrap().input_model(&model).embed(true);
    let (bytes, _) = compiler.compile_to_vec().unwrap();
    let session = Session::from_bytes(&env(), &bytes, &aot()).unwrap();
    let outputs = session.run(&[("x", &ones(64))]).unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap()[2], 2.0);
}

#[test]
fn a_model_from_a_file_gets_more_nodes() {
    let mut graph = Graph::new().unwrap();
    graph.set_outputs(vec![value("z", &[-1, 3])]).unwrap();
    graph.add_node(node("Neg", &["y"], &["z"])).unwrap();
    let more = Model::new(&[("", 17)], graph).unwrap();
    let bytes = std::fs::read(data("matmul.onnx")).unwrap();
    let plain = crate::support::session(data("matmul.onnx")).run(&[("x", &ones(4))]).unwrap();
    for unfinished in [
        EditorSession::open(&env(), data("matmul.onnx"), &options()),
        EditorSession::from_bytes(&env(), &bytes, &options()),
    ] {
        let mut unfinished = unfinished.unwrap();
        assert_eq!(unfinished.opset("").unwrap(), 17);
        assert!(unfinished.opset("nobody").is_err());
        unfinished.apply(&more).unwrap();
        let session = unfinished.finish(&options()).unwrap();
        let outputs = session.run(&[("x", &ones(4))]).unwrap();
        let sum: f32 = outputs["z"].data::<f32>().unwrap().iter().sum();
        assert_eq!(-sum, plain["y"].data::<f32>().unwrap().iter().sum::<f32>());
    }
    assert!(EditorSession::open(&env(), "missing", &options()).err().unwrap().is_not_found());
}

#[test]
fn attributes_of_every_kind_are_made_and_read() {
    let values = [
        (AttributeValue::Int(-7), OpAttrType::Int),
        (AttributeValue::Ints(vec![1, 2, 3]), OpAttrType::Ints),
        (AttributeValue::Ints(vec![]), OpAttrType::Ints),
        (AttributeValue::Float(0.5), OpAttrType::Float),
        (AttributeValue::Floats(vec![0.5, 1.5]), OpAttrType::Floats),
        (AttributeValue::from("text"), OpAttrType::String),
        (AttributeValue::String(vec![0, 255]), OpAttrType::String),
        (AttributeValue::Strings(vec!["a".into(), "".into(), "ü".into()]), OpAttrType::Strings),
    ];
    for (value, kind) in values {
        let attribute = OpAttribute::new("name", &value).unwrap();
        assert_eq!(attribute.attribute_type().unwrap(), kind);
        assert_eq!(attribute.value().unwrap(), value);
        assert_eq!(attribute.name().unwrap(), "name");
    }
    assert!(OpAttribute::new("", &AttributeValue::Int(1)).err().unwrap().is_invalid_argument());
}

#[test]
fn new_nodes_tell_what_they_were_made_of() {
    let alpha = OpAttribute::new("alpha", &AttributeValue::Float(0.25)).unwrap();
    let node = Node::builder("LeakyRelu")
        .domain("")
        .name("leaky")
        .inputs(&["x"])
        .outputs(&["y"])
        .attribute(alpha)
        .build()
        .unwrap();
    assert_eq!(
        (node.name().unwrap(), node.operator().unwrap()),
        ("leaky".into(), "LeakyRelu".into())
    );
    let attribute = node.attribute("alpha").unwrap().unwrap();
    assert_eq!(attribute.value().unwrap(), AttributeValue::Float(0.25));
    assert!(node.id().unwrap_err().is_not_implemented());
    let twice = || OpAttribute::new("a", &AttributeValue::Int(1)).unwrap();
    let error = Node::builder("Neg").attribute(twice()).attribute(twice()).build().err().unwrap();
    assert!(error.is_invalid_argument(), "{error}");
    assert!(Node::builder("").build().is_err());
}

#[test]
fn mistakes_are_found_and_harm_nothing() {
    let mut graph = Graph::new().unwrap();
    assert!(graph.set_inputs(vec![value("x", &[1]), value("x", &[1])]).is_err());
    graph.set_inputs(vec![value("x", &[1])]).unwrap();
    graph.set_inputs(vec![value("x", &[1])]).unwrap();
    assert!(graph.set_outputs(vec![value("y", &[1]), value("y", &[1])]).is_err());
    graph.add_node(node("Neg", &["x"], &["y"])).unwrap();
    assert!(graph.add_node(node("Abs", &["x"], &["y"])).is_err(), "y is made already");
    let small = Tensor::from_vec([1], vec![1.0f32]).unwrap();
    assert!(graph.add_initializer_in_place("w", small).unwrap_err().is_invalid_argument());
    let model = Model::new(&[("", 17)], graph).unwrap();
    let error = Session::from_model(&env(), &model, &options()).unwrap_err();
    assert!(error.is_invalid_argument(), "no outputs: {error}");
    let loaded = Graph::load(&env(), data("matmul.onnx")).unwrap();
    assert!(Model::new(&[("", 17)], loaded).is_err(), "a view cannot be taken over");
    assert!(Model::new(&[("", 0)], Graph::new().unwrap()).is_err());
}

#[test]
fn only_tensors_are_values_of_graphs() {
    let float = || Box::new(TypeInfo::tensor(ElementType::Float, []));
    for other in [
        TypeInfo::Sequence(float()),
        TypeInfo::Optional(float()),
        TypeInfo::Map { key: ElementType::Int64, value: float() },
        TypeInfo::SparseTensor(TensorType::new(ElementType::Float, [2, 2])),
    ] {
        assert!(ValueInfo::new("x", &other).err().unwrap().is_not_implemented(), "{other:?}");
    }
    let other = TypeInfo::Other(ortc::ValueKind::Opaque);
    assert!(ValueInfo::new("x", &other).err().unwrap().is_invalid_argument());
}

#[test]
fn types_keep_names_of_dimensions() {
    use ortc::Dimension::{Fixed, Free, Named};
    let shape = Some(vec![Named("batch".into()), Fixed(3), Free]);
    let tensor = TensorType { element: ElementType::Float, shape, denotation: String::new() };
    let info = ValueInfo::new("x", &TypeInfo::Tensor(tensor.clone())).unwrap();
    assert_eq!(info.type_info().unwrap(), TypeInfo::Tensor(tensor.clone()));
    let unknown = TensorType { shape: None, ..tensor };
    let info = ValueInfo::new("x", &TypeInfo::Tensor(unknown.clone())).unwrap();
    assert_eq!(info.type_info().unwrap(), TypeInfo::Tensor(unknown));
}

#[test]
fn initializers_may_be_texts() {
    let mut graph = Graph::new().unwrap();
    let texts = TypeInfo::tensor(ElementType::String, [2]);
    graph.set_outputs(vec![ValueInfo::new("y", &texts).unwrap()]).unwrap();
    graph.add_initializer("x", Value::from_strings([2], &["a", "b"]).unwrap()).unwrap();
    graph.add_node(node("Identity", &["x"], &["y"])).unwrap();
    let model = Model::new(&[("", 17)], graph).unwrap();
    match Session::from_model(&env(), &model, &options()) {
        Ok(session) => {
            assert_eq!(session.run(&[]).unwrap()["y"].strings().unwrap(), ["a", "b"]);
        }
        Err(error) => assert_eq!(error.code(), ErrorCode::NotImplemented, "{error}"),
    }
}
