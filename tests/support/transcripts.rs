//! What a run prints, held against what it once printed.

/// Compares with a file below `tests/scenarios/`; `UPDATE_GOLDEN=1` writes it anew.
pub(crate) fn assert_golden(file: &str, ours: &str) {
    let path = format!("{}/tests/scenarios/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, ours).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    for (number, (golden, ours)) in golden.lines().zip(ours.lines()).enumerate() {
        assert_eq!(golden, ours, "line {} (UPDATE_GOLDEN=1 and a new ENGINE_TRACE)", number + 1);
    }
    assert_eq!(golden.lines().count(), ours.lines().count());
}
