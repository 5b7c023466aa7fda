//! The multi-version store: revisions, key index, watches, HashKV.
