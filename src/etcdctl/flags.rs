//! Flags: how they are declared, read from words, and looked up.
//!
//! What it is: the grammar of pflag (flags after arguments, `--flag=v`, `--flag v`, `-f v`, `-fv`, `--`) with its
//! exact error texts.
//! What it is not: the list of flags (see `table`).
//! Invariants: a lookup of a flag that the command does not declare is a bug and asserts.
//! Source: the behaviour of `github.com/spf13/pflag`, checked against recorded answers of etcdctl 3.7.1.

use crate::etcdctl::go;
use crate::types::{SmallMap, SmallSet};

/// What a flag holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagKind {
    /// Yes or no; given without a value it means yes.
    Bool,
    /// A signed 64-bit number.
    Int,
    /// An unsigned 64-bit number.
    Uint,
    /// Any text.
    Text,
    /// A time with a unit, such as `5s`.
    Duration,
    /// Texts separated by commas; may be given several times.
    List,
}

impl FlagKind {
    /// The word for it in help pages.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bool => "",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Text => "string",
            Self::Duration => "duration",
            Self::List => "strings",
        }
    }
}

/// One declared flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagSpec {
    /// Its long name, without the dashes.
    pub name: &'static str,
    /// Its one-letter form.
    pub short: Option<char>,
    /// What it holds.
    pub kind: FlagKind,
    /// Its value when it is not given, as it would be typed.
    pub default: &'static str,
    /// What it is for, in half a sentence.
    pub about: &'static str,
    /// It is accepted and does nothing, for the reason that `about` gives.
    pub ignored: bool,
    /// The values it may have, where these are few.
    pub values: &'static [&'static str],
}

impl FlagSpec {
    pub(crate) const fn new(name: &'static str, kind: FlagKind, about: &'static str) -> Self {
        let default = match kind {
            FlagKind::Bool => "false",
            FlagKind::Int | FlagKind::Uint => "0",
            FlagKind::Duration => "0s",
            FlagKind::Text | FlagKind::List => "",
        };
        Self { name, short: None, kind, default, about, ignored: false, values: &[] }
    }

    pub(crate) const fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    pub(crate) const fn default(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }

    pub(crate) const fn values(mut self, values: &'static [&'static str]) -> Self {
        self.values = values;
        self
    }

    pub(crate) const fn ignored(mut self) -> Self {
        self.ignored = true;
        self
    }

    /// As pflag names it in an error about its value.
    fn full_name(&self) -> String {
        match self.short {
            Some(short) => format!("-{short}, --{}", self.name),
            None => format!("--{}", self.name),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Text(String),
    /// Nanoseconds.
    Duration(i64),
    List(Vec<String>),
}

impl Value {
    fn parse(kind: FlagKind, text: &str) -> Result<Self, String> {
        Ok(match kind {
            FlagKind::Bool => Self::Bool(go::parse_bool(text)?),
            FlagKind::Int => Self::Int(go::parse_int(text, 0)?),
            FlagKind::Uint => Self::Uint(go::parse_uint(text, 0)?),
            FlagKind::Text => Self::Text(text.to_owned()),
            FlagKind::Duration => Self::Duration(go::parse_duration(text)?),
            FlagKind::List if text.is_empty() => Self::List(Vec::new()),
            FlagKind::List => Self::List(text.split(',').map(str::to_owned).collect()),
        })
    }
}

/// The values of a command's flags.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlagValues {
    values: SmallMap<&'static str, Value>,
    given: SmallSet<&'static str>,
}

impl FlagValues {
    /// Every flag at its default.
    pub(crate) fn defaults(specs: &[&'static FlagSpec]) -> Self {
        let mut values = SmallMap::new();
        for spec in specs {
            match Value::parse(spec.kind, spec.default) {
                Ok(value) => values.insert(spec.name, value),
                Err(error) => unreachable!("default of --{}: {error}", spec.name),
            };
        }
        Self { values, given: SmallSet::new() }
    }

    /// Sets a flag from text; a list that was already given grows.
    pub(crate) fn set(&mut self, spec: &FlagSpec, text: &str) -> Result<(), String> {
        let mut value = Value::parse(spec.kind, text)?;
        let again = !self.given.insert(spec.name);
        if again
            && let (Some(Value::List(earlier)), Value::List(added)) =
                (self.values.get(spec.name), &mut value)
        {
            let mut all = earlier.clone();
            all.append(added);
            *added = all;
        }
        self.values.insert(spec.name, value);
        Ok(())
    }

    /// What a flag holds after a variable that cannot be read: Go has set it to nothing by then. A list stays.
    pub(crate) fn clear(&mut self, spec: &FlagSpec) {
        let nothing = match spec.kind {
            FlagKind::Bool => Value::Bool(false),
            FlagKind::Int => Value::Int(0),
            FlagKind::Uint => Value::Uint(0),
            FlagKind::Duration => Value::Duration(0),
            FlagKind::Text | FlagKind::List => return,
        };
        self.values.insert(spec.name, nothing);
    }

    /// Whether the flag was given, rather than left at its default.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.given.contains(name)
    }

    /// Whether any flag was given.
    pub(crate) fn is_any_given(&self) -> bool {
        !self.given.is_empty()
    }

    pub(crate) fn bool(&self, name: &str) -> bool {
        match self.values.get(name) {
            Some(Value::Bool(value)) => *value,
            _ => unreachable!("--{name} is not a declared switch"),
        }
    }

    pub(crate) fn int(&self, name: &str) -> i64 {
        match self.values.get(name) {
            Some(Value::Int(value)) => *value,
            _ => unreachable!("--{name} is not a declared number"),
        }
    }

    pub(crate) fn uint(&self, name: &str) -> u64 {
        match self.values.get(name) {
            Some(Value::Uint(value)) => *value,
            _ => unreachable!("--{name} is not a declared unsigned number"),
        }
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        match self.values.get(name) {
            Some(Value::Text(value)) => value,
            _ => unreachable!("--{name} is not a declared text"),
        }
    }

    /// Whole milliseconds; less than one is 0, and so is a negative time.
    pub(crate) fn millis(&self, name: &str) -> u64 {
        match self.values.get(name) {
            Some(Value::Duration(nanos)) => u64::try_from(*nanos).unwrap_or(0) / 1_000_000,
            _ => unreachable!("--{name} is not a declared duration"),
        }
    }

    /// A limit in milliseconds; `None`: none, as for a time that is not positive.
    pub(crate) fn limit(&self, name: &str) -> Option<u64> {
        match self.values.get(name) {
            Some(Value::Duration(nanos)) if *nanos <= 0 => None,
            _ => Some(self.millis(name)),
        }
    }

    pub(crate) fn list(&self, name: &str) -> &[String] {
        match self.values.get(name) {
            Some(Value::List(value)) => value,
            _ => unreachable!("--{name} is not a declared list"),
        }
    }
}

/// Words sorted into flags and arguments.
#[derive(Clone, Debug)]
pub(crate) struct Sorted {
    pub(crate) flags: FlagValues,
    pub(crate) args: Vec<String>,
    /// Where each argument stood among the words, from 0.
    pub(crate) positions: Vec<u32>,
    /// How many arguments stood before `--`, if there was one.
    pub(crate) before_dashes: Option<u32>,
}

/// Sorts `words` by the flags in `specs`.
pub(crate) fn parse(specs: &[&'static FlagSpec], words: &[String]) -> Result<Sorted, String> {
    let flags = FlagValues::defaults(specs);
    let mut sorted = Sorted { flags, args: Vec::new(), positions: Vec::new(), before_dashes: None };
    let mut rest = words.iter();
    let place = |left: usize| u32::try_from(words.len() - left).unwrap_or(u32::MAX);
    while let Some(word) = rest.next() {
        if word == "--" {
            sorted.before_dashes = Some(u32::try_from(sorted.args.len()).unwrap_or(u32::MAX));
            sorted.positions.extend(place(rest.len())..place(0));
            sorted.args.extend(rest.by_ref().cloned());
        } else if let Some(long) = word.strip_prefix("--") {
            parse_long(specs, &mut sorted.flags, long, &mut rest)?;
        } else if word.len() > 1 && word.starts_with('-') {
            parse_short(specs, &mut sorted.flags, word, &mut rest)?;
        } else {
            sorted.positions.push(place(rest.len() + 1));
            sorted.args.push(word.clone());
        }
    }
    Ok(sorted)
}

fn parse_long(
    specs: &[&'static FlagSpec],
    flags: &mut FlagValues,
    long: &str,
    rest: &mut std::slice::Iter<'_, String>,
) -> Result<(), String> {
    if long.starts_with(['-', '=']) {
        return Err(format!("bad flag syntax: --{long}"));
    }
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
        return Err(format!("unknown flag: --{name}"));
    };
    let value = match value {
        Some(value) => value,
        None if spec.kind == FlagKind::Bool => "true",
        None => rest.next().ok_or_else(|| format!("flag needs an argument: --{long}"))?,
    };
    set(flags, spec, value)
}

fn parse_short(
    specs: &[&'static FlagSpec],
    flags: &mut FlagValues,
    word: &str,
    rest: &mut std::slice::Iter<'_, String>,
) -> Result<(), String> {
    let mut letters = word.get(1..).unwrap_or_default();
    while let Some(first) = letters.bytes().next() {
        // pflag looks at bytes, so only the first byte of a longer character is named.
        let letter = char::from(first);
        let Some(spec) = specs.iter().find(|spec| spec.short == Some(letter)) else {
            return Err(format!("unknown shorthand flag: '{letter}' in -{letters}"));
        };
        let after = letters.get(1..).unwrap_or_default();
        letters = "";
        let value = match after.strip_prefix('=') {
            Some(value) if !value.is_empty() => value,
            _ if spec.kind == FlagKind::Bool => {
                letters = after;
                "true"
            }
            _ if !after.is_empty() => after,
            _ => rest
                .next()
                .ok_or_else(|| format!("flag needs an argument: '{letter}' in -{letter}{after}"))?,
        };
        set(flags, spec, value)?;
    }
    Ok(())
}

fn set(flags: &mut FlagValues, spec: &FlagSpec, value: &str) -> Result<(), String> {
    flags.set(spec, value).map_err(|error| {
        let (value, name) = (go::quote(value.as_bytes()), go::quote(spec.full_name().as_bytes()));
        format!("invalid argument {value} for {name} flag: {error}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    static FORMAT: FlagSpec = FlagSpec::new("write-out", FlagKind::Text, "").short('w');
    static PREFIX: FlagSpec = FlagSpec::new("prefix", FlagKind::Bool, "").short('p');
    static HEX: FlagSpec = FlagSpec::new("hex", FlagKind::Bool, "").short('x');
    static REV: FlagSpec = FlagSpec::new("rev", FlagKind::Int, "").short('r');
    static ENDPOINTS: FlagSpec = FlagSpec::new("endpoints", FlagKind::List, "").default("a");
    static SPECS: [&FlagSpec; 5] = [&FORMAT, &PREFIX, &HEX, &REV, &ENDPOINTS];

    fn sorted(line: &str) -> Result<Sorted, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        parse(&SPECS, &words)
    }

    #[test]
    fn flags_may_stand_anywhere_before_the_dashes() {
        let s = sorted("a --prefix b -w json --rev=0x10 -- -w c").unwrap();
        assert_eq!(s.args, ["a", "b", "-w", "c"]);
        assert_eq!(s.before_dashes, Some(2));
        assert_eq!(s.positions, [0, 2, 7, 8]);
        assert!(s.flags.bool("prefix"));
        assert_eq!((s.flags.text("write-out"), s.flags.int("rev")), ("json", 16));
    }

    #[test]
    fn switches_take_a_value_only_after_an_equals_sign() {
        let s = sorted("--prefix false --hex=false -px").unwrap();
        assert_eq!(s.args, ["false"]);
        assert!(s.flags.bool("prefix") && s.flags.bool("hex"));
        assert!(!sorted("-p=false").unwrap().flags.bool("prefix"));
        assert!(!sorted("--hex=0").unwrap().flags.bool("hex"));
    }

    #[test]
    fn short_flags_take_their_value_in_three_ways() {
        for line in ["-w json", "-wjson", "-w=json", "-pwjson"] {
            assert_eq!(sorted(line).unwrap().flags.text("write-out"), "json", "{line}");
        }
        assert_eq!(sorted("-write-out=json").unwrap().flags.text("write-out"), "rite-out=json");
    }

    #[test]
    fn a_list_is_replaced_first_and_then_grows() {
        assert_eq!(sorted("-").unwrap().flags.list("endpoints"), ["a"]);
        let s = sorted("--endpoints=b,c --endpoints=d").unwrap();
        assert_eq!(s.flags.list("endpoints"), ["b", "c", "d"]);
        assert!(sorted("--endpoints=").unwrap().flags.list("endpoints").is_empty());
    }

    #[test]
    fn errors_are_pflag_s() {
        for (line, error) in [
            ("--bogus=1", "unknown flag: --bogus"),
            ("-z", "unknown shorthand flag: 'z' in -z"),
            ("-pz1", "unknown shorthand flag: 'z' in -z1"),
            ("-w", "flag needs an argument: 'w' in -w"),
            ("-pw", "flag needs an argument: 'w' in -w"),
            ("--rev", "flag needs an argument: --rev"),
            ("---x", "bad flag syntax: ---x"),
            ("--=x", "bad flag syntax: --=x"),
            (
                "--prefix=maybe",
                "invalid argument \"maybe\" for \"-p, --prefix\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax",
            ),
            (
                "--rev=1.5",
                "invalid argument \"1.5\" for \"-r, --rev\" flag: strconv.ParseInt: parsing \"1.5\": invalid syntax",
            ),
        ] {
            assert_eq!(sorted(line).err().as_deref(), Some(error), "{line}");
        }
        assert!(sorted("-é").is_err());
    }
}
