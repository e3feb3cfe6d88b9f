// SPDX-License-Identifier: MIT
//! Panics in closures: none crosses C, and each goes on when the operation returns.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use ortc::{Env, ModelCompiler, ModelEdit, Session, SessionOptions};

use crate::support::{aot, data, env, model, Folder};

/// The payload of the panic that an operation ends with.
fn payload<T>(operation: impl FnOnce() -> ortc::Result<T>) -> String {
    match catch_unwind(AssertUnwindSafe(operation)) {
        Err(payload) => *payload.downcast::<String>().expect("the closure's own payload"),
        Ok(result) => panic!("no panic, but {:?}", result.map(|_| ())),
    }
}

/// A panic that the hook does not print.
fn panics(name: &str) -> ! {
    resume_unwind(Box::new(format!("in {name}")))
}

fn compiler() -> ModelCompiler<'static> {
    ModelCompiler::new(&env(), &aot()).unwrap().input(model("digits.onnx"))
}

fn load(options: &SessionOptions) -> ortc::Result<Session> {
    Session::new(&env(), model("digits_ctx.onnx"), options)
}

#[test]
fn panics_of_compiles_go_on() {
    let folder = Folder::new();
    let mut progress = compiler().on_progress(|_| -> () { panics("progress") });
    assert_eq!(payload(|| progress.compile_to_vec()), "in progress");
    let mut data = compiler().context_data_writer(|_, _| panics("data"));
    assert_eq!(payload(|| data.compile_to_file(folder.join("digits_ctx.onnx"))), "in data");
    let mut location = ModelCompiler::new(&env(), &crate::support::options())
        .unwrap()
        .input(model("digits.onnx"))
        .initializer_location(|_, _, _| panics("location"));
    assert_eq!(payload(|| location.compile_to_vec()), "in location");

    struct Writer;
    impl std::io::Write for Writer {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            panics("writer")
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = compiler().embed(true);
    assert_eq!(payload(|| writer.compile_to_writer(Writer)), "in writer");
    assert!(folder.names().is_empty(), "nothing is left: {:?}", folder.names());
}

#[test]
fn panics_of_loads_go_on() {
    let mut options = aot();
    options.on_progress(|_| -> () { panics("progress") });
    assert_eq!(payload(|| load(&options)), "in progress");
    let mut options = aot();
    options.set_context_data_reader(|_| panics("reader"));
    assert_eq!(payload(|| load(&options)), "in reader");
    let mut options = aot();
    options.set_intra_op_threads(2).unwrap();
    options.set_spawner(|_| panics("spawner"));
    assert_eq!(payload(|| load(&options)), "in spawner");
    let mut options = aot();
    options.set_log_level(ortc::LoggingLevel::Verbose).unwrap();
    options.set_logger(|_| panics("logger"));
    assert_eq!(payload(|| Session::new(&env(), data("matmul.onnx"), &options)), "in logger");
}

#[test]
fn panics_of_edits_go_on() {
    let folder = Folder::new();
    let mut edit = ModelEdit::new().on_progress(|_| -> () { panics("edit") });
    let output = folder.join("packed.onnx");
    assert_eq!(payload(|| edit.pack(model("digits_ctx.onnx"), &output)), "in edit");
    assert!(folder.names().is_empty());
}

#[test]
fn panics_of_environments_go_on() {
    let threads = ortc::ThreadingOptions::new().intra_op_threads(2).spawner(|_| panics("threads"));
    assert_eq!(payload(|| Env::builder().threads(threads).build()), "in threads");
}

#[test]
fn closures_that_panic_once_serve_again() {
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let mut options = aot();
    options.on_progress(move |_| {
        if calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 {
            panics("first");
        }
    });
    assert_eq!(payload(|| load(&options)), "in first");
    assert!(load(&options).is_ok());
}

#[test]
fn own_threads_are_made_and_joined() {
    let ended = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = ended.clone();
    let mut options = aot();
    options.set_intra_op_threads(3).unwrap();
    options.set_spawner(move |work| {
        let count = count.clone();
        std::thread::Builder::new().spawn(move || {
            work.run();
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        })
    });
    drop(load(&options).unwrap());
    assert_eq!(ended.load(std::sync::atomic::Ordering::Relaxed), 2);
}

type Stash = std::sync::Arc<std::sync::Mutex<Vec<ortc::ThreadWork>>>;

/// A spawner that keeps the work, and gives the handle of another thread or none.
fn keeping(stash: &Stash, gives_handle: bool) -> SessionOptions {
    let stash = stash.clone();
    let mut options = aot();
    options.set_intra_op_threads(3).unwrap();
    options.set_spawner(move |work| {
        stash.lock().unwrap().push(work);
        match gives_handle {
            true => Ok(std::thread::spawn(|| {})),
            false => Err(std::io::Error::new(std::io::ErrorKind::Other, "no thread")),
        }
    });
    options
}

#[test]
fn work_that_comes_after_its_session_does_nothing() {
    for gives_handle in [true, false] {
        let stash = Stash::default();
        drop(load(&keeping(&stash, gives_handle)));
        let works: Vec<_> = stash.lock().unwrap().drain(..).collect();
        assert!(!works.is_empty());
        for work in works {
            work.run(); // does not wait for a stop that was
        }
    }
}

#[test]
fn work_of_a_thread_whose_handle_was_lost_ends_with_its_session() {
    let threads = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = threads.clone();
    let mut options = aot();
    options.set_intra_op_threads(3).unwrap();
    options.set_spawner(move |work| {
        kept.lock().unwrap().push(std::thread::spawn(move || work.run()));
        std::thread::sleep(std::time::Duration::from_millis(20)); // the work has mostly begun
        Err(std::io::Error::new(std::io::ErrorKind::Other, "lost the handle"))
    });
    let is_made = (0..50).any(|_| load(&options).is_ok());
    assert!(is_made, "threads that are at work are none");
    for thread in threads.lock().unwrap().drain(..) {
        thread.join().unwrap();
    }
}
