//! Envelopes between page and workers: versioned codec.
