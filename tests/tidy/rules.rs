//! The rules that `tests/tidy.rs` applies to one file at a time.

use super::tokens::{Token, tokens};

/// Modules without clock, thread, async, I/O or hash order.
const PURE: &[&str] = &[
    "types",
    "random",
    "api",
    "mutant",
    "raft",
    "mvcc",
    "lease",
    "auth",
    "membership",
    "check",
    "recipes",
    "etcdserver",
    "cluster",
    "etcdctl",
    "scenario",
    "wire",
    "lab",
    "playground",
];

/// Modules whose structs and enums hold no `usize`: it differs between WebAssembly and native.
const WITHOUT_USIZE: &[&str] = &[
    "types",
    "random",
    "api",
    "raft",
    "mvcc",
    "lease",
    "auth",
    "membership",
    "etcdserver",
    "cluster",
    "wire",
];

/// Modules without floating-point numbers.
const WITHOUT_FLOATS: &[&str] = WITHOUT_USIZE;

const LAYER_0_AND_1: &[&str] = &[
    "types",
    "random",
    "api",
    "mutant",
    "raft",
    "mvcc",
    "lease",
    "auth",
    "membership",
    "check",
    "recipes",
];

/// Who may import whom. A name with `::` allows that submodule only.
///
/// A module may always import itself; `bin` may import everything.
const MAY_IMPORT: &[(&str, &[&[&str]])] = &[
    ("types", &[]),
    ("random", &[&["types"]]),
    ("api", &[&["types"]]),
    ("mutant", &[]),
    ("raft", &[&["types", "random", "mutant"]]),
    ("mvcc", &[&["types", "random", "api", "mutant"]]),
    ("lease", &[&["types", "random", "api", "mutant"]]),
    ("auth", &[&["types", "random", "api", "mutant"]]),
    ("membership", &[&["types", "random", "api", "mutant"]]),
    ("check", &[&["types", "api"]]),
    ("recipes", &[&["types", "api"]]),
    ("etcdserver", &[LAYER_0_AND_1]),
    ("cluster", &[LAYER_0_AND_1, &["etcdserver"]]),
    ("etcdctl", &[&["types", "api", "recipes"]]),
    ("scenario", &[&["types", "api", "etcdctl", "cluster::fault"]]),
    ("wire", &[&["types", "api", "raft", "membership", "etcdserver", "cluster::fault"]]),
    ("lab", &[LAYER_0_AND_1, &["etcdserver", "cluster", "etcdctl", "scenario", "wire"]]),
    ("playground", &[&["types", "api", "check", "etcdctl", "scenario", "wire", "cluster::fault"]]),
    ("browser", &[PURE]),
    ("ui", &[&["playground", "types", "api"]]),
];

/// The longest file, tests not counted.
const FILE_LINES_MAX: usize = 800;
/// The longest program: a `bin` file only joins what the library has.
const BIN_LINES_MAX: usize = 60;

/// Looks at one file of `src/`; `path` is relative to it, with `/`. Gives back a sentence per violation.
pub(crate) fn violations(path: &str, source: &str) -> Vec<String> {
    let file = File::read(path, source);
    let mut found = Vec::new();
    found.extend(file.shape(source));
    found.extend(file.imports());
    found.extend(file.words());
    found.into_iter().map(|(line, what)| format!("src/{path}:{line}: {what}")).collect()
}

/// Looks at any text of the project for marks of unfinished work.
pub(crate) fn unfinished(path: &str, text: &str) -> Vec<String> {
    let marks = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["#[ign", "ore"].concat()];
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for mark in marks.iter().filter(|mark| line.contains(mark.as_str())) {
            found.push(format!("{path}:{}: `{mark}` marks unfinished work", at + 1));
        }
    }
    found
}

/// Looks at a script of the page for ways in which text becomes markup or program.
pub(crate) fn script(path: &str, text: &str) -> Vec<String> {
    let banned =
        ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"];
    banned
        .iter()
        .filter(|word| text.contains(**word))
        .map(|word| format!("{path}: `{word}` is banned"))
        .collect()
}

type Found = (usize, String);

struct File<'a> {
    path: &'a str,
    /// The top-level module that the file belongs to.
    module: &'a str,
    /// How many modules deep the file itself is; the crate's root has 0.
    depth: usize,
    tokens: Vec<Token>,
    /// For each token: how many inline modules it is in, and whether it is test code.
    places: Vec<(usize, bool)>,
}

impl<'a> File<'a> {
    fn read(path: &'a str, source: &str) -> Self {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let first = path.split('/').next().unwrap_or(path);
        let folder_count = folders.split('/').filter(|part| !part.is_empty()).count();
        let depth = folder_count + usize::from(name != "mod.rs" && path != "lib.rs");
        let tokens = tokens(source);
        let is_test_file = name == "tests.rs"
            || path.split('/').any(|part| part == "tests" || part == "testscripts");
        let places = places(&tokens, is_test_file);
        Self { path, module: first.strip_suffix(".rs").unwrap_or(first), depth, tokens, places }
    }

    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    fn line(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(0, |token| token.line)
    }

    fn is_bin(&self) -> bool {
        self.module == "bin"
    }

    fn shape(&self, source: &str) -> Vec<Found> {
        let mut found = Vec::new();
        let test_start = self.places.iter().position(|(_, is_test)| *is_test);
        if !source.starts_with("//! ") && test_start != Some(0) {
            found.push((1, "the file has no head: it must begin with `//! `".to_owned()));
        }
        let own_lines = match test_start {
            Some(0) => 0,
            Some(at) => self.line(at),
            None => source.lines().count(),
        };
        let limit = if self.is_bin() { BIN_LINES_MAX } else { FILE_LINES_MAX };
        if own_lines > limit {
            found.push((
                limit,
                format!("the file has {own_lines} lines without tests; the limit is {limit}"),
            ));
        }
        found
    }

    fn imports(&self) -> Vec<Found> {
        let mut found = Vec::new();
        if self.is_bin() || self.path == "lib.rs" {
            return found;
        }
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|(module, _)| *module == self.module)
        else {
            return vec![(
                1,
                format!("the import table does not know the module `{}`", self.module),
            )];
        };
        for at in 0..self.tokens.len() {
            let after = match self.text(at) {
                "etcd_playground" if self.text(at + 1) == "::" => at + 2,
                "crate" if self.text(at + 1) == "::" => at + 2,
                "crate" if self.is_visibility(at) => continue,
                "crate" => {
                    found.push((self.line(at), "`crate` may not be renamed".to_owned()));
                    continue;
                }
                "super" if self.text(at.wrapping_sub(1)) != "::" => match self.beyond_root(at) {
                    Some(after) => after,
                    None => continue,
                },
                _ => continue,
            };
            for path in self.paths(after) {
                if !self.allows(allowed, &path) {
                    let what = format!("`{}` may not import `{}`", self.module, path.join("::"));
                    found.push((self.line(at), what));
                }
            }
        }
        found
    }

    /// `pub(crate)` and `pub(in crate::…)` name no import.
    fn is_visibility(&self, at: usize) -> bool {
        self.text(at.wrapping_sub(1)) == "("
            && self.text(at.wrapping_sub(2)) == "pub"
            && self.text(at + 1) == ")"
    }

    /// If `super::super::…` from here leaves for the crate's root: where the path goes on.
    fn beyond_root(&self, at: usize) -> Option<usize> {
        let mut supers = 1;
        let mut end = at + 1;
        while self.text(end) == "::" && self.text(end + 1) == "super" {
            supers += 1;
            end += 2;
        }
        let inline = self.places.get(at).map_or(0, |(inline, _)| *inline);
        (supers >= self.depth + inline && self.text(end) == "::").then_some(end + 1)
    }

    /// All paths that begin at a token, groups spelt out, cut to two names.
    fn paths(&self, at: usize) -> Vec<Vec<String>> {
        self.paths_and_end(at, 2).0
    }

    fn paths_and_end(&self, at: usize, names: usize) -> (Vec<Vec<String>>, usize) {
        if self.text(at) == "{" {
            let mut paths = Vec::new();
            let mut next = at + 1;
            while !matches!(self.text(next), "}" | "") {
                if self.text(next) == "," {
                    next += 1;
                    continue;
                }
                let (some, end) = self.paths_and_end(next, names);
                paths.extend(some);
                next = end.max(next + 1);
            }
            return (paths, next + 1);
        }
        let name = self.text(at).to_owned();
        let mut end = at + 1;
        let mut rest = vec![Vec::new()];
        if self.text(end) == "::" && self.text(end + 1) != "<" {
            (rest, end) = self.paths_and_end(end + 1, names.saturating_sub(1));
        } else if self.text(end) == "as" {
            end += 2;
        }
        let mut paths = Vec::new();
        for tail in rest {
            let mut path = vec![name.clone()];
            path.extend(tail);
            path.truncate(names.max(1));
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        (paths, end)
    }

    fn allows(&self, allowed: &[&[&str]], path: &[String]) -> bool {
        let first = path.first().map_or("", String::as_str);
        let two = path.join("::");
        first == self.module
            || allowed.iter().any(|list| list.iter().any(|name| *name == first || *name == two))
    }

    fn words(&self) -> Vec<Found> {
        let mut found = Vec::new();
        let (pure, is_edge) = (PURE.contains(&self.module), self.is_bin() || self.path == "lib.rs");
        let mut data = DataBody::default();
        for at in 0..self.tokens.len() {
            let word = self.text(at);
            let line = self.line(at);
            let in_data = data.step(word);
            let mut ban = |why: &str| found.push((line, format!("`{word}` {why}")));
            match word {
                "inner_html"
                | "set_inner_html"
                | "outer_html"
                | "set_outer_html"
                | "insert_adjacent_html" => {
                    ban("would turn text into markup");
                }
                "eval" if self.text(at + 1) == "(" => ban("would turn text into a program"),
                "Function" if self.text(at + 1) == "::" && self.text(at + 2).starts_with("new") => {
                    ban("::new would turn text into a program");
                }
                "target_arch" if !is_edge => ban("is asked only in lib.rs and bin/"),
                _ => {}
            }
            let is_test = self.places.get(at).is_some_and(|(_, is_test)| *is_test);
            if !pure || is_test {
                continue;
            }
            match word {
                "HashMap" | "HashSet" => ban("has no reproducible order"),
                "async" | "await" => ban("belongs to the edges"),
                "usize" | "isize" if in_data && WITHOUT_USIZE.contains(&self.module) => {
                    ban("in stored data differs between WebAssembly and native");
                }
                "f32" | "f64" if WITHOUT_FLOATS.contains(&self.module) => {
                    ban("is not reproducible enough");
                }
                "std" if self.text(at + 1) == "::" => {
                    for path in self.paths(at + 2) {
                        let name = path.first().map_or("", String::as_str);
                        if matches!(
                            name,
                            "time" | "thread" | "fs" | "net" | "env" | "process" | "io"
                        ) {
                            found.push((line, format!("`std::{name}` belongs to the edges")));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Knows whether a token stands in the body of a struct or an enum.
#[derive(Default)]
struct DataBody {
    announced: bool,
    depth: usize,
}

impl DataBody {
    fn step(&mut self, word: &str) -> bool {
        match word {
            "struct" | "enum" if self.depth == 0 => self.announced = true,
            ";" if self.depth == 0 => self.announced = false,
            "{" | "(" if self.announced => self.depth += 1,
            "}" | ")" if self.announced && self.depth > 0 => {
                self.depth -= 1;
                // `struct A(u8);` ends at its semicolon, `struct A {}` at its brace.
                if self.depth == 0 && word == "}" {
                    self.announced = false;
                }
            }
            _ => {}
        }
        self.announced && self.depth > 0
    }
}

/// For each token: the number of inline modules around it, and whether a `#[cfg(test)]` module is one of them.
fn places(tokens: &[Token], is_test_file: bool) -> Vec<(usize, bool)> {
    let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
    let mut places = Vec::with_capacity(tokens.len());
    // Per open brace: whether it opened a module, and whether it opened a test module.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut test_is_next = false;
    for at in 0..tokens.len() {
        let opens_module = text(at) == "{" && at >= 2 && text(at - 2) == "mod";
        let is_test = is_test_file || open.iter().any(|(_, is_test)| *is_test);
        places.push((open.iter().filter(|(is_module, _)| *is_module).count(), is_test));
        let attribute = ["#", "[", "cfg", "(", "test", ")", "]"];
        if attribute.iter().enumerate().all(|(i, sign)| text(at + i) == *sign) {
            test_is_next = true;
        }
        match text(at) {
            "{" => {
                open.push((opens_module, opens_module && test_is_next));
                test_is_next = false;
            }
            "}" => {
                open.pop();
            }
            ";" => test_is_next = false,
            _ => {}
        }
    }
    places
}
