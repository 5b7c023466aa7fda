//! The native program: plays scripts and links on a simulated cluster.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use std::io::Write as _;

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let printed = etcd_playground::lab::program::run(&arguments, |file| {
        std::fs::read_to_string(file).map_err(|fault| fault.to_string())
    });
    // A closed pipe is the reader's wish to stop, not a failure of ours.
    let _ = std::io::stderr().write_all(printed.stderr.as_bytes());
    let _ = std::io::stdout().write_all(printed.stdout.as_bytes());
    std::process::ExitCode::from(u8::try_from(printed.status).unwrap_or(1))
}

#[cfg(target_arch = "wasm32")]
fn main() {}
