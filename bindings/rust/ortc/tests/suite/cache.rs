// SPDX-License-Identifier: MIT
use ortc::ContextCache;

use crate::support::{aot, env, model, options, Folder};

#[test]
fn a_session_is_compiled_once_and_found_again() {
    let folder = Folder::new();
    let cache = ContextCache::new(folder.join("cäche"));
    assert!(cache.list().unwrap_err().is_not_found());
    let explained = cache.explain(&env(), model("digits.onnx"), &aot()).unwrap();
    assert!(explained.contains("missing"), "{explained}");
    for result in ["\"made\"", "\"hit\""] {
        let session = cache.session(&env(), model("digits.onnx"), &aot()).unwrap();
        let report = session.report().unwrap();
        assert!(report.contains(result), "{result} in {report}");
    }
    let explained = cache.explain(&env(), model("digits.onnx"), &aot()).unwrap();
    assert!(explained.contains("\"whole\""), "{explained}");
    assert!(cache.list().unwrap().contains("digits.onnx"));
    assert!(cache.verify().unwrap().contains("\"sound\""));
    assert!(cache.prune(0).unwrap().contains("\"removed\""));
    assert!(!cache.list().unwrap().contains("digits.onnx"));
    assert!(cache.folder().ends_with("cäche"));
}

#[test]
fn a_cache_never_hides_what_is_wrong_with_a_model() {
    let folder = Folder::new();
    let cache = ContextCache::new(folder.join("cache"));
    let error = cache.session(&env(), "missing.onnx", &aot()).unwrap_err();
    assert!(error.is_not_found());
    assert!(cache.session(&env(), model("digits.onnx"), &options()).is_ok());
}
