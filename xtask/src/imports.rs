//! Short names for what a program imports from its JavaScript.
//!
//! wasm-bindgen names each import by what it does and a hash, in the program and in its script: some 8 KB of a
//! first visit, gzipped, that nobody reads.
//! What it is not: a minifier; everything else stays as it is.
//! Invariants: both files keep their order and their meaning; a script that does not name every import exactly once
//! is an error, not a guess.

use std::collections::BTreeMap;

use crate::tell::Problem;

/// The section of a WebAssembly module that lists its imports.
const IMPORT_SECTION: u8 = 2;

/// Gives the imports of `program` short names, in it and in `script`.
///
/// # Errors
/// If the program is none, or the two do not fit together.
pub fn shorten(program: &[u8], script: &str) -> Result<(Vec<u8>, String), Problem> {
    let mut names = BTreeMap::new();
    let program = renamed(program, &mut names)
        .ok_or_else(|| Problem::new("a WebAssembly program cannot be read to its end"))?;
    let mut seen = 0;
    let mut text = String::with_capacity(script.len());
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut rest = script;
    while let Some(first) = rest.chars().next() {
        let is_word = is_letter(first);
        let end = rest.find(|c| is_letter(c) != is_word).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        seen += usize::from(names.contains_key(piece));
        text.push_str(names.get(piece).map_or(piece, String::as_str));
        rest = after;
    }
    if seen != names.len() {
        return Err(Problem::new(format!(
            "the script names {seen} imports, its program has {}",
            names.len()
        )));
    }
    Ok((program, text))
}

/// The program with short names, which are noted in `names`; `None` if it is not understood.
fn renamed(program: &[u8], names: &mut BTreeMap<String, String>) -> Option<Vec<u8>> {
    let mut input = program.strip_prefix(b"\0asm\x01\0\0\0")?;
    let mut output = program.get(..8)?.to_vec();
    while let Some((id, rest)) = input.split_first() {
        input = rest;
        let length = number(&mut input)?;
        let section = take(&mut input, length)?;
        if *id == IMPORT_SECTION {
            put(&mut output, *id, &renamed_imports(section, names)?);
        } else {
            put(&mut output, *id, section);
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
