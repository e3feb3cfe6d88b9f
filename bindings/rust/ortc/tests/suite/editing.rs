// SPDX-License-Identifier: MIT
use std::ops::ControlFlow;

use ortc::{compile_file, CancelToken, EditFlags, ModelEdit, Session};

use crate::support::{aot, data, env, model, ones, Folder};

#[test]
fn a_model_and_its_binary_become_one_file_and_two_again() {
    let folder = Folder::new();
    let packed = folder.join("packed.onnx");
    let mut steps = 0;
    let report = ModelEdit::new()
        .on_progress(|_| steps += 1)
        .pack(model("digits_ctx.onnx"), &packed)
        .unwrap();
    assert!(report.contains("\"files\"") && steps > 0);
    assert_eq!(folder.names(), ["packed.onnx"]);
    assert!(Session::new(&env(), &packed, &aot()).is_ok());
    let mut outside = ModelEdit::new().flags(EditFlags::EXTERNAL | EditFlags::NO_OVERWRITE);
    outside.pack(&packed, folder.join("outside_ctx.onnx")).unwrap();
    assert_eq!(folder.names().len(), 3);
    assert!(outside.pack(&packed, folder.join("outside_ctx.onnx")).is_err(), "it is there");
    assert!(ModelEdit::new().pack(data("matmul.onnx"), &packed).unwrap_err().is_invalid_argument());
}

#[test]
fn models_are_merged_cut_and_renamed() {
    let folder = Folder::new();
    let (front, back) = (folder.join("front_ctx.onnx"), folder.join("back_ctx.onnx"));
    for path in [&front, &back] {
        compile_file(&env(), &aot(), model("trivial.onnx"), path).unwrap();
    }
    let renamed = folder.join("renamed.onnx");
    assert!(ModelEdit::new().prefix(&back, "b_", &renamed).unwrap().contains("\"renamed\""));
    let merged = folder.join("merged.onnx");
    ModelEdit::new().merge(&[&front, &back], &["front.y=back.x"], &merged).unwrap();
    let session = Session::new(&env(), &merged, &aot()).unwrap();
    let outputs = session.run(&[("x", &ones(4))]).unwrap();
    assert_eq!(outputs[0].data::<f32>().unwrap(), [3.0; 4]);
    let nodes = ortc::Graph::load(&env(), &front).unwrap();
    let node = nodes.nodes().unwrap()[0].name().unwrap();
    let cut = folder.join("cut.onnx");
    ModelEdit::new().extract(&front, &node, &cut).unwrap();
    assert!(cut.exists());
    let error = ModelEdit::new().extract(&front, "nobody", &cut).unwrap_err();
    assert!(error.is_invalid_argument(), "{error}");
}

#[test]
fn an_edit_is_stopped_and_leaves_nothing() {
    let folder = Folder::new();
    let output = folder.join("packed.onnx");
    let mut stops = ModelEdit::new().on_progress(|_| ControlFlow::Break(()));
    assert!(stops.pack(model("digits_ctx.onnx"), &output).unwrap_err().is_cancelled());
    let token = CancelToken::new();
    token.cancel();
    let mut cancelled = ModelEdit::new().cancel_with(&token);
    assert!(cancelled.pack(model("digits_ctx.onnx"), &output).unwrap_err().is_cancelled());
    assert!(folder.names().is_empty());
}
