//! Behaviour of whole members and small clusters, by subject.

mod asynchronous;
mod configuration;
mod election;
mod network;
mod reads;
mod replication;
mod safety;
mod snapshots;
mod transfer;
