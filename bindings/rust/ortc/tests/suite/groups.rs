// SPDX-License-Identifier: MIT
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ortc::{CancelToken, ErrorCode, ModelCompiler, Session, SharingGroup};

use crate::support::{aot, data, env, model, ones, Folder};

fn member(name: &str) -> ModelCompiler<'static> {
    ModelCompiler::new(&env(), &aot()).unwrap().input(model(name))
}

#[test]
fn members_share_one_binary() {
    let folder = Folder::new();
    let group = SharingGroup::new(&env()).unwrap();
    std::thread::scope(|scope| {
        for name in ["first", "second"] {
            let (group, folder) = (&group, &folder);
            scope.spawn(move || {
                let path = folder.join(&format!("{name}_ctx.onnx"));
                group.add_to_file(member(&format!("{name}.onnx")), path).unwrap();
            });
        }
    });
    assert!(folder.names().is_empty(), "nothing before the commit");
    group.commit().unwrap();
    assert_eq!(folder.names().len(), 3, "{:?}", folder.names());
    assert!(group.report().unwrap().contains("\"files\""));
    group.abort().unwrap();
    assert_eq!(group.commit().unwrap_err().code(), ErrorCode::Fail, "published already");
    for name in ["first", "second"] {
        let path = folder.join(&format!("{name}_ctx.onnx"));
        let compiled = Session::new(&env(), path, &aot()).unwrap();
        let plain = crate::support::session(model(&format!("{name}.onnx")));
        let x = ones(256);
        let (one, two) = (compiled.run(&[("x", &x)]).unwrap(), plain.run(&[("x", &x)]).unwrap());
        let (one, two) = (one["y"].data::<f32>().unwrap(), two["y"].data::<f32>().unwrap());
        assert!(one.iter().zip(two).all(|(one, two)| (one - two).abs() < 1e-2), "{one:?} {two:?}");
    }
}

/// A writer whose bytes others see.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_member_may_go_to_a_writer_at_the_commit() {
    let folder = Folder::new();
    let group = SharingGroup::new(&env()).unwrap();
    let written = Shared::default();
    group.add_to_file(member("first.onnx"), folder.join("first_ctx.onnx")).unwrap();
    let second = member("second.onnx").binary_information(folder.join(""), "second");
    group.add_to_writer(second, written.clone()).unwrap();
    assert!(written.0.lock().unwrap().is_empty());
    group.commit().unwrap();
    assert!(!written.0.lock().unwrap().is_empty());
    assert_eq!(folder.names().len(), 2);
}

#[test]
fn the_error_of_a_member_s_writer_comes_with_the_commit() {
    struct Broken;
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::new(std::io::ErrorKind::BrokenPipe, "nobody reads"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let folder = Folder::new();
    let group = SharingGroup::new(&env()).unwrap();
    let member = member("first.onnx").binary_information(folder.join(""), "first");
    group.add_to_writer(member, Broken).unwrap();
    let error = group.commit().unwrap_err();
    let source = std::error::Error::source(&error).expect("the writer's error");
    let source = source.downcast_ref::<std::io::Error>().expect("the error itself");
    assert_eq!(source.kind(), std::io::ErrorKind::BrokenPipe);
    drop(group);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn a_group_that_is_given_up_leaves_nothing() {
    let folder = Folder::new();
    let group = SharingGroup::new(&env()).unwrap();
    group.add_to_file(member("first.onnx"), folder.join("first_ctx.onnx")).unwrap();
    group.abort().unwrap();
    assert!(group.add_to_file(member("second.onnx"), folder.join("s_ctx.onnx")).is_err());
    assert!(group.commit().is_err());
    drop(group);
    let dropped = SharingGroup::new(&env()).unwrap();
    dropped.add_to_file(member("first.onnx"), folder.join("first_ctx.onnx")).unwrap();
    drop(dropped);
    assert!(folder.names().is_empty());
}

#[test]
fn members_are_watched_and_stopped() {
    let folder = Folder::new();
    let path = |name: &str| folder.join(&format!("{name}_ctx.onnx"));
    let group = SharingGroup::new(&env()).unwrap();
    let stages = Arc::new(Mutex::new(Vec::new()));
    let heard = stages.clone();
    let first = member("first.onnx").on_progress(move |step| {
        heard.lock().unwrap().push(step.stage.to_string());
    });
    group.add_to_file(first, path("first")).unwrap();
    assert!(stages.lock().unwrap().iter().any(|stage| stage == "compile"), "{stages:?}");
    let token = CancelToken::new();
    let second = member("second.onnx").cancel_with(&token).deadline(Duration::from_secs(600));
    group.add_to_file(second, path("second")).unwrap();
    assert!(folder.names().is_empty(), "nothing before the commit");
    group.commit().unwrap();
    assert_eq!(folder.names().len(), 3, "{:?}", folder.names());
    assert_eq!(Arc::strong_count(&stages), 2, "the group keeps what it may call");
    drop(group);
    assert_eq!(Arc::strong_count(&stages), 1, "and nothing keeps the group");

    token.cancel();
    let stopped: [ModelCompiler<'static>; 3] = [
        member("first.onnx").cancel_with(&token),
        member("first.onnx").on_progress(|_| std::ops::ControlFlow::Break(())),
        member("first.onnx")
            .deadline(Duration::from_millis(1))
            .on_progress(|_| std::thread::sleep(Duration::from_millis(5))),
    ];
    let folder = Folder::new();
    for compiler in stopped {
        let group = SharingGroup::new(&env()).unwrap();
        let error = group.add_to_file(compiler, folder.join("first_ctx.onnx")).unwrap_err();
        assert!(error.is_cancelled(), "{error}");
        assert!(group.commit().is_err(), "a member that fails fails the group");
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn sessions_become_members_by_their_options() {
    let folder = Folder::new();
    let group = SharingGroup::new(&env()).unwrap();
    let mut options = aot();
    options.set_logger(|_| {});
    options.set("ep.context_enable", "1").unwrap();
    options.set_sharing_group(Some(&group)).unwrap();
    for name in ["first", "second"] {
        let path = folder.join(&format!("{name}_ctx.onnx"));
        options.set("ep.context_file_path", path.to_str().unwrap()).unwrap();
        drop(Session::new(&env(), model(&format!("{name}.onnx")), &options).unwrap());
    }
    assert!(folder.names().is_empty());
    group.commit().unwrap();
    assert_eq!(folder.names().len(), 3, "{:?}", folder.names());
    options.set_sharing_group(None).unwrap();
}

#[test]
fn options_keep_what_their_group_needs() {
    let folder = Folder::new();
    let mut options = aot();
    {
        let lines = Arc::new(Mutex::new(0));
        let env = ortc::Env::builder()
            .log_level(ortc::LoggingLevel::Verbose)
            .logger(move |_| *lines.lock().unwrap() += 1)
            .build()
            .unwrap();
        let group = SharingGroup::new(&env).unwrap();
        let first = member("first.onnx").binary_information(folder.join(""), "first");
        group.add_to_writer(first, Shared::default()).unwrap();
        options.set_sharing_group(Some(&group)).unwrap();
    }
    // The group is still there, with a member and a logger that only the options keep.
    options.set("ep.context_enable", "1").unwrap();
    options.set("ep.stop_share_ep_contexts", "1").unwrap();
    let path = folder.join("second_ctx.onnx");
    options.set("ep.context_file_path", path.to_str().unwrap()).unwrap();
    let made = Session::new(&env(), model("second.onnx"), &options);
    drop(options);
    drop(made);
}

#[test]
fn a_member_by_options_cannot_borrow_a_writer() {
    let group = SharingGroup::new(&env()).unwrap();
    let mut options = aot();
    options.set_sharing_group(Some(&group)).unwrap();
    let mut bytes = Vec::new();
    let error = ModelCompiler::new(&env(), &options)
        .unwrap()
        .input(data("matmul.onnx"))
        .compile_to_writer(&mut bytes)
        .unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("add_to_writer"), "{error}");
    let mut options = aot();
    options.set("ep.share_ep_contexts", "1").unwrap();
    let error = ModelCompiler::new(&env(), &options)
        .unwrap()
        .input(data("matmul.onnx"))
        .context_data_writer(|_, _| Ok(()))
        .compile_to_vec()
        .unwrap_err();
    assert!(error.is_invalid_argument(), "{error}");
}

#[test]
fn the_binary_of_a_group_cannot_go_to_a_closure() {
    let folder = Folder::new();
    let group = SharingGroup::new(&env()).unwrap();
    let first = member("first.onnx").context_data_writer(|_, _| Ok(()));
    let error = group.add_to_file(first, folder.join("first_ctx.onnx")).unwrap_err();
    assert!(error.is_not_implemented(), "{error}");
}
