//! Finds the tools, or installs them into the tool cache.
//!
//! Safe to interrupt and to start again: a tool is built beside its place and renamed when it is complete.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::place;
use crate::run::{self, io_problem};
use crate::tell::{Problem, Steps};
use crate::toolchain::{self, Toolchain};

/// Where the system's own programs are; Debian's Rust among them.
pub const PLAIN_SYSTEM_PATH: &str = "/usr/bin";

/// Must be equal to the version of the crate `wasm-bindgen` in `Cargo.toml`.
const WASM_BINDGEN: &str = "0.2.130";
/// The newest that Rust 1.95 compiles.
const TRUNK: &str = "0.21.14";
const CARGO_FUZZ: &str = "0.13.2";
/// The package of npm that brings `wasm-opt`.
const BINARYEN: &str = "132";
/// The package of npm that finds what keeps people from using a page; a tool of the tests, never shipped.
const AXE: &str = "4.14.1";

/// Steers Firefox, as chromedriver steers Chromium; another tool of the tests.
const GECKODRIVER: &str = "0.37.1";

/// Everything that building the page needs.
pub struct Tools {
    toolchain: Toolchain,
    folders: Vec<PathBuf>,
}

impl Tools {
    /// The flags of rustdoc for a strict build of the documentation.
    pub fn rustdoc_flags(&self) -> String {
        format!("-D warnings{}", self.toolchain.rustdoc_flag())
    }

    /// Whether the standard library was built here, for size.
    pub const fn has_small_std(&self) -> bool {
        self.toolchain.has_small_std()
    }

    /// A program that compiles for WebAssembly, with all tools on its PATH.
    pub fn command(&self, program: &str) -> Command {
        // The name is looked up by this program, not by the new one, so the path is given in full.
        let in_folder = self.folders.iter().map(|f| f.join(program)).find(|p| p.is_file());
        let of_debian = matches!(self.toolchain, Toolchain::Debian { .. })
            .then(|| Path::new(PLAIN_SYSTEM_PATH).join(program))
            .filter(|p| p.is_file());
        let mut command = match in_folder.or(of_debian) {
            Some(path) => run::command(path),
            None => run::command(program),
        };
        if matches!(self.toolchain, Toolchain::Debian { .. }) {
            command.env_remove("RUSTUP_TOOLCHAIN");
        }
        self.toolchain.apply(&mut command, &self.folders);
        command
    }
}

/// `cargo xtask setup`: all tools of all commands.
///
/// # Errors
/// When one cannot be had.
pub fn everything() -> Result<(), Problem> {
    let mut steps = Steps::new(BUILD_STEPS + 4);
    build_tools(&mut steps)?;
    crate::browser::find_or_install(&mut steps)?;
    axe(&mut steps)?;
    crate::browser::find_or_install_firefox(&mut steps)?;
    println!("\nAll tools are there.");
    Ok(())
}

/// How many steps `build_tools` announces.
pub const BUILD_STEPS: u32 = 4;

/// Finds or installs what building the page needs.
///
/// # Errors
/// When a tool cannot be had.
pub fn build_tools(steps: &mut Steps) -> Result<Tools, Problem> {
    let toolchain = toolchain::find_or_install(steps)?;
    let folders = [wasm_bindgen(steps)?, trunk(steps)?, wasm_opt(steps)?];
    Ok(Tools { toolchain, folders: folders.into_iter().flatten().collect() })
}

/// `None` when the right version is on the PATH already.
fn wasm_bindgen(steps: &mut Steps) -> Result<Option<PathBuf>, Problem> {
    steps.next(&format!("wasm-bindgen {WASM_BINDGEN}: joins the compiled program to JavaScript"));
    if version_on_path("wasm-bindgen", WASM_BINDGEN)
        && version_on_path("wasm-bindgen-test-runner", WASM_BINDGEN)
    {
        return Ok(None);
    }
    // Not `--locked`: the lock file of that release names a crate version that not every registry has.
    cargo_install("wasm-bindgen-cli", "wasm-bindgen", WASM_BINDGEN, &[], "about 3 minutes", steps)
        .map(Some)
}

fn trunk(steps: &mut Steps) -> Result<Option<PathBuf>, Problem> {
    steps.next(&format!("trunk {TRUNK}: bundles the page"));
    if version_on_path("trunk", TRUNK) {
        return Ok(None);
    }
    let options = ["--locked", "--no-default-features"];
    cargo_install("trunk", "trunk", TRUNK, &options, "about 6 minutes", steps).map(Some)
}

/// What runs the targets of `fuzz/`; `None` when it is on the PATH already.
///
/// # Errors
/// When it cannot be had.
pub fn cargo_fuzz(steps: &mut Steps) -> Result<Option<PathBuf>, Problem> {
    steps.next(&format!("cargo-fuzz {CARGO_FUZZ}: builds and runs fuzz targets"));
    if version_on_path("cargo-fuzz", CARGO_FUZZ) {
        return Ok(None);
    }
    cargo_install("cargo-fuzz", "cargo-fuzz", CARGO_FUZZ, &["--locked"], "about 3 minutes", steps)
        .map(Some)
}

fn wasm_opt(steps: &mut Steps) -> Result<Option<PathBuf>, Problem> {
    steps.next("wasm-opt: makes the compiled program smaller");
    if place::on_path(&["wasm-opt"]).is_some() {
        return Ok(None);
    }
    let home = place::cache()?.join(format!("binaryen-{BINARYEN}"));
    let programs = home.join("node_modules/.bin");
    if programs.join("wasm-opt").exists() {
        return Ok(Some(programs));
    }
    if place::on_path(&["npm"]).is_some() {
        steps.note(&format!("installing binaryen {BINARYEN} by npm (a few seconds)"));
        match npm_install("binaryen", BINARYEN, &home) {
            Ok(()) => return Ok(Some(programs)),
            Err(problem) if !is_debian() => return Err(problem.or_remedy(WASM_OPT_REMEDY)),
            Err(_) => steps.note("npm could not get it"),
        }
    }
    if !is_debian() {
        return Err(Problem::with_remedy("wasm-opt is missing, and npm too", WASM_OPT_REMEDY));
    }
    apt(&["binaryen"], steps)?;
    Ok(None)
}

/// Installs a package of npm into a folder.
fn npm_install(package: &str, version: &str, home: &Path) -> Result<(), Problem> {
    let half_done = half_done_beside(home);
    let _ = fs::remove_dir_all(&half_done);
    fs::create_dir_all(&half_done).map_err(|e| io_problem("make", &half_done, &e))?;
    let mut install = run::command("npm");
    install
        .args(["install", "--no-audit", "--no-fund", "--prefix"])
        .arg(&half_done)
        .arg(format!("{package}@{version}"));
    run::logged(package, &mut install)?;
    put_in_place(&half_done, home)
}

/// The script of axe-core, which the end-to-end tests put into the page.
///
/// # Errors
/// When it cannot be had.
pub fn axe(steps: &mut Steps) -> Result<PathBuf, Problem> {
    steps.next(&format!("axe-core {AXE}: finds what keeps people from using the page"));
    let home = place::cache()?.join(format!("axe-core-{AXE}"));
    let script = home.join("node_modules/axe-core/axe.min.js");
    if script.is_file() {
        return Ok(script);
    }
    if place::on_path(&["npm"]).is_none() && is_debian() {
        apt(&["npm"], steps)?;
    }
    let by_hand = "install npm by your system's package manager, then start again";
    if place::on_path(&["npm"]).is_none() {
        return Err(Problem::with_remedy("npm is missing, which brings axe-core", by_hand));
    }
    steps.note("installing it by npm (a few seconds)");
    npm_install("axe-core", AXE, &home).map_err(|problem| problem.or_remedy(by_hand))?;
    Ok(script)
}

/// The driver of Firefox.
///
/// # Errors
/// When it cannot be had.
pub fn geckodriver(steps: &mut Steps) -> Result<PathBuf, Problem> {
    steps.next(&format!("geckodriver {GECKODRIVER}: steers Firefox in the tests"));
    // Each Firefox takes any newer driver.
    if let Some(driver) = place::on_path(&["geckodriver"]) {
        return Ok(driver);
    }
    cargo_install(
        "geckodriver",
        "geckodriver",
        GECKODRIVER,
        &["--locked"],
        "about 2 minutes",
        steps,
    )
    .map(|programs| programs.join("geckodriver"))
}

const WASM_OPT_REMEDY: &str = "install binaryen by your system's package manager (it brings wasm-opt), or install npm; then start again";

/// Whether a program on the PATH says that it has this version.
fn version_on_path(program: &str, version: &str) -> bool {
    place::on_path(&[program])
        .and_then(|path| run::answer(run::command(path).arg("--version")))
        .is_some_and(|answer| answer.split_whitespace().any(|word| word == version))
}

/// Builds a tool from its sources into the cache and gives back its folder of programs.
fn cargo_install(
    package: &str,
    program: &str,
    version: &str,
    options: &[&str],
    how_long: &str,
    steps: &Steps,
) -> Result<PathBuf, Problem> {
    let cache = place::cache()?;
    let home = cache.join(format!("{program}-{version}"));
    let programs = home.join("bin");
    if programs.join(program).is_file() {
        return Ok(programs);
    }
    let log = run::log_path(program)?;
    steps.note(&format!("compiling {package} ({how_long} on two cores; log in {})", log.display()));
    let half_done = half_done_beside(&home);
    let _ = fs::remove_dir_all(&half_done);
    let work = cache.join("build").join(program);
    let mut install = run::command("cargo");
    install
        .args(["install", package, "--version", version])
        .args(options)
        .arg("--root")
        .arg(&half_done)
        .env("CARGO_TARGET_DIR", &work)
        // It is a tool, not our product: quick to build matters more than quick to run.
        .env("CARGO_PROFILE_RELEASE_LTO", "false")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    run::logged(program, &mut install).map_err(|problem| {
        problem.or_remedy(&format!(
            "if the crate registry cannot be reached, start again when it can: what is built so far is kept.\n\
             Or install it yourself: `cargo install {package} --version {version}`"
        ))
    })?;
    put_in_place(&half_done, &home)?;
    let _ = fs::remove_dir_all(&work);
    Ok(programs)
}

/// Where a tool is built before it is complete.
pub fn half_done_beside(home: &Path) -> PathBuf {
    let mut name = home.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

/// Renames a finished folder to its place.
///
/// # Errors
/// When the file system refuses.
pub fn put_in_place(finished: &Path, home: &Path) -> Result<(), Problem> {
    let _ = fs::remove_dir_all(home);
    fs::rename(finished, home).map_err(|e| io_problem("rename to", home, &e))
}

/// Whether this is Debian or a child of it, where `apt-get` installs.
pub fn is_debian() -> bool {
    Path::new("/etc/debian_version").exists() && place::on_path(&["apt-get"]).is_some()
}

/// Whether a Debian package is installed.
pub fn package_installed(package: &str) -> bool {
    let mut query = run::command("dpkg-query");
    query.args(["--show", "--showformat=${db:Status-Status}", package]);
    run::answer(&mut query).is_some_and(|status| status == "installed")
}

/// Installs those Debian packages that are missing.
///
/// # Errors
/// When the user is not root, or apt fails.
pub fn apt(packages: &[&str], steps: &Steps) -> Result<(), Problem> {
    static LISTS_ARE_NEW: AtomicBool = AtomicBool::new(false);
    let missing: Vec<&str> = packages.iter().copied().filter(|p| !package_installed(p)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    let by_hand = format!("apt-get update && apt-get install -y --no-install-recommends {names}");
    if run::answer(run::command("id").arg("-u")).as_deref() != Some("0") {
        return Err(Problem::with_remedy(
            format!("these Debian packages are missing, and only root can install them: {names}"),
            format!("run `sudo sh -c '{by_hand}'`, then start again"),
        ));
    }
    steps.note(&format!("installing the Debian packages {names}"));
    if !LISTS_ARE_NEW.swap(true, Ordering::Relaxed) {
        run::logged("apt-update", run::command("apt-get").arg("update")).map_err(|problem| {
            problem.or_remedy("is the package server reachable? Then start again")
        })?;
    }
    let mut install = run::command("apt-get");
    install
        .args(["install", "-y", "--no-install-recommends"])
        .args(&missing)
        .env("DEBIAN_FRONTEND", "noninteractive");
    run::logged("apt-install", &mut install)
        .map_err(|problem| problem.or_remedy(&format!("try `{by_hand}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wasm_bindgen_is_the_version_of_the_crate() {
        let manifest =
            fs::read_to_string(place::root().join("Cargo.toml")).expect("the manifest is there");
        assert!(
            manifest.contains(&format!("wasm-bindgen = \"={WASM_BINDGEN}\"")),
            "Cargo.toml asks for another version than {WASM_BINDGEN}"
        );
        let bundler =
            fs::read_to_string(place::root().join("Trunk.toml")).expect("Trunk.toml is there");
        assert!(bundler.contains(&format!("wasm_bindgen = \"{WASM_BINDGEN}\"")));
    }

    #[test]
    fn a_missing_program_has_no_version() {
        assert!(!version_on_path("surely-no-such-program", "1.0.0"));
    }
}
