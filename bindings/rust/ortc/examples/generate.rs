// SPDX-License-Identifier: MIT
//! Tokens of a language model, the likeliest after each: generate MODEL.onnx COUNT TOKEN...

// docs: begin
use ortc::{Env, IoBinding, NamedType, Result, Session, SessionOptions, Tensor};

type Cache = (String, Tensor<f32>);

fn sizes(value: &NamedType) -> Vec<i64> {
    value.type_info.as_tensor().expect("a tensor").sizes()
}

/// One buffer for past and present of each layer: a run appends to it in place.
fn bind_cache<'v>(session: &Session, caches: &'v mut [Cache]) -> Result<IoBinding<'v>> {
    let mut binding = session.bind()?;
    for (past, cache) in caches {
        binding.bind_in_place(past, &past.replace("past_key_values", "present"), cache)?;
    }
    Ok(binding)
}

/// The token of the highest logit after the last token.
fn likeliest(binding: &IoBinding, vocabulary: i64) -> Result<i64> {
    let logits = binding.output("logits").expect("bound");
    let logits = logits.data::<f32>()?;
    let last = &logits[logits.len() - vocabulary as usize..];
    Ok((0..last.len()).fold(0, |best, i| if last[i] > last[best] { i } else { best }) as i64)
}

fn generate(session: &Session, prompt: &[i64], count: i64) -> Result<Vec<i64>> {
    let now = prompt.len() as i64;
    let mask = |length: i64| Tensor::from_vec([1, length], vec![1i64; length as usize]);
    let mut caches = Vec::new();
    for input in session.inputs()?.into_iter().filter(|i| i.name.starts_with("past_key_values")) {
        let shape = [1, sizes(&input)[1], now + count, sizes(&input)[3]];
        caches.push((input.name, Tensor::zeros(shape)?));
    }
    let vocabulary = sizes(&session.outputs()?[0])[2];

    let (ids, ones) = (Tensor::from_slice([1, now], prompt)?, mask(now)?);
    let mut logits = Tensor::<f32>::zeros([1, now, vocabulary])?;
    let mut binding = bind_cache(session, &mut caches)?;
    binding.bind_input("input_ids", &ids)?;
    binding.bind_input("attention_mask", &ones)?;
    binding.bind_output("logits", &mut logits)?;
    binding.run(None)?; // the prompt
    let mut tokens = vec![likeliest(&binding, vocabulary)?];
    drop(binding);

    let masks = (now + 1..now + count).map(mask).collect::<Result<Vec<_>>>()?;
    let mut id = Tensor::from_vec([1, 1], vec![0i64])?;
    let mut logits = Tensor::<f32>::zeros([1, 1, vocabulary])?;
    let mut binding = bind_cache(session, &mut caches)?;
    binding.bind_input_mut("input_ids", &mut id)?;
    binding.bind_output("logits", &mut logits)?;
    for mask in &masks {
        binding.input_data_mut::<i64>("input_ids")?[0] = tokens[tokens.len() - 1];
        binding.bind_input("attention_mask", mask)?;
        binding.run(None)?; // token by token
        tokens.push(likeliest(&binding, vocabulary)?);
    }
    Ok(tokens)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<i64> = arguments.iter().skip(1).filter_map(|text| text.parse().ok()).collect();
    if numbers.len() < 2 || numbers.len() + 1 != arguments.len() {
        panic!("usage: generate MODEL.onnx COUNT TOKEN...");
    }
    let env = Env::new("generate")?;
    let mut options = SessionOptions::new()?;
    options.add_provider("AOT", &[])?;
    let session = Session::new(&env, &arguments[0], &options)?;
    let tokens = generate(&session, &numbers[1..], numbers[0])?;
    println!("{}", tokens.iter().map(i64::to_string).collect::<Vec<_>>().join(" "));
    Ok(())
}
// docs: end
