#![no_main]

#[path = "../bodies/mod.rs"]
#[allow(dead_code, unused_imports, reason = "each target uses its own body")]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::scenario_play(data));
