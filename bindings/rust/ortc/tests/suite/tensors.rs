// SPDX-License-Identifier: MIT
use std::sync::Arc;

use ortc::{
    Bf16, Dimension, Element, ElementType, Tensor, TensorRef, TensorRefMut, TensorType, TypeInfo,
    Value, ValueKind, F16,
};

use crate::support::{model, session};

fn round_trip<T: Element + PartialEq + std::fmt::Debug>(elements: Vec<T>) {
    let shape = [elements.len() as i64];
    let tensor = Tensor::from_vec(shape, elements.clone()).unwrap();
    assert_eq!(tensor.data(), elements);
    assert_eq!(tensor.element_type().unwrap(), T::TYPE);
    assert_eq!(tensor.byte_len().unwrap(), std::mem::size_of_val(&elements[..]));
    assert_eq!(Tensor::from_slice(shape, &elements).unwrap().data(), elements);
    let value = tensor.into_value();
    let tensor = Tensor::<T>::try_from(value).unwrap();
    assert_eq!(tensor.into_vec(), elements);
}

#[test]
fn every_element_type_goes_in_and_comes_out() {
    round_trip(vec![1.5f32, -2.0, f32::MAX]);
    round_trip(vec![1.5f64, -2.0, f64::MIN]);
    round_trip(vec![i8::MIN, 0, i8::MAX]);
    round_trip(vec![i16::MIN, 0, i16::MAX]);
    round_trip(vec![i32::MIN, 0, i32::MAX]);
    round_trip(vec![i64::MIN, 0, i64::MAX]);
    round_trip(vec![0, u8::MAX]);
    round_trip(vec![0, u16::MAX]);
    round_trip(vec![0, u32::MAX]);
    round_trip(vec![0, u64::MAX]);
    round_trip(vec![true, false, true]);
    round_trip(vec![F16::from(0.5), F16::from(-2.0)]);
    round_trip(vec![Bf16::from(0.5), Bf16::from(-2.0)]);
    round_trip(vec![[1.0f32, 2.0], [3.0, 4.0]]);
    round_trip(vec![[1.0f64, 2.0], [3.0, 4.0]]);
}

#[test]
fn a_vector_is_used_where_it_is() {
    let elements = vec![1i64, 2, 3];
    let address = elements.as_ptr();
    let mut tensor = Tensor::from_vec([3], elements).unwrap();
    assert_eq!(tensor.data().as_ptr(), address);
    tensor.data_mut()[1] = 7;
    let elements = tensor.into_vec();
    assert_eq!((elements.as_ptr(), &elements[..]), (address, &[1i64, 7, 3][..]));
}

#[test]
fn slices_are_used_where_they_are() {
    let numbers = [1.0f32, 2.0];
    let tensor = TensorRef::new([2], &numbers).unwrap();
    assert_eq!(tensor.data::<f32>().unwrap().as_ptr(), numbers.as_ptr());
    let mut room = [0.0f32; 4];
    let address = room.as_ptr();
    let tensor = TensorRefMut::new([1, 4], &mut room).unwrap();
    assert_eq!(tensor.data::<f32>().unwrap().as_ptr(), address);
}

#[test]
fn results_go_straight_into_memory_of_the_program() {
    let session = session(model("trivial.onnx"));
    let numbers = [1.0f32, 2.0, 3.0, 4.0];
    let mut room = [0.0f32; 4];
    let x = TensorRef::new([1, 4], &numbers).unwrap();
    {
        let mut y = TensorRefMut::new([1, 4], &mut room).unwrap();
        session.run_into(None, &[("x", &x)], &mut [("y", (&mut y).into())]).unwrap();
    }
    assert_eq!(room, [2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn a_shape_must_have_as_many_elements() {
    let error = Tensor::from_vec([2, 2], vec![1.0f32; 3]).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("[2, 2]"), "{error}");
    assert!(TensorRef::new([-1], &[1.0f32]).is_err());
    assert!(TensorRef::new([i64::MAX, i64::MAX], &[1.0f32]).is_err());
    assert!(Tensor::<f32>::zeros([i64::MAX, 8]).is_err());
    assert!(Tensor::<f32>::zeros([1 << 40, 1 << 10]).is_err(), "more than there is");
}

#[test]
fn scalars_and_tensors_without_elements_are_tensors() {
    let scalar = Tensor::scalar(5i32).unwrap();
    assert_eq!((scalar.shape().unwrap(), scalar.data()), (&[][..], &[5][..]));
    assert_eq!(scalar.element_count().unwrap(), 1);
    for shape in [vec![0], vec![0, 3], vec![2, 0]] {
        for mut tensor in [
            Tensor::from_vec(&shape, Vec::<f64>::new()).unwrap(),
            Tensor::<f64>::zeros(&shape).unwrap(),
        ] {
            assert_eq!(tensor.shape().unwrap(), &shape[..]);
            assert!(tensor.data().is_empty() && tensor.data_mut().is_empty());
            assert!(tensor.bytes().unwrap().is_empty());
            assert_eq!((tensor.element_count().unwrap(), tensor.byte_len().unwrap()), (0, 0));
        }
    }
}

#[test]
fn elements_are_reached_by_their_place() {
    let mut tensor = Tensor::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6u8]).unwrap();
    *tensor.at_mut([1, 0]).unwrap() += 10;
    assert_eq!(tensor.data(), [1, 2, 3, 14, 5, 6]);
    assert!(tensor.at_mut([2, 0]).unwrap_err().is_invalid_argument());
    assert!(tensor.at_mut([0]).unwrap_err().is_invalid_argument());
    assert_eq!(*Tensor::scalar(3.5f64).unwrap().at_mut([]).unwrap(), 3.5);
}

#[test]
fn a_tensor_of_another_type_is_an_error() {
    let value = Tensor::from_vec([1], vec![1.0f32]).unwrap().into_value();
    let error = value.data::<f64>().unwrap_err();
    assert!(error.message().contains("Float") && error.message().contains("Double"), "{error}");
    assert!(Tensor::<i32>::try_from(value).is_err());
    let texts = Value::from_strings([1], &["a"]).unwrap();
    assert!(texts.data::<u8>().is_err() && texts.bytes().is_err());
}

#[test]
fn a_byte_that_is_no_bool_is_not_shown_as_one() {
    let value = Value::from_bytes([3], ElementType::Bool, &[0, 1, 2]).unwrap();
    assert!(value.data::<bool>().unwrap_err().message().contains("neither"));
    assert!(Tensor::<bool>::try_from(value).is_err());
}

#[test]
fn small_types_are_bytes() {
    for (element, bytes) in [
        (ElementType::Uint4, 2),
        (ElementType::Int4, 2),
        (ElementType::Float4E2M1, 2),
        (ElementType::Uint2, 1),
        (ElementType::Int2, 1),
        (ElementType::Float8E4M3Fn, 3),
        (ElementType::Float8E8M0, 3),
    ] {
        let content: Vec<u8> = (1..=bytes).map(|byte| byte * 3).collect();
        let mut value = Value::from_bytes([3], element, &content).unwrap();
        assert_eq!(value.element_type().unwrap(), element);
        assert_eq!(value.bytes().unwrap(), content);
        value.bytes_mut().unwrap()[0] = 9;
        assert_eq!(value.bytes().unwrap()[0], 9);
        assert!(Value::from_bytes([30], element, &content).unwrap_err().is_invalid_argument());
    }
}

#[test]
fn half_floats_are_computed_with() {
    let halves = session(model("half.onnx"));
    let x = Tensor::from_vec([2], vec![F16::from(0.5), F16::from(-3.0)]).unwrap();
    let name = halves.inputs().unwrap()[0].name.clone();
    let output = halves.run(&[(&name, &x)]).unwrap();
    assert_eq!(output[0].data::<F16>().unwrap(), [F16::from(1.0), F16::from(-6.0)]);
    let brain = session(model("brain.onnx"));
    let x = Tensor::from_vec([2], vec![Bf16::from(0.5), Bf16::from(-3.0)]).unwrap();
    let name = brain.inputs().unwrap()[0].name.clone();
    let output = brain.run(&[(&name, &x)]).unwrap();
    assert_eq!(output[0].data::<Bf16>().unwrap().len(), 2);
}

#[test]
fn texts_go_in_and_come_out() {
    let words = ["", "plain", "ümläut", "日本語", "a\0zero"];
    let mut value = Value::from_strings([5], &words).unwrap();
    assert_eq!(value.strings().unwrap(), words);
    assert_eq!(value.string(3).unwrap(), "日本語");
    value.set_string(0, "first").unwrap();
    value.set_string_bytes(1, &[0xff, 0xfe]).unwrap();
    assert_eq!(value.string(0).unwrap(), "first");
    assert_eq!(value.string_bytes(1).unwrap(), [0xff, 0xfe]);
    assert!(value.strings().unwrap_err().message().contains("element 1"));
    assert!(value.string(5).is_err());
    assert!(value.set_string(5, "").is_err());
    assert!(Value::from_strings([2], &words).is_err());
    assert!(Value::from_strings([0], &[] as &[&str]).unwrap().strings().unwrap().is_empty());
    let plain = Value::from_strings([2], &["x", "y"]).unwrap();
    let session = session(model("texts.onnx"));
    let name = session.inputs().unwrap()[0].name.clone();
    assert_eq!(session.run(&[(&name, &plain)]).unwrap()[0].strings().unwrap(), ["x", "y"]);
}

#[test]
fn values_tell_what_they_are() {
    let tensor = Tensor::from_vec([2, 1], vec![1i32, 2]).unwrap();
    assert_eq!(tensor.kind().unwrap(), ValueKind::Tensor);
    assert!(tensor.is_tensor().unwrap() && !tensor.is_sparse_tensor().unwrap());
    assert!(tensor.has_content().unwrap());
    let expected = TensorType::new(ElementType::Int32, [2, 1]);
    assert_eq!(tensor.tensor_type().unwrap(), expected);
    assert_eq!(tensor.type_info().unwrap(), Some(TypeInfo::Tensor(expected)));
    assert_eq!(tensor.memory_info().unwrap().name().unwrap(), "Cpu");
    assert!(format!("{tensor:?}").contains("[1, 2]"));
    assert!(format!("{:?}", *tensor).contains("Int32"));
}

#[test]
fn types_of_models_have_names_for_free_dimensions() {
    let session = session(crate::support::data("foldable.onnx"));
    let input = &session.inputs().unwrap()[0];
    let tensor = input.type_info.as_tensor().unwrap();
    let shape = vec![Dimension::Named("n".into()), Dimension::Fixed(2)];
    assert_eq!((tensor.element, &tensor.shape), (ElementType::Float, &Some(shape)));
    assert_eq!(tensor.sizes(), [-1, 2]);
    assert_eq!(tensor.element_count(), None);
}

#[test]
fn a_shared_tensor_becomes_a_vector_by_a_copy() {
    let mut options = crate::support::options();
    let value: Arc<Value> = Tensor::from_vec([2], vec![1.0f32, 2.0]).unwrap().into();
    options.add_initializer("w", value.clone()).unwrap();
    drop(options);
    let tensor = Tensor::<f32>::try_from(Arc::try_unwrap(value).unwrap()).unwrap();
    assert_eq!(tensor.into_vec(), [1.0, 2.0]);
}
