//! Completion of the line being written.
//!
//! What it is: what may stand in the place of the last word: commands, flags, their values, keys, members, users,
//! roles, leases; and the line with one of them.
//! What it is not: a grammar of its own; commands, flags and what they take come from etcdctl's table.
//! Invariants: a candidate continues what is written, or names a member whose id it is; what needs quotes gets
//! them; nothing is proposed for what cannot be read.

use bytes::Bytes;

use crate::etcdctl::flags::{FlagKind, FlagSpec};
use crate::etcdctl::lexer;
use crate::etcdctl::table::{CommandSpec, GLOBAL_FLAGS, Operand, ROOT};
use crate::etcdctl::{self, utl};
use crate::scenario::verb;

/// Most candidates that are listed.
pub(super) const LISTED_MAX: usize = 40;

/// Words of the page's own before a command.
const BUILTINS: [&str; 6] = ["clear", "echo", "etcdutl", "export", "unset", "why"];
/// Roles of members that a verb understands.
const TARGETS: [&str; 4] = ["leader", "follower", "killed", "all"];

/// One candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// What it is, without quotes.
    pub(super) text: String,
    /// What it means, or nothing.
    pub(super) about: String,
}

/// What a place in a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    /// One of these.
    These(Vec<Candidate>),
    Keys,
    Endpoints,
    /// By id.
    Members,
    /// By name, for a verb.
    Targets,
    Named(Names),
}

/// Names that the cluster has to be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Users,
    Roles,
    Leases,
}

/// What the page knows of the cluster.
#[derive(Debug)]
pub(super) struct Known<'a, K> {
    /// Name and id of each member.
    pub(super) members: Vec<[String; 2]>,
    /// Where clients are served.
    pub(super) endpoints: Vec<Candidate>,
    /// The live keys, in order.
    pub(super) keys: K,
    /// The names that were asked for.
    pub(super) names: &'a [String],
}

/// The last word of a line and what may stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Where it begins. Unit: bytes.
    start: usize,
    /// Without its quotes.
    word: String,
    is_quoted: bool,
    /// What stands before the value of a flag: `--user=`.
    before: String,
    wanted: Wanted,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The line, extended as far as is certain.
    pub(super) line: String,
    /// What may follow, if there are several.
    pub(super) candidates: Vec<Candidate>,
    /// How many more there are.
    pub(super) more: u64,
}

impl Place {
    /// Looks at the end of a line; `None` if nothing can be proposed there.
    pub(super) fn of(line: &str) -> Option<Self> {
        let begin = statement_start(line);
        let statement = line.get(begin..)?;
        // Between the sides of a partition stands a mark that the shell reads as a pipe.
        let is_partition = statement.starts_with("partition ");
        let sides = is_partition.then(|| statement.replace('|', " "));
        let partial = lexer::split_partial(sides.as_deref().unwrap_or(statement)).ok()?;
        let mut words: Vec<String> = Vec::new();
        let mut place = Self {
            start: line.len(),
            word: String::new(),
            is_quoted: false,
            before: String::new(),
            wanted: Wanted::Keys,
        };
        let last = partial.words.len().checked_sub(1).filter(|_| partial.in_word);
        for (at, word) in partial.words.into_iter().enumerate() {
            if Some(at) == last {
                place.start = begin + usize::try_from(word.start).ok()?;
                place.is_quoted = word.quoted;
                place.word = word.text;
            } else {
                words.push(word.text);
            }
        }
        let is_assignment = |word: &String| word.starts_with("ETCDCTL_") && word.contains('=');
        let words: Vec<&str> =
            words.iter().skip_while(|word| is_assignment(word)).map(String::as_str).collect();
        place.look(&words)?;
        Some(place)
    }

    /// The names that must be asked for before anything can be proposed.
    pub(super) const fn names(&self) -> Option<Names> {
        match self.wanted {
            Wanted::Named(names) => Some(names),
            _ => None,
        }
    }

    fn look(&mut self, words: &[&str]) -> Option<()> {
        let (first, rest) = match words {
            [] => {
                self.wanted = first_words();
                return Some(());
            }
            ["etcdctl"] => {
                self.wanted = commands(&ROOT);
                return Some(());
            }
            ["etcdctl", rest @ ..] => (&ROOT, rest),
            ["etcdutl", rest @ ..] => (&utl::ROOT, rest),
            [name, ..] if verb::NAMES.contains(name) => {
                self.wanted = verb::continuations(words).map_or(Wanted::Targets, these);
                return Some(());
            }
            ["add"] => {
                self.wanted = these(&["learner"]);
                return Some(());
            }
            ["promote" | "remove"] => {
                self.wanted = Wanted::Targets;
                return Some(());
            }
            ["help"] => {
                let mut found = first_words();
                if let Wanted::These(words) = &mut found {
                    words.retain(|word| word.text != ROOT.name);
                }
                self.wanted = found;
                return Some(());
            }
            [name @ ("export" | "unset"), ..] => {
                self.wanted = variables(if *name == "export" { "=" } else { "" });
                return Some(());
            }
            rest => (&ROOT, rest),
        };
        let mut reader = Reader::new(first);
        for word in rest {
            reader.take(word);
        }
        if let Some((flag, value)) = self.word.split_once('=')
            && let Some(spec) = reader.flag(flag)
        {
            let start = self.word.len() - value.len();
            let value = value.to_owned();
            self.before = self.word.get(..start)?.to_owned();
            self.word = value;
            self.wanted = values(spec)?;
            return Some(());
        }
        self.wanted = match reader.value_of {
            Some(flag) => values(flag)?,
            None if self.word.starts_with('-') && !self.is_quoted && !reader.is_after_dashes => {
                Wanted::These(reader.flags().map(flag_candidate).collect())
            }
            None if reader.arguments == 0 && !reader.command.commands.is_empty() => {
                commands(reader.command)
            }
            None => reader.argument()?,
        };
        Some(())
    }

    /// Completes the line.
    pub(super) fn find<'k, K: Iterator<Item = &'k Bytes>>(
        self,
        line: &str,
        known: Known<'_, K>,
    ) -> Found {
        let mut found = Found { line: line.to_owned(), ..Found::default() };
        let Known { members, endpoints, keys, names } = known;
        let mut shared: Option<String> = None;
        let mut offer = |candidate: Candidate, is_fitting: bool| {
            if !is_fitting {
                return;
            }
            match &mut shared {
                None => shared = Some(candidate.text.clone()),
                Some(shared) => shared.truncate(common(shared, &candidate.text)),
            }
            if found.candidates.len() < LISTED_MAX {
                found.candidates.push(candidate);
            } else {
                found.more += 1;
            }
        };
        let word = self.word.as_str();
        let mut plain = |text: &str| offer(named(text, ""), text.starts_with(word));
        match &self.wanted {
            Wanted::These(candidates) => {
                for candidate in candidates {
                    offer(candidate.clone(), candidate.text.starts_with(word));
                }
            }
            Wanted::Keys => keys.filter_map(|key| std::str::from_utf8(key).ok()).for_each(plain),
            Wanted::Named(_) => names.iter().for_each(|name| plain(name)),
            Wanted::Targets => {
                members.iter().map(|[name, _]| name.as_str()).chain(TARGETS).for_each(plain);
            }
            Wanted::Members => {
                for [name, id] in &members {
                    let is_fitting = id.starts_with(word) || name.starts_with(word);
                    offer(named(id, name), is_fitting);
                }
            }
            Wanted::Endpoints => {
                for endpoint in endpoints {
                    let is_fitting = endpoint.text.starts_with(word);
                    offer(endpoint, is_fitting);
                }
            }
        }
        match (shared, found.candidates.as_slice()) {
            (Some(_), [only]) => {
                found.line = self.with(line, &only.text);
                found.candidates.clear();
            }
            // What is quoted, or would have to be, is extended by choosing only.
            (Some(shared), _)
                if shared.len() > word.len()
                    && !self.is_quoted
                    && lexer::quote(&shared) == shared =>
            {
                let before = line.get(..self.start).unwrap_or_default();
                found.line = format!("{before}{}{shared}", self.before);
            }
            _ => {}
        }
        found
    }

    /// The line with this as its last word.
    pub(super) fn with(&self, line: &str, text: &str) -> String {
        let before = line.get(..self.start).unwrap_or_default();
        let end = if text.ends_with(['/', '=']) { "" } else { " " };
        format!("{before}{}{}{end}", self.before, lexer::quote(text))
    }
}

/// Reads words up to the one that is completed.
struct Reader {
    command: &'static CommandSpec,
    above: Vec<&'static FlagSpec>,
    value_of: Option<&'static FlagSpec>,
    arguments: u32,
    is_after_dashes: bool,
}

impl Reader {
    fn new(command: &'static CommandSpec) -> Self {
        let above = command.inherited.iter().collect();
        Self { command, above, value_of: None, arguments: 0, is_after_dashes: false }
    }

    fn take(&mut self, word: &str) {
        if self.value_of.take().is_some() {
            return;
        }
        if !self.is_after_dashes && word.starts_with('-') && word != "-" {
            self.is_after_dashes = word == "--";
            let flag = self.flag(word).filter(|flag| flag.kind != FlagKind::Bool);
            self.value_of = flag;
            return;
        }
        let below = self.command.commands.iter().find(|command| command.name == word);
        match below.filter(|_| self.arguments == 0) {
            Some(below) => {
                self.command = below;
                self.above.extend(below.inherited);
            }
            None => self.arguments += 1,
        }
    }

    fn flags(&self) -> impl Iterator<Item = &'static FlagSpec> {
        self.command.flags.iter().chain(self.above.clone())
    }

    /// What stands where the next argument goes.
    fn argument(&self) -> Option<Wanted> {
        let operand = *self.command.operands.get(usize::try_from(self.arguments).ok()?)?;
        Some(match operand {
            Operand::Key => Wanted::Keys,
            Operand::Member => Wanted::Members,
            Operand::Lease => Wanted::Named(Names::Leases),
            Operand::User => Wanted::Named(Names::Users),
            Operand::Role => Wanted::Named(Names::Roles),
            Operand::Endpoint => Wanted::Endpoints,
            Operand::Command => commands(&ROOT),
            Operand::Permission | Operand::Shell => these(operand.words()),
            Operand::Free => return None,
        })
    }

    /// The flag that a word without a value names.
    fn flag(&self, word: &str) -> Option<&'static FlagSpec> {
        match word.strip_prefix("--") {
            Some(name) => self.flags().find(|flag| flag.name == name),
            None => {
                let mut letters = word.strip_prefix('-')?.chars();
                let letter = letters.next()?;
                let is_alone = letters.next().is_none();
                self.flags().find(|flag| is_alone && flag.short == Some(letter))
            }
        }
    }
}

/// Where the last command of the line begins. Unit: bytes.
fn statement_start(line: &str) -> usize {
    let length = match etcdctl::statements(line).last() {
        Some(last) if line.ends_with(last.as_str()) => last.len(),
        _ => 0,
    };
    let begin = line.len() - length;
    // What is piped into a command stands before it; a partition's sides are no commands.
    let piped = line.get(begin..).filter(|last| !last.starts_with("partition "));
    let behind = piped.and_then(|last| last.rfind(" | ")).map_or(0, |at| at + 3);
    begin + behind
}

fn named(text: &str, about: &str) -> Candidate {
    Candidate { text: text.to_owned(), about: about.to_owned() }
}

fn flag_candidate(flag: &'static FlagSpec) -> Candidate {
    named(&format!("--{}", flag.name), flag.about)
}

fn these(words: &[&str]) -> Wanted {
    Wanted::These(words.iter().map(|word| named(word, "")).collect())
}

fn commands(group: &CommandSpec) -> Wanted {
    Wanted::These(group.commands.iter().map(|one| named(one.name, one.about)).collect())
}

fn first_words() -> Wanted {
    let mut found: Vec<Candidate> = ROOT.commands.iter().map(|c| named(c.name, c.about)).collect();
    found.extend(
        verb::NAMES.iter().chain(&verb::TYPED).chain(&BUILTINS).map(|word| named(word, "")),
    );
    found.push(named(ROOT.name, ""));
    Wanted::These(found)
}

fn variables(end: &str) -> Wanted {
    let name = |flag: &FlagSpec| {
        let name = flag.name.to_ascii_uppercase().replace('-', "_");
        named(&format!("ETCDCTL_{name}{end}"), flag.about)
    };
    Wanted::These(GLOBAL_FLAGS.iter().map(name).collect())
}

/// What a flag may be set to.
fn values(flag: &FlagSpec) -> Option<Wanted> {
    Some(match flag.name {
        "endpoints" => Wanted::Endpoints,
        "user" => Wanted::Named(Names::Users),
        "lease" => Wanted::Named(Names::Leases),
        _ if flag.values.is_empty() => return None,
        _ => these(flag.values),
    })
}

/// How much of their beginnings two texts share, in whole characters. Unit: bytes.
fn common(one: &str, other: &str) -> usize {
    let pairs = one.char_indices().zip(other.chars());
    let differs = pairs.into_iter().find(|((_, left), right)| left != right);
    differs.map_or(one.len().min(other.len()), |((at, _), _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBERS: [[&str; 2]; 2] =
        [["infra1", "8211f1d0f64f3269"], ["infra2", "91bc3c398fb3c146"]];
    const ENDPOINTS: [&str; 2] = ["127.0.0.1:12379", "127.0.0.1:22379"];

    fn found_among(line: &str, keys: &[&'static str], names: &[&str]) -> Found {
        let keys: Vec<Bytes> = keys.iter().map(|key| Bytes::from_static(key.as_bytes())).collect();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let members = MEMBERS.iter().map(|member| member.map(str::to_owned)).collect();
        match Place::of(line) {
            Some(place) => {
                let endpoints = ENDPOINTS.iter().map(|text| named(text, "")).collect();
                place.find(line, Known { members, endpoints, keys: keys.iter(), names: &names })
            }
            None => Found { line: line.to_owned(), ..Found::default() },
        }
    }

    fn found(line: &str) -> Found {
        let keys = ["/registry/pods/a", "/registry/pods/b", "/x", "it's", "spaced key"];
        found_among(line, &keys, &["alice", "bob"])
    }

    fn done(line: &str) -> String {
        found(line).line
    }

    fn listed(line: &str) -> Vec<String> {
        found(line).candidates.into_iter().map(|candidate| candidate.text).collect()
    }

    #[test]
    fn commands_verbs_flags_members_and_keys_are_completed_as_far_as_certain() {
        assert_eq!(done("endp"), "endpoint ");
        assert_eq!(done("etcdctl endpoint st"), "etcdctl endpoint status ");
        assert_eq!(done("etcdutl snapshot re"), "etcdutl snapshot restore ");
        assert_eq!(done("kill inf"), "kill infra");
        assert_eq!(done("kill le"), "kill leader ");
        assert_eq!(done("loss infra1 le"), "loss infra1 leader ");
        assert_eq!(done("loss infra1 infra2 3"), "loss infra1 infra2 30% ");
        assert_eq!(done("partition infra1 | infra2"), "partition infra1 | infra2 ");
        assert_eq!(listed("slow-disk leader "), ["100ms", "500ms", "1500ms", "off"]);
        assert_eq!(listed("wait "), ["leader", "2s", "term", "revision", "infra1"]);
        assert_eq!(done("wait infra2 "), "wait infra2 up ");
        assert_eq!(done("wait term 3 wi"), "wait term 3 within ");
        assert_eq!(done("wait 2s "), "wait 2s ");
        assert_eq!(done("add le"), "add learner ");
        assert_eq!(done("promote inf"), "promote infra");
        assert_eq!(done("help partit"), "help partition ");
        assert_eq!(done("prom"), "promote ");
        assert_eq!(done("get /r"), "get /registry/pods/");
        assert_eq!(done("get /x"), "get /x ");
        assert_eq!(done("get foo --keys"), "get foo --keys-only ");
        assert_eq!(done("get -w js"), "get -w json ");
        assert_eq!(done("get --write-out=fi"), "get --write-out=fields ");
        assert_eq!(done("put a 1; get /x"), "put a 1; get /x ");
        assert_eq!(done("echo v | put /x"), "echo v | put /x ");
        assert_eq!(done("ETCDCTL_API=3 get /x"), "ETCDCTL_API=3 get /x ");
        assert_eq!(done("export ETCDCTL_WRITE"), "export ETCDCTL_WRITE_OUT=");
        assert_eq!(done("unset ETCDCTL_WRITE"), "unset ETCDCTL_WRITE_OUT ");
    }

    #[test]
    fn several_are_listed_with_what_they_mean() {
        assert_eq!(listed("get /registry/pods/"), ["/registry/pods/a", "/registry/pods/b"]);
        assert_eq!(listed("member remove "), ["8211f1d0f64f3269", "91bc3c398fb3c146"]);
        assert_eq!(found("member remove ").candidates[0].about, "infra1");
        assert_eq!(listed("get --endpoints "), ["127.0.0.1:12379", "127.0.0.1:22379"]);
        assert!(listed("").iter().any(|word| word == "snapshot"));
        assert!(listed("endpoint ").iter().any(|word| word == "health"));
        assert!(found("get --").candidates.iter().all(|flag| !flag.about.is_empty()));
    }

    #[test]
    fn what_an_argument_and_a_flag_may_be_comes_from_the_table() {
        assert_eq!(listed("check perf --load "), ["s", "m", "l", "xl"]);
        assert_eq!(listed("role grant-permission r r"), ["read", "readwrite"]);
        assert_eq!(done("completion z"), "completion zsh ");
        assert_eq!(done("etcdutl snapshot status x -w ta"), "etcdutl snapshot status x -w table ");
        assert_eq!(done("lock /x"), "lock /x ");
        assert_eq!(listed("get --command-t"), Vec::<String>::new(), "it is listed once");
        assert_eq!(done("get --command-t"), "get --command-timeout ");
    }

    #[test]
    fn a_member_is_found_by_its_name_and_written_by_its_id() {
        assert_eq!(done("member promote infra2"), "member promote 91bc3c398fb3c146 ");
        assert_eq!(done("move-leader 82"), "move-leader 8211f1d0f64f3269 ");
    }

    #[test]
    fn users_roles_and_leases_have_to_be_asked_for() {
        let names = |line: &str| Place::of(line).and_then(|place| place.names());
        assert_eq!(names("user get "), Some(Names::Users));
        assert_eq!(names("user grant-role alice "), Some(Names::Roles));
        assert_eq!(names("lease revoke "), Some(Names::Leases));
        assert_eq!(names("put a b --lease="), Some(Names::Leases));
        assert_eq!(names("get --user "), Some(Names::Users));
        assert_eq!(names("get a"), None);
        assert_eq!(done("user get al"), "user get alice ");
        assert_eq!(listed("user delete "), ["alice", "bob"]);
    }

    #[test]
    fn what_needs_quotes_gets_them_and_open_quotes_are_understood() {
        assert_eq!(done("get sp"), "get 'spaced key' ");
        assert_eq!(done("get 'spaced k"), "get 'spaced key' ");
        assert_eq!(done("get \"spaced k"), "get 'spaced key' ");
        assert_eq!(done("get it"), "get 'it'\\''s' ");
        assert_eq!(lexer::split(&done("get it")).unwrap()[1].text, "it's");
    }

    #[test]
    fn a_long_list_is_bounded_and_says_how_many_more() {
        let keys: Vec<&'static str> = ["a1", "a2", "a3", "a4", "a5"].repeat(10);
        let found = found_among("get ", &keys, &[]);
        assert_eq!(found.candidates.len(), LISTED_MAX);
        assert_eq!(found.more, 10);
        assert_eq!(found.line, "get a");
    }

    #[test]
    fn what_is_unknown_or_cannot_be_read_is_left_alone() {
        for line in
            ["frobnicate", "get zzz", "get 日本", "put a b", "get $(x", "get a > b", "get --rev "]
        {
            assert_eq!(found(line), Found { line: line.to_owned(), ..Found::default() }, "{line}");
        }
    }

    #[test]
    fn a_chosen_one_takes_the_place_of_the_last_word() {
        let line = "get --endpoints=127";
        let place = Place::of(line).unwrap();
        assert_eq!(place.with(line, "127.0.0.1:12379"), "get --endpoints=127.0.0.1:12379 ");
        let line = "get 'spac";
        assert_eq!(Place::of(line).unwrap().with(line, "spaced key"), "get 'spaced key' ");
    }
}
