//! Many simulated members on a virtual clock.
