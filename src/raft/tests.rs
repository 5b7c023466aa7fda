//! Behaviour of whole members and small clusters, by subject.

mod asynchronous;
mod configuration;
mod election;
mod joint;
mod log;
mod network;
mod paper;
mod reads;
mod replication;
mod safety;
mod snapshots;
mod transfer;
