//! The data-driven format: command, arguments, input, `----`, expected output.

/// One argument: a bare word, or a key with values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) key: String,
    pub(crate) values: Vec<String>,
}

/// One command of a file with what it should answer.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) line: usize,
    pub(crate) command: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) input: String,
    pub(crate) expected: String,
}

impl Block {
    /// The command line as read.
    pub(crate) fn head(&self) -> String {
        let mut head = self.command.clone();
        for argument in &self.arguments {
            head.push(' ');
            head.push_str(&argument.key);
            if !argument.values.is_empty() {
                head.push_str(&format!("=({})", argument.values.join(",")));
            }
        }
        head
    }

    /// The values of a key, if it was given.
    pub(crate) fn values(&self, key: &str) -> Option<&[String]> {
        self.arguments
            .iter()
            .find(|argument| argument.key == key && !argument.values.is_empty())
            .map(|argument| argument.values.as_slice())
    }

    /// The only value of a key, if it was given.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.values(key).and_then(|values| values.first()).map(String::as_str)
    }

    /// The bare words in order.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.arguments
            .iter()
            .filter(|argument| argument.values.is_empty())
            .map(|argument| argument.key.as_str())
    }
}

/// The file again, with what was answered in place of what was expected.
pub(crate) fn rewritten(text: &str, answers: &[String]) -> String {
    let mut shown = String::new();
    let mut answers = answers.iter();
    let mut is_expected = false;
    for line in text.lines() {
        if is_expected {
            is_expected = !line.trim().is_empty();
            if is_expected {
                continue;
            }
        }
        shown.push_str(line);
        shown.push('\n');
        if line == "----" {
            shown.push_str(answers.next().unwrap().trim_end());
            shown.push('\n');
            is_expected = true;
        }
    }
    shown
}

/// Splits a command line at spaces outside of parentheses.
fn split_line(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for letter in line.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(letter);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn argument(part: &str) -> Argument {
    let Some((key, value)) = part.split_once('=') else {
        return Argument { key: part.to_owned(), values: vec![] };
    };
    let value = value.trim();
    let values = match value.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => inner
            .split([',', ' '])
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(str::to_owned)
            .collect(),
        None => vec![value.to_owned()],
    };
    Argument { key: key.to_owned(), values }
}

/// All blocks of a file.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut found = vec![];
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        // A command may go on in the next line.
        let mut command = line.to_owned();
        while let Some(begun) = command.strip_suffix('\\') {
            let rest = lines.next().map_or("", |(_, line)| line.trim());
            command = format!("{} {rest}", begun.trim_end());
        }
        let parts = split_line(&command);
        // Marks groups of commands; nothing is run.
        if parts[0] == "subtest" {
            continue;
        }
        let mut input = String::new();
        let mut separated = false;
        for (_, line) in lines.by_ref() {
            if line == "----" {
                separated = true;
                break;
            }
            input.push_str(line);
            input.push('\n');
        }
        assert!(separated, "line {}: command without ----", number + 1);
        let mut expected = String::new();
        let doubled = lines.next_if(|(_, line)| *line == "----").is_some();
        while let Some((_, line)) = lines.next() {
            if doubled && line == "----" {
                let closed = lines.next_if(|(_, line)| *line == "----").is_some();
                assert!(closed, "line {}: block closed by one ----", number + 1);
                break;
            }
            if !doubled && line.trim().is_empty() {
                break;
            }
            expected.push_str(line);
            expected.push('\n');
        }
        found.push(Block {
            line: number + 1,
            command: parts[0].clone(),
            arguments: parts[1..].iter().map(|part| argument(part)).collect(),
            input,
            expected,
        });
    }
    found
}

/// Both texts line by line, from shortly before the first line that differs.
pub(crate) fn diff(want: &str, got: &str) -> String {
    let want: Vec<&str> = want.lines().collect();
    let got: Vec<&str> = got.lines().collect();
    let first = want.iter().zip(&got).take_while(|(one, two)| one == two).count();
    let from = first.saturating_sub(3);
    let mut shown = String::new();
    for line in want.iter().skip(from).take(first - from) {
        shown.push_str(&format!("      {line}\n"));
    }
    for line in want.iter().skip(first).take(12) {
        shown.push_str(&format!("  want {line}\n"));
    }
    for line in got.iter().skip(first).take(12) {
        shown.push_str(&format!("  got  {line}\n"));
    }
    shown
}
