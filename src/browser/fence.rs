//! The fence: durable values kept a second time in a file, so that a rolled-back disk is noticed.
//!
//! What it is: two slots in one small file of the origin's private file system, written in turn, so
//! that a torn write leaves the older record; the registry of members as well, since a member that
//! has a fence has had data.
//! What it is not: the judgement whether a disk was rolled back, which is `etcdserver`'s.
//! Invariants: a record is written only with values that are on disk already;
//! the newer valid slot counts; foreign bytes give no record, never a panic.
//! Source: DESIGN 11.

use wasm_bindgen::JsValue;

use super::{js, opfs};
use crate::etcdserver::Fence;
use crate::types::CRC32C;

/// Size of one slot. Unit: bytes. Range: above the largest record (2 + 91 + 4).
pub const SLOT_BYTES: u32 = 128;

/// Format of a slot's record.
const FORMAT: u8 = 2;

/// Attempts to open a file that a terminated worker still holds, and the pause between them in ms.
const OPEN_TRIES: u32 = 100;
const OPEN_PAUSE_MS: u32 = 30;

/// An open fence file.
#[derive(Debug)]
pub struct FenceFile {
    handle: opfs::SyncHandle,
    /// Of the newest record in the file; the next one goes into the other slot.
    sequence: u64,
}

impl Drop for FenceFile {
    fn drop(&mut self) {
        self.handle.close_file();
    }
}

/// One record, padded with zeros.
fn encode_slot(sequence: u64, fence: &Fence) -> Result<Vec<u8>, String> {
    let body = postcard::to_stdvec(&(sequence, fence)).map_err(|error| error.to_string())?;
    let length = u8::try_from(body.len()).map_err(|error| error.to_string())?;
    let mut slot = vec![FORMAT, length];
    slot.extend_from_slice(&body);
    slot.extend_from_slice(&CRC32C.checksum(&slot).to_le_bytes());
    let size = usize::try_from(SLOT_BYTES).unwrap_or(usize::MAX);
    assert!(slot.len() <= size, "a fence record has {} bytes", slot.len());
    slot.resize(size, 0);
    Ok(slot)
}

fn decode_slot(slot: &[u8]) -> Option<(u64, Fence)> {
    let [FORMAT, length, ..] = slot else {
        return None;
    };
    let end = 2 + usize::from(*length);
    let record = slot.get(..end)?;
    let sum = slot.get(end..end + 4)?;
    if sum != CRC32C.checksum(record).to_le_bytes() {
        return None;
    }
    postcard::from_bytes(record.get(2..)?).ok()
}

/// The newest valid record of a file.
fn decode_file(bytes: &[u8]) -> Option<(u64, Fence)> {
    let size = usize::try_from(SLOT_BYTES).unwrap_or(usize::MAX);
    bytes.chunks(size).take(2).filter_map(decode_slot).max_by_key(|(sequence, _)| *sequence)
}

impl FenceFile {
    /// Opens the file `<folder…>/<name>` and reads its newest record.
    ///
    /// # Errors
    /// What the browser says, also if another worker holds the file for several seconds.
    pub async fn open(folder: &[&str], name: &str) -> Result<(Self, Option<Fence>), String> {
        let text = |error: JsValue| js::error_text(&error);
        let folder = opfs::directory(folder, true).await.map_err(text)?;
        let mut tries = OPEN_TRIES;
        let handle = loop {
            match opfs::open_sync(&folder, name).await {
                Ok(handle) => break handle,
                Err(error) => {
                    tries -= 1;
                    if tries == 0 || js::error_name(&error) != "NoModificationAllowedError" {
                        return Err(js::error_text(&error));
                    }
                }
            }
            gloo_timers::future::TimeoutFuture::new(OPEN_PAUSE_MS).await;
        };
        let bytes = handle.read_all(2 * SLOT_BYTES).map_err(text)?;
        let newest = decode_file(&bytes);
        if newest.is_none() && !bytes.is_empty() {
            log::warn!("the fence file {name} holds no valid record");
        }
        let (sequence, fence) = newest.map_or((0, None), |(number, fence)| (number, Some(fence)));
        Ok((Self { handle, sequence }, fence))
    }

    /// Writes a record over the older slot and flushes it.
    ///
    /// # Errors
    /// What the browser says; the newest record in the file is then still the one before.
    pub fn write(&mut self, fence: &Fence) -> Result<(), String> {
        let sequence = self.sequence + 1;
        let offset = if sequence.is_multiple_of(2) { 0 } else { SLOT_BYTES };
        let slot = encode_slot(sequence, fence)?;
        self.handle
            .write_at(offset, &slot)
            .and_then(|()| self.handle.flush())
            .map_err(|error| js::error_text(&error))?;
        self.sequence = sequence;
        Ok(())
    }

    /// Damages the slot written last, as a torn write would; for tests of the recovery.
    ///
    /// # Errors
    /// What the browser says.
    pub fn tear_newest_slot(&mut self) -> Result<(), String> {
        let offset = if self.sequence.is_multiple_of(2) { 0 } else { SLOT_BYTES };
        self.handle
            .write_at(offset + 3, &[0xff; 20])
            .and_then(|()| self.handle.flush())
            .map_err(|error| js::error_text(&error))
    }
}
