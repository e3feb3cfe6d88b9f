// SPDX-License-Identifier: MIT
use std::error::Error as _;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use ortc::{
    compile_file, CompileFlags, ErrorCode, ExternalInitializer, GraphOptimizationLevel,
    ModelCompiler, Session, SessionOptions, SharingGroup, Tensor,
};

use crate::support::{aot, data, env, model, ones, options, Folder};

fn compiler<'a>(name: &str) -> ModelCompiler<'a> {
    ModelCompiler::new(&env(), &aot()).unwrap().input(model(name))
}

fn classify(session: &Session) -> Vec<f32> {
    let images = Tensor::from_vec([1, 1, 8, 8], vec![0.5f32; 64]).unwrap();
    session.run(&[("images", &images)]).unwrap()["logits"].data::<f32>().unwrap().to_vec()
}

fn expected() -> Vec<f32> {
    classify(&crate::support::session(model("digits.onnx")))
}

fn assert_close(one: &[f32], two: &[f32]) {
    let close = |(one, two): (&f32, &f32)| (one - two).abs() <= 1e-3 * (1.0 + one.abs());
    assert!(one.len() == two.len() && one.iter().zip(two).all(close), "{one:?} {two:?}");
}

#[test]
fn a_file_becomes_a_file_and_its_binary() {
    let folder = Folder::new();
    let mut steps = Vec::new();
    let path = folder.join("digits ü_ctx.onnx");
    let report = compiler("digits.onnx")
        .on_progress(|step| {
            assert!((0.0..=1.0).contains(&step.fraction));
            steps.push((step.stage.to_string(), step.fraction));
        })
        .compile_to_file(&path)
        .unwrap();
    assert!(report.contains("\"files\""), "{report}");
    assert_eq!(folder.names().len(), 2);
    assert!(steps.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    assert_eq!(steps.last().unwrap(), &("done".to_string(), 1.0));
    assert_close(&classify(&Session::new(&env(), &path, &aot()).unwrap()), &expected());
}

#[test]
fn the_shortest_way_compiles_too() {
    let folder = Folder::new();
    let path = folder.join("digits_ctx.onnx");
    compile_file(&env(), &aot(), model("digits.onnx"), &path).unwrap();
    assert_eq!(folder.names().len(), 2);
    let error = compile_file(&env(), &aot(), "missing.onnx", &path).unwrap_err();
    assert!(error.is_not_found() || error.is_invalid_argument(), "{error}");
}

#[test]
fn the_output_may_be_named_after_the_input() {
    let folder = Folder::new();
    std::fs::copy(model("digits.onnx"), folder.join("digits.onnx")).unwrap();
    ModelCompiler::new(&env(), &aot())
        .unwrap()
        .input(folder.join("digits.onnx"))
        .embed(true)
        .compile_beside_input()
        .unwrap();
    assert_eq!(folder.names(), ["digits.onnx", "digits_ctx.onnx"]);
}

#[test]
fn memory_becomes_memory() {
    let bytes = std::fs::read(model("digits.onnx")).unwrap();
    let (compiled, report) = ModelCompiler::new(&env(), &aot())
        .unwrap()
        .input_bytes(&bytes[..])
        .embed(true)
        .graph_optimization_level(GraphOptimizationLevel::EnableAll)
        .compile_to_vec()
        .unwrap();
    assert!(report.starts_with('{'));
    let session = Session::from_bytes(&env(), &compiled, &aot()).unwrap();
    assert_close(&classify(&session), &expected());
}

#[test]
fn a_model_in_memory_names_the_place_of_its_binary() {
    let folder = Folder::new();
    let (compiled, _) = compiler("digits.onnx")
        .binary_information(folder.join(""), "named")
        .compile_to_vec()
        .unwrap();
    assert_eq!(folder.names().len(), 1);
    assert!(folder.names()[0].starts_with("named"), "{:?}", folder.names());
    let mut options = aot();
    let path = folder.join("named_ctx.onnx");
    options.set("ep.context_file_path", path.to_str().unwrap()).unwrap();
    let session = Session::from_bytes(&env(), &compiled, &options).unwrap();
    assert_close(&classify(&session), &expected());
}

/// y = x + 1, with the ones in the model or in the files.
fn assert_adds_one(model: &[u8], options: &SessionOptions) {
    let session = Session::from_bytes(&env(), model, options).unwrap();
    let x = Tensor::from_vec([1, 4], vec![1f32, 2.0, 3.0, 4.0]).unwrap();
    let outputs = session.run(&[("x", &x)]).unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn initializers_go_to_memory_of_their_own() {
    let mut compiler = ModelCompiler::new(&env(), &options()).unwrap().input(model("trivial.onnx"));
    let (compiled, ones, report) = compiler.compile_to_vecs("./w.bin", 0).unwrap();
    assert!(report.starts_with('{'));
    assert_eq!(ones, [0, 0, 0x80, 0x3f].repeat(4));
    assert!(Session::from_bytes(&env(), &compiled, &options()).is_err());
    let mut with_files = options();
    with_files.add_external_files([("w.bin", ones)]).unwrap();
    assert_adds_one(&compiled, &with_files);
    // In the model, when none is that large; and so they are in the next compile.
    let (compiled, none, _) = compiler.compile_to_vecs("w.bin", 17).unwrap();
    assert!(none.is_empty());
    assert_adds_one(&compiled, &options());
    assert_adds_one(&compiler.compile_to_vec().unwrap().0, &options());
    for name in ["", "/w.bin", "../w.bin"] {
        assert!(compiler.compile_to_vecs(name, 0).unwrap_err().is_invalid_argument(), "{name}");
    }
}

#[test]
fn initializers_begin_where_the_program_says() {
    let compiler = |alignment, least| {
        ModelCompiler::new(&env(), &options())
            .unwrap()
            .input(model("first.onnx"))
            .external_initializers_alignment(alignment, least)
    };
    let size =
        |alignment, least| compiler(alignment, least).compile_to_vecs("w.bin", 0).unwrap().1.len();
    // A weight of 256 KiB and one of 4 KiB.
    assert_eq!(size(0, 0), 260 << 10);
    assert_eq!(size(1 << 20, 1 << 20), 260 << 10);
    assert!(size(1 << 20, 0) > 1 << 20);
    for wrong in [3, 1 << 31] {
        assert!(compiler(wrong, 0).compile_to_vec().unwrap_err().is_invalid_argument());
    }
}

#[test]
fn a_model_goes_to_a_writer() {
    let mut written = Vec::new();
    compiler("digits.onnx").embed(true).compile_to_writer(&mut written).unwrap();
    let session = Session::from_bytes(&env(), &written, &aot()).unwrap();
    assert_close(&classify(&session), &expected());
}

/// Takes so many bytes and no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(io::Error::new(io::ErrorKind::Other, "the disk is full"));
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_error_of_a_writer_comes_back() {
    let mut compiler = compiler("digits.onnx").embed(true);
    let error = compiler.compile_to_writer(Full(1000)).unwrap_err();
    assert_eq!(error.message(), "the disk is full");
    let source = error.source().unwrap().downcast_ref::<io::Error>().expect("the error itself");
    assert_eq!(source.kind(), io::ErrorKind::Other);
    assert!(error.details().iter().any(|(name, _)| *name == "report"), "{error:?}");
    // The compiler serves again.
    compiler.compile_to_writer(Full(1 << 20)).unwrap();
}

#[test]
fn a_writer_that_keeps_bytes_back_fails_when_they_cannot_be_written() {
    let size = 2 << 20; // more than the model has
    let broken = io::BufWriter::with_capacity(size, Full(1000));
    let error = compiler("digits.onnx").embed(true).compile_to_writer(broken).unwrap_err();
    assert_eq!(error.message(), "the disk is full");
    assert!(error.source().unwrap().downcast_ref::<io::Error>().is_some(), "the error itself");
    let broken = io::BufWriter::with_capacity(size, Full(0));
    let (folder, group) = (Folder::new(), SharingGroup::new(&env()).unwrap());
    let member = compiler("first.onnx").binary_information(folder.join(""), "first");
    group.add_to_writer(member, broken).unwrap();
    assert_eq!(group.commit().unwrap_err().message(), "the disk is full");
    drop(group);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn flags_say_what_is_a_failure() {
    let folder = Folder::new();
    let path = folder.join("digits_ctx.onnx");
    let exists = CompileFlags::ERROR_IF_OUTPUT_FILE_EXISTS;
    let mut compiler = compiler("digits.onnx").flags(exists);
    compiler.compile_to_file(&path).unwrap();
    assert_eq!(compiler.compile_to_file(&path).unwrap_err().code(), ErrorCode::Fail);
    let both = exists | CompileFlags::ERROR_IF_NO_NODES_COMPILED;
    assert!(both.contains(exists) && !exists.contains(both));
    assert_eq!(CompileFlags::from_bits(both.bits()), both);
    let error = ModelCompiler::new(&env(), &options())
        .unwrap()
        .input(data("matmul.onnx"))
        .flags(both)
        .compile_to_file(folder.join("nothing.onnx"))
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::Fail, "{error}");
    let error = ModelCompiler::new(&env(), &aot()).unwrap().compile_to_vec().unwrap_err();
    assert!(error.is_invalid_argument(), "no input: {error}");
}

#[test]
fn initializers_go_to_a_file_of_their_own() {
    let folder = Folder::new();
    ModelCompiler::new(&env(), &options())
        .unwrap()
        .input(data("layers.onnx"))
        .external_initializers("weights.bin", 16)
        .compile_to_file(folder.join("layers_ctx.onnx"))
        .unwrap();
    assert!(folder.names().contains(&"weights.bin".to_string()), "{:?}", folder.names());
    let session = Session::new(&env(), folder.join("layers_ctx.onnx"), &options()).unwrap();
    assert_eq!(session.run(&[("x", &ones(64))]).unwrap().len(), 1);
}

#[test]
fn a_closure_says_where_initializers_stand() {
    let folder = Folder::new();
    let mut content = Vec::new();
    let mut compiler = ModelCompiler::new(&env(), &options())
        .unwrap()
        .input(data("layers.onnx"))
        .initializer_location(|name, value, place| {
            assert!(!name.is_empty() && place.is_none());
            let bytes = value.bytes()?;
            let place = ExternalInitializer::new("own.bin", content.len() as i64, bytes.len());
            content.extend_from_slice(bytes);
            Ok(Some(place))
        });
    compiler.compile_to_file(folder.join("layers_ctx.onnx")).unwrap();
    drop(compiler);
    assert_eq!(content.len(), 16384);
    std::fs::write(folder.join("own.bin"), &content).unwrap();
    let session = Session::new(&env(), folder.join("layers_ctx.onnx"), &options()).unwrap();
    let plain = crate::support::session(data("layers.onnx"));
    let x = ones(64);
    let (own, plain) = (session.run(&[("x", &x)]).unwrap(), plain.run(&[("x", &x)]).unwrap());
    assert_eq!(own["y"].data::<f32>().unwrap(), plain["y"].data::<f32>().unwrap());
}

#[test]
fn a_closure_may_leave_initializers_where_they_are() {
    let mut places = Vec::new();
    let mut compiler = ModelCompiler::new(&env(), &options())
        .unwrap()
        .input(model("digits.onnx"))
        .initializer_location(|_, _, place| {
            places.push(place);
            Ok(None)
        });
    compiler.compile_to_vec().unwrap();
    drop(compiler);
    assert!(!places.is_empty());
}

#[test]
fn context_data_go_through_closures_both_ways() {
    let binaries = Arc::new(Mutex::new(Vec::new()));
    let kept = binaries.clone();
    let (compiled, _) = compiler("digits.onnx")
        .binary_information(".", "kept")
        .context_data_writer(move |name, bytes| {
            kept.lock().unwrap().push((name.to_string(), bytes.to_vec()));
            Ok(())
        })
        .compile_to_vec()
        .unwrap();
    assert_eq!(binaries.lock().unwrap().len(), 1);

    let mut options = aot();
    let source = binaries.clone();
    options.set_context_data_reader(move |name| {
        let binaries = source.lock().unwrap();
        let found = binaries.iter().find(|(own, _)| own == name);
        Ok(found.ok_or_else(|| format!("no binary '{name}'"))?.1.clone())
    });
    let session = Session::from_bytes(&env(), &compiled, &options).unwrap();
    assert_close(&classify(&session), &expected());

    binaries.lock().unwrap().clear();
    let error = Session::from_bytes(&env(), &compiled, &options).unwrap_err();
    assert!(error.message().contains("no binary '"), "{error}");
    assert!(error.source().is_some());
    options.set_context_data_reader(|_| Ok(Vec::new()));
    assert!(Session::from_bytes(&env(), &compiled, &options).is_err(), "no bytes");
}

#[test]
fn what_cannot_be_done_without_weights_says_so() {
    let mut compiler = compiler("digits.onnx").weightless(true);
    match compiler.compile_to_vec() {
        Ok(_) => {}
        Err(error) => assert_eq!(error.code(), ErrorCode::EpFail, "{error}"),
    }
    compiler = compiler.weightless(false).embed(true);
    compiler.compile_to_vec().unwrap();
}

#[test]
fn options_of_a_compiler_are_a_copy() {
    let mut options: SessionOptions = aot();
    let compiler = ModelCompiler::new(&env(), &options).unwrap().input(model("digits.onnx"));
    options.set("session.disable_model_compile", "1").unwrap();
    drop(options);
    compiler.embed(true).compile_to_vec().unwrap();
}
