//! Builds `dist/`: trunk compiles and bundles, this module finishes.
//!
//! Finishing means: a build id in every address (`?v=…`), a `_headers` file for hosts that read one, a check that every
//! address is relative, and the table of sizes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest as _, Sha256};

use crate::imports;
use crate::place;
use crate::run::{self, io_problem};
use crate::server;
use crate::setup::{self, BUILD_STEPS};
use crate::tell::{Problem, Steps, short};

/// What a first visit may load, all files gzipped. Unit: bytes. Source: issue 5, the whole page.
const BUDGET_BYTES: u64 = 600_000;

/// What rustup's standard library, which is compiled for speed, may add to it. Unit: bytes, gzipped.
const QUICK_STD_BYTES: u64 = 20_000;

/// The text that stands for the build id in the sources.
const PLACEHOLDER: &str = "?v=dev";
const META_PLACEHOLDER: &str = "name=\"build\" content=\"dev\"";

/// What trunk must have made, and what must carry the build id.
const EXPECTED: &[&str] = &[
    "index.html",
    "boot.mjs",
    "node_worker.mjs",
    "app.js",
    "app_bg.wasm",
    "lab_worker.mjs",
    "lab.js",
    "lab_bg.wasm",
    "insight_page.mjs",
    "insight.js",
    "insight_bg.wasm",
    "insight.css",
    "ctl.js",
    "ctl_bg.wasm",
    "suites.json",
    "lessons/index.json",
    "errors/index.json",
    "errors/notes.txt",
    "zh.txt",
    "style.css",
    "care.mjs",
    SERVICE_WORKER,
];
/// Keeps the files for times without a server; the build id and the list of files are written into it.
const SERVICE_WORKER: &str = "service_worker.js";
/// What stands there in the sources.
const NO_BUILD: &str = "const build = \"dev\";";
const NO_FILES: &str = "const files = [];";
/// What a page that has no server does without: the file itself, what only the server reads, and what stands in for
/// the page in browsers that keep no files.
const NOT_KEPT: &[&str] = &[SERVICE_WORKER, "_headers", "old_browser.js"];
/// Texts from which lines that are only a comment go.
const WITHOUT_COMMENTS: &[&str] = &[
    "app.js",
    "lab.js",
    "insight.js",
    "ctl.js",
    "boot.mjs",
    "node_worker.mjs",
    "lab_worker.mjs",
    "insight_page.mjs",
    "insight.css",
    "style.css",
    "care.mjs",
    SERVICE_WORKER,
];
/// Programs and their scripts, whose common names become short.
const PROGRAMS: &[(&str, &str)] = &[
    ("app_bg.wasm", "app.js"),
    ("lab_bg.wasm", "lab.js"),
    ("insight_bg.wasm", "insight.js"),
    ("ctl_bg.wasm", "ctl.js"),
];
const WITH_BUILD_ID: &[&str] =
    &["index.html", "node_worker.mjs", "lab_worker.mjs", "insight_page.mjs"];

/// These lie in `dist/` but no first screen waits for them; the lab comes with the first replay, the views that show
/// consensus when one of them is first opened, etcdctl's rare commands once the page is there, and what keeps the page for times without a server once it has started.
const NOT_LOADED: &[&str] = &[
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "_headers",
    "old_browser.js",
    "care.mjs",
    SERVICE_WORKER,
    "lab_worker.mjs",
    "lab.js",
    "lab_bg.wasm",
    "insight_page.mjs",
    "insight.js",
    "insight_bg.wasm",
    "insight.css",
    "ctl.js",
    "ctl_bg.wasm",
    "suites.json",
    "zh.txt",
];

/// Everything that the page is made from.
const SOURCES: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Trunk.toml",
    "index.html",
    "src",
    "www",
    "xtask/src/dist.rs",
    "xtask/src/imports.rs",
    "xtask/src/server.rs",
];

/// Whether an unchanged `dist/` is taken as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// A `dist/` that was made from exactly these sources is enough.
    Enough,
    /// Build whatever is there.
    Rebuild,
}

/// Builds the page into `dist/`; gives back the gzipped bytes of a first visit.
///
/// # Errors
/// When a tool cannot be had, the sources do not compile, or a file is missing.
pub fn build(freshness: Freshness) -> Result<u64, Problem> {
    let started = Instant::now();
    let sources = fingerprint_of_sources()?;
    let stamp = place::target().join("xtask/dist.stamp");
    let is_fresh = freshness == Freshness::Enough
        && fs::read_to_string(&stamp).is_ok_and(|text| text == sources)
        && EXPECTED.iter().all(|name| place::dist().join(name).is_file());
    if is_fresh {
        let total = first_visit_bytes(&files_under(&place::dist())?)?;
        println!("dist/ is up to date ({} gzipped); --force builds it anew.", kilobytes(total));
        return Ok(total);
    }
    let mut steps = Steps::new(BUILD_STEPS + 2);
    let tools = setup::build_tools(&mut steps)?;
    steps.next("compiling and bundling the page (some minutes the first time)");
    let log = run::log_path("trunk-build")?;
    steps.note(&format!("log in {}", log.display()));
    let staging = place::target().join("xtask/dist.new");
    let _ = fs::remove_dir_all(&staging);
    fs::create_dir_all(&staging).map_err(|e| io_problem("make", &staging, &e))?;
    let mut trunk = tools.command("trunk");
    trunk.args(["build", "--release", "--dist"]).arg(&staging).env("NO_COLOR", "true");
    run::logged("trunk-build", &mut trunk)?;
    steps.next("finishing dist/");
    let total = finish(&staging)?;
    setup::put_in_place(&staging, &place::dist())?;
    fs::write(&stamp, sources).map_err(|e| io_problem("write", &stamp, &e))?;
    println!("\nThe page is in {} after {}.", place::dist().display(), short(started.elapsed()));
    Ok(total)
}

/// Whether a first visit keeps the budget; the table of sizes tells it for a small standard library.
///
/// # Errors
/// When it does not.
pub fn check_size(total: u64, has_small_std: bool) -> Result<(), Problem> {
    let quick_std = if has_small_std { 0 } else { QUICK_STD_BYTES };
    let limit = BUDGET_BYTES + quick_std;
    if total <= limit {
        return Ok(());
    }
    Err(Problem::with_remedy(
        format!("a first visit loads {}, more than {}", kilobytes(total), kilobytes(limit)),
        "look at the table of sizes, and at what was added since it was smaller",
    ))
}

fn finish(folder: &Path) -> Result<u64, Problem> {
    for name in EXPECTED {
        if !folder.join(name).is_file() {
            return Err(Problem::new(format!(
                "the bundler made no {name}; see index.html and Trunk.toml"
            )));
        }
    }
    for name in WITHOUT_COMMENTS {
        let path = folder.join(name);
        let text = without_comments(&String::from_utf8_lossy(&read(&path)?));
        fs::write(&path, text).map_err(|e| io_problem("write", &path, &e))?;
    }
    for (program, script) in PROGRAMS {
        let (program, script) = (folder.join(program), folder.join(script));
        let text = String::from_utf8_lossy(&read(&script)?).into_owned();
        let (bytes, text) = imports::shorten(&read(&program)?, &text)?;
        fs::write(&program, bytes).map_err(|e| io_problem("write", &program, &e))?;
        fs::write(&script, text).map_err(|e| io_problem("write", &script, &e))?;
    }
    let files = files_under(folder)?;
    let mut hash = Fnv::new();
    for file in &files {
        hash.add(file.name.as_bytes());
        hash.add(&read(&file.path)?);
    }
    let id = hash.text();
    for name in WITH_BUILD_ID {
        let path = folder.join(name);
        let text = String::from_utf8_lossy(&read(&path)?).into_owned();
        if !text.contains(PLACEHOLDER) {
            return Err(Problem::new(format!("{name} has no address with {PLACEHOLDER}")));
        }
        let finished = with_build_id(&text, &id);
        if *name == "index.html" {
            check_page(&finished, &id)?;
        }
        fs::write(&path, finished).map_err(|e| io_problem("write", &path, &e))?;
    }
    let worker = folder.join(SERVICE_WORKER);
    let text = String::from_utf8_lossy(&read(&worker)?).into_owned();
    let text = with_kept_files(&text, &id, &files_under(folder)?)?;
    fs::write(&worker, text).map_err(|e| io_problem("write", &worker, &e))?;
    let headers = folder.join("_headers");
    fs::write(&headers, server::headers_file()).map_err(|e| io_problem("write", &headers, &e))?;
    let files = files_under(folder)?;
    let total = first_visit_bytes(&files)?;
    print_sizes(&files, total, &id)?;
    Ok(total)
}

/// Drops the lines that are only a comment, and what lines begin with; a reader finds them in the sources.
/// No text in these files goes over several lines.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_inside = false;
    for line in text.lines() {
        let trimmed = line.trim();
        // A comment with something behind it stays.
        let begins =
            trimmed.starts_with("/*") && (!trimmed.contains("*/") || trimmed.ends_with("*/"));
        let is_comment = is_inside || begins || trimmed.starts_with("//");
        if is_inside || begins {
            is_inside = !trimmed.ends_with("*/");
        }
        if !is_comment && !trimmed.is_empty() {
            kept.push_str(trimmed);
            kept.push('\n');
        }
    }
    kept
}

/// Puts the build id everywhere, and drops what only the bundler reads.
fn with_build_id(text: &str, id: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("data-trunk"))
        .filter(|line| !(line.trim().is_empty() && line.starts_with(' ')))
        .collect();
    let mut text = lines.join("\n");
    text.push('\n');
    text.replace(PLACEHOLDER, &format!("?v={id}"))
        .replace(META_PLACEHOLDER, &format!("name=\"build\" content=\"{id}\""))
}

/// Writes the build id and the files with their hashes into the service worker.
fn with_kept_files(text: &str, id: &str, files: &[Found]) -> Result<String, Problem> {
    for placeholder in [NO_BUILD, NO_FILES] {
        if text.matches(placeholder).count() != 1 {
            return Err(Problem::new(format!("{SERVICE_WORKER} has no line `{placeholder}`")));
        }
    }
    let mut list = String::new();
    for file in files.iter().filter(|file| !NOT_KEPT.contains(&file.name.as_str())) {
        // The page is asked for by its folder, as a visitor does.
        let name = if file.name == "index.html" { "" } else { &file.name };
        let hash = BASE64.encode(Sha256::digest(read(&file.path)?));
        list.push_str(&format!("  [\"{name}\", \"sha256-{hash}\"],\n"));
    }
    Ok(text
        .replace(NO_BUILD, &format!("const build = \"{id}\";"))
        .replace(NO_FILES, &format!("const files = [\n{list}];")))
}

/// The page must know its build id, and work from any sub-path.
fn check_page(page: &str, id: &str) -> Result<(), Problem> {
    if !page.contains(&format!("name=\"build\" content=\"{id}\"")) {
        return Err(Problem::new("index.html has no meta element with the build id"));
    }
    for absolute in ["=\"/", "='/", "=/", "=\"http:", "=\"https:"] {
        if page.contains(absolute) {
            return Err(Problem::new(format!(
                "index.html has an absolute address ({absolute}…): the page would not work from a sub-path"
            )));
        }
    }
    Ok(())
}

fn print_sizes(files: &[Found], total: u64, id: &str) -> Result<(), Problem> {
    println!("\n{:<28}{:>12}{:>12}", "file", "bytes", "gzip");
    for file in files {
        let content = read(&file.path)?;
        let loaded = if is_loaded(&file.name) { "" } else { "  (not loaded)" };
        println!("{:<28}{:>12}{:>12}{loaded}", file.name, content.len(), gzip_bytes(&content));
    }
    println!(
        "{:<28}{:>12}{:>12}  budget {BUDGET_BYTES}: {}\nbuild id {id}",
        "a first visit",
        "",
        total,
        if total <= BUDGET_BYTES { "kept" } else { "EXCEEDED" },
    );
    Ok(())
}

fn first_visit_bytes(files: &[Found]) -> Result<u64, Problem> {
    let mut total = 0;
    for file in files.iter().filter(|file| is_loaded(&file.name)) {
        total += gzip_bytes(&read(&file.path)?);
    }
    Ok(total)
}

fn is_loaded(name: &str) -> bool {
    // Lessons and entries are fetched one by one, by the program that shows them.
    let is_on_demand = ["lessons/", "errors/"].iter().any(|folder| name.starts_with(folder));
    !NOT_LOADED.contains(&name) && !is_on_demand
}

/// The size of this content as `gzip -9` would send it: the deflated bytes, a header and a trailer.
fn gzip_bytes(content: &[u8]) -> u64 {
    const FRAME_BYTES: u64 = 18;
    let deflated = miniz_oxide::deflate::compress_to_vec(content, 9);
    u64::try_from(deflated.len()).unwrap_or(u64::MAX).saturating_add(FRAME_BYTES)
}

fn kilobytes(bytes: u64) -> String {
    format!("{}.{} KB", bytes / 1000, bytes % 1000 / 100)
}

struct Found {
    /// Relative to the folder, with `/`.
    name: String,
    path: PathBuf,
}

/// All files under a folder (or the file itself), in the order of their names.
fn files_under(folder: &Path) -> Result<Vec<Found>, Problem> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path).map_err(|e| io_problem("read", &path, &e))? {
                waiting.push(entry.map_err(|e| io_problem("read", &path, &e))?.path());
            }
        } else {
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            found.push(Found { name, path });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn fingerprint_of_sources() -> Result<String, Problem> {
    let mut hash = Fnv::new();
    for source in SOURCES {
        let path = place::root().join(source);
        if !path.exists() {
            return Err(Problem::new(format!(
                "{source} is missing in {}",
                place::root().display()
            )));
        }
        for file in files_under(&path)? {
            hash.add(source.as_bytes());
            hash.add(file.name.as_bytes());
            hash.add(&read(&file.path)?);
        }
    }
    Ok(hash.text())
}

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    fs::read(path).map_err(|e| io_problem("read", path, &e))
}

/// FNV-1a with 64 bits: names a content, guards nothing.
pub struct Fnv(u64);

impl Fnv {
    /// The hash of nothing.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds one piece; its length counts too, so that pieces cannot run together.
    pub fn add(&mut self, piece: &[u8]) {
        let length = u64::try_from(piece.len()).unwrap_or(u64::MAX).to_le_bytes();
        for byte in length.iter().chain(piece) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Sixteen hexadecimal digits.
    pub fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_gets_the_build_id_and_the_bundlers_lines_go() {
        let page = "<meta name=\"build\" content=\"dev\">\n<link data-trunk rel=\"rust\">\n  \n<script src=\"./a?v=dev\">";
        let finished = with_build_id(page, "0123");
        let wanted = "<meta name=\"build\" content=\"0123\">\n<script src=\"./a?v=0123\">\n";
        assert_eq!(finished, wanted);
        assert!(check_page(&finished, "0123").is_ok());
    }

    #[test]
    fn lines_that_are_only_a_comment_go() {
        let text = "// one\nlet a = 1; // stays\n\n  /* two\n   * three\n   */\n.a { }\n/* four */\nb /* c */\n/* d */ e\n";
        let wanted = "let a = 1; // stays\n.a { }\nb /* c */\n/* d */ e\n";
        assert_eq!(without_comments(text), wanted);
    }

    #[test]
    fn the_service_worker_knows_its_build_and_the_files_with_their_hashes() {
        let folder = place::target().join("xtask/self_test_kept");
        fs::create_dir_all(&folder).expect("the folder can be made");
        for name in ["index.html", "a.mjs", SERVICE_WORKER, "_headers"] {
            fs::write(folder.join(name), "abc").expect("a file can be written");
        }
        let files = files_under(&folder).expect("the folder can be read");
        let text = with_kept_files(&format!("{NO_BUILD}\n{NO_FILES}\n"), "01", &files);
        let hash = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        let wanted = format!(
            "const build = \"01\";\nconst files = [\n  [\"a.mjs\", \"{hash}\"],\n  [\"\", \"{hash}\"],\n];\n"
        );
        assert_eq!(text.expect("both lines are there"), wanted);
        assert!(with_kept_files(NO_BUILD, "01", &files).is_err());
    }

    #[test]
    fn an_absolute_address_is_refused() {
        let page = "<meta name=\"build\" content=\"1\"><link href=\"/a.css\">";
        assert!(check_page(page, "1").is_err());
    }

    #[test]
    fn pieces_do_not_run_together() {
        let (mut one, mut two) = (Fnv::new(), Fnv::new());
        one.add(b"ab");
        one.add(b"c");
        two.add(b"a");
        two.add(b"bc");
        assert_ne!(one.text(), two.text());
    }

    #[test]
    fn the_page_may_not_grow() {
        let limit = BUDGET_BYTES;
        assert!(check_size(limit, true).is_ok());
        assert!(check_size(limit + 1, true).is_err());
        assert!(check_size(limit + 1, false).is_ok());
        assert!(check_size(limit + QUICK_STD_BYTES + 1, false).is_err());
    }
}
