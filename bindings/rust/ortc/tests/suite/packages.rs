// SPDX-License-Identifier: MIT
use std::path::{Path, PathBuf};

use ortc::{
    Env, ErrorCode, ModelCompiler, ModelPackage, ModelPackageInfo, ModelPackageWriteFlags,
    ModelPackageWriter, Session, VariantSettings,
};

use crate::support::{aot, env, model, ones, options, session, Folder};

fn writer() -> ModelPackageWriter {
    let info = ModelPackageInfo { name: "pair", version: "2", ..Default::default() };
    ModelPackageWriter::new(info).unwrap()
}

/// A package whose component "net" has first.onnx as "any" and compiled; and its shared asset.
fn package(folder: &Folder) -> (PathBuf, String) {
    let compiled = folder.join("first_ctx.onnx");
    let mut compiler = ModelCompiler::new(&env(), &aot()).unwrap().input(model("first.onnx"));
    compiler.compile_to_file(&compiled).unwrap();
    std::fs::create_dir(folder.join("tokens")).unwrap();
    std::fs::write(folder.join("tokens").join("t.txt"), "a").unwrap();
    let mut writer = writer();
    let single = VariantSettings::new().session_option("session.intra_op_num_threads", "1");
    writer.add_variant("net", "any", model("first.onnx"), &single).unwrap();
    writer.add_variant("net", "compiled", compiled, &VariantSettings::new()).unwrap();
    let asset = writer.add_shared_asset(folder.join("tokens")).unwrap();
    let root = folder.join("päckchen");
    let report = writer.write(&root, ModelPackageWriteFlags::NONE).unwrap();
    assert!(report.contains("any/first.onnx"), "{report}");
    (root, asset)
}

fn numbers(session: &Session) -> Vec<f32> {
    session.run(&[("x", &ones(256))]).unwrap()["y"].data::<f32>().unwrap().to_vec()
}

fn runs_as_first(found: &Session) {
    let expected = numbers(&session(model("first.onnx")));
    let found = numbers(found);
    assert_eq!(found.len(), expected.len());
    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
    assert!(found.iter().zip(&expected).all(is_near), "{found:?} {expected:?}");
}

#[test]
fn a_package_tells_what_it_has() {
    let folder = Folder::new();
    let (root, asset) = package(&folder);
    let package = ModelPackage::open(&root).unwrap();
    assert_eq!(package.schema_version().unwrap(), 1);
    assert_eq!(package.component_count().unwrap(), 1);
    assert_eq!(package.components().unwrap(), ["net"]);
    assert_eq!(package.variant_count("net").unwrap(), 2);
    assert_eq!(package.variants("net").unwrap(), ["any", "compiled"]);
    let provider = package.provider("net", "compiled").unwrap();
    assert_eq!(provider.as_deref(), Some("AotExecutionProvider"));
    let file = package.resolve(&format!("{asset}/t.txt"), None, true).unwrap();
    assert_eq!(std::fs::read(file).unwrap(), b"a");
    let later = package.resolve("later.bin", Some(&root.join("net")), false).unwrap();
    assert!(later.ends_with("päckchen/net/later.bin"), "{later:?}");
}

#[test]
fn a_package_runs_the_variant_of_the_provider() {
    let folder = Folder::new();
    let package = ModelPackage::open(package(&folder).0).unwrap();
    assert_eq!(package.select(&env(), "net", &options()).unwrap().variant().unwrap(), "any");
    let selected = package.select(&env(), "net", &aot()).unwrap();
    assert_eq!(selected.variant().unwrap(), "compiled");
    assert!(selected.folder().unwrap().ends_with("net/compiled"));
    runs_as_first(&selected.session(&env()).unwrap());
    runs_as_first(&selected.session_with(&env(), &aot()).unwrap());
    runs_as_first(&package.session(&env(), "net", &options()).unwrap());
}

#[test]
fn a_package_is_described_and_verified() {
    let folder = Folder::new();
    let (root, _) = package(&folder);
    let package = ModelPackage::open(&root).unwrap();
    assert!(!package.describe().unwrap().contains("\"selected\":\""));
    let json = package.describe_for(&env(), &options()).unwrap();
    assert!(json.contains("\"selected\":\"any\""), "{json}");
    let json = package.describe_for(&env(), &aot()).unwrap();
    assert!(json.contains("\"selected\":\"compiled\""), "{json}");
    assert!(package.verify().unwrap().contains("\"verdict\":\"sound\""));
    let changed = root.join("net").join("any").join("first.onnx");
    let mut bytes = std::fs::read(&changed).unwrap();
    bytes.push(b'x');
    std::fs::write(changed, bytes).unwrap();
    assert!(package.verify().unwrap().contains("\"verdict\":\"broken\""));
}

#[test]
fn a_session_of_a_package_outlives_all_that_it_was_made_of() {
    let folder = Folder::new();
    let session = {
        let env = Env::new("short").unwrap();
        let selected = {
            let package = ModelPackage::open(package(&folder).0).unwrap();
            package.select(&env, "net", &aot()).unwrap()
        };
        selected.session(&env).unwrap()
    };
    runs_as_first(&session);
}

#[test]
fn a_package_is_used_by_many_threads_at_once() {
    let folder = Folder::new();
    let (root, asset) = package(&folder);
    let package = ModelPackage::open(root).unwrap();
    std::thread::scope(|scope| {
        for name in ["t.txt", "none", "longer_than_the_others"] {
            let (package, reference) = (&package, format!("{asset}/{name}"));
            scope.spawn(move || {
                for _ in 0..200 {
                    let path = package.resolve(&reference, None, false).unwrap();
                    assert!(path.ends_with(name), "{path:?}");
                }
            });
        }
    });
}

#[test]
fn wrong_use_of_a_package_is_an_error() {
    assert!(ModelPackage::open("nothing").unwrap_err().is_not_found());
    assert!(ModelPackage::open("a\0b").unwrap_err().is_invalid_argument());
    let folder = Folder::new();
    let (root, asset) = package(&folder);
    let package = ModelPackage::open(root).unwrap();
    let error = package.select(&env(), "other", &options()).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("it has 'net'"), "{error}");
    assert!(package.session(&env(), "other", &options()).unwrap_err().is_invalid_argument());
    assert!(package.variant_count("other").unwrap_err().is_invalid_argument());
    assert!(package.variants("n\0").unwrap_err().is_invalid_argument());
    let error = package.provider("net", "neither").unwrap_err();
    assert!(error.message().contains("it has 'any', 'compiled'"), "{error}");
    let error = package.resolve("../x", None, false).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("'..'"), "{error}");
    let error = package.resolve("passwd", Some(Path::new("/etc")), false).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("leads out"), "{error}");
    assert!(package.resolve(&format!("{asset}/none"), None, true).unwrap_err().is_not_found());
}

#[test]
fn wrong_use_of_a_package_writer_is_an_error() {
    let (folder, plain) = (Folder::new(), VariantSettings::new());
    let (root, first) = (folder.join("pkg"), model("first.onnx"));
    let mut writer = writer();
    let error = writer.write(&root, ModelPackageWriteFlags::NONE).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("needs a variant"), "{error}");
    assert!(writer.add_variant("net", "any", "nothing.onnx", &plain).unwrap_err().is_not_found());
    let error = writer.add_variant("../net", "any", &first, &plain).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("'../net'"), "{error}");
    let odd = VariantSettings::new().device("abacus");
    let error = writer.add_variant("net", "any", &first, &odd).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("'abacus'"), "{error}");
    let zero = VariantSettings::new().compatibility("a\0b");
    assert!(writer.add_variant("net", "any", &first, &zero).unwrap_err().is_invalid_argument());
    assert!(writer.add_shared_asset("nothing").unwrap_err().is_not_found());
    let other = VariantSettings::new().provider("OtherExecutionProvider");
    let other = other.provider_option("speed", "2");
    writer.add_variant("net", "any", &first, &other).unwrap();
    let unknown = ModelPackageWriteFlags::from_bits(1 << 20);
    assert!(writer.write(&root, unknown).unwrap_err().is_invalid_argument());
    assert!(folder.names().is_empty());
    writer.write(&root, ModelPackageWriteFlags::LINK_FILES).unwrap();
    let error = writer.write(&root, ModelPackageWriteFlags::NONE).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Fail, "{error}");
    // The only provider that a variant is for is not there.
    let package = ModelPackage::open(root).unwrap();
    let error = package.select(&env(), "net", &options()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Fail, "{error}");
    assert!(error.message().contains("OtherExecutionProvider was not chosen"), "{error}");
}
