//! `playground ctl`: the console of the page natively, line by line, on a simulated cluster.
//!
//! What it is: the loop around a [`Session`]: lines in, bytes out as they come, and the exit status at the end.
//! A line goes to the command that reads standard input, if one does; else it is a command line, a verb (`kill
//! leader`, `wait 3s`), or a line for a further console (`@2 watch foo`).
//! What it is not: I/O (the binary reads and prints), a script player with reports (see `play`), nor a shell.
//! Invariants: time moves only while something runs or is waited for; the same lines with the same seed print the
//! same; a command that would never end is ended after [`COMMAND_MS`].

use std::collections::VecDeque;

use bytes::Bytes;

use crate::cluster::SimulationSpec;
use crate::etcdctl;
use crate::lab::play::order_sentence;
use crate::lab::program::Printed;
use crate::lab::session::{Ran, Session};
use crate::scenario::{Action, Condition, Script, Verb, lines, verb};

/// The console that lines without a number are for.
const CONSOLE: u32 = 1;
/// How long a fresh cluster may take to its first leader. Unit: virtual ms.
const BOOT_MS: u64 = 60_000;
/// Age of the cluster at the first line: a member trusts a connection after 5 s. Unit: virtual ms.
const SETTLE_MS: u64 = 6_000;
/// Longest a command may run. Unit: virtual ms.
pub const COMMAND_MS: u64 = 200_000;
/// What passes before a line is read by a command, and after a line for a further console. Unit: virtual ms.
const BESIDE_MS: u64 = 300;
/// How long the other consoles may go on printing after a command. Unit: virtual ms.
const AFTER_MS: u64 = 20;
/// Between two looks at what was printed. Unit: virtual ms.
const LOOK_MS: u64 = 10;
/// Longest that a pause of the person at the keyboard counts. Unit: ms.
const PAUSE_MAX_MS: u64 = 120_000;
/// Exit status of bad arguments.
const BAD_INPUT: i32 = 2;

const HELP: &str = "\
Runs console lines on a simulated etcd cluster and prints what etcdctl 3.7.1 would print.

  playground ctl [--members N] [--seed S] < FILE
  playground ctl                     type the lines; Ctrl-D ends

  --members N   members of the cluster: 1, 3, 5 or 7 (default 3)
  --seed S      seed of everything that is drawn (default 1); the same lines with the same seed print the same

A line is an etcdctl command, with or without the word etcdctl. Quotes, comments, several commands
on a line (;), export ETCDCTL_…, echo, $?, values from here-documents (put k <<EOF) and from a pipe
(echo v | etcdctl put k) work as in a shell. A command that reads, such as txn or watch -i, gets the
lines that follow; ^C alone on a line interrupts it.

  @2 watch foo     run it in a further console (2 to 9); what it prints is marked @2
  @2 ^C            interrupt it
  kill leader      also: restart, pause, resume, isolate, cut, partition, delay, loss, duplicate,
                   reorder, heal, slow-disk, fill-disk, free-disk, power-cut, wipe, clock,
                   speed, latency
  wait 3s          let time pass, as sleep 3 does; also: wait leader, wait revision 7 within 30s
  exit 3           stop here

Time is virtual: it passes while a command runs. Files that commands save are kept until the end.
The exit status is that of the last command.
";

/// Where something is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// What the console needs from outside.
pub trait Terminal {
    /// The next line, without its end; `None` at the end of input.
    fn read(&mut self, prompt: &str) -> Option<String>;
    /// Prints.
    fn print(&mut self, stream: Stream, bytes: &[u8]);
    /// True if a person types: then the end of input ends only what reads it, and pauses count as time.
    fn is_person(&self) -> bool;
    /// Time since some moment. Unit: ms.
    fn now_ms(&self) -> u64;
}

/// Runs the command `ctl`; `None` if the arguments ask for something else, an error if they are no good.
pub fn run(arguments: &[String], terminal: &mut dyn Terminal) -> Option<i32> {
    let (first, rest) = arguments.split_first()?;
    if first != "ctl" {
        return None;
    }
    let spec = match spec(rest) {
        Ok(spec) => spec,
        Err(printed) => {
            terminal.print(Stream::Out, printed.stdout.as_bytes());
            terminal.print(Stream::Err, printed.stderr.as_bytes());
            return Some(printed.status);
        }
    };
    Some(Ctl::new(spec).talk(terminal))
}

/// The cluster that the arguments ask for.
fn spec(arguments: &[String]) -> Result<SimulationSpec, Printed> {
    let mut spec = SimulationSpec::default();
    let refused = |why: String| Printed {
        stderr: format!("{why}; \"playground ctl --help\" shows what there is\n"),
        status: BAD_INPUT,
        ..Printed::default()
    };
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let (name, given) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let mut value = || given.or_else(|| rest.next()).unwrap_or_default().to_owned();
        match name {
            "--help" | "-h" | "help" => {
                return Err(Printed { stdout: HELP.to_owned(), ..Printed::default() });
            }
            "--members" => {
                let value = value();
                let members = value.parse().ok().filter(|members| [1, 3, 5, 7].contains(members));
                spec.members = members.ok_or_else(|| {
                    refused(format!("\"{value}\" is no number of members: 1, 3, 5 or 7"))
                })?;
            }
            "--seed" => {
                let value = value();
                let wrong =
                    |_fault| refused(format!("\"{value}\" is no seed: a number below 2^64"));
                spec.seed = value.parse().map_err(wrong)?;
            }
            _ => return Err(refused(format!("\"{word}\" is not understood"))),
        }
    }
    Ok(spec)
}

struct Ctl {
    session: Session,
    /// Lines of a command that is not complete.
    begun: String,
    /// Commands of a line that wait for the one before.
    queue: VecDeque<String>,
    status: i32,
    has_ended: bool,
}

impl Ctl {
    fn new(spec: SimulationSpec) -> Self {
        let mut session = Session::new(spec);
        session.run(BOOT_MS, |session| session.world().leader().is_some());
        let age = session.now().0;
        session.run(SETTLE_MS.saturating_sub(age), |_| false);
        Self { session, begun: String::new(), queue: VecDeque::new(), status: 0, has_ended: false }
    }

    fn talk(&mut self, terminal: &mut dyn Terminal) -> i32 {
        let mut last_ms = terminal.now_ms();
        while !self.has_ended {
            let prompt = if self.begun.is_empty() { "$ " } else { "> " };
            let prompt = if self.session.is_running(CONSOLE) { "" } else { prompt };
            let line = terminal.read(prompt);
            if terminal.is_person() {
                let now_ms = terminal.now_ms();
                let paused_ms = now_ms.saturating_sub(last_ms).min(PAUSE_MAX_MS);
                self.pass(paused_ms, false, terminal);
                last_ms = now_ms;
            }
            match line {
                Some(line) => self.line(&line, terminal),
                None => self.end_of_input(terminal),
            }
        }
        self.show(terminal);
        self.status
    }

    /// Lets time pass, printing what comes; stops early when the command has ended, if that is wanted.
    fn pass(&mut self, ms: u64, until_end: bool, terminal: &mut dyn Terminal) -> Ran {
        let mut left = ms;
        loop {
            let step = left.min(LOOK_MS);
            let ran = self.session.run(step, |session| until_end && !session.is_running(CONSOLE));
            self.show(terminal);
            left -= step;
            match ran {
                Ran::Met => return Ran::Met,
                Ran::TimeUp if left > 0 => {}
                Ran::TimeUp => return Ran::TimeUp,
                Ran::Exhausted => {
                    let why = b"the simulation has used up its events and ends here\n";
                    terminal.print(Stream::Err, why);
                    self.status = 1;
                    self.has_ended = true;
                    return Ran::Exhausted;
                }
            }
        }
    }

    /// Prints what the consoles have printed.
    fn show(&mut self, terminal: &mut dyn Terminal) {
        for console in self.session.consoles() {
            let (out, err) = self.session.take_output(console);
            for (stream, bytes) in [(Stream::Out, out), (Stream::Err, err)] {
                if bytes.is_empty() {
                } else if console == CONSOLE {
                    terminal.print(stream, &bytes);
                } else {
                    terminal.print(stream, &marked(console, &bytes));
                }
            }
        }
    }

    fn line(&mut self, line: &str, terminal: &mut dyn Terminal) {
        if self.begun.is_empty() && self.session.is_running(CONSOLE) {
            if line.trim() == "^C" {
                self.session.interrupt(CONSOLE);
            } else {
                self.session.feed(CONSOLE, Bytes::from(format!("{line}\n")));
            }
            self.go_on(terminal);
            return;
        }
        self.begun.push_str(line);
        if etcdctl::is_unfinished(&self.begun) {
            self.begun.push('\n');
            return;
        }
        let whole = std::mem::take(&mut self.begun);
        self.queue.extend(etcdctl::statements(&whole));
        self.go_on(terminal);
    }

    /// Nothing more comes, or (from a person) nothing more for what reads now.
    fn end_of_input(&mut self, terminal: &mut dyn Terminal) {
        let begun = std::mem::take(&mut self.begun);
        self.queue.extend(etcdctl::statements(&begun));
        let was_reading = self.session.is_running(CONSOLE) || !self.queue.is_empty();
        self.go_on(terminal);
        while !self.has_ended && self.session.is_running(CONSOLE) {
            self.session.feed_end(CONSOLE);
            self.finish_command(terminal);
            self.go_on(terminal);
        }
        if !(was_reading && terminal.is_person()) {
            self.has_ended = true;
        }
    }

    /// Runs what is queued until a command reads, or nothing is left.
    fn go_on(&mut self, terminal: &mut dyn Terminal) {
        loop {
            if self.session.is_running(CONSOLE) {
                if self.pass_to_reading(terminal) {
                    return;
                }
                self.finish_command(terminal);
            }
            if self.has_ended {
                return;
            }
            let Some(statement) = self.queue.pop_front() else { return };
            self.statement(statement.trim(), terminal);
        }
    }

    /// Gives a command that reads some time with what it has; true if it waits for more then.
    fn pass_to_reading(&mut self, terminal: &mut dyn Terminal) -> bool {
        if self.session.reads_stdin(CONSOLE) {
            self.pass(BESIDE_MS, true, terminal);
        }
        self.session.reads_stdin(CONSOLE)
    }

    /// Runs the command to its end, or ends it.
    fn finish_command(&mut self, terminal: &mut dyn Terminal) {
        if self.pass(COMMAND_MS, true, terminal) == Ran::TimeUp {
            self.session.interrupt(CONSOLE);
            self.pass(COMMAND_MS, true, terminal);
            let note = "stopped after 200 s of virtual time; \"@2 …\" lets it run on";
            let note = format!("{}{note}\n", etcdctl::NOTICE_PREFIX);
            terminal.print(Stream::Err, note.as_bytes());
        }
        self.note_status();
        if !self.has_ended && self.session.consoles().len() > 1 {
            self.pass(AFTER_MS, false, terminal);
        }
    }

    fn note_status(&mut self) {
        self.status = self.session.status(CONSOLE).unwrap_or(self.status);
    }

    fn statement(&mut self, line: &str, terminal: &mut dyn Terminal) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let done = match words.as_slice() {
            [] => Ok(()),
            [first, ..] if first.starts_with('#') => Ok(()),
            ["clear"] => Ok(()),
            ["exit"] => {
                self.has_ended = true;
                Ok(())
            }
            ["exit", status] if status.parse::<u8>().is_ok() => {
                self.status = status.parse().unwrap_or(self.status);
                self.has_ended = true;
                Ok(())
            }
            ["sleep", time] => self.sleep(time, terminal),
            [first, ..] if first.starts_with('@') || verb::NAMES.contains(first) => {
                self.action(line, terminal)
            }
            _ => self.start(CONSOLE, line),
        };
        self.show(terminal);
        if let Err(why) = done {
            terminal.print(Stream::Err, format!("{why}\n").as_bytes());
            self.status = 1;
        }
    }

    /// `sleep` takes seconds where nothing else is said.
    fn sleep(&mut self, time: &str, terminal: &mut dyn Terminal) -> Result<(), String> {
        let is_plain = time.ends_with(|c: char| c.is_ascii_digit());
        let time = if is_plain { format!("{time}s") } else { time.to_owned() };
        self.action(&format!("wait {time}"), terminal)
    }

    fn action(&mut self, line: &str, terminal: &mut dyn Terminal) -> Result<(), String> {
        let script = Script::parse(line).map_err(|fault| fault.wrong.to_string())?;
        let Some(step) = script.steps.into_iter().next() else { return Ok(()) };
        match step.action {
            Action::Command { console, text, .. } => {
                self.start(console, &text)?;
                if console != CONSOLE {
                    self.pass(BESIDE_MS, false, terminal);
                }
                Ok(())
            }
            Action::Interrupt { console } => {
                if !self.session.interrupt(console) {
                    return Err("nothing runs in that console".to_owned());
                }
                self.pass(BESIDE_MS, false, terminal);
                Ok(())
            }
            Action::Verb(verb) => self.carry_out(&verb, terminal),
            Action::Say(_) => Ok(()),
            other => Err(format!("only a script can have \"{other}\"; see playground run")),
        }
    }

    fn carry_out(&mut self, verb: &Verb, terminal: &mut dyn Terminal) -> Result<(), String> {
        let world = self.session.world();
        for order in world.plan(verb)? {
            let told = lines(&order_sentence(&world, &order)).english;
            self.session.carry_out(order);
            terminal.print(Stream::Out, format!("{told}\n").as_bytes());
        }
        self.status = 0;
        let Verb::Wait { condition, limit_ms } = verb else { return Ok(()) };
        let mut left = *limit_ms;
        while !self.has_ended {
            if *condition != Condition::Time && self.session.world().is_met(condition) {
                return Ok(());
            }
            if left == 0 {
                break;
            }
            let step = left.min(LOOK_MS);
            self.pass(step, false, terminal);
            left -= step;
        }
        if *condition == Condition::Time {
            return Ok(());
        }
        Err(format!("waited {limit_ms} ms for {condition} in vain"))
    }

    /// Starts a command line.
    fn start(&mut self, console: u32, line: &str) -> Result<(), String> {
        let line = self.session.world().expand(line)?;
        // A further console has nobody who types.
        let stdin = (console != CONSOLE).then(Bytes::new);
        if self.session.start(console, &line, stdin) {
            // Some are over at once.
            self.note_status();
            Ok(())
        } else {
            Err(format!("console {console} is busy; end its command with \"@{console} ^C\" first"))
        }
    }
}

/// Lines with the console's number before them.
fn marked(console: u32, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        out.extend_from_slice(format!("@{console} ").as_bytes());
        out.extend_from_slice(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Typed {
        lines: VecDeque<String>,
        out: String,
        err: String,
    }

    impl Terminal for Typed {
        fn read(&mut self, _prompt: &str) -> Option<String> {
            self.lines.pop_front()
        }

        fn print(&mut self, stream: Stream, bytes: &[u8]) {
            let text = String::from_utf8_lossy(bytes);
            match stream {
                Stream::Out => self.out.push_str(&text),
                Stream::Err => self.err.push_str(&text),
            }
        }

        fn is_person(&self) -> bool {
            false
        }

        fn now_ms(&self) -> u64 {
            0
        }
    }

    fn ran(text: &str) -> (String, String, i32) {
        let mut terminal =
            Typed { lines: text.lines().map(str::to_owned).collect(), ..Typed::default() };
        let arguments: Vec<String> = ["ctl", "--members", "1"].map(str::to_owned).to_vec();
        let status = run(&arguments, &mut terminal).unwrap();
        (terminal.out, terminal.err, status)
    }

    #[test]
    fn the_last_command_gives_the_status() {
        assert_eq!(ran("put a 1; get a\n# end"), ("OK\na\n1\n".to_owned(), String::new(), 0));
        let (out, err, status) = ran("get\necho $?");
        assert_eq!((out.as_str(), status), ("128\n", 0));
        assert!(err.starts_with("Error: "), "{err}");
        assert_eq!(ran("get\n").2, 128);
        assert_eq!(ran("get\nexit\nput a 1").2, 128);
        assert_eq!(ran("exit 7").2, 7);
        assert_eq!(ran("").2, 0);
    }

    #[test]
    fn commands_that_read_get_the_lines_that_follow() {
        let (out, err, status) = ran("txn -i\n\nput a 1\n\n\nget a\nput b <<E\nx\n  y\nE\nget b");
        assert_eq!(
            out,
            "compares:\nsuccess requests (get, put, del):\nfailure requests (get, put, del):\nSUCCESS\n\nOK\na\n1\nOK\nb\nx\n  y\n\n",
            "{err}"
        );
        assert_eq!(status, 0);
        assert_eq!(ran("put k 'a\nb'\nget k").0, "OK\nk\na\nb\n");
        assert_eq!(ran("txn\n").2, 3, "the end of input ends it");
    }

    #[test]
    fn watches_print_while_time_passes_and_leases_expire() {
        let (out, _, status) =
            ran("@2 watch a\nput a 1\n@2 ^C\nlease grant 3\nsleep 4\nlease list");
        assert!(out.contains("@2 PUT\n@2 a\n@2 1\n"), "{out}");
        assert!(out.ends_with("found 0 leases\n"), "{out}");
        assert_eq!(status, 0);
        let (out, err, status) = ran("watch a --rev=1 -i\nwatch a\nput a 1");
        assert_eq!((out.as_str(), status), ("", 3), "{err}");
        assert_eq!(ran("watch a").2, 130, "it is ended, with a notice");
    }

    #[test]
    fn verbs_and_bad_arguments_are_answered() {
        assert_eq!(ran("kill leader\nrestart all\nwait leader\nget a").2, 0);
        assert_eq!(ran("kill nobody").2, 1);
        let mut terminal = Typed::default();
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(run(&words("ctl --members 2"), &mut terminal), Some(2));
        assert_eq!(run(&words("ctl --seed=x"), &mut terminal), Some(2));
        assert_eq!(run(&words("ctl --bogus"), &mut terminal), Some(2));
        assert_eq!(run(&words("ctl --help"), &mut terminal), Some(0));
        assert!(terminal.out.contains("--members N"));
        assert_eq!(run(&words("sim"), &mut terminal), None);
    }
}
