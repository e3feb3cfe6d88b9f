// SPDX-License-Identifier: MIT
//! Runs in the background, awaited without a runtime: background MODEL.onnx

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use ortc::{Env, RunOptions, Session, SessionOptions, Tensor};

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The smallest runtime there is; a program has its own.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future: Pin<Box<F>> = Box::pin(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        std::thread::park();
    }
}

async fn sums(session: Session) -> ortc::Result<Vec<f32>> {
    let mut runs = Vec::new();
    for number in 0..4 {
        let x = Tensor::from_vec([1, 4], vec![number as f32; 4])?;
        runs.push(session.run_async(RunOptions::new()?, [("x", x)])?); // they go on side by side
    }
    let mut sums = Vec::new();
    for run in runs {
        sums.push(run.await?["y"].data::<f32>()?.iter().sum());
    }
    Ok(sums)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: background MODEL.onnx")?;
    let mut options = SessionOptions::new()?;
    options.set_intra_op_threads(2)?; // one of them is the session's own
    let session = Session::new(&Env::new("background")?, path, &options)?;
    println!("{:?}", block_on(sums(session))?);
    Ok(())
}
