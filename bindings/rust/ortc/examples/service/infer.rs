// SPDX-License-Identifier: MIT
//! Requests of the Open Inference Protocol as inputs of a session, and its outputs as answers.

use std::collections::HashSet;

use ortc::{ElementType, NamedType, Outputs, RunOptions, Session, Tensor, Value, ValueKind, F16};

use crate::json::Json;

/// A status and a text for the client.
pub struct Refusal(pub u16, pub String);

impl From<ortc::Error> for Refusal {
    fn from(error: ortc::Error) -> Self {
        Refusal(if error.is_invalid_argument() { 400 } else { 500 }, error.to_string())
    }
}

fn wrong<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(400, text.into()))
}

/// The protocol's names of element types; `None` for one that it does not have.
fn datatype(element: ElementType) -> Option<&'static str> {
    Some(match element {
        ElementType::Bool => "BOOL",
        ElementType::Int8 => "INT8",
        ElementType::Int16 => "INT16",
        ElementType::Int32 => "INT32",
        ElementType::Int64 => "INT64",
        ElementType::Uint8 => "UINT8",
        ElementType::Uint16 => "UINT16",
        ElementType::Uint32 => "UINT32",
        ElementType::Uint64 => "UINT64",
        ElementType::Float16 => "FP16",
        ElementType::Float => "FP32",
        ElementType::Double => "FP64",
        ElementType::String => "BYTES",
        _ => return None,
    })
}

/// Inputs or outputs of a model; a free dimension is -1.
pub fn describe(values: &[NamedType]) -> Json {
    let describe = |value: &NamedType| {
        let (element, sizes) = match value.type_info.as_tensor() {
            Some(tensor) => (datatype(tensor.element), tensor.sizes()),
            None => (None, Vec::new()),
        };
        Json::object(vec![
            ("name", Json::text(&value.name)),
            ("datatype", Json::text(element.unwrap_or("UNKNOWN"))),
            ("shape", Json::List(sizes.into_iter().map(Json::Integer).collect())),
        ])
    };
    Json::List(values.iter().map(describe).collect())
}

/// Runs the model with what a request has. The answer has everything but the name of the model.
pub fn infer(session: &Session, request: &Json, options: &RunOptions) -> Result<Json, Refusal> {
    let inputs = match request.get("inputs").and_then(Json::as_list) {
        Some(inputs) => inputs,
        None => return wrong("the request has no list 'inputs'"),
    };
    let inputs = inputs.iter().map(input).collect::<Result<Vec<_>, _>>()?;
    refuse_doubled(inputs.iter().map(|(name, _)| *name))?;
    let given: Vec<(&str, &Value)> = inputs.iter().map(|(name, value)| (*name, value)).collect();
    let names = match request.get("outputs") {
        None | Some(Json::Null) => Vec::new(),
        Some(outputs) => output_names(outputs)?,
    };
    let outputs = match names.is_empty() {
        true => session.run_with(options, &given)?,
        false => session.run_for(Some(options), &given, &names)?,
    };
    answer(&outputs)
}

fn refuse_doubled<'j>(names: impl Iterator<Item = &'j str>) -> Result<(), Refusal> {
    let mut known = HashSet::new();
    for name in names {
        if !known.insert(name) {
            return wrong(format!("the input '{name}' is there twice"));
        }
    }
    Ok(())
}

fn output_names(outputs: &Json) -> Result<Vec<&str>, Refusal> {
    let items = match outputs.as_list() {
        Some(items) => items,
        None => return wrong("'outputs' is not a list"),
    };
    let names = items.iter().map(|item| match item.get("name").and_then(Json::as_text) {
        Some(name) => Ok(name),
        None => wrong("an output has no 'name'"),
    });
    names.collect()
}

fn input(input: &Json) -> Result<(&str, Value), Refusal> {
    let name = match input.get("name").and_then(Json::as_text) {
        Some(name) => name,
        None => return wrong("an input has no 'name'"),
    };
    let shape = match input.get("shape").and_then(Json::as_list) {
        Some(shape) => shape,
        None => return wrong(format!("the input '{name}' has no list 'shape'")),
    };
    let sizes = shape.iter().map(|size| match size {
        Json::Integer(size) if *size >= 0 => Ok(*size),
        _ => wrong(format!("the shape of '{name}' has something that is not a size")),
    });
    let shape = sizes.collect::<Result<Vec<i64>, _>>()?;
    let mut elements = Vec::new();
    match input.get("data") {
        Some(Json::List(items)) => flatten(items, &mut elements),
        _ => return wrong(format!("the input '{name}' has no list 'data'")),
    }
    let kind = input.get("datatype").and_then(Json::as_text).unwrap_or_default();
    let value = value(kind, &shape, &elements);
    value
        .map(|value| (name, value))
        .map_err(|Refusal(code, text)| Refusal(code, format!("the input '{name}': {text}")))
}

/// Nested lists are their elements in row-major order.
fn flatten<'j>(items: &'j [Json], elements: &mut Vec<&'j Json>) {
    for item in items {
        match item {
            Json::List(items) => flatten(items, elements),
            element => elements.push(element),
        }
    }
}

fn value(kind: &str, shape: &[i64], elements: &[&Json]) -> Result<Value, Refusal> {
    macro_rules! tensor {
        ($read:expr) => {{
            let elements = elements.iter().map(|element| match $read(element) {
                Some(element) => Ok(element),
                None => wrong(format!("{element:?} is not of {kind}")),
            });
            Tensor::from_vec(shape, elements.collect::<Result<Vec<_>, _>>()?)?.into_value()
        }};
    }
    Ok(match kind {
        "BOOL" => tensor!(boolean),
        "INT8" => tensor!(integer::<i8>),
        "INT16" => tensor!(integer::<i16>),
        "INT32" => tensor!(integer::<i32>),
        "INT64" => tensor!(integer::<i64>),
        "UINT8" => tensor!(integer::<u8>),
        "UINT16" => tensor!(integer::<u16>),
        "UINT32" => tensor!(integer::<u32>),
        "UINT64" => tensor!(integer::<u64>),
        "FP16" => tensor!(|element| single(element)
            .map(F16::from)
            .filter(|value| f32::from(*value).is_finite())),
        "FP32" => tensor!(single),
        "FP64" => tensor!(number),
        "BYTES" => {
            let texts = elements.iter().map(|element| match element.as_text() {
                Some(text) => Ok(text),
                None => wrong(format!("{element:?} is not of BYTES")),
            });
            Value::from_strings(shape, &texts.collect::<Result<Vec<_>, _>>()?)?
        }
        other => return wrong(format!("there is no datatype '{other}'")),
    })
}

fn boolean(element: &Json) -> Option<bool> {
    match element {
        Json::Bool(value) => Some(*value),
        _ => None,
    }
}

fn integer<T: TryFrom<i64> + TryFrom<u64>>(element: &Json) -> Option<T> {
    match element {
        Json::Integer(value) => T::try_from(*value).ok(),
        Json::Unsigned(value) => T::try_from(*value).ok(),
        _ => None,
    }
}

fn number(element: &Json) -> Option<f64> {
    match element {
        Json::Integer(value) => Some(*value as f64),
        Json::Unsigned(value) => Some(*value as f64),
        Json::Number(value) => Some(*value).filter(|value| value.is_finite()),
        _ => None,
    }
}

fn single(element: &Json) -> Option<f32> {
    number(element).map(|value| value as f32).filter(|value| value.is_finite())
}

fn answer(outputs: &Outputs) -> Result<Json, Refusal> {
    let outputs = outputs.iter().map(|(name, value)| {
        let element = match value.kind()? {
            ValueKind::Tensor => value.element_type()?,
            _ => ElementType::Undefined,
        };
        let word = match datatype(element) {
            Some(word) => word,
            None => return wrong(format!("the protocol has no type for the output '{name}'")),
        };
        let shape = value.shape()?.iter().map(|size| Json::Integer(*size)).collect();
        Ok(Json::object(vec![
            ("name", Json::text(name)),
            ("datatype", Json::text(word)),
            ("shape", Json::List(shape)),
            ("data", Json::List(data(value, element)?)),
        ]))
    });
    let outputs = outputs.collect::<Result<Vec<_>, Refusal>>()?;
    Ok(Json::object(vec![("outputs", Json::List(outputs))]))
}

fn data(value: &Value, element: ElementType) -> Result<Vec<Json>, Refusal> {
    macro_rules! list {
        ($type:ty, $json:expr) => {
            value.data::<$type>()?.iter().map(|element| $json(*element)).collect()
        };
    }
    Ok(match element {
        ElementType::Bool => list!(bool, Json::Bool),
        ElementType::Int8 => list!(i8, |element| Json::Integer(i64::from(element))),
        ElementType::Int16 => list!(i16, |element| Json::Integer(i64::from(element))),
        ElementType::Int32 => list!(i32, |element| Json::Integer(i64::from(element))),
        ElementType::Int64 => list!(i64, Json::Integer),
        ElementType::Uint8 => list!(u8, |element| Json::Integer(i64::from(element))),
        ElementType::Uint16 => list!(u16, |element| Json::Integer(i64::from(element))),
        ElementType::Uint32 => list!(u32, |element| Json::Integer(i64::from(element))),
        ElementType::Uint64 => list!(u64, Json::Unsigned),
        ElementType::Float16 => list!(F16, |element| float(f32::from(element))),
        ElementType::Float => list!(f32, float),
        ElementType::Double => list!(f64, Json::Number),
        ElementType::String => value.strings()?.into_iter().map(Json::Text).collect(),
        other => {
            let text = format!("the protocol has no form for outputs of {other:?}");
            return Err(Refusal(500, text));
        }
    })
}

/// The shortest text of a float that is read as the same float.
fn float(value: f32) -> Json {
    Json::Number(value.to_string().parse().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_are_there_twice_are_refused_and_very_many_are_not() {
        let Refusal(code, text) = refuse_doubled(["x", "y", "x"].into_iter()).err().unwrap();
        assert_eq!((code, text.as_str()), (400, "the input 'x' is there twice"));
        let names: Vec<String> = (0..200_000).map(|number| format!("x{number}")).collect();
        assert!(refuse_doubled(names.iter().map(String::as_str)).is_ok());
    }
}
