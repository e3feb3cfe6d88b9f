// SPDX-License-Identifier: MIT
use ortc::{ElementType, ErrorCode, Map, Sequence, Tensor, TypeInfo, Value, ValueKind};

use crate::support::{data, session};

#[test]
fn sequences_go_in_and_come_out() {
    let session = session(data("containers.onnx"));
    let (one, two) = (Tensor::scalar(1.5f32).unwrap(), Tensor::scalar(2.5f32).unwrap());
    let many = Sequence::new(&[&one, &two]).unwrap();
    let maybe = Tensor::from_vec([2], vec![1.0f32, 2.0]).unwrap();
    let mut outputs = session.run(&[("many", &many), ("maybe", &maybe)]).unwrap();
    assert_eq!(outputs["first"].data::<f32>().unwrap(), [1.5]);
    assert_eq!(outputs["there"].data::<bool>().unwrap(), [true]);
    let rest = Sequence::try_from(outputs.take("rest").unwrap()).unwrap();
    assert_eq!(rest.len().unwrap(), 1);
    assert_eq!(rest.to_vec().unwrap()[0].data::<f32>().unwrap(), [2.5]);
    assert!(rest.get(1).is_err());
    assert!(rest.get(usize::MAX).unwrap_err().is_invalid_argument());
}

#[test]
fn values_may_hold_nothing() {
    let session = session(data("containers.onnx"));
    let inputs = session.inputs().unwrap();
    assert!(matches!(&inputs[0].type_info, TypeInfo::Sequence(element)
        if matches!(**element, TypeInfo::Tensor(_))));
    assert!(matches!(inputs[1].type_info, TypeInfo::Optional(_)));
    let nothing = Value::empty(&inputs[1].type_info).unwrap();
    assert!(!nothing.has_content().unwrap());
    assert_eq!(nothing.kind().unwrap(), ValueKind::Unknown);
    assert_eq!(nothing.type_info().unwrap(), None);
    let many = Sequence::new(&[&Tensor::scalar(1.0f32).unwrap()]).unwrap();
    let outputs = session.run(&[("many", &many), ("maybe", &nothing)]).unwrap();
    assert_eq!(outputs["there"].data::<bool>().unwrap(), [false]);
    let empty = Value::empty(&inputs[0].type_info).unwrap();
    assert!(Sequence::try_from(empty).unwrap().is_empty().unwrap());
    let tensor = TypeInfo::tensor(ElementType::Float, [1]);
    assert!(Value::empty(&tensor).unwrap_err().is_invalid_argument());
}

#[test]
fn maps_come_out_of_models() {
    let session = session(data("labels.onnx"));
    let output = &session.outputs().unwrap()[0];
    let map = TypeInfo::Map {
        key: ElementType::String,
        value: Box::new(TypeInfo::tensor(ElementType::Float, [])),
    };
    assert_eq!(output.type_info, TypeInfo::Sequence(Box::new(map)));
    let scores = Tensor::from_vec([1, 2], vec![0.25f32, 0.75]).unwrap();
    let mut outputs = session.run(&[("scores", &scores)]).unwrap();
    let maps = Sequence::try_from(outputs.take("maps").unwrap()).unwrap();
    let map = Map::try_from(maps.get(0).unwrap()).unwrap();
    assert_eq!(map.kind().unwrap(), ValueKind::Map);
    let labels = map.keys().unwrap().strings().unwrap();
    let numbers = map.values().unwrap();
    assert_eq!((labels.len(), numbers.data::<f32>().unwrap().len()), (2, 2));
}

#[test]
fn maps_are_made_of_keys_and_values() {
    let keys = Value::from_strings([2], &["b", "a"]).unwrap();
    let values = Tensor::from_vec([2], vec![1i64, 2]).unwrap();
    let map = Map::new(&keys, &values).unwrap();
    assert_eq!(map.keys().unwrap().strings().unwrap(), ["a", "b"]);
    assert_eq!(map.values().unwrap().data::<i64>().unwrap(), [2, 1]);
    let short = Tensor::from_vec([1], vec![1i64]).unwrap();
    assert!(Map::new(&keys, &short).is_err());
    assert_eq!(Sequence::new(&[]).unwrap_err().code(), ErrorCode::Fail);
    assert!(Sequence::try_from(map.into_value()).is_err());
    assert!(Map::try_from(keys).is_err());
}

#[test]
fn sequences_of_maps_are_made_too() {
    let keys = Tensor::from_vec([1], vec![4i64]).unwrap();
    let values = Tensor::from_vec([1], vec![0.5f32]).unwrap();
    let map = Map::new(&keys, &values).unwrap();
    let sequence = Sequence::new(&[&map, &map]).unwrap();
    assert_eq!(sequence.len().unwrap(), 2);
    assert!(matches!(sequence.type_info().unwrap(), Some(TypeInfo::Sequence(_))));
    let back = Map::try_from(sequence.get(1).unwrap()).unwrap();
    assert_eq!(back.keys().unwrap().data::<i64>().unwrap(), [4]);
    assert!(sequence.into_value().shape().is_err());
}

#[test]
fn opaque_values_are_not_implemented() {
    assert!(Value::opaque("domain", "type", &[1]).unwrap_err().is_not_implemented());
    let value = Tensor::scalar(1.0f32).unwrap();
    let error = value.read_opaque("domain", "type", &mut [0]).unwrap_err();
    assert!(error.is_not_implemented());
}
