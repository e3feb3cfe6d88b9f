// SPDX-License-Identifier: MIT
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use ortc::{CancelToken, RunOptions, Session, Tensor};

use crate::support::{data, env, for_ever, model, ones, options, session};

#[test]
fn eight_threads_run_one_session() {
    let session = session(data("matmul.onnx"));
    std::thread::scope(|scope| {
        for thread in 0..8i64 {
            let session = &session;
            scope.spawn(move || {
                for round in 0..200 {
                    let factor = (thread * 200 + round) as f32;
                    let x = Tensor::from_vec([1, 4], vec![factor; 4]).unwrap();
                    let y = session.run(&[("x", &x)]).unwrap();
                    let expected = session.run(&[("x", &ones(4))]).unwrap();
                    let one = expected["y"].data::<f32>().unwrap();
                    let own = y["y"].data::<f32>().unwrap();
                    assert!(own.iter().zip(one).all(|(own, one)| *own == one * factor));
                }
            });
        }
    });
}

/// A number that looks random enough, from a seed that is in the message of a failure.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn eight_threads_run_and_are_cancelled_at_random() {
    let session = session(model("slow.onnx"));
    let (finished, stopped) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let (session, finished, stopped) = (&session, &finished, &stopped);
            scope.spawn(move || {
                let mut state = thread + 1;
                for _ in 0..12 {
                    let token = CancelToken::new();
                    let mut options = RunOptions::new().unwrap();
                    options.cancel_with(&token);
                    let goes_on = random(&mut state) % 2 == 0;
                    let steps = if goes_on { Tensor::scalar(10i64).unwrap() } else { for_ever() };
                    let pause = Duration::from_micros(random(&mut state) % 3000);
                    let result = std::thread::scope(|inner| {
                        inner.spawn(move || {
                            std::thread::sleep(pause);
                            token.cancel();
                        });
                        session.run_with(&options, &[("steps", &steps)])
                    });
                    match result {
                        Ok(_) => finished.fetch_add(1, Ordering::Relaxed),
                        Err(error) => {
                            assert!(error.is_cancelled(), "{error:?} with seed {}", thread + 1);
                            stopped.fetch_add(1, Ordering::Relaxed)
                        }
                    };
                }
            });
        }
    });
    assert_eq!(finished.into_inner() + stopped.load(Ordering::Relaxed), 96);
    assert!(stopped.into_inner() > 0);
}

#[test]
fn sessions_are_made_by_many_threads_at_once() {
    let (env, options) = (env(), Arc::new(options()));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (env, options) = (env.clone(), options.clone());
            scope.spawn(move || {
                for _ in 0..10 {
                    let session = Session::new(&env, data("matmul.onnx"), &options).unwrap();
                    assert_eq!(session.run(&[("x", &ones(4))]).unwrap().len(), 1);
                }
            });
        }
    });
}
