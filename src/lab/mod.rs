//! The lab and headless runner: scenario, etcdctl and simulation joined.
