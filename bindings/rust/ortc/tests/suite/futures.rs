// SPDX-License-Identifier: MIT
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use ortc::{ErrorCode, RunFuture, RunOptions, Value};

use crate::support::{background, data, for_ever, ones};

/// Sleeps until it is woken.
#[derive(Default)]
struct Sleeper {
    woken: Mutex<bool>,
    change: Condvar,
}

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        *self.woken.lock().unwrap() = true;
        self.change.notify_all();
    }
}

/// The smallest runtime there is.
pub fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    let sleeper = Arc::new(Sleeper::default());
    let waker = Waker::from(sleeper.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = Pin::new(&mut future).poll(&mut context) {
            return output;
        }
        let mut woken = sleeper.woken.lock().unwrap();
        while !*woken {
            let (guard, time) =
                sleeper.change.wait_timeout(woken, Duration::from_secs(20)).unwrap();
            assert!(!time.timed_out(), "nobody woke the future");
            woken = guard;
        }
        *woken = false;
    }
}

fn begin(session: &ortc::Session, inputs: Vec<(&str, Arc<Value>)>) -> RunFuture {
    session.run_async(RunOptions::new().unwrap(), inputs).unwrap()
}

#[test]
fn a_run_in_the_background_gives_what_a_run_gives() {
    let session = background("trivial.onnx");
    let outputs = block_on(begin(&session, vec![("x", ones(4).into())])).unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [2.0; 4]);
    let outputs = begin(&session, vec![("x", ones(4).into())]).wait().unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [2.0; 4]);
}

#[test]
fn what_is_wrong_with_inputs_is_the_result() {
    let session = background("trivial.onnx");
    let error = block_on(begin(&session, vec![("nobody", ones(4).into())])).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("nobody"), "{error}");
    assert!(error.details().contains(&("function", "OrtRunAsync".to_string())));
}

#[test]
fn a_session_without_threads_says_what_it_needs() {
    let mut options = crate::support::options();
    options.set_intra_op_threads(1).unwrap();
    let session =
        ortc::Session::new(&crate::support::env(), data("matmul.onnx"), &options).unwrap();
    let error = session.run_async(RunOptions::new().unwrap(), [("x", ones(4))]).unwrap_err();
    assert!(error.is_invalid_argument(), "{error}");
}

#[test]
fn a_cancelled_future_says_so() {
    let session = background("slow.onnx");
    let future = begin(&session, vec![("steps", for_ever().into())]);
    assert!(format!("{future:?}").contains("false"));
    std::thread::sleep(Duration::from_millis(10));
    future.cancel();
    let error = block_on(future).unwrap_err();
    assert!(error.is_cancelled(), "{error:?}");
}

#[test]
fn a_future_that_is_dropped_stops_its_run() {
    let session = background("slow.onnx");
    let steps: Arc<Value> = for_ever().into();
    let future = begin(&session, vec![("steps", steps.clone())]);
    std::thread::sleep(Duration::from_millis(5));
    drop(future);
    // The run gives its inputs back when it has ended.
    for _ in 0..1000 {
        if Arc::strong_count(&steps) == 1 {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the run goes on");
}

#[test]
fn the_session_may_be_dropped_before_its_runs() {
    let session = background("trivial.onnx");
    let futures: Vec<_> = (0..20).map(|_| begin(&session, vec![("x", ones(4).into())])).collect();
    drop(session);
    for future in futures {
        assert_eq!(block_on(future).unwrap()["y"].data::<f32>().unwrap(), [2.0; 4]);
    }
}

#[test]
fn a_session_with_threads_of_the_program_may_end_on_one_of_them() {
    for _ in 0..20 {
        let mut options = crate::support::options();
        options.set_intra_op_threads(2).unwrap();
        options.set_spawner(|work| std::thread::Builder::new().spawn(move || work.run()));
        let path = crate::support::model("trivial.onnx");
        let session = ortc::Session::new(&crate::support::env(), path, &options).unwrap();
        let future = begin(&session, vec![("x", ones(4).into())]);
        drop((session, options));
        assert_eq!(block_on(future).unwrap()["y"].data::<f32>().unwrap(), [2.0; 4]);
    }
}

#[test]
fn a_future_that_is_polled_too_often_does_not_sleep_for_ever() {
    let session = background("trivial.onnx");
    let mut future = begin(&session, vec![("x", ones(4).into())]);
    block_on(&mut future).unwrap();
    let error = block_on(&mut future).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Fail);
}

#[test]
fn the_last_waker_is_woken() {
    let session = background("slow.onnx");
    let mut future = begin(&session, vec![("steps", for_ever().into())]);
    let (first, last) = (Arc::new(Sleeper::default()), Arc::new(Sleeper::default()));
    for sleeper in [&first, &last] {
        let waker = Waker::from(sleeper.clone());
        assert!(Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_pending());
    }
    future.cancel();
    let woken = last.woken.lock().unwrap();
    let wait = last.change.wait_timeout_while(woken, Duration::from_secs(20), |woken| !*woken);
    assert!(!wait.unwrap().1.timed_out());
    assert!(!*first.woken.lock().unwrap());
}

#[test]
fn a_waker_that_panics_harms_nobody() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            std::panic::resume_unwind(Box::new("the waker's own"));
        }
    }
    let session = background("slow.onnx");
    let mut future = begin(&session, vec![("steps", for_ever().into())]);
    let waker = Waker::from(Arc::new(Panics));
    assert!(Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_pending());
    future.cancel();
    assert!(future.wait().unwrap_err().is_cancelled());
}

/// Many threads begin, poll, move, cancel and drop futures at random; every one that is awaited
/// must wake.
#[test]
fn futures_survive_whatever_is_done_to_them() {
    let trivial = background("trivial.onnx");
    let slow = background("slow.onnx");
    let (awaited, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let (trivial, slow, awaited, dropped) = (&trivial, &slow, &awaited, &dropped);
            scope.spawn(move || {
                let mut state = thread * 7 + 1;
                let mut random = move || {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state
                };
                for _ in 0..60 {
                    let is_slow = random() % 4 == 0;
                    let mut future = match is_slow {
                        true => begin(slow, vec![("steps", for_ever().into())]),
                        false => begin(trivial, vec![("x", ones(4).into())]),
                    };
                    for _ in 0..random() % 3 {
                        let waker = Waker::from(Arc::new(Sleeper::default()));
                        let mut context = Context::from_waker(&waker);
                        if Pin::new(&mut future).poll(&mut context).is_ready() {
                            break;
                        }
                    }
                    match random() % 3 {
                        0 => {
                            drop(future);
                            dropped.fetch_add(1, Ordering::Relaxed);
                        }
                        1 if is_slow => {
                            std::thread::scope(|inner| {
                                let future = &future;
                                inner.spawn(move || future.cancel());
                            });
                            assert!(block_on(future).is_err());
                            awaited.fetch_add(1, Ordering::Relaxed);
                        }
                        _ => {
                            if is_slow {
                                future.cancel();
                            }
                            let _ = std::thread::spawn(move || block_on(future)).join().unwrap();
                            awaited.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    assert_eq!(awaited.into_inner() + dropped.into_inner(), 480);
}
