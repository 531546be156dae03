//! Refuses to build without the libz3 that `make setup` placed, and lets what is built
//! find it at run time.
//!
//! Used by this crate and by the package of the `heddle` binary: an rpath reaches only
//! the artefacts of the package whose build script asks for it.

use std::path::{Path, PathBuf};
use std::{env, fs};

const HINT: &str = "run `make setup` once: it places a libz3 in .z3/lib";

fn main() {
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    let Some(folder) = env::var_os("Z3_LIBRARY_PATH_OVERRIDE").map(PathBuf::from) else {
        println!("cargo::error=Z3_LIBRARY_PATH_OVERRIDE is not set; build inside the clone");
        return;
    };
    let library = folder.join("libz3.so");
    println!("cargo::rerun-if-changed={}", library.display());
    if !library.exists() {
        println!("cargo::error={} does not exist; {HINT}", library.display());
        return;
    }
    println!("cargo::rustc-link-arg=-Wl,-rpath,{}", folder.display());
    if let Err(error) = search_from_target_folder(&folder) {
        println!("cargo::error=cannot link to {}: {error}", folder.display());
    }
}

/// `cargo test` and `cargo run` put a build script's search folders on the loader's path
/// if they lie inside the target folder, which also serves the packages above this one.
fn search_from_target_folder(folder: &Path) -> std::io::Result<()> {
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    let link = Path::new(&out).join("z3");
    if link.is_symlink() {
        fs::remove_file(&link)?;
    }
    std::os::unix::fs::symlink(fs::canonicalize(folder)?, &link)?;
    println!("cargo::rustc-link-search=native={}", link.display());
    Ok(())
}
