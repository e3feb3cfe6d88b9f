// SPDX-License-Identifier: MIT
use ortc::{
    compatibility, compatibility_info, compatibility_info_of_bytes, diff, expose_values, inspect,
    Compatibility, InspectFlags, Session, Tensor,
};

use crate::support::{data, env, model, options};

#[test]
fn files_are_described() {
    let json = inspect(model("digits_ctx.onnx"), InspectFlags::DETAILS).unwrap();
    assert!(json.contains("EPContext") || json.contains("AotExecutionProvider"), "{json}");
    let binary = inspect(model("digits_aot.bin"), InspectFlags::VERIFY_DATA).unwrap();
    assert!(binary.contains("context_binary"));
    assert!(inspect("missing.onnx", InspectFlags::NONE).unwrap_err().is_not_found());
    let flags = InspectFlags::from_bits(1 << 30);
    assert!(inspect(data("matmul.onnx"), flags).unwrap_err().is_invalid_argument());
}

#[test]
fn files_are_compared() {
    let json = diff(model("first.onnx"), model("first.onnx")).unwrap();
    assert!(json.contains("\"equal\":true") || json.contains("\"equal\": true"), "{json}");
    let json = diff(model("first.onnx"), model("second.onnx")).unwrap();
    assert!(json.contains("\"equal\":false") || json.contains("\"equal\": false"), "{json}");
    assert!(diff(model("first.onnx"), model("digits_aot.bin")).is_err());
}

#[test]
fn inner_values_are_exposed() {
    let bytes = expose_values(data("sums.onnx")).unwrap();
    let session = Session::from_bytes(&env(), &bytes, &options()).unwrap();
    assert!(session.outputs().unwrap().len() > 1);
    let (a, c) = (Tensor::from_vec([1], vec![1.0f32]).unwrap(), Tensor::scalar(3.0f32).unwrap());
    assert!(session.run(&[("a", &a), ("b", &a), ("c", &c)]).is_ok());
}

#[test]
fn a_compiled_model_tells_whether_it_fits() {
    let aot = "AotExecutionProvider";
    let path = model("digits_ctx.onnx");
    let info = compatibility_info(&path, aot).unwrap().expect("compiled for it");
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(compatibility_info_of_bytes(&bytes, aot).unwrap().as_ref(), Some(&info));
    assert_eq!(compatibility_info(&path, "Nobody").unwrap(), None);
    assert_eq!(compatibility_info(data("matmul.onnx"), aot).unwrap(), None);
    let devices = env().ep_devices().unwrap();
    let devices: Vec<_> = devices.into_iter().filter(|device| device.ep_name() == aot).collect();
    // Another processor, as the one that valgrind plays, would have it compiled anew.
    let answer = compatibility(&devices, &info).unwrap();
    let fits = [Compatibility::SupportedOptimal, Compatibility::SupportedPreferRecompilation];
    assert!(fits.contains(&answer), "{answer:?}");
    assert!(compatibility(&[], &info).unwrap_err().is_invalid_argument());
}
