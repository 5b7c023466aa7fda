//! A member's disk: one IndexedDB database, or the page's memory where there is none.
//!
//! What it is: [`Disk`], which loads an image once and then takes rounds, one at a time.
//! What it is not: a format; chunks are `etcdserver::record`'s, opaque here.
//! Invariants: one round is one transaction with strict durability, made in one synchronous burst and
//! committed explicitly; nothing is awaited inside it; no read-only transaction is open beside it;
//! after one failed round no later round is issued.
//! Source: DESIGN 6-8, 12; W3C Indexed Database API 3.0.

mod indexed_db;
mod make;
mod memory;

use crate::etcdserver::{DiskImage, Round};

pub use indexed_db::IndexedDb;
pub use memory::MemoryDisk;

/// Why a disk does not serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskError {
    /// The origin's storage is full.
    #[error("the disk is full ({0})")]
    Full(String),
    /// The database was closed under us: site data cleared, or a newer version of the page.
    #[error("the database was closed ({0})")]
    Closed(String),
    /// Anything else the browser says.
    #[error("the disk failed ({0})")]
    Failed(String),
    /// An earlier round failed; nothing is written after that.
    #[error("an earlier write failed")]
    Stopped,
    /// No answer in time.
    #[error("the disk does not answer")]
    Silent,
}

/// A member's disk.
#[derive(Debug)]
pub enum Disk {
    /// Survives reloads.
    IndexedDb(IndexedDb),
    /// Lives in the page, survives kills of the member only.
    Memory(MemoryDisk),
}

impl Disk {
    /// Reads everything, before the first round.
    ///
    /// # Errors
    /// What the browser says.
    pub async fn load(&self) -> Result<DiskImage, DiskError> {
        match self {
            Self::IndexedDb(disk) => disk.load().await,
            Self::Memory(disk) => Ok(disk.take_image()),
        }
    }

    /// Writes one round; `Ok` once it is durable.
    ///
    /// # Errors
    /// What the browser says; [`DiskError::Stopped`] after any earlier failure.
    pub async fn write(&self, round: &Round) -> Result<(), DiskError> {
        match self {
            Self::IndexedDb(disk) => disk.write(round).await,
            Self::Memory(disk) => {
                disk.write(round).await;
                Ok(())
            }
        }
    }
}
