// SPDX-License-Identifier: MIT
//! Operators of the program: what they may be, and what their kernels see.

use std::sync::{Arc, Mutex};

use ortc::{
    AttributeValue, Bf16, CallbackResult, Characteristic, Dimension, EagerOperator, Element,
    ElementType, Kernel, KernelContext, KernelInfo, MemType, MemoryInfo, ModelCompiler, Node,
    OpAttribute, OperatorInput, OperatorOutput, Session, Tensor, Value, F16,
};

use crate::operator_testing::*;
use crate::support::{aot, env, model as file};

/// Runs a model of one input, "x", and gives "y".
fn run(session: &Session, x: &Value) -> Value {
    session.run(&[("x", x)]).unwrap().take("y").unwrap()
}

fn three() -> Tensor<f32> {
    Tensor::from_vec([3], vec![-1.0f32, 2.0, -3.0]).unwrap()
}

#[test]
fn a_kernel_has_a_state_from_attributes() {
    let scale = TestOp::making("Scale", |info| {
        let factor: f32 = info.attribute("factor")?;
        Ok(Box::new(move |call: &KernelContext| -> CallbackResult {
            let x = call.input(0)?;
            let mut y = call.output(0, x.shape()?)?;
            for (to, from) in y.data_mut::<f32>()?.iter_mut().zip(x.data::<f32>()?) {
                *to = factor * from;
            }
            Ok(())
        }))
    });
    let node = |factor, from: &str, to: &str| {
        let factor = OpAttribute::new("factor", &AttributeValue::Float(factor)).unwrap();
        let node = Node::builder("Scale").domain("mine").inputs(&[from]).outputs(&[to]);
        node.attribute(factor).build().unwrap()
    };
    let nodes = vec![node(2.0, "x", "a"), node(5.0, "a", "y")];
    let session =
        load(&model(nodes, vec![floats("x")], vec![floats("y")]), &knowing(scale)).unwrap();
    assert_eq!(run(&session, &three()).data::<f32>().unwrap(), [-10.0, 20.0, -30.0]);
}

#[test]
fn attributes_of_every_kind_are_read() {
    let attributes = TestOp::making("Attributes", |info| {
        assert_eq!(info.attribute::<i64>("whole")?, 7);
        assert_eq!(info.attribute::<f32>("number")?, 0.5);
        assert_eq!(info.attribute::<String>("text")?, "über");
        assert_eq!(info.attribute::<Vec<u8>>("text")?, "über".as_bytes());
        assert_eq!(info.attribute::<Vec<i64>>("wholes")?, [1, 2, 3]);
        assert_eq!(info.attribute::<Vec<f32>>("numbers")?, [0.25, 4.0]);
        assert_eq!(info.attribute::<Vec<String>>("texts")?, ["one", "", "three"]);
        let tensor: Value = info.attribute("tensor")?;
        assert_eq!((tensor.shape()?, tensor.data::<i64>()?.len()), (&[2, 3][..], 6));
        assert_eq!(info.optional_attribute::<i64>("whole")?, Some(7));
        assert_eq!(info.optional_attribute::<i64>("nothing")?, None);
        assert!(info.optional_attribute::<i64>("text").is_err(), "another type is a mistake");
        assert!(info.has_attribute("tensor") && !info.has_attribute("nothing"));
        Ok(Box::new(give_same))
    });
    let options = knowing(attributes);
    let session = Session::new(&env(), file("attributes.onnx"), &options).unwrap();
    assert_eq!(run(&session, &three()).data::<f32>().unwrap(), three().data());
}

fn check_type<T: Element + PartialEq + std::fmt::Debug>(elements: [T; 2]) {
    let same = TestOp::same("Same")
        .inputs(vec![OperatorInput::required(T::TYPE)])
        .outputs(vec![OperatorOutput::required(T::TYPE)]);
    let nodes = vec![mine("Same", &["x"], &["y"])];
    let model = model(nodes, vec![value("x", T::TYPE, &[2])], vec![value("y", T::TYPE, &[2])]);
    let session = load(&model, &knowing(same)).unwrap();
    let x = Tensor::from_vec([2], elements.to_vec()).unwrap();
    assert_eq!(run(&session, &x).data::<T>().unwrap(), elements);
}

#[test]
fn values_are_of_every_type() {
    check_type([0.5f32, -1.5]);
    check_type([0.5f64, -1.5]);
    check_type([i8::MIN, i8::MAX]);
    check_type([i16::MIN, i16::MAX]);
    check_type([i32::MIN, i32::MAX]);
    check_type([i64::MIN, i64::MAX]);
    check_type([1u8, u8::MAX]);
    check_type([1u16, u16::MAX]);
    check_type([1u32, u32::MAX]);
    check_type([1u64, u64::MAX]);
    check_type([true, false]);
    check_type([F16::from(0.5), F16::from(-2.0)]);
    check_type([Bf16::from(0.5), Bf16::from(-2.0)]);
}

#[test]
fn texts_come_in_and_go_out() {
    let join = TestOp::computing("Join", |call| {
        let texts = call.input(0)?.strings()?;
        let mut y = call.output(0, &[])?;
        y.set_string(0, &texts.join("-"))?;
        Ok(())
    });
    let text = ElementType::String;
    let join = join
        .inputs(vec![OperatorInput::required(text)])
        .outputs(vec![OperatorOutput::required(text)]);
    let nodes = vec![mine("Join", &["x"], &["y"])];
    let model = model(nodes, vec![value("x", text, &[-1])], vec![value("y", text, &[])]);
    let session = load(&model, &knowing(join)).unwrap();
    let x = Value::from_strings([3], &["a", "ü", "c\0d"]).unwrap();
    assert_eq!(run(&session, &x).strings().unwrap(), ["a-ü-c\0d"]);
}

#[test]
fn any_type_of_input_is_that_of_the_output() {
    let options = knowing(
        TestOp::same("Same")
            .inputs(vec![OperatorInput::required(None)])
            .outputs(vec![OperatorOutput::required(None)]),
    );
    for element in [ElementType::Int16, ElementType::String] {
        let nodes = vec![mine("Same", &["x"], &["a"]), plain("Identity", &["a"], &["y"])];
        let model = model(nodes, vec![value("x", element, &[1])], vec![value("y", element, &[1])]);
        let session = load(&model, &options).unwrap();
        let x = match element {
            ElementType::String => Value::from_strings([1], &["text"]).unwrap(),
            _ => Tensor::from_vec([1], vec![7i16]).unwrap().into(),
        };
        assert_eq!(run(&session, &x).element_type().unwrap(), element);
    }
}

#[test]
fn sequences_come_in() {
    let count = TestOp::computing("Count", |call| {
        let list = call.input(0)?.to_sequence()?;
        let sum: f32 = list.iter().map(|one| one.data::<f32>().unwrap().iter().sum::<f32>()).sum();
        call.output(0, &[2])?.data_mut()?.copy_from_slice(&[list.len() as f32, sum]);
        Ok(())
    });
    let count = count.inputs(vec![OperatorInput::required(None)]);
    let nodes =
        vec![plain("SequenceConstruct", &["x", "x"], &["list"]), mine("Count", &["list"], &["y"])];
    let session =
        load(&model(nodes, vec![floats("x")], vec![floats("y")]), &knowing(count)).unwrap();
    assert_eq!(run(&session, &three()).data::<f32>().unwrap(), [2.0, -4.0]);
}

#[test]
fn optional_values_may_be_left_out() {
    let float = ElementType::Float;
    let add = TestOp::computing("Add", |call| {
        let x = call.input(0)?;
        let sum: f32 = (1..3)
            .filter_map(|index| call.optional_input(index).unwrap())
            .map(|one| one.data::<f32>().unwrap()[0])
            .sum();
        if let Some(mut y) = call.optional_output(0, x.shape()?)? {
            let pairs = y.data_mut::<f32>()?.iter_mut().zip(x.data::<f32>()?);
            pairs.for_each(|(to, from)| *to = from + sum);
        }
        if let Some(mut count) = call.optional_output(1, &[])? {
            count.data_mut::<f32>()?[0] = call.input_count()? as f32;
        }
        Ok(())
    });
    let options = knowing(
        add.inputs(vec![
            OperatorInput::required(float),
            OperatorInput::optional(float),
            OperatorInput::optional(float),
        ])
        .outputs(vec![OperatorOutput::optional(float), OperatorOutput::optional(float)]),
    );
    let run = |inputs: &[&str], outputs: &[&str], first: f32| {
        let shown = outputs.iter().copied().find(|name| !name.is_empty()).unwrap();
        let shape: &[i64] = if shown == "y" { &[-1] } else { &[] };
        let model = model(
            vec![mine("Add", inputs, outputs)],
            vec![floats("x")],
            vec![value(shown, ElementType::Float, shape)],
        );
        let session = load(&model, &options).unwrap();
        let result = session.run(&[("x", &three())]).unwrap();
        assert_eq!(result[shown].data::<f32>().unwrap()[0], first, "{inputs:?} {outputs:?}");
    };
    run(&["x"], &["y"], -1.0);
    run(&["x", "x"], &["y"], -2.0);
    run(&["x", "", "x"], &["y"], -2.0);
    run(&["x", "x", "x"], &["y"], -3.0);
    run(&["x", "", "x"], &["", "n"], 3.0);
}

#[test]
fn variadic_values_are_as_many_as_the_node_has() {
    let float = ElementType::Float;
    let spread = TestOp::computing("Spread", |call| {
        let sum: f32 = (0..call.input_count()?)
            .map(|index| call.input(index).unwrap().data::<f32>().unwrap()[0])
            .sum();
        for index in 0..call.output_count()? {
            call.output(index, &[1])?.data_mut::<f32>()?[0] = sum + index as f32;
        }
        Ok(())
    });
    let options = knowing(
        spread
            .inputs(vec![OperatorInput::variadic(float)])
            .outputs(vec![OperatorOutput::variadic(float)]),
    );
    let node = mine("Spread", &["x", "x", "x"], &["y", "z"]);
    let model = model(vec![node], vec![floats("x")], vec![floats("y"), floats("z")]);
    let outputs = load(&model, &options).unwrap().run(&[("x", &three())]).unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [-3.0]);
    assert_eq!(outputs["z"].data::<f32>().unwrap(), [-2.0]);
}

#[test]
fn variadic_inputs_may_be_none_and_of_many_types() {
    let many = Characteristic::Variadic { least: 0, is_of_one_type: false };
    let count = || {
        TestOp::computing("Count", |call| {
            call.output(0, &[1])?.data_mut::<f32>()?[0] = call.input_count()? as f32;
            Ok(())
        })
        .inputs(vec![OperatorInput::new(None, many)])
    };
    let whole = value("i", ElementType::Int64, &[1]);
    let node = mine("Count", &["x", "i"], &["y"]);
    let two = model(vec![node], vec![floats("x"), whole], vec![floats("y")]);
    let session = load(&two, &knowing(count())).unwrap();
    let i = Tensor::from_vec([1], vec![1i64]).unwrap();
    let outputs = session.run(&[("x", &three()), ("i", &i)]).unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [2.0]);
    let none = model(vec![mine("Count", &[], &["y"])], vec![], vec![floats("y")]);
    let outputs = load(&none, &knowing(count())).unwrap().run(&[]).unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [0.0]);
}

#[test]
fn shapes_are_inferred_before_a_run() {
    let mut same = TestOp::same("Same");
    same.infer = Some(|context| {
        assert_eq!(context.input_count()?, 1);
        assert!(context.attribute("nothing")?.is_none());
        let times = match context.attribute("times")?.map(|times| times.value()).transpose()? {
            Some(AttributeValue::Int(times)) => times,
            other => return Err(format!("times: {other:?}").into()),
        };
        let mut tensor = context.input(0)?;
        tensor.shape.as_mut().unwrap().push(Dimension::Fixed(times));
        context.set_output(0, &tensor)?;
        Ok(())
    });
    let times = OpAttribute::new("times", &AttributeValue::Int(5)).unwrap();
    let node = Node::builder("Same").domain("mine").inputs(&["x"]).outputs(&["y"]).attribute(times);
    let x = value("x", ElementType::Float, &[3]);
    let unknown =
        ortc::TensorType { element: ElementType::Float, shape: None, denotation: String::new() };
    let y = ortc::ValueInfo::new("y", &ortc::TypeInfo::Tensor(unknown)).unwrap();
    let session = load(&model(vec![node.build().unwrap()], vec![x], vec![y]), &knowing(same));
    let outputs = session.unwrap().outputs().unwrap();
    assert_eq!(outputs[0].type_info.as_tensor().unwrap().sizes(), [3, 5]);
}

#[test]
fn types_of_inputs_that_are_left_out_or_not_tensors_are_undefined() {
    let mut same = TestOp::same("Same").inputs(vec![
        OperatorInput::required(ElementType::Float),
        OperatorInput::optional(None),
        OperatorInput::required(None),
    ]);
    same.infer = Some(|context| {
        assert_eq!(context.input_count()?, 3);
        assert_eq!(context.input(1)?.element, ElementType::Undefined);
        assert_eq!(context.input(2)?.element, ElementType::Undefined);
        assert!(context.input(3).unwrap_err().is_invalid_argument());
        Ok(())
    });
    let nodes = vec![
        plain("SequenceConstruct", &["x", "x"], &["list"]),
        mine("Same", &["x", "", "list"], &["y"]),
    ];
    let model = model(nodes, vec![floats("x")], vec![floats("y")]);
    run(&load(&model, &knowing(same)).unwrap(), &three());
}

#[test]
fn overloads_differ_in_types_and_versions() {
    let give = |name, number: f32, input: ElementType, versions| {
        let mut op = TestOp::computing(name, move |call| {
            call.output(0, &[1])?.data_mut::<f32>()?[0] = number;
            Ok(())
        })
        .inputs(vec![OperatorInput::required(input)]);
        op.versions = versions;
        op
    };
    let mut options = knowing(give("Which", 1.0, ElementType::Float, 1..=1));
    add(&mut options, give("Which", 2.0, ElementType::Int64, 1..=1));
    add(&mut options, give("Which", 3.0, ElementType::Float, 2..=i32::MAX));
    for (version, element, expected) in [
        (1, ElementType::Float, 1.0),
        (1, ElementType::Int64, 2.0),
        (2, ElementType::Float, 3.0),
        (7, ElementType::Float, 3.0),
    ] {
        let nodes = vec![mine("Which", &["x"], &["y"])];
        let graph = graph(nodes, vec![value("x", element, &[-1])], vec![floats("y")]);
        let model = ortc::Model::new(&[("", 17), ("mine", version)], graph).unwrap();
        let session = load(&model, &options).unwrap();
        let y = match element {
            ElementType::Float => run(&session, &three()),
            _ => run(&session, &Tensor::from_vec([1], vec![1i64]).unwrap()),
        };
        assert_eq!(y.data::<f32>().unwrap(), [expected]);
    }
}

#[test]
fn operators_of_onnx_are_replaced() {
    let domain = ortc::OperatorDomain::new("").unwrap().with(TestOp::same("Abs")).unwrap();
    let mut options = crate::support::options();
    options.add_operators(&domain).unwrap();
    let model = model(vec![plain("Abs", &["x"], &["y"])], vec![floats("x")], vec![floats("y")]);
    assert_eq!(
        run(&load(&model, &options).unwrap(), &three()).data::<f32>().unwrap(),
        three().data()
    );
}

#[test]
fn a_kernel_is_told_of_its_node() {
    let kept: Arc<Mutex<Option<KernelInfo>>> = Arc::default();
    let keeper = kept.clone();
    let same = TestOp::making("Same", move |info| {
        assert_eq!((info.node_name()?, info.operator()?), ("custom".into(), "Same".into()));
        assert_eq!((info.domain()?, info.since_version()?), ("mine".into(), 1));
        assert_eq!((info.input_count()?, info.output_count()?), (2, 1));
        assert_eq!((info.input_name(0)?, info.output_name(0)?), ("x".into(), "y".into()));
        assert_eq!(info.input_type(0)?.as_tensor().unwrap().element, ElementType::Float);
        assert_eq!(info.output_type(0)?.as_tensor().unwrap().element, ElementType::Float);
        assert!(info.input_type(9).is_err());
        assert!(info.constant_input(0)?.is_none());
        assert_eq!(info.constant_input(1)?.unwrap().data::<f32>()?, [4.0]);
        info.logger()?.log(ortc::LoggingLevel::Verbose, "made", file!(), line!())?;
        assert!(!info.allocator(MemType::Default)?.allocate(64)?.is_empty());
        let entries = info.config_entries()?;
        assert_eq!(entries.get("session.inter_op.allow_spinning").as_deref(), Some("0"));
        *keeper.lock().unwrap() = Some(info.try_clone()?);
        Ok(Box::new(give_same))
    });
    let float = OperatorInput::required(ElementType::Float);
    let mut options = knowing(same.inputs(vec![float, float]));
    options.set("session.inter_op.allow_spinning", "0").unwrap();
    let mut graph =
        graph(vec![mine("Same", &["x", "w"], &["y"])], vec![floats("x")], vec![floats("y")]);
    graph.add_initializer("w", Tensor::from_vec([1], vec![4.0f32]).unwrap()).unwrap();
    let model = ortc::Model::new(&[("", 17), ("mine", 1)], graph).unwrap();
    let session = load(&model, &options).unwrap();
    run(&session, &three());
    drop(session);
    let info = kept.lock().unwrap().take().unwrap();
    assert_eq!(info.constant_input(1).unwrap().unwrap().data::<f32>().unwrap(), [4.0]);
    assert!(format!("{info:?}").contains("custom"));
}

#[test]
fn a_call_has_memory_threads_and_a_log() {
    let sum = TestOp::computing("Sum", |call| {
        let memory = MemoryInfo::cpu(ortc::AllocatorType::Device)?;
        assert!(!call.allocator(&memory)?.allocate(16)?.is_empty());
        let (one, two) = (call.scratch(&memory, 8)?, call.scratch(&memory, 8)?);
        assert_ne!(one.as_ptr(), two.as_ptr());
        assert!(call.scratch(&memory, 0)?.is_empty());
        call.logger()?.log(ortc::LoggingLevel::Verbose, "sum", file!(), line!())?;
        assert!(call.compute_stream()?.is_null() && call.sync_stream()?.is_none());
        assert!(call.resource(1, 1).unwrap_err().is_invalid_argument());
        let x = call.input(0)?;
        let numbers = x.data::<f32>()?;
        let total = Mutex::new(0.0);
        call.parallel_for(numbers.len(), 0, |index| *total.lock().unwrap() += numbers[index])?;
        call.output(0, &[1])?.data_mut::<f32>()?[0] = total.into_inner().unwrap();
        Ok(())
    });
    let mut options = knowing(sum);
    options.set_intra_op_threads(3).unwrap();
    let session = load(&sandwich("Sum"), &options).unwrap();
    let x = Tensor::from_vec([1000], (0..1000).map(|number| number as f32).collect()).unwrap();
    assert_eq!(run(&session, &x).data::<f32>().unwrap(), [-499_500.0]);
}

#[test]
fn kernels_call_operators_of_onnx() {
    let norm = TestOp::making("Norm", |info| {
        let mul = EagerOperator::new(info, "Mul", "", 14, &[], 2, 1)?;
        let axes = [OpAttribute::new("keepdims", &AttributeValue::Int(1))?];
        let sum = EagerOperator::new(info, "ReduceSum", "", 13, &axes, 2, 1)?;
        let missing = EagerOperator::new(info, "Nothing", "", 14, &[], 1, 1).unwrap_err();
        assert!(missing.is_not_implemented(), "{missing}");
        Ok(Box::new(move |call: &KernelContext| -> CallbackResult {
            let x = call.input(0)?;
            let mut squares = Tensor::<f32>::zeros(x.shape()?)?;
            mul.invoke(call, &[Some(&x), Some(&x)], &mut [Some((&mut squares).into())])?;
            let mut y = call.output(0, &[1])?;
            sum.invoke(call, &[Some(&squares), None], &mut [Some((&mut y).into())])?;
            let error = mul.invoke(call, &[Some(&x)], &mut [None]).unwrap_err();
            assert!(error.is_invalid_argument(), "{error}");
            Ok(())
        }))
    });
    let session = load(&sandwich("Norm"), &knowing(norm)).unwrap();
    assert_eq!(run(&session, &three()).data::<f32>().unwrap(), [-14.0]);
}

/// A kernel that is a struct.
struct Counter(Mutex<f32>);

impl Kernel for Counter {
    fn compute(&self, call: &KernelContext) -> CallbackResult {
        let mut count = self.0.lock().unwrap();
        *count += 1.0;
        call.output(0, &[1])?.data_mut::<f32>()?[0] = *count;
        Ok(())
    }
}

#[test]
fn a_kernel_may_be_a_struct_whose_state_stays() {
    let counter = TestOp::making("Count", |_| Ok(Box::new(Counter(Mutex::new(0.0)))));
    let session = load(&sandwich("Count"), &knowing(counter)).unwrap();
    for number in 1..4 {
        assert_eq!(run(&session, &three()).data::<f32>().unwrap(), [-(number as f32)]);
    }
}

#[test]
fn models_with_operators_are_compiled() {
    let mut options = aot();
    add(&mut options, TestOp::same("Same"));
    let model = sandwich("Same");
    let mut compiler =
        ModelCompiler::new(&env(), &options).unwrap().input_model(&model).embed(true);
    let (bytes, report) = compiler.compile_to_vec().unwrap();
    assert!(report.contains("AotExecutionProvider"), "{report}");
    let session = Session::from_bytes(&env(), &bytes, &options).unwrap();
    assert_eq!(run(&session, &three()).data::<f32>().unwrap(), [-1.0, -2.0, -3.0]);
    let error = Session::from_bytes(&env(), &bytes, &aot()).unwrap_err();
    assert!(error.message().contains("mine.Same"), "{error}");
}
