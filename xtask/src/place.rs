//! Where things are: the checkout, the build folder, the tool cache.

use std::env;
use std::path::{Path, PathBuf};

use crate::tell::Problem;

/// The root of the checkout.
pub fn root() -> PathBuf {
    let own = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    own.parent().map_or(own.clone(), Path::to_path_buf)
}

/// Cargo's build folder.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |set| root().join(set))
}

/// The build folder of everything compiled for WebAssembly: another compiler may build it.
pub fn target_wasm() -> PathBuf {
    target().join("wasm")
}

/// The finished page.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// Where tools are kept, outside the checkout so that a fresh clone finds them.
///
/// # Errors
/// When neither `XDG_CACHE_HOME` nor `HOME` is set.
pub fn cache() -> Result<PathBuf, Problem> {
    let base = match (env::var_os("XDG_CACHE_HOME"), env::var_os("HOME")) {
        (Some(cache), _) if Path::new(&cache).is_absolute() => PathBuf::from(cache),
        (_, Some(home)) => PathBuf::from(home).join(".cache"),
        _ => {
            return Err(Problem::with_remedy(
                "there is no place for the tools: neither XDG_CACHE_HOME nor HOME is set",
                "set HOME to a folder that can be written",
            ));
        }
    };
    Ok(base.join("etcd-playground"))
}

/// The first program of these names on the PATH.
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    names.iter().find_map(|name| {
        env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
    })
}
