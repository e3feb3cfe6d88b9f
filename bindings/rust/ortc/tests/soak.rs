// SPDX-License-Identifier: MIT
//! Long runs, in a process of their own: one test at a time, since memory is measured.
//! `ORTC_SOAK=full` makes them long.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ortc::{
    CallbackResult, CancelToken, ElementType, Env, Kernel, KernelContext, KernelInfo, Operator,
    OperatorDomain, OperatorInput, OperatorOutput, RunOptions, Session, SessionOptions, Tensor,
};

fn is_full() -> bool {
    std::env::var_os("ORTC_SOAK").map_or(false, |kind| kind == "full")
}

fn model(name: &str) -> std::path::PathBuf {
    let folder = std::env::var_os("ORTC_MODELS").expect("ORTC_MODELS names the folder of models");
    std::path::PathBuf::from(folder).join(name)
}

/// Memory of this process or of the system, in kB, by a line of a file in /proc.
fn kilobytes(file: &str, line: &str) -> u64 {
    let text = std::fs::read_to_string(file).expect("a system with /proc");
    let found = text.lines().find_map(|own| own.strip_prefix(line)).expect(line);
    found.trim().trim_end_matches(" kB").parse().unwrap()
}

fn resident() -> u64 {
    kilobytes("/proc/self/status", "VmRSS:")
}

fn create_run_drop() {
    let env = Env::new("soak").unwrap();
    let mut options = SessionOptions::new().unwrap();
    options.add_provider("AOT", &[]).unwrap();
    options.on_progress(|_| ());
    let session = Session::new(&env, model("digits_ctx.onnx"), &options).unwrap();
    let x = Tensor::from_vec([1, 1, 8, 8], vec![0.5f32; 64]).unwrap();
    let outputs = session.run(&[("images", &x)]).unwrap();
    assert_eq!(outputs.len(), 2);
    let error = session.run(&[("nobody", &x)]).unwrap_err();
    assert!(error.is_invalid_argument());
}

#[test]
fn sessions_come_and_go_and_memory_stays() {
    let rounds = if is_full() { 10_000 } else { 500 };
    (0..rounds / 10).for_each(|_| create_run_drop());
    let before = resident();
    (0..rounds).for_each(|_| create_run_drop());
    let after = resident();
    println!("{rounds} sessions: {before} kB, then {after} kB");
    assert!(after < before + 4096, "{before} kB grew to {after} kB in {rounds} rounds");
}

/// Its kernels have a megabyte each: one that is lost is seen.
struct Same(Vec<u8>);

impl Operator for Same {
    fn name(&self) -> &str {
        "Attributes"
    }

    fn inputs(&self) -> Vec<OperatorInput> {
        vec![OperatorInput::required(ElementType::Float)]
    }

    fn outputs(&self) -> Vec<OperatorOutput> {
        vec![OperatorOutput::required(ElementType::Float)]
    }

    fn create_kernel(&self, info: &KernelInfo) -> CallbackResult<Box<dyn Kernel>> {
        let tensor: ortc::Value = info.attribute("tensor")?;
        let state = (self.0.clone(), tensor, info.try_clone()?);
        Ok(Box::new(move |call: &KernelContext| -> CallbackResult {
            let _ = &state;
            let x = call.input(0)?;
            call.output(0, x.shape()?)?.bytes_mut()?.copy_from_slice(x.bytes()?);
            match x.data::<f32>()?[0] {
                number if number < 0.0 => Err("negative".into()),
                _ => Ok(()),
            }
        }))
    }
}

#[test]
fn sessions_with_operators_come_and_go_and_memory_stays() {
    let env = Env::new("soak").unwrap();
    let round = || {
        let operator = Same(vec![7; 1 << 20]);
        let domain = OperatorDomain::new("mine").unwrap().with(operator).unwrap();
        let mut options = SessionOptions::new().unwrap();
        options.add_operators(&domain).unwrap();
        let session = Session::new(&env, model("attributes.onnx"), &options).unwrap();
        let x = Tensor::from_vec([2], vec![1.0f32; 2]).unwrap();
        assert_eq!(session.run(&[("x", &x)]).unwrap().len(), 1);
        let x = Tensor::from_vec([2], vec![-1.0f32; 2]).unwrap();
        assert!(session.run(&[("x", &x)]).is_err());
    };
    (0..100).for_each(|_| round());
    let before = resident();
    (0..1000).for_each(|_| round());
    let after = resident();
    println!("1000 sessions with operators: {before} kB, then {after} kB");
    assert!(after < before + 4096, "{before} kB grew to {after} kB");
}

#[test]
fn a_thousand_runs_at_once_are_cancelled_at_random() {
    let runs = if is_full() { 1000 } else { 100 };
    let env = Env::new("soak").unwrap();
    let options = SessionOptions::new().unwrap();
    let session = Session::new(&env, model("slow.onnx"), &options).unwrap();
    let cancelled = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for number in 0..runs {
            let (session, cancelled) = (&session, &cancelled);
            scope.spawn(move || {
                let token = CancelToken::new();
                let mut options = RunOptions::new().unwrap();
                options.cancel_with(&token);
                let is_stopped = number * 2_654_435_761usize % 7 < 5;
                let steps = if is_stopped { 100_000_000_000 } else { 100i64 };
                let steps = Tensor::scalar(steps).unwrap();
                let pause = Duration::from_millis((number * 7919 % 200) as u64);
                let result = std::thread::scope(|inner| {
                    if is_stopped {
                        inner.spawn(|| {
                            std::thread::sleep(pause);
                            token.cancel();
                        });
                    }
                    session.run_with(&options, &[("steps", &steps)])
                });
                match result {
                    Ok(_) => assert!(!is_stopped, "it would have gone on for ever"),
                    Err(error) => {
                        assert!(error.is_cancelled() && is_stopped, "{error:?}");
                        cancelled.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    println!("{} of {runs} runs were cancelled", cancelled.load(Ordering::Relaxed));
    assert!(cancelled.into_inner() > runs / 2);
}

/// Started by the test below, which looks at the exit code.
#[test]
#[ignore = "ends its process"]
fn a_process_that_exits_in_the_middle_of_runs() {
    let env = Env::new("soak").unwrap();
    let mut options = SessionOptions::new().unwrap();
    options.set_intra_op_threads(3).unwrap();
    let session = Session::new(&env, model("slow.onnx"), &options).unwrap();
    let steps = || Tensor::scalar(100_000_000_000i64).unwrap();
    for _ in 0..4 {
        let (session, steps) = (session.clone(), steps());
        std::thread::spawn(move || session.run(&[("steps", &steps)]).map(drop));
    }
    let future = session.run_async(RunOptions::new().unwrap(), [("steps", steps())]).unwrap();
    std::thread::sleep(Duration::from_millis(u64::from(std::process::id() % 20)));
    std::mem::forget(future);
    std::process::exit(0);
}

#[test]
fn processes_exit_in_the_middle_of_runs() {
    let count = if is_full() { 100 } else { 5 };
    let program = std::env::current_exe().unwrap();
    for number in 0..count {
        let output = Command::new(&program)
            .args(["--ignored", "--exact", "a_process_that_exits_in_the_middle_of_runs"])
            .output()
            .unwrap();
        assert!(output.status.success(), "process {number}: {output:?}");
    }
}

#[test]
fn a_tensor_may_have_three_gigabytes() {
    if !is_full() {
        return println!("left out: the tensor of 3 GB is for the long run");
    }
    let available = kilobytes("/proc/meminfo", "MemAvailable:");
    if available < 8 << 20 {
        return println!("left out: 3 GB, with {available} kB of memory available");
    }
    let count = 3 << 30;
    let mut bytes = vec![0u8; count];
    bytes[count - 1] = 7;
    let tensor = Tensor::from_vec([3, 1 << 30], bytes).unwrap();
    assert_eq!(tensor.byte_len().unwrap(), count);
    assert_eq!(tensor.data()[count - 1], 7);
    assert_eq!(tensor.into_vec()[count - 1], 7);
    let mut own = Tensor::<f32>::zeros([3 << 28]).unwrap();
    *own.at_mut([(3 << 28) - 1]).unwrap() = 1.5;
    assert_eq!(own.data().last(), Some(&1.5));
}
