//! The Rust that compiles to WebAssembly.
//!
//! Where rustup can add the target, it is rustup's.
//! Where it cannot (no way to its server) on a Debian system, it is Debian's second Rust, `rustc-web`, with a standard
//! library that is built here once from Debian's sources and kept in the tool cache.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place;
use crate::run::{self, io_problem};
use crate::setup::{self, PLAIN_SYSTEM_PATH};
use crate::tell::{Problem, Steps};

const TARGET: &str = "wasm32-unknown-unknown";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_SOURCES: &str = "/usr/lib/rustlib/src/rust/library";
const DEBIAN_PACKAGES: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy"];

/// A compiler for the page.
pub enum Toolchain {
    /// The default Rust of this machine has the target.
    Own,
    /// Debian's Rust, with our standard library and a linker.
    Debian { sysroot: PathBuf, linker: PathBuf },
}

/// Lets Leptos build views of one erased type instead of one type each: a smaller program.
const ERASE_COMPONENTS: &str = "--cfg=erase_components";

impl Toolchain {
    /// What rustdoc needs beside other flags to find the standard library.
    pub fn rustdoc_flag(&self) -> String {
        match self {
            Self::Own => String::new(),
            Self::Debian { sysroot, .. } => format!(" --sysroot={}", sysroot.display()),
        }
    }

    /// Whether the standard library was built here, for size.
    pub const fn has_small_std(&self) -> bool {
        matches!(self, Self::Debian { .. })
    }

    /// Lets a command compile for WebAssembly with this toolchain and the tools in `folders`.
    pub fn apply(&self, command: &mut Command, folders: &[PathBuf]) {
        let mut path: Vec<PathBuf> = folders.to_vec();
        let mut flags = OsString::from(ERASE_COMPONENTS);
        for folder in source_folders() {
            // Panics name their place: without this, where this machine keeps its sources.
            flags.push(" --remap-path-prefix=");
            flags.push(folder);
            flags.push("/=");
        }
        if let Self::Debian { sysroot, linker } = self {
            path.push(PathBuf::from(PLAIN_SYSTEM_PATH));
            flags.push(" --sysroot=");
            flags.push(sysroot);
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
        let rest = env::var_os("PATH").unwrap_or_default();
        path.extend(env::split_paths(&rest));
        if let Ok(joined) = env::join_paths(path) {
            command.env("PATH", joined);
        }
        command.env("CARGO_TARGET_DIR", place::target_wasm());
    }
}

/// The folders in which the sources of the page and of its crates lie.
fn source_folders() -> Vec<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let mut folders: Vec<PathBuf> =
        registries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.push(place::root().to_path_buf());
    folders.sort();
    folders.retain(|folder| !folder.to_string_lossy().contains(' '));
    folders
}

/// Finds a toolchain, or installs one.
///
/// # Errors
/// When none can be had, with the commands that would help.
pub fn find_or_install(steps: &mut Steps) -> Result<Toolchain, Problem> {
    steps.next("the Rust compiler for WebAssembly");
    if own_has_target() {
        steps.note("this machine's Rust has the target wasm32-unknown-unknown");
        return Ok(Toolchain::Own);
    }
    if let Some(found) = finished_debian()? {
        steps.note("Debian's rustc-web with the standard library from the tool cache");
        return Ok(found);
    }
    if place::on_path(&["rustup"]).is_some() {
        steps.note("asking rustup for the target wasm32-unknown-unknown");
        let mut add = run::command("rustup");
        add.args(["target", "add", TARGET]);
        if run::logged("rustup", &mut add).is_ok() && own_has_target() {
            return Ok(Toolchain::Own);
        }
        steps.note("rustup could not get it here");
    }
    if !setup::is_debian() {
        return Err(Problem::with_remedy(
            "the Rust standard library for WebAssembly is missing",
            "run `rustup target add wasm32-unknown-unknown` where rustup reaches its server, then start again",
        ));
    }
    steps.note("taking Debian's second Rust, rustc-web, which comes with the library's sources");
    setup::apt(DEBIAN_PACKAGES, steps)?;
    build_std(steps)?;
    finished_debian()?.ok_or_else(|| {
        Problem::with_remedy(
            "the standard library was built, but no linker for WebAssembly was found",
            "run `apt-get install lld`, then start again",
        )
    })
}

/// How to install the native components; used in errors.
pub const COMPONENTS_REMEDY: &str = "run `rustup component add rustfmt clippy`";

fn own_has_target() -> bool {
    let folder =
        run::answer(run::command("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    folder.is_some_and(|folder| has_std(Path::new(&folder)))
}

fn has_std(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with("libstd-") && name.ends_with(".rlib")
        })
    })
}

/// The folder of the standard library that belongs to the Debian compiler which is installed now.
fn std_folder() -> Result<Option<PathBuf>, Problem> {
    if !Path::new(DEBIAN_SOURCES).is_dir() || !Path::new(DEBIAN_CARGO).is_file() {
        return Ok(None);
    }
    let Some(version) = run::answer(run::command(DEBIAN_RUSTC).arg("--version")) else {
        return Ok(None);
    };
    // "rustc 1.96.0 (ac68faa20 2026-05-25) …": the number and how it is built name the folder.
    let number = version.split_whitespace().nth(1).unwrap_or("unknown");
    Ok(Some(place::cache()?.join(format!("std-{number}-small"))))
}

fn finished_debian() -> Result<Option<Toolchain>, Problem> {
    let Some(sysroot) = std_folder()? else { return Ok(None) };
    if !has_std(&sysroot.join("lib/rustlib").join(TARGET).join("lib")) {
        return Ok(None);
    }
    if !DEBIAN_PACKAGES.iter().all(|package| setup::package_installed(package)) {
        return Ok(None);
    }
    Ok(linker().map(|linker| Toolchain::Debian { sysroot, linker }))
}

/// A linker for WebAssembly: the one that rustup's Rust brings, else LLVM's own.
fn linker() -> Option<PathBuf> {
    let of_rustup =
        run::answer(run::command("rustc").args(["--print", "sysroot"])).and_then(|root| {
            let host = run::answer(run::command("rustc").args(["--print", "host-tuple"]))?;
            Some(Path::new(&root).join("lib/rustlib").join(host).join("bin/rust-lld"))
        });
    of_rustup
        .filter(|linker| linker.is_file())
        .or_else(|| place::on_path(&["wasm-ld", "wasm-ld-22", "wasm-ld-19", "wasm-ld-14"]))
}

/// Builds the standard library from Debian's sources; about a minute.
fn build_std(steps: &Steps) -> Result<(), Problem> {
    let Some(sysroot) = std_folder()? else {
        return Err(Problem::new("Debian's rustc-web is installed but its files are not there"));
    };
    if linker().is_none() {
        setup::apt(&["lld"], steps)?;
    }
    steps.note(
        "building the standard library for WebAssembly from Debian's sources (about a minute)",
    );
    let work = place::cache()?.join("build/std");
    let _ = fs::remove_dir_all(&work);
    write_file(&work.join("Cargo.toml"), STD_MANIFEST)?;
    write_file(&work.join("src/lib.rs"), "#![no_std]\n")?;
    let mut build = run::command(DEBIAN_CARGO);
    build
        .current_dir(&work)
        .args(["build", "-Zbuild-std=std,panic_abort,test", "--release", "--target", TARGET])
        // As the page itself: a visitor downloads it.
        .arg("-Zbuild-std-features=optimize_for_size")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "z")
        .env("RUSTC", DEBIAN_RUSTC)
        .env("RUSTC_BOOTSTRAP", "1")
        // Without it every link-time optimised build fails.
        .env("RUSTFLAGS", "-Cembed-bitcode=yes")
        .env("CARGO_TARGET_DIR", work.join("target"));
    run::logged("std", &mut build).map_err(|problem| {
        problem.or_remedy(
            "look at the log; `apt-get install --reinstall rust-web-src` mends broken sources",
        )
    })?;
    let half_done = setup::half_done_beside(&sysroot);
    let _ = fs::remove_dir_all(&half_done);
    let libraries = half_done.join("lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&libraries).map_err(|e| io_problem("make", &libraries, &e))?;
    let built = work.join("target").join(TARGET).join("release/deps");
    for entry in fs::read_dir(&built).map_err(|e| io_problem("read", &built, &e))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libempty-") {
            let to = libraries.join(&name);
            fs::copy(entry.path(), &to).map_err(|e| io_problem("write", &to, &e))?;
        }
    }
    setup::put_in_place(&half_done, &sysroot)?;
    let _ = fs::remove_dir_all(&work);
    Ok(())
}

const STD_MANIFEST: &str = "\
[package]
name = \"empty\"
version = \"0.0.0\"
edition = \"2024\"

[workspace]
";

fn write_file(path: &Path, text: &str) -> Result<(), Problem> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| io_problem("make", folder, &e))?;
    }
    fs::write(path, text).map_err(|e| io_problem("write", path, &e))
}
