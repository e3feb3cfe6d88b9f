// SPDX-License-Identifier: MIT
//! Operators of the domain "mine", made of closures, and models in memory that use them.

use std::ops::RangeInclusive;

use ortc::{
    CallbackResult, ElementType, Graph, Kernel, KernelContext, KernelInfo, Model, Node, Operator,
    OperatorDomain, OperatorInput, OperatorOutput, Session, SessionOptions, ShapeInferContext,
    ShapeInferFn, TypeInfo, ValueInfo,
};

use crate::support::env;

type CreateFn = dyn Fn(&KernelInfo) -> CallbackResult<Box<dyn Kernel>> + Send + Sync;

/// "y = x" on one tensor of floats, unless a test changes it.
pub struct TestOp {
    pub name: &'static str,
    pub inputs: Vec<OperatorInput>,
    pub outputs: Vec<OperatorOutput>,
    pub versions: RangeInclusive<i32>,
    pub provider: Option<&'static str>,
    pub infer: Option<fn(&mut ShapeInferContext) -> CallbackResult>,
    create: Box<CreateFn>,
}

impl TestOp {
    /// An operator whose kernel is a closure without a state.
    pub fn computing(
        name: &'static str,
        compute: impl Fn(&KernelContext) -> CallbackResult + Clone + Send + Sync + 'static,
    ) -> Self {
        Self::making(name, move |_| Ok(Box::new(compute.clone())))
    }

    /// An operator whose kernels a closure makes.
    pub fn making(
        name: &'static str,
        create: impl Fn(&KernelInfo) -> CallbackResult<Box<dyn Kernel>> + Send + Sync + 'static,
    ) -> Self {
        TestOp {
            name,
            inputs: vec![OperatorInput::required(ElementType::Float)],
            outputs: vec![OperatorOutput::required(ElementType::Float)],
            versions: 1..=i32::MAX,
            provider: None,
            infer: None,
            create: Box::new(create),
        }
    }

    pub fn same(name: &'static str) -> Self {
        Self::computing(name, give_same)
    }

    pub fn inputs(mut self, inputs: Vec<OperatorInput>) -> Self {
        self.inputs = inputs;
        self
    }

    pub fn outputs(mut self, outputs: Vec<OperatorOutput>) -> Self {
        self.outputs = outputs;
        self
    }
}

impl Operator for TestOp {
    fn name(&self) -> &str {
        self.name
    }

    fn inputs(&self) -> Vec<OperatorInput> {
        self.inputs.clone()
    }

    fn outputs(&self) -> Vec<OperatorOutput> {
        self.outputs.clone()
    }

    fn versions(&self) -> RangeInclusive<i32> {
        self.versions.clone()
    }

    fn execution_provider(&self) -> Option<&str> {
        self.provider
    }

    fn shape_inference(&self) -> Option<Box<ShapeInferFn>> {
        self.infer.map(|infer| Box::new(infer) as Box<ShapeInferFn>)
    }

    fn create_kernel(&self, info: &KernelInfo) -> CallbackResult<Box<dyn Kernel>> {
        (self.create)(info)
    }
}

/// Copies input 0 to output 0, of any type.
pub fn give_same(call: &KernelContext) -> CallbackResult {
    let x = call.input(0)?;
    let mut y = call.output(0, x.shape()?)?;
    if x.element_type()? == ElementType::String {
        y.set_strings(&x.strings()?)?;
    } else {
        y.bytes_mut()?.copy_from_slice(x.bytes()?);
    }
    Ok(())
}

pub fn knowing(operator: TestOp) -> SessionOptions {
    let mut options = crate::support::options();
    add(&mut options, operator);
    options
}

pub fn add(options: &mut SessionOptions, operator: TestOp) {
    let domain = OperatorDomain::new("mine").unwrap().with(operator).unwrap();
    options.add_operators(&domain).unwrap();
}

pub fn mine(operator: &str, inputs: &[&str], outputs: &[&str]) -> Node {
    let node = Node::builder(operator).domain("mine").name("custom");
    node.inputs(inputs).outputs(outputs).build().unwrap()
}

pub fn plain(operator: &str, inputs: &[&str], outputs: &[&str]) -> Node {
    Node::builder(operator).inputs(inputs).outputs(outputs).build().unwrap()
}

pub fn value(name: &str, element: ElementType, shape: &[i64]) -> ValueInfo {
    ValueInfo::new(name, &TypeInfo::tensor(element, shape)).unwrap()
}

pub fn floats(name: &str) -> ValueInfo {
    value(name, ElementType::Float, &[-1])
}

pub fn graph(nodes: Vec<Node>, inputs: Vec<ValueInfo>, outputs: Vec<ValueInfo>) -> Graph {
    let mut graph = Graph::new().unwrap();
    graph.set_inputs(inputs).unwrap();
    graph.set_outputs(outputs).unwrap();
    nodes.into_iter().for_each(|node| graph.add_node(node).unwrap());
    graph
}

pub fn model(nodes: Vec<Node>, inputs: Vec<ValueInfo>, outputs: Vec<ValueInfo>) -> Model {
    Model::new(&[("", 17), ("mine", 1)], graph(nodes, inputs, outputs)).unwrap()
}

/// x -> Abs -> mine.<operator> -> Neg -> y, on floats.
pub fn sandwich(operator: &str) -> Model {
    let nodes = vec![
        plain("Abs", &["x"], &["a"]),
        mine(operator, &["a"], &["b"]),
        plain("Neg", &["b"], &["y"]),
    ];
    model(nodes, vec![floats("x")], vec![floats("y")])
}

pub fn load(model: &Model, options: &SessionOptions) -> ortc::Result<Session> {
    Session::from_model(&env(), model, options)
}
