// SPDX-License-Identifier: MIT
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ortc::{
    copy_tensors, DeviceMemoryType, ElementType, Env, ErrorCode, HardwareDeviceType, KeyValuePairs,
    LanguageProjection, Logger, LoggingLevel, Session, SyncStream, Tensor, ThreadingOptions, Value,
};

use crate::support::{aot, data, env, ones, options};

#[test]
fn the_library_tells_what_it_is() {
    assert_eq!(ortc::version().split('.').next(), Some(env!("CARGO_PKG_VERSION_MAJOR")));
    assert!(ortc::build_info().contains(&ortc::version()));
    let providers = ortc::available_providers().unwrap();
    assert_eq!(providers.last().unwrap(), "CPUExecutionProvider");
    assert!(providers.iter().any(|name| name == "AotExecutionProvider"));
    assert!(!ortc::api_base().is_null());
}

#[test]
fn an_environment_may_be_given_up_before_its_sessions() {
    let session = Session::new(&env(), data("matmul.onnx"), &options()).unwrap();
    assert_eq!(session.run(&[("x", &ones(4))]).unwrap().len(), 1);
    assert!(format!("{:?}", session.env()).contains("Env"));
}

#[test]
fn settings_of_an_environment_are_taken() {
    let env = env();
    env.set_log_level(LoggingLevel::Error).unwrap();
    env.set_language_projection(LanguageProjection::C).unwrap();
    env.set_telemetry(true).unwrap();
    env.set_telemetry(false).unwrap();
    assert!(env.set_log_level(LoggingLevel::Other(77)).unwrap_err().is_invalid_argument());
}

/// What a logger of an environment hears while a session is made.
fn heard(build: impl FnOnce(ortc::EnvBuilder) -> ortc::EnvBuilder) -> Vec<String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let builder = Env::builder().log_id("ears").log_level(LoggingLevel::Verbose);
    let builder = builder.logger(move |record| {
        assert!(!record.category.is_empty() && !record.location.is_empty());
        sink.lock().unwrap().push(format!("{}: {}", record.log_id, record.message));
    });
    let env = build(builder).build().unwrap();
    drop(Session::new(&env, data("matmul.onnx"), &aot()).unwrap());
    drop(env);
    let lines = lines.lock().unwrap().clone();
    lines
}

#[test]
fn a_logger_hears_its_environment() {
    let lines = heard(|builder| builder);
    assert!(lines.iter().any(|line| line.starts_with("ears: ")), "{lines:?}");
    let threads = ThreadingOptions::new().intra_op_threads(2);
    assert!(!heard(|builder| builder.threads(threads)).is_empty());
    assert!(!heard(|builder| builder.config("allow_virtual_devices", "1")).is_empty());
}

#[test]
fn a_panic_of_a_logger_goes_on_when_the_call_returns() {
    let env = Env::builder()
        .log_level(LoggingLevel::Verbose)
        .logger(|_| std::panic::panic_any("the logger's own"))
        .build();
    let payload = match catch_unwind(AssertUnwindSafe(|| {
        env.map(|env| Session::new(&env, data("matmul.onnx"), &aot()))
    })) {
        Err(payload) => payload,
        Ok(_) => panic!("nothing was logged"),
    };
    assert_eq!(*payload.downcast::<&str>().unwrap(), "the logger's own");
}

#[test]
fn threads_of_an_environment_serve_its_sessions() {
    let made = Arc::new(AtomicUsize::new(0));
    let count = made.clone();
    let threads = ThreadingOptions::new()
        .intra_op_threads(3)
        .inter_op_threads(1)
        .spinning(false)
        .denormal_as_zero()
        .affinity("1;2")
        .spawner(move |work| {
            count.fetch_add(1, Ordering::Relaxed);
            std::thread::Builder::new().name("ours".into()).spawn(move || work.run())
        });
    let env = Env::builder().threads(threads).build().unwrap();
    assert_eq!(made.load(Ordering::Relaxed), 2, "the caller counts");
    let mut options = options();
    options.use_env_threads().unwrap();
    let session = Session::new(&env, data("matmul.onnx"), &options).unwrap();
    drop(env);
    assert_eq!(session.run(&[("x", &ones(4))]).unwrap().len(), 1);
    let two_groups_for_one = ThreadingOptions::new().intra_op_threads(2).affinity("1;1");
    let error = Env::builder().threads(two_groups_for_one).build().unwrap_err();
    assert!(error.is_invalid_argument(), "{error}");
}

#[derive(Default)]
struct Heard {
    enqueued: AtomicUsize,
    started: AtomicUsize,
    stopped: AtomicUsize,
    abandoned: AtomicUsize,
}

impl ortc::WorkListener for Heard {
    fn enqueued(&self) -> usize {
        self.enqueued.fetch_add(1, Ordering::Relaxed);
        7
    }
    fn started(&self, work: usize) {
        self.started.fetch_add(work, Ordering::Relaxed);
    }
    fn stopped(&self, work: usize) {
        self.stopped.fetch_add(work, Ordering::Relaxed);
    }
    fn abandoned(&self, work: usize) {
        self.abandoned.fetch_add(work, Ordering::Relaxed);
    }
}

#[test]
fn a_listener_hears_of_the_work_of_a_sessions_threads() {
    struct Deaf;
    impl ortc::WorkListener for Deaf {}

    let heard = Arc::new(Heard::default());
    let env = Env::new("test").unwrap();
    let mut options = options();
    options.set_intra_op_threads(3).unwrap();
    for listener in [Some(heard.clone() as Arc<dyn ortc::WorkListener>), Some(Arc::new(Deaf)), None]
    {
        env.set_work_listener(listener).unwrap();
        let session = Session::new(&env, data("layers.onnx"), &options).unwrap();
        let x = Tensor::from_vec([256, 64], vec![1.0f32; 256 * 64]).unwrap();
        assert_eq!(session.run(&[("x", &x)]).unwrap().len(), 1);
    }
    let count = |number: &AtomicUsize| number.load(Ordering::Relaxed);
    let enqueued = count(&heard.enqueued);
    assert!(enqueued > 0);
    assert_eq!(count(&heard.started), count(&heard.stopped));
    assert_eq!(count(&heard.started) + count(&heard.abandoned), 7 * enqueued);
}

#[test]
fn an_environment_whose_threads_are_refused_is_not_made() {
    let refuse = |_| Err(std::io::Error::new(std::io::ErrorKind::Other, "no more threads"));
    let threads = ThreadingOptions::new().intra_op_threads(2).spawner(refuse);
    let error = Env::builder().threads(threads).build().unwrap_err();
    let source = std::error::Error::source(&error).expect("the closure's error");
    assert_eq!(source.to_string(), "no more threads");
    let threads = ThreadingOptions::new().intra_op_threads(-2);
    assert!(Env::builder().threads(threads).build().unwrap_err().is_invalid_argument());
}

#[test]
fn unknown_config_entries_of_an_environment_are_refused() {
    let error = Env::builder().config("allow_virtual_device", "1").build().unwrap_err();
    assert!(error.is_invalid_argument(), "{error}");
    assert!(Env::builder().config("", "1").build().unwrap_err().is_invalid_argument());
}

#[test]
fn devices_tell_what_they_are() {
    let env = env();
    let devices = env.ep_devices().unwrap();
    let cpu = devices.iter().find(|device| device.ep_name() == "CPUExecutionProvider").unwrap();
    assert!(!cpu.ep_vendor().is_empty());
    assert!(cpu.ep_metadata().get("version").is_some());
    assert!(cpu.ep_options().len() < 100);
    assert!(cpu.memory_info(DeviceMemoryType::Default).is_none());
    let hardware = cpu.device();
    assert_eq!(hardware.device_type(), HardwareDeviceType::Cpu);
    assert_eq!(hardware.metadata().get("is_virtual").as_deref(), Some("0"));
    assert!(hardware.metadata().get("no such key").is_none());
    let _ = (hardware.vendor(), hardware.vendor_id(), hardware.device_id(), hardware.env());
    assert!(env.hardware_devices().unwrap().contains(&hardware));
    assert!(format!("{cpu:?}").contains("CPUExecutionProvider"));
    drop(env);
    assert_eq!(devices[0], devices[0].clone(), "devices keep their environment");
}

#[test]
fn lists_of_pairs_keep_their_order() {
    let mut pairs = KeyValuePairs::try_from(&[("b", "1"), ("a", "2")][..]).unwrap();
    pairs.set("b", "3").unwrap();
    pairs.set("ü", "日本").unwrap();
    let expected = [("b", "3"), ("a", "2"), ("ü", "日本")];
    let own: Vec<_> = pairs.iter().collect();
    let own: Vec<_> = own.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(own, expected);
    assert_eq!(pairs.get("ü").as_deref(), Some("日本"));
    pairs.remove("a");
    pairs.remove("nobody");
    assert_eq!((pairs.len(), pairs.get("a"), pairs.get("zero\0")), (2, None, None));
    assert!(!pairs.is_empty() && KeyValuePairs::default().is_empty());
    assert!(pairs.set("", "value").unwrap_err().is_invalid_argument());
    assert_eq!(format!("{pairs:?}"), r#"{"b": "3", "ü": "日本"}"#);
}

#[test]
fn a_logger_of_nobody_says_so() {
    // SAFETY: null is allowed.
    let logger = unsafe { Logger::from_raw(std::ptr::null()) };
    assert!(logger.log(LoggingLevel::Error, "text", file!(), 1).unwrap_err().is_invalid_argument());
    assert!(logger.level().unwrap_err().is_invalid_argument());
}

#[test]
fn a_library_of_providers_adds_devices_and_takes_them_away() {
    let env = env();
    let path = std::env::var_os("ORTC_PROVIDER_LIBRARY").expect("a library of providers");
    // SAFETY: the project's own sample library.
    let register =
        |name, path: &std::path::Path| unsafe { env.register_provider_library(name, path) };
    let missing = register("npu", "/nowhere/at/all.so".as_ref()).unwrap_err();
    assert_eq!(missing.code(), ErrorCode::NoSuchFile);
    assert_eq!(env.unregister_provider_library("npu").unwrap_err().code(), ErrorCode::Fail);

    let before = env.ep_devices().unwrap().len();
    register("npu.virtual", path.as_ref()).unwrap();
    let with = env.ep_devices().unwrap();
    assert_eq!(with.len(), before + 1);
    let npu = with.last().unwrap();
    assert_eq!(npu.device().metadata().get("is_virtual").as_deref(), Some("1"));
    env.unregister_provider_library("npu.virtual").unwrap();
    assert_eq!(env.ep_devices().unwrap().len(), before);
    assert!(!npu.ep_name().is_empty());
    let chosen = options().add_provider_for_devices(std::slice::from_ref(npu), &[]);
    assert!(chosen.unwrap_err().is_invalid_argument());
}

#[test]
fn what_lies_on_a_device_is_copied_and_not_read() {
    let env = env();
    let path = std::env::var_os("ORTC_DEVICE_LIBRARY").expect("a library with memory of its own");
    // SAFETY: the project's own sample library.
    unsafe { env.register_provider_library("device.virtual", &path) }.unwrap();
    let devices = env.ep_devices().unwrap();
    let memory = devices.last().unwrap().memory_info(DeviceMemoryType::Default).unwrap();
    let allocator = env.shared_allocator(&memory).unwrap().unwrap();
    let mut there = Value::allocate(&allocator, &[2], ElementType::Float).unwrap();
    let here = Tensor::from_slice([2], &[1f32, 2.0]).unwrap();
    let mut back = Tensor::<f32>::zeros([2]).unwrap();
    let none = SyncStream::cpu();
    copy_tensors(&env, &[&here], &mut [(&mut there).into()], &none).unwrap();
    copy_tensors(&env, &[&there], &mut [(&mut back).into()], &none).unwrap();
    assert_eq!(back.data(), [1.0, 2.0]);
    assert!(there.data::<f32>().unwrap_err().is_invalid_argument());
    assert!(there.bytes_mut().unwrap_err().message().contains("of a device"));
    assert!(Tensor::<f32>::zeros_in(&allocator, [2]).unwrap_err().is_invalid_argument());
    assert!(Tensor::<f32>::try_from(there).unwrap_err().is_invalid_argument());
}

#[test]
fn a_library_of_operators_is_loaded() {
    let mut options = options();
    let path = std::env::var_os("ORTC_OPERATOR_LIBRARY").expect("a library of operators");
    // SAFETY: the project's own test library, and names of nothing.
    unsafe {
        options.register_operator_library(path).unwrap();
        let missing = options.register_operator_library("/nowhere/at/all.so").unwrap_err();
        assert!(missing.message().contains("nowhere"), "{missing}");
        let missing = options.register_operator_function("no_such_function").unwrap_err();
        assert!(missing.message().contains("no_such_function"), "{missing}");
    }
    assert_eq!(options.enable_ort_custom_ops().unwrap_err().code(), ErrorCode::Fail);
}
