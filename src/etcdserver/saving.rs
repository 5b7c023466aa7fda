//! Snapshots on their way to clients, in pieces.
//!
//! What it is: etcd's `Maintenance.Snapshot`: a file made at once, sent in pieces of 32 KiB, some with each
//! tick, its SHA-256 digest last.
//! What it is not: the file's format (see `backup`), or the way to another member (see `transfer`).
//! Invariants: the pieces are in order and of one state; only the digest is the answer that ends the call;
//! no quorum is asked, so that a member that is cut off gives what it has.
//! Source: behaviour of etcd `server/etcdserver/api/v3rpc/maintenance.go`.

use std::collections::VecDeque;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::backup;
use super::io::{Output, RequestId};
use super::server::Server;
use crate::api::{Error, Response, SnapshotResponse};

/// Size of a piece. Unit: bytes. Source: etcd `snapshotSendBufferSize`.
const PIECE_BYTES: usize = 32 * 1024;

/// Pieces of one snapshot sent with one tick. Unit: pieces. Source: ours; 4 MiB each 100 ms.
const PIECES_PER_TICK: usize = 128;

/// Snapshots on their way at once, each a copy of the store. Unit: calls. Source: ours.
const SAVES_MAX: usize = 4;

#[derive(Clone, Debug)]
struct Save {
    client: RequestId,
    /// What of the file is still to be sent.
    rest: Bytes,
    digest: Bytes,
}

/// The snapshots that go out.
#[derive(Clone, Debug, Default)]
pub(super) struct Saves {
    saves: VecDeque<Save>,
}

impl Saves {
    /// The client does not wait any more.
    pub(super) fn cancel(&mut self, client: RequestId) {
        self.saves.retain(|save| save.client != client);
    }
}

impl Server {
    pub(super) fn save_snapshot(&mut self, client: RequestId) -> Result<(), Error> {
        if self.saves.saves.len() >= SAVES_MAX {
            return Err(Error::TooManyRequests);
        }
        let file = backup::encode(&self.content(), self.config.member, self.storage_version());
        let digest = Bytes::copy_from_slice(&Sha256::digest(&file));
        self.saves.saves.push_back(Save { client, rest: file.into(), digest });
        self.tick_saves();
        Ok(())
    }

    /// Sends some pieces of each.
    pub(super) fn tick_saves(&mut self) {
        for mut save in std::mem::take(&mut self.saves.saves) {
            if self.send_pieces(&mut save) {
                self.send_digest(save);
            } else {
                self.saves.saves.push_back(save);
            }
        }
    }

    /// True once all are sent.
    fn send_pieces(&mut self, save: &mut Save) -> bool {
        for _ in 0..PIECES_PER_TICK {
            if save.rest.is_empty() {
                break;
            }
            let blob = save.rest.split_to(PIECE_BYTES.min(save.rest.len()));
            let part = SnapshotResponse {
                remaining_bytes: u64::try_from(save.rest.len()).unwrap_or(u64::MAX),
                blob,
                version: self.storage_version().to_owned(),
                ..SnapshotResponse::default()
            };
            let part = Response::Snapshot(part);
            self.outputs.push_back(Output::ReplyPart { id: save.client, part });
        }
        save.rest.is_empty()
    }

    fn send_digest(&mut self, save: Save) {
        let digest = SnapshotResponse {
            blob: save.digest,
            version: self.storage_version().to_owned(),
            ..SnapshotResponse::default()
        };
        self.reply(save.client, Ok(Response::Snapshot(digest)));
    }
}
