//! What goes between the page and a worker of the lab's program.
//!
//! What it is: [`Errand`] there, [`Done`] back, each with the number of its call and encoded by `wire`.
//! What it is not: the doing (see `lab`). Invariants: page and program are of one build.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::boot::{decode_image, encode_image};
use crate::api;
use crate::etcdctl::{FileAnswer, FileError};
use crate::etcdserver::backup::Restored;
use crate::lab::time::Machine;
use crate::lab::{self, FileErrand};
use crate::scenario::moment::TimeQuestion;
use crate::scenario::{Question, Refusal, Sheet};
use crate::types::ClusterId;
use crate::wire;

/// What is to be done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Errand {
    /// About a script.
    Ask(Question),
    /// Encoded `(u64, TimeQuestion)`, which the page passes on unread.
    Time(Bytes),
    /// About a file.
    File(FileErrand),
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Done {
    /// Of a question.
    Sheet(Sheet),
    /// The script or the link cannot be read.
    Refused(Refusal),
    /// Encoded `(u64, TimeAnswer)`, with the number of the question.
    Time(Bytes),
    /// Of an order about a file.
    File(Result<FileAnswer, FileError>),
    /// A cluster was restored.
    Restored(Parts),
}

/// A restored cluster as it travels.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Parts {
    data_dir: String,
    cluster_id: ClusterId,
    members: Vec<api::Member>,
    /// Each encoded as a disk image.
    disks: Vec<Bytes>,
    revision: i64,
}

impl Parts {
    fn new(data_dir: String, restored: Restored) -> Result<Self, wire::Error> {
        let mut disks = Vec::new();
        for disk in &restored.disks {
            disks.push(encode_image(disk)?.into());
        }
        let Restored { cluster_id, members, revision, .. } = restored;
        Ok(Self { data_dir, cluster_id, members, disks, revision })
    }

    /// The name of its data, and the cluster.
    pub(super) fn into_restored(self) -> (String, Restored) {
        let disks = self.disks.iter().map(|disk| decode_image(disk)).collect();
        let Self { data_dir, cluster_id, members, revision, .. } = self;
        (data_dir, Restored { cluster_id, members, disks, revision })
    }
}

impl Errand {
    /// Runs it; `machine` is the worker's own and remembers.
    ///
    /// # Errors
    /// A disk or an answer cannot be encoded, a question cannot be read.
    pub(super) fn run(self, machine: &mut Machine) -> Result<Done, wire::Error> {
        Ok(match self {
            Self::Time(question) => {
                let (number, question) = wire::decode::<(u64, TimeQuestion)>(&question)?;
                Done::Time(wire::encode(&(number, machine.answer(question)))?.into())
            }
            Self::Ask(question) => match lab::answer(question) {
                Ok(sheet) => Done::Sheet(sheet),
                Err(why) => Done::Refused(why),
            },
            Self::File(errand) => match errand.carry_out() {
                (_, Some((data_dir, restored))) => Done::Restored(Parts::new(data_dir, restored)?),
                (result, None) => Done::File(result),
            },
        })
    }
}
