//! `completion`: a script that completes etcdctl's commands and flags in a real shell, made from the table.

use crate::etcdctl::command::{EXIT_ERROR, Failure, Invocation, Made, Text};
use crate::etcdctl::flags::FlagSpec;
use crate::etcdctl::{command_flags, command_names, go, help};

pub(crate) fn new(invocation: &Invocation) -> Made {
    let refused = |message: String| {
        let usage = help::usage_of("completion");
        Err(Failure::new(EXIT_ERROR, format!("{message}\n{}", usage.trim_end())).into())
    };
    let [shell] = invocation.args.as_slice() else {
        return refused(format!("accepts 1 arg(s), received {}", invocation.args.len()));
    };
    let script = match shell.as_str() {
        "bash" => bash(),
        "zsh" => {
            format!("#compdef etcdctl\nautoload -U +X bashcompinit && bashcompinit\n{}", bash())
        }
        "fish" => fish(),
        "powershell" => powershell(),
        _ => {
            let shell = go::quote(shell.as_bytes());
            return refused(format!("invalid argument {shell} for \"etcdctl completion\""));
        }
    };
    Ok(Box::new(Text(script.into_bytes())))
}

/// What may follow a command: its subcommands and its flags.
fn words_after(command: &str) -> Vec<String> {
    let names = command_names();
    let below = names.iter().filter_map(|name| {
        let rest = if command.is_empty() {
            Some(name.as_str())
        } else {
            name.strip_prefix(command).and_then(|rest| rest.strip_prefix(' '))
        };
        rest.filter(|rest| !rest.contains(' ')).map(str::to_owned)
    });
    let flags = command_flags(command).unwrap_or_default();
    below.chain(flags.iter().map(|flag| format!("--{}", flag.name))).collect()
}

/// Every command, the program itself first.
fn commands() -> Vec<String> {
    std::iter::once(String::new()).chain(command_names()).collect()
}

fn bash() -> String {
    let mut script = String::from(
        "_etcdctl() {\n    local word path=\"\" i\n    for ((i = 1; i < COMP_CWORD; i++)); do\n        word=\"${COMP_WORDS[i]}\"\n        [[ $word == -* ]] || path=\"$path $word\"\n    done\n    local words\n    case \"${path# }\" in\n",
    );
    for command in commands().iter().rev().filter(|command| !command.is_empty()) {
        let words = words_after(command).join(" ");
        script.push_str(&format!("    \"{command}\"*) words=\"{words}\" ;;\n"));
    }
    let words = words_after("").join(" ");
    script.push_str(&format!("    *) words=\"{words}\" ;;\n    esac\n"));
    script.push_str(
        "    COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _etcdctl etcdctl\n",
    );
    script
}

fn fish() -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let mut script = String::from("complete -c etcdctl -e\n");
    for command in command_names() {
        let (group, name) = command.rsplit_once(' ').unwrap_or(("", &command));
        let condition = if group.is_empty() {
            "__fish_use_subcommand".to_owned()
        } else {
            format!("__fish_seen_subcommand_from {group}")
        };
        script.push_str(&format!(
            "complete -c etcdctl -n {} -f -a {}\n",
            quoted(&condition),
            quoted(name)
        ));
    }
    let flags: Vec<&FlagSpec> = command_flags("").unwrap_or_default();
    for flag in flags {
        let about = quoted(flag.about);
        script.push_str(&format!("complete -c etcdctl -l {} -d {about}\n", flag.name));
    }
    script
}

fn powershell() -> String {
    let mut script = String::from(
        "Register-ArgumentCompleter -Native -CommandName etcdctl -ScriptBlock {\n    param($wordToComplete, $commandAst, $cursorPosition)\n    $table = @{\n",
    );
    for command in commands() {
        let words: Vec<String> =
            words_after(&command).iter().map(|word| format!("'{word}'")).collect();
        script.push_str(&format!("        '{command}' = @({})\n", words.join(", ")));
    }
    script.push_str(
        "    }\n    $path = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { \"$_\" } | Where-Object { $_ -notlike '-*' -and $_ -ne $wordToComplete }) -join ' '\n    while (-not $table.ContainsKey($path)) { $path = ($path -split ' ' | Select-Object -SkipLast 1) -join ' ' }\n    $table[$path] | Where-Object { $_ -like \"$wordToComplete*\" }\n}\n",
    );
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_flag_is_offered() {
        for script in [bash(), powershell()] {
            for word in ["grant-permission", "--keys-only", "--write-out", "hashkv"] {
                assert!(script.contains(word), "{word}");
            }
        }
        assert!(fish().contains("'grant-permission'"));
    }
}
