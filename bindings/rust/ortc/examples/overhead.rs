// SPDX-License-Identifier: MIT
//! What one run costs: overhead MODEL.onnx ITERATIONS prints the median over batches of 1000 runs.

use std::time::Instant;

use ortc::{Env, Session, SessionOptions, Tensor};

const BATCH: u32 = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (model, iterations) = match &arguments[..] {
        [model, iterations] => (model, iterations.parse::<u32>()?),
        _ => return Err("usage: overhead MODEL.onnx ITERATIONS".into()),
    };
    let env = Env::new("overhead")?;
    let session = Session::new(&env, model, &SessionOptions::new()?)?;
    let x = Tensor::from_vec([1, 4], vec![1.0f32, 2.0, 3.0, 4.0])?;
    let mut means = Vec::new();
    for _ in 0..(iterations / BATCH).max(1) {
        let begin = Instant::now();
        for _ in 0..BATCH {
            drop(session.run(&[("x", &x)])?);
        }
        means.push(begin.elapsed().as_nanos() / u128::from(BATCH));
    }
    means.sort_unstable();
    println!("median_ns {}", means[means.len() / 2]);
    Ok(())
}
