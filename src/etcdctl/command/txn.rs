//! `txn`: conditions and two lists of operations from standard input, each list ended by an empty line.
//!
//! What it is: the reading, line by line, with etcdctl's checks at the line where they fail.
//! What it is not: the reading of one condition (see `compare`).
//! A put without a value takes all that follows on standard input for it, apart from what was read ahead already.
//! Invariants: nobody is asked before the last list has ended; there is no time limit, as etcdctl has none here.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::api::{Request, RequestOp, Response, TxnRequest};
use crate::etcdctl::command::compare::{self, Refusal};
use crate::etcdctl::command::{
    Command, Config, EXIT_BAD_INPUT, EXIT_ERROR, EXIT_PANIC, Failure, Invocation, Made, del, get,
    put, unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io, WAITING};
use crate::etcdctl::flags::FlagValues;
use crate::etcdctl::lines::{self, Line, Lines};
use crate::etcdctl::parser::{self, Operation};
use crate::etcdctl::printer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Compares,
    Success,
    Failure,
    Sent,
}

impl Part {
    const fn prompt(self) -> &'static str {
        match self {
            Self::Compares => "compares:\n",
            Self::Success => "success requests (get, put, del):\n",
            Self::Failure => "failure requests (get, put, del):\n",
            Self::Sent => "",
        }
    }

    const fn next(self) -> Self {
        match self {
            Self::Compares => Self::Success,
            Self::Success => Self::Failure,
            Self::Failure | Self::Sent => Self::Sent,
        }
    }
}

/// How much is read ahead of a line. Unit: bytes. Source: the buffer of Go's `bufio`, which etcdctl reads with.
const READ_AHEAD_BYTES: usize = 4096;

struct Txn {
    config: Config,
    interactive: bool,
    lines: Lines,
    /// What came and was not read ahead yet.
    unread: VecDeque<Vec<u8>>,
    /// Nothing follows after that.
    has_ended: bool,
    /// A put whose value is being read.
    valueless: Option<(FlagValues, Vec<Bytes>)>,
    part: Part,
    /// A warning was printed and its time is not over.
    waits: bool,
    request: TxnRequest,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    if !invocation.args.is_empty() {
        return Err(Failure::bad_args("txn command does not accept argument").into());
    }
    Ok(Box::new(Txn {
        config: invocation.client_config()?,
        interactive: invocation.flags.bool("interactive"),
        lines: Lines::default(),
        unread: VecDeque::new(),
        has_ended: false,
        valueless: None,
        part: Part::Compares,
        waits: false,
        request: TxnRequest::default(),
    }))
}

impl Command for Txn {
    fn start(&mut self, io: &mut Io) {
        self.prompt(io);
    }

    fn reads_stdin(&self) -> bool {
        self.part != Part::Sent
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Stdin(bytes) => {
                self.unread.extend(bytes.chunks(READ_AHEAD_BYTES).map(<[u8]>::to_vec));
            }
            Event::StdinEnd => self.has_ended = true,
            Event::Woken => self.waits = false,
            Event::Reply(_, result) => {
                io.finish(match result {
                    Ok(Response::Txn(response)) => printer::txn(self.config.style, &response),
                    Ok(_) => Err(unexpected_answer()),
                    Err(error) => Err(Failure::new(EXIT_ERROR, error.to_string())),
                });
                return;
            }
            _ => {}
        }
        if let Err(failure) = self.read(io) {
            io.fail(&failure);
        }
    }
}

impl Txn {
    fn prompt(&self, io: &mut Io) {
        if self.interactive {
            io.stdout(self.part.prompt().as_bytes().to_vec());
        }
    }

    fn read(&mut self, io: &mut Io) -> Result<(), Failure> {
        while self.part != Part::Sent && !self.waits {
            if self.valueless.is_some() && !self.read_value()? {
                return Ok(());
            }
            match self.lines.next() {
                Line::Later => match self.unread.pop_front() {
                    Some(bytes) => self.lines.push(&bytes),
                    None if self.has_ended => self.lines.end(),
                    None => return Ok(()),
                },
                Line::End => return Err(Failure::new(EXIT_BAD_INPUT, "EOF")),
                Line::Text(line) => self.take(io, lines::trimmed(&line))?,
            }
        }
        Ok(())
    }

    /// Makes the put of which the value was missing; false: more of it may come.
    fn read_value(&mut self) -> Result<bool, Failure> {
        if !self.has_ended {
            return Ok(false);
        }
        let value = Bytes::from(self.unread.drain(..).flatten().collect::<Vec<u8>>());
        if let Some((flags, args)) = self.valueless.take() {
            let put = put::request(&flags, &args, Some(&value))?;
            self.push(RequestOp::Put(put));
        }
        Ok(true)
    }

    fn push(&mut self, operation: RequestOp) {
        match self.part {
            Part::Success => self.request.success.push(operation),
            Part::Compares | Part::Failure | Part::Sent => self.request.failure.push(operation),
        }
    }

    fn take(&mut self, io: &mut Io, line: &[u8]) -> Result<(), Failure> {
        if line.is_empty() {
            self.part = self.part.next();
            self.prompt(io);
            if self.part == Part::Sent {
                let request = std::mem::take(&mut self.request);
                io.ask_forever(&self.config, Request::Txn(request));
            }
            return Ok(());
        }
        if self.part == Part::Compares {
            let line = String::from_utf8_lossy(line);
            self.request.compare.push(compare::parse(&line).map_err(refused)?);
            return Ok(());
        }
        let Operation { spec, flags, args } = operation(io, line)?;
        let args: Vec<Bytes> = args.into_iter().map(Bytes::from).collect();
        match spec.name {
            "get" => self.push(RequestOp::Range(get::request(&flags, &args)?)),
            "put" if args.len() == 1 && !flags.bool("ignore-value") => {
                if !io.has_all_stdin() {
                    io.notice(WAITING);
                }
                self.valueless = Some((flags, args));
            }
            "put" => self.push(RequestOp::Put(put::request(&flags, &args, None)?)),
            _ => {
                let (request, warning) = del::request(&flags, &args)?;
                if let Some(warning) = warning {
                    io.stderr(warning);
                    io.sleep(del::WARNING_MS);
                    self.waits = true;
                }
                self.push(RequestOp::DeleteRange(request));
            }
        }
        Ok(())
    }
}

fn refused(refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Malformed(message) => Failure::new(EXIT_BAD_INPUT, message),
        Refusal::Operator(operator) => {
            let message = format!("unknown operator {operator}: use =, !=, < or >");
            Failure::new(EXIT_PANIC, message)
        }
    }
}

/// The words of one operation.
fn operation(io: &mut Io, line: &[u8]) -> Result<Operation, Failure> {
    let bad_input = |message: String| Failure::new(EXIT_BAD_INPUT, message);
    let words = lines::words(line).map_err(bad_input)?;
    let shown = String::from_utf8_lossy(line);
    if words.len() < 2 {
        return Err(bad_input(format!("invalid txn compare request: {shown}")));
    }
    parser::parse_operation(&words).map_err(|usage| {
        io.stderr(usage.unwrap_or_default());
        bad_input(format!("invalid txn request: {shown}"))
    })
}
