// SPDX-License-Identifier: MIT
//! An operator of the program in a model made in memory: operators [LIBRARY]
//!
//! With a library of operators, as `operator_library`, the operator comes from there.

use ortc::{
    AttributeValue, CallbackResult, ElementType, Env, Graph, Kernel, KernelContext, KernelInfo,
    Model, Node, OpAttribute, Operator, OperatorDomain, OperatorInput, OperatorOutput, Session,
    SessionOptions, ShapeInferContext, ShapeInferFn, Tensor, TypeInfo, ValueInfo,
};

// docs: begin
/// y = x where that is positive, else slope * x.
struct Leaky;

impl Operator for Leaky {
    fn name(&self) -> &str {
        "Leaky"
    }

    fn inputs(&self) -> Vec<OperatorInput> {
        vec![OperatorInput::required(ElementType::Float)]
    }

    fn outputs(&self) -> Vec<OperatorOutput> {
        vec![OperatorOutput::required(ElementType::Float)]
    }

    fn shape_inference(&self) -> Option<Box<ShapeInferFn>> {
        Some(Box::new(|context: &mut ShapeInferContext| {
            let same = context.input(0)?;
            Ok(context.set_output(0, &same)?)
        }))
    }

    fn create_kernel(&self, info: &KernelInfo) -> CallbackResult<Box<dyn Kernel>> {
        let slope = info.optional_attribute("slope")?.unwrap_or(0.01);
        Ok(Box::new(LeakyKernel { slope }))
    }
}

/// One for each node, with what its attributes say.
struct LeakyKernel {
    slope: f32,
}

impl Kernel for LeakyKernel {
    fn compute(&self, call: &KernelContext) -> CallbackResult {
        let x = call.input(0)?;
        let mut y = call.output(0, x.shape()?)?;
        for (to, &from) in y.data_mut::<f32>()?.iter_mut().zip(x.data::<f32>()?) {
            *to = if from > 0.0 { from } else { self.slope * from };
        }
        Ok(())
    }
}

fn knowing_leaky() -> ortc::Result<SessionOptions> {
    let mut options = SessionOptions::new()?;
    options.add_operators(&OperatorDomain::new("samples")?.with(Leaky)?)?;
    Ok(options)
}
// docs: end

fn model() -> ortc::Result<Model> {
    let floats = |name| ValueInfo::new(name, &TypeInfo::tensor(ElementType::Float, [4]));
    let mut graph = Graph::new()?;
    graph.set_inputs(vec![floats("x")?])?;
    graph.set_outputs(vec![floats("y")?])?;
    let slope = OpAttribute::new("slope", &AttributeValue::Float(0.5))?;
    let node = Node::builder("Leaky").domain("samples").inputs(&["x"]).outputs(&["y"]);
    graph.add_node(node.attribute(slope).build()?)?;
    Model::new(&[("", 17), ("samples", 1)], graph)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = match std::env::args().nth(1) {
        Some(library) => {
            let mut options = SessionOptions::new()?;
            // SAFETY: the library is one of operators.
            unsafe { options.register_operator_library(library) }?;
            options
        }
        None => knowing_leaky()?,
    };
    let session = Session::from_model(&Env::new("operators")?, &model()?, &options)?;
    let x = Tensor::from_vec([4], vec![-2.0f32, -1.0, 1.0, 2.0])?;
    println!("{:?}", session.run(&[("x", &x)])?["y"].data::<f32>()?);
    Ok(())
}
