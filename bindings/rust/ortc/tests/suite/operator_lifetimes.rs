// SPDX-License-Identifier: MIT
//! How long operators and kernels live, and threads that call them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use ortc::{
    Env, KernelContext, ModelCompiler, OperatorDomain, RunOptions, Session, SharingGroup, Tensor,
};

use crate::operator_testing::*;
use crate::support::{aot, env, options, Folder};

/// Counts how many of them there are.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Counted(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// An operator that counts itself and its kernels.
fn counted(operators: &Arc<AtomicUsize>, kernels: &Arc<AtomicUsize>) -> TestOp {
    let (own, kernels) = (Counted::new(operators), kernels.clone());
    TestOp::making("Same", move |_| {
        let _ = &own;
        let kernel = Counted::new(&kernels);
        Ok(Box::new(move |call: &KernelContext| {
            let _ = &kernel;
            give_same(call)
        }))
    })
}

fn ones() -> Tensor<f32> {
    Tensor::from_vec([3], vec![1.0f32; 3]).unwrap()
}

#[test]
fn operators_live_as_long_as_the_last_session() {
    let (operators, kernels) = (Arc::default(), Arc::default());
    let domain = OperatorDomain::new("mine").unwrap().with(counted(&operators, &kernels)).unwrap();
    let mut options = options();
    options.add_operators(&domain).unwrap();
    drop(domain);
    let copy = options.try_clone().unwrap();
    drop(options);
    let model = sandwich("Same");
    let one = load(&model, &copy).unwrap();
    let two = load(&model, &copy).unwrap();
    drop((copy, model));
    assert_eq!((operators.load(Ordering::SeqCst), kernels.load(Ordering::SeqCst)), (1, 2));
    drop(one);
    assert_eq!((operators.load(Ordering::SeqCst), kernels.load(Ordering::SeqCst)), (1, 1));
    assert!(two.run(&[("x", &ones())]).is_ok());
    drop(two);
    assert_eq!((operators.load(Ordering::SeqCst), kernels.load(Ordering::SeqCst)), (0, 0));
}

#[test]
fn options_know_operators_that_come_to_their_domain_later() {
    let (operators, kernels) = (Arc::default(), Arc::default());
    let domain = OperatorDomain::new("mine").unwrap();
    let mut options = options();
    options.add_operators(&domain).unwrap();
    drop(domain.with(counted(&operators, &kernels)).unwrap());
    let session = load(&sandwich("Same"), &options).unwrap();
    drop(options);
    assert!(session.run(&[("x", &ones())]).is_ok());
    assert_eq!(operators.load(Ordering::SeqCst), 1);
    drop(session);
    assert_eq!(operators.load(Ordering::SeqCst), 0);
}

#[test]
fn members_of_groups_keep_their_operators() {
    let (operators, kernels) = (Arc::default(), Arc::default());
    let (env, folder) = (env(), Folder::new());
    let group = SharingGroup::new(&env).unwrap();
    let mut options = aot();
    add(&mut options, counted(&operators, &kernels));
    let source = folder.join("sandwich.onnx");
    save_sandwich(&env, &source);
    let compiler = ModelCompiler::new(&env, &options).unwrap().input(source);
    group.add_to_file(compiler, folder.join("sandwich_ctx.onnx")).unwrap();
    drop(options);
    assert_eq!(operators.load(Ordering::SeqCst), 1);
    group.commit().unwrap();
    drop(group);
    assert_eq!(operators.load(Ordering::SeqCst), 0);
    let mut options = aot();
    add(&mut options, TestOp::same("Same"));
    let session = Session::new(&env, folder.join("sandwich_ctx.onnx"), &options).unwrap();
    assert!(session.run(&[("x", &ones())]).is_ok());
}

/// A file with the model, as the library writes it.
fn save_sandwich(env: &Env, path: &std::path::Path) {
    let mut options = knowing(TestOp::same("Same"));
    options.set_graph_optimization_level(ortc::GraphOptimizationLevel::DisableAll).unwrap();
    options.set_optimized_model_path(path).unwrap();
    drop(Session::from_model(env, &sandwich("Same"), &options).unwrap());
}

#[test]
fn any_number_of_threads_run_one_kernel() {
    let session = load(&sandwich("Same"), &knowing(TestOp::same("Same"))).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let session = &session;
            scope.spawn(move || {
                for round in 0..50 {
                    let number = (thread * 100 + round) as f32;
                    let x = Tensor::from_vec([3], vec![number; 3]).unwrap();
                    let outputs = session.run(&[("x", &x)]).unwrap();
                    assert_eq!(outputs["y"].data::<f32>().unwrap(), [-number; 3]);
                }
            });
        }
    });
}

#[test]
fn runs_in_the_background_call_kernels_and_keep_them() {
    let (operators, kernels) = (Arc::default(), Arc::default());
    let mut options = options();
    options.set_intra_op_threads(3).unwrap();
    add(&mut options, counted(&operators, &kernels));
    let session = load(&sandwich("Same"), &options).unwrap();
    drop(options);
    let runs: Vec<_> = (0..16)
        .map(|_| session.run_async(RunOptions::new().unwrap(), [("x", ones())]).unwrap())
        .collect();
    drop(session);
    for run in runs {
        let outputs = crate::futures::block_on(run).unwrap();
        assert_eq!(outputs["y"].data::<f32>().unwrap(), [-1.0; 3]);
    }
    // The last run may still be on its way out of the library's thread.
    for _ in 0..1000 {
        if operators.load(Ordering::SeqCst) == 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!((operators.load(Ordering::SeqCst), kernels.load(Ordering::SeqCst)), (0, 0));
}

#[test]
fn a_kernel_may_run_another_session() {
    let inner = load(&sandwich("Same"), &knowing(TestOp::same("Same"))).unwrap();
    let nested = TestOp::computing("Nested", move |call: &KernelContext| {
        let x = call.input(0)?;
        let outputs = inner.run(&[("x", &x)])?;
        let mut y = call.output(0, x.shape()?)?;
        y.bytes_mut()?.copy_from_slice(outputs["y"].bytes()?);
        Ok(())
    });
    let session = load(&sandwich("Nested"), &knowing(nested)).unwrap();
    let outputs = session.run(&[("x", &ones())]).unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [1.0; 3]);
}
