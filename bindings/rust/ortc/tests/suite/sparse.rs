// SPDX-License-Identifier: MIT
use ortc::{
    ElementType, Places, SparseFormat, SparseIndices, SparseTensor, Tensor, TypeInfo, Value,
};

fn check(tensor: &SparseTensor, format: SparseFormat, places: &Places) {
    assert!(tensor.is_sparse_tensor().unwrap() && !tensor.is_tensor().unwrap());
    assert_eq!(tensor.format().unwrap(), format);
    assert_eq!(&tensor.places().unwrap(), places);
    assert_eq!(tensor.shape().unwrap(), [3, 4]);
    assert_eq!(tensor.values::<f32>().unwrap(), [1.5, 2.5]);
    assert_eq!(tensor.values_type().unwrap().sizes(), [2]);
    assert!(tensor.values::<f64>().unwrap_err().is_invalid_argument());
}

#[test]
fn places_are_positions_or_rows_and_columns() {
    for places in [Places::Coo(vec![1, 11]), Places::Coo(vec![0, 1, 2, 3])] {
        let tensor = SparseTensor::new([3, 4], [2], &[1.5f32, 2.5], &places).unwrap();
        check(&tensor, SparseFormat::Coo, &places);
        let tensor =
            SparseTensor::from_vec([3, 4], [2], vec![1.5f32, 2.5], places.clone()).unwrap();
        check(&tensor, SparseFormat::Coo, &places);
    }
}

#[test]
fn places_are_columns_by_rows() {
    let places = Places::Csr { inner: vec![1, 3], outer: vec![0, 1, 1, 2] };
    let tensor = SparseTensor::new([3, 4], [2], &[1.5f32, 2.5], &places).unwrap();
    check(&tensor, SparseFormat::Csrc, &places);
    assert_eq!(tensor.indices_type(SparseIndices::CsrOuter).unwrap().sizes(), [4]);
    let tensor = SparseTensor::from_vec([3, 4], [2], vec![1.5f32, 2.5], places.clone()).unwrap();
    check(&tensor, SparseFormat::Csrc, &places);
}

#[test]
fn places_are_blocks() {
    let places = Places::Blocks { shape: vec![2, 1], indices: vec![0, 1] };
    let values = [1i64, 2, 3, 4, 5, 6, 7, 8];
    let tensor = SparseTensor::new([4, 4], [1, 2, 2, 2], &values, &places).unwrap();
    assert_eq!(tensor.format().unwrap(), SparseFormat::BlockSparse);
    assert_eq!(tensor.places().unwrap(), places);
    let tensor =
        SparseTensor::from_vec([4, 4], [1, 2, 2, 2], values.to_vec(), places.clone()).unwrap();
    assert_eq!((tensor.places().unwrap(), tensor.values::<i64>().unwrap()), (places, &values[..]));
}

#[test]
fn vectors_are_used_where_they_are() {
    let values = vec![1.5f32, 2.5];
    let address = values.as_ptr();
    let tensor = SparseTensor::from_vec([3, 4], [2], values, Places::Coo(vec![1, 2])).unwrap();
    assert_eq!(tensor.values::<f32>().unwrap().as_ptr(), address);
}

#[test]
fn texts_may_be_sparse() {
    let places = Places::Coo(vec![0, 3]);
    let tensor = SparseTensor::from_strings([2, 2], &["a", "dé"], &places).unwrap();
    assert_eq!(tensor.strings().unwrap(), ["a", "dé"]);
    assert_eq!(tensor.values_type().unwrap().element, ElementType::String);
    assert!(tensor.values::<u8>().is_err());
    let info = tensor.type_info().unwrap().expect("a type");
    assert!(matches!(info, TypeInfo::SparseTensor(_)), "{info:?}");
}

#[test]
fn what_does_not_fit_is_an_error() {
    let places = Places::Coo(vec![1, 2]);
    assert!(SparseTensor::new([3, 4], [3], &[1.0f32], &places).is_err());
    assert!(SparseTensor::new([3, 4], [1], &[1.0f32], &places).is_ok(), "a row and a column");
    assert!(SparseTensor::new([3, 4], [1], &[1.0f32], &Places::Coo(vec![99])).is_err());
    let blocks = Places::Blocks { shape: vec![3], indices: vec![1] };
    assert!(SparseTensor::new([4], [1], &[1.0f32], &blocks).is_err());
    assert!(SparseTensor::from_vec([4], [1], vec![1.0f32], blocks).is_err());
    let dense = Tensor::scalar(1.0f32).unwrap().into_value();
    assert!(SparseTensor::try_from(dense).is_err());
    let sparse = SparseTensor::new([3, 4], [2], &[1.5f32, 2.5], &places).unwrap();
    assert!(SparseTensor::try_from(Value::from(sparse)).is_ok());
}
