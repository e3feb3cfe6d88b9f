// SPDX-License-Identifier: MIT
//! Finds libort_c and tells the linker and the crates above where it is. Nothing is downloaded.
//!
//! 1. `ORTC_LIB_DIR`: the folder of the library. It must be there.
//! 2. `pkg-config`, when the program is installed and knows `ort_c`.
//! 3. Otherwise the linker looks where it always does, and says when there is nothing.
//!
//! Crates above read the folders as `DEP_ORT_C_INCLUDE` and `DEP_ORT_C_LIB`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

fn main() {
    println!("cargo:rerun-if-env-changed=ORTC_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG");
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation needs no library
    }
    match env::var_os("ORTC_LIB_DIR") {
        Some(folder) => from_folder(&PathBuf::from(folder)),
        None => from_pkg_config(),
    }
    println!("cargo:rustc-link-lib=dylib=ort_c");
}

fn from_folder(folder: &Path) {
    if !has_library(folder) {
        fail(&format!("ORTC_LIB_DIR is '{}', and there is no ort_c library", folder.display()));
    }
    search(folder);
    if let Some(include) = folder.parent().map(|prefix| prefix.join("include")) {
        if include.join("ort_c").is_dir() {
            println!("cargo:include={}", include.display());
        }
    }
}

/// Without pkg-config, or when it does not know the library, the linker has the last word.
fn from_pkg_config() {
    match pkg_config("libdir") {
        Some(folder) => {
            search(Path::new(&folder));
            if let Some(include) = pkg_config("includedir") {
                println!("cargo:include={}", include);
            }
        }
        None => println!(
            "cargo:warning=neither ORTC_LIB_DIR nor pkg-config says where libort_c is; \
             if the linker does not find it, set ORTC_LIB_DIR to its folder"
        ),
    }
}

fn search(folder: &Path) {
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:lib={}", folder.display());
}

fn has_library(folder: &Path) -> bool {
    let names = ["libort_c.so", "libort_c.dylib", "libort_c.a", "ort_c.lib", "libort_c.dll.a"];
    names.iter().any(|name| folder.join(name).exists())
}

fn pkg_config(variable: &str) -> Option<String> {
    let program = env::var_os("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
    let question = format!("--variable={}", variable);
    let output = Command::new(program).args([&question, "ort_c"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn fail(reason: &str) -> ! {
    eprintln!("error: {}", reason);
    eprintln!("Set ORTC_LIB_DIR to the folder of libort_c.so, as <prefix>/lib after an install.");
    exit(1);
}
