// SPDX-License-Identifier: MIT
use ortc::{
    keys, DevicePolicy, ExecutionMode, GraphOptimizationLevel, LoggingLevel, RunOptions, Session,
    SyncStream,
};

use crate::support::{aot, data, env, model, ones, options, Folder};

#[test]
fn config_entries_are_kept() {
    let mut options = options();
    let key = keys::SESSION_OPTION_EP_CONTEXT_EMBED_MODE;
    assert_eq!(options.get(key).unwrap(), None);
    options.set(key, "1").unwrap();
    assert_eq!(options.get(key).unwrap().as_deref(), Some("1"));
    let path = "/tmp/ümläut/模型.onnx";
    options.set(keys::SESSION_OPTION_EP_CONTEXT_FILE_PATH, path).unwrap();
    let entries = options.entries().unwrap();
    assert_eq!(entries.get(keys::SESSION_OPTION_EP_CONTEXT_FILE_PATH).as_deref(), Some(path));
    let clone = options.try_clone().unwrap();
    options.set(key, "0").unwrap();
    assert_eq!(clone.get(key).unwrap().as_deref(), Some("1"));
    assert!(format!("{clone:?}").contains(key));
}

#[test]
fn unknown_keys_and_wrong_values_are_refused() {
    let mut options = options();
    let error = options.set("ep.context_enabel", "1").unwrap_err();
    assert!(
        error.is_invalid_argument() && error.message().contains("ep.context_enable"),
        "{error}"
    );
    assert!(options.set(keys::SESSION_OPTION_EP_CONTEXT_EMBED_MODE, "2").is_err());
    assert!(options.add_provider("Nobody", &[]).unwrap_err().is_invalid_argument());
    assert!(options.add_provider("AOT", &[("no_option", "1")]).is_err());
    assert!(options.set_intra_op_threads(-1).unwrap_err().is_invalid_argument());
    assert!(options.set_graph_optimization_level(GraphOptimizationLevel::Other(55)).is_err());
}

#[test]
fn every_setting_makes_a_session_that_runs() {
    let folder = Folder::new();
    let mut options = options();
    options.set_graph_optimization_level(GraphOptimizationLevel::EnableBasic).unwrap();
    options.set_execution_mode(ExecutionMode::Parallel).unwrap();
    assert_eq!(options.execution_mode().unwrap(), ExecutionMode::Parallel);
    options.set_intra_op_threads(2).unwrap();
    options.set_inter_op_threads(2).unwrap();
    options.set_memory_pattern(true).unwrap();
    options.set_memory_pattern(false).unwrap();
    assert!(!options.memory_pattern().unwrap());
    options.set_memory_arena(true).unwrap();
    options.set_memory_arena(false).unwrap();
    options.set_deterministic(true).unwrap();
    options.fix_dimension_by_denotation("DATA_BATCH", 1).unwrap();
    options.set_log_id("ours").unwrap();
    options.set_log_level(LoggingLevel::Error).unwrap();
    options.set_log_verbosity(1).unwrap();
    options.set_optimized_model_path(folder.join("optimised.onnx")).unwrap();
    options.set_profiling(None).unwrap();
    let session = Session::new(&env(), data("matmul.onnx"), &options).unwrap();
    assert_eq!(session.run(&[("x", &ones(4))]).unwrap().len(), 1);
    assert_eq!(folder.names(), ["optimised.onnx"]);
}

#[test]
fn a_free_dimension_may_be_fixed() {
    let mut options = options();
    options.fix_dimension("rows", 3).unwrap();
    let session = Session::new(&env(), data("matmul.onnx"), &options).unwrap();
    let shape = session.inputs().unwrap()[0].type_info.as_tensor().unwrap().sizes();
    assert_eq!(shape, [3, 4]);
    assert!(session.run(&[("x", &ones(4))]).is_err());
}

#[test]
fn providers_are_added_by_devices() {
    let env = env();
    let devices = env.ep_devices().unwrap();
    let aot: Vec<_> =
        devices.into_iter().filter(|d| d.ep_name() == "AotExecutionProvider").collect();
    let mut options = options();
    options.add_provider_for_devices(&aot[..1], &[]).unwrap();
    let session = Session::new(&env, data("matmul.onnx"), &options).unwrap();
    assert!(session.report().unwrap().contains("AotExecutionProvider"));
    assert!(options.add_provider_for_devices(&[], &[]).unwrap_err().is_invalid_argument());
    let other = crate::support::env().ep_devices().unwrap().remove(0);
    let mixed = [aot[0].clone(), other];
    assert!(options.add_provider_for_devices(&mixed, &[]).unwrap_err().is_invalid_argument());
}

#[test]
fn the_library_may_choose_providers() {
    let mut options = options();
    options.set_provider_policy(DevicePolicy::PreferCpu).unwrap();
    assert!(Session::new(&env(), data("matmul.onnx"), &options).is_ok());
    assert!(options.set_provider_policy(DevicePolicy::Other(99)).is_err());
}

#[test]
fn run_options_are_kept() {
    let folder = Folder::new();
    let mut options = RunOptions::new().unwrap();
    assert_eq!(options.log_level().unwrap(), None);
    options.set_tag("läuft").unwrap();
    options.set_log_level(LoggingLevel::Info).unwrap();
    options.set_log_verbosity(2).unwrap();
    let key = keys::RUN_OPTIONS_CONFIG_DISABLE_SYNCHRONIZE_EXECUTION_PROVIDERS;
    options.set(key, "1").unwrap();
    options.set_sync_stream(&SyncStream::cpu()).unwrap();
    assert_eq!(options.tag().unwrap(), "läuft");
    assert_eq!(options.log_level().unwrap(), Some(LoggingLevel::Info));
    assert_eq!(options.log_verbosity().unwrap(), 2);
    assert_eq!(options.get(key).as_deref(), Some("1"));
    assert_eq!(options.get("no.key"), None);
    assert!(options.set("no.key", "1").unwrap_err().is_invalid_argument());
    let session = crate::support::session(model("trivial.onnx"));
    options.set_profiling(Some(&folder.join("run"))).unwrap();
    session.run_with(&options, &[("x", &ones(4))]).unwrap();
    assert_eq!(folder.names().len(), 1, "a profile");
    options.set_profiling(None).unwrap();
    session.run_with(&options, &[("x", &ones(4))]).unwrap();
    assert_eq!(folder.names().len(), 1);
    assert!(format!("{options:?}").contains("läuft"));
}

#[test]
fn an_own_logger_hears_a_session() {
    let lines = std::sync::Arc::new(std::sync::Mutex::new(0));
    let count = lines.clone();
    let mut options = aot();
    options.set_log_level(LoggingLevel::Verbose).unwrap();
    options.set_logger(move |_| *count.lock().unwrap() += 1);
    let session = Session::new(&env(), data("matmul.onnx"), &options).unwrap();
    drop(options);
    session.run(&[("x", &ones(4))]).unwrap();
    drop(session);
    assert!(*lines.lock().unwrap() > 0);
}
