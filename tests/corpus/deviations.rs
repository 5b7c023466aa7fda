//! Recorded cases that are not reproduced, and why.

/// (case, reason). A case that passes must not stand here.
pub const DEVIATIONS: [(&str, &str); 0] = [];
