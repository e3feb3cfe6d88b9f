// SPDX-License-Identifier: MIT
//! Reads handwritten digits: classify MODEL.onnx IMAGES.npy LABELS.npy
//!
//! Images are float32 [N,1,8,8], labels int64 [N]: those of demo/digits.

use ortc::{Env, Session, SessionOptions, Tensor, TensorRef};

type Error = Box<dyn std::error::Error>;

/// The bytes behind the header of an .npy file of format 1.
fn npy(path: &str) -> Result<Vec<u8>, Error> {
    let bytes = std::fs::read(path)?;
    let size = bytes.get(8..10).ok_or("not an .npy file")?;
    let begin = 10 + usize::from(u16::from_le_bytes([size[0], size[1]]));
    Ok(bytes.get(begin..).ok_or("not an .npy file")?.to_vec())
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (model, images, labels) = match &arguments[..] {
        [model, images, labels] => (model, npy(images)?, npy(labels)?),
        _ => return Err("usage: classify MODEL.onnx IMAGES.npy LABELS.npy".into()),
    };
    let images: Vec<f32> =
        images.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let labels: Vec<usize> = labels.chunks_exact(8).map(|bytes| usize::from(bytes[0])).collect();

    let mut options = SessionOptions::new()?;
    options.add_provider("AOT", &[])?;
    let session = Session::new(&Env::new("classify")?, model, &options)?;

    // All images at once: nothing is copied.
    let shape = [labels.len() as i64, 1, 8, 8];
    let x = TensorRef::new(shape, &images)?;
    let logits: Tensor<f32> = session.run(&[("images", &x)])?.take_tensor("logits")?;
    let best = logits.data().chunks(10).map(|row| {
        let pairs = row.iter().enumerate();
        pairs.fold((0, f32::MIN), |best, (digit, score)| match *score > best.1 {
            true => (digit, *score),
            false => best,
        })
    });
    let right = best.zip(&labels).filter(|((digit, _), label)| digit == *label).count();
    println!("{right} of {} digits are right", labels.len());
    Ok(())
}
