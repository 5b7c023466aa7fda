//! Short names for what a program and its JavaScript have of each other, and nothing that neither uses.
//!
//! wasm-bindgen names each import, and each export that calls a closure, by what it does and a hash, in the program
//! and in its script: some 9 KB of a first visit, gzipped, that nobody reads.
//! It also keeps classes for what a library would hand to a script, though ours never gets one of them.
//! What it is not: a minifier; everything else stays as it is.
//! Invariants: both files keep their order and their meaning; a script that does not name every import exactly once
//! is an error, not a guess; a class that anything else names stays.

use std::collections::{BTreeMap, BTreeSet};

use crate::tell::Problem;

/// The section of a WebAssembly module that lists its imports.
const IMPORT_SECTION: u8 = 2;
/// The section that lists its exports.
const EXPORT_SECTION: u8 = 7;
/// How the name of an export that calls a closure begins.
const CLOSURE_CALL: &str = "wasm_bindgen__convert__closures";

/// Drops the classes of `script` that nothing makes, with what they alone use of the program; gives the imports of
/// `program`, and its exports that call closures, short names, in it and in `script`.
///
/// # Errors
/// If the program is none, or the two do not fit together.
pub fn shorten(program: &[u8], script: &str) -> Result<(Vec<u8>, String), Problem> {
    let script = without_unused_classes(script);
    let mut names = Names { used: words(&script).collect(), ..Names::default() };
    let program = renamed(program, &mut names)
        .ok_or_else(|| Problem::new("a WebAssembly program cannot be read to its end"))?;
    let mut seen = 0;
    let mut text = String::with_capacity(script.len());
    for piece in words(&script) {
        let import = names.imports.get(piece);
        seen += usize::from(import.is_some());
        text.push_str(import.or_else(|| names.exports.get(piece)).map_or(piece, String::as_str));
    }
    if seen != names.imports.len() {
        return Err(Problem::new(format!(
            "the script names {seen} imports, its program has {}",
            names.imports.len()
        )));
    }
    Ok((program, text))
}

/// What is named anew, and what the script names at all.
#[derive(Default)]
struct Names<'a> {
    imports: BTreeMap<String, String>,
    exports: BTreeMap<String, String>,
    used: BTreeSet<&'a str>,
}

/// The text in pieces: words, and what stands between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_word = is_letter(rest.chars().next()?);
        let end = rest.find(|c| is_letter(c) != is_word).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// The script without its exported classes, unless something besides their own registry names them.
fn without_unused_classes(script: &str) -> String {
    let mut text = script.to_owned();
    for line in script.lines() {
        let name = line.strip_prefix("export class ").and_then(|rest| rest.strip_suffix(" {"));
        if let Some(shorter) = name.and_then(|name| without_class(&text, name)) {
            text = shorter;
        }
    }
    text
}

/// The text without a class: its body, its way to be disposed of, its registry; `None` if more names it.
fn without_class(text: &str, name: &str) -> Option<String> {
    let head = format!("export class {name} {{");
    let disposal = format!("if (Symbol.dispose) {name}.");
    let registry = format!("const {name}Finalization ");
    let mut kept = String::with_capacity(text.len());
    let mut depth = 0_i32;
    let mut is_registry = false;
    for line in text.lines() {
        if depth > 0 || line == head {
            let count = |brace: char| i32::try_from(line.matches(brace).count()).unwrap_or(0);
            depth += count('{') - count('}');
        } else if is_registry || line.starts_with(&registry) {
            is_registry = !line.ends_with(';');
        } else if !line.starts_with(&disposal) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    let is_named = words(&kept).any(|word| word == name || word == format!("{name}Finalization"));
    (!is_named && depth == 0).then_some(kept)
}

/// The program with short names, which are noted in `names`; `None` if it is not understood.
fn renamed(program: &[u8], names: &mut Names<'_>) -> Option<Vec<u8>> {
    let mut input = program.strip_prefix(b"\0asm\x01\0\0\0")?;
    let mut output = program.get(..8)?.to_vec();
    while let Some((id, rest)) = input.split_first() {
        input = rest;
        let length = number(&mut input)?;
        let section = take(&mut input, length)?;
        match *id {
            IMPORT_SECTION => {
                put(&mut output, *id, &renamed_imports(section, &mut names.imports)?);
            }
            EXPORT_SECTION => put(&mut output, *id, &used_exports(section, names)?),
            _ => put(&mut output, *id, section),
        }
    }
    Some(output)
}

fn renamed_imports(mut input: &[u8], names: &mut BTreeMap<String, String>) -> Option<Vec<u8>> {
    let count = number(&mut input)?;
    let mut output = leb(count);
    for at in 0..count {
        let module = bytes(&mut input)?;
        let name = String::from_utf8(bytes(&mut input)?.to_vec()).ok()?;
        let short = format!("i{at}");
        output.extend(leb(module.len()));
        output.extend(module);
        output.extend(leb(short.len()));
        output.extend(short.bytes());
        let before = input;
        // All that a script gives are functions: a kind, and which type.
        if take(&mut input, 1)? != [0] {
            return None;
        }
        number(&mut input)?;
        output.extend(before.get(..before.len() - input.len())?);
        if names.insert(name, short).is_some() {
            return None;
        }
    }
    input.is_empty().then_some(output)
}

/// The exports that the script names; those that call closures by short names.
fn used_exports(mut input: &[u8], names: &mut Names<'_>) -> Option<Vec<u8>> {
    let count = number(&mut input)?;
    let mut output = Vec::new();
    let mut kept = 0;
    for at in 0..count {
        let name = std::str::from_utf8(bytes(&mut input)?).ok()?;
        let before = input;
        take(&mut input, 1)?;
        number(&mut input)?;
        let what = before.get(..before.len() - input.len())?;
        if !names.used.contains(name) {
            continue;
        }
        let mut short = name.to_owned();
        if name.starts_with(CLOSURE_CALL) {
            short = format!("c{at}");
            names.exports.insert(name.to_owned(), short.clone());
        }
        output.extend(leb(short.len()));
        output.extend(short.bytes());
        output.extend(what);
        kept += 1;
    }
    input.is_empty().then(|| [leb(kept), output].concat())
}

fn put(output: &mut Vec<u8>, id: u8, section: &[u8]) {
    output.push(id);
    output.extend(leb(section.len()));
    output.extend(section);
}

fn take<'a>(input: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(length)?;
    *input = rest;
    Some(taken)
}

/// Bytes behind their length.
fn bytes<'a>(input: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = number(input)?;
    take(input, length)
}

/// A number in LEB128.
fn number(input: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = input.split_first()?;
        *input = rest;
        number |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut output = Vec::new();
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        output.push(if number == 0 { low } else { low | 0x80 });
        if number == 0 {
            return output;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with these imports and 300 bytes more.
    fn program(names: &[&str]) -> Vec<u8> {
        let mut imports = leb(names.len());
        for name in names {
            for text in ["./app_bg.js", name] {
                imports.extend(leb(text.len()));
                imports.extend(text.bytes());
            }
            imports.extend([0, 0x85, 1]);
        }
        let mut program = b"\0asm\x01\0\0\0".to_vec();
        put(&mut program, 1, &[0x60, 0, 0]);
        put(&mut program, IMPORT_SECTION, &imports);
        put(&mut program, 10, &[7; 300]);
        program
    }

    #[test]
    fn program_and_script_get_the_same_short_names_and_nothing_else_changes() {
        let script = "const i = { __wbg_b_1: function() {}, __wbg_a_22: f, };\n// __wbg_a\n";
        let (made, text) = shorten(&program(&["__wbg_a_22", "__wbg_b_1"]), script).ok().unwrap();
        assert_eq!(made, program(&["i0", "i1"]));
        assert_eq!(text, "const i = { i1: function() {}, i0: f, };\n// __wbg_a\n");
    }

    fn with_exports(names: &[&str]) -> Vec<u8> {
        let mut exports = leb(names.len());
        for (name, at) in names.iter().zip(1..) {
            exports.extend(leb(name.len()));
            exports.extend(name.bytes());
            exports.extend([0, at]);
        }
        let mut program = program(&[]);
        put(&mut program, EXPORT_SECTION, &exports);
        program
    }

    #[test]
    fn exports_that_nothing_names_go_and_calls_of_closures_get_short_names() {
        let call = "wasm_bindgen__convert__closures_____invoke__h0bac";
        let script = format!("function {call}(a) {{\nwasm.{call}(a); wasm.go();\n}}\n");
        let (made, text) = shorten(&with_exports(&["go", call]), &script).ok().unwrap();
        assert_eq!(made, with_exports(&["go", "c1"]));
        assert_eq!(text, "function c1(a) {\nwasm.c1(a); wasm.go();\n}\n");
        let (made, _) = shorten(&with_exports(&["go", call]), "wasm.go();\n").ok().unwrap();
        assert_eq!(made, with_exports(&["go"]));
    }

    #[test]
    fn a_class_goes_unless_something_names_it() {
        let class = "export class Sink {\nfree() {\nif (this.p) { wasm.sink_free(this.p); }\n}\n}\n\
            if (Symbol.dispose) Sink.prototype[Symbol.dispose] = Sink.prototype.free;\n";
        let registry = "const SinkFinalization = (typeof FinalizationRegistry === 'undefined')\n\
            ? { register: () => {}, unregister: () => {} }\n\
            : new FinalizationRegistry(ptr => wasm.sink_free(ptr, 1));\n";
        let rest = "export function go() {\nwasm.go();\n}\n";
        assert_eq!(without_unused_classes(&format!("{class}{rest}{registry}")), rest);
        let used = format!("{class}{rest}{registry}new Sink();\n");
        assert_eq!(without_unused_classes(&used), used);
        let cut = class.replace("}\n}\n", "}\n");
        assert_eq!(without_unused_classes(&cut), cut);
    }

    #[test]
    fn files_that_do_not_fit_are_refused() {
        let script = "{ __wbg_a_22: f }";
        assert!(shorten(&program(&["__wbg_a_22"]), script).is_ok());
        assert!(shorten(&program(&["__wbg_a_22", "__wbg_b_1"]), script).is_err());
        assert!(shorten(&program(&["__wbg_a_22"]), "{ __wbg_a_22: __wbg_a_22 }").is_err());
        let whole = program(&["__wbg_a_22"]);
        for end in [0, 7, 9, 20, 40, whole.len() - 1] {
            assert!(shorten(&whole[..end], script).is_err(), "{end}");
        }
    }
}
