// SPDX-License-Identifier: MIT
//! Devices that a closure chooses, hardware that a provider does not serve.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ortc::{
    keys, BoxError, DeviceOffer, DevicePolicy, Env, EpDevice, Error, ErrorCode,
    IncompatibilityReasons, ModelCompiler, Session, SessionOptions,
};

use crate::support::{data, env, model, ones, options, session, Folder};

const AOT: &str = "AotExecutionProvider";
const CPU: &str = "CPUExecutionProvider";

type Choice = Result<Vec<EpDevice>, BoxError>;

/// Options whose devices a closure chooses.
fn choosing(choose: impl Fn(&DeviceOffer<'_>) -> Choice + Send + Sync + 'static) -> SessionOptions {
    let mut options = options();
    options.set(keys::SESSION_OPTIONS_RECORD_EP_GRAPH_ASSIGNMENT_INFO, "1").unwrap();
    options.set_device_chooser(choose);
    options
}

fn named(devices: &[EpDevice], name: &str) -> Vec<EpDevice> {
    devices.iter().filter(|device| device.ep_name() == name).cloned().collect()
}

fn load(env: &Env, options: &SessionOptions) -> ortc::Result<Session> {
    Session::new(env, data("matmul.onnx"), options)
}

/// The provider that runs the model.
fn provider(env: &Env, options: &SessionOptions) -> String {
    let session = load(env, options).unwrap();
    assert_eq!(session.run(&[("x", &ones(4))]).unwrap().len(), 1);
    let parts = session.assignment().unwrap();
    parts[0].ep_name().unwrap()
}

#[test]
fn a_closure_chooses_devices() {
    let env = env();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    let mut options = choosing(move |offer| {
        let about = (offer.model.get("producer_name"), offer.runtime.len(), offer.most);
        hears.lock().unwrap().push((offer.devices.clone(), about, std::thread::current().id()));
        Ok(named(&offer.devices, AOT))
    });
    assert_eq!(provider(&env, &options), AOT);
    let clone = options.try_clone().unwrap();
    options.set_device_chooser(|offer| Ok(named(&offer.devices, CPU)));
    assert_eq!(provider(&env, &options), CPU);
    drop(options);
    assert_eq!(provider(&env, &clone), AOT);
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 2);
    let (devices, about, thread) = &heard[0];
    assert!(about.0.is_some(), "the model says nothing of itself");
    assert_eq!((about.1, about.2, *thread), (0, 8, std::thread::current().id()));
    assert_eq!(devices.last().unwrap().ep_name(), CPU);
    assert_eq!(devices.len(), env.ep_devices().unwrap().len());
}

#[test]
fn a_policy_takes_the_place_of_a_closure() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let mut options = choosing(move |offer| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(named(&offer.devices, AOT))
    });
    options.set_provider_policy(DevicePolicy::Default).unwrap();
    assert_eq!(provider(&env(), &options), CPU);
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

#[test]
fn a_compile_asks_too() {
    let folder = Folder::new();
    let options = choosing(|offer| Ok(named(&offer.devices, AOT)));
    let mut compiler = ModelCompiler::new(&env(), &options).unwrap().input(model("digits.onnx"));
    compiler.compile_to_file(folder.join("digits_ctx.onnx")).unwrap();
    assert!(folder.names().contains(&"digits_ctx.onnx".to_string()));
}

#[test]
fn a_device_keeps_its_environment_and_serves_again() {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keeps = kept.clone();
    let options = choosing(move |offer| {
        *keeps.lock().unwrap() = named(&offer.devices, AOT);
        Ok(named(&offer.devices, AOT))
    });
    drop(load(&env(), &options).unwrap());
    let kept = kept.lock().unwrap();
    assert_eq!(kept[0].device().metadata().get("is_virtual").as_deref(), Some("0"));
    let mut again = crate::support::options();
    again.add_provider_for_devices(&kept, &[]).unwrap();
    assert!(load(kept[0].device().env(), &again).is_ok());
}

#[test]
fn errors_of_a_choice_come_back() {
    let env = env();
    let refuse = choosing(|_| Err("no device is good enough".into()));
    let error = load(&env, &refuse).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Fail);
    assert!(error.message().contains("EP selection delegate failed: no device is good enough"));
    let source = std::error::Error::source(&error).expect("the closure's error");
    assert_eq!(source.to_string(), "no device is good enough");
    let coded = choosing(|_| Err(Error::new(ErrorCode::NotImplemented, "not for such").into()));
    let error = load(&env, &coded).unwrap_err();
    assert_eq!((error.code(), error.message()), (ErrorCode::NotImplemented, "not for such"));
}

#[test]
fn panics_of_a_choice_go_on() {
    let options = choosing(|_| resume_unwind(Box::new("over devices")));
    let payload = catch_unwind(AssertUnwindSafe(|| load(&env(), &options))).unwrap_err();
    assert_eq!(*payload.downcast::<&str>().unwrap(), "over devices");
}

#[test]
fn a_wrong_choice_refuses_the_session() {
    let (env, other) = (env(), crate::support::env());
    let says = |options: SessionOptions, text: &str| {
        let error = load(&env, &options).unwrap_err();
        assert!(error.message().contains(text), "{error}");
    };
    says(choosing(|_| Ok(Vec::new())), "did not select anything");
    says(
        choosing(|offer| Ok(vec![offer.devices[0].clone(); 2])),
        "twice, the second time at place 1",
    );
    says(choosing(|offer| Ok(vec![offer.devices[0].clone(); 9])), "at most 8 may be");
    let foreign = other.ep_devices().unwrap();
    says(choosing(move |_| Ok(foreign[..1].to_vec())), "that it was not given, at place 0");
}

#[test]
fn a_provider_says_why_it_does_not_serve_hardware() {
    let env = env();
    let path = std::env::var_os("ORTC_PROVIDER_LIBRARY").expect("a library of providers");
    // SAFETY: the project's own sample library.
    unsafe { env.register_provider_library("npu.virtual", path) }.unwrap();
    let processor = &env.hardware_devices().unwrap()[0];
    assert_eq!(env.incompatibility(CPU, processor).unwrap(), None);
    let npu = env.ep_devices().unwrap().pop().unwrap();
    assert_eq!(env.incompatibility(&npu.ep_name(), &npu.device()).unwrap(), None);
    let found = env.incompatibility("CPU", &npu.device()).unwrap().expect("it is not served");
    assert_eq!(found.reasons, IncompatibilityReasons::DEVICE);
    assert_eq!(found.reasons.bits(), 2);
    assert!(!found.reasons.contains(IncompatibilityReasons::DRIVER));
    assert_eq!(found.notes, "CPUExecutionProvider serves no such hardware");
    assert_eq!(found.error_code, 0);
}

#[test]
fn nonsense_about_hardware_is_refused() {
    let env = env();
    let device = &env.hardware_devices().unwrap()[0];
    for (name, text) in [("Nobody", "Nobody"), ("", "empty"), ("CPU\0", "zero")] {
        let error = env.incompatibility(name, device).unwrap_err();
        assert!(error.is_invalid_argument(), "{error}");
        assert!(error.message().contains(text), "{error}");
    }
    let other = crate::support::env().incompatibility(CPU, device).unwrap_err();
    assert!(other.is_invalid_argument(), "{other}");
}

#[test]
fn a_graph_that_nobody_captured_is_released() {
    let session = session(data("matmul.onnx"));
    session.release_captured_graph(0).unwrap();
    session.release_captured_graph(7).unwrap();
    assert_eq!(session.run(&[("x", &ones(4))]).unwrap().len(), 1);
}
